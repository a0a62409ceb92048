"""The node `joystick` with a virtual pad."""

import json

from graph import LATCHED
from or_joystick.msg import MappingAxis, MappingCoords, MappingEnable, Mappings, State
from or_pose_estimator.msg import State as PoseState
from processes import Process
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters

WORLD = 3  # the button that selects the world frame


class Joystick:
    """The node with a virtual pad, and a hand that holds it."""

    def __init__(self, graph, *arguments, executable="joystick"):
        self.graph = graph
        self.arguments = ["--ros-args", "-p", "joystick:virtual_device:=Test Pad", *arguments]
        self.process = Process(executable, *self.arguments)
        self.clients = {}
        graph.subscribe(PoseState, "/joystick/desired", LATCHED)
        self.hand = State(axes=[0] * 6, buttons=[False] * 11)
        graph.repeat("/joystick/virtual_device", self.hand, 20.0)
        try:
            self.wait_for_topic("Test_Pad")
        except AssertionError:
            self.process.stop()
            raise

    def wait_for_topic(self, name, there=True):
        topic = f"/joystick/device/{name}"
        self.graph.wait(
            lambda: (self.graph.node.count_publishers(topic) > 0) == there,
            lambda: f"{topic} {'is missing' if there else 'is still there'}:\n{self.process.output}",
            10.0,
        )

    def hold(self, axes=None, pressed=()):
        """Moves axes and holds buttons until the next call."""
        self.hand.axes = [(axes or {}).get(axis, 0) for axis in range(6)]
        self.hand.buttons = [button in pressed for button in range(11)]
        self.graph.publish("/joystick/virtual_device", self.hand)

    def call(self, kind, service, /, **fields):
        client = self.clients.get(service)
        if client is None:
            client = self.clients[service] = self.graph.node.create_client(kind, f"/joystick/{service}")
            assert client.wait_for_service(10.0), f"/joystick/{service} is missing:\n{self.process.output}"
        future = client.call_async(kind.Request(**fields))
        self.graph.wait(future.done, lambda: f"/joystick/{service} does not answer:\n{self.process.output}")
        return future.result()

    def good(self, kind, service, /, **fields):
        response = self.call(kind, service, **fields)
        assert (response.genom_success, response.genom_exdetail) == (True, ""), response
        return response

    def bad(self, kind, service, exception, /, **fields):
        """The detail of an exception."""
        response = self.call(kind, service, **fields)
        assert not response.genom_success, response
        detail = json.loads(response.genom_exdetail)
        assert detail.pop("ex") == f"::joystick::{exception}", response.genom_exdetail
        return detail.pop("detail", None)

    def get(self, *names):
        values = self.call(GetParameters, "get_parameters", names=list(names)).values
        fields = {1: "bool_value", 2: "integer_value", 3: "double_value", 4: "string_value"}
        return [getattr(value, fields[value.type]) for value in values]

    def set(self, name, value):
        kinds = {bool: (1, "bool_value"), int: (2, "integer_value"), float: (3, "double_value"), str: (4, "string_value")}
        kind, field = kinds[type(value)]
        parameter = Parameter(name=name, value=ParameterValue(type=kind, **{field: value}))
        (result,) = self.call(SetParameters, "set_parameters", parameters=[parameter]).results
        assert result.successful, result.reason

    def intrinsic(self):
        message = self.graph.last("/joystick/desired")
        return message.intrinsic if message else None


def mappings(**changes):
    asked = Mappings(
        linear=[MappingAxis(axis=1, scale=-1.0), MappingAxis(axis=0, offset=0.5), MappingAxis()],
        angular=[MappingAxis(), MappingAxis(), MappingAxis(axis=15, scale=0.25)],
        enable=MappingEnable(on=5, slow=4, toggle=-1),
        coords=MappingCoords(intrinsic=-1, world=WORLD, toggle=15),
    )
    for name, value in changes.items():
        setattr(asked, name, value)
    return asked
