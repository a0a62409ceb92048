"""A client that calls a controller manager at random and compares each answer with a model; a process of its own for test_mechanism_calls.py.

    python manager_client.py SEED PREFIX

It reads `call N` (N random calls), `burn SECONDS` (work for the processor, and no call) and `forget 0` (all controllers are gone)
from its input, and answers each with a line of JSON. Its controllers have names of its own, so that its model needs to know of no other client.
"""

import json
import random
import sys
import threading
import time

import rclpy
from pr2_mechanism_msgs.srv import ListControllers, LoadController, ReloadControllerLibraries, SwitchController, UnloadController
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile

STRICT = 2
# Names that are never loaded: not configured, and no names at all.
NEVER = ["nobody", "", "/pan", "a b", "pan.effort", "2pan", "pan/", "ä", "x" * 300]
# The controllers of a client, after its prefix: the parameters that a test gives the node for each.
EFFORT = {"type": "steersman/JointEffortController", "joint": "pan"}
KINDS = {
    "a": EFFORT,
    "b2": EFFORT,
    "b10": EFFORT,
    "late": {"type": "steersman/JointPositionController", "joint": "tilt", "pid.p": 1.0},  # does not start: it is not calibrated
    "lame": {"type": "steersman/JointEffortController", "joint": "leg"},  # does not initialise
    "odd": {"type": "robots/Juggler"},
}


class Model:
    """What a controller manager answers, written from the description of its services alone: a list and a set of names."""

    def __init__(self, prefix):
        self.loadable = {prefix + kind for kind in ("a", "b2", "b10", "late")}
        self.refuses = {prefix + "late"}
        self.loaded, self.running = set(), set()

    def load(self, name):
        is_new = name in self.loadable and name not in self.loaded
        if is_new:
            self.loaded.add(name)
        return is_new

    def unload(self, name):
        may = name in self.loaded and name not in self.running
        if may:
            self.loaded.remove(name)
        return may

    def switch(self, start, stop, strictness):
        if strictness not in (0, 1, 2):
            return False
        if strictness == STRICT:
            if any(name not in self.loaded or name in self.refuses for name in start):
                return False
            if any(name not in self.loaded for name in stop):
                return False
        self.running -= set(stop)
        self.running |= {name for name in start if name in self.loaded and name not in self.refuses}
        return True

    def list(self):
        return [[name, "running" if name in self.running else "stopped"] for name in sorted(self.loaded, key=str.encode)]


class Client:
    def __init__(self, seed, prefix):
        self.random, self.prefix, self.model = random.Random(seed), prefix, Model(prefix)
        self.names = [prefix + kind for kind in KINDS]
        rclpy.init()
        self.node = rclpy.create_node(f"client_{prefix}")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        # Always: the answers to other clients arrive here too, and must not pile up between two calls.
        self.spinning = threading.Thread(target=self.executor.spin)
        self.spinning.start()
        types = {
            "list_controllers": ListControllers,
            "load_controller": LoadController,
            "unload_controller": UnloadController,
            "switch_controller": SwitchController,
            "reload_controller_libraries": ReloadControllerLibraries,
        }
        self.types = types
        # The answers to all clients arrive at each: with the ten places that are usual, one that had to wait for the processor loses its own.
        room = QoSProfile(depth=1000)
        self.clients = {name: self.node.create_client(kind, f"pr2_controller_manager/{name}", qos_profile=room) for name, kind in types.items()}
        assert all(client.wait_for_service(10.0) for client in self.clients.values()), "a service is not there"

    def call(self, service, **fields):
        done = threading.Event()
        future = self.clients[service].call_async(self.types[service].Request(**fields))
        future.add_done_callback(lambda _: done.set())
        if not done.wait(10.0):
            raise TimeoutError(f"no answer from {service}")
        return future.result()

    def some(self, most):
        """Up to `most` names, some of them twice, some of none."""
        names = [self.random.choice(self.names if self.random.random() < 0.93 else NEVER) for _ in range(self.random.randint(0, most))]
        return names + names[:1] if self.random.random() < 0.1 else names

    def one(self):
        """One random call; a sentence if the answer is not the model's."""
        act = self.random.choices(["load", "unload", "switch", "list", "reload"], [30, 20, 35, 10, 5])[0]
        name = (self.some(1) or ["nobody"])[0]
        if act == "load":
            got, expected = self.call("load_controller", name=name).ok, self.model.load(name)
        elif act == "unload":
            got, expected = self.call("unload_controller", name=name).ok, self.model.unload(name)
        elif act == "switch":
            strictness = self.random.choice([2, 2, 2, 1, 1, 0, 3, -1, 2**31 - 1, -(2**31)])
            start, stop = self.some(4), self.some(3)
            name = (start, stop, strictness)
            got = self.call("switch_controller", start_controllers=start, stop_controllers=stop, strictness=strictness).ok
            expected = self.model.switch(*name)
        elif act == "list":
            answer = self.call("list_controllers")
            name, whole = "", list(answer.controllers)
            got = [list(one) for one in zip(answer.controllers, answer.state, strict=True) if one[0].startswith(self.prefix)]
            expected = self.model.list()
            if whole != sorted(set(whole), key=str.encode) or set(answer.state) - {"running", "stopped"}:
                return f"the list is {whole} {list(answer.state)}"
        else:
            # Others may have controllers; a client that has one knows that it is refused.
            got = self.call("reload_controller_libraries", force_kill=False).ok
            expected = False if self.model.loaded else got
        return None if got == expected else f"{act} {name}: {got}, must be {expected}; loaded {self.model.loaded}, running {self.model.running}"

    def several(self, number):
        """`number` random calls, or fewer if there is no answer; a sentence for each that went wrong."""
        failures = []
        for count in range(number):
            try:
                failure = self.one()
            except TimeoutError as error:
                return [*failures, f"call {count}: {error}"]
            failures += [failure] if failure else []
        return failures

    def run(self):
        print("ready", flush=True)
        for line in sys.stdin:
            what, number = line.split()
            begin = time.monotonic()
            failures = []
            if what == "call":
                failures = self.several(int(number))
            elif what == "forget":
                self.model = Model(self.prefix)
            else:
                while time.monotonic() < begin + float(number):
                    pass
            answer = {"failures": failures[:5], "list": self.model.list(), "seconds": time.monotonic() - begin}
            print(json.dumps(answer), flush=True)
        self.executor.shutdown()
        self.spinning.join()
        rclpy.shutdown()


if __name__ == "__main__":
    Client(int(sys.argv[1]), sys.argv[2]).run()
