use std::sync::{Arc, Mutex};

use mechanism::controllers::{self, NewController, Refusal};
use mechanism::laws::FollowedJoint;
use mechanism::{Input, Mechanism};
use mechanism_loop::Deliveries;
use ros::Shell;
use ros::panics::lock;

use super::factory::{Created, Done, Products};
use super::follow::FollowServers;
use super::inputs::ControllerTopics;
use super::outputs::ControllerOutputs;

/// Tasks that need the node itself, on its own thread: they give new controllers their topics, and pass on the messages that arrive there.
pub(super) struct NodeTasks {
    pub(super) shell: Shell<Mechanism>,
    pub(super) deliveries: Deliveries,
    pub(super) topics: ControllerTopics,
    pub(super) outputs: Arc<Mutex<ControllerOutputs>>,
    pub(super) follow: FollowServers,
    pub(super) products: Products,
}

impl NodeTasks {
    /// Receives the messages and goals for controllers that r2r has, and returns how many these were.
    pub(super) fn receive(&mut self) -> usize {
        self.topics.receive() + self.follow.receive()
    }

    pub(super) fn run(&mut self, node: &mut r2r::Node) {
        let clock = self.shell.inspect(|machine| *machine.clock());
        self.deliveries.flush();
        let shell = &self.shell;
        // Before the topics: a stop among their messages ends every goal that was read with it, whichever was sent first.
        self.follow.serve(shell, &mut self.deliveries, &clock);
        let place = |joints: &mut [FollowedJoint]| shell.inspect(|machine| machine.place(joints));
        self.topics.pass_on(node, &mut self.deliveries, &clock, place, |input| shell.deliver(input));
        while let Some(done) = self.products.next() {
            let input = match done {
                Done::Created(name, created) => {
                    let attached = created.and_then(|created| self.attach(node, &name, created));
                    controllers::Input::Created(attached)
                }
                Done::Reloaded(result) => controllers::Input::Reloaded(result),
            };
            self.shell.deliver(Input::Manager(input));
        }
    }

    /// Gives a new controller its topics.
    fn attach(
        &mut self,
        node: &mut r2r::Node,
        name: &str,
        created: Created,
    ) -> Result<NewController, Refusal> {
        let attached = self.topics.attach(node, name, &created);
        attached
            .and_then(|()| lock(&self.outputs).attach(node, name, &created))
            .and_then(|()| self.follow.attach(node, name, &created))
            .map_err(|error| Refusal::Init { name: name.to_owned(), reason: error.to_string() })?;
        Ok(created.controller)
    }
}
