use core::time::Duration;

use crate::StopState;

/// A colour: red, green, blue, 0 to 255.
pub type Rgb = [u8; 3];

const OFF: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
const RED: Rgb = [255, 0, 0];

/// How long a blinking light is on, and then off.
///
/// # Source
/// hindbrain, blink interval of 100 ms; an inverted comparison made it blink in every loop.
pub const BLINK: Duration = Duration::from_millis(100);

/// The lights of the vehicle: two groups of pixels, each with a colour for its even and its odd pixels.
///
/// | state | rings | strips |
/// |---|---|---|
/// | `OK` | white | every other pixel red |
/// | `SSTOP.*` | white and red in turn | red |
/// | `ESTOP`, fault | red, blinking | red, blinking |
///
/// # Source
/// hindbrain (Bravo, 2016), versions of 7 December; pixels are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leds {
    /// The even and the odd pixels of the two rings.
    pub rings: [Rgb; 2],
    /// The even and the odd pixels of the two strips.
    pub strips: [Rgb; 2],
    /// The time on and the time off; `None` is steady.
    pub blink: Option<Duration>,
}

impl From<StopState> for Leds {
    fn from(state: StopState) -> Self {
        match state {
            StopState::Ok => Self { rings: [WHITE; 2], strips: [RED, OFF], blink: None },
            StopState::SoftRos | StopState::SoftIr | StopState::SoftBoth => {
                Self { rings: [WHITE, RED], strips: [RED; 2], blink: None }
            }
            StopState::Estop | StopState::Fault => {
                Self { rings: [RED; 2], strips: [RED; 2], blink: Some(BLINK) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lights_distinguish_the_three_states() {
        let (ok, soft, estop) =
            (Leds::from(StopState::Ok), Leds::from(StopState::SoftRos), Leds::from(StopState::Estop));
        assert_eq!((ok.rings, ok.strips, ok.blink), ([WHITE, WHITE], [RED, OFF], None));
        assert_eq!((soft.rings, soft.strips, soft.blink), ([WHITE, RED], [RED, RED], None));
        assert_eq!((estop.rings, estop.strips, estop.blink), ([RED, RED], [RED, RED], Some(BLINK)));
        assert_eq!(Leds::from(StopState::SoftBoth), soft);
        assert_eq!(Leds::from(StopState::SoftIr), soft);
        assert_eq!(Leds::from(StopState::Fault), estop);
    }
}
