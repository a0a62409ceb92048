"""The launch files as `ros2 launch` reads them: their arguments, what each starts, and that nothing of them stays set."""

import os
import re
import xml.etree.ElementTree

import pytest
import yaml
from display_sets import named
from launch_files import FOLDER, Launch, Refused, check, declared, unscoped
from paths import ROOT

pytestmark = pytest.mark.starts_nothing
CONFIG = ROOT / "config"
URDF = str(CONFIG / "urdf/arm.urdf")
FILES = sorted(path.name.removesuffix(".launch.xml") for path in FOLDER.glob("*.launch.xml"))
CURRENT = [name for name in FILES if name != "luci"]
# Those that need files of the robot.
GIVEN = {name: {"params_file": "/robot.yaml"} for name in ("hindbrain", "zone_scaler", "chair", "switch_relay", "steersman", "wheelchair", "arm", "hand")}
GIVEN["arm"]["urdf"] = URDF
SIM = ["steersman", "wheelchair", "arm", "hand", "teleop"]
COMMON = ["params_file", "namespace", "use_sim_time", "log_level", "rviz"]
DISPLAYS = {
    "chair": ("chair", "cmd_vel"), "luci_chair": ("chair", "cmd_vel"), "wheelchair": ("chair", "cmd_vel"),
    "arm": ("arm", "hind/applied"), "mechanism": ("arm", "hind/applied"), "hand": ("hand", "hind/applied"), "teleop": ("base", "hind/applied"), "haptix": ("hand", "hind/applied"),
}  # fmt: skip


def root(name):
    return xml.etree.ElementTree.parse(FOLDER / f"{name}.launch.xml").getroot()


def files_of(arguments):
    """Its parameter files, without repetitions and those that launch writes for <param>."""
    found = [word for before, word in zip(arguments, arguments[1:]) if before == "--params-file" and "/launch_" not in word]
    return list(dict.fromkeys(found))


def rules(arguments, option="-p"):
    return [word for before, word in zip(arguments, arguments[1:]) if before == option]


def wrap(tmp_path, name, before="", arguments=(), attributes=""):
    """A bringup that includes the file `name` within a group."""
    file = tmp_path / "bringup.launch.xml"
    passed = "".join(f'<arg name="{key}" value="{value}"/>' for key, value in dict(arguments).items())
    include = f'<include file="$(find-pkg-share steersman)/launch/{name}.launch.xml">{passed}</include>'
    file.write_text(f"<launch><group {attributes}>{before}{include}</group></launch>")
    return file


@pytest.mark.parametrize("name", FILES)
def test_nothing_of_a_file_reaches_the_file_that_includes_it(name):
    assert unscoped(root(name)) == []
    given = GIVEN.get(name, {})
    for more in ({}, {"rviz": "true"}, {"sim": "true", "frames": "true"}, {"composed": "false", "surround": "true", "frames": "true", "urdf": URDF}):
        launch = Launch(name, **{**given, **more})
        assert launch.configurations == {**given, **more} and launch.environment == {}


@pytest.mark.parametrize("name", CURRENT)
def test_every_file_takes_the_common_arguments_and_passes_all_of_an_included_file_on(name):
    arguments = declared(root(name))
    assert [known for known in COMMON if known not in arguments] == ([] if name not in ("rviz", "marker_publisher") else ["rviz"])
    assert not [known for known in COMMON if known in arguments and not arguments[known].get("description")]
    for include in root(name).iter("include"):
        included = include.get("file").split("/")[-1].removesuffix(".launch.xml")
        if included != "arguments":
            expected = {known for known, argument in declared(root(included)).items() if not argument.get("default", "").startswith("renamed")}
            # What is not passed would be that of whatever includes this file, if it has an argument of this name.
            assert {argument.get("name") for argument in include.findall("arg")} == expected, f"{name} includes {included}"
    for node in root(name).iter("node"):
        # Without a name: in a composed process each node would take it.
        assert (node.get("name"), node.get("namespace")) == (None, "$(var inner_namespace)")


@pytest.mark.parametrize("name", CURRENT)
def test_each_argument_reaches_every_process(name):
    more = {"rviz": "true"} if name != "rviz" else {}
    if "sim" in declared(root(name)):
        more |= {"sim": "true", "frames": "true"}
    if name == "steersman":
        more |= {"surround": "true"}
    for composed in ("true", "false"):
        launch = Launch(name, params_file="/a.yaml /b.yaml  /c.yaml", namespace="left", use_sim_time="true", log_level="debug", composed=composed, controllers="pan", **more)
        assert launch.processes
        for executable, arguments, environment in launch.processes:
            assert environment == {}
            assert "__ns:=/left" in rules(arguments, "-r"), executable
            if executable not in ("rviz2", "robot_state_publisher"):
                # Otherwise all processes of a file would take one enclave, or none.
                assert rules(arguments, "--enclave") == [f"/steersman/{executable.replace('-', '_')}"], executable
            if executable == "steersman-controller":
                continue
            assert "use_sim_time:=true" in rules(arguments) and "debug" in rules(arguments, "--log-level"), executable
            if executable != "rviz2":
                files = files_of(arguments)
                assert [file for file in files if str(ROOT) not in file] == ["/a.yaml", "/b.yaml", "/c.yaml"], executable
                # What is given in the call comes first: a file may be more specific.
                assert arguments.index("use_sim_time:=true") < arguments.index("/a.yaml")


@pytest.mark.parametrize("name", [name for name in CURRENT if name not in ("rviz", "marker_publisher")])
def test_rviz_has_the_display_of_the_robot(name):
    assert not [command for command in Launch(name, **GIVEN.get(name, {})).commands() if command[0] in ("rviz2", "marker_publisher")]
    launch = Launch(name, rviz="true", **GIVEN.get(name, {}))
    display, granted = DISPLAYS.get(name, ("drive", "hind/applied"))
    arguments = launch.of("rviz2")
    assert arguments[:2] == ["-d", str(CONFIG / "rviz" / f"{display}.rviz")] and (CONFIG / "rviz" / f"{display}.rviz").is_file()
    assert f"hind/applied:={granted}" in rules(launch.of("marker_publisher"), "-r")
    clouds = [cloud for one in named("chair").displays if (cloud := one.topic or "").startswith("luci/")]
    prefix = "/luci" if name == "wheelchair" else "luci"  # LUCI's own node has no namespace
    assert clouds and {f"{cloud}:={prefix}{cloud.removeprefix('luci')}" for cloud in clouds} <= set(rules(arguments, "-r"))
    asked = "cmd_vel" if name == "teleop" else "cmd_vel_arbitrated"
    assert f"cmd_vel_arbitrated:={asked}" in rules(launch.of("marker_publisher"), "-r")


@pytest.mark.parametrize("name", CURRENT)
def test_what_may_be_missing_starts_before_what_moves_something(name):
    """launch leaves running what it has started before it fails, as without rviz2 or the file `urdf`."""
    harmless = ["robot_state_publisher", "rviz2", "marker_publisher"]
    wanted = {flag: "true" for flag in ("sim", "frames", "rviz", "surround") if flag in declared(root(name))}
    executables = started(name, **{**GIVEN.get(name, {}), **wanted})
    found = [executable for executable in harmless if executable in executables]
    assert executables[: len(found)] == found, executables


def started(name, **arguments):
    return [executable for executable, *_ in Launch(name, **arguments).commands()]


def test_each_file_starts_its_nodes():
    chain = ["hindbrain", "zone_scaler", "velocity_arbiter", "joystick"]
    stick = ["joystick", "velocity_arbiter", "zone_scaler", "chair"]
    robot = GIVEN["steersman"]
    assert started("steersman", **robot) == ["steersman"]
    assert started("steersman", **robot, composed="false", surround="true") == [*chain, "surround"]
    assert started("steersman", sim="true") == ["robot_state_publisher", "steersman", "simulator"]
    assert started("steersman", sim="true", frames="false") == ["steersman", "simulator"]
    assert started("wheelchair", **robot) == stick
    assert started("wheelchair", sim="true") == ["robot_state_publisher", "simulator", "luci_chair", *stick]
    assert started("arm", **GIVEN["arm"]) == ["mechanism"]
    assert started("arm", sim="true", controllers="pan_position tilt_position") == ["robot_state_publisher", "mechanism", "steersman-controller"]
    assert Launch("arm", sim="true", controllers="pan_position tilt_position").of("steersman-controller")[:2] == ["spawner", "pan_position tilt_position"]
    assert started("hand", sim="true") == started("hand", **robot) == ["haptix"]
    assert started("teleop") == ["joystick", "velocity_arbiter"]
    assert started("teleop", sim="true") == ["robot_state_publisher", "joystick", "velocity_arbiter", "simulator", "mechanism", "steersman-controller"]
    for name in CURRENT:
        for _, arguments, _ in Launch(name, **{**GIVEN.get(name, {}), "sim": "true", "params_file": str(CONFIG / "demo.yaml")}).processes:
            missing = [file for file in files_of(arguments) if not os.path.isfile(file)]
            assert missing == [], name
    remaps = rules(Launch("steersman", sim="true", surround="true").of("simulator"), "-r")
    assert "luci/scaling:=simulator/scaling" in remaps, "surround publishes the scaling: two publishers would be a conflict"


def test_a_real_robot_is_never_driven_with_the_numbers_of_another():
    for name in ("steersman", "wheelchair", "arm", "hand", "hindbrain", "zone_scaler", "chair"):  # their parameters define full speed
        with pytest.raises(Refused, match='(?i)required (launch )?argument .params_file. .*Before, it was called config'):
            Launch(name, urdf=URDF)
    with pytest.raises(Refused, match='"urdf" .*there is a default only with sim:=true'):
        Launch("arm", params_file="/robot.yaml")
    for name in ("steersman", "wheelchair", "teleop"):
        with pytest.raises(Refused, match='"urdf"'):
            Launch(name, params_file="/robot.yaml", frames="true")
    assert files_of(Launch("steersman", sim="true").of("steersman")) == [str(CONFIG / "demo.yaml")]
    assert files_of(Launch("wheelchair", sim="true").of("chair")) == [str(CONFIG / "luci.yaml")]
    # The generated defaults have no chair's calibration, and enter no mode.
    chair = yaml.safe_load((CONFIG / "chair.yaml").read_text())["chair"]["ros__parameters"]
    assert chair["activate"] is False and not chair.get("profiles")


def test_the_frames_are_those_of_the_robot():
    for name, urdf, joints in [("steersman", "simulator", "motor_states"), ("wheelchair", "chair", "joint_states"), ("arm", "arm", "joint_states"), ("teleop", "simulator", "motor_states")]:
        launch = Launch(name, sim="true")
        assert f"joint_states:={joints}" in rules(launch.of("robot_state_publisher"), "-r")
        text = (CONFIG / "urdf" / f"{urdf}.urdf").read_text()
        assert {"/**": {"ros__parameters": {"robot_description": text}}} in launch.comparable()[0][1]


@pytest.mark.parametrize("name", CURRENT)
def test_an_old_name_is_refused_by_a_sentence_with_the_new_one(name, tmp_path):
    with pytest.raises(Refused, match="params_file"):
        Launch(name, config="my_robot.yaml", urdf=URDF)
    # An argument of the file that includes this one is none of ours.
    given = {"params_file": "/robot.yaml", "sim": "false", "urdf": URDF}
    file = wrap(tmp_path, name, '<arg name="config" default="its own"/><arg name="simulator" default="gazebo"/>', given)
    assert Launch(file).processes
    if name == "steersman":
        with pytest.raises(Refused, match="'renamed: sim'"):
            Launch(name, simulator="true")


def test_the_chairs_old_file_starts_the_new_one_with_a_sentence():
    launch = Launch("luci")
    assert launch.comparable() == Launch("wheelchair", sim="true").comparable()
    assert launch.warnings[0].endswith("is deprecated: it is wheelchair.launch.xml, with sim in place of fake and params_file in place of config")
    with pytest.raises(Refused, match="renamed: params_file"):
        Launch("luci", config="my_chair.yaml")
    assert Launch("luci", fake="false", params_file="/robot.yaml").commands() == Launch("wheelchair", params_file="/robot.yaml").commands()


@pytest.mark.parametrize("files, number", [("", 0), ("/a /b /c /d /e", 5)])
def test_more_parameter_files_than_four_or_none_are_refused(files, number):
    with pytest.raises(Refused, match=f'"number_of_params_files" provided value "{number}" is not valid'):
        Launch("joystick", params_file=files)
    assert files_of(Launch("joystick", params_file="/a /b /c /d").of("joystick")) == ["/a", "/b", "/c", "/d"]


GROUP = '<push_ros_namespace namespace="robot"/><set_remap from="motor/port" to="wheels/left"/><set_parameter name="use_sim_time" value="true"/>'


@pytest.mark.parametrize("composed", ["true", "false"])
def test_what_a_group_sets_is_in_force_for_every_process_of_it(tmp_path, composed):
    before = f'{GROUP}<set_env name="RMW_IMPLEMENTATION" value="rmw_fastrtps_cpp"/>'
    launch = Launch(wrap(tmp_path, "steersman", before, {"sim": "true", "composed": composed, "surround": "true", "rviz": "true", "params_file": "/robot.yaml"}))
    assert len(launch.processes) == (6 if composed == "true" else 9)
    for executable, arguments, environment in launch.processes:
        assert environment == {"RMW_IMPLEMENTATION": "rmw_fastrtps_cpp"}
        assert rules(arguments, "-r")[0] == "__ns:=/robot" and "motor/port:=wheels/left" in rules(arguments, "-r"), executable
        # The last of several is in force, and the group's comes after the file's and ours.
        assert [rule for rule in rules(arguments) if "stamped" not in rule] == ["use_sim_time:=false", "use_sim_time:=True"], executable
    assert launch.configurations == {} and launch.environment == {}


@pytest.mark.parametrize("pushed, own, full", [
    ("robot", "", "/robot"), ("robot", "left", "/robot/left"), ("robot", "/left", "/left"),
    # A bringup often pushes its argument namespace, which the included file inherits.
    ("robot", "robot", "/robot"), ("fleet/robot", "robot", "/fleet/robot"), ("fleet/robot", "fleet/robot", "/fleet/robot"), ("a_robot", "robot", "/a_robot/robot"),
])  # fmt: skip
def test_a_namespace_is_within_that_of_the_group_and_counts_once(tmp_path, pushed, own, full):
    before = f'<push_ros_namespace namespace="{pushed}"/>'
    for inherited in (True, False):
        passed = {"params_file": "/robot.yaml", "composed": "false"} | ({} if inherited else {"namespace": own})
        launch = Launch(wrap(tmp_path, "steersman", (f'<arg name="namespace" default="{own}"/>' if inherited else "") + before, passed))
        assert {rule for _, arguments, _ in launch.processes for rule in rules(arguments, "-r")} == {f"__ns:={full}"}


def test_an_argument_of_the_including_file_is_ours_unless_it_passes_another(tmp_path):
    """launch has one set of configurations, so documents say: pass each of ours that yours has, too."""
    own = '<arg name="params_file" default="/nav2.yaml"/><arg name="rviz" default="true"/><arg name="log_level" default="debug"/>'
    inherits = Launch(wrap(tmp_path, "joystick", own))
    assert files_of(inherits.of("joystick")) == ["/nav2.yaml"] and inherits.of("rviz2")
    with pytest.raises(Refused, match="missing required argument 'params_file'"):
        Launch(wrap(tmp_path, "hindbrain", own))
    passed = Launch(wrap(tmp_path, "joystick", own, {"params_file": "/robot.yaml", "rviz": "false", "log_level": "info"}))
    assert files_of(passed.of("joystick")) == ["/robot.yaml"] and len(passed.processes) == 1
    # Without forwarding there is nothing of the file around it, and neither the namespace nor the parameters of its groups.
    alone = wrap(tmp_path, "joystick", "", attributes='forwarding="false"').read_text().replace("<launch>", f"<launch><group>{own}{GROUP}").replace("</launch>", "</group></launch>")
    (tmp_path / "alone.launch.xml").write_text(alone)
    launch = Launch(tmp_path / "alone.launch.xml")
    assert files_of(launch.of("joystick")) == [str(CONFIG / "joystick.yaml")] and rules(launch.of("joystick"), "-r") == ["__ns:=/"]


@pytest.mark.parametrize("name", CURRENT)
def test_what_the_include_passes_is_all_that_counts(name, tmp_path):
    """Whatever the including file has by the names of our arguments and variables."""
    names = {element.get("name") for path in FOLDER.rglob("*.xml") for tag in ("arg", "let") for element in xml.etree.ElementTree.parse(path).iter(tag)}
    own = "".join(f'<let name="{known}" value="outer"/>' for known in sorted(names))
    values = {"params_file": "/robot.yaml", "namespace": "left", "urdf": URDF, "robot_description": URDF, "log_level": "warn", "display": "arm"}
    is_flag = lambda known: known in ("sim", "rviz", "frames", "composed", "surround", "use_sim_time", "stamped")  # noqa: E731
    for flag in ("true", "false"):
        known = [known for known, argument in declared(root(name)).items() if not argument.get("default", "").startswith("renamed")]
        passed = {key: flag if is_flag(key) else values.get(key, "") for key in known}
        direct = Launch(name, **passed)
        assert Launch(wrap(tmp_path, name, own, passed)).comparable() == direct.comparable() != []


def test_what_would_not_be_scoped_is_found():
    leaks = """<launch><arg name="a"/><group><executable cmd="ls"/><set_remap from="a" to="b"/><node pkg="p" exec="e" namespace="/left"/></group>
    <group scoped="false"/><group><include file="f"><arg name="b" value="c"/></include><let name="a" value="b"/></group></launch>"""
    found = unscoped(xml.etree.ElementTree.fromstring(leaks))
    assert [sentence.split(" ")[0] for sentence in found] == ["<executable>", "<set_remap>", "an", "a", "<arg>", "the"], found
    for wrong in ('<group><let name="a"><x/></let></group>', '<node pkg="p" exec="e" nmae="x"/>', "<foo/>"):
        with pytest.raises(Refused):
            for element in xml.etree.ElementTree.fromstring(f"<launch>{wrong}</launch>").iter():
                check(element)


INCLUDE = '<include file="$(find-pkg-share steersman)/launch'
BRINGUPS = {
    "everything": f"""<set_remap from="a" to="b"/><set_env name="X_ONE" value="1"/><arg name="namespace" default="left"/>
      <group>{GROUP}<set_env name="X_TWO" value="$(var namespace)"/>
        {INCLUDE}/arm.launch.xml"><arg name="sim" value="True"/><arg name="controllers" value="a b"/></include>
        <node pkg="steersman" exec="joystick" name="pad" args="one $(var namespace)/two'  'three four $(eval &quot;1 + 1&quot;)x">
          <param name="a" value="$(var namespace)"/><param name="b" value="1.0"/><param name="c" value="1" type="str"/>
          <param name="use_sim_time" value="$(var sim)"/><remap from="p" to="q"/><env name="X_ONE" value="3"/></node></group>
      <node pkg="steersman" exec="joystick" name="pad"><param name="a" value="yes"/></node><executable cmd="joystick --x $(var namespace) "/>""",
    # It inherits the argument, and is refused, since the include does not give it.
    "required": f"""<arg name="params_file" default="/nav2.yaml"/>{INCLUDE}/hindbrain.launch.xml"/>""",
    "inherited": f"""<arg name="params_file" default="/nav2.yaml"/>{INCLUDE}/joystick.launch.xml"/><executable cmd="joystick $(dirname)"/>""",
    "alone": f"""<arg name="params_file" default="/nav2.yaml"/><group>{GROUP}<group forwarding="false">{INCLUDE}/joystick.launch.xml"/></group></group>""",
    "open": f"""<group scoped="false">{GROUP}{INCLUDE}/joystick.launch.xml"><arg name="rviz" value="true"/></include></group>
      <arg name="a" default="1"/><arg name="a"/><let name="a" value="\\$(var a) $(var none 'it is none')"/><node pkg="steersman" exec="joystick" args="$(var a)"/>""",
}


@pytest.mark.parametrize("name", [*FILES, *BRINGUPS])
def test_launch_itself_reads_the_files_in_the_same_way(name, tmp_path, monkeypatch):
    """With the sourced ROS 2, if it has launch: commands, environment, what stays set, refusals and the list of arguments."""
    pytest.importorskip("launch_ros")
    pytest.importorskip("launch_xml")
    import real_launch

    real_launch.pretend_installed(tmp_path, monkeypatch)
    path = FOLDER / f"{name}.launch.xml"
    if name in BRINGUPS:
        path = tmp_path / "bringup.launch.xml"
        path.write_text(f"<launch>{BRINGUPS[name]}</launch>")
    assert list(declared(xml.etree.ElementTree.parse(path).getroot())) == real_launch.arguments(path)
    robot = {"params_file": "/robot.yaml /more.yaml", "urdf": URDF}
    sim = {"sim": "true", "rviz": "true", "controllers": "a b", "namespace": "left", "use_sim_time": "true"}
    for given in ({}, robot, sim, {**sim, "composed": "false", "surround": "1"}, {"config": "x"}, {"simulator": "true"}, {**robot, "config": "x"}, {"params_file": ""}, {"sim": "perhaps"}):
        assert real_launch.read(path, given) == real_launch.outcome(lambda: Launch(path, **given)), given


def test_a_page_has_the_arguments_of_the_files(tmp_path):
    page = (ROOT / "docs" / "launch.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)\|$", page, re.MULTILINE))
    for name in CURRENT:
        own = [known for known, argument in declared(root(name)).items() if known not in COMMON and not argument.get("default", "").startswith("renamed")]
        files, arguments = rows[name].rsplit("|", 2)[-2:]
        assert re.findall(r"`(\w+)`", arguments) == own, name
        default = declared(root(name))["params_file"].get("default", "none").split("/")[-1]
        expected = {f"{name}.yaml": "its own", "none": "none", "$(var known).yaml": "of the display"}
        assert files.strip() in (expected.get(default), f"`{default}`", f"`{default}` with `sim`"), name
    common = re.findall(r"^\| `(\w+)` \|", page.split("| file |")[0], re.MULTILINE)
    assert common == COMMON
    (tmp_path / "own.launch.xml").write_text(f"<launch>{page.split('```xml')[1].split('```')[0]}</launch>")
    arguments = Launch(tmp_path / "own.launch.xml").of("steersman")
    assert rules(arguments, "-r") == ["__ns:=/robot"] and rules(arguments)[-1] == "use_sim_time:=True" and files_of(arguments) == ["/home/robot/robot.yaml"]
