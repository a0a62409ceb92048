//! A controller that sways a joint to and fro around where it was at its start.

use std::f64::consts::TAU;
use std::time::Duration;

use controller_plugin::{Controller, Joint, Setup, Step};

/// How long a command counts.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How much the amplitude changes in a second.
const GROWTH: f64 = 0.3;

/// effort = stiffness · (desired - position) - damping · velocity, with desired = start + amplitude · sin(2π · frequency · t).
///
/// The amplitude grows and shrinks slowly, so nothing jumps. Silence ends the motion: a command counts for half a second, and what was
/// commanded before a start moves nothing.
struct Sway {
    joint: usize,
    stiffness: f64,
    damping: f64,
    frequency: f64,
    most: f64,
    amplitude: f64,
    /// Commanded by the input `amplitude`, and when that was received.
    wanted: f64,
    received: Duration,
    start: f64,
    began: Duration,
    /// The distance from where it should be, for the output `error`, ten times a second.
    error: Option<f64>,
    steps: u32,
}

impl Controller for Sway {
    const TYPE: &'static str = "sway/Sway";
    const INPUTS: &'static [&'static str] = &["amplitude"];
    const OUTPUTS: &'static [&'static str] = &["error"];

    fn new(setup: &Setup<'_>) -> Result<Self, String> {
        Ok(Self {
            joint: setup.joint("joint")?,
            stiffness: setup.float("stiffness", 20.0, 0.0..=1000.0)?,
            damping: setup.float("damping", 3.0, 0.0..=1000.0)?,
            frequency: setup.float("frequency", 0.5, 0.01..=10.0)?,
            most: setup.float("max_amplitude", 0.5, 0.0..=1.0)?,
            amplitude: 0.0,
            wanted: 0.0,
            received: Duration::ZERO,
            start: 0.0,
            began: Duration::ZERO,
            error: None,
            steps: 0,
        })
    }

    fn receive(&mut self, _input: usize, value: f64, now: Duration) {
        (self.wanted, self.received) = (value.clamp(0.0, self.most), now);
    }

    fn can_start(&self, joints: &[Joint]) -> Result<(), &'static str> {
        let joint = joints.get(self.joint).ok_or("its joint does not exist")?;
        if joint.is_calibrated() { Ok(()) } else { Err("its joint is not calibrated") }
    }

    fn starting(&mut self, step: &mut Step<'_>) {
        (self.start, self.began, self.steps) = (step.joints[self.joint].position, step.now, 0);
        (self.amplitude, self.wanted) = (0.0, 0.0);
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), &'static str> {
        if step.now.saturating_sub(self.received) > TIMEOUT {
            self.wanted = 0.0;
        }
        let most = GROWTH * step.period.as_secs_f64();
        self.amplitude += (self.wanted - self.amplitude).clamp(-most, most);
        let time = (step.now - self.began).as_secs_f64();
        let desired = self.start + self.amplitude * (TAU * self.frequency * time).sin();
        let joint = step.joints.get_mut(self.joint).ok_or("its joint does not exist")?;
        let error = desired - joint.position;
        joint.commanded_effort += self.stiffness * error - self.damping * joint.velocity;
        self.steps += 1;
        self.error = self.steps.is_multiple_of(100).then_some(error);
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, f64)> {
        self.error.take().map(|error| (0, error))
    }
}

controller_plugin::controllers!(Sway);
