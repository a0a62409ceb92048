use core::fmt;

use hindbrain::StopState;

/// The motors' value for full speed, and for standing.
const FULL: i16 = 24;
const STANDS: i16 = 90;

/// Last values that the vehicle published.
#[derive(Clone, Debug, Default)]
pub struct Vehicle {
    /// The port motor's value.
    pub port: Option<i16>,
    /// The starboard motor's value.
    pub starboard: Option<i16>,
    /// The state of hindbrain; empty before the first one.
    pub state: String,
}

impl Vehicle {
    /// Whether both motors stand.
    pub fn stands(&self) -> bool {
        self.are_both(STANDS)
    }

    /// Whether both motors run forward at full speed.
    pub fn runs(&self) -> bool {
        self.are_both(FULL)
    }

    /// Whether a motor turns.
    pub fn moves(&self) -> bool {
        [self.port, self.starboard].into_iter().flatten().any(|value| value != STANDS)
    }

    fn are_both(&self, value: i16) -> bool {
        [self.port, self.starboard] == [Some(value); 2]
    }

    /// Whether hindbrain lets commands pass.
    pub fn is_ok(&self) -> bool {
        self.state == StopState::Ok.as_str()
    }

    /// Whether hindbrain waits for a reset.
    pub fn is_latched(&self) -> bool {
        self.state == StopState::Estop.as_str()
    }

    /// Whether nothing but the software switch keeps it from driving.
    pub fn waits_for_enable(&self) -> bool {
        self.state == StopState::SoftRos.as_str()
    }
}

/// Shown to the user when a trial fails.
impl fmt::Display for Vehicle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: Option<i16>| value.map_or("nothing yet".into(), |value| value.to_string());
        let state = if self.state.is_empty() { "nothing yet" } else { &self.state };
        let (port, starboard) = (shown(self.port), shown(self.starboard));
        write!(f, "/motor/port is {port}, /motor/starboard {starboard}, /hind/state {state}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_motor_at_rest_is_no_standing_vehicle() {
        let mut vehicle = Vehicle { port: Some(90), ..Vehicle::default() };
        assert!(!vehicle.stands(), "the other one is unknown");
        vehicle.starboard = Some(24);
        assert!(!vehicle.stands() && !vehicle.runs());
        vehicle.starboard = Some(90);
        assert!(vehicle.stands() && !vehicle.runs());
    }

    #[test]
    fn a_value_that_was_not_received_is_shown_as_such() {
        let vehicle = Vehicle { starboard: Some(91), ..Vehicle::default() };
        let sentence = "/motor/port is nothing yet, /motor/starboard 91, /hind/state nothing yet";
        assert_eq!(vehicle.to_string(), sentence);
    }
}
