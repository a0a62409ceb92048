"""Public configurations of twist_mux, joy and teleop_twist_joy, translated by docs/coming_from_joy_and_twist_mux.md, drive as their users
meant, from the pad and the topics to the velocity that the base receives.

Each test names the project that has a configuration of this shape; names and speeds are the test's own.
"""

import pytest
from geometry_msgs.msg import TwistStamped
from graph import SLACK, unlatch
from parameters import parameters_in
from processes import Process
from translated import BASE, TranslatedRobot, velocity

# The page's remedy where a source has the topic of hindbrain's own input.
CMD_VEL_IS_A_SOURCE = ("-r", "zone_scaler:cmd_vel:=safe_vel", "-r", "hindbrain:cmd_vel:=safe_vel")
LEFT_X, LEFT_Y, RIGHT_X = 0, 1, 3
A, B, LB, RB = 0, 1, 4, 5
AHEAD, BACK, LEFT = -32767, 32767, -32767


@pytest.fixture
def start(tmp_path):
    robots = []

    def start(text, *arguments, **how):
        robots.append(TranslatedRobot(tmp_path, text, *arguments))
        return robots[-1].ready(**how)

    yield start
    for robot in robots:
        robot.close()


def stick(axis, **members):
    mapping = {"axis": axis, "scale": -1.0, "dead_zone": 0.1, **members}
    return "{" + ", ".join(f"{name}: {value}" for name, value in mapping.items()) + "}"


CLEARPATH = f"""
joystick:
  ros__parameters:
    drag: 10.0
    linear.x: {stick(LEFT_Y, slow_speed=0.4, max_speed=1.0)}
    angular.z: {stick(RIGHT_X, slow_speed=0.6, max_speed=1.2)}
    enable.slow: {LB}
    enable.on: {RB}
velocity_arbiter:
  ros__parameters:
    sources:
      pad: {{topic: joystick/desired, type: pose_state, priority: 10}}
      marker: {{topic: marker/cmd_vel, type: twist_stamped, priority: 8}}
      outside: {{topic: cmd_vel, type: twist_stamped, priority: 1}}
    locks:
      estop: {{topic: platform/emergency_stop, priority: 255}}
"""


def test_a_marker_and_a_pad_before_an_outside_program_and_a_stop_before_all(start):
    """Shape of Clearpath's clearpath_common: the pad's ordinary and turbo button mask a marker, which masks whatever publishes cmd_vel; the
    base repeats its emergency stop, which masks all of them."""
    robot = start(CLEARPATH, *CMD_VEL_IS_A_SOURCE)
    robot.send(outside=(0.5, 0.1))
    robot.moves(0.5, 0.1)
    robot.send(marker=(0.3, -0.2))
    robot.moves(0.3, -0.2)
    robot.pad()
    robot.pad(LB)
    robot.pad(LB, axis_1=AHEAD, axis_3=LEFT)
    robot.moves(0.4, 0.6)
    robot.pad(RB, axis_1=AHEAD, axis_3=LEFT)
    robot.moves(1.0, 1.2)
    robot.lock(estop=True)
    robot.rests(within=0.3)
    robot.lock(estop=False)
    robot.moves(1.0, 1.2)
    robot.pad()
    robot.moves(0.0, within=0.5)
    robot.moves(0.3, -0.2, within=1.0)
    # There the outside program would drive now; here it must stop once.
    robot.send(marker=None)
    robot.rests()
    robot.send(outside=0.0)
    robot.moves(0.0)
    robot.send(outside=0.5)
    robot.moves(0.5)


PAL = """
velocity_arbiter:
  ros__parameters:
    sources:
      docking: {topic: docking_vel, type: twist, priority: 210}
      assisted: {topic: assisted_vel, type: twist, priority: 200}
      pad: {topic: pad_vel, type: twist, priority: 102}
      rviz: {topic: rviz_vel, type: twist, priority: 101}
      web: {topic: web_vel, type: twist, priority: 100}
      navigation: {topic: cmd_vel, type: twist, priority: 10}
    locks:
      manual: {topic: held/manual, priority: 100}
      assisting: {topic: held/assisting, priority: 200}
      charging: {topic: held/charging, priority: 210}
switch_relay:
  ros__parameters:
    switches:
      manual: {from: pad_priority, to: held/manual, durability: transient_local, timeout: 0.0}
      assisting: {from: assisted_priority, to: held/assisting, durability: transient_local, timeout: 0.0}
      charging: {from: is_charging, to: held/charging, durability: transient_local, timeout: 0.0}
"""


def test_three_hands_of_one_priority_and_three_latched_locks(start):
    """Shape of PAL's pmb2_robot: of pad, rviz and web stick, which have one priority, the first in the alphabet drives; a latched lock leaves
    only manual sources, another only assisted driving and docking, and while it charges only docking drives."""
    robot = start(PAL, *CMD_VEL_IS_A_SOURCE)
    robot.send(navigation=0.2)
    robot.moves(0.2)
    robot.lock(manual=True)
    robot.rests(within=0.4)
    for name, speed in (("web", 0.3), ("rviz", 0.35), ("pad", 0.4)):
        robot.send(**{name: speed})
        robot.moves(speed)
    robot.lock(assisting=True)
    robot.rests(within=0.4)
    robot.send(assisted=0.15)
    robot.moves(0.15)
    robot.lock(charging=True)
    robot.rests(within=0.4)
    robot.send(docking=-0.1)
    robot.moves(-0.1)
    robot.lock(manual=False, assisting=False, charging=False)
    robot.send(docking=0.0)
    robot.moves(0.0)
    robot.send(docking=None)
    robot.moves(0.15, within=1.0)


ROBOTNIK = """
velocity_arbiter:
  ros__parameters:
    sources:
      pad: {topic: pad/unsafe/cmd_vel, type: twist, priority: 100}
      rough: {topic: rough_terrain/cmd_vel, type: twist, priority: 75}
      move: {topic: move/cmd_vel, type: twist, priority: 51}
      docker: {topic: docker/cmd_vel, type: twist, priority: 50}
    locks:
      estop: {topic: base/emergency_stop, priority: 255}
"""


def test_a_list_of_ros_1_with_two_of_one_priority(start):
    """Shape of Robotnik's summit_xl_common: of two programs of one priority the first in the list drives, and the other when the first has
    ended; a base that falls silent holds the robot."""
    robot = start(ROBOTNIK)
    robot.send(docker=0.1, move=0.3)
    robot.moves(0.3)
    robot.send(move=0.0)
    robot.moves(0.0)
    robot.send(move=None)
    robot.moves(0.1, within=1.0)
    robot.send(pad=(0.0, 0.5))
    robot.moves(0.0, 0.5)
    robot.lock(estop=True)
    robot.rests(within=0.3)


BEHIND = """
velocity_arbiter:
  ros__parameters:
    sources:
      navigation: {topic: follow/cmd_vel, type: twist, priority: 100}
      stick: {topic: stick/cmd_vel, type: twist, priority: 10}
    locks:
      automatic: {topic: held/automatic, priority: 100}
switch_relay:
  ros__parameters:
    switches:
      automatic: {from: automatic, to: held/automatic, durability: transient_local, timeout: 0.0}
"""


def test_a_stick_without_a_timeout_behind_navigation(start):
    """Shape of LCP-WORKS' atemr_control: the stick drives only while navigation is silent, and never while a lock is closed. Its timeout is 0
    there, and 0.5 s here."""
    robot = start(BEHIND)
    robot.send(stick=0.3)
    robot.moves(0.3)
    robot.send(navigation=0.5)
    robot.moves(0.5)
    robot.send(navigation=0.0)
    robot.rests()
    robot.send(navigation=None)
    robot.moves(0.3, within=1.0)
    robot.lock(automatic=True)
    robot.rests(within=0.4)
    robot.send(navigation=0.5)
    robot.moves(0.5)
    robot.send(navigation=0.0)
    robot.moves(0.0)
    robot.send(navigation=None)
    robot.lock(automatic=False)
    robot.moves(0.3, within=1.5)
    robot.send(stick=None)
    robot.rests(within=0.5 + SLACK)


QUICK = """
velocity_arbiter:
  ros__parameters:
    sources:
      keyboard: {topic: key_vel, type: twist_stamped, priority: 125, timeout: 0.1}
      mixer: {topic: mix_vel, type: twist_stamped, priority: 100, timeout: 0.05}
    locks:
      estop: {topic: estop, priority: 255}
"""


def test_timeouts_of_a_twentieth_of_a_second(start):
    """Shape of adityakamath's akros2_teleop: a mixer that is silent for 0.05 s stops the robot, a keyboard of a higher priority after 0.1 s."""
    robot = start(QUICK)
    for name, speed, timeout in (("mixer", 0.5, 0.05), ("keyboard", 0.2, 0.1)):
        robot.send(rate=100.0, **{name: 0.0})
        robot.moves(0.0)
        robot.send(rate=100.0, **{name: speed})
        robot.graph.wait(lambda: velocity(robot.graph.last(BASE))[0] == speed, f"{name} does not drive")  # noqa: B023
        robot.send(**{name: None})
        robot.rests(within=timeout + SLACK)


SLOW = """
velocity_arbiter:
  ros__parameters:
    sources:
      navigation: {topic: nav_vel, type: twist_stamped, priority: 100, timeout: 2.0}
      stick: {topic: stick_vel, type: twist_stamped, priority: 90}
      keyboard: {topic: key_vel, type: twist_stamped, priority: 89}
      tablet: {topic: tab_vel, type: twist_stamped, priority: 88}
zone_scaler: {ros__parameters: {mode: passthrough, max_linear: 3.0, max_angular: 5.0, command_timeout: 2.0}}
hindbrain:
  ros__parameters: {output: twist_stamped, wheel_speed: 5.0, track: 0.5, accel: 6600.0, decel: 6600.0, cmd_timeout: 2.0}
"""


def test_a_slow_navigation_before_the_stick(start):
    """Shape of mul-cps' ros2_rmp_support: navigation sends less than twice a second and masks stick, keyboard and tablet until 2 s after its
    end; of those three, which have one priority, the first in the list drives."""
    robot = start(SLOW)
    robot.send(tablet=0.1, keyboard=0.2)
    robot.moves(0.2)
    robot.send(stick=0.3)
    robot.moves(0.3)
    robot.send(rate=0.9, navigation=0.4)
    robot.moves(0.4)
    robot.keeps(0.4, seconds=3.0)
    robot.send(navigation=0.0)
    robot.moves(0.0)
    robot.send(navigation=None)
    robot.keeps(0.0, seconds=1.5)
    robot.moves(0.3)


THORVALD = """
velocity_arbiter:
  ros__parameters:
    sources:
      halt: {topic: halt_vel, type: twist, priority: 255}
      stick: {topic: stick/cmd_vel, type: twist, priority: 100}
      keyboard: {topic: keyboard/cmd_vel, type: twist, priority: 80}
      mission: {topic: mission/cmd_vel, type: twist, priority: 10}
"""


def test_a_source_of_zeros_that_holds_the_robot(start):
    """Shape of summerrobot's my_own_thorvald: an emergency device is a source of priority 255 that publishes zeros while it is pressed."""
    robot = start(THORVALD)
    robot.send(mission=0.4)
    robot.moves(0.4)
    robot.send(keyboard=0.2)
    robot.moves(0.2)
    robot.send(halt=0.0)
    robot.rests(within=0.3)
    robot.send(stick=0.6)
    robot.keeps(0.0)
    robot.send(halt=None)
    robot.moves(0.6, within=1.0)


ROVER = """
velocity_arbiter:
  ros__parameters:
    sources:
      stick: {topic: stick_vel, type: twist, priority: 100}
      navigation: {topic: nav_vel, type: twist, priority: 10}
    locks:
      pause: {topic: held/pause, priority: 100}
      estop: {topic: estop, priority: 200}
switch_relay:
  ros__parameters:
    switches:
      pause: {from: pause_navigation, to: held/pause, timeout: 0.0}
"""


def test_a_pause_that_leaves_the_stick_and_a_stop_that_does_not(start):
    """Shape of RoverRobotics' rr_openrover_stack: a pause, published once on a change, stops navigation but not the stick of the same
    priority; the stop, which is repeated here, stops both, also by its silence."""
    robot = start(ROVER)
    robot.send(navigation=0.4)
    robot.moves(0.4)
    robot.lock(pause=True)
    robot.rests(within=0.4)
    robot.send(stick=0.2)
    robot.moves(0.2)
    robot.lock(estop=True)
    robot.rests(within=0.3)
    robot.lock(pause=False, estop=False)
    robot.moves(0.2, within=1.5)


HUSARION = f"""
joystick:
  ros__parameters:
    drag: 10.0
    linear.x: {stick(LEFT_Y, max_speed=1.0, slow_speed=0.5)}
    angular.z: {stick(RIGHT_X, max_speed=0.8, slow_speed=0.4)}
    enable.on: {LB}
    enable.slow: {RB}
velocity_arbiter:
  ros__parameters:
    sources:
      pad: {{topic: joystick/desired, type: pose_state, priority: 100}}
      navigation: {{topic: nav_vel, type: twist, priority: 10}}
switch_relay:
  ros__parameters:
    switches:
      pad_stop: {{from: joy, type: joy, button: {B}, to: hind/estop}}
"""


def test_a_button_of_the_pad_as_emergency_stop(start):
    """Shape of Husarion's joy2twist: a dead-man button, another for slow, and one that stops the robot until a person resets it. There a
    button of the pad resets; here it is another switch, and a pad that is gone stops, too."""
    robot = start(HUSARION, has_estop=True)
    robot.send(navigation=0.2)
    robot.moves(0.2)
    robot.pad(LB, axis_1=AHEAD, axis_3=LEFT)
    robot.moves(1.0, 0.8)
    robot.pad(LB, RB, axis_1=AHEAD, axis_3=LEFT)
    robot.moves(0.5, 0.4)
    robot.pad(B)
    robot.rests(within=0.3)
    robot.pad()
    robot.keeps(0.0)
    assert robot.state == "ESTOP"
    robot.send(navigation=0.0)
    unlatch(robot)
    robot.enables()
    robot.moves(0.0)
    robot.send(navigation=0.2)
    robot.moves(0.2)
    robot.unplug()
    robot.rests(within=1.5)
    assert robot.state == "ESTOP"


FREE = f"""
joystick:
  ros__parameters:
    drag: 10.0
    linear.x: {stick(LEFT_Y, max_speed=0.8)}
    angular.z: {stick(LEFT_X, max_speed=1.5)}
velocity_arbiter:
  ros__parameters:
    sources:
      pad: {{topic: joystick/desired, type: pose_state, priority: 100}}
      navigation: {{topic: nav_vel, type: twist, priority: 10}}
"""


def test_a_pad_without_a_dead_man_button(start):
    """Shape of many files with require_enable_button: false, as mreese-irontree's omni_bot: a connected pad drives, and masks navigation."""
    robot = start(FREE)
    robot.send(navigation=0.4)
    robot.moves(0.4)
    robot.pad()
    robot.rests()
    robot.pad(axis_1=AHEAD)
    robot.moves(0.8)
    # Without inverted_reverse: the stick to the left turns left in reverse, too.
    robot.pad(axis_1=BACK, axis_0=LEFT)
    robot.moves(-0.8, 1.5)
    robot.pad()
    robot.rests()
    # There navigation would drive now; here it must stop once.
    robot.unplug()
    robot.rests()
    robot.send(navigation=0.0)
    robot.moves(0.0)
    robot.send(navigation=0.4)
    robot.moves(0.4, within=2.0)


TRIGGER = FREE.replace("drag: 10.0", "drag: 10.0\n    enable.on: lefttrigger")
STICKY = FREE.replace("drag: 10.0", "drag: 10.0\n    enable.toggle: a")


def test_a_trigger_as_dead_man(start):
    """Shape of forks of teleop_twist_joy and of joy_teleop with an axis as dead-man: the stick drives while the trigger is pulled."""
    robot = start(TRIGGER)
    robot.send(navigation=0.4)
    robot.pad()
    robot.pad(axis_1=AHEAD)
    robot.moves(0.4)
    robot.keeps(0.4)
    robot.pad()
    robot.pad(axis_2=32767, axis_1=AHEAD)
    robot.moves(0.8)
    robot.pad(axis_1=AHEAD)
    robot.moves(0.4, within=2.0)  # released: after the stick's timeout navigation goes on


def test_a_sticky_button(start):
    """Shape of joy with sticky_buttons: true, as ar_joy_control: a press lets the stick drive without a held button, another ends it."""
    robot = start(STICKY)
    robot.send(navigation=0.4)
    robot.pad()
    robot.moves(0.4)
    robot.pad(A)
    robot.pad()
    robot.pad(axis_1=AHEAD, axis_0=LEFT)
    robot.moves(0.8, 1.5)
    robot.pad()
    robot.rests()
    robot.pad(A)
    robot.pad()
    robot.moves(0.4, within=2.0)


SIDEWAYS = f"""
joystick:
  ros__parameters:
    drag: 10.0
    linear.x: {stick(LEFT_X, max_speed=2.0).replace("-1.0", "1.0")}
    linear.y: {stick(LEFT_Y, max_speed=1.5)}
    angular.z: {stick(RIGHT_X, max_speed=1.0)}
velocity_arbiter: {{ros__parameters: {{sources: {{pad: {{topic: joystick/desired, type: pose_state, priority: 1}}}}}}}}
"""


def test_a_stick_sideways_with_a_negative_scale(start):
    """Shape of VEXU-GHOST's joystick.launch.py: forward is the stick to the right, since its scale is negative, sideways the stick ahead, and
    yaw another stick. hindbrain drives no base sideways: such a base takes zone_scaler's cmd_vel."""
    robot = start(SIDEWAYS)
    robot.graph.subscribe(TwistStamped, "/cmd_vel")
    robot.pad()
    robot.pad(axis_0=-LEFT, axis_1=AHEAD, axis_3=LEFT)
    speed = lambda: (lambda twist: (twist.linear.x, twist.linear.y, twist.angular.z))(robot.graph.last("/cmd_vel").twist)  # noqa: E731
    near = lambda: all(abs(a - b) < 0.002 for a, b in zip(speed(), (2.0, 1.5, 1.0)))  # noqa: E731
    robot.graph.wait(lambda: robot.graph.last("/cmd_vel") and near(), lambda: f"it moves at {speed()}\n{robot.output}")
    assert robot.graph.last(BASE).twist.linear.y == 0.0


SHARED = """
velocity_arbiter:
  ros__parameters:
    sources:
      navigation: {topic: NAVIGATION, type: twist, priority: 10}
      keyboard: {topic: keyboard/cmd_vel, type: twist, priority: 100}
"""


def test_two_names_of_one_topic(start, tmp_path):
    """Shape of Antibodyy's osiris_ros: navigation and keyboard are two names of one topic, so none can come before the other. Here that is
    refused; with a topic each, the keyboard does."""
    process = Process("velocity_arbiter", "--ros-args", *parameters_in(tmp_path, SHARED.replace("NAVIGATION", "keyboard/cmd_vel")))
    assert process.wait() == 1
    assert "'sources.navigation.topic' is \"keyboard/cmd_vel\", must differ from the topic of source 'keyboard'" in process.output
    robot = start(SHARED.replace("NAVIGATION", "navigation/cmd_vel"))
    robot.send(navigation=0.4)
    robot.moves(0.4)
    robot.send(keyboard=-0.1)
    robot.moves(-0.1)
