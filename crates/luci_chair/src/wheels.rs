use core::time::Duration;

use safety::Instant;

use crate::{EncoderFields, ImuMessage, Params};

/// The two drive wheels, left and right, and their sensors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wheels {
    /// The commanded speeds \[m/s\].
    pub speeds: [f64; 2],
    /// The measured speeds \[m/s\], and their time.
    pub measured: Option<([f64; 2], Instant)>,
    /// The distances driven \[m\].
    ways: [f64; 2],
    /// The heading, counter-clockwise since the start \[rad\].
    heading: f64,
    /// The acceleration along the heading, over the last tick \[m/s²\].
    acceleration: f64,
}

/// The step of the simulation.
pub(crate) const TICK: Duration = Duration::from_millis(10);
/// How long a measured speed is used.
const MEASURED: Duration = Duration::from_millis(200);
const GRAVITY: f64 = 9.806_65;

impl Wheels {
    /// Advances by one tick, which ends at `now`: each wheel's speed approaches `targets` \[m/s\] by at most `rate`
    /// \[m/s²\], then the wheels turn.
    pub fn tick(&mut self, now: Instant, targets: [f64; 2], rate: f64, base: f64) {
        let seconds = TICK.as_secs_f64();
        let most = rate * seconds;
        let before = mean(self.speeds);
        for (speed, target) in self.speeds.iter_mut().zip(targets) {
            // The last step is exact, so a wheel reaches standstill.
            *speed = if (target - *speed).abs() <= most {
                target
            } else {
                *speed + most.copysign(target - *speed)
            };
        }
        self.acceleration = (mean(self.speeds) - before) / seconds;
        let speeds = self.turning(now);
        for (way, speed) in self.ways.iter_mut().zip(speeds) {
            *way += speed * seconds;
        }
        let [left, right] = speeds;
        self.heading += (right - left) / base * seconds;
    }

    /// The wheel speeds at `now` \[m/s\]: recently measured ones, else the commanded ones.
    pub fn turning(&self, now: Instant) -> [f64; 2] {
        match self.measured {
            Some((measured, at)) if now < at + MEASURED => measured,
            _ => self.speeds,
        }
    }

    /// The encoder fields with the board's clock at `millis`.
    pub fn encoders(&self, params: &Params, millis: u32) -> EncoderFields {
        let [left, right] = self.ways;
        let angle = |way: f64, forward: bool| {
            let turns = way / params.circumference * params.gear * if forward { 1.0 } else { -1.0 };
            // Whole hundredths of a degree, of which a turn has 36,000.
            ((turns.rem_euclid(1.0) * 36_000.0).round() % 36_000.0 / 100.0) as f32
        };
        EncoderFields {
            left_angle: angle(left, params.left_forward),
            right_angle: angle(right, params.right_forward),
            edge_timestamp: millis,
        }
    }

    /// The inertial measurement at the `tick`th tick, with varying garbage.
    pub fn imu(&self, tick: u64) -> ImuMessage {
        // The x axis points to the right: a quarter turn behind the heading.
        let half = (self.heading - core::f64::consts::FRAC_PI_2) / 2.0;
        let garbage = if tick.is_multiple_of(2) { f32::MAX } else { f32::NAN };
        ImuMessage {
            quaternion: [0.0, 0.0, half.sin() as f32, half.cos() as f32],
            accelerometer: [0.0, self.acceleration as f32, GRAVITY as f32],
            gyro: [0.0, garbage, -garbage],
            calibration: [i32::MIN, -1, 0x5555_5555, i32::MAX],
            source: 2,
            edge_timestamp: 0,
        }
    }
}

fn mean([left, right]: [f64; 2]) -> f64 {
    f64::midpoint(left, right)
}

/// The servo value that turns a wheel of the base at `speed`, where `full` is its speed at full servo value \[m/s\].
///
/// value = 90 - 66 · speed / full, rounded; 24 is full forward, 90 stop, 156 full reverse. NaN stops.
/// # Source
/// hindbrain's motor topics, as the node `simulator` reads them.
pub fn servo(speed: f64, full: f64) -> i16 {
    let part = (speed / full).clamp(-1.0, 1.0);
    // Within 24 to 156; `as` converts NaN to 0.
    90 - (66.0 * part).round() as i16
}

#[cfg(test)]
mod tests {
    use super::{servo, *};

    #[test]
    fn a_wheel_speeds_up_at_its_rate_and_stands_exactly() {
        let mut wheels = Wheels::default();
        for tick in 1..=50 {
            wheels.tick(Instant::from_millis(tick * 10), [1.0, -1.0], 1.0, 0.5);
        }
        // 1 m/s² for 0.5 s.
        assert!((wheels.speeds[0] - 0.5).abs() < 1e-9 && (wheels.speeds[1] + 0.5).abs() < 1e-9);
        for tick in 51..=76 {
            wheels.tick(Instant::from_millis(tick * 10), [0.0, 0.0], 2.0, 0.5);
        }
        assert_eq!(wheels.speeds, [0.0, 0.0]);
    }

    #[test]
    fn encoders_count_hundredths_of_a_degree() {
        // One turn of the encoder is 1.0373 / 2.38462 m; a quarter of it forward: right 90 degrees, left 270.
        let params = Params::default();
        let way = params.circumference / params.gear / 4.0;
        let wheels = Wheels { ways: [way, way], ..Wheels::default() };
        let got = wheels.encoders(&params, 7);
        assert_eq!((got.left_angle, got.right_angle, got.edge_timestamp), (270.0, 90.0, 7));
        // A way of 1/100,000 of a turn back is 359.9964 degrees, which is 0 in hundredths.
        let wheels = Wheels { ways: [0.0, -way * 4e-5], ..Wheels::default() };
        assert_eq!(wheels.encoders(&params, 0).right_angle, 0.0);
    }

    #[test]
    fn measured_speeds_move_the_encoders_for_a_while() {
        let mut wheels = Wheels { measured: Some(([0.0, 0.0], Instant::ZERO)), ..Wheels::default() };
        for tick in 1..=19 {
            wheels.tick(Instant::from_millis(tick * 10), [1.0, 1.0], 100.0, 0.5);
        }
        assert_eq!((wheels.speeds, wheels.ways), ([1.0, 1.0], [0.0, 0.0]), "held by a wall");
        wheels.tick(Instant::from_millis(200), [1.0, 1.0], 100.0, 0.5);
        assert_eq!(wheels.ways, [0.01, 0.01]);
    }

    #[test]
    fn servo_values_are_those_of_the_simulator() {
        assert_eq!([0.0, 1.2, -1.2, 0.6, -9.0].map(|speed| servo(speed, 1.2)), [90, 24, 156, 57, 156]);
        assert_eq!(servo(f64::NAN, 1.2), 90);
        // One count is 1.2 / 66 = 0.01818 m/s; half of it is the smallest speed that moves.
        assert_eq!([servo(0.009, 1.2), servo(0.0092, 1.2)], [90, 89]);
    }
}
