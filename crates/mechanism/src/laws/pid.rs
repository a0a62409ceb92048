/// A proportional-integral-derivative law for one joint, whose integral stops growing where it does not help.
///
/// ```text
/// effort = p · e + i · ∫ e dt + d · de/dt, within ± max_effort
/// ```
///
/// The integral term is kept within ± `i_clamp`. While the effort is at a limit, the integral does not grow in the direction of
/// that limit, so it does not have to be worn off when the error changes its sign.
/// # Real-time
/// An update allocates nothing; whatever the inputs are, the effort is finite and within its limit.
/// # Source
/// The usual parallel form, as in `control_toolbox`'s `Pid`; conditional integration: Åström and Hägglund, PID Controllers, 3.5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pid {
    gains: Gains,
    /// The integral term \[Nm or N\].
    integral: f64,
}

/// The gains and limits of a [`Pid`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Effort for one unit of error, 0 or more \[Nm/rad or N/m\].
    pub p: f64,
    /// Effort for one unit of error over a second, 0 or more \[Nm/(rad·s) or N/(m·s)\].
    pub i: f64,
    /// Effort for one unit of the error's derivative, 0 or more \[Nm·s/rad or N·s/m\].
    pub d: f64,
    /// The greatest integral term \[Nm or N\], 0 or more.
    pub i_clamp: f64,
    /// The greatest effort \[Nm or N\], 0 or more; infinite for none.
    pub max_effort: f64,
}

impl Pid {
    /// A law without an integral yet. A gain or limit that is negative or not a number counts as 0, and a gain that is infinite.
    pub fn new(gains: Gains) -> Self {
        let gain = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
        let limit = |value: f64| value.max(0.0); // which is 0 for NaN
        let Gains { p, i, d, i_clamp, max_effort } = gains;
        let (i_clamp, max_effort) = (limit(i_clamp), limit(max_effort));
        Self { gains: Gains { p: gain(p), i: gain(i), d: gain(d), i_clamp, max_effort }, integral: 0.0 }
    }

    /// Forgets the integral, as at a start.
    pub fn reset(&mut self) {
        self.integral = 0.0;
    }

    /// Sets the integral term \[Nm or N\], within its limit; NaN is 0.
    pub fn set_integral(&mut self, integral: f64) {
        let most = self.gains.i_clamp;
        self.integral = if integral.is_nan() { 0.0 } else { integral.clamp(-most, most) };
    }

    /// The integral term \[Nm or N\].
    pub fn integral(&self) -> f64 {
        self.integral
    }

    /// The greatest effort \[Nm or N\].
    pub fn max_effort(&self) -> f64 {
        self.gains.max_effort
    }

    /// The effort for `error` and its derivative `rate`, `dt` \[s\] after the previous call.
    ///
    /// An error, a rate or a time that is not finite, or a negative time, gives no effort and leaves the integral.
    pub fn update(&mut self, error: f64, rate: f64, dt: f64) -> f64 {
        self.update_with(0.0, error, rate, dt)
    }

    /// The effort as [`update`](Self::update) has it, with a `feed_forward` \[Nm or N\] that is added before the limit.
    pub fn update_with(&mut self, feed_forward: f64, error: f64, rate: f64, dt: f64) -> f64 {
        let Gains { p, i, d, i_clamp, max_effort } = self.gains;
        let quick = feed_forward + p * error + d * rate;
        let integral = (self.integral + i * error * dt).clamp(-i_clamp, i_clamp);
        let (wanted, before) = (quick + integral, quick + self.integral);
        if !(wanted.is_finite() && before.is_finite() && (0.0..f64::INFINITY).contains(&dt)) {
            return 0.0;
        }
        let is_pushed_out = wanted.abs() > max_effort && wanted.abs() > before.abs();
        if !is_pushed_out {
            self.integral = integral;
        }
        (quick + self.integral).clamp(-max_effort, max_effort)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAINS: Gains = Gains { p: 2.0, i: 0.5, d: 0.25, i_clamp: 1.0, max_effort: 10.0 };

    #[test]
    fn each_gain_has_its_part() {
        // 2 · 1 + 0.5 · (1 · 0.1) + 0.25 · 4 = 3.05, and after the second call 0.05 more.
        let mut pid = Pid::new(GAINS);
        assert!((pid.update(1.0, 4.0, 0.1) - 3.05).abs() < 1e-12);
        assert!((pid.update(1.0, 4.0, 0.1) - 3.10).abs() < 1e-12);
        pid.reset();
        assert!((pid.update(1.0, 4.0, 0.1) - 3.05).abs() < 1e-12);
    }

    #[test]
    fn a_feed_forward_counts_within_the_greatest_effort() {
        // 2 · 1 + 0.5 · (1 · 0.1) + 0.25 · 4 = 3.05, and 1.5 more.
        let mut pid = Pid::new(GAINS);
        assert!((pid.update_with(1.5, 1.0, 4.0, 0.1) - 4.55).abs() < 1e-12);
        assert_eq!(pid.update_with(50.0, 1.0, 4.0, 0.1), 10.0);
        assert!((pid.integral() - 0.05).abs() < 1e-12, "the integral does not grow against a limit");
    }

    #[test]
    fn the_integral_term_stays_within_its_limit_in_both_directions() {
        for sign in [1.0, -1.0] {
            let mut pid = Pid::new(GAINS);
            for _ in 0..1000 {
                pid.update(sign, 0.0, 0.1);
            }
            assert_eq!(pid.integral(), sign);
        }
    }

    #[test]
    fn the_integral_does_not_grow_against_a_limit_and_shrinks_at_once() {
        let mut pid = Pid::new(Gains { i_clamp: 100.0, max_effort: 3.0, ..GAINS });
        // 2 · 2 is beyond 3 already: nothing is integrated for an hour.
        for _ in 0..36_000 {
            assert_eq!(pid.update(2.0, 0.0, 0.1), 3.0);
        }
        assert_eq!(pid.integral(), 0.0);
        // -2 · 0.5 - 0.5 · 0.5 · 0.1 = -1.025 in the first step with the other sign.
        assert!((pid.update(-0.5, 0.0, 0.1) + 1.025).abs() < 1e-12);
    }

    #[test]
    fn a_constant_load_is_held_without_an_error() {
        // A mass of 1 under a load of -0.4: the integral term becomes 0.4.
        let mut pid = Pid::new(Gains { p: 40.0, i: 40.0, d: 12.0, i_clamp: 5.0, max_effort: 50.0 });
        let (mut position, mut velocity, dt) = (0.0, 0.0, 0.001);
        for _ in 0..20_000 {
            let effort = pid.update(1.0 - position, -velocity, dt);
            velocity += (effort - 0.4) * dt;
            position += velocity * dt;
        }
        assert!(
            (position - 1.0_f64).abs() < 1e-6 && (pid.integral() - 0.4).abs() < 1e-4,
            "{position} {pid:?}"
        );
    }

    #[test]
    fn nonsense_gives_no_effort_and_leaves_the_integral() {
        let mut pid = Pid::new(GAINS);
        pid.update(1.0, 0.0, 0.1);
        let before = pid;
        let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for bad in bad {
            assert_eq!((pid.update(bad, 0.0, 0.1), pid.update(0.0, bad, 0.1)), (0.0, 0.0));
            assert_eq!(pid.update(1.0, 0.0, bad), 0.0);
        }
        assert_eq!(pid.update(1.0, 0.0, -0.1), 0.0);
        assert_eq!(pid, before);
        assert!(pid.update(f64::MAX, f64::MAX, 1.0).is_finite());
    }

    #[test]
    fn gains_that_cannot_be_count_as_0() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let gains = Gains { p: bad, i: bad, d: bad, ..GAINS };
            assert_eq!(Pid::new(gains).update(1.0, 1.0, 1.0), 0.0, "{bad}");
        }
        for bad in [-1.0, f64::NAN] {
            assert_eq!(Pid::new(Gains { max_effort: bad, ..GAINS }).update(1.0, 1.0, 1.0), 0.0, "{bad}");
            // 2 · 1 + 0.25 · 1, without an integral.
            assert_eq!(Pid::new(Gains { i_clamp: bad, ..GAINS }).update(1.0, 1.0, 1.0), 2.25, "{bad}");
        }
        assert_eq!(Pid::new(Gains { max_effort: f64::INFINITY, ..GAINS }).update(1e9, 0.0, 0.0), 2e9);
    }
}
