use crate::{Level, SwitchRelay};

impl SwitchRelay {
    /// The level and message for `/diagnostics`, as of the last call.
    pub fn health(&self) -> (Level, String) {
        if self.stopping {
            return (Level::Warn, "stopping".into());
        }
        if !self.is_active {
            return (Level::Warn, "the node is not active, no switch is relayed".into());
        }
        if self.params.switches.is_empty() {
            return (Level::Warn, "no switch is configured".into());
        }
        let mut warnings = Vec::new();
        for (index, switch) in self.params.switches.iter().enumerate() {
            if let Err(silence) = self.state(index) {
                warnings.push(format!("{} is silent: {silence}", switch.name));
            }
        }
        match warnings.is_empty() {
            true => (Level::Ok, "relays".into()),
            false => (Level::Warn, warnings.join("; ")),
        }
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let each = |text: &dyn Fn(usize) -> String| {
            let switches = self.params.switches.iter().enumerate();
            switches
                .map(|(index, switch)| format!("{} {}", switch.name, text(index)))
                .collect::<Vec<_>>()
                .join("; ")
        };
        let state = |index: usize| match self.state(index) {
            Ok(on) => on.to_string(),
            Err(silence) => format!("silent: {silence}"),
        };
        let received =
            |index: usize| self.monitors.get(index).map_or(0, |monitor| monitor.received).to_string();
        vec![("switches", each(&state)), ("received", each(&received))]
    }
}
