"""The display sets of `config/rviz` against the live graph: topics, types, QoS and frames, and the picture that they make."""

import contextlib
import os
import time
import xml.etree.ElementTree

import pytest
import shown
import yaml
from display_sets import SETS, named
from graph import act_until
from paths import ROOT
from rclpy.qos import DurabilityPolicy, QoSCompatibility, qos_check_compatible
from rviz_picture import Drawing, frames_of
from visualization_msgs.msg import Marker

pytestmark = pytest.mark.few
PICTURES = ROOT / "docs" / "pictures"


@pytest.mark.starts_nothing
@pytest.mark.parametrize("name", SETS)
def test_a_display_set_has_only_properties_that_rviz_knows(name):
    displays = named(name)
    assert displays.unknown_of_view() == set()
    for display in displays.displays:
        assert display.unknown() == set(), display.name
        # A display that is enabled has both, and rviz reads the second one.
        assert display.properties["Enabled"] == display.properties["Value"], display.name
    assert len({display.name for display in displays.displays}) == len(displays.displays)
    assert sorted(shown.ROBOTS) == SETS


@pytest.mark.starts_nothing
def test_the_model_of_the_simulated_vehicle_has_its_measures():
    """The sensors are where the simulator measures: on the rim at 45 degrees, and look along x."""
    values = yaml.safe_load((ROOT / "config" / "simulator.yaml").read_text())["simulator"]["ros__parameters"]
    robot = xml.etree.ElementTree.parse(shown.URDF / "simulator.urdf").getroot()
    joints = {joint.get("name"): joint for joint in robot.findall("joint")}
    place = lambda name: [float(word) for word in joints[name].find("origin").get("xyz").split()]  # noqa: E731
    out = values["radius"] / 2**0.5
    for name, front, port in (("front_port", 1, 1), ("front_starboard", 1, -1), ("back_port", -1, 1), ("back_starboard", -1, -1)):
        assert place(f"ir_{name}")[:2] == pytest.approx([front * out, port * out], abs=1e-4)
        turned = joints[f"ir_{name}"].find("origin").get("rpy", "0 0 0").split()
        assert abs(float(turned[2])) == pytest.approx(0.0 if front > 0 else 3.14159265)
    for name, side in (("port_motor", 1), ("starboard_motor", -1)):
        assert place(name) == pytest.approx([0.0, side * values["track"] / 2, values["wheel_radius"]])
    radii = {float(cylinder.get("radius")) for cylinder in robot.iter("cylinder")}
    assert radii == {values["radius"], values["wheel_radius"]}


def compare(robot, without=()):
    """Each display's topic, type and QoS with those of its publishers; the displays `without` have none."""
    node = robot.graph.node
    for display in robot.displays.subscribing():
        if display.name in without:
            assert not node.count_publishers(display.topic), display.name
            continue
        publishers = node.get_publishers_info_by_topic(display.topic)
        assert publishers, f"nothing publishes '{display.topic}' of the display '{display.name}'\n{robot.output()}"
        wanted = f"{display.type.__module__.split('.')[0]}/msg/{display.type.__name__}"
        for publisher in publishers:
            assert publisher.topic_type == wanted, f"{display.name}: {publisher.topic_type}"
            fits, why = qos_check_compatible(publisher.qos_profile, display.qos)
            assert fits != QoSCompatibility.ERROR, f"{display.name}: {why}"
            if publisher.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL and display.kind == "RobotModel":
                assert display.qos.durability == DurabilityPolicy.TRANSIENT_LOCAL, f"{display.name}: a late rviz would show nothing"


def draw(robot):
    """The picture of all displays, each of which has a message with known frames."""
    drawing = Drawing(robot.displays, robot.received)

    def complete():
        drawing.missing.clear()
        messages = {display: robot.received.of(display) for display in robot.displays.subscribing()}
        frames = {frame for kept in messages.values() for message in kept for frame in frames_of(message)}
        return not robot.received.silent and all(drawing.pose_of(frame) is not None for frame in frames)

    robot.wait(complete, lambda: f"displays without a message: {robot.received.silent}, frames without a transform: {drawing.missing}")
    # rviz transforms other markers once, with their stamps, for which there is no transform yet.
    markers = [message for display in robot.displays.subscribing() for message in robot.received.of(display) if display.kind == "MarkerArray"]
    assert markers and all(marker.frame_locked for marker in markers)
    text = drawing.svg()
    assert not drawing.missing, "the model has links without a transform"
    root = xml.etree.ElementTree.fromstring(text)
    groups = {group.get("id"): list(group) for group in root if group.tag.endswith("}g")}
    assert list(groups) == [display.name for display in robot.displays.displays if display.is_enabled]
    return text, groups


def bless(name, text, groups):
    """Writes the picture of the documents with BLESS=1, and compares otherwise what it shows: the numbers differ each time."""
    path = PICTURES / f"{name}.svg"
    if "BLESS" in os.environ:
        path.write_text(text)
    known = [group.get("id") for group in xml.etree.ElementTree.parse(path).getroot() if group.tag.endswith("}g")]
    assert known == list(groups), f"{path}: draw it again with BLESS=1"


def text_of(robot):
    """The text over the robot, and the colours of its beacon."""
    (state,) = (display for display in robot.displays.displays if display.name == "State")
    markers = {(marker.ns, marker.id): marker for marker in robot.received.of(state)}
    text, beacon = markers.get(("state", 1)), markers.get(("state", 0))
    return (text.text, (beacon.color.r, beacon.color.g)) if text and beacon else ("", None)


def test_the_vehicle_is_shown_while_it_drives_and_while_it_stands():
    with shown.shown_robot("drive") as robot:
        robot.wait(lambda: "hind/enable: nothing" in text_of(robot)[0], lambda: f"no reason is shown: {text_of(robot)}")
        assert "not enabled" in text_of(robot)[0]
        shown.begin_driving(robot)
        shown.drive_until(robot, lambda: shown.speed(robot) > 0.3, lambda: "it does not drive")
        # Before the wall the zones leave less than is requested.
        shown.drive_until(robot, lambda: "front" in robot_zones(robot), lambda: f"no zone limits: {robot_zones(robot)}")
        compare(robot)
        velocities = lambda: {m.id for m in markers(robot) if m.ns == "velocity"}  # noqa: E731
        robot.wait(lambda: velocities() == {0, 1, 2, 3}, lambda: f"requested and granted: {velocities()}")
        tips = lambda: [next((m.points[1].x for m in markers(robot) if (m.ns, m.id) == ("velocity", id_)), 0.0) for id_ in (1, 3)]  # noqa: E731
        shown.drive_until(robot, lambda: tips()[1] < tips()[0] - 0.2, lambda: f"requested, granted: {tips()}")
        text, groups = draw(robot)
        assert all(groups[name] for name in groups if name != "Not measured"), {name: len(shapes) for name, shapes in groups.items()}
        bless("drive", text, groups)
        rays = {m.header.frame_id for m in markers(robot) if m.ns == "infrared"}
        assert rays == {"ir_front_port", "ir_front_starboard", "ir_back_port", "ir_back_starboard"}
        robot.graph.publish("/hind/enable", shown.Bool(data=False))
        robot.wait(lambda: text_of(robot)[0].startswith("SSTOP.ROS\nnot enabled"), lambda: f"{text_of(robot)}")
        robot.wait(lambda: velocities() == {0, 1}, lambda: f"only the request stays: {velocities()}")
        # The scanner falls silent: what it answers for counts as blocked, and the picture says why.
        robot.named("simulator").stop()
        blind = lambda: [m.text for m in kept(robot, "Not measured") if m.type == Marker.TEXT_VIEW_FACING]  # noqa: E731
        robot.wait(lambda: blind() == ["scanner is silent"], lambda: f"{blind()}")
        robot.wait(lambda: text_of(robot)[0].startswith("ESTOP"), lambda: f"{text_of(robot)}")
        assert text_of(robot)[1][0] > 0.7 > 0.3 > text_of(robot)[1][1], "the beacon is red"


def kept(robot, name):
    (display,) = (display for display in robot.displays.displays if display.name == name)
    return robot.received.of(display)


def markers(robot):
    return kept(robot, "State")


def robot_zones(robot):
    return "".join(marker.text for marker in kept(robot, "Zones"))


def test_a_vehicle_without_surround_lacks_only_its_grey_bearings():
    with contextlib.closing(shown.Shown("drive", "steersman", "simulator.urdf", "motor_states")) as robot:
        shown.begin_driving(robot)
        shown.drive_until(robot, lambda: shown.speed(robot) > 0.2, lambda: "it does not drive")
        compare(robot, without=("Not measured",))
        robot.wait(lambda: robot.received.silent == {"Not measured"}, lambda: f"displays without a message: {robot.received.silent}")


def test_a_base_of_teleop_is_shown():
    with shown.shown_robot("base") as robot:
        shown.begin_teleop(robot)
        compare(robot)
        velocities = lambda: {m.id for m in markers(robot) if m.ns == "velocity"}  # noqa: E731
        robot.wait(lambda: velocities() == {0, 1}, lambda: f"the requested way: {velocities()}")
        robot.wait(lambda: "diff_drive" in text_of(robot)[0] or "mechanism: " in text_of(robot)[0], lambda: f"{text_of(robot)}")
        bless("base", *draw(robot))


def test_the_chair_is_shown():
    with shown.shown_robot("chair") as robot:
        robot.begin_with_stick()
        robot.wait(lambda: "chair: " in text_of(robot)[0], lambda: f"{text_of(robot)}", 15.0)
        robot.stick(0.0)
        time.sleep(0.5)

        def push():
            robot.stick(0.8, 0.2)

        act_until(robot.graph, push, lambda: shown.speed(robot) > 0.2, lambda: f"it does not drive\n{robot.output()}", 15.0)
        compare(robot)
        robot.wait(lambda: "chair: the chair follows the commands" in text_of(robot)[0], lambda: f"{text_of(robot)}")
        bless("chair", *draw(robot))


@pytest.mark.parametrize("name", ["arm", "hand"])
def test_an_arm_and_a_hand_are_shown(name):
    with shown.shown_robot(name) as robot:
        if name == "hand":
            shown.begin_grasping(robot)
            force = lambda: [m for m in kept(robot, "Contacts") if m.ns == "contacts" and m.color.b < 0.5]  # noqa: E731
            robot.wait(lambda: len(force()) >= 5, "no finger touches the ball", 15.0)
            robot.wait(lambda: "haptix: GRASPING" in text_of(robot)[0], lambda: f"{text_of(robot)}")
        node = {"arm": "mechanism", "hand": "haptix"}[name]
        robot.wait(lambda: f"{node}: " in text_of(robot)[0], lambda: f"{text_of(robot)}")
        compare(robot)
        text, groups = draw(robot)
        bless(name, text, groups)
        assert all(groups.values()), {name: len(shapes) for name, shapes in groups.items()}
