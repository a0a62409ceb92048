//! The state of one device as reported to the sink.

use crate::details::{Battery, Capabilities, Details};
use crate::event::{Event, Hat};
use crate::sdl::events::Sensor;

/// The state of a device as last reported to the sink; produces events only for changes.
///
/// SDL repeats itself: the first pump after opening sends each axis of a virtual joystick its initial value twice, and
/// the first real motion of an axis is preceded by its value at rest.
pub(crate) struct ReportedState {
    id: u32,
    axes: Vec<i16>,
    buttons: Vec<bool>,
    hats: Vec<Hat>,
    battery: Battery,
    capabilities: Capabilities,
    measured: Measurements,
}

/// The current state inside SDL; entries that the device does not have are at rest.
pub(crate) trait Positions {
    fn axis(&self, axis: usize) -> i16;
    fn button(&self, button: usize) -> bool;
    fn hat(&self, hat: usize) -> Hat;
}

/// The last sensor measurements, and whether they are unreported.
#[derive(Default)]
struct Measurements {
    acceleration: Option<[f32; 3]>,
    angular_velocity: Option<[f32; 3]>,
    unreported: [bool; 2],
}

impl ReportedState {
    pub(crate) fn new(id: u32, axes: Vec<i16>, buttons: Vec<bool>, hats: Vec<Hat>) -> ReportedState {
        let (battery, capabilities, measured) = Default::default();
        ReportedState { id, axes, buttons, hats, battery, capabilities, measured }
    }

    /// The [`Event::Connected`] of the device.
    pub(crate) fn connected(&mut self, name: String, guid: String, details: Details) -> Event {
        (self.battery, self.capabilities) = (details.battery, details.capabilities);
        let (axes, buttons, hats) = (self.axes.clone(), self.buttons.clone(), self.hats.clone());
        Event::Connected { id: self.id, name, guid, axes, buttons, hats, details: Box::new(details) }
    }

    /// The event with the complete state.
    pub(crate) fn state(&self) -> Event {
        let (axes, buttons, hats) = (self.axes.clone(), self.buttons.clone(), self.hats.clone());
        Event::State { id: self.id, axes, buttons, hats }
    }

    /// The event for an axis, if it is a change. An axis that the device does not have is ignored.
    pub(crate) fn axis(&mut self, axis: usize, value: i16) -> Option<Event> {
        change(&mut self.axes, axis, value).then_some(Event::Axis { id: self.id, axis, value })
    }

    /// The event for a button, if it is a change. A button that the device does not have is ignored.
    pub(crate) fn button(&mut self, button: usize, pressed: bool) -> Option<Event> {
        change(&mut self.buttons, button, pressed).then_some(Event::Button { id: self.id, button, pressed })
    }

    /// The event for a hat, if it is a change. A hat that the device does not have is ignored.
    pub(crate) fn hat(&mut self, hat: usize, state: Hat) -> Option<Event> {
        change(&mut self.hats, hat, state).then_some(Event::Hat { id: self.id, hat, state })
    }

    /// The events for all values that differ from the reported state; none if SDL has sent all events.
    ///
    /// # Source
    /// Own: SDL 2 takes the first value of an axis, and a centre value after one at its end, as the rest position
    /// (`SDL_PrivateJoystickAxis`) and sends no event: a stick deflected at the connection and then released would
    /// appear deflected.
    pub(crate) fn compare(&mut self, positions: &impl Positions, events: &mut Vec<Event>) {
        for axis in 0..self.axes.len() {
            events.extend(self.axis(axis, positions.axis(axis)));
        }
        for button in 0..self.buttons.len() {
            events.extend(self.button(button, positions.button(button)));
        }
        for hat in 0..self.hats.len() {
            events.extend(self.hat(hat, positions.hat(hat)));
        }
    }

    /// The event for the capabilities, if they changed.
    pub(crate) fn capabilities(&mut self, capabilities: Capabilities) -> Option<Event> {
        let id = self.id;
        (std::mem::replace(&mut self.capabilities, capabilities) != capabilities)
            .then_some(Event::CapabilitiesChanged { id, capabilities })
    }

    /// The event for the battery, if it is a change.
    pub(crate) fn battery(&mut self, battery: Battery) -> Option<Event> {
        let id = self.id;
        (std::mem::replace(&mut self.battery, battery) != battery)
            .then_some(Event::BatteryChanged { id, battery })
    }

    /// Records a measurement in SDL's axes. The two sensors report one after the other and are combined into one
    /// event: a second measurement of the same sensor returns the event of the previous pair.
    pub(crate) fn measured(&mut self, sensor: Sensor, values: [f32; 3]) -> Option<Event> {
        let values = rep103(values)?;
        let place = usize::from(sensor == Sensor::Gyro);
        let before = if self.measured.unreported[place] { self.measurement() } else { None };
        self.measured.unreported[place] = true;
        match sensor {
            Sensor::Accelerometer => self.measured.acceleration = Some(values),
            Sensor::Gyro => self.measured.angular_velocity = Some(values),
        }
        before
    }

    /// The event for unreported measurements.
    pub(crate) fn measurement(&mut self) -> Option<Event> {
        let Measurements { acceleration, angular_velocity, ref mut unreported } = self.measured;
        let is_new = std::mem::take(unreported).contains(&true);
        is_new.then_some(Event::SensorMoved { id: self.id, acceleration, angular_velocity })
    }

    /// Discards measurements: the sensors are off.
    pub(crate) fn forget_measurements(&mut self) {
        self.measured = Measurements::default();
    }
}

fn change<T: PartialEq>(known: &mut [T], index: usize, value: T) -> bool {
    match known.get_mut(index) {
        Some(slot) if *slot != value => {
            *slot = value;
            true
        }
        _ => false,
    }
}

/// Converts a sensor vector of a gamepad from SDL's axes to those of REP-103.
///
/// The pad is held in the usual way. SDL: x to the right, y up out of the buttons, z towards the player. REP-103: x
/// forward (away from the player), y to the left, z up. Both are right-handed, so one rule serves acceleration
/// \[m/s²] and angular velocity \[rad/s]: `(x, y, z) = (-z, -x, y)` of SDL's.
///
/// An acceleration includes the reaction to gravity: at rest it is 9.81 m/s² upwards, as in `sensor_msgs/Imu`. `None`
/// if a number is not finite.
///
/// # Source
/// `SDL_sensor.h` ("farther ... closer" is its z, turning counter-clockwise is positive); REP-103.
pub(crate) fn rep103([x, y, z]: [f32; 3]) -> Option<[f32; 3]> {
    [x, y, z].into_iter().all(f32::is_finite).then_some([-z, -x, y])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_is_suppressed_and_a_change_is_reported_once() {
        let mut known = ReportedState::new(7, vec![0, -32768], vec![false], vec![Hat::default()]);
        assert_eq!(known.axis(1, -32768), None);
        assert_eq!(known.axis(1, 5), Some(Event::Axis { id: 7, axis: 1, value: 5 }));
        assert_eq!(known.axis(1, 5), None);
        assert_eq!(known.button(0, false), None);
        assert_eq!(known.button(0, true), Some(Event::Button { id: 7, button: 0, pressed: true }));
        let up = Hat { up: true, ..Hat::default() };
        assert_eq!(known.hat(0, Hat::default()), None);
        assert_eq!(known.hat(0, up), Some(Event::Hat { id: 7, hat: 0, state: up }));
    }

    /// The state of a pad with two axes, one button and one hat.
    struct At([i16; 2], bool, Hat);

    impl Positions for At {
        fn axis(&self, axis: usize) -> i16 {
            self.0[axis]
        }

        fn button(&self, _: usize) -> bool {
            self.1
        }

        fn hat(&self, _: usize) -> Hat {
            self.2
        }
    }

    #[test]
    fn a_change_without_an_sdl_event_is_reported_once() {
        let up = Hat { up: true, ..Hat::default() };
        let mut known = ReportedState::new(7, vec![-32768, 0], vec![true], vec![up]);
        let mut events = Vec::new();
        known.compare(&At([-32768, 0], true, up), &mut events);
        assert_eq!(events, []);
        let let_go = At([0, 0], false, Hat::default());
        known.compare(&let_go, &mut events);
        let expected = [
            Event::Axis { id: 7, axis: 0, value: 0 },
            Event::Button { id: 7, button: 0, pressed: false },
            Event::Hat { id: 7, hat: 0, state: Hat::default() },
        ];
        assert_eq!(events, expected);
        known.compare(&let_go, &mut events);
        assert_eq!(events.len(), 3);
    }

    #[test]
    fn capabilities_are_reported_when_they_change() {
        let mut known = known();
        let gyro = Capabilities { gyro: true, ..Capabilities::default() };
        assert_eq!(known.capabilities(Capabilities::default()), None);
        assert_eq!(known.capabilities(gyro), Some(Event::CapabilitiesChanged { id: 7, capabilities: gyro }));
        assert_eq!(known.capabilities(gyro), None);
    }

    fn known() -> ReportedState {
        ReportedState::new(7, vec![], vec![], vec![])
    }

    #[test]
    fn a_battery_is_reported_when_it_changes() {
        let mut known = known();
        assert_eq!(known.battery(Battery::Unknown), None);
        let low = Event::BatteryChanged { id: 7, battery: Battery::Low };
        assert_eq!(known.battery(Battery::Low), Some(low));
        assert_eq!(known.battery(Battery::Low), None);
    }

    #[test]
    fn both_sensors_are_reported_together() {
        let mut known = known();
        let moved = |acceleration, angular_velocity| {
            Some(Event::SensorMoved { id: 7, acceleration, angular_velocity })
        };
        assert_eq!(known.measurement(), None);
        assert_eq!(known.measured(Sensor::Gyro, [0.0, 1.0, 0.0]), None);
        assert_eq!(known.measured(Sensor::Accelerometer, [0.0, 2.0, 0.0]), None);
        // A pad that sends two samples in one report: the first pair is reported when the second one starts.
        assert_eq!(
            known.measured(Sensor::Gyro, [0.0, 3.0, 0.0]),
            moved(Some([0.0, 0.0, 2.0]), Some([0.0, 0.0, 1.0]))
        );
        assert_eq!(known.measurement(), moved(Some([0.0, 0.0, 2.0]), Some([0.0, 0.0, 3.0])));
        assert_eq!(known.measurement(), None);
        known.forget_measurements();
        assert_eq!(known.measured(Sensor::Gyro, [0.0, f32::NAN, 0.0]), None);
        assert_eq!(known.measurement(), None);
        assert_eq!(known.measured(Sensor::Gyro, [0.0, 4.0, 0.0]), None);
        assert_eq!(known.measurement(), moved(None, Some([0.0, 0.0, 4.0])));
    }

    #[test]
    fn an_event_for_a_missing_input_is_ignored() {
        let mut known = ReportedState::new(7, vec![0], vec![], vec![]);
        assert_eq!(known.axis(1, 5), None);
        assert_eq!(known.button(0, true), None);
        assert_eq!(known.hat(0, Hat { up: true, ..Hat::default() }), None);
    }

    const G: f32 = 9.806_65; // SDL_STANDARD_GRAVITY

    #[test]
    fn a_pad_on_the_table_is_accelerated_upwards() {
        // SDL: "a device at rest will have a value of SDL_STANDARD_GRAVITY away from the center of the earth", its y.
        assert_eq!(rep103([0.0, G, 0.0]), Some([-0.0, -0.0, G]));
    }

    #[test]
    fn ahead_is_x_and_left_is_y() {
        // Pushed away from the player: SDL's z points towards the player, so it is negative.
        assert_eq!(rep103([0.0, 0.0, -2.0]), Some([2.0, -0.0, 0.0]));
        // Pushed to the left: SDL's x points to the right.
        assert_eq!(rep103([-3.0, 0.0, 0.0]), Some([-0.0, 3.0, 0.0]));
    }

    #[test]
    fn a_turn_to_the_left_is_positive_about_z() {
        // Seen from above counter-clockwise: SDL's yaw about its y, which points up, is positive too.
        assert_eq!(rep103([0.0, 1.0, 0.0]), Some([-0.0, -0.0, 1.0]));
        // The front goes down: about SDL's x (right) that is clockwise seen from the right, hence negative; about
        // REP-103's y (left) the front going down is positive.
        assert_eq!(rep103([-1.0, 0.0, 0.0]), Some([-0.0, 1.0, 0.0]));
        // The right side goes down: about REP-103's x (forward) positive, about SDL's z (towards the player) negative.
        assert_eq!(rep103([0.0, 0.0, -1.0]), Some([1.0, -0.0, 0.0]));
    }

    #[test]
    fn both_frames_are_right_handed() {
        // x cross y = z must hold for the images of SDL's unit vectors.
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|v| rep103(v).unwrap());
        let cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
        assert_eq!(cross, z);
    }

    #[test]
    fn a_value_that_is_not_finite_is_no_measurement() {
        assert_eq!(rep103([f32::NAN, 0.0, 0.0]), None);
        assert_eq!(rep103([0.0, f32::INFINITY, 0.0]), None);
    }
}
