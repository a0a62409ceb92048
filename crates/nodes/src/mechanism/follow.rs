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
use ros::{ActionServer, CancelRequests, Error, Goal, GoalEnd, GoalRequest, Shell};
use safety::{Clock, MessageTime, Stamp};

use super::NAME;
use super::factory::Created;
use super::inputs::named_points;

/// The actions `<controller>/follow_joint_trajectory` of the controllers that follow trajectories.
///
/// An action stays until the node ends, as the topics that feed controllers do: the next controller of the name has it.
#[derive(Default)]
pub(super) struct FollowServers(Vec<FollowServer>);

struct FollowServer {
    /// The controller's.
    name: String,
    id: ControllerId,
    server: ActionServer<Follow::Action>,
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
        let known = self.0.iter().position(|known| known.name == name);
        let place = match known {
            Some(place) => place,
            None => {
                let server = ActionServer::new(node, &format!("{name}/{}", output.name))?;
                let (follower, open) = Default::default();
                self.0.push(FollowServer {
                    name: name.to_owned(),
                    id: created.controller.id,
                    server,
                    follower,
                    open,
                });
                self.0.len() - 1
            }
        };
        if let Some(server) = self.0.get_mut(place) {
            server.id = created.controller.id;
            let ended = server.follower.attach(created.joints.clone());
            server.end(ended);
        }
        Ok(())
    }

    /// Passes on the output of a controller at `stamp`.
    pub(super) fn publish(&mut self, controller: ControllerId, report: Report, stamp: Stamp) {
        let Some(server) = self.of(controller) else { return };
        match report {
            Report::GoalEnded(id, goal) => {
                let ended = server.follower.report(id, goal);
                server.end(ended);
            }
            Report::GoalsReplaced { goal, until } => {
                let ended = server.follower.replace(goal, until);
                server.end(ended);
            }
            Report::MotionFailed(goal) => {
                let what = match goal {
                    GoalState::Refused { .. } => "is refused",
                    GoalState::Displaced(_) => "is held no longer",
                    _ => "ends",
                };
                if let Some(text) = server.follower.failure(goal) {
                    log::warn!(target: NAME, "a trajectory on '{}/joint_trajectory' {what}: {text}", server.name);
                }
            }
            Report::Tracking { .. } => server.feed(report, stamp),
            _ => {}
        }
    }

    /// Ends the goal whose motion did not reach its controller, since a stop overtook it.
    pub(super) fn drop_motion(&mut self, controller: ControllerId, message: &Message) {
        let Some((server, id)) = self.of(controller).zip(message.goal()) else { return };
        let ended = server.follower.report(id, GoalState::Stopped);
        server.end(ended);
    }

    /// Receives the requests that r2r has, and returns how many these were.
    pub(super) fn receive(&mut self) -> usize {
        self.0.iter_mut().map(|server| server.server.receive()).sum()
    }

    /// Serves goals and cancellations that are read now, and ends the goals of controllers that do not run any more.
    pub(super) fn serve(&mut self, shell: &Shell<Mechanism>, deliveries: &mut Deliveries, clock: &Clock) {
        for server in &mut self.0 {
            server.serve(shell, deliveries, clock);
        }
    }

    fn of(&mut self, controller: ControllerId) -> Option<&mut FollowServer> {
        self.0.iter_mut().find(|server| server.id == controller)
    }
}

impl FollowServer {
    fn serve(&mut self, shell: &Shell<Mechanism>, deliveries: &mut Deliveries, clock: &Clock) {
        let time = MessageTime::read_now(clock);
        let (is_running, ended) = shell.inspect(|machine| {
            let manager = machine.manager();
            let is_running = manager.is_running(&self.name);
            let failure = manager.failure(&self.name).map(|failure| failure.to_string());
            let ended = self.follower.check(is_running, failure.as_deref());
            (is_running, ended)
        });
        self.end(ended);
        while let Some(request) = self.server.next_goal() {
            match Follower::admit(is_running, clock) {
                Ok(()) => {
                    let mut joints = self.follower.joints().to_vec();
                    shell.inspect(|machine| machine.place(&mut joints));
                    self.begin(request, &joints, deliveries, time);
                }
                Err(reason) => {
                    log::warn!(target: NAME, "a goal for '{}' is rejected: {reason}", self.name);
                    request.reject();
                    // What one that waited was to replace does not go on.
                    if Follower::waited_too_long(clock)
                        && deliveries.send(self.id, INPUT, Message::Stop, time)
                    {
                        let ended = self.follower.stop();
                        self.end(ended);
                    }
                }
            }
        }
        let wanted = self.open.iter_mut().filter_map(|open| {
            let is_cancelled = open.cancels.receive().is_some_and(|count| count > 0);
            is_cancelled.then_some(open.id)
        });
        for id in wanted.collect::<Vec<_>>() {
            deliveries.send(self.id, INPUT, Message::Cancel(id), time); // never lost
            let ended = self.follower.cancel(id);
            self.end(ended);
        }
    }

    /// Accepts a goal. One that is not valid, or does not reach the controller, is aborted at once, since a rejection carries no
    /// reason; the open one goes on.
    fn begin(
        &mut self,
        request: GoalRequest<Follow::Action>,
        joints: &[FollowedJoint],
        deliveries: &mut Deliveries,
        time: MessageTime,
    ) {
        let id = self.follower.new_id();
        let goal = goal(request.goal.clone());
        let motion = goal.and_then(|goal| goal.motion(id, joints, clock::reading()));
        let Some((goal, cancels)) = request.accept() else { return };
        let message = match motion {
            Ok(motion) => Message::Trajectory(Some(Box::new(motion))),
            Err(error) => return end(&self.name, goal, FollowResult::from(&error)),
        };
        if !deliveries.send(self.id, INPUT, message, time) {
            return end(&self.name, goal, FollowResult::lost());
        }
        self.follower.accept(id);
        self.open.push(Open { id, goal, cancels, feedback: Follow::Feedback::default() });
    }

    /// Ends these goals.
    fn end(&mut self, ended: impl IntoIterator<Item = EndedGoal>) {
        for (id, result) in ended {
            if let Some(place) = self.open.iter().position(|open| open.id == id) {
                end(&self.name, self.open.remove(place).goal, result);
            }
        }
    }

    /// Adds a joint to the feedback, which is published with the last one: that of the first open goal, since those behind it are not
    /// decided.
    fn feed(&mut self, report: Report, stamp: Stamp) {
        let Report::Tracking { index, desired, actual, error } = report else { return };
        let Some(Open { goal, feedback, .. }) = self.open.first_mut() else { return };
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
        if index + 1 == joints.len() && measured.positions.len() == joints.len() {
            feedback.joint_names = joints.iter().map(|joint| joint.name.clone()).collect();
            feedback.header.stamp = to_wire(stamp);
            goal.feedback(std::mem::take(feedback));
        }
    }
}

#[allow(clippy::needless_update)] // a ROS with a newer control_msgs may have more fields
fn end(controller: &str, goal: Goal<Follow::Action>, result: FollowResult) {
    let FollowResult { end, code, text } = result;
    let end = match end {
        FollowEnd::Succeeded => GoalEnd::Succeeded,
        FollowEnd::Aborted => {
            log::warn!(target: NAME, "a goal for '{controller}' is aborted: {text}");
            GoalEnd::Aborted
        }
        FollowEnd::Cancelled => GoalEnd::Cancelled,
    };
    goal.end(end, Follow::Result { error_code: code, error_string: text, ..Default::default() });
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
