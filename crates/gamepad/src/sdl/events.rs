//! SDL's events of joysticks, read as SDL wrote them.
//!
//! Why not `sdl2::event::Event`: it does not know the battery's event, and the sensors' one only with SDL's HID library.

use std::mem::MaybeUninit;

use sdl2::sys;
use sdl2::{EventPump, GameControllerSubsystem};

use crate::details::Battery;
use crate::event::Hat;

/// An event of SDL's, as far as it is of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Heard {
    /// The only one that carries an index; all others carry the instance id.
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

/// Which sensor, and the frame is SDL's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sensor {
    Accelerometer,
    Gyro,
}

/// Lets SDL queue what [`Heard`] knows, and nothing else that a gamepad could flood it with.
pub(crate) fn select(_pump: &EventPump, controllers: &GameControllerSubsystem) {
    controllers.set_event_state(false);
    // SAFETY: events are initialised; this one was switched off with the others, and is wanted.
    unsafe { sys::SDL_EventState(sys::SDL_EventType::SDL_CONTROLLERSENSORUPDATE as u32, ENABLE) };
}

// SDL_ENABLE, which the bindings give as u32.
const ENABLE: i32 = sys::SDL_ENABLE.cast_signed();

/// The next event that is queued; asks the devices first if none is.
pub(crate) fn poll(_pump: &mut EventPump) -> Option<Heard> {
    let mut event = MaybeUninit::<sys::SDL_Event>::uninit();
    // SAFETY: the pump proves that SDL's events are initialised and that this is their thread. SDL writes the event
    // before it answers 1.
    unsafe { (sys::SDL_PollEvent(event.as_mut_ptr()) == 1).then(|| heard(event.assume_init_ref())) }
}

/// Whether an event is queued.
pub(crate) fn waits(_pump: &EventPump) -> bool {
    let all = sys::SDL_EventType::SDL_FIRSTEVENT as u32..=sys::SDL_EventType::SDL_LASTEVENT as u32;
    // SAFETY: as for `poll`; nothing is taken.
    unsafe { sys::SDL_HasEvents(*all.start(), *all.end()) == sys::SDL_bool::SDL_TRUE }
}

/// # Safety
/// SDL wrote the event.
unsafe fn heard(event: &sys::SDL_Event) -> Heard {
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
    // SAFETY: every event begins with its type, and the type says which field of the union SDL filled. All that is
    // read are integers and floats, for which any bits are valid; the battery's level is read as the integer that it
    // is in C, since a level that the bindings do not know would not be a valid value of their enum.
    unsafe {
        match event.type_ {
            ADDED => Heard::Added { index: event.jdevice.which.cast_unsigned() },
            REMOVED => Heard::Removed { id: event.jdevice.which.cast_unsigned() },
            AXIS => {
                let sys::SDL_JoyAxisEvent { which, axis, value, .. } = event.jaxis;
                Heard::Axis { id: which.cast_unsigned(), axis, value }
            }
            DOWN | UP => {
                let sys::SDL_JoyButtonEvent { which, button, .. } = event.jbutton;
                Heard::Button { id: which.cast_unsigned(), button, pressed: event.type_ == DOWN }
            }
            HAT => {
                let sys::SDL_JoyHatEvent { which, hat, value, .. } = event.jhat;
                Heard::Hat { id: which.cast_unsigned(), hat, state: Hat::from_bits(value) }
            }
            BATTERY => {
                let id = event.jbattery.which.cast_unsigned();
                let level = (&raw const event.jbattery.level).cast::<i32>().read();
                Heard::Battery { id, battery: Battery::of_level(level) }
            }
            SENSOR => {
                let sys::SDL_ControllerSensorEvent { which, sensor, data, .. } = event.csensor;
                let sensor = match sensor {
                    s if s == sys::SDL_SensorType::SDL_SENSOR_ACCEL as i32 => Sensor::Accelerometer,
                    s if s == sys::SDL_SensorType::SDL_SENSOR_GYRO as i32 => Sensor::Gyro,
                    _ => return Heard::Other, // of a pair of Joy-Cons the second one
                };
                Heard::Sensor { id: which.cast_unsigned(), sensor, values: data }
            }
            _ => Heard::Other,
        }
    }
}
