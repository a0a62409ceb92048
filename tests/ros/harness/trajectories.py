"""Trajectories, and the client of the action that follows them."""

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.qos import QoSProfile
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ONE = QoSProfile(depth=1)
SUCCEEDED, ABORTED, CANCELED = GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_ABORTED, GoalStatus.STATUS_CANCELED


def trajectory(joints, *points):
    message = JointTrajectory(joint_names=joints)
    for seconds, positions in points:
        point = JointTrajectoryPoint(positions=positions)
        point.time_from_start.sec, point.time_from_start.nanosec = int(seconds), round(seconds % 1 * 1e9)
        message.points.append(point)
    return message


def goal(*points, joints=("pan", "tilt"), **fields):
    return FollowJointTrajectory.Goal(trajectory=trajectory(list(joints), *points), **fields)


class Client:
    """The client of one controller's action."""

    def __init__(self, graph, controller="arm_trajectory"):
        self.graph = graph
        self.client = ActionClient(graph.node, FollowJointTrajectory, f"{controller}/follow_joint_trajectory")
        self.feedback = []

    def _wait(self, future, timeout=5.0):
        self.graph.wait(future.done, "no answer of the action", timeout)
        return future.result()

    def send(self, sent):
        assert self.client.wait_for_server(10.0), "the action is not there"
        self.feedback = []
        remember = lambda message: self.feedback.append(message.feedback)  # noqa: E731
        return self._wait(self.graph.between(lambda: self.client.send_goal_async(sent, feedback_callback=remember)))

    def result(self, handle, timeout=10.0):
        """The status and the result of an accepted goal."""
        assert handle.accepted
        answer = self._wait(self.graph.between(handle.get_result_async), timeout)
        return answer.status, answer.result

    def ended(self, sent):
        status, result = self.result(self.send(sent))
        return status, result.error_code, result.error_string

    def cancel(self, handle):
        return self._wait(self.graph.between(handle.cancel_goal_async))


def running(manager):
    assert manager.load("arm_trajectory") and manager.switch(["arm_trajectory"])
