"""Measures a node's reaction against a bare relay: a process that passes a message on and does nothing else.

Both are measured in turn, in the same seconds, on the same machine, by the time at which a message was published: what this process, the
middleware and a busy machine take is in both, so the bound that is left for the node is a narrow one.

The median of the trials is bounded, and each single one. While the node reacts, the relay passes messages on beside it: a trial in which the
relay was late itself says nothing of the node, and is repeated.

`python at_once.py` is the relay.
"""

import contextlib
import signal
import statistics
import subprocess
import sys
import threading
import time

from graph import EDGE, STOP, Graph
from rclpy.qos import QoSProfile
from std_msgs.msg import Int16, Int32

IN, OUT = "/relay/in", "/relay/out"
TRIALS = 9
# How much longer than the relay's the reaction of a node may take [s]: a node that reads only every `PERIOD` [s] takes half of it longer.
LONGER = 0.02
PERIOD = 0.1
# How much longer than the slowest relay beside it a single reaction may take [s]: more than a scheduler does to one of several processes
# without the relay noticing it, and with the rest less than one reading of `PERIOD` that is left out.
SLOWEST = 0.06
# A relay that takes longer than this in a trial shows that the machine was held [s]; so many trials may be repeated for that.
HELD = 0.01
MOST_REPEATED = TRIALS
# How often the relay passes a message on beside a trial [s].
BEAT = 0.005


class Relay:
    """The relay, and the times that it takes."""

    def __init__(self, graph):
        self.graph, self.sent, self.passed = graph, 0, {}
        self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE)
        self.publisher = graph.node.create_publisher(Int32, IN, EDGE)
        graph.node.create_subscription(Int32, OUT, self._passed, EDGE)
        graph.wait(lambda: self._send() or self.passed, "the relay does not pass a message on", 20.0)

    def close(self):
        self.process.stdin.close()
        self.process.wait(5.0)

    @contextlib.contextmanager
    def beside(self):
        """Passes messages on during a trial; yields a function that returns the longest time that one took until now [s]."""
        sent, end = {}, threading.Event()

        def beat():
            while not end.is_set():
                with self.graph.condition:
                    sent[self.sent + 1] = time.time()
                    self._send()
                end.wait(BEAT)

        def longest():
            with self.graph.condition:
                took = [self.passed.get(number, time.time()) - at for number, at in sent.items()]
            return max(took, default=0.0)

        thread = threading.Thread(target=beat)
        thread.start()
        try:
            yield longest
        finally:
            end.set()
            thread.join()

    def _passed(self, message, info):
        with self.graph.condition:
            self.passed[message.data] = info["source_timestamp"] / 1e9
            self.graph.condition.notify_all()

    def _send(self):
        self.sent += 1
        self.publisher.publish(Int32(data=self.sent))

    def takes(self):
        """The time from the publishing of a message to the relay's publishing of it [s]."""
        start = time.time()
        self._send()
        self.graph.wait(lambda: self.sent in self.passed, "the relay does not pass a message on")
        return self.passed[self.sent] - start


class Motors:
    """When the motors got stop, by the time at which it was published."""

    def __init__(self, graph):
        self.graph, self.values = graph, {"port": [], "starboard": []}
        for side, values in self.values.items():
            graph.node.create_subscription(Int16, f"/motor/{side}", self._keep(values), QoSProfile(depth=1000))

    def _keep(self, values):
        def keep(message, info):
            with self.graph.condition:
                values.append((info["source_timestamp"] / 1e9, message.data))
                self.graph.condition.notify_all()

        return keep

    def stop_after(self, start):
        """Waits until both have stopped; returns how long after `start` [s]."""
        stops = lambda side: [at for at, value in self.values[side] if at >= start and value == STOP]  # noqa: E731
        self.graph.wait(lambda: all(stops(side) for side in self.values), "the motors do not stop")
        return max(stops(side)[0] - start for side in self.values)


def stops_at_once(graph, hops, drive, act, what, undo=lambda: None, trials=TRIALS, allowance=0.0, faulty=lambda trial: contextlib.nullcontext()):
    """Checks that the motors stop at once after `act`, which is called in motion; it may return when its message was published.

    The median of some trials must not exceed that of as many relays as there are processes on the way (`hops`) by more than `LONGER` and
    `allowance` [s], and none of them the slowest relay beside it by more than `SLOWEST` and `allowance`. `drive` sets the vehicle in motion;
    `undo` ends the effect of `act`; within `faulty(trial)` the nodes have a fault.
    """
    relay, motors, took, bare, slow, repeated = Relay(graph), Motors(graph), [], [], [], []
    try:
        while len(took) < trials:
            drive()
            with faulty(len(took)):
                time.sleep(PERIOD * len(took) / trials)  # not in step with a node that reads so often
                alone = relay.takes()
                with relay.beside() as longest:
                    start = time.time()
                    start = act() or start
                    time_taken = motors.stop_after(start)
                    beside = max(longest(), alone)
            undo()
            if beside > HELD and len(repeated) < MOST_REPEATED:
                repeated.append(beside)
                continue
            bare.append(alone)
            took.append(time_taken)
            slow.append(beside + allowance + SLOWEST)
    finally:
        relay.close()
    bound = hops * statistics.median(bare) + allowance + LONGER
    times = lambda values: ", ".join(f"{1e3 * value:.1f}" for value in sorted(values))  # noqa: E731
    sentence = f"{what}: the motors stop after {times(took)} ms; a bare relay takes {times(bare)} ms"
    if repeated:
        sentence += f"; trials beside a relay of {times(repeated)} ms were repeated"
    print(sentence)
    assert statistics.median(took) <= bound, f"not at once: {sentence}; the median must be {1e3 * bound:.1f} ms at most"
    late = [f"{1e3 * one:.1f} of {1e3 * most:.1f}" for one, most in zip(took, slow) if one > most]
    assert not late, f"not at once: {sentence}; single ones took more ms than allowed: {', '.join(late)}"


@contextlib.contextmanager
def reads_seldom(processes, period=PERIOD):
    """Lets processes run for a moment once in a `period` [s], as if they read only then."""
    end = threading.Event()

    def send(to):
        for process in processes:
            process.process.send_signal(to)

    def alternate():
        while not end.is_set():
            send(signal.SIGSTOP)
            end.wait(period - 0.005)
            send(signal.SIGCONT)
            end.wait(0.005)

    thread = threading.Thread(target=alternate)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
        time.sleep(0.1)  # what waited in the last hold is over: it starts nothing


class Once:
    """A fault in one of the trials: processes are held for `time_` [s] when something is done in it."""

    def __init__(self, processes, trial, time_):
        self.processes, self.trial, self.time, self.is_due = processes, trial, time_, False

    @contextlib.contextmanager
    def faulty(self, trial):
        self.is_due = trial == self.trial
        yield

    def around(self, act):
        """Calls `act`, and in that trial the processes are held meanwhile."""
        if not self.is_due:
            return act()
        for process in self.processes:
            process.process.send_signal(signal.SIGSTOP)
        try:
            start = time.time()
            start = act() or start
            time.sleep(self.time)
            return start
        finally:
            for process in self.processes:
                process.process.send_signal(signal.SIGCONT)


def relay():
    graph = Graph()
    publisher = graph.node.create_publisher(Int32, OUT, EDGE)
    graph.node.create_subscription(Int32, IN, publisher.publish, EDGE)
    sys.stdin.read()
    graph.close()


if __name__ == "__main__":
    relay()
