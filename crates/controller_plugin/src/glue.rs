//! The functions of the tables. Controllers do not use it by themselves.

use core::cell::Cell;
use core::ffi::c_void;
use core::time::Duration;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::abi::{Joint, Library, Setup, Slice, Step, Text, Type, VERSION};
use crate::{Controller, place, setup, step};

/// A table, which no thread changes.
pub struct Shared<T>(pub T);

// SAFETY: the tables consist of functions and of pointers to constants.
unsafe impl<T> Sync for Shared<T> {}

/// A controller, which is not called any more after a panic.
struct Instance<C> {
    controller: C,
    /// The failure to report after its panic.
    panicked: Option<&'static str>,
}

thread_local! {
    /// Whether this thread calls a controller in the control loop.
    static IN_LOOP: Cell<bool> = const { Cell::new(false) };
}

/// Lets a panic in the control loop print nothing: a console may block, and the names of a backtrace take long to find. Its place is
/// part of the failure instead.
pub fn silence_panics_in_the_loop() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IN_LOOP.get() {
                place::note(info);
            } else {
                print(info);
            }
        }));
    });
}

/// The text of `text`, which is empty if it is no UTF-8.
pub fn text<'a>(text: Text) -> &'a str {
    if text.length == 0 {
        return "";
    }
    // SAFETY: a text that crosses the border is valid while it is used here, see the fields in `abi`.
    let bytes = unsafe { core::slice::from_raw_parts(text.data, text.length) };
    core::str::from_utf8(bytes).unwrap_or_default()
}

/// The values of `slice`.
pub fn slice<T>(slice: &Slice<T>) -> &[T] {
    if slice.length == 0 {
        return &[];
    }
    // SAFETY: as for `text`.
    unsafe { core::slice::from_raw_parts(slice.data, slice.length) }
}

/// The name of a type, for counting.
pub const fn name<C: Controller>() -> &'static str {
    C::TYPE
}

/// The table of a library.
pub const fn library(types: &'static [Type]) -> Library {
    Library { version: VERSION, type_size: size_of::<Type>() as u32, types: Slice::new(types) }
}

/// The table of a type.
pub const fn table<C: Controller>() -> Type {
    Type {
        name: Text::new(C::TYPE),
        input: input::<C>,
        output: output::<C>,
        create: create::<C>,
        destroy: destroy::<C>,
        receive: receive::<C>,
        can_start: can_start::<C>,
        starting: starting::<C>,
        update: update::<C>,
        stopping: stopping::<C>,
        report: report::<C>,
    }
}

unsafe extern "C" fn input<C: Controller>(index: usize) -> Text {
    Text::new(C::INPUTS.get(index).copied().unwrap_or_default())
}

unsafe extern "C" fn output<C: Controller>(index: usize) -> Text {
    Text::new(C::OUTPUTS.get(index).copied().unwrap_or_default())
}

unsafe extern "C" fn create<C: Controller>(given: *const Setup) -> *mut c_void {
    // SAFETY: the program passes a valid setup.
    let given = unsafe { &*given };
    let made = catch_unwind(AssertUnwindSafe(|| {
        let setup = setup::Setup::new(slice(&given.parameters), slice(&given.joints));
        let controller = C::new(&setup)?;
        setup.check_all_asked()?;
        Ok(controller)
    }));
    match made.unwrap_or_else(|_| Err("it panicked".to_owned())) {
        Ok(controller) => Box::into_raw(Box::new(Instance { controller, panicked: None })).cast(),
        Err(reason) => {
            let reason = Text { data: reason.as_ptr(), length: reason.len() };
            // SAFETY: `fail` and `context` belong together, and copy the reason before they return.
            unsafe { (given.fail)(given.context, reason) };
            core::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn destroy<C: Controller>(controller: *mut c_void) {
    // SAFETY: it is a box that `create::<C>` made, and the program does not use it afterwards.
    let instance = unsafe { Box::from_raw(controller.cast::<Instance<C>>()) };
    let _ = catch_unwind(AssertUnwindSafe(|| drop(instance)));
}

/// Calls a controller unless it has panicked.
///
/// # Safety
/// `controller` is one that `create::<C>` made, and nobody else uses it.
unsafe fn call<C: Controller, T>(
    controller: *mut c_void,
    act: impl FnOnce(&mut C) -> T,
) -> Result<T, &'static str> {
    // SAFETY: see above.
    let instance = unsafe { &mut *controller.cast::<Instance<C>>() };
    if let Some(panicked) = instance.panicked {
        return Err(panicked);
    }
    IN_LOOP.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(|| act(&mut instance.controller)));
    IN_LOOP.set(false);
    outcome.map_err(|_| *instance.panicked.insert(place::sentence()))
}

/// # Safety
/// `step` is valid, and nobody else uses it.
unsafe fn read<'a>(step: *mut Step) -> step::Step<'a> {
    // SAFETY: see above; the joints are an array of `count`.
    let step = unsafe { &mut *step };
    let joints = if step.count == 0 {
        &mut []
    } else {
        // SAFETY: see above.
        unsafe { core::slice::from_raw_parts_mut(step.joints, step.count) }
    };
    step::Step { now: Duration::from_nanos(step.now), period: Duration::from_nanos(step.period), joints }
}

fn outcome(result: Result<Result<(), &'static str>, &'static str>) -> Text {
    Text::new(match result {
        Ok(Ok(())) => "",
        Ok(Err("")) => "it failed without a reason",
        Ok(Err(reason)) => reason,
        Err(panicked) => panicked,
    })
}

unsafe extern "C" fn receive<C: Controller>(controller: *mut c_void, input: usize, value: f64, now: u64) {
    // SAFETY: the program passes what `create::<C>` made, to one call at a time.
    let _ = unsafe { call(controller, |one: &mut C| one.receive(input, value, Duration::from_nanos(now))) };
}

unsafe extern "C" fn can_start<C: Controller>(controller: *mut c_void, joints: Slice<Joint>) -> Text {
    // SAFETY: as above, and the joints are valid.
    outcome(unsafe { call(controller, |one: &mut C| one.can_start(slice(&joints))) })
}

unsafe extern "C" fn starting<C: Controller>(controller: *mut c_void, step: *mut Step) {
    // SAFETY: as above, and the step is valid.
    let _ = unsafe { call(controller, |one: &mut C| one.starting(&mut read(step))) };
}

unsafe extern "C" fn update<C: Controller>(controller: *mut c_void, step: *mut Step) -> Text {
    // SAFETY: as above.
    outcome(unsafe { call(controller, |one: &mut C| one.update(&mut read(step))) })
}

unsafe extern "C" fn stopping<C: Controller>(controller: *mut c_void, step: *mut Step) {
    // SAFETY: as above.
    let _ = unsafe { call(controller, |one: &mut C| one.stopping(&mut read(step))) };
}

unsafe extern "C" fn report<C: Controller>(
    controller: *mut c_void,
    output: *mut usize,
    value: *mut f64,
) -> u8 {
    // SAFETY: as above.
    let Ok(Some((index, number))) = (unsafe { call(controller, C::report) }) else { return 0 };
    // SAFETY: both are valid.
    unsafe { (*output, *value) = (index, number) };
    1
}
