//! A joystick node under test: time, wall clock and outputs.
#![allow(clippy::expect_used)] // the lint's exception for tests does not see helpers

use joystick::{
    AxisMapping, DeviceId, DeviceState, Dynamics, EnableButtons, FrameButtons, Hat, Input, JoyState,
    Joystick, Mappings, Output, Params, PoseState, Report,
};
use safety::{Instant, Machine, Stamp};

/// The device that most tests drive with.
pub const PAD: DeviceId = DeviceId(7);

/// One cycle at the default rate of 200 Hz [ms].
pub const CYCLE: u64 = 5;

/// The machine, with a wall clock that is 1000 s ahead of the monotonic one.
pub struct Bench {
    pub machine: Joystick,
    pub millis: u64,
    pub outputs: Vec<Output>,
}

impl Bench {
    pub fn new(params: Params) -> Self {
        let mut bench = Self { machine: Joystick::new(params), millis: 0, outputs: Vec::new() };
        bench.give(Input::ClockRead(wall(0).into()));
        bench.give(Input::JoySubscribersCounted(1));
        bench
    }

    /// A bench with the pad `PAD` connected, two axes and ten buttons at rest; the outputs of that are discarded.
    pub fn with_pad(params: Params) -> Self {
        let mut bench = Self::new(params);
        bench.connect(PAD, "Pad", "guid");
        bench.batch();
        bench.outputs.clear();
        bench
    }

    pub fn now(&self) -> Instant {
        Instant::from_millis(self.millis)
    }

    pub fn give(&mut self, input: Input) {
        self.machine.handle(self.now(), input);
    }

    pub fn drain(&mut self) {
        while let Some(output) = self.machine.poll(self.now()) {
            self.outputs.push(output);
        }
    }

    pub fn batch(&mut self) {
        self.give(Input::ClockRead(wall(self.millis).into()));
        self.give(Input::BatchEnded);
        self.drain();
    }

    /// Polls every cycle for `millis`.
    pub fn run(&mut self, millis: u64) {
        for _ in 0..millis / CYCLE {
            self.millis += CYCLE;
            self.give(Input::ClockRead(wall(self.millis).into()));
            self.drain();
        }
    }

    pub fn connect(&mut self, id: DeviceId, name: &str, guid: &str) {
        self.give(Input::DeviceConnected {
            id,
            name: name.into(),
            guid: guid.into(),
            serial: String::new(),
            path: String::new(),
            links: vec![],
            mapping: String::new(),
            axes: vec![0; 2],
            buttons: vec![false; 10],
            hats: vec![],
        });
    }

    pub fn disconnect(&mut self, id: DeviceId) {
        self.give(Input::DeviceDisconnected { id });
    }

    pub fn axis(&mut self, axis: usize, value: i16) {
        self.give(Input::AxisMoved { id: PAD, axis, value });
    }

    pub fn button(&mut self, button: usize, pressed: bool) {
        self.give(Input::ButtonChanged { id: PAD, button, pressed });
    }

    pub fn press(&mut self, button: usize) {
        self.button(button, true);
        self.button(button, false);
    }

    /// A zero of the reference, which has to come first.
    pub fn begin_reference(&mut self) {
        self.give(Input::ReferenceReceived(reference(Stamp::ZERO, true, 0.0)));
    }

    pub fn hat(&mut self, state: Hat) {
        self.give(Input::HatMoved { id: PAD, hat: 0, state });
    }

    pub fn desired(&self) -> Vec<PoseState> {
        self.outputs
            .iter()
            .filter_map(|o| if let Output::PublishDesired(state) = o { Some(*state) } else { None })
            .collect()
    }

    pub fn last(&self) -> PoseState {
        self.desired().pop().expect("a desired state")
    }

    /// The forward velocity desired last [m/s].
    pub fn forward(&self) -> f64 {
        self.last().vel.expect("active")[0]
    }

    pub fn joys(&self) -> Vec<JoyState> {
        self.outputs
            .iter()
            .filter_map(|o| if let Output::PublishJoy(joy) = o { Some(joy.clone()) } else { None })
            .collect()
    }

    pub fn connections(&self) -> Vec<bool> {
        self.outputs
            .iter()
            .filter_map(|o| if let Output::PublishConnected(connected) = o { Some(*connected) } else { None })
            .collect()
    }

    pub fn devices(&self) -> Vec<(String, DeviceState)> {
        self.outputs
            .iter()
            .filter_map(|o| match o {
                Output::PublishDevice { name, state } => Some((name.clone(), state.clone())),
                _ => None,
            })
            .collect()
    }

    pub fn reports(&self) -> Vec<Report> {
        self.outputs
            .iter()
            .filter_map(|o| if let Output::Report(report) = o { Some(report.clone()) } else { None })
            .collect()
    }
}

/// The wall clock at the monotonic time `millis` [ms].
pub fn wall(millis: u64) -> Stamp {
    let sec = i32::try_from(1000 + millis / 1000).expect("a short test");
    Stamp { sec, nanosec: u32::try_from(millis % 1000).expect("below 1000") * 1_000_000 }
}

/// Axis 0 is forward, axis 1 turns; no buttons: always active. The numbers are those of the original's documents.
pub fn driving() -> Params {
    let axis = |axis| AxisMapping { axis: Some(axis), ..AxisMapping::default() };
    let none = AxisMapping::default();
    Params {
        mappings: Mappings {
            linear: [axis(0), none, none],
            angular: [none, none, axis(1)],
            ..Mappings::default()
        },
        dynamics: Dynamics { amax: 10.0, awmax: 10.0, ..Dynamics::default() },
        ..Params::default()
    }
}

pub const ON: usize = 0;
pub const SLOW: usize = 1;
pub const TOGGLE: usize = 2;
pub const INTRINSIC: usize = 3;
pub const WORLD: usize = 4;
pub const FLIP: usize = 5;

/// As [`driving`], with all six buttons.
pub fn guarded() -> Params {
    let mut params = driving();
    params.mappings.enable = EnableButtons { on: Some(ON), slow: Some(SLOW), toggle: Some(TOGGLE) };
    params.mappings.coords =
        FrameButtons { intrinsic: Some(INTRINSIC), world: Some(WORLD), toggle: Some(FLIP) };
    params
}

/// A reference with `vel` forward [m/s], stamped and framed as given.
pub fn reference(stamp: Stamp, intrinsic: bool, vel: f64) -> PoseState {
    PoseState { stamp, intrinsic, vel: Some([vel, 0.0, 0.0]), avel: Some([0.0; 3]), ..PoseState::default() }
}

/// All numbers of a state as bits, for a comparison that distinguishes NaNs.
pub fn bits(s: &PoseState) -> (Stamp, bool, Vec<Option<Vec<u64>>>) {
    fn of<const N: usize>(part: &Option<[f64; N]>) -> Option<Vec<u64>> {
        part.map(|part| part.iter().map(|x| x.to_bits()).collect())
    }
    let motion = [of(&s.pos), of(&s.att), of(&s.vel), of(&s.avel), of(&s.acc), of(&s.aacc)];
    let covariances = [
        of(&s.pos_cov),
        of(&s.att_cov),
        of(&s.att_pos_cov),
        of(&s.vel_cov),
        of(&s.avel_cov),
        of(&s.acc_cov),
        of(&s.aacc_cov),
    ];
    (s.stamp, s.intrinsic, motion.into_iter().chain(covariances).collect())
}
