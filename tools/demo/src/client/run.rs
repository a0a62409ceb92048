use ros::Shell;

use crate::calls::{Caller, Services};
use crate::client::page::{self, Page};
use crate::client::{Client, Input, Operator, Output, Script};
use crate::error::Error;
use crate::headless;
use crate::print;
use crate::screen;
use crate::start::{Demo, Session, operate};

/// Runs an operator of `client` in the graph until the script, or the user, is done, and ends its node `name`.
/// # Errors
/// See [`Error`].
pub fn run<C, S>(
    demo: &Demo,
    name: &str,
    session: Session<Operator<C>>,
    (client, script): (C, Script<C::Act>),
    caller: &Caller<S>,
    mut publish: impl FnMut(C::Command) + Send + 'static,
) -> Result<(), Error>
where
    C: Client,
    S: Services<Call = C::Call, Value = C::Value>,
{
    let Session { member, mut children } = session;
    let (stop, is_headless) = (&demo.stop, demo.arguments.headless);
    let calls = caller.clone();
    let shell = Shell::new(Operator::new(client, script, is_headless), None, move |output| match output {
        Output::Call(call) => calls.call(call),
        Output::Publish(command) => publish(command),
    });
    let answers = caller.answers(shell.clone(), || Input::ServicesFound, Input::Answered);
    let runner = member.runner(&shell, |_| Ok(Input::ParametersChanged))?.task(answers);
    let alarm = shell.start_alarm()?;
    let result = operate(runner, stop, Input::Stopping, || {
        if is_headless {
            let place = |operator: &Operator<C>| (operator.pilot, operator.missing());
            headless::run(&shell, &mut children, stop, place, page::line)?;
            shell.inspect(page::table).iter().for_each(print);
            return Ok(());
        }
        // Made under the lock and drawn outside it, so no message waits for a frame.
        screen::run(
            &mut children,
            stop,
            |frame, now| shell.inspect(|operator| Page::of(operator, now)).draw(frame, demo.domain),
            |key| shell.deliver(Input::KeyPressed(key)),
        )
    });
    drop(alarm);
    demo.conclude(children, name, result, || shell.inspect(|operator| operator.failure.clone()))
}
