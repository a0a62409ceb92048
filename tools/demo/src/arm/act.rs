use crate::arm::calls::Call;
use crate::arm::motion::Motion;
use crate::arm::robot::{Controller, Joint, Listed};
use crate::words::words;

/// Something that the operator does, with an outcome that is expected of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Loads controllers.
    Load(Vec<Controller>),
    /// Switches controllers, all or nothing; those to start that are not loaded are loaded before.
    Switch {
        /// Controllers to start.
        start: Vec<Controller>,
        /// Controllers to stop.
        stop: Vec<Controller>,
    },
    /// Asks to stop some and to start one that does not exist.
    WrongSwitch {
        /// Controllers to stop.
        stop: Vec<Controller>,
    },
    /// Commands the positions of pan and of tilt \[rad\].
    Move([Option<f64>; 2]),
    /// Sends a trajectory.
    Follow(Motion),
    /// Repeats a velocity or an effort.
    Repeat(Controller, f64),
    /// Pulls the commander's cable: nothing is commanded any more. The controller is the one that moves pan.
    Pull(Option<Controller>),
    /// Plugs it in again.
    Plug,
    /// Halts the motors.
    Halt,
    /// Resets the motors; `true` if a controller holds the position of pan.
    Reset(bool),
    /// Stops all controllers and unloads them.
    Unload,
}

/// The name of no controller.
pub const UNKNOWN: &str = "pan_acceleration";

impl Act {
    /// The calls that it needs, while the controllers `list` are loaded.
    pub fn calls(&self, list: &[Listed]) -> Vec<Call> {
        let is_loaded = |controller: &Controller| list.iter().any(|listed| listed.name == controller.name());
        let names = |controllers: &[Controller]| -> Vec<String> {
            controllers.iter().map(Controller::to_string).collect()
        };
        let load = |controllers: &[Controller]| -> Vec<Call> {
            controllers.iter().filter(|one| !is_loaded(one)).map(|one| Call::Load(one.to_string())).collect()
        };
        let mut calls = match self {
            Self::Load(controllers) => load(controllers),
            Self::Switch { start, stop } => {
                let mut calls = load(start);
                calls.push(Call::Switch { start: names(start), stop: names(stop) });
                calls
            }
            Self::WrongSwitch { stop } => {
                vec![Call::Switch { start: vec![UNKNOWN.into()], stop: names(stop) }]
            }
            Self::Halt => vec![Call::Halt],
            Self::Reset(_) => vec![Call::Reset],
            Self::Unload => {
                let running = list.iter().filter(|listed| listed.is_running).map(|one| one.name.clone());
                let mut calls = vec![Call::Switch { start: vec![], stop: running.collect() }];
                calls.extend(list.iter().map(|listed| Call::Unload(listed.name.clone())));
                calls
            }
            Self::Move(_) | Self::Follow(_) | Self::Repeat(..) | Self::Pull(_) | Self::Plug => return vec![],
        };
        calls.push(Call::List);
        calls
    }

    /// Description of the act.
    pub fn text(&self) -> String {
        match self {
            Self::Load(controllers) => format!("load {} controllers", controllers.len()),
            Self::Switch { start, stop } if stop.is_empty() => format!("switch: start {}", words(start)),
            Self::Switch { start, stop } if start.is_empty() => format!("switch: stop {}", words(stop)),
            Self::Switch { start, stop } => format!("switch: stop {}, start {}", words(stop), words(start)),
            Self::WrongSwitch { .. } => {
                format!("wrong switch: stop all, start '{UNKNOWN}', which is unknown")
            }
            Self::Move(targets) => {
                let each = Joint::ALL.into_iter().zip(targets);
                let each = each
                    .filter_map(|(joint, target)| Some(format!("{} {:.2} rad", joint.name(), (*target)?)));
                format!("command {}", words(&each.collect::<Vec<_>>()))
            }
            Self::Follow(motion) => format!("send a trajectory of {:.1} s", motion.duration().as_secs_f64()),
            Self::Repeat(controller, value) => {
                let (_, unit) = controller.quantity().words();
                format!("command {value:.2} {unit} to {controller}, 20 times a second")
            }
            Self::Pull(Some(controller)) => format!("pull the cable of {controller}'s commander"),
            Self::Pull(None) => "pull the commander's cable".into(),
            Self::Plug => "plug the commander's cable in again".into(),
            Self::Halt => "halt the motors".into(),
            Self::Reset(_) => "reset the motors".into(),
            Self::Unload => "stop and unload all controllers".into(),
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
    fn everything_is_stopped_before_it_is_unloaded() {
        let calls = Act::Unload.calls(&[listed("a", true), listed("b", false)]);
        let stop = Call::Switch { start: vec![], stop: vec!["a".into()] };
        assert_eq!(calls, [stop, Call::Unload("a".into()), Call::Unload("b".into()), Call::List]);
    }
}
