use safety::{Freshness, HEARTBEAT, MessageTime, Stamp};

use crate::{Applied, Channel, Joystick, Output, Reason, Stick, ZoneScaler};

/// The stick in force and its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JoystickSetpoint {
    stick: Stick,
    source: i32,
    pub received: MessageTime,
}

/// The channel of LUCI's stick: the result is only reported, and nothing is commanded.
impl ZoneScaler {
    pub(crate) fn receive_joystick(&mut self, joystick: &Joystick) {
        self.counters.joysticks += 1;
        if self.is_stopping() {
            return;
        }
        // The message has no stamp: after a suspension of the process its maximum age is assumed.
        let judged = Freshness::default().judge(&self.clock, Stamp::ZERO, self.params.command_timeout);
        let Ok(received) = judged else { return };
        let (stick, outside) = joystick.stick();
        self.counters.cut_fields += u64::from(outside);
        let zone = self.params.boundaries.classify(stick);
        self.counters.other_zones += u64::from(joystick.joystick_zone != zone.number());
        self.counters.unknown_sources += u64::from(joystick.source().is_none());
        let source = joystick.source().unwrap_or(self.params.input_source);
        self.joystick_setpoint = Some(JoystickSetpoint { stick, source, received });
        (self.joystick.next_zero, self.joystick.is_new) = (None, true);
    }

    pub(crate) fn expire_joystick(&mut self) {
        let Some(joystick_setpoint) = self.joystick_setpoint else { return };
        if joystick_setpoint.received.is_expired(self.clock.now(), self.params.command_timeout) {
            self.counters.lost_joysticks += 1;
            self.lose_joystick(Reason::CommandStale);
        }
    }

    pub(crate) fn update_joystick(&mut self) {
        let Some(JoystickSetpoint { stick, source, .. }) = self.joystick_setpoint else { return };
        let (_, applied) = self.joystick.judge(&self.params, &self.sensed, stick, source);
        if self.joystick.is_new || applied != self.joystick.applied {
            self.publish_joystick(applied);
        }
    }

    pub(crate) fn lose_joystick(&mut self, reason: Reason) {
        self.joystick_setpoint = None;
        self.joystick.lose(reason);
        self.stop_joystick();
    }

    pub(crate) fn stop_joystick(&mut self) {
        self.joystick.next_zero = (!self.is_stopping()).then(|| self.clock.now() + HEARTBEAT);
        let source = self.joystick.applied.input_source;
        self.publish_joystick(Applied::stop(self.joystick.absent, Channel::Joystick, source));
    }

    fn publish_joystick(&mut self, applied: Applied) {
        self.joystick.record(self.clock.now(), applied);
        self.push(Output::PublishApplied(applied));
    }
}
