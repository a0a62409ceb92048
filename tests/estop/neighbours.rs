use core::time::Duration;

use haptix::{
    Command, DeviceLoop, DummyDevice, Haptix, Input, MAX, Mode, Order, Output, Reading, Sensor, Settings,
    Simulation,
};
use safety::freshness::is_stale;
use safety::{Clock, Instant, Machine, MessageTime, PublisherId, VehicleHalt, VehicleMonitor};

/// A machine beside the vehicle that obeys its emergency stop.
pub trait Neighbour: Clone {
    /// One whose process was just started.
    fn new() -> Self;
    /// The graph was read: these nodes publish the vehicle's state.
    fn count(&mut self, now: Instant, publishers: &[PublisherId]);
    /// A state of the vehicle was received.
    fn receive(&mut self, now: Instant, state: &str);
    /// Time has passed.
    fn expire(&mut self, now: Instant);
    /// It begins to read: it did so last at `since`, and was due to do so again by `due`. It was held if that has passed.
    fn read_again(&mut self, now: Instant, since: Instant, due: Instant);
    /// A person resets its motors.
    fn reset(&mut self, now: Instant);
    /// Why it may not move, as it says.
    fn halt(&self) -> Option<VehicleHalt>;
    /// Whether it moves under a stream of commands.
    fn moves(&mut self, now: Instant) -> bool;
}

/// The arm: the judge, and the clock by which its node tells how long a message or a reset may have waited.
#[derive(Clone)]
pub struct Arm {
    monitor: VehicleMonitor,
    clock: Clock,
}

impl Neighbour for Arm {
    fn new() -> Self {
        Self { monitor: VehicleMonitor::new(), clock: Clock::default() }
    }

    fn count(&mut self, now: Instant, publishers: &[PublisherId]) {
        self.expire(now);
        self.monitor.count(now, Some(publishers));
    }

    fn receive(&mut self, now: Instant, state: &str) {
        self.expire(now);
        self.monitor.receive(now, MessageTime::read_now(&self.clock), state);
    }

    fn expire(&mut self, now: Instant) {
        self.clock.pass_to(now, self.monitor.deadline());
        self.monitor.expire(now);
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.expire(now);
        self.clock.read_again(since, due);
    }

    fn reset(&mut self, now: Instant) {
        self.expire(now);
        if !is_stale(&self.clock) {
            self.monitor.reset(now);
        }
    }

    fn halt(&self) -> Option<VehicleHalt> {
        self.monitor.halt()
    }

    fn moves(&mut self, _: Instant) -> bool {
        self.halt().is_none()
    }
}

/// Events at the same time in the walk are within this time for the hand, of whose inputs none is at the same time as another.
const SAME: Duration = Duration::from_micros(1);

/// Commands with shorter gaps are one stream.
const ONE_STREAM: Duration = Duration::from_millis(500);

/// The hand's whole node, and a client that commands it all the time: it moves if the last order to its device is a command.
#[derive(Clone)]
pub struct Hand {
    machine: Haptix,
    /// The time of the last input.
    now: Instant,
    follows: bool,
    /// Whether it was halted since the last command that counted.
    was_halted: bool,
    /// When the client sent its last command.
    commanded: Instant,
}

impl Hand {
    fn input(&mut self, now: Instant, input: Input) {
        self.now = now.max(self.now + Duration::from_nanos(1));
        self.machine.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        self.was_halted |= self.machine.halt().is_some();
        while let Some(output) = self.machine.poll(self.now) {
            if let Output::Order(order) = output {
                match *order {
                    Order::Command { .. } => self.follows = true,
                    Order::Hold | Order::Reset { .. } => self.follows = false,
                    Order::Configure(_) => {}
                }
            }
        }
    }
}

impl Hand {
    /// The client commands this position of all motors, which are at 0.
    fn command(&mut self, position: f32) {
        // The command is read in a turn of its own.
        self.read_again(self.now, self.now, self.now);
        let command = Box::new(Command { ref_pos: Some([position; MAX]), ..Command::default() });
        self.commanded = self.now + Duration::from_nanos(1);
        self.input(self.commanded, Input::CommandReceived { command, at: self.commanded });
    }
}

impl Neighbour for Hand {
    fn new() -> Self {
        let settings = Settings { command_timeout: None, hold_gain: 0.3, simulation: Simulation::default() };
        let device = DeviceLoop::new(Box::new(DummyDevice::default()), Duration::from_millis(1), settings);
        let machine = Haptix::new(&device, &settings).obeying_vehicle();
        Self { machine, now: Instant::ZERO, follows: false, was_halted: true, commanded: Instant::ZERO }
    }

    fn count(&mut self, now: Instant, publishers: &[PublisherId]) {
        self.input(now, Input::VehiclePublishersCounted(Some(publishers.to_vec())));
    }

    fn receive(&mut self, now: Instant, state: &str) {
        self.input(now, Input::VehicleStateReceived(state.to_owned()));
    }

    fn expire(&mut self, now: Instant) {
        self.now = self.now.max(now + SAME);
        self.drain();
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.now = now.max(self.now + Duration::from_nanos(1));
        self.machine.read_again(self.now, since, due);
        self.drain();
    }

    fn reset(&mut self, now: Instant) {
        self.input(now, Input::MotorsResetRequested { id: 0 });
    }

    fn halt(&self) -> Option<VehicleHalt> {
        self.machine.halt()
    }

    fn moves(&mut self, now: Instant) -> bool {
        let mode = if self.follows { Mode::Following } else { Mode::Holding };
        let reading = Reading { at: now, mode, last_command: None, sensor: Sensor::default() };
        self.input(now, Input::DeviceStepped(Box::new(reading)));
        let is_stream = self.commanded > Instant::ZERO && self.now.since(self.commanded) < ONE_STREAM;
        let runs_on = self.was_halted && is_stream;
        self.command(0.5);
        assert!(!runs_on || !self.follows, "a stream that ran on through a halt moves the hand");
        // One that asks for rest shows whether it may move.
        self.command(0.0);
        self.was_halted &= !self.follows;
        self.follows
    }
}
