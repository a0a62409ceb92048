use safety::{
    Command, FullSpeed, HEARTBEAT, MAX_PLAUSIBLE, NEUTRAL_ANGULAR, NEUTRAL_LINEAR, Received, Stale, Velocity,
};

use crate::scaler::Invalid;
use crate::stick::StickMapping;
use crate::{Applied, Channel, Operation, Output, Reason, ZoneScaler};

/// The velocity channel: the scaled velocity is commanded.
impl ZoneScaler {
    pub(crate) fn receive_command(&mut self, command: Command) {
        if self.is_stopping() {
            self.counters.commands += 1;
            return;
        }
        let mapping = StickMapping::of(&self.params, self.profile.number());
        if let Some(Err(mistake)) = mapping.map(|mapping| command.velocity.check_plausible(mapping.full())) {
            return self.refuse_command(Invalid::Implausible(mistake));
        }
        if let Err(invalid) = self.check_other_parts(&command.velocity) {
            return self.refuse_command(invalid);
        }
        self.counters.commands += 1;
        match self.commands.receive(&self.clock, command, self.params.command_timeout) {
            Received::InForce => {
                self.stale = None;
                self.begin(&command);
            }
            Received::WaitsForZero => {
                self.counters.held_commands += 1;
                self.stale = None;
                if self.velocity.absent != Reason::WaitsForZero {
                    self.velocity.lose(Reason::WaitsForZero);
                }
            }
            Received::Stopped(stale) => {
                self.count(stale);
                // A repeated message while nothing is in force must not become a flood of zeros.
                if self.velocity.next_zero.is_none() {
                    self.lose_command(Reason::CommandStale);
                }
            }
            Received::Refused(stale) => self.count(stale),
        }
    }

    /// Checks the parts that no zone judges.
    fn check_other_parts(&self, velocity: &Velocity) -> Result<(), Invalid> {
        if self.carries_all_parts() {
            let FullSpeed { linear, angular } = self.params.full_speed;
            let beyond = velocity.check_other_parts(MAX_PLAUSIBLE * linear, MAX_PLAUSIBLE * angular);
            return beyond.map_err(Invalid::Implausible);
        }
        velocity.check_other_parts(NEUTRAL_LINEAR, NEUTRAL_ANGULAR).map_err(Invalid::Unjudged)
    }

    /// Whether commands keep their parts other than forward and turn: they are not judged, and the vehicle is no chair.
    fn carries_all_parts(&self) -> bool {
        self.params.operation == Operation::Passthrough && self.params.profiles.is_empty()
    }

    /// `velocity` within full throw, if it has parts that are carried along: its stick is judged after that.
    fn carried(&self, velocity: &Velocity) -> Option<Velocity> {
        let FullSpeed { linear, angular } = self.params.full_speed;
        let is_carried = self.carries_all_parts() && velocity.has_other_parts();
        is_carried.then(|| velocity.shortened_to(linear, angular))
    }

    fn count(&mut self, stale: Stale) {
        self.stale = Some(stale);
        match stale {
            Stale::Late => self.counters.late_commands += 1,
            Stale::Old { .. } | Stale::Repeated { .. } | Stale::NoTime => self.counters.old_commands += 1,
            Stale::Ahead { .. } => self.counters.future_commands += 1,
        }
    }

    /// Puts the command in force; the result is published after all inputs of this call.
    fn begin(&mut self, command: &Command) {
        let carried = self.carried(&command.velocity);
        let is_dropped = carried.is_none() && command.velocity.has_other_parts();
        self.counters.dropped_parts += u64::from(is_dropped);
        let mapping = StickMapping::of(&self.params, self.profile.number());
        let is_cut = match carried {
            Some(carried) => carried != command.velocity,
            None => mapping.is_some_and(|mapping| mapping.stick(&command.velocity).1),
        };
        self.counters.cut += u64::from(is_cut);
        (self.velocity.next_zero, self.velocity.is_new) = (None, true);
    }

    /// Why no command may cause motion.
    fn hold(&self) -> Option<Reason> {
        let commanding = self.is_commanding();
        self.fault().filter(|&reason| commanding || !reason.is_of_scaling())
    }

    /// The current fault, with or without a command.
    pub(crate) fn fault(&self) -> Option<Reason> {
        let scaling = Some(self.sensed.reason())
            .filter(|&reason| reason.is_of_scaling() && self.params.operation != Operation::Passthrough);
        let conflict = self.publishers.are_several().then_some(Reason::CommandConflict);
        let profile =
            StickMapping::of(&self.params, self.profile.number()).is_none().then_some(Reason::ProfileUnknown);
        let inactive = (!self.is_active).then_some(Reason::Inactive);
        scaling.max(conflict).max(profile).max(inactive)
    }

    /// Loses a command with motion if none may move, and returns whether it did. A zero stays in force: it requests
    /// no motion, and the next command may move.
    fn lose_motion(&mut self) -> bool {
        let moves = self.commands.command().is_some_and(|command| command.asks_for_motion());
        let is_lost = moves && self.hold().is_some();
        if is_lost {
            self.wait_for_zero();
        }
        is_lost
    }

    /// Loses a command whose result is zero while a factor is not a number, and returns whether it did: the direction
    /// may be unobserved, and the motion must not resume by itself when it is observed again.
    fn lose_unseen(&mut self, command: Command, left: Command) -> bool {
        let uses_factors = self.is_commanding() && self.params.operation != Operation::Passthrough;
        let is_unseen = self.invalid_factors && command.asks_for_motion() && left.velocity.is_neutral();
        let is_lost = is_unseen && uses_factors;
        if is_lost {
            self.wait_for_zero();
        }
        is_lost
    }

    /// The command in force is lost, and its publisher has to send a zero.
    fn wait_for_zero(&mut self) {
        self.commands.lose();
        self.lose_command(Reason::WaitsForZero);
    }

    /// Expires the command in force.
    pub(crate) fn expire_command(&mut self) {
        if !self.is_stopping() && self.commands.expire(self.clock.now(), self.params.command_timeout) {
            self.counters.lost_commands += 1;
            self.lose_command(Reason::CommandStale);
        }
    }

    /// Applies the current zones to the command in force.
    pub(crate) fn update_command(&mut self) {
        if self.is_stopping() || self.lose_motion() {
            return;
        }
        let Some(command) = self.commands.command() else {
            let applied = self.standing_still();
            if applied != self.velocity.applied {
                self.publish_command(applied);
            }
            return;
        };
        let (left, applied) = self.judge_command(command);
        if self.lose_unseen(command, left) {
            return;
        }
        let is_new = self.velocity.is_new;
        if is_new || (left.velocity != self.driven && self.is_commanding()) {
            self.drive(left, applied);
        } else if applied != self.velocity.applied {
            self.publish_command(applied);
        }
    }

    fn judge_command(&mut self, command: Command) -> (Command, Applied) {
        let fault = self.fault();
        let source = self.params.published.input_source;
        // Without a profile only a zero is in force, which is a centred stick in any profile.
        let Some(mapping) = StickMapping::of(&self.params, self.profile.number()) else {
            return (command.reduced_to(Velocity::ZERO), self.standing_still());
        };
        let carried = self.carried(&command.velocity);
        let input = mapping.stick(&carried.unwrap_or(command.velocity)).0;
        let (output, mut applied) = self.velocity.judge(&self.params, &self.sensed, input, source);
        applied.reason = fault.map_or(applied.reason, |fault| fault.max(applied.reason));
        let left = carried.unwrap_or_else(|| mapping.scaled_velocity(&command.velocity, input, output));
        (command.reduced_to(left), applied)
    }

    /// The result while no command is in force.
    pub(crate) fn standing_still(&self) -> Applied {
        let absent = self.velocity.absent;
        let reason = self.fault().map_or(absent, |fault| fault.max(absent));
        Applied::stop(reason, Channel::Velocity, self.params.published.input_source)
    }

    /// Loses the command in force for `reason`.
    pub(crate) fn lose_command(&mut self, reason: Reason) {
        self.velocity.lose(reason);
        self.stop_command();
    }

    pub(crate) fn stop_command(&mut self) {
        self.velocity.next_zero = (!self.is_stopping()).then(|| self.clock.now() + HEARTBEAT);
        self.drive(self.own_zero(), self.standing_still());
    }

    /// A zero of this node itself: it withholds requested motion.
    pub(crate) fn own_zero(&self) -> Command {
        Command { withheld: self.commands.asks_for_motion(), ..Command::STOP }
    }

    fn drive(&mut self, command: Command, applied: Applied) {
        if self.is_commanding() {
            self.driven = command.velocity;
            self.push(Output::Drive(command));
        }
        self.publish_command(applied);
    }

    fn publish_command(&mut self, applied: Applied) {
        self.velocity.record(self.clock.now(), applied);
        self.push(Output::PublishApplied(applied));
    }
}
