//! The calls that the `sdl2` crate lacks or implements wrongly, and the only `unsafe` of this crate: here and in the
//! two modules below, events and virtual joysticks.
//!
//! Every function here is called on the SDL thread, while a [`JoystickSubsystem`] is alive (the argument proves it).
//!
//! Why not `sdl2::joystick::Joystick`: it does *not* close its handle after the device is gone, so each disconnection
//! would leak one.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;
use std::time::Duration;

use sdl2::JoystickSubsystem;
use sdl2::sys;

use crate::details::{Battery, Capabilities, Details, Driver};
use crate::device::Positions;
use crate::event::Hat;
use crate::pending_devices::PendingDevice;

pub(crate) mod events;
pub(crate) mod pads;

/// An open joystick; closed when dropped, plugged in or not.
pub(crate) struct Handle {
    // Never null, and valid until the close in `drop`: SDL keeps an unplugged joystick's memory while it is open.
    raw: *mut sys::SDL_Joystick,
    // The same device as a game controller, if SDL knows it as one: the only access to its sensors. Opened and closed
    // with `raw`; nothing else of it is used, so axes and buttons keep the numbering of the joystick.
    controller: Option<NonNull<sys::SDL_GameController>>,
    // SDL frees all joysticks when its subsystem ends, so the subsystem has to last as long as the handle.
    _subsystem: JoystickSubsystem,
}

/// The sensors that SDL may provide for a game controller.
const SENSORS: [sys::SDL_SensorType; 2] =
    [sys::SDL_SensorType::SDL_SENSOR_ACCEL, sys::SDL_SensorType::SDL_SENSOR_GYRO];

impl Handle {
    /// Opens the device with this index (not instance id).
    pub(crate) fn open(joysticks: &JoystickSubsystem, index: u32) -> Result<Handle, String> {
        let index = i32::try_from(index).map_err(|_| format!("no device has index {index}"))?;
        // SAFETY: the subsystem is initialised; SDL checks the index and answers null when it cannot open.
        let raw = unsafe { sys::SDL_JoystickOpen(index) };
        if raw.is_null() {
            return Err(last_error());
        }
        // SAFETY: as above; null if it is none, or cannot be opened as one. Indices do not shift between the two
        // calls: they do so only in a pump, and in attach and detach, which all happen on this thread.
        let controller = unsafe {
            let is_controller = sys::SDL_IsGameController(index) == sys::SDL_bool::SDL_TRUE;
            if is_controller { NonNull::new(sys::SDL_GameControllerOpen(index)) } else { None }
        };
        Ok(Handle { raw, controller, _subsystem: joysticks.clone() })
    }

    /// SDL's name, empty if it has none; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn name(&self) -> String {
        // SAFETY: `raw` is open; the answer is null or a string that lives as long as the joystick is open.
        unsafe { text(sys::SDL_JoystickName(self.raw)) }
    }

    /// SDL's GUID as 32 hexadecimal digits.
    pub(crate) fn guid(&self) -> String {
        self.raw_guid().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn raw_guid(&self) -> [u8; 16] {
        // SAFETY: `raw` is open; the answer is a plain value.
        unsafe { sys::SDL_JoystickGetGUID(self.raw) }.data
    }

    /// The device's file; empty for a virtual one.
    pub(crate) fn path(&self) -> String {
        // SAFETY: `raw` is open; the answer is null or lives as long as it is.
        unsafe { text(sys::SDL_JoystickPath(self.raw)) }
    }

    /// All other properties that SDL knows of the device.
    pub(crate) fn details(&self) -> Details {
        // SAFETY: `raw` is open; the string is null or lives as long as it is.
        let serial = unsafe { text(sys::SDL_JoystickGetSerial(self.raw)) };
        Details {
            serial,
            path: self.path(),
            links: Vec::new(),
            mapping: self.mapping(),
            triggers: self.triggers(),
            driver: Driver::of_guid(&self.raw_guid()),
            capabilities: self.capabilities(),
            battery: self.battery(),
        }
    }

    /// SDL's mapping of the gamepad as text; empty without one.
    ///
    /// # Source
    /// SDL 2.26.5: `SDL_GameControllerGetBindForAxis` does not return whether an axis is inverted or halved.
    fn mapping(&self) -> String {
        let Some(controller) = self.controller else { return String::new() };
        // SAFETY: the controller is open; the answer is null or a string that belongs to the caller, who frees it once.
        unsafe {
            let raw = sys::SDL_GameControllerMapping(controller.as_ptr());
            let mapping = text(raw);
            sys::SDL_free(raw.cast());
            mapping
        }
    }

    /// Which axes SDL's mapping of the gamepad calls triggers; `None` without one.
    fn triggers(&self) -> Option<Vec<usize>> {
        use sys::SDL_GameControllerAxis::{
            SDL_CONTROLLER_AXIS_TRIGGERLEFT, SDL_CONTROLLER_AXIS_TRIGGERRIGHT,
        };
        let controller = self.controller?;
        let axis_of = |trigger| {
            // SAFETY: the controller is open; the answer is a plain value, a union of numbers, which is an axis if its
            // type is.
            let axis = unsafe {
                let bind = sys::SDL_GameControllerGetBindForAxis(controller.as_ptr(), trigger);
                let is_axis = bind.bindType == sys::SDL_GameControllerBindType::SDL_CONTROLLER_BINDTYPE_AXIS;
                is_axis.then_some(bind.value.axis)
            };
            axis.and_then(|axis| usize::try_from(axis).ok())
        };
        let both = [SDL_CONTROLLER_AXIS_TRIGGERLEFT, SDL_CONTROLLER_AXIS_TRIGGERRIGHT];
        Some(both.into_iter().filter_map(axis_of).collect())
    }

    /// The capabilities; they may change while the device is connected, for example when SDL detects a pad's sensors
    /// late.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let yes = sys::SDL_bool::SDL_TRUE;
        let [accelerometer, gyro] = SENSORS.map(|sensor| self.has(sensor));
        // SAFETY: `raw` is open; the answers are plain values.
        unsafe {
            Capabilities {
                rumble: sys::SDL_JoystickHasRumble(self.raw) == yes,
                led: sys::SDL_JoystickHasLED(self.raw) == yes,
                accelerometer,
                gyro,
            }
        }
    }

    fn has(&self, sensor: sys::SDL_SensorType) -> bool {
        // SAFETY: the controller is open as long as the handle lives.
        self.controller.is_some_and(|controller| unsafe {
            sys::SDL_GameControllerHasSensor(controller.as_ptr(), sensor) == sys::SDL_bool::SDL_TRUE
        })
    }

    /// The battery as last reported to SDL; the device is not queried.
    pub(crate) fn battery(&self) -> Battery {
        // SAFETY: `raw` is open. The answer is one of the levels of SDL 2, all of which the bindings know.
        Battery::of_level(unsafe { sys::SDL_JoystickCurrentPowerLevel(self.raw) } as i32)
    }

    /// Runs the motors with these strengths, 0 to 65535, for at most 65.535 s. SDL stops them after that time, and
    /// when the device is closed.
    pub(crate) fn rumble(&self, (low, high): (u16, u16), time: Duration) -> Result<(), String> {
        let (low, high) = if time.is_zero() { (0, 0) } else { (low, high) };
        let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        // SAFETY: `raw` is open; SDL answers -1 if the device cannot, or is disconnected, and limits a longer time.
        done(unsafe { sys::SDL_JoystickRumble(self.raw, low, high, milliseconds) })
    }

    /// Sets the light's colour.
    pub(crate) fn set_led(&self, [red, green, blue]: [u8; 3]) -> Result<(), String> {
        // SAFETY: as for `rumble`.
        done(unsafe { sys::SDL_JoystickSetLED(self.raw, red, green, blue) })
    }

    /// Switches all sensors that the device has on or off.
    pub(crate) fn enable_sensors(&self, enable: bool) -> Result<(), String> {
        let Some(controller) = self.controller else {
            return Err(
                "SDL does not know it as a game controller, and provides sensors for those only".into()
            );
        };
        let state = if enable { sys::SDL_bool::SDL_TRUE } else { sys::SDL_bool::SDL_FALSE };
        let mut has_one = false;
        for sensor in SENSORS.into_iter().filter(|sensor| self.has(*sensor)) {
            has_one = true;
            // SAFETY: the controller is open; SDL answers -1 if it fails.
            done(unsafe { sys::SDL_GameControllerSetSensorEnabled(controller.as_ptr(), sensor, state) })?;
        }
        if has_one { Ok(()) } else { Err("it has neither accelerometer nor gyro".into()) }
    }

    /// Position of every axis.
    pub(crate) fn axes(&self) -> Vec<i16> {
        // SAFETY: `raw` is open.
        let count = unsafe { sys::SDL_JoystickNumAxes(self.raw) };
        up_to(count).map(|axis| self.axis(axis)).collect()
    }

    /// Whether each button is down.
    pub(crate) fn buttons(&self) -> Vec<bool> {
        // SAFETY: `raw` is open.
        let count = unsafe { sys::SDL_JoystickNumButtons(self.raw) };
        up_to(count).map(|button| self.button(button)).collect()
    }

    /// Position of every hat.
    pub(crate) fn hats(&self) -> Vec<Hat> {
        // SAFETY: `raw` is open.
        let count = unsafe { sys::SDL_JoystickNumHats(self.raw) };
        up_to(count).map(|hat| self.hat(hat)).collect()
    }
}

/// The range of SDL's indices: a count of -1 is a failure, and the maximum is 255.
fn up_to(count: c_int) -> std::ops::Range<usize> {
    0..usize::try_from(count).unwrap_or(0)
}

/// An index for SDL, which returns 0 for an index that is too large.
fn index(index: usize) -> c_int {
    c_int::try_from(index).unwrap_or(c_int::MAX)
}

impl Positions for Handle {
    fn axis(&self, axis: usize) -> i16 {
        // SAFETY: `raw` is open; SDL answers 0 for an axis it does not have.
        unsafe { sys::SDL_JoystickGetAxis(self.raw, index(axis)) }
    }

    fn button(&self, button: usize) -> bool {
        // SAFETY: as for `axis`.
        unsafe { sys::SDL_JoystickGetButton(self.raw, index(button)) != 0 }
    }

    fn hat(&self, hat: usize) -> Hat {
        // SAFETY: as for `axis`.
        Hat::from_bits(unsafe { sys::SDL_JoystickGetHat(self.raw, index(hat)) })
    }
}

impl PendingDevice for Handle {
    fn id(&self) -> u32 {
        // SAFETY: `raw` is open. The id of an open joystick is never negative.
        unsafe { sys::SDL_JoystickInstanceID(self.raw) }.cast_unsigned()
    }

    fn has_reported(&self) -> bool {
        // SAFETY: `raw` is open; null means that no value is requested.
        unsafe {
            (0..sys::SDL_JoystickNumAxes(self.raw)).all(|axis| {
                let none = std::ptr::null_mut();
                sys::SDL_JoystickGetAxisInitialState(self.raw, axis, none) == sys::SDL_bool::SDL_TRUE
            })
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: both are open, are closed only here, and the subsystem is still initialised. The controller holds
        // the joystick open too, by SDL's own count.
        unsafe {
            if let Some(controller) = self.controller {
                sys::SDL_GameControllerClose(controller.as_ptr());
            }
            sys::SDL_JoystickClose(self.raw);
        }
    }
}

/// Name and path of the device with this index, which need not be open; empty where SDL has none.
pub(crate) fn name_and_path(_joysticks: &JoystickSubsystem, index: u32) -> (String, String) {
    let Ok(index) = i32::try_from(index) else { return Default::default() };
    // SAFETY: SDL checks the index; the answers are null or strings that no other thread frees meanwhile: devices change
    // only in a pump, on this thread.
    unsafe { (text(sys::SDL_JoystickNameForIndex(index)), text(sys::SDL_JoystickPathForIndex(index))) }
}

/// Converts SDL's return code to a result.
fn done(answer: i32) -> Result<(), String> {
    if answer == 0 { Ok(()) } else { Err(last_error()) }
}

/// SDL's reason for the last failure on this thread.
fn last_error() -> String {
    // SAFETY: the answer is a string in this thread's own buffer, copied before the next call can change it.
    unsafe { text(sys::SDL_GetError()) }
}

/// Copies a C string; null is empty.
///
/// # Safety
/// `string` is null or points to a NUL-terminated string that is not changed meanwhile.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the rest is the caller's promise.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
