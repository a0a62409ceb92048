use nodes::hindbrain::MOTORS;
use nodes::luci_topics;
use zones::Zone;

use crate::pilot::missing;
use crate::vehicle::operator_input::Stick;
use crate::vehicle::record::STAND;

/// The state that the demo has received on the topics.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The robot's pose.
    pub pose: Option<Pose>,
    /// The distance travelled since the first pose \[m\].
    pub travelled: f64,
    /// The sixteen factors, in the order of `luci_messages/LuciZoneScaling`.
    pub scaling: Option<[f32; 16]>,
    /// The zone scaler's last result.
    pub applied: Option<Applied>,
    /// The position of the stick.
    pub stick: Option<Stick>,
    /// The source that drives.
    pub source: Option<String>,
    /// hindbrain's state.
    pub state: Option<String>,
    /// The last value for the port motor.
    pub port: Option<i16>,
    /// The last value for the starboard motor.
    pub starboard: Option<i16>,
}

/// A robot's position and heading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// In the map's axes \[m\].
    pub point: [f64; 2],
    /// Counter-clockwise from the map's x axis \[rad\].
    pub heading: f64,
}

/// The zone scaler's result for a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Applied {
    /// The zone that the command points into; `None` if there is no such zone.
    pub zone: Option<Zone>,
    /// The factor on forward and back.
    pub forward_back: f32,
    /// The factor on right and left.
    pub left_right: f32,
}

impl Applied {
    /// The zone's name.
    pub fn zone_name(&self) -> String {
        self.zone.map_or_else(|| "no such zone".into(), |zone| zone.to_string())
    }
}

impl Observed {
    /// The topics without a message yet; `stick`: whether there is a stick.
    pub fn missing(&self, stick: bool) -> Vec<&'static str> {
        missing(&[
            (self.pose.is_some(), "odom"),
            (self.scaling.is_some(), luci_topics::SCALING),
            (self.stick.is_some() || !stick, "joystick/device/Demo_Pad"),
            (self.source.is_some(), "velocity_arbiter/active"),
            (self.state.is_some(), "hind/state"),
            (self.port.is_some(), MOTORS[0]),
            (self.starboard.is_some(), MOTORS[1]),
        ])
    }

    /// The values of both motors; stop if none was received.
    pub fn motors(&self) -> [i16; 2] {
        let [port, starboard] = STAND;
        [self.port.unwrap_or(port), self.starboard.unwrap_or(starboard)]
    }

    /// Records the robot's pose.
    pub fn moved(&mut self, pose: Pose) {
        if let Some(Pose { point: [x, y], .. }) = self.pose {
            self.travelled += (pose.point[0] - x).hypot(pose.point[1] - y);
        }
        self.pose = Some(pose);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_the_sum_of_its_parts() {
        let mut observed = Observed::default();
        for point in [[1.0, 1.0], [4.0, 5.0], [4.0, 4.0]] {
            observed.moved(Pose { point, heading: 0.0 });
        }
        // 3-4-5, then one back
        assert_eq!(observed.travelled, 6.0);
    }

    #[test]
    fn a_topic_is_missing_until_its_first_message() {
        let mut observed = Observed::default();
        assert_eq!(observed.missing(true).len(), 7);
        assert_eq!(observed.missing(false).len(), 6);
        observed.state = Some("ESTOP".into());
        assert!(!observed.missing(true).contains(&"hind/state"));
    }

    #[test]
    fn zones_have_luci_s_numbers() {
        let name = |number| {
            let zone = Zone::from_number(number);
            Applied { zone, forward_back: 1.0, left_right: 1.0 }.zone_name()
        };
        assert_eq!(
            (name(0), name(8), name(9), name(-1)),
            ("front".into(), "origin".into(), "no such zone".into(), "no such zone".into())
        );
    }
}
