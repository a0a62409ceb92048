"""Thousands of calls of four clients at once: their answers are those of a model, and the control loop does not notice them."""

import json
import subprocess
import sys

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from manager_client import KINDS
from mechanisms import arm
from paths import HARNESS
from pr2_mechanism_msgs.msg import MechanismStatistics
from rclpy.qos import QoSProfile

# Of each client, twice.
CALLS = 700
PREFIXES = ["p0_", "p1_", "p2_", "p3_"]
WITNESS = "witness"
SETTINGS = ["-p", "simulation.is_calibrated:=false", "-p", "mechanism_statistics_publish_rate:=10.0"]


def parameters():
    controllers = {WITNESS: KINDS["a"]} | {prefix + kind: of for prefix in PREFIXES for kind, of in KINDS.items()}
    values = {f"{name}.{key}": value for name, of in controllers.items() for key, value in of.items()}
    return [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]


class Clients:
    """The four processes, which do the same at the same time."""

    def __init__(self, seed):
        script = HARNESS / "manager_client.py"
        start = lambda number: subprocess.Popen(  # noqa: E731
            [sys.executable, str(script), str(seed + number), PREFIXES[number]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.processes = [start(number) for number in range(4)]
        assert [process.stdout.readline() for process in self.processes] == ["ready\n"] * 4

    def do(self, what, number):
        for process in self.processes:
            process.stdin.write(f"{what} {number}\n")
            process.stdin.flush()
        return [json.loads(process.stdout.readline()) for process in self.processes]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.stdin.close()
            process.wait(10.0)


class Loop:
    """The loop's reports of itself."""

    def __init__(self, graph):
        self.graph = graph
        graph.subscribe(DiagnosticArray, "/diagnostics", QoSProfile(depth=100))
        graph.subscribe(MechanismStatistics, "mechanism_statistics", QoSProfile(depth=100))

    def read(self):
        """Steps, steps left out, overruns of the witness, and when, from reports that are made from now on."""
        begin = len(self.graph.messages["/diagnostics"]), len(self.graph.messages["mechanism_statistics"])
        found = {}

        def known():
            for at, message in self.graph.messages["/diagnostics"][begin[0] :]:
                for status in message.status:
                    if status.name.endswith("mechanism"):
                        found.update({value.key: int(value.value) for value in status.values if value.key.startswith("steps")}, at=at)
            for _, message in self.graph.messages["mechanism_statistics"][begin[1] :]:
                found.update({one.name: one.num_control_loop_overruns for one in message.controller_statistics if one.name == WITNESS})
            return {"steps", WITNESS} <= found.keys()

        self.graph.wait(known, lambda: f"no report of the loop: {found}")
        return found

    def window(self, act):
        """What happened while `act` ran."""
        before = self.read()
        result = act()
        after = self.read()
        return result, {key: after[key] - before[key] for key in ("steps", "steps left out", WITNESS, "at")}


@pytest.mark.few
def test_thousands_of_calls_are_answered_as_the_model_does_and_delay_no_step():
    with arm(*SETTINGS, *parameters()) as (graph, manager, _), Clients(14) as clients:
        loop = Loop(graph)
        assert manager.load(WITNESS) and manager.switch([WITNESS])

        def bombard():
            answers = clients.do("call", CALLS)
            failures = [failure for answer in answers for failure in answer["failures"]]
            assert failures == [], failures
            # All of them together, in the order of their names.
            lists = [tuple(one) for answer in answers for one in answer["list"]] + [(WITNESS, "running")]
            assert manager.list() == sorted(lists) and len(lists) > 1
            return max(answer["seconds"] for answer in answers)

        seconds, loaded = loop.window(bombard)
        _, burnt = loop.window(lambda: clients.do("burn", min(seconds, 2.0)))
        # The witness's updates take as long as ever, and the loop leaves out no more steps than beside other work: on a machine
        # where it has no priority that may be some.
        share = lambda window: window["steps left out"] / (window["steps"] + window["steps left out"])  # noqa: E731
        report = f"with calls {loaded}, with other work {burnt}"
        assert share(loaded) <= 2.0 * share(burnt) + 0.01, report
        assert loaded[WITNESS] <= 2 * burnt[WITNESS] + 2, report
        late = 200  # a report has the steps of 0.2 s before it, or fewer
        assert (loaded["steps"] + late) / loaded["at"] > 0.95 * (burnt["steps"] - late) / burnt["at"], report
        # A forced reload takes everything away, and all goes on from nothing.
        assert not manager.reload(False) and manager.reload(True)
        assert manager.list() == []
        clients.do("forget", 0)
        assert manager.load(WITNESS) and manager.switch([WITNESS])
        bombard()
        assert manager.reload(True) and manager.list() == [] and manager.reload(False)
