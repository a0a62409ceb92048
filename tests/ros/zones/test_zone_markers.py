"""The picture of the zones on `~/markers`."""

import time

from luci_messages.msg import LuciZoneScaling
from rclpy.qos import QoSProfile
from visualization_msgs.msg import Marker, MarkerArray
from zones import LUCI, MARKERS, PHYSICAL, Scaler, zones

REQUESTED, GRANTED, TEXT = 8, 9, 10


def watch(scaler):
    scaler.graph.subscribe(MarkerArray, MARKERS, QoSProfile(depth=100))


def picture(scaler):
    message = scaler.graph.last(MARKERS)
    return {marker.id: marker for marker in message.markers} if message else {}


def red(marker):
    """Whether the outer band of a zone has the colour of a blocked one."""
    return marker.colors[0].r > 0.7 and marker.colors[0].g < 0.2


def test_the_zones_and_both_sticks_are_drawn():
    with Scaler({"markers.frame": "chair", "markers.radius": 2.0}) as scaler:
        watch(scaler)
        scaler.scaling(back_right_fb=0.0)
        scaler.stick(-60, -60)
        scaler.wait(lambda: GRANTED in picture(scaler) and picture(scaler)[GRANTED].action == Marker.ADD, "nothing is drawn")
        drawn = picture(scaler)
        assert sorted(drawn) == list(range(11))
        assert [marker.type for marker in drawn.values()] == [Marker.TRIANGLE_LIST] * 8 + [Marker.ARROW] * 2 + [Marker.TEXT_VIEW_FACING]
        assert [zone for zone in range(8) if red(drawn[zone])] == [6], "back right is blocked"
        for marker in drawn.values():
            stamp = marker.header.stamp
            assert abs(stamp.sec + stamp.nanosec / 1e9 - time.time()) < 2.0
            assert (marker.header.frame_id, marker.ns) == ("chair", "zones")
            assert marker.pose.orientation.w == 1.0 and marker.color.a > 0.0
            assert (marker.lifetime.sec, marker.lifetime.nanosec) == (1, 500_000_000)
            assert len(marker.colors) in (0, len(marker.points))
        # Back and left on the stick is back and left in the picture: x is ahead, y to the left.
        tip = drawn[REQUESTED].points[1]
        assert tip.x < -0.1 and tip.y > 0.1
        assert drawn[GRANTED].points[1].x == 0.0 and drawn[GRANTED].points[1].y == tip.y
        outermost = max((p.x**2 + p.y**2) ** 0.5 for zone in range(8) for p in drawn[zone].points)
        assert abs(outermost - 2.0) < 1e-9
        assert drawn[TEXT].text == "back right limits\nscaled"
        # A released stick has no arrow.
        scaler.stick(0, 0)
        scaler.wait(lambda: picture(scaler)[REQUESTED].action == picture(scaler)[GRANTED].action == Marker.DELETE, "an arrow stays")
        assert picture(scaler)[TEXT].action == Marker.ADD


def test_a_picture_is_drawn_ten_times_a_second_at_most():
    with Scaler() as scaler:
        watch(scaler)
        scaler.stick(100, 0)
        scaler.wait(lambda: picture(scaler), "nothing is drawn")
        start, count = time.monotonic(), 0
        while time.monotonic() < start + 2.0:
            count += 1
            scaler.repeated["scaling"] = zones(front_fb=count % 97 / 97)
            time.sleep(0.01)
        drawn = len(scaler.graph.since(MARKERS, start))
        assert 10 <= drawn <= 21, f"{drawn} pictures in two seconds of flicker"


def test_a_picture_that_stays_is_repeated_before_it_fades():
    with Scaler() as scaler:
        scaler.stick(100, 0)
        scaler.wait_for_stick(100, 0, 0, PHYSICAL)
        watch(scaler)  # late
        scaler.wait(lambda: picture(scaler), "a late subscriber receives nothing", 2.0)
        start = time.monotonic()
        time.sleep(3.0)
        times = [at for at, _ in scaler.graph.messages[MARKERS] if at >= start]
        assert 4 <= len(times) <= 8, f"{len(times)} pictures in three seconds"
        assert max(b - a for a, b in zip(times, times[1:])) < 1.2, "it fades"


def test_a_flood_of_scaling_is_drawn_no_faster():
    with Scaler(scaling=False) as scaler:
        watch(scaler)
        scaler.stick(100, 0)
        quick = scaler.graph.node.create_publisher(LuciZoneScaling, "/luci/scaling", LUCI)
        start = time.monotonic()
        for number in range(1000):
            quick.publish(zones(front_fb=number % 97 / 97))
            time.sleep(0.0005)
        drawn = len(scaler.graph.since(MARKERS, start))
        assert drawn <= 10.0 * (time.monotonic() - start) + 2, f"{drawn} pictures"
