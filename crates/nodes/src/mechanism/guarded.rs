use std::cell::Cell;

use mechanism::Robot;
use mechanism::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, Message, Report, Step,
};
use plugin_loader::panic_place;
use ros::panics;
use safety::Instant;

/// A controller whose panic stops it alone, as a failure does. It does not start again: its state is not known.
pub(super) struct Guarded {
    controller: Box<dyn Controller>,
    /// The failure that is reported for its panic; `None` if it has not panicked.
    panicked: Cell<Option<ControllerFailure>>,
}

impl Guarded {
    pub(super) fn new(controller: Box<dyn Controller>) -> Self {
        Self { controller, panicked: Cell::new(None) }
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut dyn Controller) -> T) -> Result<T, ControllerFailure> {
        let Self { controller, panicked } = self;
        guard(panicked, || call(&mut **controller))
    }
}

/// The outcome of `call`, unless it panics or something has panicked before.
fn guard<T>(
    panicked: &Cell<Option<ControllerFailure>>,
    call: impl FnOnce() -> T,
) -> Result<T, ControllerFailure> {
    if let Some(panicked) = panicked.get() {
        return Err(panicked);
    }
    panics::contain_and_note(panic_place::note, call).ok_or_else(|| {
        let failure = ControllerFailure(panic_place::sentence());
        panicked.set(Some(failure));
        failure
    })
}

impl Controller for Guarded {
    fn inputs(&self) -> &'static [ControllerInput] {
        self.controller.inputs()
    }

    fn outputs(&self) -> &'static [ControllerOutput] {
        self.controller.outputs()
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        self.call(|controller| controller.report()).ok().flatten()
    }

    fn receive(&mut self, input: usize, message: &mut Message, now: Instant) {
        let _ = self.call(|controller| controller.receive(input, message, now));
    }

    fn is_rest(&self, input: usize, message: &Message, robot: &Robot) -> bool {
        guard(&self.panicked, || self.controller.is_rest(input, message, robot)).unwrap_or(false)
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        guard(&self.panicked, || self.controller.can_start(robot))?
    }

    /// After a panic here the next update fails.
    fn starting(&mut self, step: &mut Step<'_>) {
        let _ = self.call(|controller| controller.starting(step));
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.call(|controller| controller.update(step))?
    }

    fn stopping(&mut self, step: &mut Step<'_>) {
        let _ = self.call(|controller| controller.stopping(step));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use mechanism::Robot;

    use super::*;

    struct Panics;

    impl Controller for Panics {
        fn update(&mut self, _: &mut Step<'_>) -> Result<(), ControllerFailure> {
            panic!("on request")
        }
    }

    /// Runs in a process of its own, since the panic hook is that of the whole process.
    #[test]
    fn a_controller_that_panicked_says_where_and_is_not_called_again() {
        const OWN: &str = "STEERSMAN_TEST_GUARDED";
        const NAME: &str =
            "mechanism::guarded::tests::a_controller_that_panicked_says_where_and_is_not_called_again";
        if std::env::var_os(OWN).is_none() {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            let output = command.args([NAME, "--exact"]).env(OWN, "1").output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
            return;
        }
        panics::install();
        let mut robot = Robot::from_parts(Vec::new(), Vec::new(), Vec::new());
        let mut step = Step { now: Instant::ZERO, period: core::time::Duration::ZERO, robot: &mut robot };
        let mut guarded = Guarded::new(Box::new(Panics));
        assert_eq!(guarded.can_start(step.robot), Ok(()));
        guarded.starting(&mut step);
        let is_place = |line: &str| line.contains(r#"panic!("on"#);
        let line = include_str!("guarded.rs").lines().position(is_place).unwrap() + 1;
        let expected = format!("it panicked at {}:{line}; unload it and load it again", file!());
        let failure = guarded.update(&mut step).unwrap_err();
        assert_eq!(failure.0, expected);
        guarded.starting(&mut step);
        assert_eq!(guarded.can_start(step.robot), Err(failure));
        assert!(!panics::happened(), "it is no panic of the node");
    }
}
