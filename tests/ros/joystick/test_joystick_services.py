"""The nine services of the node `joystick`, as in the openrobots component, and the related parameters."""

import math
import time

import pytest
from graph import EDGE, LATCHED
from joysticks import WORLD, Joystick, mappings
from or_joystick.msg import MappingAxis, MappingCoords, MappingEnable, Mappings, Params, State
from or_joystick.srv import (
    DeviceList,
    GetMappings,
    Rename,
    SetIntrinsicMode,
    SetMappings,
    SetStateParams,
)
from rcl_interfaces.msg import Parameter, ParameterEvent, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters


def test_the_composed_process_serves_all_of_them_too(graph):
    joystick = Joystick(graph, executable="steersman")
    try:
        names = {name for name, _ in graph.node.get_service_names_and_types()}
        kinds = ["device_list", "rename", "set_state_params", "get_mappings", "set_mappings", "set_intrinsic_mode"]
        assert {f"/joystick/{name}" for name in [*kinds, "log", "log_stop", "log_info"]} <= names
        joystick.good(Rename, "rename", name="Test_Pad", newname="Front")
        assert joystick.good(DeviceList, "device_list").device_list == ["Front"]
        joystick.good(SetMappings, "set_mappings", mappings=mappings(enable=MappingEnable()))
        joystick.hold(pressed=[WORLD])
        graph.wait(lambda: joystick.intrinsic() is False, "the button does nothing")
        graph.wait(lambda: joystick.get("intrinsic") == [False], "the parameter does not follow the button")
    finally:
        joystick.process.stop()


# --- devices


def test_devices_are_listed_and_renamed(joystick):
    assert joystick.good(DeviceList, "device_list").device_list == ["Test_Pad"]
    joystick.hold({2: 1234})
    joystick.good(Rename, "rename", name="Test_Pad", newname="front-left pad")
    assert joystick.good(DeviceList, "device_list").device_list == ["front_left_pad"]
    joystick.wait_for_topic("front_left_pad")
    joystick.wait_for_topic("Test_Pad", there=False)
    topic = "/joystick/device/front_left_pad"
    joystick.graph.subscribe(State, topic, LATCHED)
    joystick.graph.wait(lambda: joystick.graph.last(topic), "the new topic does not know the state")
    assert joystick.graph.last(topic).axes[2] == 1234
    joystick.good(Rename, "rename", name="front_left_pad", newname="front_left_pad")
    assert joystick.bad(Rename, "rename", "e_noent", name="Test_Pad", newname="a") is None
    detail = joystick.bad(Rename, "rename", "e_sdl", name="front_left_pad", newname="?!")
    assert detail == {"what": "name '?!' has no letter and no digit of ASCII"}
    assert joystick.good(DeviceList, "device_list").device_list == ["front_left_pad"]


def test_a_rename_ends_with_the_device(joystick):
    joystick.good(Rename, "rename", name="Test_Pad", newname="a" * 32)
    assert joystick.good(DeviceList, "device_list").device_list == ["a" * 31]
    joystick.hand.axes, joystick.hand.buttons = [], []  # unplugs
    joystick.wait_for_topic("a" * 31, there=False)
    assert joystick.good(DeviceList, "device_list").device_list == []
    joystick.hold()
    joystick.wait_for_topic("Test_Pad")
    assert joystick.good(DeviceList, "device_list").device_list == ["Test_Pad"]


# --- settings


def test_state_params_are_parameters(joystick):
    joystick.good(SetStateParams, "set_state_params", params=Params(drag=1.0, amax=2.0, awmax=3.0, slow=5.0))
    assert joystick.get("drag", "amax", "awmax", "slow") == [1.0, 2.0, 3.0, 5.0]
    for params, name in [
        (Params(drag=-0.1, amax=9.0), "parameter 'drag' is -0.1, must be from 0.0 to 1000.0 1/s"),
        (Params(drag=9.0, slow=0.0), "parameter 'slow' is 0.0, must be from 0.001 to 1000.0"),
        (Params(drag=9.0, awmax=math.nan), "parameter 'awmax' is .nan, must be from 0.0 to 1000.0 rad/s^2"),
        (Params(drag=9.0, amax=math.inf), "parameter 'amax' is .inf, must be from 0.0 to 1000.0 m/s^2"),
    ]:
        assert joystick.bad(SetStateParams, "set_state_params", "e_value", params=params) == {"what": name}
        assert joystick.get("drag", "amax", "awmax", "slow") == [1.0, 2.0, 3.0, 5.0], "all or nothing"


def test_mappings_and_parameters_are_the_same(joystick):
    unset = joystick.good(GetMappings, "get_mappings").mappings
    assert unset == Mappings(linear=[MappingAxis()] * 3, angular=[MappingAxis()] * 3)
    joystick.good(SetMappings, "set_mappings", mappings=mappings())
    assert joystick.good(GetMappings, "get_mappings").mappings == mappings()
    names = ["linear.x.axis", "linear.x.scale", "linear.y.offset", "angular.z.axis", "enable.on", "coords.world"]
    assert joystick.get(*names) == [1, -1.0, 0.5, 15, 5, WORLD]
    # The reverse direction.
    joystick.set("enable.slow", 7)
    joystick.set("linear.z.axis", 2)
    reported = joystick.good(GetMappings, "get_mappings").mappings
    assert (reported.enable.slow, reported.linear[2].axis, reported.linear[0].axis) == (7, 2, 1)


def test_a_change_by_service_is_an_event_of_its_parameters(joystick):
    joystick.graph.subscribe(ParameterEvent, "/parameter_events", EDGE)
    changed = lambda: [
        parameter.name
        for event in joystick.graph.since("/parameter_events", 0.0)
        if event.node == "/joystick"
        for parameter in event.changed_parameters
    ]
    joystick.graph.wait(
        lambda: joystick.graph.node.count_publishers("/parameter_events") > 1, "the node's events are not there"
    )
    time.sleep(0.2)
    joystick.good(SetStateParams, "set_state_params", params=Params(drag=2.0, amax=3.0, awmax=3.0))
    joystick.graph.wait(changed, "the change was not published")
    assert changed() == ["drag"], "those that changed"


@pytest.mark.parametrize(
    "changes, reason",
    [
        (
            {"linear": [MappingAxis(axis=16), MappingAxis(), MappingAxis()]},
            "parameter 'linear.x.axis' is 16, must be from -1 to 15",
        ),
        (
            {"angular": [MappingAxis(), MappingAxis(offset=math.nan), MappingAxis()]},
            "parameter 'angular.y.offset' is .nan, must be from -10.0 to 10.0",
        ),
        ({"enable": MappingEnable(on=1, slow=2, toggle=999)}, "parameter 'enable.toggle' is 999, must be from -1 to 15"),
        ({"coords": MappingCoords(world=32767)}, "parameter 'coords.world' is 32767, must be from -1 to 15"),
    ],
)
def test_bad_mappings_change_nothing(joystick, changes, reason):
    joystick.good(SetMappings, "set_mappings", mappings=mappings())
    bad = mappings(**changes)
    bad.enable.on = 9
    assert joystick.bad(SetMappings, "set_mappings", "e_value", mappings=bad) == {"what": reason}
    assert joystick.good(GetMappings, "get_mappings").mappings == mappings()


def test_any_negative_number_is_unused(joystick):
    joystick.good(SetMappings, "set_mappings", mappings=mappings(enable=MappingEnable(on=-32768, slow=-2, toggle=3)))
    assert joystick.good(GetMappings, "get_mappings").mappings.enable == MappingEnable(on=-1, slow=-1, toggle=3)


def test_the_frame_follows_service_parameter_and_button(joystick):
    graph = joystick.graph
    asked = mappings(enable=MappingEnable())  # always active
    joystick.good(SetMappings, "set_mappings", mappings=asked)
    for intrinsic in (False, True):
        joystick.good(SetIntrinsicMode, "set_intrinsic_mode", intrinsic=intrinsic)
        assert joystick.get("intrinsic") == [intrinsic]
        graph.wait(lambda: joystick.intrinsic() == intrinsic, "the service does nothing")
    joystick.set("intrinsic", False)
    graph.wait(lambda: joystick.intrinsic() is False, "the parameter does nothing")
    joystick.set("intrinsic", True)
    graph.wait(lambda: joystick.intrinsic() is True, "the parameter does nothing")
    # A button: the parameter follows.
    joystick.hold(pressed=[WORLD])
    graph.wait(lambda: joystick.intrinsic() is False, "the button does nothing")
    graph.wait(lambda: joystick.get("intrinsic") == [False], "the parameter does not follow the button")
    # And back by either, although the button is still held.
    joystick.set("intrinsic", True)
    graph.wait(lambda: joystick.intrinsic() is True, "the parameter does nothing after a button")
    joystick.hold()
    joystick.hold(pressed=[WORLD])
    graph.wait(lambda: joystick.intrinsic() is False, "the button does nothing any more")
    joystick.good(SetIntrinsicMode, "set_intrinsic_mode", intrinsic=True)
    graph.wait(lambda: joystick.intrinsic() is True, "the service does nothing after a button")
    assert joystick.get("intrinsic") == [True]


def test_mappings_drive(joystick):
    joystick.good(SetMappings, "set_mappings", mappings=mappings(enable=MappingEnable(on=5)))
    joystick.hold({1: -32767, 0: 0}, pressed=[5])
    last = lambda: joystick.graph.last("/joystick/desired")
    joystick.graph.wait(lambda: last() and last().vel and last().vel[0].vx > 0.99, "the stick does not drive")
    # full stick ends at amax / drag = 1 m/s; y: 0 + 0.5 ends at half of it
    assert last().vel[0].vx <= 1.0 and abs(last().vel[0].vy - last().vel[0].vx / 2) < 1e-9


def test_an_impossible_calibration_is_refused(joystick):
    parameter = Parameter(
        name="linear.x.center", value=ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=32767)
    )
    ok = joystick.call(SetParameters, "set_parameters", parameters=[parameter]).results[0]
    assert ok.successful
    parameter.name, parameter.value.integer_value = "linear.x.max", 100
    refused = joystick.call(SetParameters, "set_parameters", parameters=[parameter]).results[0]
    assert not refused.successful and "parameter 'linear.x.center' is 32767" in refused.reason, refused.reason
