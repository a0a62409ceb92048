"""Controllers from libraries that are built, loaded and rebuilt while the node runs."""

import shutil

import pytest
from mechanisms import arm
from paths import ROOT
from plugins import Project
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def positions(graph):
    return [message.position[1] for message in graph.since("joint_states", 0.0)]


def test_a_controller_of_a_library_moves_its_joint_and_a_rebuilt_one_replaces_it(project):
    project.build()
    with arm(*project.arguments()) as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", QoSProfile(depth=100))
        graph.subscribe(Float64, "sway/error", QoSProfile(depth=100))
        assert "sway/Sway" in manager.types() and manager.types() == sorted(manager.types())
        assert manager.load("sway") and manager.switch(["sway"])
        timer = graph.repeat("sway/amplitude", Float64(data=0.3), 20.0)
        graph.wait(lambda: max(positions(graph), default=0.0) > 0.1, "it does not sway")
        graph.wait(lambda: len(graph.since("sway/error", 0.0)) > 5, "it says nothing")
        # Its input falls silent.
        graph.stop_repeating(timer)
        graph.wait(lambda: abs(graph.last("joint_states").position[1]) < 0.02, "it does not rest")
        assert not manager.reload(False), "a controller is loaded"
        # Built again with another type beside the first one.
        project.change("example/src/lib.rs", '"sway/Sway"', '"sway/Swing"')
        project.build()
        assert "sway/Swing" not in manager.types()
        assert manager.reload(True)
        assert "sway/Swing" in manager.types() and "sway/Sway" not in manager.types()
        assert manager.list() == [] and not manager.load("sway")
        assert "controller type 'sway/Sway' is unknown" in process.output


def test_parameters_that_do_not_fit_and_failures_are_refused_with_their_reasons(project):
    project.change("example/src/lib.rs", "let time = ", 'assert!(self.amplitude < 0.4, "too wide"); let time = ')
    project.change("example/src/lib.rs", "        Ok(Self {", '        assert!(!setup.bool("explode", false)?, "boom");\n        Ok(Self {')
    project.build()
    odd = [
        ("low.stiffness:=-1.0", "parameter 'stiffness' is -1, must be 0 to 1000"),
        ("lame.joint:=leg", "parameter 'joint' is 'leg', must be a joint with a transmission: pan, tilt"),
        ("typo.stifness:=3.0", "parameter 'stifness' does not exist, there are: type, explode, joint, stiffness, damping, frequency, max_amplitude"),
        ("mixed.damping:=much", "parameter 'damping' must be a double"),
        ("bomb.explode:=true", "controller 'bomb' does not initialise: it panicked"),
    ]
    arguments = project.arguments()
    for parameter, _ in odd:
        name = parameter.split(".")[0]
        joint = [] if ".joint" in parameter else ["-p", f"{name}.joint:=pan"]
        arguments += ["-p", f"{name}.type:=sway/Sway", "-p", parameter, *joint]
    with arm(*arguments) as (graph, manager, process):
        assert manager.load("sway") and manager.load("pan_position") and manager.switch(["sway", "pan_position"])
        for parameter, sentence in odd:
            assert not manager.load(parameter.split(".")[0])
            graph.wait(lambda: sentence in process.output, lambda: process.output)  # noqa: B023
        assert manager.list() == [("pan_position", "running"), ("sway", "running")]
        # A panic in the loop stops it alone.
        timer = graph.repeat("sway/amplitude", Float64(data=1.0), 20.0)
        graph.wait(lambda: ("sway", "stopped") in manager.list(), "it runs on")
        assert ("pan_position", "running") in manager.list()
        line = project.line("too wide")
        sentence = f"controller 'sway' stopped by itself: it panicked at src/lib.rs:{line}; unload it and load it again"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        graph.stop_repeating(timer)
        assert not manager.switch(["sway"])
        assert manager.unload("sway") and manager.load("sway") and manager.switch(["sway"])


def test_a_library_s_controller_of_a_joint_that_follows_another_is_refused_and_one_that_commands_it_is_stopped(project, tmp_path):
    text = (ROOT / "config/urdf/arm.urdf").read_text()
    hook = """<link name="hook_link"/><joint name="hook" type="continuous"><parent link="tilt_link"/><child link="hook_link"/></joint>
      <transmission name="tilt_transmission" type="steersman/CoupledTransmission"><actuator name="tilt_motor"/>
      <joint name="tilt" coupling="1"/><joint name="hook" coupling="0.5"/><mechanicalReduction>6.0</mechanicalReduction></transmission></robot>"""
    file = tmp_path / "hook.urdf"
    file.write_text(text[: text.index('<transmission name="tilt_transmission"')] + hook)
    # Two controllers: of the second only the joint that it commands is another.
    project.change("example/src/lib.rs", "step.joints.get_mut(self.joint)", 'step.joints.get_mut(if self.most > 0.5 { 2 } else { self.joint })')
    project.build()
    arguments = ["-p", "hook.type:=sway/Sway", "-p", "hook.joint:=hook", "-p", "lost.type:=sway/Sway", "-p", "lost.joint:=pan"]
    with arm(*project.arguments(), *arguments, "-p", "lost.max_amplitude:=0.6", urdf=file) as (graph, manager, process):
        assert not manager.load("hook")
        sentence = "parameter 'joint' is 'hook', must be a joint that an actuator moves: it follows 'tilt'"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        assert manager.load("sway") and manager.load("lost") and manager.switch(["sway", "lost"])
        timer = graph.repeat("lost/amplitude", Float64(data=0.3), 20.0)
        sentence = "controller 'lost' stopped by itself: it commands a joint that follows another one"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        graph.stop_repeating(timer)
        assert manager.list() == [("lost", "stopped"), ("sway", "running")]


def test_a_library_that_cannot_be_loaded_is_named_and_changes_nothing(project):
    project.build()
    project.change("src/abi.rs", "pub const VERSION: u32 = 3;", "pub const VERSION: u32 = 99;")
    project.build("libfuture.so")
    (project.libraries / "libtext.so").write_text("no library")
    with arm(*project.arguments()) as (graph, manager, process):
        assert "sway/Sway" in manager.types(), "the others are there"
        for sentence in [
            "libfuture.so' is not loaded: it has version 99 of the plugin interface, must be 3",
            "libtext.so' is not loaded: it cannot be loaded: ",
        ]:
            graph.wait(lambda: sentence in process.output, lambda: process.output)  # noqa: B023
        assert not manager.reload(True)
        graph.wait(lambda: "the libraries were not loaded again: '" in process.output, lambda: process.output)
        assert "sway/Sway" in manager.types() and manager.load("sway"), "the old ones are there"
        assert manager.unload("sway")
        for name in ["libfuture.so", "libtext.so"]:
            (project.libraries / name).unlink()
        shutil.copy(project.libraries / "libsway.so", project.libraries / "libtwin.so")
        assert not manager.reload(False)
        assert "libtwin.so' is not loaded: its type 'sway/Sway' is there already" in process.output
        (project.libraries / "libtwin.so").unlink()
        assert manager.reload(False)
