use haptix::MAX;

/// The state that the demo has received on the topics.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Whether the services are there.
    pub has_services: bool,
    /// The names of the hand's parts.
    pub names: Option<Names>,
    /// Activity of the hand: the first word of its state.
    pub state: Option<String>,
    /// The last reading.
    pub reading: Option<Reading>,
    /// The strongest force on each contact sensor so far \[N\].
    pub strongest: [f32; MAX],
}

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
    /// \[rad\]
    pub joint_pos: [f32; MAX],
    /// \[N\]
    pub contact: [f32; MAX],
    /// In the frames of the inertial units \[m/s²\].
    pub acceleration: [[f32; 3]; MAX],
}

/// The state of a hand that has given no reading yet.
pub const STARTING: &str = "STARTING";

impl Observed {
    /// The topics and services that nothing was received from yet.
    pub fn missing(&self) -> Vec<&'static str> {
        [
            (self.has_services, "haptix/* (services)"),
            (self.names.is_some(), "haptix/robot_description"),
            (self.state.as_ref().is_some_and(|state| state != STARTING), "haptix/state"),
            (self.reading.is_some(), "haptix/sensor"),
        ]
        .into_iter()
        .filter_map(|(is_received, topic)| (!is_received).then_some(topic))
        .collect()
    }

    /// Takes a reading.
    pub fn read(&mut self, reading: Reading) {
        for (strongest, force) in self.strongest.iter_mut().zip(reading.contact) {
            *strongest = strongest.max(force);
        }
        self.reading = Some(reading);
    }

    /// The contact sensors with their forces in the last reading \[N\].
    pub fn forces(&self) -> Vec<(&str, f32)> {
        let names = self.names.iter().flat_map(|names| &names.contacts).map(String::as_str);
        names.zip(self.reading.unwrap_or_default().contact).collect()
    }
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
    fn a_hand_that_is_starting_is_waited_for() {
        let mut observed = Observed { state: Some(STARTING.into()), ..Observed::default() };
        assert_eq!(observed.missing().len(), 4);
        observed.state = Some("HOLDING".into());
        assert!(!observed.missing().contains(&"haptix/state"));
    }

    #[test]
    fn a_force_is_found_by_its_name() {
        let names = Names { contacts: vec!["palm".into(), "tip".into()], imus: vec![] };
        let mut reading = Reading::default();
        reading.contact[1] = 2.5;
        assert_eq!(names.forces(&["tip", "toe"], &reading), [("tip", 2.5), ("toe", 0.0)]);
        let mut observed = Observed { names: Some(names), ..Observed::default() };
        observed.read(reading);
        observed.read(Reading::default());
        assert_eq!((observed.strongest[1], observed.forces()), (2.5, vec![("palm", 0.0), ("tip", 0.0)]));
    }
}
