use crate::{AxisMapping, Dynamics, EnableButtons, FrameButtons, Mappings};

/// Whether the stick drives, and in which speed range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// The reference is passed on.
    Inactive,
    /// The full range.
    Full,
    /// Between full and slow, when both buttons are held.
    Both,
    /// The range divided by the slow factor.
    Slow,
}

impl Activity {
    /// Evaluates buttons and latch. A button that the stick does not have counts as up.
    ///
    /// | mapped | on | slow | latch | |
    /// |---|---|---|---|---|
    /// | none | | | | full |
    /// | any | up | up | 0 | inactive |
    /// | any | up | up | 1 | full |
    /// | any | down | up | any | full |
    /// | any | up | down | any | slow |
    /// | any | down | down | any | both |
    ///
    /// # Source
    /// joystick-genom3 1.1 `set_mappings`; own: with the latch set the buttons only select the speed range and never
    /// deactivate.
    pub(crate) fn of(enable: &EnableButtons, is_held: impl Fn(usize) -> bool, latch: bool) -> Self {
        if *enable == EnableButtons::default() {
            return Self::Full;
        }
        let down = |button: Option<usize>| button.is_some_and(&is_held);
        match (down(enable.on), down(enable.slow), latch) {
            (false, false, false) => Self::Inactive,
            (false, true, _) => Self::Slow,
            (true, true, _) => Self::Both,
            (true, false, _) | (false, false, true) => Self::Full,
        }
    }

    /// Whether the stick drives.
    pub(crate) fn is_active(self) -> bool {
        self != Self::Inactive
    }

    /// The divisor of the accelerations, at least 1.
    ///
    /// # Source
    /// joystick-genom3 1.1: `slow`, and half of it with both buttons; own: at least 1, since a button for slow motion
    /// must not exceed `amax`.
    pub(crate) fn divisor(self, slow: f64) -> f64 {
        match self {
            Self::Inactive | Self::Full => 1.0,
            Self::Both => (slow / 2.0).max(1.0),
            Self::Slow => slow.max(1.0),
        }
    }
}

/// The acceleration \[m/s², rad/s²] that a full stick commands a coordinate, and the speed \[m/s, rad/s] that it settles at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub(crate) acceleration: f64,
    /// Infinite or not a number without drag.
    pub(crate) speed: f64,
}

impl Reach {
    /// The reach of each coordinate, linear then angular, in this speed range.
    pub(crate) fn of(mappings: &Mappings, dynamics: &Dynamics, activity: Activity) -> [Self; 6] {
        let Dynamics { drag, amax, awmax, slow } = *dynamics;
        let divisor = activity.divisor(slow);
        let is_slow = matches!(activity, Activity::Both | Activity::Slow);
        let of = |mapping: AxisMapping, most: f64| {
            let slow_speed = mapping.slow_speed.filter(|_| is_slow);
            let acceleration = most / divisor;
            match slow_speed.or(mapping.max_speed.map(|speed| speed / divisor)) {
                Some(speed) => Self { acceleration: speed * drag, speed },
                None => Self { acceleration, speed: acceleration / drag },
            }
        };
        let ([x, y, z], [ax, ay, az]) = (
            mappings.linear.map(|mapping| of(mapping, amax)),
            mappings.angular.map(|mapping| of(mapping, awmax)),
        );
        [x, y, z, ax, ay, az]
    }
}

/// State that outlasts a release: the takeover's latch and the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub(crate) latch: bool,
    pub(crate) intrinsic: bool,
    requested: FrameRequest,
}

/// The frame requested by buttons since it was last applied.
#[derive(Clone, Copy, Debug, Default)]
struct FrameRequest {
    intrinsic: bool,
    world: bool,
    flip: bool,
}

impl Mode {
    /// No takeover, in the frame `intrinsic`.
    pub(crate) fn new(intrinsic: bool) -> Self {
        Self { latch: false, intrinsic, requested: FrameRequest::default() }
    }

    /// Handles a press of `button`; only presses count, not the held state.
    pub(crate) fn pressed(&mut self, button: usize, mappings: &Mappings) {
        let FrameButtons { intrinsic, world, toggle } = mappings.coords;
        self.latch ^= mappings.enable.toggle == Some(button);
        self.requested.intrinsic |= intrinsic == Some(button);
        self.requested.world |= world == Some(button);
        self.requested.flip ^= toggle == Some(button);
    }

    /// Ends the takeover.
    pub(crate) fn release(&mut self) {
        self.latch = false;
    }

    /// Selects the frame.
    pub(crate) fn select(&mut self, intrinsic: bool) {
        self.intrinsic = intrinsic;
    }

    /// Selects the frame that the buttons requested since the last call. Requests for both frames cancel each other,
    /// and so do two presses of the toggle.
    pub(crate) fn apply_frame(&mut self) {
        let FrameRequest { intrinsic, world, flip } = core::mem::take(&mut self.requested);
        if intrinsic != world {
            self.intrinsic = intrinsic;
        }
        self.intrinsic ^= flip;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AxisMapping, Shape};

    const ALL: EnableButtons = EnableButtons { on: Some(0), slow: Some(1), toggle: Some(2) };

    fn held(buttons: &[bool]) -> impl Fn(usize) -> bool {
        |button| buttons.get(button) == Some(&true)
    }

    #[test]
    fn the_divisor_table_holds() {
        // on, slow, latch => divisor with slow = 4; None is inactive
        let table = [
            (false, false, false, None),
            (true, false, false, Some(1.0)),
            (true, false, true, Some(1.0)),
            (false, true, false, Some(4.0)),
            (false, true, true, Some(4.0)),
            (true, true, false, Some(2.0)),
            (true, true, true, Some(2.0)),
            (false, false, true, Some(1.0)),
        ];
        for (on, slow, latch, divisor) in table {
            let activity = Activity::of(&ALL, held(&[on, slow]), latch);
            assert_eq!(activity.is_active().then(|| activity.divisor(4.0)), divisor, "{on} {slow} {latch}");
        }
    }

    #[test]
    fn without_any_button_it_is_always_active() {
        let none = EnableButtons::default();
        assert_eq!(Activity::of(&none, held(&[]), false), Activity::Full);
        for one in [
            EnableButtons { on: Some(0), ..none },
            EnableButtons { slow: Some(0), ..none },
            EnableButtons { toggle: Some(0), ..none },
        ] {
            assert_eq!(Activity::of(&one, held(&[false]), false), Activity::Inactive);
        }
    }

    #[test]
    fn a_button_that_the_stick_lacks_is_up() {
        assert_eq!(Activity::of(&ALL, held(&[]), false), Activity::Inactive);
        assert_eq!(Activity::of(&ALL, held(&[true]), false), Activity::Full);
    }

    #[test]
    fn slow_motion_is_never_faster_than_full() {
        for slow in [0.001, 0.5, 1.0, f64::NAN] {
            assert_eq!(Activity::Slow.divisor(slow), 1.0, "{slow}");
            assert_eq!(Activity::Both.divisor(slow), 1.0, "{slow}");
        }
        // 3 / 2 = 1.5
        assert_eq!(Activity::Both.divisor(3.0), 1.5);
    }

    #[test]
    fn without_speeds_the_reach_is_that_of_the_accelerations() {
        let dynamics = Dynamics { drag: 3.0, amax: 0.7, awmax: 1.1, slow: 7.0 };
        for (activity, divisor) in [(Activity::Full, 1.0), (Activity::Both, 3.5), (Activity::Slow, 7.0)] {
            for (reach, most) in
                Reach::of(&FRAMES, &dynamics, activity).iter().zip([0.7, 0.7, 0.7, 1.1, 1.1, 1.1])
            {
                assert_eq!(reach.acceleration.to_bits(), f64::to_bits(most / divisor), "{activity:?}");
                assert_eq!(reach.speed.to_bits(), f64::to_bits(most / divisor / 3.0), "{activity:?}");
            }
        }
    }

    const NO_AXIS: AxisMapping = AxisMapping {
        axis: None,
        offset: 0.0,
        scale: 1.0,
        shape: Shape::RAW,
        max_speed: None,
        slow_speed: None,
    };
    const FRAMES: Mappings = Mappings {
        linear: [NO_AXIS; 3],
        angular: [NO_AXIS; 3],
        enable: ALL,
        coords: FrameButtons { intrinsic: Some(3), world: Some(4), toggle: Some(5) },
    };

    fn frame_after(from: bool, presses: &[usize]) -> bool {
        let mut mode = Mode::new(from);
        for &button in presses {
            mode.pressed(button, &FRAMES);
        }
        mode.apply_frame();
        mode.intrinsic
    }

    #[test]
    fn frame_buttons_select_and_cancel() {
        for from in [false, true] {
            assert!(frame_after(from, &[3]));
            assert!(!frame_after(from, &[4]));
            assert_eq!(frame_after(from, &[5]), !from);
            assert_eq!(frame_after(from, &[5, 5]), from);
            assert_eq!(frame_after(from, &[3, 4]), from);
            assert_eq!(frame_after(from, &[4, 3]), from);
            assert!(!frame_after(from, &[3, 5]));
            assert_eq!(frame_after(from, &[9]), from);
        }
    }

    #[test]
    fn the_latch_changes_with_each_press() {
        let mut mode = Mode::new(true);
        mode.pressed(2, &FRAMES);
        assert!(mode.latch);
        mode.pressed(2, &FRAMES);
        assert!(!mode.latch);
        mode.pressed(0, &FRAMES);
        assert!(!mode.latch);
    }
}
