"""Node `joystick` with gamepads of evdev, mocked by umockdev: from the connection to the disconnection."""

import time

import pytest
from graph import SLACK
from or_joystick.msg import State
from or_joystick.srv import DeviceList, GetMappings, Rename
from pads import AHEAD, AT_REST, CONNECTED, DEAD_MAN, DESIRED, JOY, LET_GO, XBOX, Mocked, motion, running, skip_without_umockdev, vx

STADIA = "Google_Stadia_Controller"

skip_without_umockdev(allow_module_level=True)


@pytest.fixture
def node(graph):
    """The node without a pad."""
    with running(graph) as node:
        yield node.start()


def test_a_pad_comes_with_its_state_at_rest(graph):
    with running(graph) as node:
        node.do("plug", event=7, pad="xbox")  # before the start
        node.start()
        xbox = node.subscribe(XBOX)
        node.do("plug", event=9, pad="playstation", uniq="a0:5a:5c:01:02:03")
        names = lambda: node.good(DeviceList, "device_list").device_list
        graph.wait(lambda: len(names()) == 2, "the second pad is not there")
        assert names()[0] == XBOX
        playstation = node.subscribe(names()[1])
        reported = graph.last(xbox)
        assert (list(reported.axes), list(reported.buttons)) == (AT_REST, [False] * 11)
        reported = graph.last(playstation)
        # 0 to 255 become -32768 to 32767: 128 is 128 * 257 - 32768
        assert (list(reported.axes), list(reported.buttons)) == ([128, 128, -32768, 128, 128, -32768, 0, 0], [False] * 13)
        for topic in (xbox, playstation):
            stamp = graph.last(topic).ts
            assert abs(stamp.sec + stamp.nanosec * 1e-9 - time.time()) < 5.0, "the time of the plug"
        assert "a0:5a:5c:01:02:03" in node.process.output, "the serial number is not logged"


def test_an_event_is_published_on_every_topic(node):
    topic = node.plug()
    node.drives()
    node.act(hat=[1, -1], axes={5: 255}, buttons={10: 1})
    reported = node.wait(topic, lambda state: state.buttons[10], "the event is not published")
    # The hat's vertical half comes first here: up, then right.
    assert list(reported.axes) == [0, -32768, -32768, 0, 0, 32767, -32768, 32767]
    assert [button for button, down in enumerate(reported.buttons) if down] == [DEAD_MAN, 10]
    # There a button and a hat are published one after the other.
    joy = node.wait(JOY, lambda joy: joy.buttons[10] and joy.axes[7], "the event is not published on joy")
    # On joy left and up are positive, and the horizontal half comes first.
    assert list(joy.axes) == [0.0, 1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 1.0]
    assert [button for button, down in enumerate(joy.buttons) if down] == [DEAD_MAN, 10]
    node.lets_go()
    node.act(axes={AHEAD: -32768})
    node.stays_still(0.2, "without the dead-man nothing drives")


def test_no_short_press_is_lost(node):
    node.plug()
    presses = 60
    node.do("act", event=7, batches=[{"buttons": {2: down}} for _ in range(presses) for down in (1, 0)])
    node.act(buttons={3: 1})
    node.wait(JOY, lambda joy: joy.buttons[3], "the last press is not published")
    held = [joy.buttons[2] for _, joy in node.graph.messages[JOY]]
    assert sum(before < after for before, after in zip(held, held[1:])) == presses


def test_a_rename_moves_the_topic(node):
    old = node.plug()
    node.act(axes={0: 12345})
    before = node.wait(old, lambda state: state.axes[0] == 12345, "the event is not published")
    node.good(Rename, "rename", name=XBOX, newname="left hand")
    assert node.graph.last(node.subscribe("left_hand")) == before, "state and stamp go with it"
    node.wait_for_topic(XBOX, there=False)
    node.act(axes={0: -20000})
    node.wait("/joystick/device/left_hand", lambda state: state.axes[0] == -20000, "the new topic is silent")
    assert node.graph.last(old) == before, "the old one is"


@pytest.mark.fault("stick-unplugged")
def test_a_pad_pulled_out_in_full_drive_stops_the_motion(node, record_property):
    device = node.plug()
    topics = (DESIRED, device, JOY, CONNECTED)
    times = {topic: [] for topic in topics}
    graph = node.graph
    node.act(axes={2: 200, 0: -32768}, buttons={8: 1}, hat=[-1, 0])
    node.drives()
    start = time.time()
    node.do("unplug", event=7)
    node.wait(CONNECTED, lambda reported: not reported.data, "the loss of the pad is not reported")
    node.wait_for_topic(XBOX, there=False)
    after = {topic: [(at, reported) for at, reported in graph.messages[topic] if at >= start] for topic in topics}

    def first(topic, is_let_go):
        """The time of its release, and the messages from then on."""
        reported = [index for index, (_, message) in enumerate(after[topic]) if is_let_go(message)]
        assert reported, f"{topic} has no release: {after[topic]}"
        return after[topic][reported[0]][0], [message for _, message in after[topic][reported[0] :]]

    at_desired, desired = first(DESIRED, lambda desired: not any(motion(desired)))
    at_device, states = first(device, lambda state: list(state.axes) == AT_REST and not any(state.buttons))
    at_joy, joys = first(JOY, lambda joy: not any(joy.buttons) and list(joy.axes) == LET_GO)
    at_connected, _ = first(CONNECTED, lambda reported: not reported.data)
    assert not desired[0].vel, "the first message must report the lost stick"
    assert not any(any(motion(reported)) for reported in desired), "nothing moves after it"
    assert {tuple(reported.axes) for reported in states} == {tuple(AT_REST)}, "the released state is the last"
    assert {tuple(reported.axes) for reported in joys} == {tuple(LET_GO)}, "joy does not stay at rest"
    assert at_desired <= at_device <= at_connected and at_joy <= at_connected, "the motion ends first"
    lags = [round((at - start) * 1e3, 1) for at in (at_desired, at_device, at_joy, at_connected)]
    print(f"from the unplug: desired {lags[0]} ms, device {lags[1]} ms, joy {lags[2]} ms, connected {lags[3]} ms")
    record_property("unplug_ms", lags)
    assert lags[0] < SLACK * 1e3 and max(lags) < 1000.0, lags


@pytest.mark.fault("stick-unplugged-handover")
@pytest.mark.parametrize("gap", [0.0, 0.002, 0.02, 0.1])
def test_a_pad_whose_buttons_the_kernel_releases_before_it_is_gone_is_lost_all_the_same(node, gap):
    node.plug()
    node.drives()
    start = time.time()
    node.do("unplug", event=7, held=[DEAD_MAN], gap=gap)
    node.wait(CONNECTED, lambda reported: not reported.data, "the loss of the pad is not reported")
    node.wait(DESIRED, lambda desired: not desired.vel, "the lost stick is not reported")
    states = [desired for at, desired in node.graph.messages[DESIRED] if at >= start]
    lost = next(index for index, desired in enumerate(states) if not desired.vel)
    assert lost == 0 or states[lost - 1].acc, "the stick counts as released"


def test_a_stick_held_without_a_button_is_let_go_too(node):
    """SDL's last events before it removes a pad are its buttons: here there are none."""
    node.plug()
    node.act(axes={0: -32768, 1: 32767})
    node.wait(JOY, lambda joy: (joy.axes[0], joy.axes[1]) == (1.0, -1.0), "the stick is not published")
    node.do("unplug", event=7)
    node.wait(CONNECTED, lambda reported: not reported.data, "the loss of the pad is not reported")
    node.wait(JOY, lambda joy: list(joy.axes) == LET_GO, "joy is not at rest")


@pytest.mark.fault("pad-comes-back")
def test_a_pad_plugged_in_again_drives_again_and_no_other_one(node):
    node.plug(uniq="one")
    node.drives()
    node.do("unplug", event=7)
    node.wait(CONNECTED, lambda reported: not reported.data, "the loss of the pad is not reported")
    node.wait_for_topic(XBOX, there=False)
    # Another one of the same model has the same name, but another serial number.
    node.plug(event=8, uniq="two")
    node.act(event=8, buttons={DEAD_MAN: 1}, axes={AHEAD: -32768})
    node.stays_still(0.3, "another pad drives")
    assert not node.graph.last(CONNECTED).data
    # The dead-man is held while the pad comes back.
    again = node.plug(event=9, name=f"{XBOX}_1", uniq="one", held=[DEAD_MAN])
    node.wait(CONNECTED, lambda reported: reported.data, "the pad does not drive again")
    assert node.graph.last(again).buttons[DEAD_MAN], "the held button is not published"
    node.act(event=9, axes={AHEAD: -32768})
    node.stays_still(0.3, "a dead-man button that was never released drives")
    node.act(event=9, buttons={DEAD_MAN: 0})
    node.drives(event=9)
    node.lets_go(event=9)


@pytest.mark.fault("pad-drops-out")
def test_a_pad_that_comes_back_beside_its_frozen_device_drives_after_rest_and_a_press(node):
    """A Bluetooth pad drops out while it is deflected; its old device stays, and sends nothing more."""
    node.plug(uniq="a0:5a:5c:01:02:03")
    node.drives()
    start = time.time()
    node.plug(event=8, name=f"{XBOX}_1", uniq="a0:5a:5c:01:02:03", held=[DEAD_MAN], axes={AHEAD: -32768})
    node.wait(DESIRED, lambda desired: vx(desired) == 0.0, "the frozen device drives on")
    assert any(not desired.vel for desired in node.graph.since(DESIRED, start)), "the loss is not published"
    node.stays_still(0.2, "the pad was held when it came back")
    node.lets_go(event=8)
    node.drives(event=8)
    node.lets_go(event=8)
    node.drives(event=8)
    back = time.time()
    node.do("unplug", event=7)
    node.wait_for_topic(XBOX, there=False)
    assert all(vx(desired) > 0.5 for desired in node.graph.since(DESIRED, back)), "the late end of the old device is no loss"
    node.lets_go(event=8)


@pytest.mark.fault("pad-replaced")
def test_a_spare_of_the_named_model_drives_after_the_first_is_gone(graph):
    with running(graph, "control_device:='030000005e0400008e02000010010000'") as node:
        node.start()
        node.plug(uniq="one")
        node.plug(event=8, name=f"{XBOX}_1", uniq="two")
        node.drives()
        node.do("unplug", event=7)
        node.wait_for_topic(XBOX, there=False)
        node.stays_still(0.2, "the spare was not pressed")
        node.drives(event=8)
        node.lets_go(event=8)


def test_a_stick_held_at_its_end_at_the_plug_is_let_go(node):
    """SDL takes a stick that jumps from its end to the middle for a trigger with another rest position, and sends no event."""
    topic = node.plug(axes={AHEAD: -32768, 3: 32767})
    held = [0, -32768, -32768, 32767, 0, -32768, 0, 0]
    node.wait(topic, lambda state: list(state.axes) == held, "the held state is not published")
    node.act(axes={AHEAD: 0, 3: -100})
    node.wait(topic, lambda state: list(state.axes) == [0, 0, -32768, -100, 0, -32768, 0, 0], "it stays held")
    node.wait(JOY, lambda joy: list(joy.axes) == LET_GO, "it stays held on joy")
    node.act(buttons={DEAD_MAN: 1})
    node.stays_still(0.3, "a released stick drives")
    node.act(axes={AHEAD: -32768})
    node.wait(DESIRED, lambda desired: vx(desired) > 0.5, "the stick does not drive")
    node.lets_go()


def test_a_stick_held_at_the_plug_and_let_go_slowly_ends_in_its_middle(node):
    """SDL returns the stick to that end before it removes the pad."""
    topic = node.plug(axes={AHEAD: -32768})
    for value in (-20000, 0):
        node.act(axes={AHEAD: value})
        node.wait(topic, lambda state: state.axes[AHEAD] == value, f"{value} is not published")
    node.act(buttons={DEAD_MAN: 1})
    node.wait(topic, lambda state: state.buttons[DEAD_MAN], "the press is not published")
    node.do("unplug", event=7)
    node.wait(CONNECTED, lambda connected: not connected.data, "its loss is not published")
    node.wait(topic, lambda state: list(state.axes) == AT_REST, "the stick does not end in its middle")
    node.wait(JOY, lambda joy: list(joy.axes) == LET_GO, "joy goes with its stick at the end")


def test_a_pad_at_hidraw_is_published_with_its_first_report(graph):
    """SDL receives nothing before it: until then sticks read 0, and no button is held."""
    deadman = 10
    with running(graph, f"enable.on:={deadman}") as node:
        topic = node.start().plug(event=3, pad="stadia", name=STADIA, held=[deadman])
        reported = node.wait(topic, lambda state: state.buttons[deadman], "the held state is not published")
        assert list(reported.axes) == [0, 0, 0, 0, -32768, -32768]
        assert {tuple(joy.axes) for _, joy in graph.messages[JOY]} == {(0, 0, 0, 0, 1, 1)}, "and never otherwise"
        node.act(event=3, axes={AHEAD: 1})
        node.wait(topic, lambda state: state.axes[AHEAD] == -32768, "the stick is not published")
        node.stays_still(0.3, "a dead-man that was held at the plug drives")
        node.act(event=3, buttons={deadman: 0}, axes={AHEAD: 128})
        node.wait(topic, lambda state: not state.buttons[deadman] and not state.axes[AHEAD], "nothing is released")
        node.act(event=3, buttons={deadman: 1}, axes={AHEAD: 1})
        node.wait(DESIRED, lambda desired: vx(desired) > 0.5, "the stick does not drive")


def test_names_are_other_numbers_on_another_pad(graph):
    """The right shoulder is button 5 of one pad and 10 of the other, SDL's numbering of hidraw; the file is the same."""
    with running(graph, "linear.x.axis:=lefty", "enable.on:=rightshoulder") as node:
        node.start().plug()
        node.drives()
        node.lets_go()
        node.do("unplug", event=7)
        node.wait_for_topic(XBOX, there=False)
        node.set("control_device", STADIA)
        node.plug(event=3, pad="stadia", name=STADIA)
        node.act(event=3, buttons={DEAD_MAN: 1}, axes={AHEAD: 1})
        node.stays_still(0.3, "the other pad's number drives")
        node.act(event=3, buttons={DEAD_MAN: 0}, axes={AHEAD: 128})
        topic = node.topics[3]
        node.wait(topic, lambda state: not state.buttons[DEAD_MAN] and not state.axes[AHEAD], "nothing is released")
        node.act(event=3, buttons={10: 1}, axes={AHEAD: 1})
        node.wait(DESIRED, lambda desired: vx(desired) > 0.5, "the stick does not drive")


def test_a_pad_without_a_name_is_refused_until_the_parameter_has_a_number(graph):
    with running(graph, "enable.on:=paddle1", "linear.x.axis:=lefty") as node:
        node.start().plug()
        refusal = f"{XBOX} may not drive: enable.on is 'paddle1', which SDL's mapping of this device does not have; give numbers"
        graph.wait(lambda: refusal in node.process.output, lambda: f"nothing is logged:\n{node.process.output}")
        node.act(buttons={DEAD_MAN: 1}, axes={AHEAD: -32768})
        node.stays_still(0.3, "a pad without the dead-man drives")
        assert graph.last(CONNECTED).data is False
        answer = node.call(GetMappings, "get_mappings")
        assert not answer.genom_success and "lefty" in answer.genom_exdetail, answer
        node.set("enable.on", DEAD_MAN)
        node.wait(CONNECTED, lambda connected: connected.data, "the pad does not drive")
        node.stays_still(0.3, "a stick held since before drives")
        node.lets_go()
        node.drives()
        mappings = node.good(GetMappings, "get_mappings").mappings
        assert (mappings.linear[0].axis, mappings.enable.on) == (AHEAD, DEAD_MAN)


def test_a_silent_pad_at_hidraw_is_published_too(node):
    topic = node.plug(event=3, pad="stadia", name=STADIA, silent=True)
    assert list(node.graph.last(topic).axes) == [0, 0, 0, 0, -32768, -32768]
    node.act(event=3, axes={AHEAD: 1, 4: 255})  # SDL takes the first report for the rest position and sends no event
    moved = [0, -32768, 0, 0, 32767, -32768]
    node.wait(topic, lambda state: list(state.axes) == moved, "the first report is not published")
    node.do("unplug", event=3)
    node.wait_for_topic(STADIA, there=False)


@pytest.mark.fault("pad-comes-back")
def test_twins_are_distinguished_by_their_paths_and_ports(node):
    ports = {event: f"by-path/pci-0000:00:14.0-usb-0:{event}:1.0-event-joystick" for event in (7, 8)}
    node.plug(event=7, links=[ports[7]])
    node.plug(event=8, links=[ports[8]], name=f"{XBOX}_1")
    assert node.good(DeviceList, "device_list").device_list == [XBOX, f"{XBOX}_1"]
    node.act(event=8, buttons={DEAD_MAN: 1}, axes={AHEAD: -32768})
    node.stays_still(0.2, "the second pad drives")
    node.lets_go(event=8)
    node.set("control_device", "/dev/input/event8")
    node.drives(event=8)
    node.lets_go(event=8)
    node.act(event=7, buttons={DEAD_MAN: 1}, axes={AHEAD: -32768})
    node.stays_still(0.2, "the first pad still drives")
    node.lets_go(event=7)
    # The selected stick is already held: it has to be at rest, and the button pressed again.
    node.act(event=7, buttons={DEAD_MAN: 1}, axes={AHEAD: -32768})
    node.wait(node.topics[7], lambda state: state.buttons[DEAD_MAN], "the held state is not published")
    node.set("control_device", f"/dev/input/{ports[7]}")
    node.stays_still(0.3, "a pad that gets to drive with its dead-man held drives")
    node.lets_go(event=7)
    node.drives(event=7)
    node.lets_go(event=7)
    node.set("control_device", "/dev/input/event8")
    node.set("control_device", f"/dev/input/{ports[7]}")
    node.drives(event=7)


def test_a_pad_that_floods_is_followed(node):
    topic = node.plug()
    reports = node.do("flood", event=7, axis=0, rate=8000, seconds=2.0, last=4321)["reports"]
    print(f"{reports} reports in 2 s")
    assert reports > 8000, "that is no flood"
    node.wait(topic, lambda state: state.axes[0] == 4321, "the last state is wrong")
    # 4321 is 0.1319 of the way, of which 0.05 are dead zone: (0.1319 - 0.05) / 0.95 to the right
    joy = node.wait(JOY, lambda joy: abs(joy.axes[0] + 0.0862) < 1e-3, "the last state on joy is wrong")
    assert len(joy.axes) == 8
    node.drives()
    node.lets_go()


@pytest.mark.fault("sdl-hangs")
def test_a_pad_that_hangs_and_fails_is_logged_and_stops_the_others(node):
    node.plug()
    node.do("plug", event=8, pad="playstation", fault="mute")
    node.drives()
    start = time.time()
    node.do("plug", event=9, pad="playstation", fault="hangs")
    logged = lambda text: [line for line in node.process.lines if text in line]
    node.graph.wait(lambda: logged("SDL hangs"), lambda: f"nothing is logged:\n{node.process.output}")
    node.wait(DESIRED, lambda desired: vx(desired) == 0.0, "a stick that is not read drives")
    let_go_within(node, 0.25, start)
    node.stays_still(0.1, "a stick that is not read drives")
    node.do("fail", event=9)
    node.graph.wait(lambda: logged("cannot be opened"), lambda: f"nothing is logged:\n{node.process.output}")
    node.stays_still(0.1, "a held button counts as pressed again")
    # The published state has been that of rest since the hang, so it does not show that the release was received.
    node.lets_go()
    node.graph.wait(lambda: logged("the stick is at rest"), lambda: f"it is not at rest:\n{node.process.output}")
    node.drives()
    node.lets_go()
    (line,) = logged("cannot be opened")
    assert "/dev/input/event9" in line and "Wireless Controller" in line, "which one, and where"
    assert node.good(DeviceList, "device_list").device_list == [XBOX]


def let_go_within(node, bound, start):
    """Checks that the stick commands no motion from within `bound` seconds after `start`."""
    reported = node.graph.messages[DESIRED]
    moved = max(index for index, (_, desired) in enumerate(reported) if vx(desired))
    took = reported[moved + 1][0] - start
    assert took < bound + SLACK, f"the stick drives for {took:.3f} s more, must be within {bound} s"


@pytest.mark.fault("sdl-hangs")
def test_a_takeover_outlasts_a_hang_and_waits_for_the_stick_at_rest(graph):
    with running(graph, "enable.toggle:=0") as node:
        node.start()
        node.plug()
        node.act(buttons={0: 1})
        node.act(buttons={0: 0}, axes={AHEAD: -32768})
        node.wait(DESIRED, lambda desired: vx(desired) > 0.5, "the stick does not drive")
        start = time.time()
        node.do("plug", event=9, pad="playstation", fault="hangs")
        node.wait(DESIRED, lambda desired: vx(desired) == 0.0, "a stick that is not read drives")
        let_go_within(node, 0.25, start)
        node.do("fail", event=9)
        read_again = lambda: "joysticks are read again" in node.process.output
        node.graph.wait(read_again, lambda: f"nothing is logged:\n{node.process.output}")
        held = node.wait("/joystick/device/" + XBOX, lambda state: state.axes[AHEAD] == -32768, "where the stick is")
        assert held.buttons[0] is False
        node.stays_still(0.2, "the stick was not released")
        node.act(axes={AHEAD: -30000})
        node.stays_still(0.2, "a held stick moved")
        node.act(axes={AHEAD: 0})
        node.graph.wait(lambda: node.process.output.count("the stick is at rest") == 1, lambda: node.process.output)
        node.act(axes={AHEAD: -32768})
        node.wait(DESIRED, lambda desired: vx(desired) > 0.5, "the takeover is gone")


@pytest.mark.fault("pad-comes-back")
def test_a_stick_held_while_its_axis_is_mapped_waits_for_rest(node):
    topic = node.plug()
    node.act(buttons={DEAD_MAN: 1}, axes={0: 32767})
    node.stays_still(0.2, "an axis that is not mapped drives")
    node.set("linear.x.axis", 0)
    node.stays_still(0.2, "a held stick drives because it was mapped")
    node.act(axes={0: 0})
    node.wait(topic, lambda state: list(state.axes) == AT_REST, "the stick is not at rest")
    node.act(axes={0: -32768})
    node.wait(DESIRED, lambda desired: vx(desired) > 0.5, "the stick does not drive")


def test_a_hand_that_comes_while_sdl_hangs_holds_up_nothing(graph):
    with running(graph, "joystick:virtual_device:=Test Pad") as node:
        node.start()
        node.plug()
        node.drives()
        node.do("plug", event=9, pad="playstation", fault="hangs")
        plugged = time.time()
        hand = State(axes=[0] * 6, buttons=[False] * 11)
        graph.repeat("/joystick/virtual_device", hand, 50.0)
        node.wait(DESIRED, lambda desired: vx(desired) == 0.0, "a stick that is not read drives")
        let_go_within(node, 0.25, plugged)
        node.do("fail", event=9)
        node.wait_for_topic("Test_Pad")


def test_a_pad_that_hangs_at_the_start_is_logged(graph):
    with running(graph) as node:
        node.do("plug", event=9, pad="playstation", fault="hangs")
        node.do("start")
        logged = lambda: "SDL hangs while it starts" in node.process.output
        graph.wait(logged, lambda: f"nothing is logged:\n{node.process.output}", 10.0)
        graph.wait(lambda: graph.last(CONNECTED), "the node does not run")
        node.do("fail", event=9)
        node.plug()
        node.drives()


def test_a_list_with_a_pad_that_hangs_ends_with_a_reason():
    listing = Mocked("steersman-joystick", "list")
    try:
        listing.do("plug", event=9, pad="playstation", fault="hangs")
        listing.do("start")
        assert listing.wait(10.0) == 1, listing.output
    finally:
        listing.stop()
    assert "SDL hangs while it looks for joysticks" in listing.output, listing.output


def test_the_list_shows_what_is_connected():
    listing = Mocked("steersman-joystick", "list")
    try:
        port, name = "by-path/pci-0000:00:14.0-usb-0:2:1.0-event-joystick", "by-id/usb-Microsoft-event-joystick"
        listing.do("plug", event=7, pad="xbox", uniq="1234", links=[name, port])
        listing.do("plug", event=9, pad="playstation")
        listing.do("start")
        assert listing.wait(10.0) == 0, listing.output
    finally:
        listing.stop()
    names = [line for line in listing.lines if "leftx axis 0" in line]
    assert len(names) == 2 and names[0].startswith("Xbox 360 Controller: a button 0"), listing.output
    assert "rightshoulder button 5" in names[0] and "not for parameters: dpdown h0.4" in names[0], listing.output
    rows = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in listing.lines if line not in names]
    titles = ["NAME", "GUID", "SERIAL", "PATH", "DRIVER", "AXES", "BUTTONS", "HATS", "BATTERY", "CAN", "LINKS"]
    assert rows[0] == titles
    assert len(rows) == 3, listing.output
    xbox, playstation = rows[1:]
    assert [xbox[0], *xbox[2:8]] == ["Xbox 360 Controller", "1234", "/dev/input/event7", "evdev", "6", "11", "1"]
    assert (xbox[10], playstation[10]) == (f"/dev/input/{port},/dev/input/{name}", "-")
    # Bus 3, a checksum of the name, then vendor, product and version; the lowest byte first.
    assert (xbox[1][:4], xbox[1][8:]) == ("0300", "5e0400008e02000010010000")
    assert (playstation[1][8:], playstation[2:8]) == (
        "4c050000cc09000011810000",
        ["-", "/dev/input/event9", "evdev", "6", "13", "1"],
    )
