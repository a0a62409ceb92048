"""Starts Steersman's executables and watches them over real DDS with rclpy, a client that shares no code with them.

What several tests use is in `harness/`, also the scripts that they start.
"""

import fcntl
import os
import pathlib
import subprocess
import sys
import threading
import time

import pytest
import rclpy
from _pytest.runner import runtestprotocol

sys.path.insert(0, str(pathlib.Path(__file__).with_name("harness")))

from graph import Graph
from joysticks import Joystick
from processes import Process
from stack import Stack

HERE = pathlib.Path(__file__).parent
# The share of all processors' time in use above which no other test begins.
MOST_BUSY = 0.75
# A test whose witness was later than this [s] saw too little: a message has several threads on its way, and bounds are 0.1 s or more.
LATE = 0.05
# A failed test without a witness runs so often, for so many seconds in all.
RUNS, RUNS_WITHIN = 3, 40.0


@pytest.fixture(autouse=True)
def enough_time(request, tmp_path_factory):
    """Delays a test beside others while the machine is busy, 2 s at most, whatever the number of workers and its speed."""
    if "PYTEST_XDIST_WORKER" in os.environ and not request.node.get_closest_marker("starts_nothing"):
        with open(tmp_path_factory.getbasetemp().parent / "begins", "w") as begins:
            fcntl.flock(begins, fcntl.LOCK_EX)  # one after the other, or all would begin at once
            end = time.monotonic() + 2.0  # what keeps the machine busy may be no test, and may not end
            while busy() > MOST_BUSY and time.monotonic() < end:
                pass


def busy():
    """The share of all processors' time that was used during the next tenth of a second, except at a low priority."""

    def times():
        with open("/proc/stat") as file:
            return [int(word) for word in file.readline().split()[1:9]]

    before = times()
    time.sleep(0.1)
    spent = [after - first for first, after in zip(before, times())]
    return 1.0 - (spent[1] + spent[3] + spent[4]) / max(1, sum(spent))


class Witness(threading.Thread):
    """Measures how late a thread of this process wakes up and has an answer of another process, at most: as all of a test may be."""

    PERIOD = 0.02

    def __init__(self):
        super().__init__(daemon=True)
        self.late = 0.0

    def run(self):
        other = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        while True:
            due = time.monotonic() + self.PERIOD
            time.sleep(self.PERIOD)
            other.stdin.write(b".")
            other.stdout.read(1)
            self.late = max(self.late, time.monotonic() - due)


witness = Witness()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Runs a test. If it fails and the witness was late, the machine had no time for the test, which is not judged but runs again."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    end = time.monotonic() + RUNS_WITHIN
    for run in range(1, RUNS + 1):
        witness.late = 0.0
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        failed = [report for report in reports if report.failed]
        if failed:
            time.sleep(2 * Witness.PERIOD)  # it has seen the last of the test
        if not failed or witness.late < LATE:
            break
        sentence = f"in run {run} a thread of this test was {witness.late:.2f} s late: the machine is too busy"
        for report in failed:
            report.sections.append(("witness", sentence))
        item.warn(pytest.PytestWarning(f"{sentence}: {failed[0].longreprtext.splitlines()[-1]}"))
        if time.monotonic() > end:
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Kills the processes that a failed test did not stop, since they would disturb later tests. One that has ended by itself fails it."""
    before = len(Process.begun)
    yield
    failures = []
    for process in Process.begun[before:]:
        try:
            process.check()
            if process.process.poll() is None:
                process.kill()
        except AssertionError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


def pytest_configure(config):
    config.addinivalue_line("markers", "few: only a few other tests may run at the same time")
    config.addinivalue_line("markers", "pair: measures, or needs a processor for itself: only one other test may run at the same time")
    config.addinivalue_line("markers", "fault(row, ...): shows these rows of docs/safety.md, named by their anchors; checked by tests/safety.rs")
    config.addinivalue_line("markers", "fast_dds: is about Fast DDS, its profiles or its times; skipped with another middleware")
    config.addinivalue_line("markers", "starts_nothing: starts no process, and needs no time of the machine")
    worker = os.environ.get("PYTEST_XDIST_WORKER")  # gw0, gw1, ...
    if worker:
        domain = os.environ["WORKER_DOMAINS"].split()[int(worker.removeprefix("gw"))]
        os.environ["ROS_DOMAIN_ID"] = os.environ["STEERSMAN_DOMAIN"] = domain


def pytest_runtest_setup(item):
    middleware = rclpy.get_rmw_implementation_identifier()
    if item.get_closest_marker("fast_dds") and not middleware.startswith("rmw_fastrtps"):
        pytest.skip(f"it is about Fast DDS, and this is {middleware}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Lets each worker begin with one of the longest of the few tests, which are the last: a worker gets tests in sequence. Gives each
    test's reports the rows of docs/safety.md that it shows."""
    for item in items:
        item.user_properties.append(("faults", sorted({row for mark in item.iter_markers("fault") for row in mark.args})))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    if config.option.markexpr == "few":
        last_first = sorted(items, key=lambda item: item.path.name)[::-1]  # in whichever folder
        items[:] = [item for worker in range(workers) for item in last_first[worker::workers]]


def pytest_runtest_logreport(report):
    """Records how each test ended and the rows of docs/safety.md that it shows, for `tests/safety.rs`; a line that follows corrects an
    earlier one of the same test."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ  # its reports are also those of the process that began it
    if "OUTCOMES" in os.environ and not is_worker and (report.when == "call" or not report.passed):
        with open(os.environ["OUTCOMES"], "a") as outcomes:
            faults = dict(report.user_properties).get("faults", [])
            outcomes.write(f"{report.outcome}\t{report.nodeid}\t{' '.join(faults)}\n")


def pytest_sessionstart(session):
    """The tests enable and drive any vehicle in the graph, so they do not start without a domain of their own."""
    witness.start()
    environment = os.environ
    if not environment.get("AMENT_PREFIX_PATH"):
        pytest.exit("no ROS 2 here; run the tests by `cargo xtask test`, some by `cargo xtask test --only`", returncode=4)
    if not environment.get("STEERSMAN_DOMAIN") or environment.get("ROS_DOMAIN_ID") != environment["STEERSMAN_DOMAIN"]:
        pytest.exit("no ROS domain of their own (ROS_DOMAIN_ID and STEERSMAN_DOMAIN); run the tests by `cargo xtask test`, some by `cargo xtask test --only`", returncode=4)


@pytest.fixture(params=["composed", "separate"])
def stack(request):
    stack = Stack(composed=request.param == "composed")
    try:
        yield stack.ready()
    finally:
        stack.close()


@pytest.fixture
def separate():
    stack = Stack(composed=False)
    try:
        yield stack.ready()
    finally:
        stack.close()


@pytest.fixture
def graph():
    graph = Graph()
    yield graph
    graph.close()


@pytest.fixture
def joystick(graph):
    """The node with a virtual pad."""
    joystick = Joystick(graph)
    yield joystick
    joystick.process.stop()
    assert joystick.process.wait() == 0, joystick.process.output
