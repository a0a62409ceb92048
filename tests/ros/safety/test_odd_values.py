"""Numbers that no driver should send, on real wires: NaN, infinities, subnormals, every size that a double has.

A decoder that reads NaN as full ahead and 1e-40 as full reverse has driven a vehicle before.
"""

import math

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from graph import SLACK, STOP
from vehicle import Vehicle, now, steepest

NAN, INF = math.nan, math.inf
FULL = 66
# A command beyond so many times full speed is a mistake and refused.
MAX_PLAUSIBLE = 100.0
PARTS = [("linear", "x"), ("angular", "z")]
UNUSED = [("linear", "y"), ("linear", "z"), ("angular", "x"), ("angular", "y")]
# Any misreading shows at once: 66 counts take 10 ms.
SUDDEN = {"accel": 6600.0, "decel": 6600.0}


def both_signs(values):
    return [sign * value for value in values for sign in (1.0, -1.0)]


def neighbours(value):
    return [math.nextafter(value, -INF), value, math.nextafter(value, INF)]


EDGES = {-1073, -1023, -1022, -1021, -150, -149, -148, -127, -126, -125, -11, 127, 128, 1023}
EXPONENTS = sorted(EDGES.union(range(-1074, 1024, 53)))
ODD = both_signs(
    [NAN, INF, 0.0, 1e-300, 1e-60, 1e-40, 1e-10, 3.5e38, 1e39, 1e300, 1e308, 1.797e308, math.nextafter(INF, 0.0)]
    + [value for size in (2.0**-1022, 2.0**-126, 2.0**-149, 0.001, MAX_PLAUSIBLE) for value in neighbours(size)]
    + [math.ldexp(1.0, exponent) for exponent in EXPONENTS]
)


def is_refused(value):
    return not math.isfinite(value) or abs(value) > MAX_PLAUSIBLE


def counts(value):
    """The counts that may be sent for `value` times full speed: the one nearest to zero and, beyond one count, the next one."""
    exact = max(-1.0, min(1.0, value)) * FULL
    least, most = math.floor(abs(exact) + 1e-3), math.ceil(abs(exact) - 1e-3)  # hindbrain has millionths of full speed
    return {int(math.copysign(level, value)) for level in ({least, most} if least >= 1 else {0})}


class CommandSender:
    """Sends commands one by one and waits until hindbrain has processed each."""

    def __init__(self, vehicle, message_type):
        self.vehicle, self.message_type = vehicle, message_type
        self.sent = self.refused = 0
        vehicle.graph.record(TwistStamped, "/hind/applied")
        vehicle.graph.record(DiagnosticArray, "/diagnostics")
        vehicle.enable()
        self.send_valid()
        vehicle.wait(lambda: vehicle.state == "OK", "enable does not enable")
        self.send_valid()  # a zero comes first
        vehicle.wait_for("OK")

    def send(self, value=0.0, part=PARTS[0], refused=None):
        """Sends a command and waits until it was processed: of two that are read at once the first may be left out."""
        start = now()
        refused = is_refused(value) if refused is None else refused
        self.publish(value, part, refused)
        if refused:
            self.vehicle.wait(lambda: self.is_refused_since(start), f"command {self.sent}, {part} {value!r}, is not refused")
        else:
            self.vehicle.wait(lambda: self.applied(-1) >= start - 1e-6, f"command {self.sent}, {part} {value!r}, is not accepted")

    def is_refused_since(self, start):
        stamp = self.vehicle.detail.header.stamp
        return stamp.sec + stamp.nanosec / 1e9 >= start and "CMD_INVALID" in self.vehicle.causes

    def publish(self, value, part, refused):
        message = self.message_type()
        twist = getattr(message, "twist", message)
        setattr(getattr(twist, part[0]), part[1], value)
        if twist is not message:
            message.header.stamp = self.vehicle.graph.node.get_clock().now().to_msg()
        self.vehicle.graph.publish("/cmd_vel", message)
        self.refused += refused
        self.sent += 1

    def send_valid(self, value=0.0):
        """Sends a valid command, which has to be applied."""
        self.send(value)

    def applied(self, index):
        """The stamp of the command behind a motor value [s]."""
        received = self.vehicle.graph.messages["/hind/applied"]
        if len(received) < 2:
            return 0.0
        stamp = received[index][1].header.stamp
        return stamp.sec + stamp.nanosec / 1e9

    def wait_for_counts(self):
        """Waits until every command is counted as accepted or refused."""

        def counts():
            statuses = [s for m in self.vehicle.graph.since("/diagnostics", 0.0) for s in m.status if s.name == "hindbrain"]
            values = {value.key: value.value for value in statuses[-1].values} if statuses else {}
            return {key: int(values.get(key, 0)) for key in expected}

        accepted = self.sent - self.refused
        expected = {"/cmd_vel received": self.sent, "commands": accepted, "invalid": self.refused, "late": 0}
        self.vehicle.wait(lambda: counts() == expected, lambda: f"counts are {counts()}, must be {expected}")


@pytest.fixture(params=[Twist, TwistStamped], ids=["Twist", "TwistStamped"])
def message_type(request):
    return request.param


def test_no_odd_value_moves_a_standing_vehicle(message_type):
    """Values that are too small to move a wheel, or invalid, in either part."""
    silent = [value for value in ODD if is_refused(value) or counts(value) == {0}]
    assert len(silent) > 120
    with Vehicle(SUDDEN, message_type) as vehicle:
        sender = CommandSender(vehicle, message_type)
        for value in silent:
            for part in PARTS:
                start = now()
                sender.send(value, part)
                sender.send_valid()
                assert set(vehicle.values(start)) <= {STOP}, f"{part} {value!r} moves: {vehicle.values(start)}"
        # A part that hindbrain does not use is not checked, however large.
        for part in UNUSED:
            for value in (1e308, -1e308, 5e-324):
                sender.send(value, part, refused=False)
            sender.send_valid()
        assert set(vehicle.values(0.0)) == {STOP}
        sender.wait_for_counts()
        reported = [line for line in vehicle.process.lines if "a command on '/cmd_vel' is refused: " in line]
        assert reported and "linear.x is NaN, must be finite" in reported[0], vehicle.process.output
        assert len(reported) < 20, "each refusal is logged, not one a second"


@pytest.mark.fault("command-invalid")
def test_a_refused_change_changes_nothing_on_the_move(message_type):
    with Vehicle(SUDDEN, message_type) as vehicle:
        sender = CommandSender(vehicle, message_type)
        sender.send_valid(0.5)
        vehicle.wait_for_motors(57, 57, "half ahead")
        start = now()
        for value in (value for value in ODD if is_refused(value)):
            for part in PARTS:
                sender.send(value, part)
                sender.send_valid(0.5)
        # A part that is not finite makes the message invalid, also one that hindbrain does not use.
        for part in UNUSED:
            for value in (NAN, INF, -INF):
                sender.send(value, part, refused=True)
                sender.send_valid(0.5)
        assert set(vehicle.values(start)) == {57}
        sender.wait_for_counts()


@pytest.mark.fault("command-invalid")
@pytest.mark.parametrize("value", [NAN, math.nextafter(MAX_PLAUSIBLE, INF)], ids=["NaN", "implausible"])
def test_a_stream_of_nan_is_silence(message_type, value):
    """The last valid command is applied until it is stale, no longer."""
    with Vehicle(SUDDEN, message_type) as vehicle:
        sender = CommandSender(vehicle, message_type)
        sender.send_valid(0.5)
        vehicle.wait_for_motors(57, 57, "half ahead")
        sender.send_valid(0.5)
        last = now()
        vehicle.wait(lambda: sender.publish(value, PARTS[0], True) or vehicle.motors == (STOP, STOP), f"{value} keeps the last command fresh", 2.0)
        vehicle.wait_for("OK", "CMD_STALE", "CMD_INVALID")
        stopped = next(at for at, message in vehicle.graph.messages["/motor/port"] if at > last and message.data == STOP)
        assert 0.45 < stopped - last < 0.5 + SLACK, f"stopped after {stopped - last:.3f} s"
        assert set(vehicle.values(last)) <= set(range(57, STOP + 1))
        back = now()
        sender.send_valid(0.5)
        vehicle.wait_for("OK", "NEUTRAL_WAIT")
        assert set(vehicle.values(back)) == {STOP}, "it drives off without a zero"
        vehicle.drives_again("numbers again")


def test_what_is_near_full_speed_or_near_nothing_gives_its_level(message_type):
    zero = {"linear": 0.02, "angular": 0.05}  # up to these values it commands no motion
    values = both_signs([0.001, 0.02, 0.021, 0.05, 0.051, *neighbours(1.0), 1.001, MAX_PLAUSIBLE])
    with Vehicle(SUDDEN, message_type) as vehicle:
        vehicle.start()
        for name, sides in [("linear", (1, 1)), ("angular", (-1, 1))]:
            for value in values:
                vehicle.set_command(**{name: value})
                expected = counts(value) if abs(value) > zero[name] else {0}
                wanted = {tuple(STOP - side * level for side in sides) for level in expected}
                what = f"{name} {value!r}: motors must become one of {wanted}"
                vehicle.wait(lambda wanted=wanted: vehicle.motors in wanted, what)


def test_no_odd_value_makes_a_ramp_steeper(message_type):
    accel = 150.0
    with Vehicle({"accel": accel, "decel": 400.0}, message_type) as vehicle:
        vehicle.start()
        start = now()
        between = [NAN, 1e308, -INF, 5e-324, 2.0**-126, 1e-40]
        for value, servo in [(MAX_PLAUSIBLE, 24), (-MAX_PLAUSIBLE, 156)]:
            vehicle.set_command(value)

            def disturbed():
                odd = between[0]
                between.append(between.pop(0))
                message = message_type()
                getattr(message, "twist", message).linear.x = odd
                vehicle.graph.publish("/cmd_vel", message) if is_refused(odd) else None
                return vehicle.motors == (servo, servo)

            vehicle.wait(disturbed, f"{value} does not drive")
        for side in ("port", "starboard"):
            received = [entry for entry in vehicle.graph.messages[f"/motor/{side}"] if entry[0] >= start]
            assert steepest(received, accel) <= 0.0, f"{side} is {steepest(received, accel):.1f} counts beyond its slope"
