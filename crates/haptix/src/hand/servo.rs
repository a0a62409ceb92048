/// Properties of a motor together with its load, at the joint side of the gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// \[kg·m²\], above 0.
    pub inertia: f64,
    /// \[N·m·s/rad\], at least 0.
    pub damping: f64,
    /// The most torque of the motor \[N·m\], at least 0.
    pub torque: f64,
    /// \[rad\]
    pub minimum: f64,
    /// \[rad\], not below `minimum`.
    pub maximum: f64,
}

/// Targets of the servo.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    /// \[rad\]
    pub position: f64,
    /// \[rad/s\]
    pub velocity: f64,
    /// \[N·m/rad\], at least 0.
    pub gain_pos: f64,
    /// \[N·m·s/rad\], at least 0.
    pub gain_vel: f64,
    /// A torque beside those of the gains \[N·m\].
    pub torque: f64,
}

/// The state of a motor, at the joint side of the gear.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// \[rad\]
    pub position: f64,
    /// \[rad/s\]
    pub velocity: f64,
    /// \[rad/s²\]
    pub acceleration: f64,
    /// The torque that the motor applies \[N·m\].
    pub torque: f64,
}

/// How fast a motor is at the end of a step under a load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Response {
    /// Where the motor can be \[rad\].
    span: [f64; 2],
    /// The velocities that lead to the ends of the span \[rad/s\].
    ends: [f64; 2],
    /// The velocity without a load, by the gains alone \[rad/s\].
    free: f64,
    /// By how much it rises with the load \[rad/s/(N·m)\].
    yielding: f64,
    /// The velocities under the greatest torque to either side, without a load \[rad/s\].
    extremes: [f64; 2],
    /// By how much [`velocity`](Self::velocity) rises with the load, at most \[rad/s/(N·m)\].
    pub(crate) mobility: f64,
}

impl Response {
    /// The velocity \[rad/s\] under the torque `load` of objects \[N·m\].
    pub(crate) fn velocity(&self, load: f64) -> f64 {
        let ([slowest, fastest], [least, most]) = (self.extremes, self.ends);
        let (free, pushed) = (self.free + self.yielding * load, self.mobility * load);
        // `free` lies between the extremes unless its torque is greater than the motor's.
        free.max(slowest + pushed).min(fastest + pushed).min(most).max(least)
    }

    /// Lets the step of `dt` \[s\] from `position` end at `end` \[rad\] at the latest, upward or downward.
    pub(crate) fn end_at(&mut self, end: f64, is_upper: bool, position: f64, dt: f64) {
        let side = usize::from(is_upper);
        let [least, most] = self.span;
        self.span[side] = if is_upper { most.min(end) } else { least.max(end) };
        self.ends[side] = (self.span[side] - position) / dt;
    }
}

impl Plant {
    /// The response of a motor in `state` to a load in a step of `dt` \[s\].
    ///
    /// J·(v' - v) = dt·(τ(q', v') - b·v' + τₗ) and q' = q + dt·v', where τ(q, v) = kp·(r - q) + kd·(w - v) + τ₀ within ±τₘ: an
    /// implicit Euler step, which no gain and no step makes unstable. τ falls with v', so its clamp has one solution. J `inertia`,
    /// b `damping`, τₘ `torque`, r, w, kp, kd, τ₀ the demand, τₗ the load. The position stays within the motor's limits.
    /// # Source
    /// own
    pub(crate) fn response(&self, state: &State, demand: &Demand, dt: f64) -> Response {
        let push = self.inertia * state.velocity;
        let Demand { gain_pos, gain_vel, .. } = *demand;
        let spring =
            gain_pos * (demand.position - state.position) + gain_vel * demand.velocity + demand.torque;
        let resisting = self.inertia + dt * self.damping;
        let held = resisting + dt * (gain_vel + dt * gain_pos);
        let span = [self.minimum, self.maximum];
        Response {
            span,
            ends: span.map(|end| (end - state.position) / dt),
            free: (push + dt * spring) / held,
            yielding: dt / held,
            extremes: [-1.0, 1.0].map(|side| (push + side * dt * self.torque) / resisting),
            mobility: dt / resisting,
        }
    }

    /// Advances `state` by `dt` \[s\] under the torque `load` of objects \[N·m\]. At an end stop the velocity becomes 0.
    pub(crate) fn advance(
        &self,
        state: &mut State,
        demand: &Demand,
        response: &Response,
        load: f64,
        dt: f64,
    ) {
        let (before, velocity) = (state.velocity, response.velocity(load));
        // A step that ends at an end of its span ends exactly there.
        let end = response.span.into_iter().zip(response.ends).find(|(_, end)| velocity == *end);
        let position = end.map_or(state.position + dt * velocity, |(at, _)| at);
        state.position = position.min(self.maximum).max(self.minimum);
        let is_free = state.position > self.minimum && state.position < self.maximum;
        state.velocity = if is_free { velocity } else { 0.0 };
        state.acceleration = (state.velocity - before) / dt;
        self.apply(state, demand);
    }

    /// Keeps `state` where it is for a step of `dt` \[s\], whatever the torque.
    pub(crate) fn stick(&self, state: &mut State, demand: &Demand, dt: f64) {
        state.acceleration = -state.velocity / dt;
        state.velocity = 0.0;
        self.apply(state, demand);
    }

    fn apply(&self, state: &mut State, demand: &Demand) {
        let torque = demand.gain_pos * (demand.position - state.position)
            + demand.gain_vel * (demand.velocity - state.velocity)
            + demand.torque;
        state.torque = torque.min(self.torque).max(-self.torque);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Plant =
        Plant { inertia: 0.01, damping: 0.02, torque: f64::INFINITY, minimum: -9.0, maximum: 9.0 };

    fn step(plant: &Plant, state: &mut State, demand: &Demand, load: f64, dt: f64) {
        let response = plant.response(state, demand, dt);
        plant.advance(state, demand, &response, load, dt);
    }

    fn at(time: f64, dt: f64, plant: &Plant, demand: &Demand) -> State {
        let mut state = State::default();
        for _ in 0..(time / dt).round() as usize {
            step(plant, &mut state, demand, 0.0, dt);
        }
        state
    }

    /// q of J·q'' + c·q' + k·q = k at `t`, from rest at 0.
    fn closed_form(inertia: f64, c: f64, k: f64, t: f64) -> f64 {
        let (decay, square) = (c / (2.0 * inertia), k / inertia - (c / (2.0 * inertia)).powi(2));
        let (even, odd) = match square {
            s if s > 1e-9 => ((s.sqrt() * t).cos(), (s.sqrt() * t).sin() / s.sqrt()),
            s if s < -1e-9 => (((-s).sqrt() * t).cosh(), ((-s).sqrt() * t).sinh() / (-s).sqrt()),
            _ => (1.0, t),
        };
        1.0 - (-decay * t).exp() * (even + decay * odd)
    }

    #[test]
    fn the_step_response_converges_to_the_closed_form_of_the_second_order_system() {
        // Underdamped; critical: 2·√(4·0.01) = 0.4 of which 0.02 is the plant's; overdamped.
        for (gain_pos, gain_vel) in [(4.0, 0.05), (4.0, 0.38), (4.0, 1.5)] {
            let demand = Demand { position: 1.0, gain_pos, gain_vel, ..Demand::default() };
            for time in [0.02, 0.1, 0.4] {
                let exact = closed_form(0.01, gain_vel + 0.02, gain_pos, time);
                let error = |dt: f64| (at(time, dt, &FREE, &demand).position - exact).abs();
                let (coarse, fine) = (error(1e-4), error(1e-5));
                assert!(coarse < 2e-3, "kd {gain_vel}, {time} s: off by {coarse}");
                // The method is of first order: a tenth of the step, a tenth of the error.
                assert!((0.08..0.125).contains(&(fine / coarse)), "kd {gain_vel}, {time} s: {fine} {coarse}");
            }
        }
    }

    #[test]
    fn a_reference_velocity_moves_at_the_quotient_of_the_gains() {
        // Without a position gain: kd·(w - v) = b·v, so v = w·kd / (kd + b) = 2·0.18 / 0.2
        let demand = Demand { velocity: 2.0, gain_vel: 0.18, ..Demand::default() };
        assert!((at(3.0, 1e-3, &FREE, &demand).velocity - 1.8).abs() < 1e-9);
    }

    #[test]
    fn hard_gains_are_stable_at_short_and_long_steps() {
        for dt in [0.001, 0.02] {
            for gain_vel in [0.0, 1.0, 2000.0] {
                let demand = Demand { position: 1.0, gain_pos: 2000.0, gain_vel, ..Demand::default() };
                let mut state = State::default();
                for _ in 0..(20.0 / dt) as usize {
                    step(&FREE, &mut state, &demand, 0.0, dt);
                    assert!((-0.1..2.1).contains(&state.position), "{state:?}");
                }
                assert!((state.position - 1.0).abs() < 1e-3, "dt {dt}, kd {gain_vel}: {state:?}");
            }
        }
    }

    #[test]
    fn the_torque_stays_within_the_motor_and_accelerates_as_newton_says() {
        let plant = Plant { damping: 0.0, torque: 0.5, ..FREE };
        let demand = Demand { position: 8.0, gain_pos: 2000.0, ..Demand::default() };
        let state = at(0.1, 1e-3, &plant, &demand);
        // 0.5 N·m / 0.01 kg·m² = 50 rad/s² for 0.1 s
        assert!((state.velocity - 5.0).abs() < 1e-9 && (state.acceleration - 50.0).abs() < 1e-9);
        assert_eq!(state.torque, 0.5);
    }

    #[test]
    fn an_end_stop_takes_the_velocity_and_the_motor_pushes_on() {
        let plant = Plant { torque: 2.0, maximum: 0.25, ..FREE };
        let demand = Demand { position: 1.0, gain_pos: 1.0, ..Demand::default() };
        let mut state = at(1.0, 1e-3, &plant, &demand);
        assert_eq!((state.position, state.velocity, state.torque), (0.25, 0.0, 0.75));
        step(&plant, &mut state, &Demand { position: -1.0, ..demand }, 0.0, 1e-3);
        assert!(state.velocity < 0.0 && state.position < 0.25);
    }

    #[test]
    fn a_load_moves_the_motor_by_its_torque_over_the_gain() {
        let demand = Demand { gain_pos: 5.0, gain_vel: 0.2, ..Demand::default() };
        let mut state = State::default();
        for _ in 0..5000 {
            step(&FREE, &mut state, &demand, -0.1, 1e-3);
        }
        assert!((state.position + 0.02).abs() < 1e-9 && (state.torque - 0.1).abs() < 1e-9, "{state:?}");
    }

    #[test]
    fn a_torque_alone_drives_the_motor_to_the_speed_at_which_damping_takes_it() {
        // v = τ / b = 0.05 / 0.02, and no more than the motor's own torque.
        let demand = Demand { torque: 0.05, ..Demand::default() };
        let state = at(5.0, 1e-3, &Plant { maximum: 99.0, ..FREE }, &demand);
        assert!((state.velocity - 2.5).abs() < 1e-3 && state.torque == 0.05, "{state:?}");
        let weak = Plant { torque: 0.02, ..FREE };
        assert_eq!(at(0.1, 1e-3, &weak, &demand).torque, 0.02);
        assert_eq!(at(1.0, 1e-3, &FREE, &Demand::default()), State::default());
    }

    #[test]
    fn a_stuck_motor_keeps_its_position_and_shows_its_torque() {
        let demand = Demand { position: 1.0, gain_pos: 2.0, ..Demand::default() };
        let mut state = State { position: 0.5, velocity: 3.0, ..State::default() };
        FREE.stick(&mut state, &demand, 1e-3);
        assert_eq!((state.position, state.velocity, state.torque), (0.5, 0.0, 1.0));
    }
}
