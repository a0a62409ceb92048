//! A remote with a simulated chair.
#![allow(clippy::unwrap_used)] // helpers of tests

use chair::{
    Hold, Input, Joystick, Level, Mode, Output, Params, Remote, RemoteParams, Service, Source, State,
    specification,
};
use safety::{Command, Instant, Machine, Stamp, Velocity};
use zones::published;

/// Parameters with calibrated profiles.
pub fn params(mode: Mode) -> RemoteParams {
    let set = specification().resolve(published()).unwrap();
    RemoteParams { mode, ..Params::read(&set).unwrap().remote }
}

/// A command; in profile 1 full throw is 0.54 m/s and 1.2212 rad/s.
pub fn go(forward: f64, turn: f64) -> Input {
    Input::CommandReceived(Command::new(Velocity::planar(forward, turn).unwrap(), Stamp::ZERO))
}

pub fn position(source: Source) -> Input {
    Input::PositionReceived(Joystick::neutral(source))
}

pub struct Bench {
    pub remote: Remote,
    pub ms: u64,
    /// The chair's feedback every 50 ms.
    pub feedback: Option<Input>,
    /// The command every 50 ms.
    pub command: Option<Input>,
    /// Whether services answer at once.
    pub answers: bool,
    pub sent: Vec<(u64, Joystick)>,
    pub called: Vec<(u64, Service)>,
}

impl Bench {
    pub fn new(params: RemoteParams) -> Self {
        Self {
            remote: Remote::new(params),
            ms: 1000,
            feedback: None,
            command: None,
            answers: true,
            sent: Vec::new(),
            called: Vec::new(),
        }
    }

    /// A bench in the shared mode, confirmed, with a profile and a zero command, and nothing recorded yet.
    pub fn confirmed() -> Self {
        let mut bench = Self::new(params(Mode::Shared));
        bench.on(Input::ProfileReceived(1));
        bench.feedback = Some(position(Source::SharedRemote));
        bench.on(Input::Activated);
        bench.pass(500);
        assert_eq!(bench.remote.state(), State::Confirmed);
        bench.on(go(0.0, 0.0));
        assert_eq!(bench.remote.state(), State::Active);
        bench.sent.clear();
        bench
    }

    pub fn active() -> Self {
        let mut bench = Self::confirmed();
        bench.command = Some(go(0.27, 0.0));
        bench.pass(200);
        assert_eq!((bench.remote.state(), bench.remote.health().0), (State::Active, Level::Ok));
        bench.sent.clear();
        bench
    }

    pub fn on(&mut self, input: Input) {
        self.remote.handle(Instant::from_millis(self.ms), input);
        self.drain();
    }

    pub fn drain(&mut self) {
        let now = Instant::from_millis(self.ms);
        let mut answers = Vec::new();
        while let Some(output) = self.remote.poll(now) {
            match output {
                Output::PublishJoystick(joystick) => {
                    assert_eq!(joystick.source(), self.remote.params().mode.source());
                    self.sent.push((self.ms, joystick));
                }
                Output::Call(service) => {
                    self.called.push((self.ms, service));
                    answers.extend(self.answers.then_some(service));
                }
            }
        }
        assert!(self.remote.deadline().is_none_or(|at| at > now), "nothing is due after a drain");
        for service in answers {
            self.on(Input::ServiceAnswered(service));
        }
    }

    pub fn pass(&mut self, ms: u64) {
        for _ in 0..ms {
            self.ms += 1;
            self.drain();
            if self.ms.is_multiple_of(50) {
                for input in [self.feedback.clone(), self.command.clone()].into_iter().flatten() {
                    self.on(input);
                }
            }
        }
    }

    pub fn last(&self) -> (i32, i32) {
        self.sent.last().map(|(_, joystick)| (joystick.forward_back(), joystick.left_right())).unwrap()
    }

    pub fn moves(&self) -> bool {
        self.sent.iter().any(|(_, joystick)| !joystick.is_neutral())
    }

    pub fn stopped_for(&mut self, hold: Hold, level: Level) {
        assert_eq!((self.last(), self.remote.hold()), ((0, 0), Some(hold)));
        assert_eq!(self.remote.health(), (level, hold.to_string()));
        self.sent.clear();
        self.pass(200);
        assert!(!self.moves() && self.sent.len() == 4, "neutral goes on at 20 Hz: {:?}", self.sent);
    }
}
