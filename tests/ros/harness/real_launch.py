"""launch and launch_ros themselves, where a full ROS 2 is sourced: files are read, and nothing is started."""

import os
import pathlib

import yaml
from launch import LaunchContext
from launch.actions import IncludeLaunchDescription
from launch.actions.execute_local import ExecuteLocal
from launch.launch_description_sources import AnyLaunchDescriptionSource
from launch_files import Refused
from paths import ROOT


def pretend_installed(folder, monkeypatch):
    """Makes `folder` a prefix in which this checkout is installed, with executables that do nothing."""
    nodes = [path.stem for path in (ROOT / "crates/nodes/src/bin").glob("*.rs")]
    for package, executables in {"steersman": [*nodes, "steersman-controller"], "rviz2": ["rviz2"], "robot_state_publisher": ["robot_state_publisher"]}.items():
        for made in (f"share/ament_index/resource_index/packages/{package}", *(f"lib/{package}/{name}" for name in executables)):
            (folder / made).parent.mkdir(parents=True, exist_ok=True)
            (folder / made).touch(0o755)
        (folder / "share" / package).mkdir()
    for name in ("launch", "config"):
        (folder / "share/steersman" / name).symlink_to(ROOT / name)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{folder}:{os.environ['AMENT_PREFIX_PATH']}")
    monkeypatch.setattr(ExecuteLocal, "execute", lambda action, context: context.found.append(prepared(action, context)))
    read.share = str(folder / "share/steersman")


def prepared(action, context):
    """A process as in `Launch.comparable`."""
    action.prepare(context)
    executable, *arguments = action.process_description.final_cmd
    environment = {name: value for name, value in action.process_description.final_env.items() if name.startswith("X_")}
    own = lambda word: yaml.safe_load(open(word)) if "launch_params_" in word else word  # noqa: E731
    return pathlib.Path(executable).name, [own(word) for word in arguments], environment


def arguments(path):
    """The names of the arguments of the file at `path` itself, as `ros2 launch --show-args` lists them."""
    description = AnyLaunchDescriptionSource(str(path)).get_launch_description(LaunchContext())
    return [argument.name for argument, includes in description.get_launch_arguments_with_include_launch_description_actions() if not includes]


def outcome(launched):
    """What `launched` starts and leaves behind, or that it is refused."""
    try:
        launch = launched()
    except Refused:
        return "refused"
    return launch.comparable(), launch.configurations


def read(path, given):
    """What launch itself makes of the file at `path`, as in `outcome`."""
    context = LaunchContext()
    context.found = []

    def visit(entity):
        for inner in entity.visit(context) or []:
            visit(inner)

    environment = os.environ.copy()
    try:
        visit(IncludeLaunchDescription(AnyLaunchDescriptionSource(str(path)), launch_arguments=list(given.items())))
    except Exception:  # launch has one type for each kind of refusal
        return "refused"
    finally:
        os.environ.clear()
        os.environ.update(environment)
    in_checkout = lambda value: eval(repr(value).replace(read.share, str(ROOT)))  # noqa: E731
    return in_checkout(context.found), in_checkout(dict(context.launch_configurations))
