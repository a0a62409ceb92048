use core::time::Duration;

use crate::client;
use crate::hand::act::Act;

/// The grasp of the script, and how far it is closed.
pub const GRASP: &str = "Cylindrical";
pub const CLOSED: f32 = 0.5;
/// The contact sensors with which it holds the ball of `config/hand.yaml`, one of each finger.
#[cfg(test)]
pub const HOLDERS: [&str; 5] =
    ["thumb_distal", "index_medial", "middle_medial", "ring_medial", "pinky_distal"];

/// The script: what is done one after the other, each for its share of `length` in percent.
///
/// The hand rests, grasps the ball and holds it, refuses a wrong command, holds by itself while the commander is silent, goes on,
/// opens, closes without the ball, and is reset.
pub fn script(length: Duration) -> client::Script<Act> {
    let grasp = |level: f32| Act::Grasp { name: GRASP.into(), level };
    let acts = [
        (Act::Rest, 8),
        (grasp(CLOSED), 12),
        (Act::Hold, 8),
        (Act::WrongCommand, 7),
        (Act::Pull, 20),
        (Act::Plug, 8),
        (grasp(0.0), 11),
        (Act::Ball(false), 3),
        (grasp(CLOSED), 11),
        (Act::Reset, 8),
        (Act::Ball(true), 4),
    ];
    client::script(length, acts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(12);

    #[test]
    fn the_shares_are_the_whole() {
        assert_eq!(script(LENGTH).iter().map(|(_, time)| *time).sum::<Duration>(), LENGTH);
    }

    #[test]
    fn the_shortest_script_leaves_time_for_each_bound() {
        let timeout = Duration::from_secs(1); // `command_timeout` of config/hand.yaml and of the node's defaults
        for (act, time) in script(LENGTH) {
            let needed = match act {
                // The longest way of a finger is 1.8 rad at 3 rad/s, and then the servo settles.
                Act::Grasp { .. } => Duration::from_millis(1300),
                Act::Pull => timeout + Duration::from_millis(600),
                Act::Ball(_) => Duration::from_millis(300),
                _ => Duration::from_millis(800),
            };
            assert!(time >= needed, "{act} {time:?}");
        }
    }
}
