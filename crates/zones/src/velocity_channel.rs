use units::{Command, Velocity};

use crate::{Applied, Channel, Output, Reason, Stick, ZoneScaler};

/// The velocity: what is left of it is commanded on.
impl ZoneScaler {
    pub(crate) fn receive_command(&mut self, command: Command) {
        self.counters.commands += 1;
        if self.is_stopping() {
            return;
        }
        let mut at = self.now;
        // A stop is never late.
        if let Some((last, last_at)) = self.velocity.in_force
            && !command.stamp.is_zero()
            && command.velocity != Velocity::ZERO
        {
            if command.stamp < last.stamp {
                self.counters.late_commands += 1;
                return;
            }
            if command.stamp == last.stamp {
                at = last_at; // the same stick event once more, no younger for that
            }
        }
        let ([x, y, z], [roll, pitch, turn]) = (command.velocity.linear(), command.velocity.angular());
        self.counters.dropped_parts += u64::from([y, z, roll, pitch].iter().any(|&part| part != 0.0));
        let full = self.params.full_throw;
        self.counters.cut += u64::from(x.abs() > full.linear || turn.abs() > full.angular);
        self.velocity.take(at, command);
        let (command, applied) = self.judge_command(command);
        self.drive(command, applied);
    }

    /// Lets time and what is known of the zones act on the command in force.
    pub(crate) fn settle_command(&mut self) {
        let Some((command, _)) = self.velocity.in_force else { return };
        if self.velocity.is_old(self.now, self.params.command_timeout) {
            self.counters.lost_commands += 1;
            self.lose_command(Reason::CommandStale);
            return;
        }
        let (left, applied) = self.judge_command(command);
        if left.velocity != self.driven && self.is_commanding() {
            self.drive(left, applied);
        } else if applied != self.velocity.applied {
            self.velocity.tell(self.now, applied);
            self.push(Output::PublishApplied(applied));
        }
    }

    fn judge_command(&mut self, command: Command) -> (Command, Applied) {
        let full_throw = self.params.full_throw;
        let input = Stick::asking_for(&command.velocity, full_throw);
        let source = self.params.input_source;
        let (output, applied) = self.velocity.judge(&self.params, &self.sensed, input, source);
        (Command { velocity: full_throw.left_of(&command.velocity, input, output), ..command }, applied)
    }

    /// No command is in force from now on, for `reason`.
    pub(crate) fn lose_command(&mut self, reason: Reason) {
        self.velocity.lose(reason);
        self.stop_command();
    }

    pub(crate) fn stop_command(&mut self) {
        self.velocity.next_zero = (!self.is_stopping()).then(|| self.now + self.params.heartbeat);
        let applied = Applied::stop(self.velocity.absent, Channel::Velocity, self.params.input_source);
        self.drive(Command::STOP, applied);
    }

    fn drive(&mut self, command: Command, applied: Applied) {
        if self.is_commanding() {
            self.driven = command.velocity;
            self.push(Output::Drive(command));
        }
        self.velocity.tell(self.now, applied);
        self.push(Output::PublishApplied(applied));
    }
}
