use crate::laws::Pid;

/// A proportional-integral law of a speed, whose integral does not push on against what held the joint.
///
/// Where less speed is commanded than before, or the other direction, the integral becomes what it was when the joint last followed, at half
/// of the commanded speed or more: it holds a load, and no longer drives against an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedLaw {
    pid: Pid,
    wanted: f64,
    /// The integral with which the joint last followed.
    load: f64,
}

impl SpeedLaw {
    /// A law that begins at rest; it uses no derivative.
    pub fn new(pid: Pid) -> Self {
        Self { pid, wanted: 0.0, load: 0.0 }
    }

    /// Forgets what was commanded and the integral, as at a start.
    pub fn reset(&mut self) {
        *self = Self::new(self.pid);
        self.pid.reset();
    }

    /// Forgets the integral, also that of when the joint last followed, where it drives in the direction of `speed`.
    pub fn release(&mut self, speed: f64) {
        if self.pid.integral() * speed > 0.0 {
            self.pid.reset();
        }
        if self.load * speed > 0.0 {
            self.load = 0.0;
        }
    }

    /// The speed that was commanded last.
    pub fn wanted(&self) -> f64 {
        self.wanted
    }

    /// The greatest effort of the law \[Nm or N\].
    pub fn max_effort(&self) -> f64 {
        self.pid.max_effort()
    }

    /// The effort for a joint of this `speed` that is to have the speed `wanted`, `dt` \[s\] after the previous call.
    pub fn update(&mut self, wanted: f64, speed: f64, dt: f64) -> f64 {
        let before = core::mem::replace(&mut self.wanted, wanted);
        if wanted * before < 0.0 || wanted.abs() < before.abs() {
            self.pid.set_integral(self.load);
        }
        let error = wanted - speed;
        let effort = self.pid.update(error, 0.0, dt);
        if wanted == 0.0 || error.abs() <= wanted.abs() / 2.0 {
            self.load = self.pid.integral();
        }
        effort
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Gains;

    #[test]
    fn what_is_released_comes_back_with_no_lower_command() {
        let pid = Pid::new(Gains { p: 0.0, i: 10.0, d: 0.0, i_clamp: 5.0, max_effort: 10.0 });
        let mut law = SpeedLaw::new(pid);
        // It follows: 10 · 0.25 · 0.4 = 1 is the load. Then it is much too fast, and the integral brakes.
        assert_eq!(law.update(1.0, 0.75, 0.4), 1.0);
        assert_eq!(law.update(1.0, 2.0, 0.5), -4.0);
        law.release(2.0);
        assert!(law.update(0.0, 2.0, 0.001) < 0.0, "it brakes, and does not drive with the load of before");
    }
}
