"""A second publisher of a topic of hindbrain: the state and the cause that it leads to, and when."""

from rclpy.qos import QoSProfile, ReliabilityPolicy

BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
# Each node that receives messages or can move counts the publishers every 0.1 s, and discovers a new one of a known participant at once.
COUNTED_WITHIN = 0.2
# The name of the tests' own node, which is the first publisher.
FIRSTS_NAME = "observer"
CAUSES = {
    "/cmd_vel": ("SSTOP.ROS", "CMD_CONFLICT"),
    "/hind/enable": ("SSTOP.ROS", "ENABLE_CONFLICT"),
    "/hind/estop": ("ESTOP", "ESTOP_CONFLICT"),
    "/motor/port": ("SSTOP.ROS", "MOTOR_CONFLICT"),
    "/motor/starboard": ("SSTOP.ROS", "MOTOR_CONFLICT"),
}


def wait_for_conflict(vehicle, topic):
    state, cause = CAUSES[topic]
    vehicle.wait(lambda: vehicle.state == vehicle.detail.state == state and cause in vehicle.causes, f"{topic}: no {cause}")
