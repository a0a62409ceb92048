//! SDL's joystick events, read from SDL's own structures.
//!
//! Why not `sdl2::event::Event`: it lacks the battery event, and has the sensor event only with SDL's HID library.

use std::mem::MaybeUninit;

use sdl2::sys;
use sdl2::{EventPump, GameControllerSubsystem};

use crate::details::Battery;
use crate::event::Hat;

/// An SDL event that this crate uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SdlEvent {
    /// The only event that carries an index; all others carry the instance id.
    Added {
        index: u32,
    },
    Removed {
        id: u32,
    },
    Axis {
        id: u32,
        axis: u8,
        value: i16,
    },
    Button {
        id: u32,
        button: u8,
        pressed: bool,
    },
    Hat {
        id: u32,
        hat: u8,
        state: Hat,
    },
    Battery {
        id: u32,
        battery: Battery,
    },
    Sensor {
        id: u32,
        sensor: Sensor,
        values: [f32; 3],
    },
    Other,
}

/// A sensor; its values are in SDL's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sensor {
    Accelerometer,
    Gyro,
}

/// Enables the SDL events of [`SdlEvent`] and no others that a gamepad could flood the queue with.
pub(crate) fn select(_pump: &EventPump, controllers: &GameControllerSubsystem) {
    controllers.set_event_state(false);
    // SAFETY: events are initialised; this one was switched off with the others.
    unsafe { sys::SDL_EventState(sys::SDL_EventType::SDL_CONTROLLERSENSORUPDATE as u32, ENABLE) };
}

// SDL_ENABLE, which the bindings give as u32.
const ENABLE: i32 = sys::SDL_ENABLE.cast_signed();

/// The next queued event; polls the devices first if none is queued.
pub(crate) fn poll(_pump: &mut EventPump) -> Option<SdlEvent> {
    let mut event = MaybeUninit::<sys::SDL_Event>::uninit();
    // SAFETY: the pump proves that SDL's events are initialised and that this is their thread. SDL writes the event
    // before it answers 1.
    unsafe { (sys::SDL_PollEvent(event.as_mut_ptr()) == 1).then(|| convert(event.assume_init_ref())) }
}

/// Whether an event is queued.
pub(crate) fn waits(_pump: &EventPump) -> bool {
    let all = sys::SDL_EventType::SDL_FIRSTEVENT as u32..=sys::SDL_EventType::SDL_LASTEVENT as u32;
    // SAFETY: as for `poll`; no event is removed.
    unsafe { sys::SDL_HasEvents(*all.start(), *all.end()) == sys::SDL_bool::SDL_TRUE }
}

/// # Safety
/// SDL wrote the event.
unsafe fn convert(event: &sys::SDL_Event) -> SdlEvent {
    use sys::SDL_EventType as Type;
    const fn is(of: Type) -> u32 {
        of as u32
    }
    const ADDED: u32 = is(Type::SDL_JOYDEVICEADDED);
    const REMOVED: u32 = is(Type::SDL_JOYDEVICEREMOVED);
    const AXIS: u32 = is(Type::SDL_JOYAXISMOTION);
    const DOWN: u32 = is(Type::SDL_JOYBUTTONDOWN);
    const UP: u32 = is(Type::SDL_JOYBUTTONUP);
    const HAT: u32 = is(Type::SDL_JOYHATMOTION);
    const BATTERY: u32 = is(Type::SDL_JOYBATTERYUPDATED);
    const SENSOR: u32 = is(Type::SDL_CONTROLLERSENSORUPDATE);
    // SAFETY: every event starts with its type, and the type defines which field of the union SDL filled. All that is
    // read are integers and floats, for which any bits are valid; the battery's level is read as the integer that it
    // is in C, since a level that the bindings do not know would not be a valid value of their enum.
    unsafe {
        match event.type_ {
            ADDED => SdlEvent::Added { index: event.jdevice.which.cast_unsigned() },
            REMOVED => SdlEvent::Removed { id: event.jdevice.which.cast_unsigned() },
            AXIS => {
                let sys::SDL_JoyAxisEvent { which, axis, value, .. } = event.jaxis;
                SdlEvent::Axis { id: which.cast_unsigned(), axis, value }
            }
            DOWN | UP => {
                let sys::SDL_JoyButtonEvent { which, button, .. } = event.jbutton;
                SdlEvent::Button { id: which.cast_unsigned(), button, pressed: event.type_ == DOWN }
            }
            HAT => {
                let sys::SDL_JoyHatEvent { which, hat, value, .. } = event.jhat;
                SdlEvent::Hat { id: which.cast_unsigned(), hat, state: Hat::from_bits(value) }
            }
            BATTERY => {
                let id = event.jbattery.which.cast_unsigned();
                let level = (&raw const event.jbattery.level).cast::<i32>().read();
                SdlEvent::Battery { id, battery: Battery::of_level(level) }
            }
            SENSOR => {
                let sys::SDL_ControllerSensorEvent { which, sensor, data, .. } = event.csensor;
                let sensor = match sensor {
                    s if s == sys::SDL_SensorType::SDL_SENSOR_ACCEL as i32 => Sensor::Accelerometer,
                    s if s == sys::SDL_SensorType::SDL_SENSOR_GYRO as i32 => Sensor::Gyro,
                    _ => return SdlEvent::Other, // the second one of a pair of Joy-Cons
                };
                SdlEvent::Sensor { id: which.cast_unsigned(), sensor, values: data }
            }
            _ => SdlEvent::Other,
        }
    }
}
