"""Launch files read as `ros2 launch` does: which processes they start with which arguments, and what they leave behind.

launch and launch_ros are in no registry of Python. The rules below are from their sources (branch `jazzy`: launch 3.4.3, launch_ros 0.26.6),
each named with its file; `test_launch_files.py` compares this reader with them where a full ROS 2 is sourced. What a file of Steersman may
not have, since launch_ros would not scope it, is in `unscoped`.
"""

import os
import pathlib
import re
import shlex
import tempfile
import xml.etree.ElementTree

import yaml
from paths import ROOT

FOLDER = ROOT / "launch"
# launch_xml/entity.py, assert_entity_completely_parsed: any other attribute, or child, ends the launch.
_CONDITION = "if unless"
ATTRIBUTES = {
    "launch": "deprecated",
    "arg": f"{_CONDITION} name default description",
    "choice": "value",
    "let": f"{_CONDITION} name value",
    "group": f"{_CONDITION} scoped forwarding",
    "include": f"{_CONDITION} file",
    "node": f"{_CONDITION} pkg exec name namespace args ros_args output on_exit",
    "param": "name value type from",
    "remap": "from to",
    "env": "name value",
    "executable": f"{_CONDITION} cmd output",
    "set_env": f"{_CONDITION} name value",
    "set_remap": f"{_CONDITION} from to",
    "set_parameter": f"{_CONDITION} name value",
    "push_ros_namespace": f"{_CONDITION} namespace",
}
CHILDREN = {"arg": {"choice"}, "include": {"arg"}, "node": {"param", "remap", "env"}, "executable": {"env"}}


class Refused(Exception):
    """A launch that `ros2 launch` would end."""


# launch/share/launch/frontend/grammar.lark: an argument of a substitution ends at a space or a parenthesis, unless it is quoted; quotes within
# quotes are text, as are all quotes outside of a substitution.
_PART = re.compile(r"\\.|\$\(|[^\\]", re.DOTALL)


def parse(text):
    """The fragments of `text`: words, and substitutions as (name, arguments), each of which is a list of fragments."""
    tokens = _PART.findall(text)
    fragments, rest = _fragments(tokens, 0, lambda token: False)
    assert rest == len(tokens)
    return fragments


def _fragments(tokens, index, is_end):
    fragments, word = [], ""
    while index < len(tokens) and not is_end(tokens[index]):
        token = tokens[index]
        if token == "$(":
            fragments += [word] if word else []
            word = ""
            substitution, index = _substitution(tokens, index + 1)
            fragments.append(substitution)
        else:
            word += token[1:] if len(token) == 2 else token  # parse_substitution.py, replace_escaped_characters
            index += 1
    return fragments + ([word] if word else []), index


def _substitution(tokens, index):
    name = ""
    while tokens[index] not in (" ", ")"):
        name, index = name + tokens[index], index + 1
    arguments = []
    while tokens[index] == " ":
        quote = tokens[index + 1] if tokens[index + 1] in ("'", '"') else None
        if quote:
            argument, index = _fragments(tokens, index + 2, lambda token: token == quote)
            index += 1
        else:
            argument, index = _fragments(tokens, index + 1, lambda token: token in (" ", ")"))
        arguments.append(argument)
    if tokens[index] != ")":
        raise Refused(f"$({name} has no end")
    return (name, arguments), index + 1


class Launch:
    """A launch file with arguments, as after `ros2 launch FILE NAME:=VALUE...`.

    * `processes`: the executable, its arguments and the variables set for it, of each process
    * `configurations`, `environment`: what stays set for whatever comes after an include of the file
    * `warnings`: of files that are deprecated
    """

    def __init__(self, file, /, **arguments):
        self.configurations, self.environment, self.processes, self.warnings = dict(arguments), {}, [], []
        self.folder = tempfile.TemporaryDirectory(prefix="launch_")  # for its own parameter files, as long as this lives
        self._include(pathlib.Path(file) if os.sep in str(file) else FOLDER / f"{file}.launch.xml")

    def commands(self):
        return [(executable, *arguments) for executable, arguments, _ in self.processes]

    def comparable(self):
        """The processes, with the contents of the parameter files that launch writes in place of their paths."""
        own = lambda word: yaml.safe_load(open(word)) if word.startswith(self.folder.name) else word  # noqa: E731
        return [(executable, [own(word) for word in arguments], environment) for executable, arguments, environment in self.processes]

    def of(self, executable):
        """The arguments of the one process of `executable`."""
        (found,) = [arguments for name, arguments, _ in self.processes if name == executable]
        return found

    # launch/frontend/parse_substitution.py and launch/substitutions/*.py
    def text(self, value):
        return "".join(part if isinstance(part, str) else self._perform(*part) for part in (parse(value) if isinstance(value, str) else value))

    def _perform(self, name, arguments):
        values = [self.text(argument) for argument in arguments]
        match name, values:
            case "var", [variable, *default]:  # launch_configuration.py, perform: the default if it is not set
                if variable in self.configurations:
                    return self.configurations[variable]
                if default:
                    return default[0]
                raise Refused(f"launch configuration '{variable}' does not exist")
            case "eval", [expression]:  # python_expression.py, perform: str() of what it is
                return str(eval(expression, {}, {}))
            case "find-pkg-share", ["steersman"]:  # where CMakeLists.txt installs config/ and launch/
                return str(ROOT)
            case "dirname", []:
                return str(self.file.parent)
            case "file-content", [path]:
                return pathlib.Path(path).read_text()
        raise Refused(f"$({name} {' '.join(values)}) is not known to this reader")

    # launch/conditions/evaluate_condition_expression_impl.py
    def _applies(self, element):
        if "if" in element.attrib and "unless" in element.attrib:
            raise Refused("if and unless conditions can't be used simultaneously")  # launch/action.py, parse
        for name in ("if", "unless"):
            if name in element.attrib:
                word = self.text(element.get(name)).strip().lower()
                if word not in ("true", "1", "false", "0"):
                    raise Refused(f"'{word}' of {name} is neither true nor false")
                return (word in ("true", "1")) == (name == "if")
        return True

    def _visit(self, element):
        check(element)
        if self._applies(element):
            getattr(self, f"_{element.tag}")(element)

    # launch/launch_description.py: its actions in their order. include_launch_description.py, execute: no scope of its own.
    def _include(self, element):
        path = element if isinstance(element, pathlib.Path) else pathlib.Path(self.text(element.get("file")))
        given = set(self.configurations) if element is path else {argument.get("name") for argument in element.findall("arg")}
        for argument in [] if element is path else element.findall("arg"):
            # SetLaunchConfiguration: it stays set after the include, and one that is not declared is set, too.
            self.configurations[argument.get("name")] = self.text(argument.get("value"))
        root = xml.etree.ElementTree.parse(path).getroot()
        check(root)
        if root.get("deprecated"):
            self.warnings.append(f"launch file [{path}] is deprecated: {root.get('deprecated')}")
        for name, argument in declared(root).items():
            # execute, "best effort checking": without a condition and a default the include itself has to give it.
            if "default" not in argument and not argument.is_conditional and name not in given:
                raise Refused(f"missing required argument '{name}' (description: '{argument.get('description')}')")
        self.file = path  # execute, extend_locals: $(dirname) is the included file's for what follows the include, too
        for action in root:
            self._visit(action)

    # declare_launch_argument.py, execute: a value that is set already stays, whichever file set it.
    def _arg(self, element):
        name = element.get("name")
        if name not in self.configurations:
            if element.get("default") is None:
                raise Refused(f"Required launch argument \"{name}\" (description: \"{element.get('description')}\") was not provided")
            self.configurations[name] = self.text(element.get("default"))
        choices = [choice.get("value") for choice in element.findall("choice")]
        if choices and self.configurations[name] not in choices:
            value = self.configurations[name]
            raise Refused(f'Argument "{name}" provided value "{value}" is not valid. Valid options are: {choices}')

    # set_launch_configuration.py, execute
    def _let(self, element):
        self.configurations[self.text(element.get("name"))] = self.text(element.get("value"))

    # group_action.py, get_sub_entities: configurations and environment are pushed and popped, if it is scoped, as it is by default. Without
    # forwarding the group begins without any, the pushed namespace, remaps and parameters included.
    def _group(self, element):
        scoped, forwarding = (element.get(name, "true").lower() in ("true", "1") for name in ("scoped", "forwarding"))
        before = dict(self.configurations), dict(self.environment)
        if scoped and not forwarding:
            self.configurations, self.environment = {}, {}
        for action in element:
            self._visit(action)
        if scoped:
            self.configurations, self.environment = before

    # launch_ros/actions/push_ros_namespace.py, execute
    def _push_ros_namespace(self, element):
        self.configurations["ros_namespace"] = _absolute(_prefixed(self.configurations.get("ros_namespace"), self.text(element.get("namespace"))))

    # set_remap.py and set_parameter.py, execute. They append to the list in place, so a group that is within another one with such an action
    # leaves its own behind there.
    def _set_remap(self, element):
        self.configurations.setdefault("ros_remaps", []).append((self.text(element.get("from")), self.text(element.get("to"))))

    def _set_parameter(self, element):
        value = yaml.safe_load(self.text(element.get("value")) or "''")  # evaluate_parameters.py, evaluate_parameter_dict
        self.configurations.setdefault("global_params", []).append((self.text(element.get("name")), value))

    # set_environment_variable.py, execute
    def _set_env(self, element):
        self.environment[self.text(element.get("name"))] = self.text(element.get("value"))

    # execute_process.py: the environment, and nothing of launch_ros.
    def _executable(self, element):
        command = self._words(element.get("cmd"))
        self._add(element, command[0], command[1:])

    # launch_ros/actions/node.py, __init__ and _perform_substitutions: the order of the arguments.
    def _node(self, element):
        arguments = self._words(element.get("args"))
        if element.get("ros_args"):
            arguments += ["--ros-args", *self._words(element.get("ros_args"))]
        arguments.append("--ros-args")
        name = self.text(element.get("name")) if element.get("name") else None
        arguments += ["-r", f"__node:={name}"] if name else []
        own = self.text(element.get("namespace")) if "namespace" in element.attrib else None
        namespace = _absolute(_prefixed(self.configurations.get("ros_namespace"), own))
        arguments += ["-r", f"__ns:={namespace}"] if namespace is not None else []
        # Those of the group come after ros_args, so they are in force, with and without a name.
        for parameter, value in self.configurations.get("global_params", []):
            arguments += ["-p", f"{parameter}:={value}"]
        full_name = f"{namespace.rstrip('/')}/{name}" if name and namespace is not None else "/**"  # is_node_name_fully_specified
        for param in element.findall("param"):
            arguments += ["--params-file", self._params_file(full_name, param)]
        remaps = [(self.text(remap.get("from")), self.text(remap.get("to"))) for remap in element.findall("remap")]
        for source, to in self.configurations.get("ros_remaps", []) + remaps:
            arguments += ["-r", f"{source}:={to}"]
        self._add(element, element.get("exec"), arguments)

    def _add(self, element, executable, arguments):
        own = {self.text(env.get("name")): self.text(env.get("value")) for env in element.findall("env")}
        self.processes.append((executable, arguments, {**self.environment, **own}))

    # node.py, _create_params_file_from_dict; launch/utilities/type_utils.py, coerce_to_type: without a type it is what YAML makes of it.
    def _params_file(self, node, param):
        check(param)
        value = self.text(param.get("value"))
        if param.get("type") != "str":
            value = yaml.safe_load(value) if value else value
        folder = pathlib.Path(self.folder.name)
        path = folder / f"{len(list(folder.iterdir()))}.yaml"
        path.write_text(yaml.dump({node: {"ros__parameters": {param.get("name"): value}}}))
        return str(path)

    # execute_process.py, _parse_cmdline: text is split, what a substitution yields is not.
    def _words(self, text):
        words, current = [], None
        for part in parse(text or ""):
            if not isinstance(part, str):
                current = (current or "") + self._perform(*part)
                continue
            split = shlex.split(part)
            if part[0].isspace() and current is not None:
                words, current = [*words, current], None
            for index, word in enumerate(split):
                if index:
                    words, current = [*words, current], None
                current = (current or "") + word
            if split and part[-1].isspace():
                words, current = [*words, current], None
        return words + ([current] if current is not None else [])


# launch_ros/utilities/namespace_utils.py, prefix_namespace and make_namespace_absolute
def _prefixed(base, own):
    if own is None or base is None:
        return base if own is None else own
    joined = own if own.startswith("/") or not base else f"{base.rstrip('/')}/{own}"
    return joined if joined == "/" else joined.rstrip("/")


def _absolute(namespace):
    return namespace if namespace is None or namespace.startswith("/") else f"/{namespace}"


def check(element):
    """Refuses an element that launch_xml would refuse."""
    if element.tag not in ATTRIBUTES:
        raise Refused(f"Unrecognized entity of the type: {element.tag}")
    if unknown := set(element.attrib) - set(ATTRIBUTES[element.tag].split()):
        if element.tag != "arg" or unknown != {"value"}:  # of an include
            raise Refused(f"Unexpected attribute(s) found in `{element.tag}`: {unknown}")
    if element.tag not in ("launch", "group") and (unknown := {child.tag for child in element} - CHILDREN.get(element.tag, set())):
        raise Refused(f"Unexpected nested tag(s) found in `{element.tag}`: {unknown}")


class Declared(dict):
    is_conditional = False


def declared(root):
    """The arguments of a file by name, as launch_description.py lists them: the first declaration counts, and groups are searched."""
    found = {}

    def search(element, is_conditional):
        for child in element:
            has_condition = bool({"if", "unless"} & set(child.attrib))
            if child.tag == "group":
                search(child, has_condition)
            elif child.tag == "arg" and child.get("name") not in found:
                found[child.get("name")] = Declared(child.attrib)
                found[child.get("name")].is_conditional = is_conditional or has_condition

    search(root, False)
    return found


def unscoped(root):
    """What of a file would reach the file that includes it, or would miss what groups around the include set: sentences."""
    sentences = []
    for element in root.iter():
        match element.tag:
            case "executable":
                sentences.append("<executable> has nothing of the namespaces, remaps and parameters of the groups around it: <node>")
            case "set_remap" | "set_parameter":
                sentences.append(f"<{element.tag}> is appended to the list of the group around the include, in place: <remap> or <param> of a node")
            case "group" if element.get("scoped", "true") != "true" or element.get("forwarding", "true") != "true":
                sentences.append("a group that is not scoped leaves everything behind, and one that does not forward loses the namespace")
            case "node" if element.get("namespace", "").startswith("/"):
                sentences.append("an absolute namespace is outside of that of the groups around it")
            case "node" if [param for param in element.findall("param") if param.get("from")]:
                sentences.append("of a file in <param from> that is missing launch_ros only warns, and the node has its defaults")
    for element in root:
        if element.tag in ("arg", "let", "include", "set_env", "push_ros_namespace"):
            sentences.append(f"<{element.tag}> outside of a group stays set for the file that includes this one")
    for group in root.iter("group"):
        arguments = [child for child in group if child.tag == "include" and list(child)]
        if arguments and [child for child in group if child.tag != "include"]:
            sentences.append(f"the arguments of the <include> of {arguments[0].get('file')} stay set for what follows it: a group of its own")
    return sentences
