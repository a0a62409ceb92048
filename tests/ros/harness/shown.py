"""The robots of the display sets: the nodes that their launch files start, with rviz:=true, and a hand that moves them."""

import contextlib
import time

from display_sets import named
from frames import RobotStatePublisher
from geometry_msgs.msg import TwistStamped
from graph import Graph, act_until
from haptix_msgs.msg import GraspValue
from haptix_msgs.srv import SetGrasp
from launch_files import Launch
from nav_msgs.msg import Odometry
from or_joystick.msg import State
from paths import ROOT
from processes import Process, stop_all
from rviz_picture import Received
from std_msgs.msg import Bool, String

URDF = ROOT / "config" / "urdf"
PAD = ("-p", "joystick:virtual_device:=Test Pad")


class Shown:
    """A robot with everything that its display set shows."""

    def __init__(self, name, file, urdf=None, joint_states="joint_states", **arguments):
        self.graph, self.displays = Graph(), named(name)
        self.graph.subscribe(Odometry, "/odom")
        self.graph.subscribe(TwistStamped, "/cmd_vel_arbitrated")
        self.graph.subscribe(String, "/hind/state")
        self.received = Received(self.graph, self.displays)
        self.launch = Launch(file, sim="true", rviz="true", **arguments)
        commands = [command for command in self.launch.commands() if command[0] not in ("rviz2", "robot_state_publisher")]
        self.processes = [Process(*command, *(PAD if command[0] in ("joystick", "steersman") else ())) for command in commands]
        self.hand = State(axes=[0] * 6, buttons=[False] * 11)
        if urdf:
            self.robot = RobotStatePublisher(self.graph, URDF / urdf, joint_states)

    def output(self):
        return "\n".join(f"--- {process.name}\n{process.output}" for process in self.processes)

    def wait(self, condition, what, timeout=10.0):
        self.graph.wait(condition, lambda: f"{what() if callable(what) else what}:\n{self.output()}", timeout)

    def named(self, name):
        """The first process of the executable `name`."""
        return next(process for process in self.processes if process.name == name)

    def stick(self, forward=0.0, left=0.0, drive=True):
        self.hand.axes[0], self.hand.axes[1] = int(-32767 * left), int(-32767 * forward)
        self.hand.buttons[5] = drive

    def begin_with_stick(self):
        self.graph.repeat("/joystick/virtual_device", self.hand, 20.0)
        self.wait(lambda: self.graph.node.count_publishers("/joystick/device/Test_Pad"), "no pad")

    def close(self):
        try:
            stop_all(self.processes)
        finally:
            self.graph.close()


def begin_driving(shown):
    """Resets and enables."""
    graph = shown.graph
    state = lambda: graph.last("/hind/state").data if graph.last("/hind/state") else None  # noqa: E731
    shown.begin_with_stick()

    def ready():
        for topic, value in (("/hind/reset", False), ("/hind/reset", True), ("/hind/reset", False), ("/hind/enable", False), ("/hind/enable", True)):
            graph.publish(topic, Bool(data=value))

    shown.stick(0.0)
    act_until(graph, ready, lambda: state() == "OK", lambda: f"state {state()}\n{shown.output()}", 15.0)
    time.sleep(0.3)  # a zero command reaches hindbrain


def drive_until(shown, condition, failure):
    """Drives in a curve until `condition()` holds; centers the stick first and pushes it again if the robot does not move:
    on a busy machine this pad is late, counts as unplugged, and commands only after it was at rest."""

    def push():
        shown.stick(0.9, 0.25) if shown.hand.axes[1] == 0 or speed(shown) > 0.05 else shown.stick(0.0)

    act_until(shown.graph, push, condition, lambda: f"{failure()}:\n{shown.output()}", 20.0, every=0.7)


def speed(shown):
    return shown.graph.last("/odom").twist.twist.linear.x if shown.graph.last("/odom") else 0.0


def begin_teleop(shown):
    """Until the base answers to the stick."""
    shown.begin_with_stick()
    shown.stick(0.0)
    drive_until(shown, lambda: speed(shown) > 0.2, lambda: "it does not drive")


def begin_grasping(shown):
    client = shown.graph.node.create_client(SetGrasp, "/haptix/set_grasp")
    assert client.wait_for_service(10.0), shown.output()
    timer = []

    def grasp():
        client.call_async(SetGrasp.Request(grasps=[GraspValue(name="Cylindrical", value=0.5)]))

    timer.append(shown.graph.node.create_timer(0.3, grasp))  # a grasp that is not repeated ends


ROBOTS = {
    "drive": lambda: Shown("drive", "steersman", "simulator.urdf", "motor_states", surround="true"),
    "base": lambda: Shown("base", "teleop", "simulator.urdf", "motor_states"),
    "chair": lambda: Shown("chair", "wheelchair", "chair.urdf"),
    "arm": lambda: Shown("arm", "arm", "arm.urdf"),
    "hand": lambda: Shown("hand", "hand"),
}


@contextlib.contextmanager
def shown_robot(name):
    shown = ROBOTS[name]()
    try:
        yield shown
    finally:
        shown.close()
