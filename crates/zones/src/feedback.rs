use core::time::Duration;

use safety::Instant;

use crate::{Applied, Reason, Zone};

/// A `LuciJoystickScaling` from the chair: the result of its own scaling.
/// # Source
/// LUCI `luci_messages` 2.0.0, `LuciJoystickScaling`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The output, forward positive, -100 to 100 \[percent\].
    pub forward_back: i32,
    /// The output, RIGHT positive, -100 to 100 \[percent\].
    pub left_right: i32,
    /// The chair's zone, 0 to 8.
    pub joystick_zone: i32,
    /// LUCI's number of the input source of the stick.
    pub input_source: i32,
    /// The chair's factor of forward and back, 0 to 1.
    pub forward_back_scaling: f32,
    /// The chair's factor of left and right, 0 to 1.
    pub left_right_scaling: f32,
}

/// The deviation of the chair from the prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deviation {
    /// The larger deviation of the two parts \[percent of full throw\], 0 or more.
    pub percent: i32,
    /// Whether the chair reported another zone.
    pub zone: bool,
}

/// The recent predictions for one source.
///
/// The chair reports on a stick of a short time ago. A prediction therefore covers the last 0.3 to 0.6 s: the range
/// of each part and the zones, in two windows of which the older one is dropped.
/// # Source
/// own; LUCI's loop runs ten times a second, the rate of its feedback is not published.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Predicted(Option<Windows>);

#[derive(Clone, Copy, Debug)]
struct Windows {
    current: Range,
    previous: Range,
    since: Instant,
    /// The newest prediction, which holds until there is another.
    newest: Range,
}

/// Minimum and maximum of each part, and a bit for each zone.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: [i32; 2],
    high: [i32; 2],
    zones: u16,
}

const WINDOW: Duration = Duration::from_millis(300);

impl Feedback {
    /// Whether every field is valid for LUCI.
    pub fn is_valid(&self) -> bool {
        let parts = [self.forward_back, self.left_right];
        let factors = [self.forward_back_scaling, self.left_right_scaling];
        parts.iter().all(|part| (-100..=100).contains(part))
            && factors.iter().all(|factor| (0.0..=1.0).contains(factor))
            && Zone::from_number(self.joystick_zone).is_some()
            && (0..=5).contains(&self.input_source)
    }
}

impl Predicted {
    /// Records `applied`. A result that the chair's own scaling does not determine is no prediction and ends the
    /// previous ones.
    pub(crate) fn record(&mut self, now: Instant, applied: &Applied) {
        if !matches!(applied.reason, Reason::Scaled | Reason::Predicted) {
            self.0 = None;
            return;
        }
        let newest = Range::at([applied.forward_back, applied.left_right], applied.zone);
        // Until the chair has received the first one it stands still.
        let still = Range::at([0, 0], Zone::Origin);
        let windows = self.0.get_or_insert(Windows { current: still, previous: still, since: now, newest });
        windows.turn(now);
        windows.current = windows.current.with(newest);
        windows.newest = newest;
    }

    /// The deviation of `feedback` from the recent predictions; `None` without one.
    pub(crate) fn deviation(&mut self, now: Instant, feedback: &Feedback) -> Option<Deviation> {
        let windows = self.0.as_mut()?;
        windows.turn(now);
        let lately = windows.current.with(windows.previous);
        let parts = [feedback.forward_back, feedback.left_right];
        let distances = lately.low.iter().zip(lately.high).zip(parts);
        let percent = distances.map(|((&low, high), part)| (low - part).max(part - high).max(0)).max()?;
        let known = Zone::from_number(feedback.joystick_zone).map_or(0, |zone| 1 << zone.number());
        Some(Deviation { percent, zone: lately.zones & known == 0 })
    }
}

impl Windows {
    fn turn(&mut self, now: Instant) {
        if now < self.since + WINDOW {
            return;
        }
        let one = now < self.since + 2 * WINDOW;
        self.previous = if one { self.current } else { self.newest };
        self.current = self.newest;
        self.since = if one { self.since + WINDOW } else { now };
    }
}

impl Range {
    fn at(parts: [i32; 2], zone: Zone) -> Self {
        Self { low: parts, high: parts, zones: 1 << zone.number() }
    }

    fn with(mut self, other: Self) -> Self {
        for (low, other) in self.low.iter_mut().zip(other.low) {
            *low = other.min(*low);
        }
        for (high, other) in self.high.iter_mut().zip(other.high) {
            *high = other.max(*high);
        }
        Self { zones: self.zones | other.zones, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Channel;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn record(predicted: &mut Predicted, ms: u64, forward_back: i32, reason: Reason) {
        let applied =
            Applied { forward_back, zone: Zone::Front, ..Applied::stop(reason, Channel::Velocity, 5) };
        predicted.record(at(ms), &applied);
    }

    fn feedback(forward_back: i32, zone: Zone) -> Feedback {
        Feedback {
            forward_back,
            left_right: 0,
            joystick_zone: zone.number(),
            input_source: 5,
            forward_back_scaling: 1.0,
            left_right_scaling: 1.0,
        }
    }

    fn percent(predicted: &mut Predicted, ms: u64, forward_back: i32) -> Option<i32> {
        predicted.deviation(at(ms), &feedback(forward_back, Zone::Front)).map(|deviation| deviation.percent)
    }

    #[test]
    fn a_late_chair_does_not_deviate() {
        let mut predicted = Predicted::default();
        assert_eq!(percent(&mut predicted, 0, 0), None, "nothing was predicted");
        record(&mut predicted, 0, 50, Reason::Scaled);
        assert_eq!(percent(&mut predicted, 10, 0), Some(0), "the chair has not received it");
        assert_eq!(percent(&mut predicted, 10, 60), Some(10));
        assert_eq!(percent(&mut predicted, 599, 0), Some(0), "the first window still counts");
        assert_eq!(percent(&mut predicted, 600, 0), Some(50));
        assert_eq!(percent(&mut predicted, 5000, 50), Some(0), "the newest stands until there is another");
        record(&mut predicted, 5000, -20, Reason::Scaled);
        assert_eq!(percent(&mut predicted, 5100, 50), Some(0));
        assert_eq!(percent(&mut predicted, 5100, -25), Some(5));
        assert_eq!(percent(&mut predicted, 5700, 50), Some(70));
    }

    #[test]
    fn a_result_that_is_no_prediction_ends_the_comparison() {
        let mut predicted = Predicted::default();
        record(&mut predicted, 0, 50, Reason::Predicted);
        assert_eq!(percent(&mut predicted, 1, 50), Some(0));
        for reason in [Reason::ScalingStale, Reason::PassedThrough, Reason::CommandStale] {
            record(&mut predicted, 2, 50, reason);
            assert_eq!(percent(&mut predicted, 3, 50), None, "{reason}");
        }
    }

    #[test]
    fn another_zone_is_a_deviation() {
        let mut predicted = Predicted::default();
        record(&mut predicted, 0, 50, Reason::Scaled);
        for (zone, other) in [(Zone::Front, false), (Zone::Origin, false), (Zone::Back, true)] {
            let deviation = predicted.deviation(at(1), &feedback(50, zone)).unwrap();
            assert_eq!((deviation.percent, deviation.zone), (0, other));
        }
        assert!(predicted.deviation(at(700), &feedback(50, Zone::Origin)).unwrap().zone);
    }

    #[test]
    fn fields_outside_of_lucis_ranges_are_not_valid() {
        let good = feedback(100, Zone::Origin);
        assert!(good.is_valid());
        let bad = [
            Feedback { forward_back: 101, ..good },
            Feedback { left_right: -101, ..good },
            Feedback { joystick_zone: 9, ..good },
            Feedback { input_source: -1, ..good },
            Feedback { forward_back_scaling: f32::NAN, ..good },
            Feedback { left_right_scaling: 1.01, ..good },
        ];
        assert!(bad.iter().all(|feedback| !feedback.is_valid()));
    }
}
