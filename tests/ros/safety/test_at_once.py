"""Events after which docs/safety.md says "at once", one of each part that stops, in one process and in four: compared with a bare relay."""

import contextlib

import pytest
from at_once import PERIOD, Once, reads_seldom, stops_at_once
from graph import LATCHED
from hindbrain_msgs.msg import StateDetail
from rclpy.duration import Duration
from sensor_msgs.msg import Range
from stack import Stack
from std_msgs.msg import Bool
from vehicle import now, second_publisher

# Quick ramps, a sensor that is clear again soon, an e-stop that a busy machine does not lose, and a lock above the stick. From full speed to zero takes 0.01 s.
PARAMETERS = {
    "hindbrain:accel": 1000.0,
    "hindbrain:decel": 6600.0,
    "hindbrain:ir.sensors": "[ir_front_port]",
    "hindbrain:ir.timeout": 0.15,
    "hindbrain:estop.timeout": 2.0,
    "velocity_arbiter:locks.door.topic": "/door",
    "velocity_arbiter:locks.door.priority": 150,
}
# A brake takes the ramp, and ends with the next tick of 20 ms: half of it on average.
BRAKE = 0.01 + 0.01


class Vehicle(Stack):
    """The drive chain with all that can stop it, at rest and not stopped by any of them."""

    def __init__(self, composed):
        super().__init__(composed, [text for name, value in PARAMETERS.items() for text in ("-p", f"{name}:={value}")])
        self.button, self.door = Bool(), Bool()
        self.obstacle = Range(min_range=0.1, max_range=5.0, range=1.0)
        self.obstacle.header.frame_id = "ir_front_port"
        for topic, message in (("/hind/estop", self.button), ("/door", self.door), ("/hind/ir", self.obstacle)):
            self.graph.repeat(topic, message, 20.0)
        self.graph.record(StateDetail, "/hind/state_detail", LATCHED)
        self.second = contextlib.ExitStack()

    def unlatch_first(self):
        """Ends the emergency stop that the first message of the e-stop is."""
        self.wait_for_state("ESTOP")
        self.unlatch()

    # -------------------------------------------------------------------------------------------------- events
    def press(self):
        self.button.data = True
        self.graph.publish("/hind/estop", self.button)

    def release(self):
        self.wait_for_state("ESTOP")
        self.button.data = False
        self.unlatch()

    def disable(self):
        self.graph.publish("/hind/enable", Bool(data=False))

    def speak_twice(self):
        """A second switch publishes as soon as hindbrain discovers it: the next count of publishers would come half of 0.1 s later."""
        second = self.second.enter_context(second_publisher(Bool, "/hind/enable", context=self.graph.context))
        self.graph.wait(lambda: second.get_subscription_count() > 0, "hindbrain does not subscribe")
        while True:  # the first ones are lost until hindbrain knows it too
            start = now()
            second.publish(Bool(data=True))
            if second.wait_for_all_acked(Duration(seconds=0.005)):
                return start

    def speak_once(self):
        self.second.close()
        conflicts = lambda: "ENABLE_CONFLICT" in {cause.name for cause in self.graph.last("/hind/state_detail").causes}
        self.graph.wait(lambda: not conflicts(), "the conflict does not end")

    def block(self):
        self.obstacle.range = 0.15
        self.graph.publish("/hind/ir", self.obstacle)

    def clear(self):
        self.wait_for_state("SSTOP.IR")
        self.obstacle.range = 1.0
        self.wait_for_state("OK")

    def let_go(self):
        self.stick(1.0, drive=False)

    def close_zone(self):
        self.scaling.front_fb = 0.0
        self.graph.publish("/luci/scaling", self.scaling)

    def open_zone(self):
        self.scaling.front_fb = 1.0

    def close_lock(self):
        self.door.data = True
        self.graph.publish("/door", self.door)

    def open_lock(self):
        self.door.data = False


# The number of separate processes on the way to the motors, the event, its end, and whether the motors brake.
EVENTS = {
    "the e-stop is pressed": (1, Vehicle.press, Vehicle.release, False),
    "enable is false": (1, Vehicle.disable, None, False),
    "a second publisher of enable publishes": (1, Vehicle.speak_twice, Vehicle.speak_once, False),
    "an infra-red sensor is blocked": (1, Vehicle.block, Vehicle.clear, False),
    "the dead-man button is released": (4, Vehicle.let_go, None, True),
    "the stick is unplugged": (4, Vehicle.unplug, None, True),
    "a zone's factor falls": (2, Vehicle.close_zone, Vehicle.open_zone, True),
    "a lock is closed": (3, Vehicle.close_lock, Vehicle.open_lock, True),
}


@contextlib.contextmanager
def vehicle(composed):
    vehicle = Vehicle(composed)
    try:
        vehicle.ready().unlatch_first()
        yield vehicle
    finally:
        vehicle.close()


def play(vehicle, event, composed, around=lambda act: act(), **rest):
    hops, act, undo, brakes = EVENTS[event]
    stops_at_once(
        vehicle.graph,
        1 if composed else hops,
        vehicle.drive_forward,
        lambda: around(lambda: act(vehicle)),
        event,
        (lambda: undo(vehicle)) if undo else (lambda: None),
        allowance=BRAKE if brakes else 0.0,
        **rest,
    )


@pytest.mark.fault("estop-pressed", "enable-false", "enable-conflict", "ir-blocked", "dead-man-released", "stick-unplugged", "lock-opened", "zone-opens")
@pytest.mark.few
@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
@pytest.mark.parametrize("event", EVENTS)
def test_the_motors_stop_at_once(event, composed):
    with vehicle(composed) as one:
        play(one, event, composed)


@pytest.mark.few
@pytest.mark.parametrize("event", ["an infra-red sensor is blocked", "a lock is closed"])
def test_a_node_that_reads_every_tenth_of_a_second_does_not_stop_at_once(event):
    """The measure itself: hindbrain runs for a moment once in 0.1 s."""
    with vehicle(composed=False) as one:
        seldom = lambda trial: reads_seldom([one.processes["hindbrain"]])
        with pytest.raises(AssertionError, match="not at once"):
            play(one, event, composed=False, faulty=seldom)


@pytest.mark.few
@pytest.mark.parametrize("event", ["an infra-red sensor is blocked", "a lock is closed"])
def test_a_node_that_is_late_by_a_tenth_of_a_second_once_in_nine_times_does_not_stop_at_once(event):
    """The measure itself: the median does not show it."""
    with vehicle(composed=False) as one:
        once = Once([one.processes["hindbrain"]], trial=4, time_=PERIOD)
        with pytest.raises(AssertionError, match="single ones took more ms than allowed"):
            play(one, event, composed=False, around=once.around, faulty=once.faulty)
