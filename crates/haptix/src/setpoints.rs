use crate::wire::{Command, Group, Limit, MAX};

/// The motors' setpoints after all commands so far: the one place that defines what a [`Command`] means.
///
/// * A group that is given replaces its values, a missing group keeps them.
/// * Only entries below the motor count are read; the others may hold anything.
/// * A live entry of a given group that is not finite, or a negative gain, refuses the whole command.
/// * `ref_pos` is clamped to the motor's limit. A `ref_vel_max` of 0 or less is no cap.
/// # Source
/// HAPTIX, haptix-comm 0.9. Own: the refusals and the clamping. `ref_vel_max` is a cap, as documented there; the Gazebo server used it
/// as a second velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setpoints {
    motor_count: usize,
    /// \[rad\]
    pub ref_pos: [f64; MAX],
    /// \[rad/s\]
    pub ref_vel: [f64; MAX],
    /// \[rad/s\]; 0 or less is no cap.
    pub ref_vel_max: [f64; MAX],
    /// \[N·m/rad\]
    pub gain_pos: [f64; MAX],
    /// \[N·m·s/rad\]
    pub gain_vel: [f64; MAX],
}

/// Why a command was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// A value is NaN or infinite.
    #[error("{}[{index}] is {value}, must be a finite number [{}]", .group.name(), .group.unit())]
    NotFinite {
        /// The group.
        group: Group,
        /// The motor.
        index: usize,
        /// The value.
        value: f32,
    },
    /// A gain is negative.
    #[error("{}[{index}] is {value}, must be 0 or more {}", .group.name(), .group.unit())]
    Negative {
        /// The group.
        group: Group,
        /// The motor.
        index: usize,
        /// The value.
        value: f32,
    },
}

impl Setpoints {
    /// Setpoints of `motor_count` motors, at most [`MAX`], that hold `position` \[rad\] with these gains.
    pub fn new(motor_count: usize, position: [f64; MAX], gain_pos: [f64; MAX], gain_vel: [f64; MAX]) -> Self {
        Self {
            motor_count: motor_count.min(MAX),
            ref_pos: position,
            ref_vel: [0.0; MAX],
            ref_vel_max: [0.0; MAX],
            gain_pos,
            gain_vel,
        }
    }

    /// The number of motors.
    pub const fn motor_count(&self) -> usize {
        self.motor_count
    }

    /// The live values of `group`.
    pub fn group(&self, group: Group) -> &[f64] {
        let values = match group {
            Group::RefPos => &self.ref_pos,
            Group::RefVel => &self.ref_vel,
            Group::RefVelMax => &self.ref_vel_max,
            Group::GainPos => &self.gain_pos,
            Group::GainVel => &self.gain_vel,
        };
        &values[..self.motor_count]
    }

    fn group_mut(&mut self, group: Group) -> &mut [f64] {
        let values = match group {
            Group::RefPos => &mut self.ref_pos,
            Group::RefVel => &mut self.ref_vel,
            Group::RefVelMax => &mut self.ref_vel_max,
            Group::GainPos => &mut self.gain_pos,
            Group::GainVel => &mut self.gain_vel,
        };
        &mut values[..self.motor_count]
    }

    /// Takes `command`. Motors for which `is_grasping` is true keep their `ref_pos`.
    ///
    /// * `limits`: those of the motors \[rad\]
    /// # Errors
    /// The first wrong value; nothing is changed.
    /// # Real-time
    /// Does not allocate.
    pub fn take(
        &mut self,
        command: &Command,
        limits: &[Limit],
        is_grasping: &[bool; MAX],
    ) -> Result<(), CommandError> {
        self.check(command)?;
        for group in Group::ALL {
            let Some(given) = command.group(group) else { continue };
            for (index, (value, given)) in self.group_mut(group).iter_mut().zip(given).enumerate() {
                match (group, limits.get(index)) {
                    (Group::RefPos, _) if is_grasping[index] => {}
                    (Group::RefPos, Some(limit)) => *value = clamp(f64::from(*given), limit),
                    _ => *value = f64::from(*given),
                }
            }
        }
        Ok(())
    }

    fn check(&self, command: &Command) -> Result<(), CommandError> {
        for group in Group::ALL {
            let Some(given) = command.group(group) else { continue };
            for (index, &value) in given.iter().enumerate().take(self.motor_count) {
                if !value.is_finite() {
                    return Err(CommandError::NotFinite { group, index, value });
                }
                if group.is_gain() && value < 0.0 {
                    return Err(CommandError::Negative { group, index, value });
                }
            }
        }
        Ok(())
    }

    /// Sets `ref_pos` of the motor `index`, clamped to `limit`.
    pub(crate) fn place(&mut self, index: usize, position: f64, limit: &Limit) {
        if let Some(value) = self.group_mut(Group::RefPos).get_mut(index) {
            *value = clamp(position, limit);
        }
    }

    /// The setpoints that hold `position` \[rad\] at rest with `gain` times these gains, without a cap: the reference must not
    /// travel to where the motors already are.
    #[must_use]
    pub fn held_at(&self, position: [f64; MAX], gain: f64) -> Self {
        let gains = |gains: &[f64; MAX]| gains.map(|value| value * gain);
        Self::new(self.motor_count, position, gains(&self.gain_pos), gains(&self.gain_vel))
    }

    /// The command that sets `ref_pos` to these values; 0 beyond the motor count.
    pub fn ref_pos_command(&self) -> Command {
        let mut values = [0.0; MAX];
        for (to, from) in values.iter_mut().zip(self.group(Group::RefPos)) {
            *to = *from as f32;
        }
        Command { ref_pos: Some(values), ..Command::default() }
    }
}

/// `limit` came from a description, in which the minimum is not above the maximum; `f64::clamp` would panic on others.
fn clamp(position: f64, limit: &Limit) -> f64 {
    position.min(f64::from(limit.maximum)).max(f64::from(limit.minimum))
}

/// The reference of each motor's servo: it moves toward `ref_pos`, at most as fast as `ref_vel_max` allows.
///
/// r ← r + clamp(ref_pos - r, ±cap·dt), and the reference velocity is clamp(ref_vel, ±cap); without a cap r = ref_pos.
/// # Source
/// HAPTIX: the cap of `hxCommand::ref_vel_max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// \[rad\]
    position: [f64; MAX],
}

impl Reference {
    /// A reference at `position` \[rad\].
    pub const fn at(position: [f64; MAX]) -> Self {
        Self { position }
    }

    /// Advances the motor `index` by `dt` \[s\] and returns the reference's position \[rad\] and velocity \[rad/s\].
    pub fn advance(&mut self, index: usize, setpoints: &Setpoints, dt: f64) -> (f64, f64) {
        let (Some(position), Some(&target)) =
            (self.position.get_mut(index), setpoints.group(Group::RefPos).get(index))
        else {
            return (0.0, 0.0);
        };
        let (cap, velocity) = (setpoints.ref_vel_max[index], setpoints.ref_vel[index]);
        if cap > 0.0 {
            let way = target - *position;
            // A way within the cap must end exactly at the target.
            *position = if way.abs() <= cap * dt { target } else { *position + (cap * dt).copysign(way) };
            (*position, velocity.clamp(-cap, cap))
        } else {
            *position = target;
            (target, velocity)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [bool; MAX] = [false; MAX];

    fn limits() -> [Limit; 2] {
        [Limit { minimum: -1.0, maximum: 2.0 }, Limit { minimum: 0.0, maximum: 0.5 }]
    }

    fn setpoints() -> Setpoints {
        Setpoints::new(2, [0.0; MAX], [1.0; MAX], [0.5; MAX])
    }

    fn values(first: f32, second: f32) -> Option<[f32; MAX]> {
        let mut values = [f32::NAN; MAX];
        (values[0], values[1]) = (first, second);
        Some(values)
    }

    #[test]
    fn a_given_group_replaces_its_values_and_a_missing_one_keeps_them() {
        let mut latched = setpoints();
        let first = Command {
            ref_pos: values(0.5, 0.25),
            ref_vel: values(3.0, -4.0),
            ref_vel_max: values(-1.0, 7.0),
            gain_pos: values(2.0, 0.0),
            gain_vel: values(0.25, 8.0),
        };
        latched.take(&first, &limits(), &NONE).unwrap();
        let all = |latched: &Setpoints| Group::ALL.map(|group| latched.group(group).to_vec());
        let expected = [vec![0.5, 0.25], vec![3.0, -4.0], vec![-1.0, 7.0], vec![2.0, 0.0], vec![0.25, 8.0]];
        assert_eq!(all(&latched), expected);
        latched.take(&Command::default(), &limits(), &NONE).unwrap();
        assert_eq!(all(&latched), expected);
        for group in Group::ALL {
            let mut one = Command::default();
            let field = match group {
                Group::RefPos => &mut one.ref_pos,
                Group::RefVel => &mut one.ref_vel,
                Group::RefVelMax => &mut one.ref_vel_max,
                Group::GainPos => &mut one.gain_pos,
                Group::GainVel => &mut one.gain_vel,
            };
            *field = values(0.125, 0.0);
            let mut changed = latched;
            changed.take(&one, &limits(), &NONE).unwrap();
            for (other, before) in Group::ALL.into_iter().zip(&expected) {
                let after = if other == group { &vec![0.125, 0.0] } else { before };
                assert_eq!(changed.group(other), after, "{} by {}", other.name(), group.name());
            }
        }
    }

    #[test]
    fn a_position_is_clamped_to_the_limit_of_its_motor() {
        let mut latched = setpoints();
        let far = Command { ref_pos: values(-1e30, 9.0), ..Command::default() };
        latched.take(&far, &limits(), &NONE).unwrap();
        assert_eq!(latched.group(Group::RefPos), [-1.0, 0.5]);
    }

    #[test]
    fn a_wrong_live_value_refuses_the_whole_command_by_name() {
        let good = Command { ref_pos: values(0.5, 0.25), ..Command::default() };
        let cases = [
            (
                Command { ref_vel: values(1.0, f32::NAN), ..good },
                "ref_vel[1] is NaN, must be a finite number [rad/s]",
            ),
            (
                Command { ref_pos: values(f32::NEG_INFINITY, 0.0), ..good },
                "ref_pos[0] is -inf, must be a finite number [rad]",
            ),
            (
                Command { ref_vel_max: values(f32::INFINITY, 0.0), ..good },
                "ref_vel_max[0] is inf, must be a finite number [rad/s]",
            ),
            (
                Command { gain_pos: values(0.0, -0.5), ..good },
                "gain_pos[1] is -0.5, must be 0 or more N·m/rad",
            ),
            (
                Command { gain_vel: values(-1.0, 0.0), ..good },
                "gain_vel[0] is -1, must be 0 or more N·m·s/rad",
            ),
        ];
        for (command, text) in cases {
            let mut latched = setpoints();
            let error = latched.take(&command, &limits(), &NONE).unwrap_err();
            assert_eq!(error.to_string(), text);
            assert_eq!(latched, setpoints());
        }
    }

    #[test]
    fn a_grasping_motor_keeps_its_position_and_takes_the_rest() {
        let mut latched = setpoints();
        let mut is_grasping = NONE;
        is_grasping[0] = true;
        let command = Command { ref_pos: values(0.5, 0.25), ref_vel: values(1.0, 1.0), ..Command::default() };
        latched.take(&command, &limits(), &is_grasping).unwrap();
        assert_eq!((latched.ref_pos[0], latched.ref_pos[1], latched.ref_vel[0]), (0.0, 0.25, 1.0));
    }

    #[test]
    fn the_reference_moves_at_the_cap_and_ends_exactly_at_the_target() {
        let mut setpoints = setpoints();
        (setpoints.ref_pos[0], setpoints.ref_vel[0], setpoints.ref_vel_max[0]) = (-0.25, 9.0, 1.0);
        let mut reference = Reference::at([0.0; MAX]);
        // 0.25 rad at 1 rad/s in steps of 0.1 s
        let way: Vec<f64> = (0..4).map(|_| reference.advance(0, &setpoints, 0.1).0).collect();
        assert_eq!(way, [-0.1, -0.2, -0.25, -0.25]);
        assert_eq!(reference.advance(0, &setpoints, 0.1), (-0.25, 1.0));
        for no_cap in [0.0, -1.0] {
            setpoints.ref_vel_max[0] = no_cap;
            assert_eq!(Reference::at([0.0; MAX]).advance(0, &setpoints, 0.1), (-0.25, 9.0));
        }
        assert_eq!(reference.advance(2, &setpoints, 0.1), (0.0, 0.0), "there is no third motor");
    }

    #[test]
    fn a_hold_has_the_given_position_no_velocity_no_cap_and_reduced_gains() {
        let mut setpoints = setpoints();
        (setpoints.ref_pos[0], setpoints.ref_vel[0], setpoints.ref_vel_max[0]) = (1.0, 2.0, 3.0);
        let mut position = [0.0; MAX];
        position[0] = 0.125;
        let held = setpoints.held_at(position, 0.5);
        let all = Group::ALL.map(|group| held.group(group)[0]);
        assert_eq!(all, [0.125, 0.0, 0.0, 0.5, 0.25]);
    }
}
