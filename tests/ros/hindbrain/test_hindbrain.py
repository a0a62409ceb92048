"""hindbrain over real DDS, alone: commands, switches, latches and its reports."""

import statistics
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from graph import LATCHED, SLACK, STOP
from hindbrain_msgs.msg import Leds, StateDetail
from std_msgs.msg import Bool, String
from vehicle import Vehicle, now, second_publisher

WHITE, RED, OFF = (1.0, 1.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@pytest.mark.parametrize("message_type", [Twist, TwistStamped])
def test_a_command_of_either_type_drives(message_type):
    with Vehicle(command=message_type) as vehicle:
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        # Half of full is level 33; a turn to the left makes the port wheel the slower one: 0.5 - 0.25 and 0.5 + 0.25.
        vehicle.set_command(0.5, 0.25)
        vehicle.wait_for_motors(90 - 16, 90 - 49, "a curve to the left")
        vehicle.set_command(0.0, -1.0)
        vehicle.wait_for_motors(24, 156, "a turn to the right in place")


def test_what_two_driven_sides_cannot_do_is_named_while_it_stands():
    """A command of a base that moves sideways, or in another frame."""
    with Vehicle() as vehicle:
        vehicle.graph.subscribe(DiagnosticStatus, "/why", LATCHED)
        vehicle.graph.subscribe(DiagnosticArray, "/diagnostics")
        vehicle.start()
        start = now()
        vehicle.command.twist.linear.y = 0.5
        named = "linear.y is 5e-1, must be from -0.02 to 0.02 m/s"
        logged = lambda: [line for line in vehicle.process.lines if f"'/cmd_vel' only linear.x and angular.z are followed: {named}" in line]  # noqa: E731
        vehicle.wait(logged, "the part is not logged")
        why = lambda: (last := vehicle.graph.last("/why")) and last.message  # noqa: E731
        sentence = "cmd_vel asks for linear.y, which two driven sides cannot do. Send linear.x and angular.z."
        vehicle.wait(lambda: why() == sentence, why)
        statuses = lambda: [s for _, m in vehicle.graph.messages["/diagnostics"] for s in m.status if s.name == "hindbrain"][-1:]  # noqa: E731
        has = lambda level, text: any(s.level == level and text in s.message for s in statuses())  # noqa: E731
        vehicle.wait(lambda: has(DiagnosticStatus.WARN, named), statuses)
        assert vehicle.state == "OK" and set(vehicle.values(start)) == {STOP}
        assert len(logged()) <= 2 + (now() - start), "more than one line a second"
        vehicle.command.twist.linear.y = 0.0
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "ahead")
        vehicle.wait(lambda: has(DiagnosticStatus.OK, "OK"), statuses)


@pytest.mark.fault("enable-old")
def test_an_old_enable_does_not_arm_a_new_node():
    """A publisher with durability transient local would start a vehicle whose hindbrain was restarted."""
    with second_publisher(Bool, "/hind/enable", LATCHED) as switch:
        switch.publish(Bool(data=True))
        with Vehicle() as vehicle:
            vehicle.set_command()
            vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
            vehicle.wait(lambda: switch.get_subscription_count() > 0, "hindbrain does not subscribe to enable")
            found = now()
            # Two details later an old message would have come.
            vehicle.wait(lambda: len(vehicle.graph.since("/hind/state_detail", found)) >= 2, "no details")
            assert vehicle.source("hind/enable").age == -1.0, "an old enable was received"
            vehicle.set_command(1.0)
            vehicle.wait(lambda: vehicle.source("cmd_vel").says == "move", "the command is not received")
            assert set(vehicle.values(found)) == {STOP}
            # Nor does a switch that was on before and repeats it: the rise has to be received.
            vehicle.set_command(0.0)
            switch.publish(Bool(data=True))
            vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
            vehicle.set_command(1.0)
            vehicle.stays_stopped(0.3, "a switch that was on before")
            vehicle.set_command(0.0)
            for on in (False, True):
                switch.publish(Bool(data=on))
            vehicle.wait_for("OK")
            vehicle.drives_again("it fell and rose")


@pytest.mark.fault("enable-old")
def test_an_enable_that_is_repeated_does_not_arm_a_node_that_was_restarted():
    with Vehicle() as vehicle:
        vehicle.set_command()
        vehicle.enable(False)
        timer = vehicle.hold_enable(True)
        vehicle.wait_for("OK")
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "half ahead")
        vehicle.process.stop()
        start = now()
        vehicle.process = vehicle.begin()
        vehicle.wait(lambda: vehicle.was_received("hind/enable", start), "the repeated enable is not received", 10.0)
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.set_command(0.0)
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.5, "a switch that repeats true")
        vehicle.switch.data = False
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
        vehicle.switch.data = True
        vehicle.drives_again("it fell and rose")
        timer.cancel()


@pytest.mark.fault("command-stale")
def test_a_stamp_makes_a_command_older_and_never_fresher():
    age = 0.35

    def stamp():
        time_ = now() - age
        vehicle.command.header.stamp.sec, vehicle.command.header.stamp.nanosec = int(time_), int(time_ % 1 * 1e9)

    with Vehicle() as vehicle:
        vehicle.graph.node.create_timer(0.01, stamp)
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "a command of 0.35 s is not too old")
        vehicle.fall_silent()
        last = now()
        vehicle.wait_for_motors(STOP, STOP, "silence")
        braked = next(at for at, message in vehicle.graph.messages["/motor/port"] if at > last and message.data > 24)
        assert braked - last < 0.15 + SLACK, f"it counts for {braked - last:.3f} s more, not for 0.15 s"

        vehicle.set_command(0.0)
        vehicle.commands.reset()
        vehicle.wait_for("OK")
        for age, sentence in [(2.0, "s old, must be less than 0.5 s"), (-5.0, "s ahead of this machine's clock, must be ")]:
            start = now()
            vehicle.set_command(1.0)
            vehicle.wait(lambda: sentence in vehicle.process.output, f"a command of {age} s is not reported")
            vehicle.wait_for("OK", "CMD_STALE", "CMD_INVALID")
            assert set(vehicle.values(start)) == {STOP}, f"a command of {age} s drives"


@pytest.mark.fault("estop-silent")
def test_a_required_estop_must_publish_in_time():
    with Vehicle({"estop.required": True}) as vehicle:
        vehicle.set_command()
        vehicle.wait_for("ESTOP", "ESTOP_STALE", "ESTOP_LATCHED", "NOT_ENABLED")
        start = now()
        vehicle.reset()
        vehicle.wait_until_received("hind/reset", start)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED", "NOT_ENABLED")
        vehicle.enable()
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.reset()
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        assert set(vehicle.values(0.0)) == {STOP}
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")

        vehicle.estop_timer.cancel()
        last = now()  # the last heartbeat was up to 0.05 s before
        took = vehicle.stopped_within(0.25, last, "silence")
        assert took > 0.25 - 0.05 - 0.02, f"silence stops after {took:.3f} s"
        latched = last + took
        vehicle.wait_for("ESTOP", "ESTOP_STALE", "ESTOP_LATCHED")
        # A late message clears the cause, not the latch, and is soon stale again.
        vehicle.graph.publish("/hind/estop", Bool(data=False))
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.wait_for("ESTOP", "ESTOP_STALE", "ESTOP_LATCHED")
        assert set(vehicle.values(latched)) == {STOP}
        vehicle.estop_timer.reset()
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.enable()
        vehicle.set_command(0.0)
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.3, "it publishes again, enable and a zero, and no reset")
        vehicle.restart()
        vehicle.drives_again("it publishes again")


@pytest.mark.fault("reset-jammed")
def test_only_a_press_and_a_release_after_the_cause_reset():
    with Vehicle({"estop.timeout": 2.0}) as vehicle:
        button = lambda down: vehicle.graph.publish("/hind/reset", Bool(data=down))
        vehicle.fit_estop()
        vehicle.start()

        def stays_latched(what):
            start = now()
            button(False)
            vehicle.wait_until_received("hind/reset", start)
            vehicle.enable()
            vehicle.set_command(0.0)
            vehicle.set_command(0.5)
            vehicle.stays_stopped(0.2, what)
            assert vehicle.state == "ESTOP" and vehicle.causes == {"ESTOP_LATCHED"}, f"{what} resets: {vehicle.detail}"

        start = now()
        button(True)  # jammed before anything happened
        vehicle.wait_until_received("hind/reset", start)
        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED", "ESTOP_PRESSED")
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        stays_latched("a jammed button")

        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED", "ESTOP_PRESSED")
        start = now()
        button(True)  # pressed too early
        vehicle.wait_until_received("hind/reset", start)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        stays_latched("a button that was pressed together with the e-stop")

        start = now()
        button(True)
        vehicle.wait_until_received("hind/reset", start)
        assert vehicle.state == "ESTOP", "a press alone resets"
        button(False)
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        assert vehicle.detail.rule == "NOT_ARMED"
        vehicle.half_ahead()


@pytest.mark.fault("reset-jammed")
def test_a_reset_button_that_is_down_at_the_start_resets_nothing():
    """It was pressed for another process's stop, and a press that was refused must not count after a restart."""
    with Vehicle() as vehicle:
        down = Bool(data=True)
        timer = vehicle.graph.repeat("/hind/reset", down, 20.0)
        vehicle.wait(lambda: vehicle.detail and vehicle.source("hind/reset").says == "pressed", "the button is not received")
        vehicle.estop(False)
        vehicle.wait(lambda: "ESTOP_LATCHED" in vehicle.causes, "the e-stop is not received")
        down.data = False
        vehicle.wait(lambda: vehicle.source("hind/reset").says == "released", "its release is not received")
        vehicle.stays_stopped(0.2, "a button that was down at the start")
        assert vehicle.state == "ESTOP"
        vehicle.graph.node.destroy_timer(timer)
        vehicle.restart()


def test_the_lights_show_the_state():
    def lights():
        message = vehicle.graph.last("/hind/leds")
        groups = (message.rings_even, message.rings_odd, message.strips_even, message.strips_odd)
        assert all(color.a == 1.0 for color in groups)
        return [(color.r, color.g, color.b) for color in groups], round(message.blink, 3)

    def show(colors, blink):
        vehicle.wait(lambda: lights() == (colors, blink), lambda: f"the lights are {lights()} at {vehicle.state}")

    with Vehicle() as vehicle:
        vehicle.wait(lambda: vehicle.graph.last("/hind/leds"), "no lights")
        show([WHITE, RED, RED, RED], 0.0)
        vehicle.start()
        show([WHITE, WHITE, RED, OFF], 0.0)
        vehicle.estop(True)
        show([RED, RED, RED, RED], 0.1)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.reset()
        show([WHITE, RED, RED, RED], 0.0)


def test_motor_values_keep_their_rate_at_rest_and_whatever_the_commands_rate():
    with Vehicle() as vehicle:
        start = now()
        time.sleep(0.7)
        vehicle.set_command()
        vehicle.commands.timer_period_ns = 100_000_000  # 10 Hz
        time.sleep(0.7)
        for side in ("port", "starboard"):
            times = [at for at, _ in vehicle.graph.messages[f"/motor/{side}"] if at >= start]
            gaps = [after - before for before, after in zip(times, times[1:])]
            # 50 Hz or more: the median, since a busy machine delays some; half of all must come in any case.
            assert statistics.median(gaps) < 0.021, f"{side}: median gap {statistics.median(gaps):.4f} s"
            assert len(times) >= 35, f"{side}: {len(times)} values in 1.4 s"
        assert set(vehicle.values(start)) == {STOP}


def test_the_state_is_published_on_change_and_twice_a_second():
    with Vehicle() as vehicle:
        start = now()
        time.sleep(1.7)
        times = [at for at, _ in vehicle.graph.messages["/hind/state"] if at >= start]
        gaps = [after - before for before, after in zip(times, times[1:])]
        assert 2 <= len(times) <= 5, f"{len(times)} states in 1.7 s without a change"
        assert 0.45 < statistics.median(gaps) < 0.6, f"gaps {gaps}"
        vehicle.start()
        change = now()
        vehicle.enable(False)
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
        published = next(at for at, state in vehicle.graph.messages["/hind/state"] if at >= change and state.data == "SSTOP.ROS")
        assert published - change < 0.25, f"the change was published after {published - change:.3f} s"


def test_the_first_state_has_its_cause_and_begins_with_the_node():
    with Vehicle() as vehicle:
        first = vehicle.graph.since("/hind/state_detail", 0.0)[0]
        assert (first.state, first.rule) == ("SSTOP.ROS", "NOT_ENABLED") and first.since < 10.0, first


def test_a_late_joiner_receives_what_was_published_before():
    def first_to_come(message_type, topic):
        """How much older the first message that a new subscription gets is than the subscription [s]."""
        joined, came = now(), []
        vehicle.graph.node.create_subscription(message_type, topic, lambda _, info: came.append(info), LATCHED)
        vehicle.wait(lambda: came, f"nothing on {topic}")
        return joined - came[0]["source_timestamp"] / 1e9

    with Vehicle() as vehicle:
        for message_type, topic in [(String, "/hind/state"), (StateDetail, "/hind/state_detail"), (Leds, "/hind/leds")]:
            # More than once: the state is repeated every 0.5 s, and that may come between the two.
            assert any(first_to_come(message_type, topic) > 0.0 for _ in range(4)), f"{topic} lets a late joiner wait"


def test_the_details_name_every_cause_and_source():
    with Vehicle({"estop.timeout": 2.0, "ir.sensors": ["ir_front_port"], "ir.timeout": 2.0}) as vehicle:
        standing = {"NOT_ENABLED", "CMD_STALE", "IR_STALE", "FRONT_BLOCKED"}
        vehicle.wait_for("SSTOP.ROS", *standing)
        detail = vehicle.detail
        names = ["cmd_vel", "hind/enable", "hind/estop", "hind/reset", "ir_front_port"]
        assert [source.name for source in detail.sources] == names
        assert [source.age for source in detail.sources] == [-1.0] * 5
        assert [source.says for source in detail.sources] == ["nothing", "nothing", "nothing", "nothing", "silent"]
        assert [source.name for source in detail.sources if source.blocks] == ["cmd_vel", "hind/enable", "ir_front_port"]
        assert all(cause.text for cause in detail.causes), detail.causes
        assert [cause.name for cause in detail.causes] == ["NOT_ENABLED", "CMD_STALE", "FRONT_BLOCKED", "IR_STALE"]
        assert (detail.rule, detail.fault, detail.profile, detail.port, detail.starboard) == ("NOT_ENABLED", False, "strict", STOP, STOP)

        vehicle.set_command(1.0)
        # The unseen area is ahead of it; no command went there before.
        standing = standing - {"CMD_STALE"} | {"WAY_BLOCKED"}
        vehicle.wait_for("SSTOP.BOTH", *standing)
        assert vehicle.detail.rule == "NOT_ENABLED"
        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_PRESSED", "ESTOP_LATCHED", *standing)
        assert (vehicle.detail.rule, vehicle.detail.fault) == ("ESTOP_PRESSED", False)
        pressed = now()

        def publishers():
            return {source.name: source.publishers for source in vehicle.detail.sources}

        vehicle.wait(lambda: publishers()["hind/estop"] == ["/observer"], lambda: f"publishers are {publishers()}")
        vehicle.wait(lambda: publishers()["cmd_vel"] == ["/observer"], lambda: f"publishers are {publishers()}")
        assert publishers()["hind/reset"] == []
        assert vehicle.source("hind/estop").says == "pressed" and vehicle.source("hind/estop").blocks
        assert vehicle.source("cmd_vel").says == "move"
        assert 0.0 <= vehicle.source("hind/estop").age < 1.0, "it is pressed 20 times a second"
        assert abs(vehicle.detail.since - (now() - pressed)) < 1.0
