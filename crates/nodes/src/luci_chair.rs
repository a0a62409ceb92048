//! Node `interface`, executable `luci_chair`: a simulated LUCI wheelchair for tests.
//!
//! | file | idea |
//! |---|---|
//! | `inputs` | its subscriptions and services |
//! | `topics` | what it publishes |
//! | `surroundings` | empty clouds, pictures and camera infos |

mod inputs;
mod surroundings;
mod topics;

use luci_chair::{Input, LuciChair, Params, specification};
use ros::{Error, Shell, Status, Stop};

use self::topics::Topics;
use crate::start::{self, Member};

/// The executable's name. The node and its key in a YAML file are called `interface`, as LUCI's node is.
pub const NAME: &str = "luci_chair";

fn status(chair: &LuciChair) -> Status {
    Status::of(chair.health(), chair.report())
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    inputs::subscribe(&mut member.inputs, &mut member.node)?;
    let shell = Shell::new(LuciChair::new(member.params), None, move |output| topics.publish(output));
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    let runner = inputs::serve(runner.status(status))?;
    start::run(runner, stop, &shell, [Input::Stopping])
}
