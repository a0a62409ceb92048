use core::time::Duration;

use safety::Instant;

use crate::{DeviceId, Effect, Output, Report};

/// How long a motor runs after one feedback.
/// # Source
/// The ROS 2 `joy` package lets both motors run for a second.
const DURATION: Duration = Duration::from_secs(1);
/// The minimum time between reports of wrong feedback.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// A message received on `joy/set_feedback`, unchecked.
///
/// # Source
/// `sensor_msgs/JoyFeedback`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feedback {
    /// 0 a light, 1 a motor, 2 a buzzer.
    pub kind: u8,
    /// For a light: red, green, blue. For a motor: strong, weak.
    pub id: u8,
    /// 0 to 1.
    pub intensity: f32,
}

/// The requested state of the motors and the light of the driving device.
///
/// Each motor has its own time, although a device is commanded both at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feedbacks {
    motors: [Motor; 2],
    colour: [f32; 3],
    /// When a wrong feedback was last reported.
    reported: Option<Instant>,
}

/// A strength, 0 to 1, that ends at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Motor {
    strength: f32,
    until: Instant,
}

impl Feedbacks {
    /// The command for the driving device, or the report why there is none.
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        driver: Option<DeviceId>,
        requested: Feedback,
    ) -> Option<Output> {
        let done = checked(requested).map_err(|reason| format!("is refused: {reason}"));
        let done = done.and_then(|requested| {
            let device = driver.ok_or_else(|| "is ignored: no device drives".to_owned())?;
            Ok(self.output(now, device, requested))
        });
        match done {
            Ok(output) => Some(output),
            Err(_) if self.reported.is_some_and(|at| now.since(at) < REPORT_INTERVAL) => None,
            Err(what) => {
                self.reported = Some(now);
                Some(Output::Report(Report::FeedbackRefused { what }))
            }
        }
    }

    fn output(&mut self, now: Instant, device: DeviceId, requested: Feedback) -> Output {
        let Feedback { kind, id, intensity } = requested;
        if kind == LIGHT {
            if let Some(part) = self.colour.get_mut(usize::from(id)) {
                *part = intensity;
            }
            let colour = self.colour.map(|part| (part * f32::from(u8::MAX)).round() as u8);
            return Output::Feedback { device, effect: Effect::Light(colour) };
        }
        if let Some(motor) = self.motors.get_mut(usize::from(id)) {
            *motor = Motor { strength: intensity, until: now + DURATION };
        }
        self.rumble(now, device)
    }

    /// Another device drives, for which nothing was requested yet.
    pub(crate) fn forget(&mut self) {
        *self = Self { reported: self.reported, ..Self::default() };
    }

    /// A command for both motors when the time of one has passed and the other runs on.
    pub(crate) fn expire(&mut self, now: Instant, driver: Option<DeviceId>) -> Option<Output> {
        let mut ended = false;
        for motor in self.motors.iter_mut().filter(|motor| motor.strength > 0.0 && motor.until <= now) {
            motor.strength = 0.0;
            ended = true;
        }
        let runs_on = self.motors.iter().any(|motor| motor.strength > 0.0);
        driver.filter(|_| ended && runs_on).map(|device| self.rumble(now, device))
    }

    /// When the time of one motor passes while the other runs on.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let [one, other] = self.motors;
        let both_run = one.strength > 0.0 && other.strength > 0.0;
        both_run.then(|| one.until.min(other.until))
    }

    fn rumble(&self, now: Instant, device: DeviceId) -> Output {
        let [(low, low_left), (high, high_left)] = self.motors.map(|motor| motor.running(now));
        let effect = Effect::Rumble { low, high, time: low_left.max(high_left) };
        Output::Feedback { device, effect }
    }
}

impl Motor {
    /// The strength, 0 to 65535, and the remaining time.
    fn running(self, now: Instant) -> (u16, Duration) {
        let left = self.until.since(now);
        if self.strength > 0.0 && !left.is_zero() {
            ((self.strength * f32::from(u16::MAX)).round() as u16, left)
        } else {
            (0, Duration::ZERO)
        }
    }
}

const LIGHT: u8 = 0;
const MOTOR: u8 = 1;

/// # Errors
/// A sentence with name, value and range.
/// # Source
/// `sensor_msgs/JoyFeedback`; `joy` takes id 0 only.
fn checked(requested: Feedback) -> Result<Feedback, String> {
    let Feedback { kind, id, intensity } = requested;
    if !(0.0..=1.0).contains(&intensity) {
        return Err(format!("intensity is {intensity}, must be from 0 to 1"));
    }
    let most = |what, most| Err(format!("id is {id}, must be from 0 to {most} for {what}"));
    match kind {
        LIGHT if id > 2 => most("a light (red, green, blue)", 2),
        MOTOR if id > 1 => most("a motor (strong, weak)", 1),
        LIGHT | MOTOR => Ok(requested),
        other => {
            Err(format!("type is {other}, must be 0 (light) or 1 (motor); no device of SDL has a buzzer"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAD: DeviceId = DeviceId(3);

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn motor(feedbacks: &mut Feedbacks, millis: u64, id: u8, intensity: f32) -> Option<Output> {
        feedbacks.receive(at(millis), Some(PAD), Feedback { kind: MOTOR, id, intensity })
    }

    fn rumble(low: u16, high: u16, millis: u64) -> Option<Output> {
        let effect = Effect::Rumble { low, high, time: Duration::from_millis(millis) };
        Some(Output::Feedback { device: PAD, effect })
    }

    #[test]
    fn each_motor_has_its_own_time() {
        let mut motors = Feedbacks::default();
        assert_eq!(motor(&mut motors, 0, 0, 1.0), rumble(65535, 0, 1000));
        assert_eq!(motors.deadline(), None, "the device ends it by itself");
        assert_eq!(motor(&mut motors, 600, 1, 0.5), rumble(65535, 32768, 1000));
        assert_eq!((motors.deadline(), motors.expire(at(999), Some(PAD))), (Some(at(1000)), None));
        assert_eq!(motors.expire(at(1005), Some(PAD)), rumble(0, 32768, 595));
        assert_eq!(motors.expire(at(1600), Some(PAD)), None, "the device ends it by itself");
        // Much later, a feedback for one motor does not affect the other.
        assert_eq!(motor(&mut motors, 5000, 1, 0.5), rumble(0, 32768, 1000));
        assert_eq!(motor(&mut motors, 6500, 0, 1.0), rumble(65535, 0, 1000));
    }

    #[test]
    fn stopping_one_motor_does_not_affect_the_other() {
        let mut motors = Feedbacks::default();
        motor(&mut motors, 0, 0, 1.0);
        assert_eq!(motor(&mut motors, 300, 1, 0.0), rumble(65535, 0, 700));
        assert_eq!(motors.expire(at(1001), Some(PAD)), None);
        assert_eq!(motor(&mut motors, 1002, 0, 0.0), rumble(0, 0, 0));
    }

    #[test]
    fn a_colour_has_three_parts() {
        let mut light = Feedbacks::default();
        let mut colour = |id, intensity| {
            let requested = Feedback { kind: LIGHT, id, intensity };
            light.receive(at(0), Some(PAD), requested)
        };
        colour(1, 1.0);
        assert_eq!(
            colour(2, 0.5),
            Some(Output::Feedback { device: PAD, effect: Effect::Light([0, 255, 128]) })
        );
    }

    #[test]
    fn invalid_feedback_is_refused_and_rarely_reported() {
        let of = |kind, id, intensity| checked(Feedback { kind, id, intensity }).unwrap_err();
        assert_eq!(of(1, 2, 0.5), "id is 2, must be from 0 to 1 for a motor (strong, weak)");
        assert_eq!(of(1, 0, 1.5), "intensity is 1.5, must be from 0 to 1");
        assert!(of(1, 0, f32::NAN).starts_with("intensity is NaN") && of(0, 3, 1.0).starts_with("id is 3"));
        assert!(of(2, 0, 1.0).starts_with("type is 2") && of(1, 0, -0.1).starts_with("intensity is -0.1"));
        let mut feedbacks = Feedbacks::default();
        let mut at =
            |millis| feedbacks.receive(at(millis), None, Feedback { kind: MOTOR, id: 0, intensity: 1.0 });
        let what = "is ignored: no device drives".into();
        assert_eq!(at(0), Some(Output::Report(Report::FeedbackRefused { what })));
        assert_eq!((at(999), at(1000).is_some()), (None, true));
    }
}
