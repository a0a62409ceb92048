//! Warnings about running controllers: joints that they share, commands that wait for a zero or come from several nodes.

use safety::Instant;

use super::{Mechanism, Output};
use crate::controllers::{Beyond, ControllerId, ControllerInput};
use crate::diagnostics::Concern;
use crate::waiting::Wait;

impl Mechanism {
    /// Warnings about running controllers, with the controllers' names.
    pub(super) fn concerns(&self) -> Vec<(String, Concern)> {
        let mut concerns = Vec::new();
        for (joint, names) in self.manager.shared_joints() {
            for name in &names {
                let others: Vec<&str> = names.iter().filter(|other| *other != name).copied().collect();
                let value = ("Shared Joint", format!("{joint}, with {}", others.join(", ")));
                let message = "It shares a joint with another controller: their efforts add";
                concerns.push(((*name).to_owned(), Concern { message, value }));
            }
        }
        let is_running = |name: &str| self.manager.is_running(name) == Some(true);
        let named = |(controller, input)| Some((self.manager.name_of(controller)?, input));
        let waits =
            |wait| self.waiting.list(wait).filter_map(named).map(move |(name, input)| (wait, name, input));
        let waiting = waits(Wait::Zero).chain(waits(Wait::Rest));
        for (wait, name, input) in waiting.filter(|(_, name, _)| is_running(name)) {
            let (key, message) = match wait {
                Wait::Zero => ("Waits For A Zero On", "It waits for a zero before it moves"),
                Wait::Rest => (
                    "Waits For Rest On",
                    "After a halt of the motors or several publishers its stream of commands waits until it asks for rest",
                ),
            };
            let value = (key, format!("{name}/{input}"));
            concerns.push((name.to_owned(), Concern { message, value }));
        }
        let named = self.commanders.iter().filter_map(|(controller, input, nodes)| {
            Some((self.manager.name_of(*controller)?, input, nodes)).filter(|(name, ..)| is_running(name))
        });
        for (name, input, nodes) in named {
            let value = ("Several Publishers Of", format!("{name}/{}: {}", input.name, nodes.join(", ")));
            let message = "It stands, since several nodes command it";
            concerns.push((name.to_owned(), Concern { message, value }));
        }
        concerns
    }

    /// Lets the statuses say what is loaded, and what moves each joint.
    pub(super) fn describe(&mut self) {
        let loaded = self.manager.described();
        self.diagnostics.loaded =
            loaded.map(|(name, kind, moves)| (name.to_owned(), kind.to_owned(), moves.to_vec())).collect();
        let moved = self.manager.moved();
        let moved =
            moved.flat_map(|(name, moves)| moves.iter().map(move |joint| (joint.clone(), name.to_owned())));
        self.diagnostics.moved = moved.collect();
    }

    pub(super) fn commanders_counted(
        &mut self,
        controller: ControllerId,
        input: ControllerInput,
        nodes: Vec<String>,
    ) {
        let manager = &self.manager;
        self.commanders.retain(|(of, known, _)| {
            manager.name_of(*of).is_some() && (*of, known.name) != (controller, input.name)
        });
        let Some(name) = self.manager.name_of(controller).filter(|_| nodes.len() > 1) else { return };
        let sentence = format!(
            "controller '{name}' is commanded by several nodes on '{name}/{}', {}: it stands until there is one",
            input.name,
            nodes.join(" and ")
        );
        self.outputs.push_back(Output::Warn(sentence));
        self.commanders.push((controller, input, nodes));
    }

    pub(super) fn commanded_beyond(&mut self, controller: ControllerId, beyond: Beyond) {
        let Beyond { joint, command, range: [lower, upper], unit } = beyond;
        let joint = self.positions.get(joint).map_or("", |(name, _)| name);
        let Some(name) = self.manager.name_of(controller) else { return };
        self.outputs.push_back(Output::Warn(format!(
            "'{name}/command' asks joint '{joint}' for {command:.4} {unit}, must be from {lower:.4} to {upper:.4} {unit}: its nearest end counts"
        )));
    }

    pub(super) fn approach_lost(&mut self, controller: ControllerId) {
        let Some(name) = self.manager.name_of(controller) else { return };
        self.outputs.push_back(Output::Warn(format!(
            "commands on '{name}/command' fell silent while the joint approached a far one: it is held where it is"
        )));
    }

    pub(super) fn waits(
        &mut self,
        now: Instant,
        wait: Wait,
        controller: ControllerId,
        input: &'static str,
        waits: bool,
    ) {
        self.waiting.retain(|id| self.manager.name_of(id).is_some());
        let Some(name) = self.manager.name_of(controller) else { return };
        if self.waiting.set(now, wait, controller, input, waits) {
            let sentence = match wait {
                Wait::Zero => {
                    format!("controller '{name}' waits for a zero on '{name}/{input}' before it moves")
                }
                Wait::Rest => format!(
                    "commands on '{name}/{input}' move nothing after a halt of the motors or several publishers, until one asks for rest where the \
                     joints are, or '{name}' is stopped and started"
                ),
            };
            self.outputs.push_back(Output::Warn(sentence));
        }
    }
}
