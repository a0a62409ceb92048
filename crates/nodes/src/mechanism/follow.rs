use std::sync::{Arc, Mutex};

use mechanism::Mechanism;
use mechanism::controllers::{ControllerId, Message, OutputKind, Report};
use mechanism::follow::{
    EndedGoal, FollowEnd, FollowGoal, FollowResult, Follower, GoalError, NamedTolerance,
};
use mechanism::laws::{FollowedJoint, GoalId};
use mechanism::standard::Goal as GoalState;
use mechanism_loop::Deliveries;
use r2r::control_msgs::action::FollowJointTrajectory as Follow;
use r2r::control_msgs::msg::JointTolerance;
use ros::clock::{self, to_wire};
use ros::panics::lock;
use ros::{ActionServer, CancelRequests, Error, Goal, GoalEnd, Shell};
use safety::{Clock, MessageTime, Stamp};

use super::NAME;
use super::factory::Created;
use super::inputs::named_points;

/// The actions `<controller>/follow_joint_trajectory` of the controllers that follow trajectories, for the node's own thread.
///
/// An action stays until the node ends, as the topics that feed controllers do: the next controller of the name has it.
#[derive(Default)]
pub(super) struct FollowServers {
    servers: Vec<ActionServer<Follow::Action>>,
    goals: FollowGoals,
}

/// The goals of these actions, for each thread. **Nothing is sent while they are locked**: a send that hangs keeps only the thread that sends.
#[derive(Clone, Default)]
pub(super) struct FollowGoals(Arc<Mutex<Vec<Following>>>);

/// A message that waits until nothing is locked.
type Sending = Box<dyn FnOnce()>;

fn send(sendings: impl IntoIterator<Item = Sending>) {
    sendings.into_iter().for_each(|sending| sending());
}

/// The goals of one action.
struct Following {
    /// The controller's.
    name: String,
    id: ControllerId,
    follower: Follower,
    open: Vec<Open>,
}

/// An open goal.
struct Open {
    id: GoalId,
    goal: Goal<Follow::Action>,
    cancels: CancelRequests,
    /// The joints' states that are published already.
    feedback: Follow::Feedback,
}

/// The only input of such a controller.
const INPUT: usize = 0;

impl FollowServers {
    /// The goals of all actions.
    pub(super) fn goals(&self) -> FollowGoals {
        self.goals.clone()
    }

    /// Serves the action of the controller `name` from now on, if it has one.
    /// # Errors
    /// The middleware refuses the action.
    pub(super) fn attach(
        &mut self,
        node: &mut r2r::Node,
        name: &str,
        created: &Created,
    ) -> Result<(), Error> {
        let Some(output) = created.outputs.iter().find(|output| output.kind == OutputKind::Follow) else {
            return Ok(());
        };
        let known = lock(&self.goals.0).iter().position(|known| known.name == name);
        let place = match known {
            Some(place) => place,
            None => {
                self.servers.push(ActionServer::new(node, &format!("{name}/{}", output.name))?);
                let (follower, open) = Default::default();
                let (name, id) = (name.to_owned(), created.controller.id);
                lock(&self.goals.0).push(Following { name, id, follower, open });
                self.servers.len() - 1
            }
        };
        self.goals.at(place, |one| {
            one.id = created.controller.id;
            let ended = one.follower.attach(created.joints.clone());
            one.end(ended)
        });
        Ok(())
    }

    /// Receives the requests that r2r has, and returns how many these were.
    pub(super) fn receive(&mut self) -> usize {
        self.servers.iter_mut().map(ActionServer::receive).sum()
    }

    /// Serves goals and cancellations that are read now, and ends the goals of controllers that do not run any more.
    pub(super) fn serve(&mut self, shell: &Shell<Mechanism>, deliveries: &mut Deliveries, clock: &Clock) {
        let (goals, time) = (&self.goals, MessageTime::read_now(clock));
        for (place, server) in self.servers.iter_mut().enumerate() {
            let Some(name) = lock(&goals.0).get(place).map(|one| one.name.clone()) else { continue };
            let (is_running, failure) = shell.inspect(|machine| {
                let manager = machine.manager();
                (manager.is_running(&name), manager.failure(&name).map(|failure| failure.to_string()))
            });
            goals.at(place, |one| {
                let ended = one.follower.check(is_running, failure.as_deref());
                one.end(ended)
            });
            while let Some(request) = server.next_goal() {
                match Follower::admit(is_running, clock) {
                    Ok(()) => {
                        let joints = lock(&goals.0).get(place).map(|one| one.follower.joints().to_vec());
                        let mut joints = joints.unwrap_or_default();
                        shell.inspect(|machine| machine.place(&mut joints));
                        let points = goal(request.goal.clone());
                        let Some((goal, cancels)) = request.accept() else { continue };
                        goals.at(place, |one| one.begin(goal, cancels, points, &joints, deliveries, time));
                    }
                    Err(reason) => {
                        log::warn!(target: NAME, "a goal for '{name}' is rejected: {reason}");
                        request.reject();
                        // What one that waited was to replace does not go on.
                        if Follower::waited_too_long(clock) {
                            goals.at(place, |one| one.stop(deliveries, time));
                        }
                    }
                }
            }
            goals.at(place, |one| one.cancel(deliveries, time));
        }
    }
}

impl FollowGoals {
    /// Passes on the output of a controller at `stamp`.
    pub(super) fn publish(&self, controller: ControllerId, report: Report, stamp: Stamp) {
        self.of(controller, |one| one.report(report, stamp));
    }

    /// Ends the goal whose motion did not reach its controller, since a stop overtook it.
    pub(super) fn drop_motion(&self, controller: ControllerId, message: &Message) {
        let Some(id) = message.goal() else { return };
        self.of(controller, |one| {
            let ended = one.follower.report(id, GoalState::Stopped);
            one.end(ended)
        });
    }

    /// Sends what `act` returns for the goals of a controller, once they are not locked any more.
    fn of(&self, controller: ControllerId, act: impl FnOnce(&mut Following) -> Vec<Sending>) {
        let sendings = lock(&self.0).iter_mut().find(|one| one.id == controller).map(act); // the lock ends here
        send(sendings.into_iter().flatten());
    }

    /// Sends what `act` returns for those of the action at `place`.
    fn at(&self, place: usize, act: impl FnOnce(&mut Following) -> Vec<Sending>) {
        let sendings = lock(&self.0).get_mut(place).map(act); // the lock ends here
        send(sendings.into_iter().flatten());
    }
}

impl Following {
    fn report(&mut self, report: Report, stamp: Stamp) -> Vec<Sending> {
        match report {
            Report::GoalEnded(id, goal) => {
                let ended = self.follower.report(id, goal);
                self.end(ended)
            }
            Report::GoalsReplaced { goal, until } => {
                let ended = self.follower.replace(goal, until);
                self.end(ended)
            }
            Report::MotionFailed(goal) => {
                let what = match goal {
                    GoalState::Refused { .. } => "is refused",
                    GoalState::Displaced(_) => "is held no longer",
                    _ => "ends",
                };
                if let Some(text) = self.follower.failure(goal) {
                    log::warn!(target: NAME, "a trajectory on '{}/joint_trajectory' {what}: {text}", self.name);
                }
                Vec::new()
            }
            Report::Tracking { .. } => self.feed(report, stamp).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Begins a goal that was accepted. One that is not valid, or does not reach the controller, is aborted at once, since a rejection carries
    /// no reason; the open one goes on.
    fn begin(
        &mut self,
        goal: Goal<Follow::Action>,
        cancels: CancelRequests,
        points: Result<FollowGoal, GoalError>,
        joints: &[FollowedJoint],
        deliveries: &mut Deliveries,
        time: MessageTime,
    ) -> Vec<Sending> {
        let id = self.follower.new_id();
        let message = match points.and_then(|points| points.motion(id, joints, clock::reading())) {
            Ok(motion) => Message::Trajectory(Some(Box::new(motion))),
            Err(error) => return vec![end(&self.name, goal, FollowResult::from(&error))],
        };
        if !deliveries.send(self.id, INPUT, message, time) {
            return vec![end(&self.name, goal, FollowResult::lost())];
        }
        self.follower.accept(id);
        self.open.push(Open { id, goal, cancels, feedback: Follow::Feedback::default() });
        Vec::new()
    }

    /// Stops the motion, since a goal waited for too long.
    fn stop(&mut self, deliveries: &mut Deliveries, time: MessageTime) -> Vec<Sending> {
        deliveries.send(self.id, INPUT, Message::Stop, time); // never lost
        let ended = self.follower.stop();
        self.end(ended)
    }

    /// Ends the goals whose clients want that.
    fn cancel(&mut self, deliveries: &mut Deliveries, time: MessageTime) -> Vec<Sending> {
        let wanted = self.open.iter_mut().filter_map(|open| {
            let is_cancelled = open.cancels.receive().is_some_and(|count| count > 0);
            is_cancelled.then_some(open.id)
        });
        let cancel = |id| {
            deliveries.send(self.id, INPUT, Message::Cancel(id), time); // never lost
            self.follower.cancel(id)
        };
        let ended: Vec<_> = wanted.collect::<Vec<_>>().into_iter().filter_map(cancel).collect();
        self.end(ended)
    }

    /// Ends these goals.
    fn end(&mut self, ended: impl IntoIterator<Item = EndedGoal>) -> Vec<Sending> {
        let mut take = |(id, result)| {
            let place = self.open.iter().position(|open| open.id == id)?;
            Some(end(&self.name, self.open.remove(place).goal, result))
        };
        ended.into_iter().filter_map(&mut take).collect()
    }

    /// Adds a joint to the feedback, which is published with the last one: that of the first open goal, since those behind it are not
    /// decided.
    fn feed(&mut self, report: Report, stamp: Stamp) -> Option<Sending> {
        let Report::Tracking { index, desired, actual, error } = report else { return None };
        let Open { goal, feedback, .. } = self.open.first_mut()?;
        if index == 0 {
            *feedback = Follow::Feedback::default();
        }
        let Follow::Feedback { desired: wanted, actual: measured, error: difference, .. } = &mut *feedback;
        wanted.positions.push(desired[0]);
        wanted.velocities.push(desired[1]);
        wanted.accelerations.push(desired[2]);
        measured.positions.push(actual[0]);
        measured.velocities.push(actual[1]);
        difference.positions.push(error);
        difference.velocities.push(desired[1] - actual[1]);
        let joints = self.follower.joints();
        if index + 1 != joints.len() || measured.positions.len() != joints.len() {
            return None;
        }
        feedback.joint_names = joints.iter().map(|joint| joint.name.clone()).collect();
        feedback.header.stamp = to_wire(stamp);
        Some(Box::new(goal.feedback(std::mem::take(feedback))))
    }
}

#[allow(clippy::needless_update)] // a ROS with a newer control_msgs may have more fields
fn end(controller: &str, goal: Goal<Follow::Action>, result: FollowResult) -> Sending {
    let FollowResult { end, code, text } = result;
    let end = match end {
        FollowEnd::Succeeded => GoalEnd::Succeeded,
        FollowEnd::Aborted => {
            log::warn!(target: NAME, "a goal for '{controller}' is aborted: {text}");
            GoalEnd::Aborted
        }
        FollowEnd::Cancelled => GoalEnd::Cancelled,
    };
    let result = Follow::Result { error_code: code, error_string: text, ..Default::default() };
    Box::new(move || goal.end(end, result))
}

fn goal(message: Follow::Goal) -> Result<FollowGoal, GoalError> {
    let tolerances = |tolerances: Vec<JointTolerance>| {
        let named = |JointTolerance { name, position, velocity, acceleration, .. }| NamedTolerance {
            joint: name,
            position,
            velocity,
            acceleration,
        };
        tolerances.into_iter().map(named).collect()
    };
    let multi = &message.multi_dof_trajectory;
    Ok(FollowGoal {
        is_multi_dof: !multi.joint_names.is_empty()
            || !multi.points.is_empty()
            || !message.component_path_tolerance.is_empty()
            || !message.component_goal_tolerance.is_empty(),
        trajectory: named_points(message.trajectory)?,
        path_tolerance: tolerances(message.path_tolerance),
        goal_tolerance: tolerances(message.goal_tolerance),
        goal_time: (message.goal_time_tolerance.sec, message.goal_time_tolerance.nanosec),
    })
}
