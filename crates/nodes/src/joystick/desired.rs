use joystick::PoseState;
use r2r::or_pose_estimator::msg as or_pose;
use ros::{Error, Topic, qos};

use crate::messages;

/// The topic of the velocity reference.
pub struct Desired {
    topic: Topic<or_pose::State>,
    watched_only: bool,
    /// Whether the message that a late joiner would get asks for motion.
    moves: bool,
}

impl Desired {
    /// Opens the topic.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        Ok(Self { topic: Topic::new(node, "~/desired", qos::state())?, watched_only: false, moves: false })
    }

    /// From now on publishes only when somebody listens: for a topic inside a composed process. What stays for late joiners
    /// is at rest, since whoever listened last may have left while the stick was held.
    pub fn for_watchers_only(&mut self) {
        self.watched_only = true;
    }

    /// Publishes `state`.
    pub fn publish(&mut self, state: &PoseState) {
        if !self.watched_only || self.moves || self.topic.is_watched() {
            self.topic.publish(&messages::pose_state(state));
            let parts = [state.vel, state.avel];
            self.moves = parts.into_iter().flatten().flatten().any(|part| part != 0.0);
        }
    }
}
