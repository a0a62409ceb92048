use core::fmt;
use core::time::Duration;

use crate::arm::calls::Call;
use crate::arm::robot::{Controller, Joint, Listed, runs};
use crate::words::words;

/// Something that the operator does, with an outcome that is expected of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Loads all controllers.
    Load,
    /// Switches controllers, all or nothing; those to start that are not loaded are loaded before.
    Switch {
        /// Controllers to start.
        start: Vec<Controller>,
        /// Controllers to stop.
        stop: Vec<Controller>,
    },
    /// Asks to stop all and to start one that does not exist.
    WrongSwitch,
    /// Commands the positions of pan and of tilt \[rad\].
    Move([Option<f64>; 2]),
    /// Begins a long way of pan to this position \[rad\], which the next act interrupts.
    Swing(f64),
    /// Sends a trajectory, once its controller runs.
    Follow(Motion),
    /// Repeats a velocity or an effort.
    Repeat(Controller, f64),
    /// Pulls the commander's cable: nothing is commanded any more. The controller is the one that moves pan.
    Pull(Option<Controller>),
    /// Plugs it in again.
    Plug,
    /// Halts the motors.
    Halt,
    /// Resets the motors.
    Reset,
    /// Stops all controllers and unloads them.
    Unload,
}

/// The points of a trajectory, with a stand in each: times since its begin, ascending, and the positions of pan and tilt then \[rad\].
pub type Motion = Vec<(Duration, [f64; 2])>;

/// The name of no controller.
pub const UNKNOWN: &str = "pan_acceleration";

/// The example of a trajectory, which takes `time`.
pub fn example(time: Duration) -> Motion {
    [(0.33, [0.4, 0.8]), (0.67, [0.0, 0.2]), (1.0, [-0.4, 0.5])]
        .map(|(part, positions)| (time.mul_f64(part), positions))
        .into()
}

impl Act {
    /// Starts `controller` in place of those of its joints that run by `list`.
    pub fn start(controller: Controller, list: &[Listed]) -> Self {
        let others = Controller::ALL.into_iter().filter(|one| one.conflicts(controller));
        Self::Switch { start: vec![controller], stop: others.filter(|one| runs(list, *one)).collect() }
    }

    /// The calls that it needs, while the controllers `list` are loaded.
    pub fn calls(&self, list: &[Listed]) -> Vec<Call> {
        let names = |controllers: &[Controller]| controllers.iter().map(Controller::to_string).collect();
        let running = || list.iter().filter(|listed| listed.is_running).map(|one| one.name.clone()).collect();
        let load = |controllers: &[Controller]| -> Vec<Call> {
            let is_loaded = |one: &Controller| list.iter().any(|listed| listed.name == one.name());
            controllers.iter().filter(|one| !is_loaded(one)).map(|one| Call::Load(one.to_string())).collect()
        };
        let mut calls = match self {
            Self::Load => load(&Controller::ALL),
            Self::Switch { start, stop } => {
                let mut calls = load(start);
                calls.push(Call::Switch { start: names(start), stop: names(stop) });
                calls
            }
            Self::WrongSwitch => vec![Call::Switch { start: vec![UNKNOWN.into()], stop: running() }],
            Self::Follow(_) if !runs(list, Controller::ArmTrajectory) => {
                return Self::start(Controller::ArmTrajectory, list).calls(list);
            }
            Self::Halt => vec![Call::Halt],
            Self::Reset => vec![Call::Reset],
            Self::Unload => {
                let mut calls = vec![Call::Switch { start: vec![], stop: running() }];
                calls.extend(list.iter().map(|listed| Call::Unload(listed.name.clone())));
                calls
            }
            Self::Move(_)
            | Self::Swing(_)
            | Self::Follow(_)
            | Self::Repeat(..)
            | Self::Pull(_)
            | Self::Plug => return vec![],
        };
        calls.push(Call::List);
        calls
    }

    /// Expected outcome.
    pub const fn expected(&self) -> &'static str {
        match self {
            Self::Load => "each is accepted, and none of them runs yet",
            Self::Switch { .. } => "all of it happens between two steps of the loop",
            Self::WrongSwitch => "it is refused, and the same controllers run as before",
            Self::Move(_) | Self::Swing(_) => "the joints come to the commanded positions",
            Self::Follow(_) => "the joints come to its end",
            Self::Repeat(..) => "pan has the commanded value",
            Self::Pull(Some(Controller::PanEffort)) => "after 0.5 s of silence pan's effort is 0",
            Self::Pull(Some(Controller::PanVelocity)) => "after 0.5 s of silence pan slows down and stands",
            Self::Pull(_) => "the last position is held: silence stops a motion, not a hold",
            Self::Plug => "commands go on",
            Self::Halt => "no effort at once; the controllers go on running",
            Self::Reset => "the controllers restart once: pan stays, the old command is forgotten",
            Self::Unload => "none is left",
        }
    }

    /// Positions of pan and of tilt that it commands \[rad\].
    pub fn targets(&self) -> [Option<f64>; 2] {
        match *self {
            Self::Move(targets) => targets,
            Self::Swing(target) => [Some(target), None],
            _ => [None; 2],
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load => write!(f, "load {} controllers", Controller::ALL.len()),
            Self::Switch { start, stop } if stop.is_empty() => write!(f, "switch: start {}", words(start)),
            Self::Switch { start, stop } if start.is_empty() => write!(f, "switch: stop {}", words(stop)),
            Self::Switch { start, stop } => write!(f, "switch: stop {}, start {}", words(stop), words(start)),
            Self::WrongSwitch => {
                write!(f, "wrong switch: stop all, start '{UNKNOWN}', which is unknown")
            }
            Self::Move(_) | Self::Swing(_) => {
                let each = Joint::ALL.into_iter().zip(self.targets());
                let each =
                    each.filter_map(|(joint, target)| Some(format!("{} {:.2} rad", joint.name(), target?)));
                write!(f, "command {}", words(&each.collect::<Vec<_>>()))
            }
            Self::Follow(motion) => {
                let time = motion.last().map_or(0.0, |(time, _)| time.as_secs_f64());
                write!(f, "send a trajectory of {time:.1} s")
            }
            Self::Repeat(controller, value) => {
                let (_, unit) = controller.quantity().words();
                write!(f, "command {value:.2} {unit} to {controller}, 20 times a second")
            }
            Self::Pull(Some(controller)) => write!(f, "pull the cable of {controller}'s commander"),
            Self::Pull(None) => f.write_str("pull the commander's cable"),
            Self::Plug => f.write_str("plug the commander's cable in again"),
            Self::Halt => f.write_str("halt the motors"),
            Self::Reset => f.write_str("reset the motors"),
            Self::Unload => f.write_str("stop and unload all controllers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, is_running: bool) -> Listed {
        Listed { name: name.into(), is_running }
    }

    #[test]
    fn a_switch_loads_what_is_not_loaded() {
        let act = Act::Switch { start: vec![Controller::PanVelocity], stop: vec![Controller::PanEffort] };
        let switch = Call::Switch { start: vec!["pan_velocity".into()], stop: vec!["pan_effort".into()] };
        assert_eq!(act.calls(&[listed("pan_velocity", false)]), [switch.clone(), Call::List]);
        assert_eq!(act.calls(&[]), [Call::Load("pan_velocity".into()), switch, Call::List]);
    }

    #[test]
    fn a_trajectory_starts_its_controller_in_place_of_those_of_its_joints() {
        let act = Act::Follow(example(Duration::from_secs(1)));
        assert_eq!(act.calls(&[listed("arm_trajectory", true)]), []);
        let others = [listed("pan_effort", true), listed("tilt_position", false), listed("other", true)];
        let (load, switch) = (
            Call::Load("arm_trajectory".into()),
            Call::Switch { start: vec!["arm_trajectory".into()], stop: vec!["pan_effort".into()] },
        );
        assert_eq!(act.calls(&others), [load, switch, Call::List]);
    }

    #[test]
    fn everything_is_stopped_before_it_is_unloaded() {
        let calls = Act::Unload.calls(&[listed("a", true), listed("b", false)]);
        let stop = Call::Switch { start: vec![], stop: vec!["a".into()] };
        assert_eq!(calls, [stop, Call::Unload("a".into()), Call::Unload("b".into()), Call::List]);
    }

    #[test]
    fn the_example_stays_within_the_limits() {
        for (_, positions) in example(Duration::from_secs(3)) {
            for (joint, position) in Joint::ALL.into_iter().zip(positions) {
                let [lower, upper] = joint.soft_limits();
                assert!(lower < position && position < upper, "{} {position}", joint.name());
            }
        }
    }
}
