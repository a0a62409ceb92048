use safety::Level;

use crate::motors::Drive;
use crate::{Snapshot, World};

safety::counters! {
    /// Counts of refusals and frequent events since the start.
    pub struct Counters {
        /// How often a wall was newly hit.
        collisions: "collisions",
        /// Servo values outside 24 to 156.
        motors_invalid: "motors invalid",
        /// How often a motor topic fell silent after both were received.
        motor_silences: "motor silences",
    }
}

impl World {
    /// The counts so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The health of the world and the reason, in one sentence.
    pub fn health(&self) -> (Level, &'static str) {
        match self.drive {
            Drive::Silent => (Level::Warn, "a motor topic is silent; the wheels are stopped"),
            Drive::Waits => (Level::Warn, "the wheels are stopped until both motor values are 90"),
            Drive::Invalid => (Level::Error, "a motor value is outside 24 to 156; the wheels are stopped"),
            Drive::Levels(_) if self.snapshot().touching => (Level::Warn, "the vehicle is held by a wall"),
            Drive::Levels(_) => (Level::Ok, "the wheels follow the motor topics"),
        }
    }

    /// Key and value pairs for `/diagnostics`. Allocates.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let Snapshot { pose, forward, turn, port, starboard, estop, .. } = self.snapshot();
        let mut report = vec![
            ("x [m]", format!("{:.3}", pose.x)),
            ("y [m]", format!("{:.3}", pose.y)),
            ("heading [rad]", format!("{:.3}", pose.heading)),
            ("forward [m/s]", format!("{forward:.3}")),
            ("turn [rad/s]", format!("{turn:.3}")),
            ("port", port.to_string()),
            ("starboard", starboard.to_string()),
            ("estop pressed", estop.to_string()),
        ];
        report.extend(self.counters.report());
        report
    }
}
