//! Virtual joysticks.

use std::ffi::{CString, c_int, c_void};
use std::sync::mpsc::Sender;

use sdl2::JoystickSubsystem;
use sdl2::sys;

use super::last_error;
use crate::virtual_pad::{Feedback, VirtualDevice, VirtualFeedback, VirtualState};

/// The connected virtual joysticks, with the data that SDL points to.
///
/// Must outlive SDL: closing a pad that still rumbles calls back.
#[derive(Default)]
pub(crate) struct Pads {
    // Boxed, since SDL holds the address of the sender while the joystick exists.
    plugged: Vec<(u32, Option<Box<Sender<Feedback>>>)>,
}

impl Pads {
    /// Attaches a virtual joystick and returns its instance id.
    ///
    /// Unless it is a game controller its type is "unknown", so every axis rests at 0.
    pub(crate) fn attach(
        &mut self,
        _joysticks: &JoystickSubsystem,
        device: VirtualDevice,
    ) -> Result<u32, String> {
        let name = CString::new(device.name).map_err(|error| error.to_string())?;
        let count = |count: usize| u16::try_from(count).map_err(|error| error.to_string());
        // SAFETY: all-zero is a valid description (integers, null pointers, absent callbacks), which SDL requires.
        let mut description: sys::SDL_VirtualJoystickDesc = unsafe { std::mem::zeroed() };
        // A small constant that the bindings define as u32.
        description.version = sys::SDL_VIRTUAL_JOYSTICK_DESC_VERSION as u16;
        let kind = if device.game_controller {
            sys::SDL_JoystickType::SDL_JOYSTICK_TYPE_GAMECONTROLLER
        } else {
            sys::SDL_JoystickType::SDL_JOYSTICK_TYPE_UNKNOWN
        };
        description.type_ = kind as u16;
        (description.vendor_id, description.product_id) = (device.vendor, device.product);
        description.naxes = count(device.axes)?;
        description.nbuttons = count(device.buttons)?;
        description.nhats = count(device.hats)?;
        description.name = name.as_ptr();
        let mut changes = None;
        if let Some(feedback) = device.feedback {
            let VirtualFeedback { rumble: has_rumble, led: has_led, .. } = feedback;
            let sender = changes.insert(Box::new(feedback.changes));
            description.userdata = (&raw const **sender).cast_mut().cast();
            // SDL treats a missing callback as a missing feature.
            description.Rumble = has_rumble.then_some(rumble);
            description.SetLED = has_led.then_some(set_led);
        }
        // SAFETY: the description and its name live through the call and SDL copies both. The user data is kept in
        // `plugged` until SDL no longer uses it, at the detaching or with SDL's end.
        let index = unsafe { sys::SDL_JoystickAttachVirtualEx(&raw const description) };
        if index < 0 {
            return Err(last_error());
        }
        // SAFETY: no precondition; SDL checks the index and answers -1 for a wrong one.
        let id = unsafe { sys::SDL_JoystickGetDeviceInstanceID(index) };
        let Ok(id) = u32::try_from(id) else {
            // Impossible, since the index is new. SDL may hold the sender, which must never be freed then.
            std::mem::forget(changes);
            return Err(last_error());
        };
        self.plugged.push((id, changes));
        Ok(id)
    }

    /// Detaches the virtual joystick `id`; SDL then reports it like a real one. False if there is none.
    pub(crate) fn detach(&mut self, _joysticks: &JoystickSubsystem, id: u32) -> bool {
        // SAFETY: no precondition on any of the three; SDL checks each index. Indices only shift in a pump or in
        // attach and detach, which all happen on this thread, so the index found is still the device's.
        let detached = unsafe {
            (0..sys::SDL_NumJoysticks())
                .find(|index| sys::SDL_JoystickGetDeviceInstanceID(*index) == id.cast_signed())
                .is_some_and(|index| sys::SDL_JoystickDetachVirtual(index) == 0)
        };
        if detached {
            // SDL no longer holds the callbacks and their user data, even for a joystick that is still open.
            self.plugged.retain(|(plugged, _)| *plugged != id);
        }
        detached
    }
}

/// Sets the state of the virtual joystick `id`; the changes are reported by SDL's next pump. False if it is not open.
pub(crate) fn set(_joysticks: &JoystickSubsystem, id: u32, state: &VirtualState) -> bool {
    // SAFETY: no precondition; the answer is null or an open joystick, which only this thread can close. SDL checks
    // that the joystick is virtual and has the axis, button or hat.
    unsafe {
        let raw = sys::SDL_JoystickFromInstanceID(id.cast_signed());
        if raw.is_null() {
            return false;
        }
        for (axis, value) in (0..).zip(&state.axes) {
            sys::SDL_JoystickSetVirtualAxis(raw, axis, *value);
        }
        for (button, pressed) in (0..).zip(&state.buttons) {
            sys::SDL_JoystickSetVirtualButton(raw, button, u8::from(*pressed));
        }
        for (hat, position) in (0..).zip(&state.hats) {
            sys::SDL_JoystickSetVirtualHat(raw, hat, position.bits());
        }
    }
    true
}

/// # Safety
/// Only SDL calls it, with the user data of a description that `attach` made.
unsafe extern "C" fn rumble(changes: *mut c_void, low: u16, high: u16) -> c_int {
    // SAFETY: the caller's promise is that of `send`.
    unsafe { send(changes, Feedback::Rumble { low, high }) }
}

/// # Safety
/// As for `rumble`.
unsafe extern "C" fn set_led(changes: *mut c_void, red: u8, green: u8, blue: u8) -> c_int {
    // SAFETY: the caller's promise is that of `send`.
    unsafe { send(changes, Feedback::Led([red, green, blue])) }
}

/// Forwards a change; returns -1, SDL's failure, if there is no receiver.
///
/// # Safety
/// `changes` points to a sender that lives, and this is the SDL thread, on which it is freed.
unsafe fn send(changes: *mut c_void, change: Feedback) -> c_int {
    // SAFETY: the caller's promise. It is only ever shared, never changed.
    let changes = unsafe { &*changes.cast_const().cast::<Sender<Feedback>>() };
    if changes.send(change).is_ok() { 0 } else { -1 }
}
