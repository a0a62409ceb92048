use core::time::Duration;
use std::collections::BTreeMap;

use r2r::pr2_mechanism_msgs::msg::ControllerStatistics;
use ratatui::crossterm::event::KeyCode;
use safety::Instant;

use crate::arm::act::{Act, Motion, UNKNOWN};
use crate::arm::calls::Call;
use crate::arm::listing::LoopTiming;
use crate::arm::robot::{Controller, Joint, JointState, Listed, Quantity};
use crate::arm::{keyboard, listing};
use crate::calls::Answer;
use crate::client::Client;
use crate::pilot::missing;

/// The client of an arm's controllers.
///
/// A velocity and an effort are repeated, as their controllers need it. A position is sent a few times, since its subscriber may be
/// new, and a trajectory once. With its cable pulled the commander sends nothing.
#[derive(Clone, Debug, Default)]
pub struct Arm {
    /// The last state of pan and tilt.
    pub joints: Option<[JointState; 2]>,
    /// Whether any motor is halted.
    pub is_halted: Option<bool>,
    /// How well the loop keeps its time.
    pub timing: Option<LoopTiming>,
    /// The last statistics of each controller that was loaded.
    pub statistics: Option<Vec<ControllerStatistics>>,
    /// The loaded controllers, as the node listed or reported them last.
    pub list: Vec<Listed>,
    /// Whether the commander's cable is pulled.
    pub is_pulled: bool,
    is_calling: bool,
    /// When a controller was loaded last.
    loaded: Instant,
    /// The last command of each controller of one joint, and until when it is repeated; `None`: as long as the controller runs.
    commands: BTreeMap<Controller, (f64, Option<Instant>)>,
    /// The last trajectory, and whether it was sent.
    motion: Option<(Motion, bool)>,
}

/// A message of the node.
#[derive(Clone, Debug)]
pub enum Message {
    /// The state of pan and tilt.
    Joints([JointState; 2]),
    /// The loaded controllers.
    Controllers(Vec<ControllerStatistics>),
    /// Whether any motor is halted.
    Halted(bool),
    /// The timing of the loop.
    Timing(LoopTiming),
}

/// A message to the node.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A command for a controller of one joint.
    Value(Controller, f64),
    /// A trajectory.
    Follow(Motion),
}

/// How long a position is repeated.
const POSITION: Duration = Duration::from_millis(250);
/// How long after its load a controller's topic may take to be known.
const DISCOVERY: Duration = Duration::from_millis(300);
/// The script turns round where pan is further than this from the middle \[rad\].
const FAR: f64 = 1.2;

impl Arm {
    /// The state of `joint`; at rest in the middle before the first one.
    pub fn joint(&self, joint: Joint) -> JointState {
        self.joints.unwrap_or_default()[joint as usize]
    }

    /// The running controller that moves `joint`; the first of several.
    pub fn mover(&self, joint: Joint) -> Option<Controller> {
        let running = self.list.iter().filter(|listed| listed.is_running);
        running.filter_map(|listed| Controller::named(&listed.name)).find(|one| one.moves(joint))
    }

    /// The last command to a controller of one joint.
    pub fn last_command(&self, controller: Controller) -> Option<f64> {
        self.commands.get(&controller).map(|(value, _)| *value)
    }

    /// Command in force for `joint`, of the quantity that is controlled; of a trajectory its end.
    pub fn commanded(&self, joint: Joint) -> Option<f64> {
        match self.mover(joint)? {
            Controller::ArmTrajectory => self.motion.as_ref()?.0.last().map(|(_, end)| end[joint as usize]),
            Controller::PanVelocity | Controller::PanEffort if self.is_pulled => None,
            controller => self.last_command(controller),
        }
    }

    fn command(&mut self, controller: Controller, value: f64, until: Option<Instant>) {
        self.commands.insert(controller, (value, until));
    }

    /// Forgets a command, as its controller does itself when it starts.
    fn forget(&mut self, controller: Controller) {
        self.commands.remove(&controller);
        if controller == Controller::ArmTrajectory {
            self.motion = None;
        }
    }

    /// Turns round before pan comes to an end of its way.
    fn turn_round(&mut self) {
        let pan = self.joint(Joint::Pan).position;
        for controller in [Controller::PanVelocity, Controller::PanEffort] {
            if let Some((value, _)) = self.commands.get_mut(&controller)
                && pan.abs() > FAR
                && pan * *value > 0.0
            {
                *value = -*value;
            }
        }
    }
}

impl Client for Arm {
    type Act = Act;
    type Call = Call;
    type Value = Vec<Listed>;
    type Message = Message;
    type Command = Command;

    const SERVICES: &'static str = "pr2_controller_manager/*";
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("1-5", "start/stop"),
        ("arrows", "nudge"),
        ("t", "trajectory"),
        ("w", "wrong switch"),
        ("c", "cable"),
        ("h", "halt"),
        ("r", "reset"),
        ("u", "unload all"),
        ("q", "quit"),
    ];

    fn missing(&self) -> Vec<&'static str> {
        missing(&[
            (self.joints.is_some(), "joint_states"),
            (self.statistics.is_some(), "mechanism_statistics"),
            // The motors are halted until the node has reset them.
            (self.is_halted == Some(false), "motors_halted"),
        ])
    }

    fn receive(&mut self, message: &Message) {
        match message {
            Message::Joints(joints) => self.joints = Some(*joints),
            Message::Halted(is_halted) => self.is_halted = Some(*is_halted),
            Message::Timing(timing) => self.timing = Some(timing.clone()),
            Message::Controllers(rows) => {
                let known = self.statistics.get_or_insert_default();
                known.retain(|known| rows.iter().all(|row| row.name != known.name));
                known.extend(rows.iter().cloned());
                if !self.is_calling {
                    // A controller may have stopped by itself.
                    let listed =
                        rows.iter().map(|row| Listed { name: row.name.clone(), is_running: row.running });
                    self.list = listed.collect();
                }
            }
        }
    }

    fn answered(&mut self, now: Instant, call: &Call, answer: &Answer<Vec<Listed>>) {
        match (call, answer) {
            (Call::List, answer) => {
                self.is_calling = false; // it is the last of an act's calls
                if let Ok(list) = answer {
                    self.list = list.clone();
                }
            }
            (Call::Load(_), Ok(_)) => self.loaded = now,
            (Call::Switch { start, stop }, Ok(_)) => {
                let is_started = start.iter().any(|name| name == Controller::ArmTrajectory.name());
                let waiting = self.motion.take_if(|(_, is_sent)| is_started && !*is_sent);
                let switched = start.iter().chain(stop).filter_map(|name| Controller::named(name));
                switched.for_each(|controller| self.forget(controller));
                self.motion = waiting.or(self.motion.take());
            }
            (Call::Reset, Ok(_)) => {
                let holding = Controller::ALL.into_iter().filter(|one| one.quantity() == Quantity::Position);
                holding.for_each(|controller| self.forget(controller));
            }
            (_, Err(_)) => self.motion = self.motion.take().filter(|(_, is_sent)| *is_sent),
            _ => {}
        }
    }

    fn press(&self, key: KeyCode) -> Option<Option<Act>> {
        keyboard::press(self, key)
    }

    fn prepare(&mut self, act: &Act) -> Act {
        // The script has no step of its own for plugging in.
        if core::mem::take(&mut self.is_pulled) {
            self.forget(Controller::PanEffort);
            self.forget(Controller::PanVelocity);
        }
        match *act {
            // To the other side, so that the way is long.
            Act::Swing(far) if self.joint(Joint::Pan).position > 0.0 => Act::Swing(-far),
            _ => act.clone(),
        }
    }

    fn begin(&mut self, now: Instant, act: &Act) -> Vec<Call> {
        match act {
            Act::Follow(motion) => self.motion = Some((motion.clone(), false)),
            Act::Repeat(controller, value) => self.command(*controller, *value, None),
            Act::Pull(_) => self.is_pulled = true,
            Act::Plug => self.is_pulled = false,
            _ => {}
        }
        for (controller, target) in
            [Controller::PanPosition, Controller::TiltPosition].into_iter().zip(act.targets())
        {
            if let Some(target) = target {
                self.command(controller, target, Some(now + POSITION));
            }
        }
        let calls = act.calls(&self.list);
        self.is_calling = !calls.is_empty();
        calls
    }

    fn is_commanding(&self, now: Instant) -> bool {
        let repeats = self.commands.values().any(|(_, until)| until.is_none_or(|until| now <= until));
        let waits = self.motion.as_ref().is_some_and(|(_, is_sent)| !is_sent);
        !self.is_pulled && (repeats || waits)
    }

    fn commands(&mut self, now: Instant, is_script: bool) -> Vec<Command> {
        if is_script {
            self.turn_round();
        }
        let due = self.commands.iter().filter(|(_, (_, until))| until.is_none_or(|until| now <= until));
        let mut commands: Vec<Command> =
            due.map(|(controller, (value, _))| Command::Value(*controller, *value)).collect();
        if let Some((motion, is_sent)) = &mut self.motion
            && !*is_sent
            && !self.is_calling
            && now >= self.loaded + DISCOVERY
        {
            *is_sent = true;
            commands.push(Command::Follow(motion.clone()));
        }
        commands
    }

    fn expected(act: &Act) -> &'static str {
        act.expected()
    }

    fn is_wrong(call: &Call) -> bool {
        matches!(call, Call::Switch { start, .. } if start.iter().any(|name| name == UNKNOWN))
    }

    fn advice(&self) -> &'static str {
        if self.list.iter().any(|listed| listed.is_running) {
            "no controller for that key: 1 to 5 start and stop them"
        } else {
            "no controller runs: 1 to 5 load and start one"
        }
    }

    fn summary(&self) -> String {
        listing::motion(self).join("; ")
    }

    fn listing(&self) -> Vec<String> {
        listing::listing(self)
    }
}

#[cfg(test)]
mod tests;
