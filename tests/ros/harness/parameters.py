"""The parameters of a node, by its services and by a file."""

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters

FIELDS = {
    ParameterType.PARAMETER_BOOL: "bool_value",
    ParameterType.PARAMETER_INTEGER: "integer_value",
    ParameterType.PARAMETER_DOUBLE: "double_value",
    ParameterType.PARAMETER_STRING: "string_value",
    ParameterType.PARAMETER_INTEGER_ARRAY: "integer_array_value",
    ParameterType.PARAMETER_DOUBLE_ARRAY: "double_array_value",
    ParameterType.PARAMETER_STRING_ARRAY: "string_array_value",
}


class Parameters:
    """The parameter services of a node, as any client uses them."""

    def __init__(self, graph, node):
        self.graph, self.node, self.clients = graph, node, {}

    def call(self, kind, name, **fields):
        if name not in self.clients:
            self.clients[name] = self.graph.node.create_client(kind, f"/{self.node}/{name}")
            assert self.clients[name].wait_for_service(10.0), f"/{self.node}/{name} is missing"
        future = self.clients[name].call_async(kind.Request(**fields))
        future.add_done_callback(self.notify)
        self.graph.wait(future.done, f"/{self.node}/{name} does not answer", 10.0)
        return future.result()

    def notify(self, _):
        with self.graph.condition:
            self.graph.condition.notify_all()

    def described(self):
        names = self.call(ListParameters, "list_parameters").result.names
        assert names, f"{self.node} lists no parameters"
        return {one.name: one for one in self.call(DescribeParameters, "describe_parameters", names=names).descriptors}

    def get(self, name):
        (value,) = self.call(GetParameters, "get_parameters", names=[name]).values
        found = getattr(value, FIELDS[value.type])
        return found if isinstance(found, (bool, int, float, str)) else list(found)

    def set(self, descriptor, value):
        wire = ParameterValue(type=descriptor.type, **{FIELDS[descriptor.type]: value})
        parameter = Parameter(name=descriptor.name, value=wire)
        (result,) = self.call(SetParameters, "set_parameters", parameters=[parameter]).results
        return result


def parameters_in(folder, text):
    file = folder / "robot.yaml"
    file.write_text(text)
    return ["--params-file", str(file)]
