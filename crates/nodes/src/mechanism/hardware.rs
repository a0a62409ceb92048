use haptix::{AnalyticHand, Model};
use mechanism::robot::Hardware;
use mechanism::{Description, Params, Robot};
use mechanism_loop::HandHardware;
use params::Set;
use ros::Error;

use super::NAME;
use crate::haptix::hand;

/// The seed of the hand's noise, of which it has none here.
const SEED: u64 = 1;

/// The hand that the robot is, if it is one.
/// # Errors
/// It does not exist, or its description is wrong.
pub(super) fn hand(params: &Params, set: &Set) -> Result<Option<Model>, Error> {
    let Some(name) = &params.hand else { return Ok(None) };
    let refuse =
        |rule| Error::Parameters { node: NAME.into(), refusals: vec![set.refuse("hand.device", rule)] };
    hand::open(name, "hand.device", &[], refuse).map(|(model, _)| Some(model))
}

/// The robot of the description `given`, which is a URDF or the path of its file, and that URDF; of the hand if it is empty.
/// # Errors
/// It cannot be read, or is wrong.
pub(super) fn robot(given: &str, hand: Option<&Model>) -> Result<(Robot, String), Error> {
    let is_text = given.trim_start().starts_with('<');
    let (urdf, place) = match hand.filter(|_| given.trim().is_empty()) {
        Some(hand) => {
            let urdf =
                hand.urdf().map_err(|error| Error::Start(format!("parameter 'hand.device': {error}")))?;
            (urdf, "the description of the hand".to_owned())
        }
        None if is_text => (given.to_owned(), "parameter 'robot_description'".to_owned()),
        None => {
            let urdf = std::fs::read_to_string(given).map_err(|error| {
                Error::Start(format!("parameter 'robot_description' is '{given}', cannot be read: {error}"))
            })?;
            (urdf, format!("'{given}'"))
        }
    };
    let description = Description::parse(&urdf).map_err(|error| Error::Start(format!("{place}: {error}")))?;
    let robot = Robot::new(&description);
    for skipped in &description.skipped {
        log::warn!(target: NAME, "{place}: {skipped}");
    }
    for warning in &description.warnings {
        log::warn!(target: NAME, "{place}: {warning}");
    }
    if robot.joints().is_empty() {
        log::warn!(target: NAME, "{place} has no transmission that can be used: no joint can be moved");
    } else {
        log::info!(target: NAME, "moves {}", description.moves().join(", "));
    }
    Ok((robot, urdf))
}

/// Warns of the joints of a robot elsewhere that nothing guards.
pub(super) fn warn_of_unguarded(robot: &Robot) {
    let unlimited = robot.unlimited_joints();
    let mut unguarded = robot.unguarded_joints();
    unguarded.retain(|name| !unlimited.contains(name));
    for (what, names, effect) in [
        ("<limit>", unlimited, "nothing limits their efforts, velocities and positions"),
        (
            "<safety_controller>",
            unguarded,
            "efforts beyond <limit> and those that lead further beyond it are left out, but nothing brakes them",
        ),
    ] {
        if !names.is_empty() {
            log::warn!(target: NAME, "joints without {what}: '{}': {effect}", names.join("', '"));
        }
    }
}

/// The simulated hand behind `robot`.
/// # Errors
/// The robot has actuators that are no motors of the hand.
pub(super) fn of_hand(model: Model, robot: &Robot) -> Result<Box<dyn Hardware>, Error> {
    let hardware = HandHardware::new(AnalyticHand::new(model, SEED), robot);
    let hardware = hardware.map_err(|error| Error::Start(format!("hardware is 'hand': {error}")))?;
    Ok(Box::new(hardware))
}
