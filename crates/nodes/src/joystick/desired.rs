use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use joystick::PoseState;
use r2r::or_pose_estimator::msg as or_pose;
use ros::{Error, Topic, clock, panics, qos};

use crate::messages;

/// The topic of the velocity reference.
pub struct Desired {
    topic: Topic<or_pose::State>,
    subscribed_only: bool,
    /// Whether the message that a late joiner receives asks for motion.
    moves: Arc<AtomicBool>,
}

impl Desired {
    /// Opens the topic. If the process panics while the last message asks for motion, a zero is published on it.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        let topic = Topic::new(node, "~/desired", qos::state())?;
        let (publisher, moves) = (topic.share(), Arc::new(AtomicBool::new(false)));
        let moved = Arc::clone(&moves);
        panics::final_messages(move || {
            if moved.load(Ordering::Relaxed) {
                // With accelerations: this zero is not the release of a stick.
                let rest = PoseState::standing(clock::stamp(), true);
                let _ = publisher.publish(&messages::pose_state(&rest));
            }
        });
        Ok(Self { topic, subscribed_only: false, moves })
    }

    /// From now on publishes only if the topic has a subscriber: for a topic inside a composed process. The message that stays
    /// for late joiners is at rest, since the last subscriber may have left while the stick was held.
    pub fn for_subscribers_only(&mut self) {
        self.subscribed_only = true;
    }

    /// Publishes `state`.
    pub fn publish(&mut self, state: &PoseState) {
        if !self.subscribed_only || self.moves.load(Ordering::Relaxed) || self.topic.has_subscribers() {
            self.topic.publish(&messages::pose_state(state));
            let parts = [state.vel, state.avel];
            let moves = parts.into_iter().flatten().flatten().any(|part| part != 0.0);
            self.moves.store(moves, Ordering::Relaxed);
        }
    }
}
