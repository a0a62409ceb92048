use core::time::Duration;

use safety::freshness::STALE;
use safety::{Begins, Instant, MessageTime, StreamGate};

use crate::Robot;
use crate::controllers::{
    Change, ControllerFailure, ControllerId, ControllerList, ControllerSlot, Message, Report, Step,
    SwitchEntry,
};

/// The robot and its controllers, stepped together.
///
/// One step, in this order:
///
/// 1. A waiting [`Change::Add`] or [`Change::Remove`] takes effect.
/// 2. The joints' state is computed from the actuators', with the joints' statistics.
/// 3. All commands become zero.
/// 4. If a halt of the motors has ended since the previous step, every running controller is stopped and started, and streams of
///    commands have to begin with rest.
/// 5. Every running controller is updated, in the order of the schedule.
/// 6. The safety limits are enforced.
/// 7. The actuators' efforts are computed from the joints'.
/// 8. A waiting [`Change::Switch`] takes effect: the next step is the first with the new set.
///
/// While a motor is halted, controllers are updated as always, and no motor gets an effort.
/// # Real-time
/// A step allocates nothing, takes no lock and calls nothing but the controllers and `clock`.
/// # Source
/// `pr2_controller_manager` 1.8.21, `ControllerManager::update`; own: no effort while a motor is halted; a controller that fails, or commands a joint that follows another,
/// is stopped alone, and a strict
/// switch in which a controller cannot start changes nothing.
#[derive(Debug)]
pub struct ControlLoop {
    /// The hardware sets the actuators' state before a step, and reads their commands after it.
    pub robot: Robot,
    list: ControllerList,
    was_halted: bool,
    /// The commands before the update of one controller.
    before: Vec<f64>,
    /// The joints that follow others.
    followers: Vec<usize>,
}

/// Why a controller fails whose effort would reach no actuator.
const FOLLOWS: ControllerFailure = ControllerFailure("it commands a joint that follows another one");

impl ControlLoop {
    /// The loop of `robot`, without controllers.
    pub fn new(robot: Robot) -> Self {
        let was_halted = robot.is_halted();
        let (before, followers) = (vec![0.0; robot.joints().len()], robot.followers());
        Self { robot, list: ControllerList::default(), was_halted, before, followers }
    }

    /// The loaded controllers, in the order of loading.
    pub fn controllers(&self) -> impl Iterator<Item = &ControllerSlot> {
        self.list.slots.iter().map(|slot| &**slot)
    }

    /// The controllers that stopped by themselves and were not reported, `most` at once: each index in the order of loading,
    /// and why.
    pub fn take_failures(&mut self, most: usize, mut report: impl FnMut(usize, ControllerFailure)) {
        let failed = self.list.slots.iter_mut().enumerate().filter(|(_, slot)| slot.failure.is_some());
        for (index, slot) in failed.take(most) {
            if let Some(failure) = slot.failure.take() {
                report(index, failure);
            }
        }
    }

    /// Takes what the running controllers report, `most` at once: the controller, the index of its output, and the report. The rest
    /// stays with its controller.
    pub fn take_reports(&mut self, most: usize, mut take: impl FnMut(ControllerId, usize, Report)) {
        let mut left = most;
        for slot in self.list.slots.iter_mut().filter(|slot| slot.is_running) {
            for (input, gate) in slot.controller.inputs().iter().zip(&mut slot.gates) {
                if left > 0
                    && let Some(waits) = gate.news()
                {
                    take(slot.id, 0, Report::StreamWaits { input: input.name, waits });
                    left -= 1;
                }
            }
            while left > 0 {
                let Some((output, report)) = slot.controller.report() else { break };
                take(slot.id, output, report);
                left -= 1;
            }
        }
    }

    /// Passes a message of this `time` to the input `input` of a controller, before the step at `now`. A number is that old, and a
    /// trajectory begins now. In place of one that is [`STALE`] the controller receives a [`Message::Stop`]: it may not move anything any
    /// more, and what it was to replace does not go on either. A goal is received and stopped, so its client learns how it ended. A
    /// message for a controller or an input that does not exist is ignored.
    ///
    /// **After a halt of the motors a stream is not passed on** until it [asks for rest](crate::controllers::Controller::is_rest), whatever
    /// controller it is for ([`StreamGate`]). A goal is an act of its own, after a pause, and for itself alone; one within a stream is stopped.
    /// So it is while an input has several publishers, which begins with a stop, and afterwards.
    pub fn deliver(
        &mut self,
        controller: ControllerId,
        input: usize,
        message: &mut Message,
        time: MessageTime,
        now: Instant,
    ) {
        let received = if matches!(message, Message::Float(_)) { time.begin() } else { now };
        let slot = self.list.slots.iter_mut().find(|slot| slot.id == controller);
        if let Some(slot) = slot.filter(|slot| input < slot.controller.inputs().len()) {
            let Some(gate) = slot.gates.get_mut(input) else { return };
            if let Message::Counted(publishers) = *message {
                if gate.count(publishers) {
                    slot.controller.receive(input, &mut Message::Stop, now);
                }
                return;
            }
            let (controller, robot) = (&slot.controller, &self.robot);
            let begins = |is_stream: bool| match message.goal().is_some() && !is_stream {
                true => Begins::Once,
                false => Begins::with(controller.is_rest(input, message, robot)),
            };
            let waits = match message {
                Message::Cancel(_) => false,
                Message::Stop => {
                    gate.note(time.begin(), now);
                    false
                }
                _ => !gate.passes(time.begin(), now, begins),
            };
            if waits && message.goal().is_none() {
                return;
            }
            let is_stale = waits || time.is_expired(now, STALE);
            if !is_stale || matches!(message, Message::Trajectory(_)) {
                slot.controller.receive(input, message, received);
            }
            if is_stale {
                slot.controller.receive(input, &mut Message::Stop, now);
            }
        }
    }

    /// Makes one step at `now`, `period` after the previous one, and the `change` that waits, if any.
    ///
    /// `clock` returns the time within the step, with which the controllers' updates are measured.
    pub fn step(
        &mut self,
        now: Instant,
        period: Duration,
        mut clock: impl FnMut() -> Instant,
        mut change: Option<&mut Change>,
    ) {
        if let Some(change) = change.as_deref_mut() {
            self.change_list(change, now, period);
        }
        self.robot.read_actuators();
        self.robot.zero_commands();
        let is_halted = self.robot.is_halted();
        if self.was_halted && !is_halted {
            self.restart(now, period);
        }
        self.was_halted = is_halted;
        self.update(now, period, &mut clock);
        self.robot.enforce_limits();
        if is_halted {
            // The motors come back one after the other, before the controllers are restarted.
            self.robot.zero_commands();
        }
        self.robot.write_actuators();
        if let Some(Change::Switch { stop, start, is_strict }) = change {
            self.switch(now, period, stop, start, *is_strict);
        }
    }

    /// Sets every effort to zero and disables the actuators, for the last command of all.
    pub fn stop(&mut self) {
        self.robot.zero_commands();
        for actuator in self.robot.actuators_mut() {
            actuator.command = crate::robot::ActuatorCommand::default();
        }
    }

    fn change_list(&mut self, change: &mut Change, now: Instant, period: Duration) {
        let (list, slot, removed) = match change {
            Change::Add { slot, list } => (list, slot.take(), None),
            Change::Remove { index, list } => (list, None, Some(*index)),
            Change::Switch { .. } => return,
        };
        core::mem::swap(&mut self.list, list);
        // `list` is the old one now: its slots move over, but the removed one, and no vector grows.
        let mut removed =
            removed.filter(|&index| index < list.slots.len()).map(|index| list.slots.remove(index));
        if let Some(slot) = removed.as_mut().filter(|slot| slot.is_running) {
            // The manager removes only what is stopped; a controller never goes without its end.
            slot.controller.stopping(&mut Step { now, period, robot: &mut self.robot });
            slot.is_running = false;
        }
        self.list.slots.append(&mut list.slots);
        self.list.slots.extend(slot);
        list.slots.extend(removed);
    }

    fn restart(&mut self, now: Instant, period: Duration) {
        let ControllerList { slots, schedule } = &mut self.list;
        slots.iter_mut().flat_map(|slot| &mut slot.gates).for_each(StreamGate::release);
        for &index in &*schedule {
            let Some(slot) = slots.get_mut(index).filter(|slot| slot.is_running) else { continue };
            let mut step = Step { now, period, robot: &mut self.robot };
            slot.stop(&mut step);
            slot.failure = slot.obstacle(step.robot);
            if slot.failure.is_none() {
                slot.start(&mut step);
            }
        }
    }

    fn update(&mut self, now: Instant, period: Duration, clock: &mut impl FnMut() -> Instant) {
        let ControllerList { slots, schedule } = &mut self.list;
        let efforts = self.robot.joints().iter().map(|joint| joint.commanded_effort);
        self.before.iter_mut().zip(efforts).for_each(|(before, effort)| *before = effort);
        let mut begin = clock();
        for &index in &*schedule {
            let Some(slot) = slots.get_mut(index) else { continue };
            if slot.is_running {
                let mut step = Step { now, period, robot: &mut self.robot };
                let result = slot.controller.update(&mut step);
                let joints = step.robot.joints();
                let mut followers = self.followers.iter().filter_map(|&joint| joints.get(joint));
                let commands_follower = followers.any(|joint| joint.commanded_effort != 0.0);
                let result = if commands_follower { result.and(Err(FOLLOWS)) } else { result };
                if let Err(failure) = result {
                    slot.stop(&mut step);
                    slot.failure = Some(failure);
                    let joints = self.robot.joints_mut().iter_mut();
                    joints.zip(&self.before).for_each(|(joint, before)| joint.commanded_effort = *before);
                } else {
                    let invalid = accept(&mut self.before, &mut self.robot);
                    slot.invalid_commands = slot.invalid_commands.saturating_add(invalid);
                }
                let end = clock();
                slot.timing.add(end.since(begin), end);
                begin = end;
            } else {
                slot.timing.add(Duration::ZERO, begin);
            }
        }
    }

    /// Stops and starts, and notes in each entry what became of it.
    fn switch(
        &mut self,
        now: Instant,
        period: Duration,
        stop: &mut [SwitchEntry],
        start: &mut [SwitchEntry],
        is_strict: bool,
    ) {
        let slots = &mut self.list.slots;
        let mut step = Step { now, period, robot: &mut self.robot };
        if is_strict {
            for entry in start.iter_mut() {
                entry.failure = slots.get(entry.index).and_then(|slot| slot.obstacle(step.robot));
            }
        }
        if start.iter().all(|entry| entry.failure.is_none()) {
            for entry in &*stop {
                if let Some(slot) = slots.get_mut(entry.index) {
                    slot.stop(&mut step);
                }
            }
            for entry in start.iter_mut() {
                let Some(slot) = slots.get_mut(entry.index) else { continue };
                if !is_strict {
                    entry.failure = slot.obstacle(step.robot);
                }
                if entry.failure.is_none() {
                    slot.gates.iter_mut().for_each(StreamGate::open);
                    slot.start(&mut step);
                }
            }
        }
        for entry in stop.iter_mut().chain(start.iter_mut()) {
            entry.is_running = slots.get(entry.index).is_some_and(|slot| slot.is_running);
        }
    }
}

/// Replaces commands that are not finite by zero and returns how many there were; afterwards `before` has all commands.
///
/// Each joint is read once, since this is done for every controller.
fn accept(before: &mut [f64], robot: &mut Robot) -> u64 {
    let mut are_finite = true;
    for (before, joint) in before.iter_mut().zip(robot.joints()) {
        *before = joint.commanded_effort;
        are_finite &= before.is_finite();
    }
    if are_finite {
        return 0;
    }
    let mut invalid = 0;
    for (before, joint) in before.iter_mut().zip(robot.joints_mut()) {
        invalid += u64::from(joint.drop_invalid_command());
        *before = joint.commanded_effort;
    }
    invalid
}
