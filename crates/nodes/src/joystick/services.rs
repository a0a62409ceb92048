use std::time::Duration;

use joystick::{
    Changes, Exception, Input, Joystick, RequestedAxis, RequestedMappings, dynamics_changes, frame_change,
};
use params::{Set, Value};
use r2r::or_joystick::msg::{MappingAxis, MappingCoords, MappingEnable, Mappings};
use r2r::or_joystick::srv::{
    DeviceList, GetMappings, Log as LogService, LogInfo, LogStop, Rename, SetIntrinsicMode, SetMappings,
    SetStateParams,
};
use ros::{Error, Runner, ServiceContext, clock};
use safety::{Contains, Instant};

use super::log::{Ended, Log, Opening};

/// How long a file may take to close before the client is answered anyway.
const PATIENCE: Duration = Duration::from_secs(2);

/// The values of `genom_success` and `genom_exdetail`.
fn genom_result<T>(outcome: &Result<T, Exception>) -> (bool, String) {
    match outcome {
        Ok(_) => (true, String::new()),
        Err(exception) => (false, exception.to_string()),
    }
}

/// Makes `runner` answer the component's nine services.
///
/// The services change parameters as `ros2 param set` does. The parameter `intrinsic` follows the buttons too, so it always
/// equals the frame in use.
pub(super) fn serve<M: Contains<Joystick> + 'static>(
    runner: Runner<M>,
    log: &Log,
) -> Result<Runner<M>, Error> {
    let runner = runner.follow(move |machine, set| follow::<M>(machine.stage(), set));
    let runner = devices(runner)?;
    let runner = settings(runner)?;
    logging(runner, log)
}

/// Sets the parameter `intrinsic` to the frame that a button selected.
fn follow<M: Contains<Joystick>>(joystick: &Joystick, set: &Set) -> Option<((String, Value), M::Input)> {
    let change = frame_change(joystick.intrinsic());
    (set.value(&change.0) != Some(&change.1))
        .then(|| (change, M::wrap(Input::FrameParameterUpdated(joystick.intrinsic()))))
}

fn devices<M: Contains<Joystick> + 'static>(runner: Runner<M>) -> Result<Runner<M>, Error> {
    runner
        .service::<DeviceList::Service>("~/device_list", move |_, context| {
            let device_list = context.shell().inspect(|machine| machine.stage().device_list());
            let (genom_success, genom_exdetail) = (true, String::new());
            Some(DeviceList::Response { genom_success, genom_exdetail, device_list })
        })?
        .service::<Rename::Service>("~/rename", move |request, context| {
            let outcome = context.shell().decide(|machine| {
                match machine.stage().rename(&request.name, &request.newname) {
                    Ok(input) => (Ok(()), input.map(M::wrap)),
                    Err(exception) => (Err(exception), None),
                }
            });
            let (genom_success, genom_exdetail) = genom_result(&outcome);
            Some(Rename::Response { genom_success, genom_exdetail })
        })
}

fn settings<M: Contains<Joystick> + 'static>(runner: Runner<M>) -> Result<Runner<M>, Error> {
    runner
        .service::<SetStateParams::Service>("~/set_state_params", |request, context| {
            let p = &request.params;
            let outcome = change(context, dynamics_changes(p.drag, p.amax, p.awmax, p.slow));
            let (genom_success, genom_exdetail) = genom_result(&outcome);
            Some(SetStateParams::Response { genom_success, genom_exdetail })
        })?
        .service::<GetMappings::Service>("~/get_mappings", move |_, context| {
            let asked = context.shell().inspect(|machine| machine.stage().numbered_mappings());
            let (genom_success, genom_exdetail) = genom_result(&asked);
            let mappings = asked.map(|asked| to_wire(&asked)).unwrap_or_default();
            Some(GetMappings::Response { genom_success, genom_exdetail, mappings })
        })?
        .service::<SetMappings::Service>("~/set_mappings", move |request, context| {
            let outcome = from_wire(&request.mappings).and_then(|asked| {
                let changes = context.shell().inspect(|machine| asked.changes(machine.stage().mappings()));
                change(context, changes)
            });
            let (genom_success, genom_exdetail) = genom_result(&outcome);
            Some(SetMappings::Response { genom_success, genom_exdetail })
        })?
        .service::<SetIntrinsicMode::Service>("~/set_intrinsic_mode", move |request, context| {
            let outcome = change(context, vec![frame_change(request.intrinsic)]);
            if outcome.is_ok() {
                // Also if the parameter already has this value, since a button may have selected the other frame since.
                context.shell().deliver(M::wrap(Input::FrameSelected(request.intrinsic)));
            }
            let (genom_success, genom_exdetail) = genom_result(&outcome);
            Some(SetIntrinsicMode::Response { genom_success, genom_exdetail })
        })
}

fn change<M: Contains<Joystick> + 'static>(
    context: &mut ServiceContext<'_, M>,
    changes: Changes,
) -> Result<(), Exception> {
    context.change(changes).map_err(|what| Exception::Value { what })
}

fn logging<M: Contains<Joystick> + 'static>(runner: Runner<M>, log: &Log) -> Result<Runner<M>, Error> {
    let (starts, stops, counts) = (log.clone(), log.clone(), log.clone());
    let mut opening: Option<Opening> = None;
    let mut closing: Option<(Option<Ended>, Instant)> = None;
    runner
        .service::<LogService::Service>("~/log", move |request, _| {
            let begun = match opening.take() {
                Some(opening) => Ok(opening),
                None => starts.open(&request.path, request.decimation),
            };
            let outcome = begun.and_then(|begun| starts.opened(begun));
            if let Ok(Some(further)) = outcome {
                opening = Some(further);
                return None;
            }
            let (genom_success, genom_exdetail) = genom_result(&outcome);
            Some(LogService::Response { genom_success, genom_exdetail })
        })?
        .service::<LogStop::Service>("~/log_stop", move |_, _| {
            // Answered when the last row is in the file.
            let (ended, until) = closing.take().unwrap_or_else(|| (stops.close(), clock::now() + PATIENCE));
            if ended.as_ref().is_some_and(|ended| !ended.is_set()) && clock::now() < until {
                closing = Some((ended, until));
                return None;
            }
            Some(LogStop::Response { genom_success: true, genom_exdetail: String::new() })
        })?
        .service::<LogInfo::Service>("~/log_info", move |_, _| {
            let (miss, total) = counts.counters();
            let (genom_success, genom_exdetail) = (true, String::new());
            Some(LogInfo::Response { genom_success, genom_exdetail, miss, total })
        })
}

fn to_wire(mappings: &RequestedMappings) -> Mappings {
    let axis = |axis: &RequestedAxis| MappingAxis { axis: axis.axis, offset: axis.offset, scale: axis.scale };
    let RequestedMappings { linear, angular, enable: [on, slow, enable_toggle], coords } = *mappings;
    let [intrinsic, world, toggle] = coords;
    Mappings {
        linear: linear.iter().map(axis).collect(),
        angular: angular.iter().map(axis).collect(),
        enable: MappingEnable { on, slow, toggle: enable_toggle },
        coords: MappingCoords { intrinsic, world, toggle },
    }
}

/// The message type has three axes each; its Rust type has any number.
fn from_wire(mappings: &Mappings) -> Result<RequestedMappings, Exception> {
    let three = |axes: &[MappingAxis]| {
        let [x, y, z] = axes else {
            return Err(Exception::Value { what: format!("mappings have {} axes, must have 3", axes.len()) });
        };
        Ok([x, y, z].map(|a| RequestedAxis { axis: a.axis, offset: a.offset, scale: a.scale }))
    };
    let Mappings { linear, angular, enable, coords } = mappings;
    Ok(RequestedMappings {
        linear: three(linear)?,
        angular: three(angular)?,
        enable: [enable.on, enable.slow, enable.toggle],
        coords: [coords.intrinsic, coords.world, coords.toggle],
    })
}
