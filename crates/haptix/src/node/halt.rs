//! The halt of the hand by its vehicle: what begins it, what ends it, and what is refused meanwhile.

use safety::freshness::is_stale;
use safety::{Begins, Instant, StreamGate, VehicleHalt, VehicleMonitor};

use super::{Haptix, Output};
use crate::device_loop::Order;
use crate::wire::{Command, MAX, Sensor};

/// So near to the measured positions a command asks for rest \[rad\].
const AT_REST: f32 = 0.05;

/// Reasons for which the hand may not move, and the end of the last one.
#[derive(Clone, Debug)]
pub(super) struct Halts {
    /// The vehicle that carries the hand, if it obeys one.
    vehicle: Option<VehicleMonitor>,
    /// Whether the node's life cycle is in the state active.
    is_active: bool,
    /// When the last halt ended.
    ended: Option<Instant>,
    /// When the thread that reads the commands last began to read; `None` if that is not reported.
    read: Option<Instant>,
    /// Keeps out what runs on through a halt: commands, grasps and poses, from any client.
    stream: StreamGate,
}

impl Default for Halts {
    fn default() -> Self {
        Self { vehicle: None, is_active: true, ended: None, read: None, stream: StreamGate::default() }
    }
}

impl Halts {
    /// Whether what was received at `at` was not received after the end of a halt. What was read together with the message that
    /// ended it was not, whatever `at` is.
    fn is_too_early(&self, at: Instant) -> bool {
        self.ended.is_some_and(|ended| at <= ended || self.read.is_some_and(|read| read <= ended))
    }

    /// A halt ended at `now`.
    fn end(&mut self, now: Instant) {
        self.ended = Some(now);
        self.stream.release();
    }
}

impl Haptix {
    /// The node of a hand that obeys the emergency stop of its vehicle: it is halted until the vehicle's state is received and clear.
    #[must_use]
    pub fn obeying_vehicle(mut self) -> Self {
        self.halts.vehicle = Some(VehicleMonitor::default());
        self.warn_of_halt("the hand is halted");
        self
    }

    /// Whether the node's life cycle is in the state active.
    pub(super) fn is_active(&self) -> bool {
        self.halts.is_active
    }

    /// The life cycle became active, or left that state, which halts the hand as its vehicle does. An activation moves nothing.
    pub(super) fn set_active(&mut self, is_active: bool) {
        let now = self.clock.now();
        let was_active = core::mem::replace(&mut self.halts.is_active, is_active);
        if was_active && !is_active {
            self.begin_halt(now);
        } else if !was_active && is_active {
            self.halts.end(now);
        }
    }

    /// Orders a hold and ends the commands that wait.
    fn begin_halt(&mut self, now: Instant) {
        self.hold();
        if let Err(error) = self.check_halt(now) {
            self.fail_commands(&error);
        }
    }

    /// Orders a hold. From now on `ref_pos` is where the hand is.
    pub(super) fn hold(&mut self) {
        self.record_hold(&self.sensor());
        self.order(Order::Hold);
        self.outputs.extend(self.states.is_some().then_some(Output::Stay { is_last: false }));
    }

    /// Records that the hand holds, or will, and is where `sensor` has it.
    pub(super) fn record_hold(&mut self, sensor: &Sensor) {
        (self.is_grasping, self.has_target) = (false, false);
        self.aim_at_measured(sensor);
    }

    /// Why the hand may not move, if its vehicle forbids it.
    pub fn halt(&self) -> Option<VehicleHalt> {
        self.halts.vehicle.as_ref().and_then(VehicleMonitor::halt)
    }

    /// Changes what is known of the vehicle. The begin of a halt orders a hold at once and ends the commands that wait; its end moves
    /// nothing. At the end of the node nothing counts any more.
    pub(super) fn change_vehicle(&mut self, change: impl FnOnce(Instant, &mut VehicleMonitor)) {
        let (now, before) = (self.clock.now(), self.halt());
        let Some(vehicle) = self.halts.vehicle.as_mut().filter(|_| !self.is_stopping) else { return };
        change(now, vehicle);
        match (before, vehicle.halt()) {
            (before, after) if before == after => {}
            (None, _) => {
                self.begin_halt(now);
                self.warn_of_halt("the hand is halted");
            }
            (Some(_), Some(_)) => self.warn_of_halt("the hand stays halted"),
            (Some(_), None) => {
                self.halts.end(now);
                self.outputs.push_back(Output::Inform(
                    "the hand is not halted any more: a command moves it, or of a stream one that asks for where it is".to_owned(),
                ));
            }
        }
    }

    /// Returns an error for what would move the hand and was received at `at`: while the hand is halted, and if it was received before
    /// the end of the halt.
    fn check_halt(&self, at: Instant) -> Result<(), String> {
        if !self.is_active() {
            return Err("the hand is halted: the node is not active".to_owned());
        }
        if let Some(halt) = self.halt() {
            return Err(format!("the hand is halted: {halt}{}", halt.clause()));
        }
        if self.halts.is_too_early(at) {
            return Err(
                "the command was received before the halt of the hand ended: send it again".to_owned()
            );
        }
        Ok(())
    }

    /// Whether what would move the hand and was received at `at` is no part of a stream since before a halt, or `is_rest`. Each such
    /// input has to be passed once, whatever refuses it.
    pub(super) fn enters(&mut self, at: Instant, is_rest: bool) -> bool {
        let now = self.clock.now();
        self.halts.stream.passes(at, now, |_| Begins::with(is_rest))
    }

    /// Returns an error for what would move the hand and was received at `at`: while it is halted, before the end of the halt, and if
    /// it did not [enter](Self::enters).
    pub(super) fn check_vehicle(&self, at: Instant, enters: bool) -> Result<(), String> {
        self.check_halt(at)?;
        if enters {
            return Ok(());
        }
        Err("commands move nothing after a halt of the hand, until one asks for where the hand is, at no speed".to_owned())
    }

    /// Whether `command` leaves the hand where it is: positions near the measured ones, at no speed.
    pub(super) fn asks_for_rest(&self, command: &Command) -> bool {
        let Some(reading) =
            self.reading.as_ref().filter(|_| !self.is_unanswered && self.check_device().is_ok())
        else {
            return false; // it is not known where the hand is
        };
        let motors = self.setpoints.motor_count();
        let is_near = |positions: &[f32; MAX]| {
            let mut ways = positions.iter().zip(&reading.sensor.motor_pos).take(motors);
            ways.all(|(position, measured)| (position - measured).abs() <= AT_REST)
        };
        let is_slow = |speeds: &[f32; MAX]| speeds.iter().take(motors).all(|speed| *speed == 0.0);
        command.ref_pos.as_ref().is_some_and(is_near) && command.ref_vel.as_ref().is_none_or(is_slow)
    }

    /// Ends a halt while the vehicle is clear: a person's reset.
    pub(super) fn reset_motors(&mut self) -> Result<(), String> {
        if is_stale(&self.clock) {
            let waited = self.clock.waited();
            return Err(format!(
                "the reset may have waited for {waited:?} while the node was held; nothing changed, request it again"
            ));
        }
        self.change_vehicle(|now, vehicle| vehicle.reset(now));
        let halted = |halt: VehicleHalt| Err(format!("the hand stays halted: {halt}{}", halt.clause()));
        self.halt().map_or(Ok(()), halted)
    }

    /// Notes that the thread that reads the commands begins to read.
    pub(super) fn vehicle_read_again(&mut self) {
        self.halts.read = Some(self.clock.now());
    }

    /// When the vehicle's state is lost if nothing is received until then.
    pub(super) fn vehicle_deadline(&self) -> Option<Instant> {
        let vehicle = self.halts.vehicle.as_ref().filter(|_| !self.is_stopping)?;
        vehicle.deadline()
    }

    fn warn_of_halt(&mut self, what: &str) {
        if let Some(halt) = self.halt() {
            self.outputs.push_back(Output::Warn(format!("{what}: {halt}{}", halt.clause())));
        }
    }
}
