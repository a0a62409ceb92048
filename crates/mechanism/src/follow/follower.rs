use safety::Clock;
use safety::freshness::is_stale;

use crate::follow::FollowResult;
use crate::laws::{FollowedJoint, GoalId};
use crate::standard::Goal;

/// The goals of one controller: which are open, and what their results are.
///
/// A goal is open from its acceptance until one of these: its controller reports its end, or that something took its place; its
/// client cancels it; a stop overtakes its motion; its controller stops, fails, or is unloaded. The one before it stays open until the
/// controller has decided, since it goes on if the new one is refused.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    joints: Vec<FollowedJoint>,
    /// In the order of their ids.
    open: Vec<GoalId>,
    last: GoalId,
}

/// A goal that ended, and its result.
pub type EndedGoal = (GoalId, FollowResult);

impl Follower {
    /// Follows goals with these joints, in the controller's order, from now on.
    #[must_use]
    pub fn attach(&mut self, joints: Vec<FollowedJoint>) -> Vec<EndedGoal> {
        self.joints = joints;
        self.interrupt("the controller was unloaded")
    }

    /// The joints.
    pub fn joints(&self) -> &[FollowedJoint] {
        &self.joints
    }

    /// The goals that are open, in the order of their ids.
    pub fn open(&self) -> &[GoalId] {
        &self.open
    }

    /// An id for a new goal.
    pub fn new_id(&mut self) -> GoalId {
        self.last += 1;
        self.last
    }

    /// The motion of the goal `id` was sent to the controller.
    pub fn accept(&mut self, id: GoalId) {
        self.open.push(id);
    }

    /// A goal that waited for too long stopped the open ones.
    #[must_use]
    pub fn stop(&mut self) -> Vec<EndedGoal> {
        self.interrupt("another goal, which waited for too long, stopped it; the joints are held")
    }

    /// The controller reported that of the goals until `until` all but `goal`, which it follows, were replaced.
    #[must_use]
    pub fn replace(&mut self, goal: Option<GoalId>, until: GoalId) -> Vec<EndedGoal> {
        let reason = match goal {
            Some(_) => "another goal took the place of this one",
            None => "a trajectory on the controller's topic took the place of the goal",
        };
        self.interrupt_those(|id| id <= until && Some(id) != goal, reason)
    }

    /// The controller was commanded to end the goal `id`, whose client wants it to be cancelled.
    #[must_use]
    pub fn cancel(&mut self, id: GoalId) -> Option<EndedGoal> {
        self.take(|open| open == id).next().map(|id| (id, FollowResult::cancelled()))
    }

    /// The controller reported what became of the goal `id`.
    #[must_use]
    pub fn report(&mut self, id: GoalId, goal: Goal) -> Option<EndedGoal> {
        let result = FollowResult::of(goal, &self.joints)?;
        self.take(|open| open == id).next().map(|id| (id, result))
    }

    /// Why a motion without a goal failed, in a sentence without a full stop.
    pub fn failure(&self, goal: Goal) -> Option<String> {
        FollowResult::of(goal, &self.joints).map(|result| result.text)
    }

    /// Checks the controller: `is_running` is `None` if it is not loaded, and `failure` is why it stopped by itself.
    #[must_use]
    pub fn check(&mut self, is_running: Option<bool>, failure: Option<&str>) -> Vec<EndedGoal> {
        match (is_running, failure) {
            (Some(true), _) => Vec::new(),
            (Some(false), Some(failure)) => {
                self.interrupt(&format!("the controller stopped by itself: {failure}"))
            }
            (Some(false), None) => self.interrupt("the controller was stopped"),
            (None, _) => self.interrupt("the controller was unloaded"),
        }
    }

    /// Whether a goal that is read now may have waited for too long.
    pub fn waited_too_long(clock: &Clock) -> bool {
        is_stale(clock)
    }

    /// Whether a goal that is read now can be accepted.
    /// # Errors
    /// Why it is rejected.
    pub fn admit(is_running: Option<bool>, clock: &Clock) -> Result<(), &'static str> {
        match is_running {
            _ if Self::waited_too_long(clock) => {
                Err("it may have waited for too long while the node was held")
            }
            Some(true) => Ok(()),
            Some(false) => Err("the controller is stopped"),
            None => Err("the controller is not loaded"),
        }
    }

    fn interrupt(&mut self, reason: &str) -> Vec<EndedGoal> {
        self.interrupt_those(|_| true, reason)
    }

    fn interrupt_those(&mut self, is_one: impl Fn(GoalId) -> bool, reason: &str) -> Vec<EndedGoal> {
        self.take(is_one).map(|id| (id, FollowResult::interrupted(reason))).collect()
    }

    /// Takes the open goals of a kind.
    fn take(&mut self, is_one: impl Fn(GoalId) -> bool) -> impl Iterator<Item = GoalId> {
        let (taken, open): (Vec<_>, Vec<_>) = self.open.iter().partition(|id| is_one(**id));
        self.open = open;
        taken.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use safety::Instant;

    use super::*;
    use crate::follow::FollowEnd;
    use crate::standard::{Quantity, Violation};

    fn begun() -> (Follower, GoalId) {
        let mut follower = Follower::default();
        let pan = FollowedJoint { name: "pan".into(), unit: "rad", ..FollowedJoint::default() };
        assert_eq!(follower.attach(vec![pan]), []);
        let id = follower.new_id();
        follower.accept(id);
        (follower, id)
    }

    fn ends(ended: impl IntoIterator<Item = EndedGoal>) -> Vec<(GoalId, FollowEnd)> {
        ended.into_iter().map(|(id, result)| (id, result.end)).collect()
    }

    #[test]
    fn a_goal_ends_once_by_its_report() {
        let (mut follower, id) = begun();
        assert_eq!(follower.report(id, Goal::Active), None);
        assert_eq!(ends(follower.report(id, Goal::Reached)), [(id, FollowEnd::Succeeded)]);
        assert_eq!(follower.report(id, Goal::Reached), None);
        assert_eq!((follower.cancel(id), follower.check(None, None)), (None, vec![]));
    }

    #[test]
    fn a_new_goal_aborts_the_old_one_once_its_controller_follows_it() {
        let (mut follower, first) = begun();
        let (second, third) = (follower.new_id(), follower.new_id());
        follower.accept(second);
        follower.accept(third);
        assert_eq!(follower.open(), [first, second, third]);
        let [(replaced, result)] = follower.replace(Some(second), second).try_into().unwrap();
        assert_eq!((replaced, result.end, result.code), (first, FollowEnd::Aborted, -1));
        assert_eq!(result.text, "another goal took the place of this one");
        assert_eq!((follower.report(first, Goal::Reached), follower.open()), (None, &[second, third][..]));
        assert_eq!(ends(follower.replace(None, third)).len(), 2, "by a trajectory on the topic");
    }

    #[test]
    fn a_goal_that_is_refused_leaves_the_one_that_is_followed_open() {
        let (mut follower, first) = begun();
        let second = follower.new_id();
        follower.accept(second);
        let violation = Violation { joint: 0, quantity: Quantity::Position, error: 0.2, tolerance: 0.1 };
        let refused = Goal::Refused { violation, start: Duration::ZERO };
        assert_eq!(ends(follower.report(second, refused)), [(second, FollowEnd::Aborted)]);
        assert_eq!(follower.open(), [first]);
        assert_eq!(ends(follower.report(first, Goal::Reached)), [(first, FollowEnd::Succeeded)]);
    }

    #[test]
    fn a_cancel_ends_the_goal_that_it_names() {
        let (mut follower, first) = begun();
        let second = follower.new_id();
        follower.accept(second);
        assert_eq!(ends(follower.cancel(first)), [(first, FollowEnd::Cancelled)]);
        assert_eq!((follower.cancel(first), follower.open()), (None, &[second][..]));
    }

    #[test]
    fn everything_else_that_ends_a_goal_has_its_text() {
        let ended = |end: fn(&mut Follower) -> Vec<EndedGoal>| {
            let (mut follower, id) = begun();
            let [(ended, result)] = end(&mut follower).try_into().unwrap();
            assert_eq!((ended, follower.open().len(), follower.report(id, Goal::Reached)), (id, 0, None));
            (result.end, result.text)
        };
        let aborted = |text: &str| (FollowEnd::Aborted, text.to_owned());
        assert_eq!(
            ended(|follower| follower.replace(None, 1)),
            aborted("a trajectory on the controller's topic took the place of the goal")
        );
        assert_eq!(
            ended(|follower| follower.check(Some(false), None)),
            aborted("the controller was stopped")
        );
        assert_eq!(
            ended(|follower| follower.check(Some(false), Some("it panicked"))),
            aborted("the controller stopped by itself: it panicked")
        );
        assert_eq!(ended(|follower| follower.check(None, None)), aborted("the controller was unloaded"));
        assert_eq!(ended(|follower| follower.attach(Vec::new())), aborted("the controller was unloaded"));
    }

    #[test]
    fn only_a_running_controller_takes_goals_and_keeps_them() {
        let admit = |is_running, age: u64| {
            let mut clock = Clock::default();
            clock.pass_to(Instant::from_millis(1000), None);
            clock.read_again(Instant::from_millis(1000 - age), Instant::from_millis(1000 - age));
            Follower::admit(is_running, &clock)
        };
        assert_eq!(admit(Some(true), 499), Ok(()));
        assert_eq!(admit(Some(true), 500), Err("it may have waited for too long while the node was held"));
        assert_eq!(admit(Some(false), 0), Err("the controller is stopped"));
        assert_eq!(admit(None, 0), Err("the controller is not loaded"));
        let (mut follower, id) = begun();
        assert_eq!(follower.check(Some(true), None), []);
        assert_eq!(follower.open(), [id]);
    }
}
