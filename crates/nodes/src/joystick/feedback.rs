use std::time::Duration;

use gamepad::Gamepads;
use r2r::sensor_msgs::msg::JoyFeedback;
use units::Instant;

use super::NAME;

/// How often may be said that a message is wrong.
const SELDOM: Duration = Duration::from_secs(1);

/// The motors and the light of the device that drives: what `joy/set_feedback` asked of them.
///
/// Each motor runs for its own time, although a device is told of both at once.
pub struct Feedbacks {
    driver: Option<u32>,
    /// How long a motor runs.
    duration: Duration,
    motors: [Motor; 2],
    colour: [f64; 3],
    /// When something was said of a message last.
    said: Option<Instant>,
}

/// A strength, 0 to 1, until a time.
#[derive(Clone, Copy, Debug, Default)]
struct Motor {
    strength: f64,
    until: Instant,
}

/// What one message asks for, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Feedback {
    /// The strong (0) or the weak (1) motor, 0 to 1.
    Rumble(usize, f64),
    /// Red (0), green (1) or blue (2), 0 to 1.
    Led(usize, f64),
}

/// Two motors' strengths, 0 to 65535, and how long the one runs that runs longer.
type Rumble = ((u16, u16), Duration);

impl Feedbacks {
    /// Nothing was asked for yet; a motor runs for `duration`.
    pub fn new(duration: Duration) -> Self {
        Self { driver: None, duration, motors: Default::default(), colour: Default::default(), said: None }
    }

    /// Lets the device that drives do what `message` says.
    pub fn take(&mut self, message: &JoyFeedback, gamepads: &Gamepads, now: Instant) {
        let checked = feedback(message).map_err(|reason| format!("is refused: {reason}"));
        let there = self.driver.ok_or_else(|| "is ignored: no device drives".to_owned());
        let done = checked.and_then(|feedback| {
            let id = there?;
            let told = match feedback {
                Feedback::Rumble(motor, strength) => {
                    let ((low, high), time) = self.rumble(motor, strength, now);
                    gamepads.rumble(id, low, high, time)
                }
                Feedback::Led(part, strength) => gamepads.set_led(id, self.light(part, strength)),
            };
            told.map_err(|error| format!("has no effect: {error}"))
        });
        if let Err(what) = done
            && self.said.is_none_or(|at| now.since(at) >= SELDOM)
        {
            self.said = Some(now);
            log::warn!(target: NAME, "'joy/set_feedback' {what}");
        }
    }

    /// Notes the device that drives, of which nothing was asked yet, and ends the motor whose time is over.
    pub fn serve(&mut self, driver: Option<u32>, gamepads: &Gamepads, now: Instant) {
        if self.driver != driver {
            *self = Self { driver, said: self.said, ..Self::new(self.duration) };
        }
        if let (Some(id), Some(((low, high), time))) = (driver, self.over(now))
            && let Err(error) = gamepads.rumble(id, low, high, time)
        {
            log::warn!(target: NAME, "a motor runs on for {time:?}: {error}");
        }
    }

    /// Both motors when one has got a strength.
    fn rumble(&mut self, motor: usize, strength: f64, now: Instant) -> Rumble {
        if let Some(motor) = self.motors.get_mut(motor) {
            *motor = Motor { strength, until: now + self.duration };
        }
        self.running(now)
    }

    /// Both motors when the time of one is over and the other runs on.
    fn over(&mut self, now: Instant) -> Option<Rumble> {
        let runs = |motor: &Motor| motor.strength > 0.0;
        let over = self.motors.iter_mut().filter(|motor| runs(motor) && motor.until <= now);
        let ended = over.map(|motor| motor.strength = 0.0).count();
        (ended > 0 && self.motors.iter().any(runs)).then(|| self.running(now))
    }

    fn running(&self, now: Instant) -> Rumble {
        let [(low, low_left), (high, high_left)] = self.motors.map(|motor| motor.running(now));
        ((low, high), low_left.max(high_left))
    }

    /// The light's colour when one part of it has got a strength.
    fn light(&mut self, part: usize, strength: f64) -> [u8; 3] {
        if let Some(colour) = self.colour.get_mut(part) {
            *colour = strength;
        }
        self.colour.map(|strength| (strength * f64::from(u8::MAX)).round() as u8)
    }
}

impl Motor {
    /// Its strength, 0 to 65535, and for how long it still runs.
    fn running(self, now: Instant) -> (u16, Duration) {
        let left = self.until.since(now);
        if self.strength > 0.0 && !left.is_zero() {
            ((self.strength * f64::from(u16::MAX)).round() as u16, left)
        } else {
            (0, Duration::ZERO)
        }
    }
}

/// What a feedback message asks for.
/// # Errors
/// A sentence with name, value and range.
/// # Source
/// `sensor_msgs/JoyFeedback`; `joy` takes id 0 only and always lets both motors run for a second.
fn feedback(message: &JoyFeedback) -> Result<Feedback, String> {
    let (id, intensity) = (usize::from(message.id), f64::from(message.intensity));
    if !(0.0..=1.0).contains(&intensity) {
        return Err(format!("intensity is {}, must be from 0 to 1", message.intensity));
    }
    let most = |kind, most| format!("id is {id}, must be from 0 to {most} for {kind}");
    match i64::from(message.type_) {
        0 if id <= 2 => Ok(Feedback::Led(id, intensity)),
        0 => Err(most("a light (red, green, blue)", 2)),
        1 if id <= 1 => Ok(Feedback::Rumble(id, intensity)),
        1 => Err(most("a motor (strong, weak)", 1)),
        other => {
            Err(format!("type is {other}, must be 0 (light) or 1 (motor); no device of SDL has a buzzer"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(type_: u8, id: u8, intensity: f32) -> JoyFeedback {
        JoyFeedback { type_, id, intensity }
    }

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    const fn for_millis(low: u16, high: u16, millis: u64) -> Rumble {
        ((low, high), Duration::from_millis(millis))
    }

    #[test]
    fn each_motor_has_its_own_time() {
        let mut motors = Feedbacks::new(Duration::from_secs(1));
        assert_eq!(motors.rumble(0, 1.0, at(0)), for_millis(65535, 0, 1000));
        assert_eq!(motors.rumble(1, 0.5, at(600)), for_millis(65535, 32768, 1000));
        assert_eq!(motors.over(at(999)), None);
        assert_eq!(motors.over(at(1005)), Some(for_millis(0, 32768, 595)));
        assert_eq!(motors.over(at(1006)), None, "once");
        assert_eq!(motors.over(at(1600)), None, "the other one has its end from the device");
        // Long after, a feedback for one motor is none for the other.
        assert_eq!(motors.rumble(1, 0.5, at(5000)), for_millis(0, 32768, 1000));
        assert_eq!(motors.rumble(0, 1.0, at(6500)), for_millis(65535, 0, 1000));
    }

    #[test]
    fn a_motor_told_to_stop_leaves_the_other_its_time() {
        let mut motors = Feedbacks::new(Duration::from_secs(1));
        motors.rumble(0, 1.0, at(0));
        assert_eq!(motors.rumble(1, 0.0, at(300)), for_millis(65535, 0, 700));
        assert_eq!(motors.over(at(1001)), None);
        assert_eq!(motors.rumble(0, 0.0, at(1002)), for_millis(0, 0, 0));
    }

    #[test]
    fn a_colour_has_three_parts() {
        let mut light = Feedbacks::new(Duration::ZERO);
        assert_eq!(feedback(&message(0, 1, 1.0)), Ok(Feedback::Led(1, 1.0)));
        light.light(1, 1.0);
        assert_eq!(light.light(2, 0.5), [0, 255, 128]);
    }

    #[test]
    fn what_no_device_has_is_refused_in_words() {
        assert_eq!(
            feedback(&message(1, 2, 0.5)).unwrap_err(),
            "id is 2, must be from 0 to 1 for a motor (strong, weak)"
        );
        assert_eq!(feedback(&message(1, 0, 1.5)).unwrap_err(), "intensity is 1.5, must be from 0 to 1");
        assert!(feedback(&message(1, 0, -0.1)).unwrap_err().starts_with("intensity is -0.1,"));
        assert!(feedback(&message(1, 0, f32::NAN)).unwrap_err().starts_with("intensity is NaN"));
        assert!(feedback(&message(2, 0, 1.0)).unwrap_err().starts_with("type is 2"));
        assert!(feedback(&message(0, 3, 1.0)).is_err());
    }

    /// What a virtual pad with two motors and a light feels, each with the time [ms] since the first, while `messages` (with
    /// their times) come and the node serves.
    fn felt(messages: &[(u64, JoyFeedback)], until: u64) -> Vec<(u64, gamepad::Feedback)> {
        let (changes, felt) = std::sync::mpsc::channel();
        let gamepads = Gamepads::start(drop).unwrap();
        let feedback = gamepad::VirtualFeedback { rumble: true, trigger_rumble: false, led: true, changes };
        let device = gamepad::VirtualDevice {
            name: "Shaker".into(),
            axes: 1,
            buttons: 1,
            feedback: Some(feedback),
            ..Default::default()
        };
        let pad = gamepads.plug(device).unwrap();
        let mut feedbacks = Feedbacks::new(Duration::from_millis(300));
        let (start, mut messages, mut told) = (ros::clock::now(), messages.iter().peekable(), Vec::new());
        loop {
            let now = ros::clock::now();
            let passed = u64::try_from(now.since(start).as_millis()).unwrap();
            feedbacks.serve(Some(pad.id()), &gamepads, now);
            if let Some((_, message)) = messages.next_if(|(due, _)| *due <= passed) {
                feedbacks.take(message, &gamepads, now);
            }
            told.extend(felt.recv_timeout(Duration::from_millis(2)).map(|change| (passed, change)));
            if passed >= until {
                return told;
            }
        }
    }

    #[test]
    fn a_pad_feels_each_motor_for_its_own_time() {
        let (strong, weak, red) = (message(1, 0, 1.0), message(1, 1, 0.5), message(0, 0, 1.0));
        let told = felt(&[(0, strong), (200, weak.clone()), (210, red), (900, weak)], 1400);
        let changes: Vec<_> = told.iter().map(|(_, change)| *change).collect();
        let rumble = |low, high| gamepad::Feedback::Rumble { low, high };
        let expected = [
            rumble(65535, 0),
            rumble(65535, 32768),
            gamepad::Feedback::Led([255, 0, 0]),
            rumble(0, 32768), // 300 ms after the strong one
            rumble(0, 0),     // 300 ms after the weak one
            rumble(0, 32768),
            rumble(0, 0),
        ];
        assert_eq!(changes, expected, "{told:?}");
        // A busy machine is late, never early.
        for (at, earliest) in [(3, 295), (4, 495), (6, 1195)] {
            assert!((earliest..earliest + 150).contains(&told[at].0), "{told:?}");
        }
    }
}
