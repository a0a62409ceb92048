"""The infra-red sensors over real DDS: every reading of each, silence, and the way out."""

import math
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from graph import SLACK, STOP
from infrared import BLOCKED, CLEAR, Flicker
from sensor_msgs.msg import Range
from vehicle import Vehicle, now

FRONT = ["ir_front_port", "ir_front_starboard"]
BACK = ["ir_back_port", "ir_back_starboard"]
SENSORS = FRONT + BACK
NAN, INF = math.nan, math.inf
# Causes clear soon, so the tests are quick.
QUICK = {"ir.sensors": SENSORS, "ir.timeout": 0.15}


class Sensors:
    """Sensors that measure 0.1 m to 5 m and publish 50 times a second."""

    def __init__(self, vehicle, frames=SENSORS):
        self.ranges = {frame: Range(min_range=0.1, max_range=5.0, range=1.0) for frame in frames}
        for frame, message in self.ranges.items():
            message.header.frame_id = frame
        publisher = vehicle.graph.node.create_publisher(Range, "/hind/ir", 10)
        self.timer = vehicle.graph.node.create_timer(0.02, lambda: [publisher.publish(m) for m in self.ranges.values()])
        self.vehicle = vehicle

    def see(self, frame, distance):
        self.ranges[frame].range = distance

    def wait_until(self, frame, says, blocks):
        """Waits until this sensor is reported so, and all others as clear."""

        def reported():
            sources = {s.name: (s.says, s.blocks) for s in self.vehicle.detail.sources if s.name in SENSORS}
            return sources == {f: (says, blocks) if f == frame else ("clear", False) for f in SENSORS}

        self.vehicle.wait(reported, lambda: f"{frame} must be '{says}': {self.vehicle.detail.sources}")


@pytest.mark.fault("ir-blocked")
@pytest.mark.parametrize("far", [0.0, 2.0], ids=["no far", "far 2 m"])
def test_every_reading_has_its_meaning(far):
    """REP-117, the sensor's own range, and `ir.near` 0.2 m, `ir.far`."""
    beyond = ("blocked", True) if far else ("clear", False)
    readings = [
        (NAN, "no measurement", True),
        (-INF, "blocked", True),
        (INF, *beyond),
        (0.05, "blocked", True),  # below its range: too near
        (-1.0, "blocked", True),  # some drivers publish this for too near
        (0.15, "blocked", True),  # measured, and nearer than ir.near
        (3.0, *beyond),
        (9.0, *beyond),  # beyond its range: nothing in reach
    ]
    with Vehicle({**QUICK, "ir.far": far}) as vehicle:
        sensors = Sensors(vehicle)
        for frame in SENSORS:
            for distance, says, blocks in readings:
                sensors.see(frame, distance)
                sensors.wait_until(frame, says, blocks)
                pair = {"FRONT_BLOCKED" if frame in FRONT else "BACK_BLOCKED"} if blocks else set()
                causes = pair | ({"IR_INVALID"} if says == "no measurement" else set())
                assert vehicle.causes - {"NOT_ENABLED", "CMD_STALE"} == causes, f"{frame} {distance}: {vehicle.causes}"
                sensors.see(frame, 1.0)
                sensors.wait_until(frame, "clear", False)


@pytest.mark.fault("ir-silent")
def test_a_sensor_that_is_silent_unknown_or_not_fitted():
    with Vehicle({"ir.sensors": FRONT}) as vehicle:
        vehicle.graph.record(DiagnosticArray, "/diagnostics")
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED", "CMD_STALE", "IR_STALE", "FRONT_BLOCKED")
        sensors = Sensors(vehicle, [*FRONT, "ir_back_port", "ir_left"])
        sensors.see("ir_back_port", 0.0)
        sensors.see("ir_left", 0.0)
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "sensors that are not fitted or unknown stop nothing")
        assert [source.name for source in vehicle.detail.sources if source.name.startswith("ir_")] == FRONT

        def unfitted():
            statuses = [message.status[0] for message in vehicle.graph.since("/diagnostics", 0.0)]
            values = [value.value for status in statuses for value in status.values if value.key == "unfitted"]
            return int(values[-1]) if values else 0

        sentence = "'hind/ir' of sensor 'ir_left' is ignored, frame_id must be one of: ir_front_port, ir_front_starboard"
        vehicle.wait(lambda: sentence in vehicle.process.output, "an unknown sensor is not reported")
        sentence = "'hind/ir' of sensor 'ir_back_port' is ignored, 'ir.sensors' does not name it: an obstacle that it sees stops nothing"
        vehicle.wait(lambda: sentence in vehicle.process.output, "a sensor that is not fitted is not reported")
        vehicle.wait(lambda: unfitted() > 0, "readings of a sensor that is not fitted are not counted")
        silent = now()
        fitted = sensors.ranges.pop("ir_front_starboard")
        vehicle.wait_for("SSTOP.IR", "WAY_BLOCKED", "IR_STALE", "FRONT_BLOCKED")
        vehicle.stopped_within(0.5, silent, "a sensor is silent")
        published = next(at for at, state in vehicle.graph.messages["/hind/state"] if at > silent and state.data == "SSTOP.IR")
        assert 0.5 - 0.05 < published - silent < 0.5 + SLACK, f"silence stops after {published - silent:.3f} s"
        assert vehicle.source("ir_front_starboard").says == "silent" and vehicle.source("ir_front_port").says == "clear"
        sensors.ranges["ir_front_starboard"] = fitted
        vehicle.wait_for("OK", "NEUTRAL_WAIT")
        vehicle.stays_stopped(0.3, "it measures again, and no zero command came")
        vehicle.drives_again("it measures again")


@pytest.mark.fault("ir-blocked")
def test_the_way_out_is_open():
    """The vehicle may only move straight away from the obstacle."""
    with Vehicle(QUICK) as vehicle:
        sensors = Sensors(vehicle)
        vehicle.start()
        for frame, way_in, way_out, cause in [
            ("ir_front_starboard", 1.0, -1.0, "FRONT_BLOCKED"),
            ("ir_back_port", -1.0, 1.0, "BACK_BLOCKED"),
        ]:
            full = {1.0: 24, -1.0: 156}
            vehicle.set_command(way_in)
            vehicle.wait_for_motors(full[way_in], full[way_in], f"toward {frame}")
            sensors.see(frame, 0.15)
            vehicle.wait_for("SSTOP.IR", "WAY_BLOCKED", cause)
            vehicle.wait_for_motors(STOP, STOP, f"{frame} is blocked")
            assert vehicle.detail.rule == "WAY_BLOCKED"
            vehicle.set_command(way_out)
            vehicle.wait_for("OK", "NEUTRAL_WAIT", cause)
            vehicle.stays_stopped(0.3, f"away from {frame}, and no zero came")
            vehicle.set_command(0.0)
            vehicle.wait_for("OK", cause)
            vehicle.set_command(way_out)
            vehicle.wait_for_motors(full[way_out], full[way_out], f"away from {frame}")
            vehicle.set_command(0.0, 1.0)
            vehicle.wait_for("SSTOP.IR", "WAY_BLOCKED", cause)
            vehicle.wait_for_motors(STOP, STOP, f"a turn before {frame}")
            sensors.see(frame, 1.0)
            vehicle.set_command()
            vehicle.wait_for("OK")


@pytest.mark.fault("ir-blocked")
def test_a_wheel_that_still_turns_toward_it_stops_at_once():
    """The command leads away already, and the slope would take a third of a second."""
    with Vehicle({**QUICK, "accel": 200.0, "decel": 200.0}) as vehicle:
        sensors = Sensors(vehicle)
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        vehicle.set_command(-1.0)
        vehicle.wait(lambda: vehicle.motors[0] > 24, "it does not brake")
        start = now()
        sensors.see("ir_front_port", 0.15)
        sensors.timer.reset()  # published within 0.02 s
        vehicle.stopped_within(0.02, start, "a wheel turns toward the obstacle")
        reported = [message.data for message in vehicle.graph.since("/motor/port", start - 0.1)]
        turned = STOP - reported[reported.index(STOP) - 1]
        assert turned > 10, f"the slope had brought it to rest before: {reported}"


def test_a_sensor_that_is_fast_does_not_hide_one_that_is_slow():
    """The clear readings of one sensor do not clear the other one."""
    with Vehicle({"ir.sensors": FRONT, "ir.timeout": 0.6}) as vehicle:
        fast, slow = Flicker(vehicle), Flicker(vehicle, FRONT[1])
        fast.clear(200.0)
        slow.clear(10.0)
        vehicle.half_ahead()
        slow.send(10.0, [BLOCKED, CLEAR])
        vehicle.wait_for_motors(STOP, STOP, "the slow sensor is blocked")
        vehicle.stays_stopped(1.0, "the slow sensor flickers")


@pytest.mark.fault("ir-silent")
def test_an_old_measurement_does_not_count_from_its_arrival():
    """A clear reading that is 0.2 s old counts as silent 0.1 s after its arrival, not 0.3 s."""
    with Vehicle({"ir.sensors": FRONT[:1], "ir.timeout": 0.3}) as vehicle:
        message = Range(min_range=0.1, max_range=5.0, range=1.0)
        message.header.frame_id = FRONT[0]
        publisher = vehicle.graph.node.create_publisher(Range, "/hind/ir", 10)
        age = 0.0

        def send():
            stamp = now() - age
            message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
            publisher.publish(message)

        timer = vehicle.graph.node.create_timer(0.02, send)
        vehicle.half_ahead()
        age = 0.2
        time.sleep(0.05)  # one of these was sent
        sent = now()
        timer.cancel()
        vehicle.stopped_within(0.3 - 0.2, sent, "silence after a measurement that was 0.2 s old")
        age = 0.0
        timer.reset()
        vehicle.wait_for("OK", "NEUTRAL_WAIT")
        vehicle.drives_again("it measures again")
