//! The node `haptix` as a process of its own, at 1 kHz.

use std::time::Duration;

use processes::{Folder, Process};
use r2r::Client;
use r2r::haptix_msgs::msg::Command;
use r2r::haptix_msgs::srv::Update;
use ros::{Error, Node};

use crate::child;
use crate::service::{call, client, wait_for};

/// The namespace of the node's services and topics.
pub const HAND: &str = "/haptix";

/// Starts the node with the analytic hand, whose thread has one processor if it is given.
/// # Errors
/// There is no such executable.
pub fn start(core: Option<usize>, folder: &Folder) -> Result<Process, Error> {
    let mut arguments =
        ["--ros-args", "-p", "device:=mpl", "-p", "step_rate:=1000", "-p", "update_rate:=1000.0"]
            .map(str::to_owned)
            .to_vec();
    arguments.extend(core.into_iter().flat_map(|core| ["-p".to_owned(), format!("cores:=[{core}]")]));
    child::start("haptix", &arguments, folder)
}

/// A command that brings motor 0 to `position` \[rad\], and the others to 0.
pub fn command(position: f32) -> Command {
    let mut command = Command { ref_pos_enabled: true, ..Command::default() };
    command.ref_pos[0] = position;
    command
}

/// Calls `update` of one node.
pub struct Updater {
    /// The node that calls.
    pub node: Node,
    client: Client<Update::Service>,
}

impl Updater {
    /// A client called `name` of the hand in `namespace`.
    /// # Errors
    /// The middleware refuses it.
    pub fn new(context: &r2r::Context, name: &str, namespace: &str) -> Result<Self, Error> {
        let mut node = Node::new(context, name)?;
        let client = client(&mut node, &format!("{namespace}/update"))?;
        Ok(Self { node, client })
    }

    /// Waits until the hand is there and answers.
    /// # Errors
    /// It is not.
    pub fn wait(&mut self) -> Result<(), Error> {
        wait_for(&mut self.node, &self.client, "hand")?;
        // Until there is a reading an update is an error.
        while !self.update_if_ready()? {}
        Ok(())
    }

    fn update_if_ready(&mut self) -> Result<bool, Error> {
        let request = Update::Request { command: command(0.0), wait_for_tick: false };
        Ok(call(&mut self.node, &self.client, &request)?.0.result.code == 0)
    }

    /// Brings motor 0 to `position`; how long the answer took.
    /// # Errors
    /// There is no answer, or the command is refused.
    pub fn update(&mut self, position: f32) -> Result<Duration, Error> {
        let request = Update::Request { command: command(position), wait_for_tick: false };
        let (answer, took) = call(&mut self.node, &self.client, &request)?;
        if answer.result.code == 0 {
            Ok(took)
        } else {
            Err(Error::Start(format!("an update is refused: {}", answer.result.message)))
        }
    }
}
