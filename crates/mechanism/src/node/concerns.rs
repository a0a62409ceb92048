//! What worries about running controllers: joints that they share, and commands that wait for a zero.

use units::Instant;

use super::{Mechanism, Output};
use crate::controllers::ControllerId;
use crate::diagnostics::Concern;

impl Mechanism {
    /// What is to be known of running controllers.
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
        for (name, input) in self.waiting.list().filter_map(named).filter(|(name, _)| is_running(name)) {
            let value = ("Waits For A Zero On", format!("{name}/{input}"));
            let message = "It waits for a zero before it moves";
            concerns.push((name.to_owned(), Concern { message, value }));
        }
        concerns
    }

    pub(super) fn waits_for_zero(
        &mut self,
        now: Instant,
        controller: ControllerId,
        input: &'static str,
        waits: bool,
    ) {
        self.waiting.retain(|id| self.manager.name_of(id).is_some());
        let Some(name) = self.manager.name_of(controller) else { return };
        if self.waiting.set(now, controller, input, waits) {
            let sentence =
                format!("controller '{name}' waits for a zero on '{name}/{input}' before it moves");
            self.outputs.push_back(Output::Warn(sentence));
        }
    }
}
