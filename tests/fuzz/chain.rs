//! The whole chain, with the last messages of its switches recorded independently of the machine.

use drive_chain::{Drive, Input, Output, Stages};
use fastrand::Rng;
use safety::{Backlog, Instant, Machine, PublisherCount, Stamp, Velocity};

use crate::subjects::{arbiter, helpful, hindbrain, joystick, zones};
use crate::{Subject, parameters};

/// All stages in one, each with all possible inputs and its own invariants; and nothing moves that is switched off.
pub fn chain() -> Subject<Watched> {
    Subject {
        name: "chain",
        begin: |rng| {
            let stages = Stages {
                joystick: (joystick().begin)(rng),
                arbiter: (arbiter().begin)(rng),
                zones: (zones().begin)(rng),
                hindbrain: (hindbrain().begin)(rng),
            };
            let stick = stages.arbiter.source_index("joystick").filter(|_| rng.u8(0..8) > 0);
            Watched::new(Drive::new(stages, stick))
        },
        input: |rng, now| match rng.u8(0..64) {
            8.. => helps(rng),
            0 | 1 => Input::Joystick((joystick().input)(rng, now)),
            2 | 3 => Input::Arbiter((arbiter().input)(rng, now)),
            4 | 5 => Input::Zones((zones().input)(rng, now)),
            // A publisher that is not a source moves nothing, whatever its name.
            6 if rng.u8(0..16) == 0 => Input::SourcesChanged {
                params: parameters(rng, &arbiter::specification(), arbiter::Params::read),
                stick: rng.bool().then(|| rng.usize(0..4)),
            },
            _ => Input::Hindbrain((hindbrain().input)(rng, now)),
        },
        clock_read: |reading| Some(Input::ClockRead(reading)),
        holds: |watched, output| {
            let stages = watched.drive.stages();
            match output {
                Output::Hindbrain(hindbrain::Output::Drive(motors))
                    if !motors.are_stopped() && !watched.may_move() =>
                {
                    false
                }
                Output::Joystick(output) => (joystick().holds)(&stages.joystick, output),
                Output::Arbiter(output) => (arbiter().holds)(&stages.arbiter, output),
                Output::Zones(output) => (zones().holds)(&stages.zones, output),
                Output::Hindbrain(output) => (hindbrain().holds)(&stages.hindbrain, output),
            }
        },
    }
}

/// The inputs of a chain that drives.
fn helps(rng: &mut Rng) -> Input {
    match rng.u8(0..16) {
        0..=5 => Input::Hindbrain(helpful(rng)),
        6 => Input::Arbiter(arbiter::Input::LockReceived { lock: 0, closed: false }),
        7 => Input::Zones(zones::Input::CommandPublishersCounted(PublisherCount::of(1))),
        8 => Input::Zones(zones::Input::ScalingPublishersCounted(PublisherCount::of(1))),
        9..=10 => Input::Zones(zones::Input::ScalingReceived([1.0; 16])),
        _ => {
            let velocity = Velocity::planar(f64::from(rng.u8(0..3)) / 2.0, 0.0);
            let velocity = velocity.map_err(arbiter::Invalid::NotFinite);
            Input::Arbiter(arbiter::Input::command(rng.usize(0..2), velocity, Stamp::ZERO))
        }
    }
}

/// A drive, with the last messages of the switch and the e-stop and the activity recorded beside it.
pub struct Watched {
    pub drive: Drive,
    is_enabled: bool,
    is_pressed: bool,
    is_active: bool,
}

impl Watched {
    pub fn new(drive: Drive) -> Self {
        Self { drive, is_enabled: false, is_pressed: false, is_active: true }
    }

    /// Whether the motors may have a value other than stop, whatever the other inputs.
    pub fn may_move(&self) -> bool {
        self.is_enabled && !self.is_pressed && self.is_active
    }
}

impl Machine for Watched {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        match &input {
            Input::Hindbrain(hindbrain::Input::EnableReceived(on)) => self.is_enabled = *on,
            Input::Hindbrain(hindbrain::Input::EstopReceived(pressed)) => self.is_pressed = *pressed,
            Input::Hindbrain(hindbrain::Input::ActivityChanged(is_active)) => self.is_active = *is_active,
            _ => {}
        }
        self.drive.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.drive.poll(now)
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.drive.read_again(now, since, due);
    }

    fn backlog(output: &Output) -> Backlog {
        Drive::backlog(output)
    }

    fn deadline(&self) -> Option<Instant> {
        self.drive.deadline()
    }
}
