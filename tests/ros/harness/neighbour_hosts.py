"""An arm or a hand on another host than hindbrain, with a client that commands motion to it all the time.

`unshare --net python neighbour_hosts.py vehicle FOLDER KIND` is the host with hindbrain; it starts the one of its neighbour, an `arm` or a
`hand`, as `hosts.py` does.
"""

import contextlib
import json
import os
import random
import signal
import sys
import time

from hosts import BAD_LINKS, FAR, NEAR, OPERATOR, Operator, address, attempt, bad_links, set_link, use_profile, wait_until_up

ROUNDS = int(os.environ.get("NEIGHBOUR_ROUNDS", "2"))
SURVIVED = ["hold", *bad_links()]
ACTS = ["panic", "SIGKILL", "SIGTERM", "restart", *SURVIVED]
# How long hindbrain is held and how long a link stays bad at most [s], and the same where the neighbour must not lose the state, which it
# does after 1.5 s: hindbrain repeats it twice a second.
HOLD, PAUSE = 1.0, 0.5
SHORT_HOLD, SHORT_PAUSE = 0.6, 0.15
# Whether the neighbour loses the state is certain after a silence that its own host saw, and before one [s].
LOST_AFTER, KNOWN_BEFORE = 1.8, 1.2
# Who was killed stays in the graph for 3 s, not for 20.
LEASE = """
            <builtin><discovery_config>
                <leaseDuration><sec>3</sec></leaseDuration>
                <leaseAnnouncement><sec>1</sec></leaseAnnouncement>
            </discovery_config></builtin>"""


@contextlib.contextmanager
def neighbour(kind):
    """A moving neighbour of hindbrain that obeys its emergency stop."""
    if kind == "arm":
        from mechanisms import MovingArm, arm

        with arm("-p", "halt_on:=hind/state") as parts:
            yield MovingArm(*parts)
    else:
        from hands import MovingHand, hand

        with hand(halt_on="hind/state") as started:
            yield MovingHand(started)


def operate(folder):
    """The neighbour's host."""
    print("here", flush=True)
    sys.stdin.readline()
    address(FAR, OPERATOR)
    wait_until_up(FAR)
    use_profile(folder, LEASE)
    from graph import LATCHED
    from std_msgs.msg import String

    with neighbour(os.environ["NEIGHBOUR"]) as moving:
        since, stopped = 0.0, 0.0
        moving.graph.subscribe(String, "/hind/state", LATCHED)
        print("done", flush=True)
        for line in sys.stdin:
            order, answer = json.loads(line), "done"
            try:
                if "link" in order:
                    set_link(FAR, order["link"])
                if "reset" in order:
                    moving.moves_after_its_reset(20.0)
                if "halts" in order:
                    since, stopped = moving.halts(), time.monotonic()
                if "silence" in order:
                    times = [stopped, *(at for at, _ in moving.graph.messages["/hind/state"] if at > stopped), time.monotonic()]
                    answer = str(max(after - before for before, after in zip(times, times[1:])))
                if "moves" in order:
                    moving.wait_until_it_moves(order["moves"])
                if "stands" in order:
                    moving.stands(since, order["stands"])
            except AssertionError as failure:
                answer = repr(str(failure))
            print(answer, flush=True)


def end(vehicle, by):
    """Lets hindbrain end."""
    if by == "SIGTERM":
        vehicle.process.stop()
    elif by == "SIGKILL":
        vehicle.process.kill()
    else:
        panic(vehicle)


def panic(vehicle):
    from graph import EDGE
    from std_msgs.msg import Bool

    topic, graph = "/hindbrain/panic", vehicle.graph
    if topic not in graph.publishers:
        graph.publishers[topic] = graph.node.create_publisher(Bool, topic, EDGE)
    timeout = time.monotonic() + 10.0
    while vehicle.process.process.poll() is None and time.monotonic() < timeout:
        graph.publishers[topic].publish(Bool(data=True))
        time.sleep(0.05)
    assert vehicle.process.wait() == 1, vehicle.process.output


class Round:
    """What happens to hindbrain between the e-stop and the reset."""

    def __init__(self, vehicle, other, dice, hold=HOLD):
        self.vehicle, self.other, self.dice, self.hold = vehicle, other, dice, hold

    def link(self, link):
        self.other.link(link)
        if link == "good":
            wait_until_up(NEAR)

    def start(self):
        if self.vehicle.process.is_over:
            self.link("good")  # Fast DDS never uses a device that had no carrier at its start
            self.vehicle.process = self.vehicle.begin()
            time.sleep(self.dice.uniform(0.2, 1.0))

    def act(self, act):
        self.start()
        if act in BAD_LINKS:
            self.link("good")  # it is bad in one way
            self.link(act)
            return
        if act == "restart":
            end(self.vehicle, "SIGTERM")
            self.start()
        elif act == "hold":
            process = self.vehicle.process.process
            process.send_signal(signal.SIGSTOP)
            time.sleep(self.hold)
            process.send_signal(signal.SIGCONT)
        else:
            end(self.vehicle, act)
        self.link("good")


def only_hindbrain(vehicle):
    """Waits until the middleware has forgotten who was killed."""
    topics = ("/hind/state", "/motor/port", "/motor/starboard")
    forgotten = lambda: all(vehicle.graph.node.count_publishers(topic) == 1 for topic in topics)  # noqa: E731
    vehicle.wait(forgotten, "who was killed is not forgotten", 20.0)


def rounds(vehicle, other):
    """Rounds in turn in which hindbrain ends, and which it survives."""
    seed = int(os.environ.get("NEIGHBOUR_SEED", random.randrange(1 << 32)))
    for number in range(seed, seed + ROUNDS):
        dice = random.Random(number)
        play_round = ended if number % 2 == 0 else survived
        acts = list(ACTS if play_round is ended else SURVIVED)
        dice.shuffle(acts)
        name = f"NEIGHBOUR_SEED={number}: {acts}"
        print(name, flush=True)
        play_round(vehicle, other, dice, acts, name)


def begin(vehicle, other, dice):
    """Lets both drive, and presses the e-stop, which is released at some time."""
    vehicle.estop(False)
    only_hindbrain(vehicle)
    attempt(vehicle.restart)
    other.order(reset=True)
    vehicle.estop(True)
    vehicle.wait(lambda: vehicle.state == "ESTOP", "it is not in its emergency stop")
    other.order(halts=True)
    if dice.random() < 0.5:
        vehicle.estop(False)


def ended(vehicle, other, dice, acts, name):
    """hindbrain ends among other acts: nothing moves before the neighbour's own reset."""
    begin(vehicle, other, dice)
    this = Round(vehicle, other, dice)
    for act in acts:
        this.act(act)
        time.sleep(dice.uniform(0.0, PAUSE))
        other.order(stands=f"{name}, after {act}")
    this.link("good")
    this.start()
    vehicle.estop(False)
    only_hindbrain(vehicle)
    attempt(vehicle.restart)
    time.sleep(1.5)
    other.order(stands=f"{name}, and hindbrain was reset, which is another one")


def survived(vehicle, other, dice, acts, name):
    """hindbrain is held and the link is bad, too shortly for a loss of its state: its reset moves the neighbour, and nothing before."""
    begin(vehicle, other, dice)
    this = Round(vehicle, other, dice, SHORT_HOLD)
    for act in acts:
        this.act(act)
        time.sleep(dice.uniform(0.0, SHORT_PAUSE))
        other.order(stands=f"{name}, after {act}")
        this.link("good")
        time.sleep(1.0)  # the state is received again
    vehicle.estop(False)
    time.sleep(1.0)
    other.order(stands=f"{name}, and nobody reset hindbrain")
    silence = float(other.ask({"silence": True}))
    print(f"the state was silent for {silence:.2f} s", flush=True)
    attempt(vehicle.restart)
    if silence < KNOWN_BEFORE:
        other.order(moves=10.0)
        return
    time.sleep(1.5)
    if silence > LOST_AFTER:
        other.order(stands=f"{name}, and hindbrain was reset, whose state was lost")


def main(role, folder, kind=None):
    if role == "operator":
        return operate(folder)
    use_profile(folder, LEASE)
    os.environ["NEIGHBOUR"] = kind
    with Operator(folder, __file__) as other:
        from processes import panicking
        from vehicle import Vehicle

        with Vehicle({"estop.timeout": 1.0}, executable=panicking("hindbrain")) as vehicle:
            rounds(vehicle, other)
    print(f"{kind}: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
