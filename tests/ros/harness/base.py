"""What moves the vehicle, as the values of two motors: those that hindbrain publishes, or the ones that its velocity for a base with a driver
of its own stands for. STEERSMAN_OUTPUT=twist_stamped runs any test of the motors with the second."""

import math
import os

from geometry_msgs.msg import TwistStamped
from rclpy.qos import QoSProfile
from std_msgs.msg import Int16

STOP, FULL = 90, 66
OUTPUT = os.environ.get("STEERSMAN_OUTPUT", "motors")
SIDES = {"port": -1.0, "starboard": 1.0}


def arguments(node=""):
    """What a process of hindbrain, or `hindbrain:` of steersman, needs for it."""
    return [] if OUTPUT == "motors" else ["-p", f"{node}output:={OUTPUT}"]


def value(forward, turn, side, track, wheel_speed=1.0):
    """The value of a motor: the next whole count away from stop, but for what the setpoint's millionths leave."""
    level = FULL * (forward + SIDES[side] * turn * track / 2.0) / wheel_speed
    count = max(math.ceil(abs(level) - 1e-3), level != 0.0)
    return STOP - int(math.copysign(count, level))


def see_motors(graph, keep, track, output=OUTPUT, wheel_speed=1.0):
    """Keeps the values by `keep`, which is `subscribe` or `record` of `graph`, as messages of the motors' topics."""
    if output == "motors":
        for side in SIDES:
            keep(Int16, f"/motor/{side}", QoSProfile(depth=1000))
        return
    for side in SIDES:
        graph.messages[f"/motor/{side}"] = []

    def derive(at, message):
        for side in SIDES:
            twist = message.twist
            data = value(twist.linear.x, twist.angular.z, side, track, wheel_speed)
            graph.messages[f"/motor/{side}"].append((at, Int16(data=data)))

    keep(TwistStamped, "/hind/cmd_vel", QoSProfile(depth=1000), derive)
