"""The robots of the display sets: the nodes that their launch files start, with a hand that moves them."""

import contextlib
import time

from display_sets import named
from frames import RobotStatePublisher
from geometry_msgs.msg import TwistStamped
from graph import Graph, act_until
from haptix_msgs.msg import GraspValue
from haptix_msgs.srv import SetGrasp
from nav_msgs.msg import Odometry
from or_joystick.msg import State
from paths import ROOT
from processes import Process, stop_all
from rviz_picture import Received
from std_msgs.msg import Bool, String

CONFIG, URDF = ROOT / "config", ROOT / "config" / "urdf"
PAD = ("-p", "joystick:virtual_device:=Test Pad")


class Shown:
    """A robot with everything that its display set shows."""

    def __init__(self, name, commands, urdf=None, joint_states="joint_states"):
        self.graph, self.displays = Graph(), named(name)
        self.graph.subscribe(Odometry, "/odom")
        self.graph.subscribe(TwistStamped, "/cmd_vel_arbitrated")
        self.received = Received(self.graph, self.displays)
        self.processes = [Process(executable, "--ros-args", *arguments) for executable, *arguments in commands]
        self.hand = State(axes=[0] * 6, buttons=[False] * 11)
        if urdf:
            self.robot = RobotStatePublisher(self.graph, URDF / urdf, joint_states)

    def output(self):
        return "\n".join(f"--- {process.name}\n{process.output}" for process in self.processes)

    def wait(self, condition, what, timeout=10.0):
        self.graph.wait(condition, lambda: f"{what() if callable(what) else what}:\n{self.output()}", timeout)

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


def file(name):
    return ("--params-file", str(CONFIG / name))


def drive():
    """`steersman.launch.xml simulator:=true surround:=true rviz:=true`."""
    demo = file("demo.yaml")
    shown = Shown(
        "drive",
        [
            ("steersman", *demo, *PAD),
            ("simulator", *demo, "-r", "luci/scaling:=simulator/scaling"),
            ("surround", *demo),
            ("marker_publisher", *demo),
        ],
        "simulator.urdf",
        "motor_states",
    )
    shown.graph.subscribe(String, "/hind/state")
    return shown


def begin_driving(shown):
    """Resets and enables, and drives off in a curve toward a wall."""
    graph = shown.graph
    state = lambda: graph.last("/hind/state").data if graph.last("/hind/state") else None  # noqa: E731
    shown.begin_with_stick()

    def ready():
        for topic, value in (("/hind/reset", True), ("/hind/reset", False), ("/hind/enable", False), ("/hind/enable", True)):
            graph.publish(topic, Bool(data=value))

    shown.stick(0.0)
    act_until(graph, ready, lambda: state() == "OK", lambda: f"state {state()}\n{shown.output()}", 15.0)
    time.sleep(0.3)  # a zero command reaches hindbrain
    shown.stick(0.9, 0.25)


def speed(shown):
    return shown.graph.last("/odom").twist.twist.linear.x if shown.graph.last("/odom") else 0.0


def chair():
    """`luci.launch.xml rviz:=true`."""
    luci = file("luci.yaml")
    world = ("-r", "luci/scaling:=interface/scaling", "-r", "odom:=interface/odom", "-r", "/tf:=simulator/tf")
    nodes = [(name, *luci) for name in ("luci_chair", "velocity_arbiter", "zone_scaler", "chair")]
    extra = [("simulator", *luci, *world), ("joystick", *luci, *PAD), ("marker_publisher", *luci, "-r", "hind/applied:=cmd_vel")]
    return Shown("chair", [*nodes, *extra], "chair.urdf")


def arm():
    """`arm.launch.xml rviz:=true`, with a controller."""
    urdf = ("-p", f"mechanism:robot_description:={URDF / 'arm.urdf'}")
    commands = [("mechanism", *file("arm.yaml"), *urdf), ("marker_publisher", *file("arm.yaml"))]
    return Shown("arm", commands, "arm.urdf")


def hand():
    """`hand.launch.xml rviz:=true`."""
    return Shown("hand", [("haptix", *file("hand.yaml")), ("marker_publisher", *file("hand.yaml"))])


def begin_grasping(shown):
    client = shown.graph.node.create_client(SetGrasp, "/haptix/set_grasp")
    assert client.wait_for_service(10.0), shown.output()
    timer = []

    def grasp():
        client.call_async(SetGrasp.Request(grasps=[GraspValue(name="Cylindrical", value=0.5)]))

    timer.append(shown.graph.node.create_timer(0.3, grasp))  # a grasp that is not repeated ends


ROBOTS = {"drive": drive, "chair": chair, "arm": arm, "hand": hand}


@contextlib.contextmanager
def shown_robot(name):
    shown = ROBOTS[name]()
    try:
        yield shown
    finally:
        shown.close()
