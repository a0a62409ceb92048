"""What is on the vehicle and obeys its emergency stop: hindbrain together with mechanism, an arm, or with haptix, a hand. Between an
emergency stop and a reset no joint of the arm gets an effort, and the hand holds its position whatever is commanded."""

import contextlib
import pathlib
import signal
import time

import neighbour_hosts
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from graph import act_until
from haptix_msgs.srv import Reset
from hosts import play
from neighbour_hosts import end, neighbour, only_hindbrain
from processes import panicking
from std_msgs.msg import String
from vehicle import Vehicle, second_publisher

BOTH = pytest.mark.parametrize("kind", ["arm", "hand"])


@contextlib.contextmanager
def vehicle_with(kind):
    # On a busy machine the e-stop, which is a process of Python, is silent for longer than the default.
    with Vehicle({"estop.timeout": 1.0}, executable=panicking("hindbrain")) as vehicle:
        vehicle.fit_estop()
        vehicle.start()
        with neighbour(kind) as moving:
            moving.wait_until_it_moves(10.0)
            yield vehicle, moving


def press(vehicle, moving):
    """Presses the e-stop; returns the time from which the neighbour must stand."""
    vehicle.estop(True)
    vehicle.wait(lambda: vehicle.state == "ESTOP", "it is not in its emergency stop")
    return moving.halts()


@pytest.mark.fault("arm-hindbrain-lost", "hand-hindbrain-lost")
@BOTH
@pytest.mark.parametrize("by", ["panic", "SIGTERM", "SIGKILL"])
def test_the_end_of_hindbrain_ends_no_emergency_stop_of_its_neighbour(by, kind):
    with vehicle_with(kind) as (vehicle, moving):
        since = press(vehicle, moving)
        end(vehicle, by)
        time.sleep(2.0)
        moving.stands(since, f"{by}, and the button is still pressed")


@pytest.mark.fault("arm-hindbrain-lost", "hand-hindbrain-lost")
@BOTH
@pytest.mark.parametrize("by", ["panic", "SIGTERM"])
def test_a_restart_of_hindbrain_ends_no_emergency_stop_of_its_neighbour(by, kind):
    """The button is released; the reset is that of another hindbrain, which the neighbour does not know."""
    with vehicle_with(kind) as (vehicle, moving):
        since = press(vehicle, moving)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        end(vehicle, by)
        vehicle.restart_node()
        vehicle.restart()  # on a busy machine it receives the e-stop too late, and stops for a reason of its own
        time.sleep(2.0)
        moving.stands(since, "hindbrain was restarted, and nobody pressed a reset")
        moving.moves_after_its_reset()


@contextlib.contextmanager
def renamed(vehicle, moving):
    """hindbrain is started again under another name."""
    end(vehicle, "SIGTERM")
    vehicle.process = vehicle.begin(name="another_brain")
    yield
    assert "another_brain" in vehicle.graph.node.get_node_names()


@contextlib.contextmanager
def silent(vehicle, moving):
    """hindbrain is held for longer than its state is one."""
    vehicle.process.process.send_signal(signal.SIGSTOP)
    time.sleep(1.7)
    vehicle.process.process.send_signal(signal.SIGCONT)
    yield


@contextlib.contextmanager
def doubled(vehicle, moving):
    """Another node publishes the state too, for a while."""
    contested = lambda: "more than one publisher" in moving.process.output  # noqa: E731
    with second_publisher(String, "/hind/state") as other:
        publish = lambda: other.publish(String(data="OK"))  # noqa: E731
        act_until(moving.graph, publish, contested, lambda: f"no second publisher:\n{moving.process.output}", 10.0, every=0.1)
    yield


@pytest.mark.fault("arm-hindbrain-lost", "hand-hindbrain-lost")
@BOTH
@pytest.mark.parametrize("happens", [renamed, silent, doubled])
def test_a_hindbrain_that_is_renamed_silent_or_doubled_ends_no_emergency_stop_of_its_neighbour(happens, kind):
    """The button is released and not reset meanwhile; then hindbrain is reset, and for its neighbour that is not enough."""
    with vehicle_with(kind) as (vehicle, moving):
        since = press(vehicle, moving)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        with happens(vehicle, moving):
            only_hindbrain(vehicle)
            vehicle.restart()
        time.sleep(1.5)
        moving.stands(since, f"{happens.__name__}, and nobody reset the neighbour")
        moving.moves_after_its_reset()


@pytest.mark.fault("arm-estop", "hand-estop")
@BOTH
def test_the_reset_of_hindbrain_ends_the_emergency_stop_of_its_neighbour(kind):
    with vehicle_with(kind) as (vehicle, moving):
        since = press(vehicle, moving)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        moving.reset()
        time.sleep(1.5)
        moving.stands(since, "nobody pressed hindbrain's reset")
        vehicle.reset()
        vehicle.wait(lambda: vehicle.state == "SSTOP.ROS", "no reset")
        moving.wait_until_it_moves()


@pytest.mark.fault("hand-estop")
def test_a_hand_under_commands_stands_within_half_a_second_of_the_emergency_stop():
    with vehicle_with("hand") as (vehicle, moving):
        graph, hand = moving.graph, moving.hand
        graph.subscribe(DiagnosticArray, "/diagnostics")
        vehicle.graph.forget()
        press(vehicle, moving)
        time.sleep(1.0)
        stop = next(at for at, message in vehicle.graph.messages["/hind/state"] if message.data == "ESTOP")
        moved = [at - stop for at, message in graph.messages["joint_states"] if abs(moving.joint(message)[1]) > 0.01]
        print(f"it moves until {max(moved):.3f} s after the state")
        assert max(moved) < 0.5, f"it moves {max(moved):.3f} s after the emergency stop"
        why = "the vehicle is in its emergency stop; the vehicle's reset ends it"
        assert graph.last("/haptix/state").data == f"HALTED: {why}"
        refused = f"the hand is halted: {why}"
        assert hand.refused(ref_pos=[0.1]) == refused
        assert hand.grasp(Hook=0.5).result.message == refused
        assert hand.call(Reset, "reset", reset_limb_pose=True).result.message == refused
        hand.reset(reset_limb_pose=False)
        hand.read()
        answer = moving.reset()
        assert (answer.success, answer.message) == (False, f"the hand stays halted: {why}")
        assert f"a command was refused: {refused}" in moving.process.output
        statuses = lambda: [s for m in graph.since("/diagnostics", 0.0) for s in m.status if s.name == "haptix"]  # noqa: E731
        warns = lambda: any(s.level == DiagnosticStatus.WARN and s.message == f"HALTED: {why}" for s in statuses())  # noqa: E731
        graph.wait(warns, lambda: f"{statuses()}")


@pytest.mark.fault("hand-hindbrain-lost")
def test_the_resets_that_programs_call_end_no_halt_of_a_hand():
    with vehicle_with("hand") as (vehicle, moving):
        since = press(vehicle, moving)
        end(vehicle, "SIGTERM")
        vehicle.estop(False)
        vehicle.restart_node()
        vehicle.restart()
        lost = "HALTED: the vehicle's state was lost in its emergency stop; reset_motors ends it"
        moving.graph.wait(lambda: moving.graph.last("/haptix/state").data == lost, lambda: moving.process.output)
        for reset_limb_pose in (True, False):
            moving.hand.call(Reset, "reset", reset_limb_pose=reset_limb_pose)
        time.sleep(1.0)
        moving.stands(since, "a program reset the hand")
        moving.moves_after_its_reset()


@pytest.mark.fault("arm-hindbrain-lost", "hand-hindbrain-lost")
@BOTH
@pytest.mark.timeout(120.0 + 40.0 * neighbour_hosts.ROUNDS)
def test_whatever_happens_to_hindbrain_its_neighbour_stands_until_a_reset(tmp_path, kind):
    """Every end and every hold of hindbrain and bad links, in random orders: `NEIGHBOUR_ROUNDS` of them, from `NEIGHBOUR_SEED` on."""
    play(pathlib.Path(neighbour_hosts.__file__), tmp_path, kind, 60.0 + 40.0 * neighbour_hosts.ROUNDS)
