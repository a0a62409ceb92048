//! The few calls that the `sdl2` crate does not offer, or gets wrong, and the only `unsafe` of this crate.
//!
//! Every function here is called on the SDL thread, while a [`JoystickSubsystem`] is alive (the argument asks for it).
//!
//! Why not `sdl2::joystick::Joystick`: when the device is gone it does *not* close its handle, so that each unplugging
//! would leak one.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char};

use sdl2::JoystickSubsystem;
use sdl2::sys;

use crate::event::Hat;
use crate::virtual_pad::VirtualState;

/// An open joystick; closed when dropped, plugged in or not.
pub(crate) struct Handle {
    // Never null, and valid until the close in `drop`: SDL keeps an unplugged joystick's memory while it is open.
    raw: *mut sys::SDL_Joystick,
    // SDL frees all joysticks when its subsystem ends, so the subsystem has to last as long as the handle.
    _subsystem: JoystickSubsystem,
}

impl Handle {
    /// Opens the device with this index (not instance id).
    pub(crate) fn open(joysticks: &JoystickSubsystem, index: u32) -> Result<Handle, String> {
        let index = i32::try_from(index).map_err(|_| format!("no device has index {index}"))?;
        // SAFETY: the subsystem is initialised; SDL checks the index and answers null when it cannot open.
        let raw = unsafe { sys::SDL_JoystickOpen(index) };
        if raw.is_null() {
            return Err(last_error());
        }
        Ok(Handle { raw, _subsystem: joysticks.clone() })
    }

    /// SDL's instance id.
    pub(crate) fn id(&self) -> u32 {
        // SAFETY: `raw` is open. The id of an open joystick is never negative.
        unsafe { sys::SDL_JoystickInstanceID(self.raw) }.cast_unsigned()
    }

    /// SDL's name, empty if it has none; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn name(&self) -> String {
        // SAFETY: `raw` is open; the answer is null or a string that lives as long as the joystick is open.
        unsafe { text(sys::SDL_JoystickName(self.raw)) }
    }

    /// SDL's GUID as 32 hexadecimal digits.
    pub(crate) fn guid(&self) -> String {
        // SAFETY: `raw` is open; the answer is a plain value.
        let guid = unsafe { sys::SDL_JoystickGetGUID(self.raw) };
        guid.data.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Position of every axis.
    pub(crate) fn axes(&self) -> Vec<i16> {
        // SAFETY: `raw` is open; SDL answers 0 for an axis it does not have.
        unsafe {
            let count = sys::SDL_JoystickNumAxes(self.raw);
            (0..count).map(|axis| sys::SDL_JoystickGetAxis(self.raw, axis)).collect()
        }
    }

    /// Whether each button is down.
    pub(crate) fn buttons(&self) -> Vec<bool> {
        // SAFETY: `raw` is open; SDL answers 0 for a button it does not have.
        unsafe {
            let count = sys::SDL_JoystickNumButtons(self.raw);
            (0..count).map(|button| sys::SDL_JoystickGetButton(self.raw, button) != 0).collect()
        }
    }

    /// Position of every hat.
    pub(crate) fn hats(&self) -> Vec<Hat> {
        // SAFETY: `raw` is open; SDL answers 0 for a hat it does not have.
        unsafe {
            let count = sys::SDL_JoystickNumHats(self.raw);
            (0..count).map(|hat| Hat::from_bits(sys::SDL_JoystickGetHat(self.raw, hat))).collect()
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: `raw` came from SDL_JoystickOpen, is closed only here, and the subsystem is still initialised.
        unsafe { sys::SDL_JoystickClose(self.raw) }
    }
}

/// Attaches a virtual joystick and answers its instance id.
///
/// Its type is "unknown", so that every axis rests at 0: SDL lets axes 4 and 5 of a virtual *game controller* rest at
/// -32768, as triggers.
pub(crate) fn attach(
    _joysticks: &JoystickSubsystem,
    name: &CString,
    [axes, buttons, hats]: [u16; 3],
) -> Result<u32, String> {
    // SAFETY: all-zero is a valid description (integers, null pointers, absent callbacks), and SDL asks for it.
    let mut description: sys::SDL_VirtualJoystickDesc = unsafe { std::mem::zeroed() };
    // A small constant that the bindings give as u32.
    description.version = sys::SDL_VIRTUAL_JOYSTICK_DESC_VERSION as u16;
    description.type_ = sys::SDL_JoystickType::SDL_JOYSTICK_TYPE_UNKNOWN as u16;
    (description.naxes, description.nbuttons, description.nhats) = (axes, buttons, hats);
    description.name = name.as_ptr();
    // SAFETY: the description and its name live through the call and SDL copies both.
    let index = unsafe { sys::SDL_JoystickAttachVirtualEx(&raw const description) };
    if index < 0 {
        return Err(last_error());
    }
    // SAFETY: no precondition; SDL checks the index and answers -1 for a wrong one.
    let id = unsafe { sys::SDL_JoystickGetDeviceInstanceID(index) };
    u32::try_from(id).map_err(|_| last_error())
}

/// Stores the state of the virtual joystick `id`, whose changes come with SDL's next pump. False if it is not open.
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

/// Detaches the virtual joystick `id`; SDL then says so like of a real one. False if there is none.
pub(crate) fn detach(_joysticks: &JoystickSubsystem, id: u32) -> bool {
    // SAFETY: no precondition on any of the three; SDL checks each index. Indices only shift in a pump or in attach
    // and detach, which all happen on this thread, so the index found is still the device's.
    unsafe {
        (0..sys::SDL_NumJoysticks())
            .find(|index| sys::SDL_JoystickGetDeviceInstanceID(*index) == id.cast_signed())
            .is_some_and(|index| sys::SDL_JoystickDetachVirtual(index) == 0)
    }
}

/// SDL's reason for the last failure on this thread.
fn last_error() -> String {
    // SAFETY: the answer is a string in this thread's own buffer, copied before the next call can change it.
    unsafe { text(sys::SDL_GetError()) }
}

/// Copies a C string; null is empty.
///
/// # Safety
/// `string` is null or points to a NUL-terminated string that nobody changes meanwhile.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the rest is the caller's promise.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
