use units::Clock;
use units::freshness::is_stale;

use crate::follow::FollowResult;
use crate::laws::{FollowedJoint, GoalId};
use crate::standard::Goal;

/// The goals of one controller, one after the other: which one is open, and what its result is.
///
/// A goal is open from its acceptance until one of these: its controller reports its end; another goal or a trajectory takes its
/// place; its client cancels it; its controller stops, fails, or is unloaded.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    joints: Vec<FollowedJoint>,
    open: Option<GoalId>,
    /// Whether the client of the open goal wants it to be cancelled.
    is_cancelling: bool,
    last: GoalId,
}

impl Follower {
    /// Follows goals with these joints, in the controller's order, from now on.
    #[must_use]
    pub fn attach(&mut self, joints: Vec<FollowedJoint>) -> Option<FollowResult> {
        self.joints = joints;
        self.interrupt("the controller was unloaded")
    }

    /// The joints.
    pub fn joints(&self) -> &[FollowedJoint] {
        &self.joints
    }

    /// The goal that is open.
    pub fn open(&self) -> Option<GoalId> {
        self.open
    }

    /// An id for a new goal.
    pub fn new_id(&mut self) -> GoalId {
        self.last += 1;
        self.last
    }

    /// The motion of the goal `id` was sent to the controller: it takes the place of the open one, whose result is returned.
    #[must_use]
    pub fn accept(&mut self, id: GoalId) -> Option<FollowResult> {
        let preempted = self.interrupt("another goal took the place of this one");
        (self.open, self.is_cancelling) = (Some(id), false);
        preempted
    }

    /// A goal that waited for too long stopped the open one.
    #[must_use]
    pub fn stop(&mut self) -> Option<FollowResult> {
        self.interrupt("another goal, which waited for too long, stopped it; the joints are held")
    }

    /// The controller received a trajectory without a goal.
    #[must_use]
    pub fn replace(&mut self) -> Option<FollowResult> {
        self.interrupt("a trajectory on the controller's topic took the place of the goal")
    }

    /// The client wants the open goal to be cancelled.
    pub fn request_cancel(&mut self) {
        self.is_cancelling = true;
    }

    /// Whether the open goal is to be cancelled, so the controller has to hold its joints. The goal stays open until
    /// that was sent.
    pub fn is_cancelling(&self) -> bool {
        self.is_cancelling && self.open.is_some()
    }

    /// The controller was commanded to hold its joints: the open goal is cancelled.
    #[must_use]
    pub fn cancel(&mut self) -> Option<FollowResult> {
        self.open.take().map(|_| FollowResult::cancelled())
    }

    /// The controller reported what became of the goal `id`.
    #[must_use]
    pub fn report(&mut self, id: GoalId, goal: Goal) -> Option<FollowResult> {
        let result = FollowResult::of(goal, &self.joints).filter(|_| self.open == Some(id))?;
        self.open = None;
        Some(result)
    }

    /// Why a motion without a goal failed, in a sentence without a full stop.
    pub fn failure(&self, goal: Goal) -> Option<String> {
        FollowResult::of(goal, &self.joints).map(|result| result.text)
    }

    /// Checks the controller: `is_running` is `None` if it is not loaded, and `failure` is why it stopped by itself.
    #[must_use]
    pub fn check(&mut self, is_running: Option<bool>, failure: Option<&str>) -> Option<FollowResult> {
        match (is_running, failure) {
            (Some(true), _) => None,
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

    fn interrupt(&mut self, reason: &str) -> Option<FollowResult> {
        self.open.take().map(|_| FollowResult::interrupted(reason))
    }
}

#[cfg(test)]
mod tests {
    use units::Instant;

    use super::*;
    use crate::follow::FollowEnd;

    fn begun() -> (Follower, GoalId) {
        let mut follower = Follower::default();
        assert_eq!(
            follower.attach(vec![FollowedJoint { name: "pan".into(), unit: "rad", range: None }]),
            None
        );
        let id = follower.new_id();
        assert_eq!(follower.accept(id), None);
        (follower, id)
    }

    #[test]
    fn a_goal_ends_once_by_its_report() {
        let (mut follower, id) = begun();
        assert_eq!(follower.report(id, Goal::Active), None);
        assert_eq!(follower.report(id, Goal::Reached).map(|result| result.end), Some(FollowEnd::Succeeded));
        assert_eq!(follower.report(id, Goal::Reached), None);
        assert_eq!((follower.cancel(), follower.check(None, None)), (None, None));
    }

    #[test]
    fn a_new_goal_aborts_the_old_one_whose_report_then_counts_no_more() {
        let (mut follower, first) = begun();
        let second = follower.new_id();
        let preempted = follower.accept(second).unwrap();
        assert_eq!((preempted.end, preempted.code), (FollowEnd::Aborted, -1));
        assert_eq!(preempted.text, "another goal took the place of this one");
        assert_eq!((follower.report(first, Goal::Reached), follower.open()), (None, Some(second)));
    }

    #[test]
    fn a_goal_stays_open_until_its_controller_was_told_to_hold_its_joints() {
        let (mut follower, id) = begun();
        assert!(!follower.is_cancelling());
        follower.request_cancel();
        assert!(follower.is_cancelling() && follower.open() == Some(id), "it was not sent yet");
        assert_eq!(follower.cancel().map(|result| result.end), Some(FollowEnd::Cancelled));
        assert!(!follower.is_cancelling() && follower.open().is_none());
        // It ended by itself before that was sent, and the next goal is another.
        let _ = follower.accept(id + 1);
        follower.request_cancel();
        assert!(follower.report(id + 1, Goal::Reached).is_some() && !follower.is_cancelling());
        let _ = follower.accept(id + 2);
        assert!(!follower.is_cancelling());
    }

    #[test]
    fn everything_else_that_ends_a_goal_has_its_text() {
        let ended = |end: fn(&mut Follower) -> Option<FollowResult>| {
            let (mut follower, id) = begun();
            let result = end(&mut follower).unwrap();
            assert_eq!((follower.open(), follower.report(id, Goal::Reached)), (None, None));
            (result.end, result.text)
        };
        let aborted = |text: &str| (FollowEnd::Aborted, text.to_owned());
        assert_eq!(
            ended(Follower::replace),
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
        assert_eq!(ended(Follower::cancel).0, FollowEnd::Cancelled);
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
        assert_eq!(follower.check(Some(true), None), None);
        assert_eq!(follower.open(), Some(id));
    }
}
