"""Frames of robots: what tf2 computes from the transforms in the graph, and robot_state_publisher, which no registry has.

The stand-in publishes what robot_state_publisher 3.3.3 does for a URDF: its description, its fixed joints on /tf_static, and the others on
/tf for each message of the joint states.
"""

import math
import xml.etree.ElementTree

import numpy as np
from geometry_msgs.msg import TransformStamped
from graph import EDGE, LATCHED
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def rotation(x, y, z, w):
    """The matrix of a quaternion."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def pose(position, orientation):
    """The 4 by 4 matrix of a pose or a transform of ROS."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation(orientation.x, orientation.y, orientation.z, orientation.w)
    matrix[:3, 3] = position.x, position.y, position.z
    return matrix


def about(axis, angle):
    """The quaternion of a turn about an axis, x y z w."""
    length = math.sqrt(sum(part * part for part in axis)) or 1.0
    return [*(part / length * math.sin(angle / 2) for part in axis), math.cos(angle / 2)]


def origin(element):
    """The 4 by 4 matrix of <origin>: turned about the fixed axes x, y and z, in that order."""
    found = element.find("origin")
    words = lambda name: [float(word) for word in (found.get(name) or "0 0 0").split()]  # noqa: E731
    if found is None:
        return np.eye(4)
    matrix = np.eye(4)
    roll, pitch, yaw = words("rpy")
    for axis, angle in (((0, 0, 1), yaw), ((0, 1, 0), pitch), ((1, 0, 0), roll)):
        matrix[:3, :3] = matrix[:3, :3] @ rotation(*about(axis, angle))
    matrix[:3, 3] = words("xyz")
    return matrix


def quaternion(matrix):
    """The quaternion x y z w of a rotation, by the greatest of its four parts."""
    m = matrix[:3, :3]
    squares = [1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + np.trace(m)]
    best = int(np.argmax(squares))
    rows = [
        [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
        [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
        [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
    ]
    return np.array(rows[best]) / (2 * math.sqrt(squares[best]))


class Frames:
    """The newest transform to each frame, as tf2's listener keeps them."""

    def __init__(self, node):
        self.parents = {}
        node.create_subscription(TFMessage, "/tf", self._add, QoSProfile(depth=100))
        node.create_subscription(TFMessage, "/tf_static", self._add, STATIC)

    def _add(self, message):
        for transform in message.transforms:
            matrix = pose(transform.transform.translation, transform.transform.rotation)
            self.parents[transform.child_frame_id] = (transform.header.frame_id, matrix)

    def _to_root(self, frame):
        matrix, seen = np.eye(4), set()
        while frame in self.parents:
            assert frame not in seen, f"the frame '{frame}' carries itself"
            seen.add(frame)
            frame, step = self.parents[frame]
            matrix = step @ matrix
        return frame, matrix

    def lookup(self, target, source):
        """The pose of `source` in `target`; None if no transform connects them."""
        (a, to), (b, of) = self._to_root(target), self._to_root(source)
        return np.linalg.inv(to) @ of if a == b else None


class RobotStatePublisher:
    """Publishes the description and the frames of the robot in the file `urdf`."""

    def __init__(self, graph, urdf, joint_states="joint_states"):
        self.node = graph.node
        self.root = xml.etree.ElementTree.parse(urdf).getroot()
        self.joints = {joint.get("name"): joint for joint in self.root.findall("joint")}
        self.description = self.node.create_publisher(String, "robot_description", LATCHED)
        self.description.publish(String(data=urdf.read_text()))
        self.static = self.node.create_publisher(TFMessage, "/tf_static", STATIC)
        fixed = [self._transform(joint, 0.0) for joint in self.joints.values() if joint.get("type") == "fixed"]
        now = self.node.get_clock().now().to_msg()
        for transform in fixed:
            transform.header.stamp = now
        self.static.publish(TFMessage(transforms=fixed))
        self.moving = self.node.create_publisher(TFMessage, "/tf", EDGE)
        self.node.create_subscription(JointState, joint_states, self._publish, qos_profile_sensor_data)

    def _transform(self, joint, position):
        axis = joint.find("axis")
        axis = [float(word) for word in axis.get("xyz").split()] if axis is not None else [1.0, 0.0, 0.0]
        moved = np.eye(4)
        if joint.get("type") == "prismatic":
            moved[:3, 3] = np.array(axis) * position
        elif joint.get("type") != "fixed":
            moved[:3, :3] = rotation(*about(axis, position))
        matrix = origin(joint) @ moved
        transform = TransformStamped(child_frame_id=joint.find("child").get("link"))
        transform.header.frame_id = joint.find("parent").get("link")
        to, turn = transform.transform.translation, transform.transform.rotation
        to.x, to.y, to.z = map(float, matrix[:3, 3])
        turn.x, turn.y, turn.z, turn.w = map(float, quaternion(matrix))
        return transform

    def _publish(self, message):
        known = [(self.joints[name], position) for name, position in zip(message.name, message.position) if name in self.joints]
        transforms = [self._transform(joint, position) for joint, position in known]
        for transform in transforms:
            transform.header.stamp = message.header.stamp
        self.moving.publish(TFMessage(transforms=transforms))
