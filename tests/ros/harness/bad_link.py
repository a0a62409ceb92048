"""Every way to stop, over a link between two hosts that is bad."""

import time

from graph import act_until
from hosts import attempt


def every_stop(vehicle, operator, topic, queue, lease):
    """All that the operator sends comes over a bad link: each way to stop still stops, and neither that link nor the good one moves anything."""
    def full_ahead():
        """Drives over the good link, after all that a stop may require."""
        operator.order(topic=topic, linear=0.0, estop=False, enable=False)
        is_received = lambda: vehicle.source("hind/estop").says == "released" and vehicle.source("hind/enable").says == "false"  # noqa: E731
        vehicle.wait(is_received, "the switches are not received", 20.0)

        def switch():
            if vehicle.state == "ESTOP":
                vehicle.reset()
            operator.order(enable=False)
            operator.order(enable=True)

        act_until(vehicle.graph, switch, lambda: vehicle.state == "OK", lambda: f"it is not enabled: {vehicle.causes}", 20.0)
        vehicle.wait_for("OK", timeout=20.0)  # a zero is received
        operator.order(linear=1.0)
        vehicle.wait_for_motors(24, 24, "full ahead from the other host")

    def drive():
        # hindbrain's zero may be a stage's own, and the stage that discovers the command after its zero waits for one more.
        attempt(full_ahead)
        operator.lose_link()
        return time.time()

    stops = {
        "the e-stop is pressed": ({"estop": True}, 0.25),
        "enable is false": ({"enable": False}, lease),
        "the commands end": ({"linear": None}, 0.5 + 66 / 800),
    }
    for what, (order, silence) in stops.items():
        lost = drive()
        time.sleep(1.0)
        start = time.time()
        operator.order(**order)
        # What is lost is repeated, and its silence is a stop too.
        vehicle.stopped_within(queue + silence, start, what)
        vehicle.stays_stopped(1.5, what)
        operator.link("good")
        vehicle.stays_stopped(1.0, f"{what}, and the link is good")
        never_starts(vehicle, lost)
    lost = drive()
    time.sleep(1.0)
    vehicle.process.stop()
    assert vehicle.motors == (90, 90), f"after SIGTERM the motors have {vehicle.motors}"
    never_starts(vehicle, lost)


def never_starts(vehicle, since):
    """Checks that the motors got nothing but full ahead and less of it since then, and after a stop nothing else."""
    for side in ("port", "starboard"):
        values = [message.data for message in vehicle.graph.since(f"/motor/{side}", since)]
        assert values == sorted(values) and set(values) <= set(range(24, 91)), f"{side} got {values}"
