use units::{Freshness, HEARTBEAT, MessageTime, Stamp};

use crate::{Applied, Channel, Joystick, Output, Reason, Stick, ZoneScaler};

/// The stick in force and its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stirred {
    stick: Stick,
    source: i32,
    pub said: MessageTime,
}

/// The stick of LUCI: what would be left of it is told, and nothing is commanded.
impl ZoneScaler {
    pub(crate) fn receive_joystick(&mut self, joystick: &Joystick) {
        self.counters.joysticks += 1;
        if self.is_stopping() {
            return;
        }
        // The message has no stamp: it is as old as it may be after a pause of the process.
        let judged = Freshness::default().judge(&self.clock, Stamp::ZERO, self.params.command_timeout);
        let Ok(said) = judged else { return };
        let (stick, outside) = joystick.stick();
        self.counters.cut_fields += u64::from(outside);
        let zone = self.params.boundaries.classify(stick);
        self.counters.other_zones += u64::from(joystick.joystick_zone != zone.number());
        self.counters.unknown_sources += u64::from(joystick.source().is_none());
        let source = joystick.source().unwrap_or(self.params.input_source);
        self.stirred = Some(Stirred { stick, source, said });
        (self.joystick.next_zero, self.joystick.is_new) = (None, true);
    }

    pub(crate) fn expire_joystick(&mut self) {
        let Some(stirred) = self.stirred else { return };
        if stirred.said.is_expired(self.clock.now(), self.params.command_timeout) {
            self.counters.lost_joysticks += 1;
            self.lose_joystick(Reason::CommandStale);
        }
    }

    pub(crate) fn settle_joystick(&mut self) {
        let Some(Stirred { stick, source, .. }) = self.stirred else { return };
        let (_, applied) = self.joystick.judge(&self.params, &self.sensed, stick, source);
        if self.joystick.is_new || applied != self.joystick.applied {
            self.tell_joystick(applied);
        }
    }

    pub(crate) fn lose_joystick(&mut self, reason: Reason) {
        self.stirred = None;
        self.joystick.lose(reason);
        self.stop_joystick();
    }

    pub(crate) fn stop_joystick(&mut self) {
        self.joystick.next_zero = (!self.is_stopping()).then(|| self.clock.now() + HEARTBEAT);
        let source = self.joystick.applied.input_source;
        self.tell_joystick(Applied::stop(self.joystick.absent, Channel::Joystick, source));
    }

    fn tell_joystick(&mut self, applied: Applied) {
        self.joystick.tell(self.clock.now(), applied);
        self.push(Output::PublishApplied(applied));
    }
}
