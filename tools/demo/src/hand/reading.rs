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
    /// \[N\]
    pub contact: [f32; MAX],
    /// In the frames of the inertial units \[m/s²\].
    pub acceleration: [[f32; 3]; MAX],
}
