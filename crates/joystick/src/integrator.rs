use core::time::Duration;

/// Below this drag \[1/s] friction is omitted: its effect over any relevant time is negligible.
const NO_DRAG: f64 = 1e-9;

/// Below this speed \[m/s, rad/s] a coordinate without command is set to zero.
const SNAP: f64 = 1e-4;

/// Six velocities under constant acceleration and linear friction, `dv/dt = a - drag * v`, solved exactly.
///
/// Over a time `dt` with constant `a`: `v = E v + (1 - E) / drag * a` with `E = exp(-drag * dt)`, and `v = v + a dt`
/// without drag. The solution is exact: the velocity does not depend on how a time is divided into steps, and stays
/// below `|a| / drag` for every drag and every step.
///
/// A coordinate with `a` zero and a speed below 0.0001 is set to exactly zero. That does not depend on the division
/// either, since such a coordinate only slows down.
///
/// # Source
/// joystick-genom3 1.1 (equation, see `set_state_params`); own: exact instead of explicit Euler with the nominal
/// period, which needs `drag < 2 * rate` and makes the motion slower when a cycle is late.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Integrator {
    velocity: [f64; 6],
}

impl Integrator {
    /// Starts with `velocity` \[m/s, rad/s], linear then angular.
    pub(crate) fn start(&mut self, velocity: [f64; 6]) {
        self.velocity = velocity;
    }

    /// Sets all velocities to zero.
    pub(crate) fn stop(&mut self) {
        self.velocity = [0.0; 6];
    }

    /// Integrates over `dt` with `acceleration` \[m/s², rad/s²] and `drag` \[1/s].
    ///
    /// A velocity that is not finite afterwards becomes zero; with finite arguments that does not happen.
    pub(crate) fn advance(&mut self, acceleration: &[f64; 6], drag: f64, dt: Duration) {
        let dt = dt.as_secs_f64();
        let (keep, gain) =
            if drag < NO_DRAG { (1.0, dt) } else { ((-drag * dt).exp(), -(-drag * dt).exp_m1() / drag) };
        for (velocity, &acceleration) in self.velocity.iter_mut().zip(acceleration) {
            let next = keep * *velocity + gain * acceleration;
            let stands = acceleration == 0.0 && next.abs() < SNAP;
            *velocity = if stands || !next.is_finite() { 0.0 } else { next };
        }
    }

    /// The velocities \[m/s, rad/s], linear and angular.
    pub(crate) fn velocity(&self) -> ([f64; 3], [f64; 3]) {
        split(self.velocity)
    }

    /// The rates of change, `a - drag * v` \[m/s², rad/s²], linear and angular.
    pub(crate) fn acceleration(&self, acceleration: &[f64; 6], drag: f64) -> ([f64; 3], [f64; 3]) {
        let mut change = [0.0; 6];
        for ((change, a), v) in change.iter_mut().zip(acceleration).zip(self.velocity) {
            let next = a - drag * v;
            // Adding zero avoids -0.0 for a coordinate at rest.
            *change = if next.is_finite() { next + 0.0 } else { 0.0 };
        }
        split(change)
    }
}

fn split([x, y, z, ax, ay, az]: [f64; 6]) -> ([f64; 3], [f64; 3]) {
    ([x, y, z], [ax, ay, az])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(integrator: &Integrator) -> f64 {
        integrator.velocity().0[0]
    }

    const FULL: [f64; 6] = [10.0, 0.0, 0.0, 0.0, 0.0, 0.0];

    #[test]
    fn one_cycle_matches_the_closed_form() {
        let mut integrator = Integrator::default();
        integrator.advance(&FULL, 3.0, Duration::from_millis(5));
        // 10/3 * (1 - exp(-0.015)), by the series 0.015 - 0.0001125 + 0.0000005625 - 0.0000000021 = 0.0148880604
        // for the bracket: 0.0496268680
        assert!((first(&integrator) - 0.049_626_868_0).abs() < 1e-10, "{}", first(&integrator));
    }

    #[test]
    fn a_velocity_settles_at_acceleration_over_drag() {
        let mut integrator = Integrator::default();
        integrator.advance(&FULL, 3.0, Duration::from_secs(1000));
        assert!((first(&integrator) - 10.0 / 3.0).abs() < 1e-12);
        assert!(integrator.acceleration(&FULL, 3.0).0[0].abs() < 1e-12);
    }

    #[test]
    fn without_drag_velocity_is_acceleration_times_time() {
        let mut integrator = Integrator::default();
        integrator.advance(&FULL, 0.0, Duration::from_secs(2));
        assert_eq!(first(&integrator), 20.0);
        assert_eq!(integrator.acceleration(&FULL, 0.0).0[0], 10.0);
    }

    #[test]
    fn a_drag_too_stiff_for_euler_is_stable() {
        let mut integrator = Integrator::default();
        for _ in 0..10 {
            integrator.advance(&FULL, 1000.0, Duration::from_millis(5));
        }
        // exp(-1000 * 0.005) = 0.0067 after one step; Euler would multiply the error by -4 in each
        assert!((first(&integrator) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn only_a_slow_coordinate_without_command_becomes_zero() {
        let slow = [0.99e-4, -0.99e-4, 1.01e-4, 0.99e-4, 0.0, 0.0];
        let mut integrator = Integrator::default();
        integrator.start(slow);
        integrator.advance(&[0.0, 0.0, 0.0, 1e-9, 0.0, 0.0], 0.0, Duration::ZERO);
        assert_eq!(integrator.velocity(), ([0.0, 0.0, 1.01e-4], [0.99e-4, 0.0, 0.0]));
    }

    #[test]
    fn a_velocity_that_is_not_finite_becomes_zero() {
        let mut integrator = Integrator::default();
        integrator.start([f64::INFINITY, f64::NAN, 0.0, 0.0, 0.0, 0.0]);
        integrator.advance(&FULL, 3.0, Duration::from_millis(5));
        assert_eq!(integrator.velocity().0, [0.0; 3]);
    }
}
