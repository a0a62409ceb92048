//! A scaler, and a runner that calls it in time.
#![allow(clippy::unwrap_used)] // helpers of tests

use safety::{Command, Instant, Machine, Stamp, Velocity};
use zones::{FullSpeed, Input, Output, Params, Reason, ZoneScaler};

/// Full throw is 2 m/s and 0.5 rad/s, so that percents differ from velocities.
pub fn params() -> Params {
    Params { full_speed: FullSpeed { linear: 2.0, angular: 0.5 }, ..Params::default() }
}

/// All factors are 1 but those of front, which are these.
pub fn front(forward_back: f32, left_right: f32) -> Input {
    let mut fields = [1.0; 16];
    fields[..2].copy_from_slice(&[forward_back, left_right]);
    Input::ScalingReceived(fields)
}

pub fn free() -> Input {
    front(1.0, 1.0)
}

pub fn command(forward: f64, turn: f64, sec: i32) -> Input {
    Input::CommandReceived(go(forward, turn, sec))
}

pub fn go(forward: f64, turn: f64, sec: i32) -> Command {
    Command::new(Velocity::planar(forward, turn).unwrap(), Stamp { sec, nanosec: 0 })
}

pub fn stop(sec: i32) -> Command {
    Command { stamp: Stamp { sec, nanosec: 0 }, ..Command::STOP }
}

/// A zero of the scaler itself while motion is requested.
pub const WITHHELD: Command = Command { withheld: true, ..Command::STOP };

pub struct Bench(pub ZoneScaler, u64);

impl Bench {
    /// After the zero that a fresh scaler sends, and the one that a publisher begins with.
    pub fn new(params: Params) -> Self {
        let mut bench = Self::fresh(params);
        bench.on(0, Input::CommandReceived(Command::STOP));
        bench
    }

    /// After the zero that a fresh scaler sends.
    pub fn fresh(params: Params) -> Self {
        let mut bench = Self(ZoneScaler::new(params), 0);
        assert_eq!(bench.at(0), [Command::STOP]);
        bench
    }

    pub fn drain(&mut self, ms: u64) -> Vec<Output> {
        let now = Instant::from_millis(ms);
        let outputs: Vec<Output> = std::iter::from_fn(|| self.0.poll(now)).collect();
        assert!(self.0.deadline().is_none_or(|at| at > now), "nothing is due after a drain");
        for (index, output) in outputs.iter().enumerate() {
            if matches!(output, Output::Drive(_)) {
                assert!(
                    matches!(outputs[index + 1], Output::PublishApplied(_)),
                    "the command, then what was done"
                );
            }
        }
        outputs
    }

    fn drives(&mut self, ms: u64) -> Vec<Command> {
        let drive = |output| if let Output::Drive(command) = output { Some(command) } else { None };
        self.drain(ms).into_iter().filter_map(drive).collect()
    }

    /// Advances the time to just before `ms`, as a runner would; returns the commands other than the scaler's own
    /// zeros.
    fn pass(&mut self, ms: u64) -> Vec<Command> {
        let mut commands = Vec::new();
        while self.1 + 10 < ms {
            self.1 += 10;
            let at = self.1;
            commands.extend(
                self.drives(at).into_iter().filter(|command| ![Command::STOP, WITHHELD].contains(command)),
            );
        }
        self.1 = ms;
        commands
    }

    pub fn at(&mut self, ms: u64) -> Vec<Command> {
        let mut commands = self.pass(ms);
        commands.extend(self.drives(ms));
        commands
    }

    pub fn on(&mut self, ms: u64, input: Input) -> Vec<Command> {
        let mut commands = self.pass(ms);
        self.0.handle(Instant::from_millis(ms), input);
        commands.extend(self.drives(ms));
        commands
    }

    pub fn reason(&self) -> Reason {
        self.0.applied().reason
    }
}
