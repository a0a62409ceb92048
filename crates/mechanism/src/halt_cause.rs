use safety::{HaltEnds, Instant, Level, MessageTime, PublisherId, VehicleHalt, VehicleMonitor};

/// Why the motors are halted, the least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HaltCause {
    /// A halt was requested. A reset clears it.
    Requested,
    /// The control loop hangs in a step. The next report of it clears it.
    LoopSilent,
    /// The states of the robot elsewhere were lost, or one of its topics had a second publisher. A reset clears it once that has
    /// ended.
    RobotLost,
    /// The state of the vehicle forbids to move.
    Vehicle(VehicleHalt),
    /// The node's life cycle is in another state than active. Its activation clears it, and leaves a halt that waits for a reset.
    Inactive,
}

/// The causes that hold.
#[derive(Clone, Debug)]
pub(crate) struct HaltCauses {
    /// In any order; the vehicle's are its monitor's to say.
    held: Vec<HaltCause>,
    /// `None` if the motors obey no vehicle.
    vehicle: Option<VehicleMonitor>,
}

impl HaltCauses {
    /// None, but that of a vehicle's state that is awaited.
    pub(crate) fn new(obeys_vehicle: bool) -> Self {
        Self { held: Vec::new(), vehicle: obeys_vehicle.then(VehicleMonitor::new) }
    }

    /// The most severe one.
    pub(crate) fn worst(&self) -> Option<HaltCause> {
        let vehicle = self.vehicle.as_ref().and_then(VehicleMonitor::halt).map(HaltCause::Vehicle);
        self.held.iter().copied().chain(vehicle).max()
    }

    /// The most severe one in words, and how it ends if not by itself. `obstacle` is why the states of the robot elsewhere do not
    /// count.
    pub(crate) fn text(&self, obstacle: Option<String>) -> Option<String> {
        let Some(worst) = self.worst() else { return obstacle };
        let (ends, text) = match worst {
            HaltCause::Requested => (HaltEnds::ByReset, "a halt was requested".to_owned()),
            HaltCause::LoopSilent => (HaltEnds::Alone, "the control loop hangs in a step".to_owned()),
            HaltCause::RobotLost => match obstacle {
                Some(obstacle) => (HaltEnds::ByResetLater, obstacle),
                None => (HaltEnds::ByReset, "the robot was lost".to_owned()),
            },
            HaltCause::Vehicle(halt) => (halt.ends(), halt.to_string()),
            HaltCause::Inactive => (HaltEnds::ByResetLater, "the node is not active".to_owned()),
        };
        Some(text + ends.clause())
    }

    /// The level of `/diagnostics` with the most severe one: a halt that was requested is not an error.
    pub(crate) fn level(&self) -> Level {
        match self.worst() {
            Some(HaltCause::Requested | HaltCause::Inactive) => Level::Warn,
            Some(HaltCause::Vehicle(halt)) => halt.level(),
            Some(HaltCause::LoopSilent | HaltCause::RobotLost) | None => Level::Error,
        }
    }

    /// Whether `cause` holds, which is not a vehicle's.
    pub(crate) fn holds(&self, cause: HaltCause) -> bool {
        self.held.contains(&cause)
    }

    /// Sets whether a cause holds, which is not a vehicle's.
    pub(crate) fn set(&mut self, cause: HaltCause, holds: bool) {
        self.held.retain(|held| *held != cause);
        self.held.extend(holds.then_some(cause));
    }

    /// A reset of the motors was requested at `now`, while the robot elsewhere is still lost or not.
    pub(crate) fn reset(&mut self, now: Instant, is_robot_lost: bool) {
        self.held.retain(|cause| match cause {
            HaltCause::Requested => false,
            HaltCause::RobotLost => is_robot_lost,
            HaltCause::LoopSilent | HaltCause::Vehicle(_) | HaltCause::Inactive => true,
        });
        if let Some(vehicle) = &mut self.vehicle {
            vehicle.reset(now);
        }
    }

    /// The vehicle's state was received.
    pub(crate) fn state_received(&mut self, now: Instant, time: MessageTime, state: &str) {
        if let Some(vehicle) = &mut self.vehicle {
            vehicle.receive(now, time, state);
        }
    }

    /// The publishers of the vehicle's state were read; `None` if they cannot be.
    pub(crate) fn publishers_counted(&mut self, now: Instant, publishers: Option<&[PublisherId]>) {
        if let Some(vehicle) = &mut self.vehicle {
            vehicle.count(now, publishers);
        }
    }

    /// When the vehicle's state is lost.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.vehicle.as_ref().and_then(VehicleMonitor::deadline)
    }

    /// Notices at `now` that the vehicle's state is lost.
    pub(crate) fn expire(&mut self, now: Instant) {
        if let Some(vehicle) = &mut self.vehicle {
            vehicle.expire(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    const VEHICLE: &[PublisherId] = &[PublisherId([1; 24])];

    /// Causes with a vehicle that publishes `state` at `now`, and did so before.
    fn with_vehicle(causes: &mut HaltCauses, now: u64, state: &str) {
        for at in [now - 500, now] {
            let now = Instant::from_millis(at);
            causes.publishers_counted(now, Some(VEHICLE));
            causes.publishers_counted(now, Some(VEHICLE));
            causes.state_received(now, MessageTime::new(now, Duration::ZERO), state);
        }
    }

    #[test]
    fn the_most_severe_cause_is_named_until_it_is_cleared() {
        let mut causes = HaltCauses::new(true);
        let order = [HaltCause::Requested, HaltCause::LoopSilent, HaltCause::RobotLost];
        order.iter().for_each(|cause| causes.set(*cause, true));
        assert_eq!(causes.worst(), Some(HaltCause::Vehicle(VehicleHalt::Awaited)));
        with_vehicle(&mut causes, 1000, "OK");
        for cause in order.into_iter().rev() {
            assert_eq!(causes.worst(), Some(cause));
            causes.set(cause, false);
        }
        assert_eq!(causes.worst(), None);
    }

    #[test]
    fn a_reset_clears_a_request_and_a_loss_that_has_ended() {
        let mut causes = HaltCauses::new(false);
        for cause in [HaltCause::Requested, HaltCause::RobotLost, HaltCause::LoopSilent] {
            causes.set(cause, true);
        }
        causes.reset(Instant::ZERO, true);
        assert_eq!(causes.held, [HaltCause::RobotLost, HaltCause::LoopSilent]);
        causes.reset(Instant::ZERO, false);
        assert_eq!(causes.held, [HaltCause::LoopSilent]);
    }

    #[test]
    fn a_state_that_was_lost_needs_a_reset_once_that_is_over() {
        let mut causes = HaltCauses::new(true);
        let text = |causes: &HaltCauses| causes.text(None).unwrap_or_default();
        assert_eq!(text(&causes), "the vehicle's state is awaited");
        with_vehicle(&mut causes, 1000, "OK");
        assert_eq!(causes.worst(), None, "the first one needs none");
        causes.expire(Instant::from_millis(2500));
        assert_eq!(text(&causes), "the vehicle's state is lost; reset_motors ends it once that is over");
        causes.reset(Instant::from_millis(2500), false);
        assert_eq!(text(&causes), "the vehicle's state is lost; reset_motors ends it once that is over");
        with_vehicle(&mut causes, 4000, "OK");
        assert_eq!(text(&causes), "the vehicle's state was lost; reset_motors ends it");
        causes.reset(Instant::from_millis(4000), false);
        assert_eq!(causes.worst(), None);
    }
}
