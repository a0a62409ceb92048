use safety::{Freshness, HEARTBEAT, MessageTime, Stamp};

use crate::{Applied, Channel, Output, Reason, Stick, ZoneScaler};

/// A `LuciJoystick` as received, with any numbers in its fields.
/// # Source
/// LUCI `luci_messages` 2.0.0, `LuciJoystick`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joystick {
    /// Forward positive, -100 to 100 \[percent\]; values outside are cut and counted.
    pub forward_back: i32,
    /// RIGHT positive, -100 to 100 \[percent\]; values outside are cut and counted.
    pub left_right: i32,
    /// The sender's zone, 0 to 8; only compared with the own classification.
    pub joystick_zone: i32,
    /// LUCI's number of the input source, 0 to 5.
    pub input_source: i32,
}

impl Joystick {
    /// The stick, cut to -100 to 100, and how many of its two parts were outside.
    pub fn stick(&self) -> (crate::Stick, u32) {
        let parts = [self.forward_back, self.left_right];
        let [forward_back, left_right] = parts.map(|part| f64::from(part.clamp(-100, 100)));
        let outside = parts.map(|part| u32::from(!(-100..=100).contains(&part)));
        (crate::Stick { forward_back, left_right }, outside.iter().sum())
    }

    /// The input source, if it is one of LUCI's.
    pub fn source(&self) -> Option<i32> {
        (0..=5).contains(&self.input_source).then_some(self.input_source)
    }
}

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
        let source = joystick.source().unwrap_or(self.params.published.input_source);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stick;

    fn joystick(forward_back: i32, left_right: i32, input_source: i32) -> Joystick {
        Joystick { forward_back, left_right, joystick_zone: 8, input_source }
    }

    #[test]
    fn parts_outside_are_cut_and_counted() {
        let stick = |forward_back, left_right| Stick { forward_back, left_right };
        assert_eq!(joystick(100, -100, 5).stick(), (stick(100.0, -100.0), 0));
        assert_eq!(joystick(101, -100, 5).stick(), (stick(100.0, -100.0), 1));
        assert_eq!(joystick(i32::MIN, i32::MAX, 5).stick(), (stick(-100.0, 100.0), 2));
    }

    #[test]
    fn only_lucis_sources_are_sources() {
        for source in 0..=5 {
            assert_eq!(joystick(0, 0, source).source(), Some(source));
        }
        for source in [-1, 6, i32::MIN, i32::MAX] {
            assert_eq!(joystick(0, 0, source).source(), None);
        }
    }
}
