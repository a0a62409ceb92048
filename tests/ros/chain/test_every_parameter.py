"""Every parameter of every node: what is accepted at run time takes effect, and what cannot take effect is refused.

The parameters are those that the node itself lists and describes, so none is forgotten: one of hindbrain that may change at
run time and has no entry in the table fails the test. Each entry is a function that sees the new value in what the node publishes.
"""

import math

import pytest
from graph import STOP, Graph
from parameters import Parameters
from processes import Process
from rcl_interfaces.msg import ParameterType
from sensor_msgs.msg import Range
from vehicle import Vehicle, now, steepest


def others(descriptor, value):
    """Values that the descriptor allows and that differ from this one, the likely ones first."""
    kind = descriptor.type
    if kind == ParameterType.PARAMETER_BOOL:
        return [not value]
    if kind in (ParameterType.PARAMETER_STRING, ParameterType.PARAMETER_STRING_ARRAY):
        _, found, words = descriptor.additional_constraints.partition("one of: ")
        choices = words.split(", ") if found else ["other"]
        return [one for one in (choices if kind == ParameterType.PARAMETER_STRING else [[c] for c in choices]) if one != value]
    ranges = descriptor.integer_range or descriptor.floating_point_range
    low, high = (ranges[0].from_value, ranges[0].to_value) if ranges else (-math.inf, math.inf)
    if isinstance(value, list):
        return [value[::-1]] if value != value[::-1] else [[low, low + 1]]
    near = [value / 2, value * 2, low + (high - low) / 100, (low + high) / 2, high, low]
    whole = kind == ParameterType.PARAMETER_INTEGER
    values = [int(one) if whole else float(one) for one in near if math.isfinite(one)]
    return [one for one in values if low <= one <= high and one != value]


def is_same(one, other):
    return math.isclose(one, other) if isinstance(one, float) else one == other


def change(parameters, descriptor):
    """Sets another legal value; returns it, or why each of them was refused."""
    before, reasons = parameters.get(descriptor.name), []
    for value in others(descriptor, before):
        result = parameters.set(descriptor, value)
        if result.successful:
            assert not result.reason
            assert is_same(parameters.get(descriptor.name), value), f"{descriptor.name}: accepted, but its value is not {value}"
            return value, None
        reasons.append(result.reason)
        assert "parameter '" in reasons[-1], f"{descriptor.name} = {value} is refused without a name: '{reasons[-1]}'"
        assert is_same(parameters.get(descriptor.name), before), f"{descriptor.name} is refused, and differs"
    return None, "; ".join(reasons)


# ------------------------------------------------------------------------------------------------ what each does: hindbrain
SENSOR = "ir_front_port"
# Times are seen in what was published; the rest is for a busy machine.
SLACK = 0.35


class Gate:
    """hindbrain with a sensor, an e-stop and a switch that repeats, all without faults."""

    PARAMETERS = {"ir.sensors": [SENSOR], "ir.timeout": 0.4, "estop.timeout": 0.4, "cmd_timeout": 0.8}

    def __init__(self):
        self.vehicle = Vehicle(self.PARAMETERS)

    def __enter__(self):
        vehicle = self.vehicle.__enter__()
        self.parameters = Parameters(vehicle.graph, "hindbrain")
        self.described = self.parameters.described()
        self.range = Range(min_range=0.01, max_range=20.0, range=1.0)
        self.range.header.frame_id = SENSOR
        self.publisher = vehicle.graph.node.create_publisher(Range, "/hind/ir", 10)
        self.sensor = vehicle.graph.node.create_timer(0.02, lambda: self.publisher.publish(self.range))
        vehicle.fit_estop()
        vehicle.set_command()
        self.switch = vehicle.hold_enable(False, 50.0)
        return self

    def __exit__(self, *_):
        self.vehicle.__exit__()

    def go(self, speed=0.0):
        """Drives at this speed, from any state but a latched one."""
        vehicle = self.vehicle
        vehicle.set_command(0.0)
        vehicle.switch.data = False
        vehicle.wait(lambda: "NOT_ENABLED" in vehicle.causes, "enable does not go off")
        vehicle.switch.data = True
        vehicle.wait_for("OK")
        vehicle.set_command(speed)
        level = STOP - int(66 * speed)
        vehicle.wait_for_motors(level, level, f"{speed} of full speed")

    def stand(self):
        """Not enabled, so parameters may change."""
        self.vehicle.set_command(0.0)
        self.vehicle.switch.data = False
        self.vehicle.wait(lambda: self.vehicle.state == "SSTOP.ROS", "it does not stand")

    def first(self, topic, start, is_it):
        """The time of the first message after the time `start` for which `is_it` holds."""
        graph = self.vehicle.graph
        self.vehicle.wait(lambda: any(is_it(m) for m in graph.since(topic, start)), f"nothing of that kind on {topic}")
        return next(at for at, message in graph.messages[topic] if at >= start and is_it(message))

    def reads(self, distance):
        """Its report of a distance."""
        self.range.range = distance
        start = now()
        self.vehicle.wait(lambda: len(self.vehicle.graph.since("/hind/state_detail", start + 0.05)) >= 2, "no details")
        return self.vehicle.source(SENSOR).says


def accel(gate, value):
    gate.go()
    start = now()
    gate.vehicle.set_command(1.0)
    gate.vehicle.wait_for_motors(24, 24, "full ahead", 20.0)
    full = gate.first("/motor/port", start, lambda m: m.data == 24)
    began = gate.first("/motor/port", start, lambda m: m.data != STOP)
    assert 66 / value - 0.06 < full - began < 66 / value + SLACK, f"full speed after {full - began:.3f} s, accel {value}"
    moved = [entry for entry in gate.vehicle.graph.messages["/motor/port"] if entry[0] >= start]
    assert steepest(moved, value) <= 0.0


def decel(gate, value):
    gate.go(1.0)
    start = now()
    gate.vehicle.set_command(0.0)
    began = gate.first("/motor/port", start, lambda m: m.data > 24)
    ended = gate.first("/motor/port", start, lambda m: m.data == STOP)
    assert 66 / value - 0.06 < ended - began < 66 / value + SLACK, f"at rest after {ended - began:.3f} s, decel {value}"


def cmd_timeout(gate, value):
    gate.go(0.5)
    gate.vehicle.fall_silent()
    start = now()
    took = gate.first("/motor/port", start, lambda m: m.data > 57) - start
    gate.vehicle.commands.reset()
    assert value - 0.06 < took < value + SLACK, f"silence brakes after {took:.3f} s, cmd_timeout {value}"


def estop_timeout(gate, value):
    gate.go(0.5)
    gate.vehicle.estop_timer.cancel()
    start = now()
    took = gate.first("/hind/state", start, lambda m: m.data == "ESTOP") - start
    gate.vehicle.wait(lambda: "ESTOP_STALE" in gate.vehicle.causes, "it is latched without a reason")
    gate.vehicle.estop_timer.reset()
    gate.vehicle.wait(lambda: "ESTOP_STALE" not in gate.vehicle.causes, "the e-stop does not come back")
    gate.vehicle.reset()
    gate.vehicle.wait(lambda: gate.vehicle.state != "ESTOP", "reset does not reset")
    assert value - 0.08 < took < value + SLACK, f"silence latches after {took:.3f} s, estop.timeout {value}"


def enable_lease(gate, value):
    gate.go(0.5)
    gate.switch.cancel()
    start = now()
    took = gate.first("/hind/state", start, lambda m: m.data == "SSTOP.ROS") - start
    gate.switch.reset()
    assert value - 0.06 < took < value + SLACK, f"the lease lapses after {took:.3f} s, enable.lease {value}"


def ir_near(gate, value):
    assert (gate.reads(value * 0.9), gate.reads(value * 1.1)) == ("blocked", "clear")


def ir_far(gate, value):
    assert (gate.reads(value * 1.1), gate.reads(value * 0.9)) == ("blocked", "clear")


def ir_timeout(gate, value):
    gate.reads(0.05)
    gate.range.range = 1.0
    start = now()
    is_clear = lambda m: not next(s.blocks for s in m.sources if s.name == SENSOR)  # noqa: E731
    took = gate.first("/hind/state_detail", start, is_clear) - start
    assert value - 0.06 < took < value + SLACK, f"clear after {took:.3f} s, ir.timeout {value}"


HINDBRAIN = {
    "accel": accel,
    "decel": decel,
    "cmd_timeout": cmd_timeout,
    "estop.timeout": estop_timeout,
    "enable.lease": enable_lease,
    "ir.near": ir_near,
    "ir.far": ir_far,
    "ir.timeout": ir_timeout,
}


@pytest.fixture(scope="module")
def gate():
    with Gate() as gate:
        yield gate


@pytest.mark.parametrize("name", HINDBRAIN)
def test_a_parameter_of_hindbrain_takes_effect_as_documented(gate, name):
    """The effect shows with the first value, with another one, and with the first one again."""
    gate.stand()
    gate.range.range = 1.0
    descriptor, first = gate.described[name], gate.parameters.get(name)
    value, reason = change(gate.parameters, descriptor)
    assert value is not None, f"no other value of {name} is accepted: {reason}"
    try:
        HINDBRAIN[name](gate, value)
    finally:
        gate.range.range = 1.0
        gate.stand()
        result = gate.parameters.set(descriptor, first)
        assert result.successful, result.reason
    if first:  # 0 is off
        HINDBRAIN[name](gate, first)


@pytest.mark.fault("parameter-set")
def test_no_parameter_of_hindbrain_changes_on_the_move(gate):
    """Each change is refused with the reason, the value stays, and no motor value changes."""
    gate.range.range = 1.0
    gate.go(0.5)
    start = now()
    for name, descriptor in gate.described.items():
        value, reason = change(gate.parameters, descriptor)
        assert value is None, f"{name} is {value} on the move"
        assert ("is read-only" if descriptor.read_only else "while the vehicle is stopped") in reason or "must " in reason, reason
        if name in HINDBRAIN:
            assert "can only be set while the vehicle is stopped" in reason, reason
    assert set(gate.vehicle.values(start)) == {57}


# ------------------------------------------------------------------------------------------------------------- all nodes
NODES = ["hindbrain", "velocity_arbiter", "zone_scaler", "joystick", "chair", "surround", "simulator", "luci_chair", "haptix", "marker_publisher", "switch_relay"]
# The fake chair has the name that LUCI's own node has.
NAMES = {"luci_chair": "interface"}


@pytest.fixture(scope="module")
def walked():
    """Each node's answer to another legal value of each of its parameters; each node is asked once."""
    answers = {}
    graph = Graph()
    try:
        for node in NODES:
            process = Process(node, "--ros-args", "-r", "__ns:=/walk")  # beside the one above
            try:
                parameters = Parameters(graph, f"walk/{NAMES.get(node, node)}")
                answers[node] = {}
                for name, descriptor in parameters.described().items():
                    if not name.startswith("qos_overrides"):
                        answers[node][name] = (descriptor, *change(parameters, descriptor))
                assert process.process.poll() is None, f"{node} has ended:\n{process.output}"
            except AssertionError as failure:
                raise AssertionError(f"{node}: {failure}\n{process.output}") from failure
            finally:
                process.stop()
    finally:
        graph.close()
    return answers


@pytest.mark.parametrize("node", NODES)
def test_each_parameter_is_accepted_or_refused_with_a_reason(walked, node):
    assert walked[node]
    for name, (descriptor, value, reason) in walked[node].items():
        if descriptor.read_only:
            assert value is None and "read-only" in reason, f"{name} is read-only, and {value or reason!r}"
        else:
            assert value is not None or reason, f"{name} has no other legal value by its descriptor"


def test_each_parameter_of_hindbrain_that_may_change_is_seen_to_take_effect(walked):
    """The effects of the other nodes' parameters are tested on their machines by `tests/effects`."""
    changeable = {name for name, (descriptor, *_) in walked["hindbrain"].items() if not descriptor.read_only}
    forgotten, gone = changeable - set(HINDBRAIN), set(HINDBRAIN) - changeable
    assert not forgotten, f"no test shows the effect of: {forgotten}"
    assert not gone, f"in the table, and no parameters that may change: {gone}"
