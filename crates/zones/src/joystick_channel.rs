use crate::{Applied, Channel, Joystick, Output, Reason, Stick, ZoneScaler};

/// The stick in force and its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stirred {
    stick: Stick,
    source: i32,
}

/// The stick of LUCI: what would be left of it is told, and nothing is commanded.
impl ZoneScaler {
    pub(crate) fn receive_joystick(&mut self, joystick: &Joystick) {
        self.counters.joysticks += 1;
        if self.is_stopping() {
            return;
        }
        let (stick, outside) = joystick.stick();
        self.counters.cut_fields += u64::from(outside);
        let zone = self.params.boundaries.classify(stick);
        self.counters.other_zones += u64::from(joystick.joystick_zone != zone.number());
        self.counters.unknown_sources += u64::from(joystick.source().is_none());
        let copied = joystick.source().filter(|_| self.params.copy_input_source);
        let stirred = Stirred { stick, source: copied.unwrap_or(self.params.input_source) };
        self.joystick.take(self.now, stirred);
        let applied = self.judge_joystick(stirred);
        self.tell_joystick(applied);
    }

    pub(crate) fn settle_joystick(&mut self) {
        let Some((stirred, _)) = self.joystick.in_force else { return };
        if self.joystick.is_old(self.now, self.params.command_timeout) {
            self.counters.lost_joysticks += 1;
            self.joystick.lose(Reason::CommandStale);
            self.stop_joystick();
            return;
        }
        let applied = self.judge_joystick(stirred);
        if applied != self.joystick.applied {
            self.tell_joystick(applied);
        }
    }

    fn judge_joystick(&mut self, Stirred { stick, source }: Stirred) -> Applied {
        self.joystick.judge(&self.params, &self.sensed, stick, source).1
    }

    pub(crate) fn stop_joystick(&mut self) {
        self.joystick.next_zero = (!self.is_stopping()).then(|| self.now + self.params.heartbeat);
        let source = self.joystick.applied.input_source;
        self.tell_joystick(Applied::stop(self.joystick.absent, Channel::Joystick, source));
    }

    fn tell_joystick(&mut self, applied: Applied) {
        self.joystick.tell(self.now, applied);
        self.push(Output::PublishApplied(applied));
    }
}
