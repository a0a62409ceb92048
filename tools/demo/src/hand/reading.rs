use haptix::MAX;

/// The names of the hand's parts, in the order of the values of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Of the contact sensors.
    pub contacts: Vec<String>,
    /// Of the inertial units.
    pub imus: Vec<String>,
}

/// A reading of the sensors, as far as the demo uses it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// \[rad\]
    pub motor_pos: [f32; MAX],
    /// \[rad/s\]
    pub motor_vel: [f32; MAX],
    /// \[N\]
    pub contact: [f32; MAX],
    /// In the frames of the inertial units \[m/s²\].
    pub acceleration: [[f32; 3]; MAX],
}

impl Names {
    /// The forces of a reading on the sensors `wanted` \[N\]; 0 on one that the hand does not have.
    pub fn forces<'a>(&self, wanted: &'a [&'a str], reading: &Reading) -> Vec<(&'a str, f32)> {
        let force = |name: &str| {
            let index = self.contacts.iter().position(|known| known == name);
            index.and_then(|index| reading.contact.get(index)).copied().unwrap_or(0.0)
        };
        wanted.iter().map(|name| (*name, force(name))).collect()
    }
}

impl Reading {
    /// Its force where that is greatest \[N\].
    pub fn greatest_force(&self) -> f32 {
        self.contact.iter().copied().fold(0.0, f32::max)
    }

    /// How far the motor is that is furthest from `positions` \[rad\].
    pub fn distance(&self, positions: &[f32; MAX]) -> f32 {
        self.motor_pos.iter().zip(positions).fold(0.0, |far, (own, other)| far.max((own - other).abs()))
    }

    /// The speed of the fastest motor \[rad/s\].
    pub fn speed(&self) -> f32 {
        self.motor_vel.iter().fold(0.0, |speed, velocity| speed.max(velocity.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_force_is_found_by_its_name() {
        let names = Names { contacts: vec!["palm".into(), "tip".into()], imus: vec![] };
        let mut reading = Reading::default();
        reading.contact[1] = 2.5;
        assert_eq!(names.forces(&["tip", "toe"], &reading), [("tip", 2.5), ("toe", 0.0)]);
    }
}
