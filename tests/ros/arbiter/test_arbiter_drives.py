"""Who drives, over real DDS: nothing lost and nothing let through at 1 kHz, ages of stamps, limits and hand-over, reasons."""

import math
import time

import pytest
from arbiters import NAVIGATION, OUTPUT, Arbiter, named
from geometry_msgs.msg import TwistStamped
from rclpy.qos import QoSProfile
from std_msgs.msg import Bool

SOURCES = 5
DEEP = QoSProfile(depth=1000)
# How many of the winner's may be on their way: when one process stands still for a moment, the other one's messages would
# otherwise overflow its socket.
MOST_UNDER_WAY = 20


@pytest.mark.pair
@pytest.mark.parametrize("executable", ["velocity_arbiter", "steersman"])
def test_at_1_khz_on_five_sources_the_winners_commands_go_out_each_and_no_others(executable):
    parameters, seconds = {}, 5
    for number in range(SOURCES):
        parameters |= named(f"sources.s{number}", topic=f"/s{number}", type="twist_stamped", priority=10 + number, timeout=1.5)
    with Arbiter(parameters, executable) as arbiter:
        node = arbiter.graph.node
        published = []  # except zeros, which the arbiter repeats before the first command

        def received(message):
            if message.twist.linear.x != 0.0:
                published.append(message.twist.linear.x)

        node.create_subscription(TwistStamped, OUTPUT, received, DEEP)
        publishers = [node.create_publisher(TwistStamped, f"/s{number}", DEEP) for number in range(SOURCES)]
        winner = publishers[-1]
        arbiter.wait(lambda: all(p.get_subscription_count() == 1 for p in publishers), "there is no subscriber", 10.0)
        message = TwistStamped()

        def publish(publisher, speed):
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns(), 1_000_000_000)
            message.twist.linear.x = speed
            publisher.publish(message)

        arbiter.wait(lambda: [publish(winner, 0.0)] and arbiter.active and arbiter.active[0] == "s4", "the winner is not received")
        time.sleep(0.3)
        start, sent = time.monotonic(), 0
        while sent < seconds * 1000:
            while sent - len(published) >= MOST_UNDER_WAY:
                assert time.monotonic() < start + 2.0 * seconds, f"{sent} sent, {len(published)} came"
                time.sleep(0.001)
            sent += 1
            publish(winner, float(sent))
            for number, publisher in enumerate(publishers[:-1]):
                publish(publisher, -1.0 - number)
            time.sleep(max(0.0, start + sent / 1000.0 - time.monotonic()))
        arbiter.wait(lambda: len(published) >= sent, lambda: f"{sent} sent, {len(published)} came")
        assert published == [float(number + 1) for number in range(sent)]
        # Another source may drive only after the winner has fallen silent.
        arbiter.wait(lambda: arbiter.active[0] in ("nobody", "joystick"), "the winner is not lost")


class Source:
    """Publishes `speed` 50 times a second, stamped so far ahead of now [s], and zeros first; an `ahead` of None is no stamp."""

    def __init__(self, arbiter, topic, speed, ahead=0.0):
        self.speed, self.ahead, self.sent = speed, ahead, 0
        self.publisher = arbiter.graph.node.create_publisher(TwistStamped, topic, 10)
        self.timer = arbiter.graph.node.create_timer(0.02, self._publish)

    def _publish(self):
        message = TwistStamped()
        self.sent = self.sent + 1 if self.publisher.get_subscription_count() else 0
        if self.ahead is not None:
            stamp = time.time_ns() + int(self.ahead * 1e9)
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
        message.twist.linear.x = self.speed if self.sent > 10 else 0.0
        self.publisher.publish(message)

    def zero(self):
        self.sent = 0


DOCK = named("sources.dock", topic="/dock", type="twist_stamped", priority=20)


LOST = "waits for a zero: it was lost while it asked for motion"
OTHER_LOST = "waits for a zero: another source, or a lock, was lost"


def reason(arbiter, source, text):
    arbiter.wait(lambda: arbiter.active[1].get(source) == text, f"the report of {source} must be: {text}")


def test_a_source_with_a_lagging_clock_takes_over_at_once():
    """A command that later stages would judge late by its stamp goes out without one."""
    with Arbiter({**NAVIGATION, **DOCK}) as arbiter:
        navigation = Source(arbiter, "/nav", 0.8, ahead=0.09)
        arbiter.drives("navigation", 0.8)
        start = time.monotonic()
        dock = Source(arbiter, "/dock", -0.8, ahead=-0.3)
        arbiter.drives("dock", -0.8)
        time.sleep(1.0)
        stamps = [(m.header.stamp.sec, m.header.stamp.nanosec) for m in arbiter.graph.since(OUTPUT, start)]
        newest = (0, 0)
        for stamp in stamps:
            assert stamp == (0, 0) or stamp >= newest, f"{stamp} after {newest}"
            newest = max(newest, stamp)
        assert (0, 0) in stamps and stamps[-1] != (0, 0), "it is stamped again once its clock has passed the other's"
        assert navigation.publisher and dock.publisher


def test_a_stamp_makes_a_command_older_and_never_fresher():
    with Arbiter({**NAVIGATION, **DOCK}) as arbiter:
        dock = Source(arbiter, "/dock", 0.3)
        arbiter.drives("dock", 0.3)
        for ahead, reported in ((-0.6, "sent a command that is too old"), (0.3, "sent a command from the future"), (-3600.0, "sent a command that is too old")):
            dock.ahead = ahead
            reason(arbiter, "dock", reported)
            arbiter.wait(lambda: arbiter.last == 0.0, "no zero came")
            arbiter.wait(lambda: arbiter.active[0] == "nobody", "a source drives")
            dock.ahead = None
            reason(arbiter, "dock", LOST)
            dock.zero()
            arbiter.drives("dock", 0.3)  # without a stamp it is judged by its arrival
            dock.ahead = -0.4
            time.sleep(0.2)
            arbiter.drives("dock", 0.3)
        # 0.4 s old when it comes: 0.1 s are left of 0.5.
        dock.timer.cancel()
        start = time.monotonic()
        arbiter.wait(lambda: arbiter.last == 0.0, "it drives on")
        assert time.monotonic() - start < 0.3
        reason(arbiter, "dock", "timed out")
        dock.timer.reset()
        reason(arbiter, "dock", LOST)


def test_it_is_reported_why_a_source_does_not_drive_and_since_when_one_does():
    with Arbiter({**NAVIGATION, **DOCK, **named("locks.door", topic="/door", priority=15, timeout=0.3)}) as arbiter:
        nobody = ("nobody", {"dock": "never received", "joystick": "never received", "navigation": "never received"})
        arbiter.wait(lambda: arbiter.active == nobody, "a source was received")
        assert arbiter.locks == {"door": "silent, counts as closed"}
        arbiter.wait(lambda: "lock door silent, counts as closed on /door" in arbiter.process.output, "the log does not name the lock's topic")
        navigation = Source(arbiter, "/nav", 0.1)
        reason(arbiter, "navigation", "locked by door")
        arbiter.wait(lambda: navigation.sent > 20, "it does not ask for motion")
        door = arbiter.graph.repeat("/door", Bool(data=False), 20.0)
        arbiter.wait(lambda: arbiter.locks == {"door": "open"}, "an open lock is not reported")
        reason(arbiter, "navigation", OTHER_LOST)
        navigation.zero()
        before = time.time()
        arbiter.drives("navigation", 0.1)
        dock = Source(arbiter, "/dock", 0.3)
        arbiter.drives("dock", 0.3)
        reason(arbiter, "navigation", "outranked by dock")
        values = {value.key: value.value for value in arbiter.graph.last(arbiter.topic).values}
        assert before < float(values["active since"]) < time.time()
        dock.speed = math.nan
        reason(arbiter, "dock", "sent no valid command")
        reason(arbiter, "navigation", OTHER_LOST)
        navigation.zero()
        arbiter.drives("navigation", 0.1)
        arbiter.graph.stop_repeating(door)
        reason(arbiter, "navigation", "locked by door")
        arbiter.wait(lambda: arbiter.last == 0.0 and arbiter.active[0] == "nobody", "a silent lock is open")
        dock.speed = 0.3
        reason(arbiter, "dock", LOST)
        dock.zero()
        arbiter.drives("dock", 0.3)  # of higher priority than the lock


LIMITS = {"limits.linear.x.acceleration": 1.0, "limits.linear.x.deceleration": 1.0, "limits.linear.x.jerk": 10.0, "limits.linear.x.max": 0.8}


@pytest.mark.fault("source-begins")
def test_a_hand_over_is_on_the_way_within_the_limits_and_a_stop_is_at_once():
    patient = {"sources.navigation.timeout": 3.0, "sources.dock.timeout": 3.0}  # on a busy computer a silence would be a loss
    with Arbiter({**NAVIGATION, **DOCK, **LIMITS, **patient}) as arbiter:
        arbiter.graph.record(TwistStamped, OUTPUT)

        def way():
            return [(at, message.twist.linear.x) for at, message in arbiter.graph.messages[OUTPUT]]

        navigation = Source(arbiter, "/nav", 0.2)
        arbiter.drives("navigation", 0.2)
        time.sleep(5.0)  # after it the other one may begin with motion
        dock = Source(arbiter, "/dock", 2.0)
        dock.sent = 10
        start = time.time()
        arbiter.drives("dock", 0.8)
        rise = [(at, speed) for at, speed in way() if at > start]
        speeds = [speed for _, speed in rise]
        assert speeds == sorted(speeds) and len(set(speeds)) > 20, "it is no ramp"
        # 0.6 m/s at 1 m/s^2, and 0.1 s for its growth and end at 10 m/s^3.
        first, last = rise[0][0], next(at for at, speed in rise if speed == 0.8)
        assert last - first > 0.6, f"from 0.2 to 0.8 m/s in {last - first:.2f} s"
        for (_, a), (_, b) in zip(rise, rise[1:]):
            assert b - a < 0.1, "a jump"
        dock.speed = math.nan
        arbiter.wait(lambda: arbiter.last == 0.0, "it does not stop")
        fall = [speed for at, speed in way() if at > last]
        stop = fall.index(0.0)
        assert set(fall[:stop]) <= {0.8}, f"a stop waits for no limit: {fall[:stop]}"
        navigation.zero()
        arbiter.drives("navigation", 0.2)
        assert arbiter.change({name: 0.0 for name in LIMITS if not name.endswith("max")}) == []
        dock.speed = 0.5
        start = time.time()
        dock.zero()
        arbiter.drives("dock", 0.5)
        assert {speed for at, speed in way() if at > start} <= {0.0, 0.2, 0.5}, "there are no limits any more"
