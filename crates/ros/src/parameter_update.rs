//! How a change of parameters is put in force.

use std::convert::Infallible;

use params::{Refusal, Set};
use safety::Machine;

use crate::Shell;
use crate::subscriptions::DynamicSubscriptions;

/// Whether the machine accepts the second set of parameters in place of the first.
pub(crate) type Guard<M> = Box<dyn FnMut(&M, &Set, &Set) -> Result<(), Refusal> + Send>;

/// Makes the input that puts a set of parameters in force.
pub(crate) type Apply<M> = Box<dyn FnMut(&Set) -> Result<<M as Machine>::Input, Refusal> + Send>;
/// Passes the parameters to the code that carries out the machine's outputs.
pub(crate) type OnUpdate = Box<dyn FnMut(&Set) + Send>;

/// Puts a change of parameters in force. Every change goes through it, whatever its origin.
pub(crate) struct ParameterUpdate<M: Machine> {
    pub(crate) apply: Apply<M>,
    pub(crate) on_update: Option<OnUpdate>,
    pub(crate) extra: Extra<M>,
}

/// Optional step of a change: a guard or new subscriptions, never both, because subscriptions cannot be rolled back.
pub(crate) enum Extra<M: Machine> {
    Nothing,
    /// The machine must accept the change.
    Guard(Guard<M>),
    /// Subscriptions to the topics that the parameters name.
    Topics(Box<DynamicSubscriptions<M>>),
}

impl<M: Machine + 'static> ParameterUpdate<M> {
    /// Puts `after` in force in place of `before`: in the machine and in the subscriptions of `node`.
    pub(crate) fn put_in_force(
        &mut self,
        shell: &Shell<M>,
        node: &mut r2r::Node,
        before: &Set,
        after: &Set,
    ) -> Result<(), Refusal> {
        let Self { apply, on_update, extra } = self;
        let input = apply(after)?;
        let on_accepted = || {
            if let Some(on_update) = on_update {
                on_update(after);
            }
        };
        match extra {
            Extra::Nothing => shell.deliver_checked(input, |_| Ok(()), on_accepted),
            // The check and the input are one step, so an accepted change takes effect.
            Extra::Guard(guard) => {
                shell.deliver_checked(input, |machine| guard(machine, before, after), on_accepted)
            }
            Extra::Topics(topics) => topics.change(node, after, || {
                let Ok(()) = shell.deliver_checked(input, |_| Ok::<_, Infallible>(()), on_accepted);
            }),
        }
    }

    pub(crate) fn topics(&mut self) -> Option<&mut DynamicSubscriptions<M>> {
        match &mut self.extra {
            Extra::Topics(topics) => Some(topics),
            Extra::Nothing | Extra::Guard(_) => None,
        }
    }
}
