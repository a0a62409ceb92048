use core::time::Duration;

use params::Parameter;
use safety::{CommandMonitor, Instant, SLOWEST_FULL_SPEED};

use crate::Robot;
use crate::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, InputKind, Message, Odometry,
    OutputKind, PublishPeriod, Report, Step,
};
use crate::laws::{Pid, SpeedLaw};

/// Drives a vehicle with wheels at its left and its right: the speed of each wheel follows the velocity that is commanded.
///
/// ```text
/// wheel speed = (linear ∓ angular · separation / 2) / radius       left: -, right: +
/// effort      = PI(wheel speed - joint's velocity)
/// ```
///
/// **A wheel that no motion is asked of is only braked, and gets no effort once it is slower than 0.02 m/s**, whatever kept it from turning
/// before. It would push on against a person or a wall, and a motor controller that waits for a stop would never see one. On a slope
/// the base creeps, unless a brake holds it. Where less is asked for or the other direction, no wheel pushes on either ([`SpeedLaw`]).
///
/// Input `cmd_vel`. Motion begins with a zero, and a command counts until the time-out ([`CommandMonitor`]); then the wheels are
/// held still, as by a neutral velocity. A velocity beyond a limit, also beyond that of a wheel in
/// the URDF, is reduced as a whole, so that the curve is kept.
///
/// Output `odom`: the pose that follows from the wheels' positions, on arcs, from zero at the load on; and the velocity that
/// follows from the wheels' velocities. A wheel whose position is not finite, or jumps by more than half a turn within a step,
/// does not count in that step.
/// # Errors
/// `update`: a wheel does not exist, its state is not finite, or for a second all its effort does not brake it: its speed may have the
/// wrong sign.
/// # Source
/// `diff_drive_controller` of ros2_controllers 4 (Jazzy); own: efforts, the zero before motion, and how it brakes.
#[derive(Clone, Debug)]
pub struct DiffDriveController {
    left: Vec<Wheel>,
    right: Vec<Wheel>,
    settings: DiffDrive,
    commands: CommandMonitor,
    odometry: Odometry,
    due: Option<PublishPeriod>,
    /// How many outputs have not reported the present odometry yet.
    unsaid: usize,
    /// Whether commands of motion wait for a zero, and whether that was reported.
    said_waits: bool,
}

/// The name of its input.
const INPUT: &str = "cmd_vel";

const fn size(name: &'static str, default: f64, text: &'static str) -> Parameter<f64> {
    Parameter::float(name, default, 0.001, 100.0).text(text)
}

params::params! {
    /// The dimensions and limits of a vehicle with two sides.
    #[derive(Copy)]
    pub struct DiffDrive {
        /// From the left wheels to the right ones \[m\], greater than 0.
        separation: f64 = size("wheel_separation", 0.4, "From the left wheels to the right ones.").unit("m"),
        /// \[m\], greater than 0.
        radius: f64 = size("wheel_radius", 0.1, "The radius of the wheels.").unit("m"),
        /// The greatest speed; more is reduced, and the turn with it.
        max_linear: f64 = Parameter::float("max_linear", 1.0, SLOWEST_FULL_SPEED, 100.0).unit("m/s"),
        /// The greatest turning speed; more is reduced, and the speed with it.
        max_angular: f64 = Parameter::float("max_angular", 2.0, SLOWEST_FULL_SPEED, 100.0).unit("rad/s"),
        /// A velocity that is not repeated within this time is lost: the wheels stop, and a zero has to come before motion.
        timeout: Duration = Parameter::seconds("cmd_vel_timeout", 0.5, 0.15, 2.0),
        /// How often the odometry is published.
        publish_rate: f64 = Parameter::float("publish_rate", 50.0, 0.1, 1000.0).unit("Hz"),
        /// Whether the odometry is also a transform on /tf.
        has_transform: bool = Parameter::bool("enable_odom_tf", true),
    }
}

/// A wheel: its joint, its law, and where it was in the previous step.
#[derive(Clone, Debug)]
struct Wheel {
    joint: usize,
    law: SpeedLaw,
    before: Option<f64>,
    /// How long it has been braked with all its effort without being slower than this.
    strained: (Duration, f64),
}

/// A wheel that is slower stands \[m/s\], as for a command that is a zero.
const REST: f64 = 0.02;

/// A wheel of which less is asked has no motion to make \[m/s\]: one about which the vehicle turns.
const NO_MOTION: f64 = 0.001;

/// A wheel that all its effort does not slow down for this time is not braked.
const STRAIN: Duration = Duration::from_secs(1);

/// A step's greatest credible turn of a wheel \[rad\].
const JUMP: f64 = core::f64::consts::PI;

impl DiffDriveController {
    /// A controller of the joints with these indices in the robot, one or more on each side, each with the law `pid`.
    pub fn new(left: &[usize], right: &[usize], pid: Pid, settings: DiffDrive) -> Self {
        let (law, before, strained) = (SpeedLaw::new(pid), None, Default::default());
        let wheel = |&joint: &usize| Wheel { joint, law, before, strained };
        let wheels = |side: &[usize]| side.iter().map(wheel).collect();
        Self {
            left: wheels(left),
            right: wheels(right),
            settings,
            commands: CommandMonitor::default(),
            odometry: Odometry::default(),
            due: None,
            unsaid: 0,
            said_waits: false,
        }
    }

    /// The velocity to drive at.
    fn wanted(&mut self, now: Instant) -> (f64, f64) {
        let DiffDrive { timeout, max_linear, max_angular, .. } = self.settings;
        self.commands.expire(now, timeout);
        // A neutral velocity counts as a zero, so it moves nothing.
        let command = self.commands.command().filter(|command| !command.velocity.is_neutral());
        let Some(command) = command else { return (0.0, 0.0) };
        let (linear, angular) = (command.velocity.forward(), command.velocity.turn());
        let share = |value: f64, most: f64| if value.abs() > most { most / value.abs() } else { 1.0 };
        let factor = share(linear, max_linear).min(share(angular, max_angular));
        (linear * factor, angular * factor)
    }

    /// The mean way and speed of a side's wheels \[rad, rad/s\].
    fn measure(side: &mut [Wheel], step: &Step<'_>) -> Result<(f64, f64), ControllerFailure> {
        let (mut way, mut speed) = (0.0, 0.0);
        for wheel in &mut *side {
            let joint =
                step.robot.joints().get(wheel.joint).ok_or(ControllerFailure("a wheel does not exist"))?;
            if !joint.position.is_finite() || !joint.velocity.is_finite() {
                // The other wheels would turn the vehicle.
                return Err(ControllerFailure("the state of a wheel is not finite"));
            }
            let moved = wheel.before.map_or(0.0, |before| joint.position - before);
            wheel.before = Some(joint.position);
            if moved.abs() <= JUMP {
                way += moved;
            }
            speed += joint.velocity;
        }
        let count = side.len().max(1) as f64;
        Ok((way / count, speed / count))
    }

    /// The part of a wheel's `speed` at which no wheel of a side is faster than its limit, at most 1.
    fn share(side: &[Wheel], speed: f64, robot: &Robot) -> f64 {
        let joints = side.iter().filter_map(|wheel| robot.joints().get(wheel.joint));
        let limits = joints.filter_map(|joint| joint.limits);
        let shares = limits.filter(|limits| speed.abs() > limits.velocity);
        shares.map(|limits| limits.velocity / speed.abs()).fold(1.0, f64::min)
    }

    fn drive(&mut self, [left, right]: [f64; 2], step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let radius = self.settings.radius;
        for (side, speed) in [(&mut self.left, left), (&mut self.right, right)] {
            for wheel in side {
                let Some(joint) = step.robot.joints_mut().get_mut(wheel.joint) else { continue };
                let limit = joint.limits.map_or(f64::INFINITY, |limits| limits.effort);
                joint.commanded_effort += if speed.abs() < NO_MOTION / radius {
                    wheel.brake(joint.velocity, REST / radius, limit, step.period)?
                } else {
                    if speed * wheel.law.wanted() < 0.0 {
                        wheel.law.release(-speed);
                    }
                    wheel.law.update(speed, joint.velocity, step.period.as_secs_f64())
                };
            }
        }
        Ok(())
    }
}

impl Wheel {
    /// The effort that brakes it; none if it is slower than `slowest`.
    fn brake(
        &mut self,
        speed: f64,
        slowest: f64,
        limit: f64,
        period: Duration,
    ) -> Result<f64, ControllerFailure> {
        if speed.abs() < slowest {
            self.law.reset();
            self.strained = (Duration::ZERO, 0.0);
            return Ok(0.0);
        }
        self.law.release(speed);
        let effort = self.law.update(0.0, speed, period.as_secs_f64());
        let (strained, least) = &mut self.strained;
        if effort.abs() < 0.99 * self.law.max_effort().min(limit) || speed.abs() < 0.9 * *least {
            (*strained, *least) = (Duration::ZERO, speed.abs());
        }
        *strained += period;
        if *strained > STRAIN {
            return Err(ControllerFailure("a wheel turns on although it is braked with all its effort"));
        }
        Ok(effort)
    }
}

impl Odometry {
    /// Moves along the arc of length `way` \[m\] that turns by `turn` \[rad\].
    fn advance(&mut self, way: f64, turn: f64) {
        let half = turn / 2.0;
        let chord = if half.abs() > 1e-9 { way * half.sin() / half } else { way };
        self.x += chord * (self.heading + half).cos();
        self.y += chord * (self.heading + half).sin();
        self.heading += turn;
    }
}

impl Controller for DiffDriveController {
    fn inputs(&self) -> &'static [ControllerInput] {
        &[ControllerInput { name: INPUT, kind: InputKind::Velocity }]
    }

    fn outputs(&self) -> &'static [ControllerOutput] {
        const ODOMETRY: ControllerOutput = ControllerOutput { name: "odom", kind: OutputKind::Odometry };
        const TRANSFORM: ControllerOutput = ControllerOutput { name: "tf", kind: OutputKind::Transform };
        if self.settings.has_transform { &[ODOMETRY, TRANSFORM] } else { &[ODOMETRY] }
    }

    fn receive(&mut self, _: usize, message: &mut Message, now: Instant) {
        match message {
            Message::Velocity(command, clock) => {
                self.commands.expire(now, self.settings.timeout);
                self.commands.receive(clock, *command, self.settings.timeout);
            }
            Message::Stop => self.commands.lose(),
            _ => {}
        }
    }

    fn starting(&mut self, _: &mut Step<'_>) {
        self.commands = CommandMonitor::default();
        for wheel in self.left.iter_mut().chain(&mut self.right) {
            wheel.law.reset();
            (wheel.before, wheel.strained) = Default::default();
        }
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let DiffDrive { separation, radius, publish_rate, .. } = self.settings;
        let (left_way, left_speed) = Self::measure(&mut self.left, step)?;
        let (right_way, right_speed) = Self::measure(&mut self.right, step)?;
        let mean = |left: f64, right: f64| radius * (left + right) / 2.0;
        let turn = |left: f64, right: f64| radius * (right - left) / separation;
        self.odometry.advance(mean(left_way, right_way), turn(left_way, right_way));
        self.odometry.linear = mean(left_speed, right_speed);
        self.odometry.angular = turn(left_speed, right_speed);
        if self.due.get_or_insert(PublishPeriod::new(publish_rate, step.now)).is_due(step.now) {
            self.unsaid = self.outputs().len();
        }
        let (linear, angular) = self.wanted(step.now);
        let difference = angular * separation / 2.0;
        let [left, right] = [linear - difference, linear + difference].map(|speed| speed / radius);
        let share =
            Self::share(&self.left, left, step.robot).min(Self::share(&self.right, right, step.robot));
        self.drive([left * share, right * share], step)
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        let waits = self.commands.waits_for_zero() && self.commands.asks_for_motion();
        if waits != self.said_waits {
            self.said_waits = waits;
            return Some((0, Report::WaitsForZero { input: INPUT, waits }));
        }
        self.unsaid = self.unsaid.checked_sub(1)?;
        Some((self.unsaid, Report::Odometry(self.odometry)))
    }
}
