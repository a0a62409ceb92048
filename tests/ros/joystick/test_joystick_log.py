"""The log of the node `joystick`: the contents of the file, and that no file blocks the node."""

import errno
import fcntl
import math
import os
import pathlib
import shutil
import tempfile
import time

import pytest
from joysticks import mappings
from or_joystick.msg import MappingEnable
from or_joystick.srv import DeviceList, Log, LogInfo, LogStop, SetMappings
from or_pose_estimator.msg import State as PoseState
from or_pose_estimator.msg import Vel

COLUMNS = "ts intrinsic active vx vy vz wx wy wz ax ay az dwx dwy dwz".split()
CYCLE = 0.005


@pytest.fixture
def folder():
    """A short folder: pytest's own are too long for a path of 64 bytes."""
    folder = tempfile.mkdtemp(dir="/tmp")
    yield pathlib.Path(folder)
    shutil.rmtree(folder)


def small_pipe(path):
    """Makes a pipe that holds one page, with an end that is not read."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    return reader


def info(joystick):
    response = joystick.good(LogInfo, "log_info")
    return response.miss, response.total


def wait_for_cycles(joystick, cycles):
    joystick.graph.wait(lambda: info(joystick)[1] >= cycles, f"there are no {cycles} cycles")


def rows(path):
    """The rows of a log without its header, as numbers; None for a blank line."""
    header, *lines = path.read_text().splitlines()
    assert header.split() == COLUMNS
    assert all(len(line.split()) in (0, len(COLUMNS)) for line in lines), lines
    return [[float(word) for word in line.split()] if line else None for line in lines]


def test_a_log_has_a_row_for_each_cycle(joystick, folder):
    path = folder / "a.log"
    assert info(joystick) == (0, 0)
    joystick.good(Log, "log", path=str(path), decimation=1)
    wait_for_cycles(joystick, 200)
    joystick.good(LogStop, "log_stop")
    miss, total = info(joystick)
    written = rows(path)
    blank = written.count(None)
    assert len(written) - blank == total - miss, (len(written), miss, total)
    # A blank line marks cycles that were missed or did not run on this machine.
    for before, gap, after in zip(written, written[1:], written[2:]):
        assert gap is not None or after[0] - before[0] > CYCLE, (before, after)
    assert blank <= miss + total // 10
    full = [row for row in written if row]
    # No device: nothing is published, and the stamp is the wall clock's, one cycle after the other.
    assert all(row[1:3] == [1.0, 0.0] and all(map(math.isnan, row[3:])) for row in full)
    assert abs(full[-1][0] - time.time()) < 5.0
    assert all(b[0] > a[0] for a, b in zip(full, full[1:]))
    assert abs((full[-1][0] - full[0][0]) / CYCLE - (total - 1)) < 0.1 * total
    # Ten decimals would be wrong, and so would eight.
    assert all(len(line.split()[0].split(".")[1]) == 9 for line in path.read_text().splitlines()[1:] if line)
    # It can be stopped again, and the counters stay.
    joystick.good(LogStop, "log_stop")
    assert info(joystick) == (miss, total)


def test_an_inactive_log_has_the_reference_or_nothing(joystick, folder):
    path = folder / "a.log"
    joystick.good(SetMappings, "set_mappings", mappings=mappings(enable=MappingEnable(on=5)))
    joystick.good(Log, "log", path=str(path), decimation=1)
    wait_for_cycles(joystick, 20)
    reference = PoseState(intrinsic=False, vel=[Vel(vx=0.123456789, vy=-1e-7, vz=float("nan"))])
    begin = PoseState()  # a reference begins with zero
    timer = joystick.graph.repeat("/joystick/reference", begin, 50.0)
    joystick.graph.wait(lambda: joystick.graph.last("/joystick/desired"), "the reference does not pass")
    joystick.graph.stop_repeating(timer)
    joystick.graph.repeat("/joystick/reference", reference, 50.0)  # without a stamp, which is one of now
    joystick.graph.wait(lambda: joystick.graph.last("/joystick/desired").vel, "the reference does not pass")
    wait_for_cycles(joystick, info(joystick)[1] + 20)
    joystick.good(LogStop, "log_stop")
    lines = path.read_text().splitlines()
    assert lines[1].split()[2:] == ["0"] + ["nan"] * 12
    assert lines[-1] == "0.000000000 0 0 0.123457 -1e-07 nan nan nan nan nan nan nan nan nan nan"


def test_decimation_leaves_rows_out_and_counts_all(joystick, folder):
    path = folder / "a.log"
    joystick.good(Log, "log", path=str(path), decimation=10)
    wait_for_cycles(joystick, 205)
    joystick.good(LogStop, "log_stop")
    miss, total = info(joystick)
    full = [row for row in rows(path) if row]
    # The first, and each tenth.
    assert len(full) == 1 + total // 10 - miss
    if miss == 0:
        assert abs(full[2][0] - full[1][0] - 10 * CYCLE) < 0.02


def test_zero_decimation_is_one_and_a_log_replaces_the_one_before(joystick, folder):
    first, second = folder / "a.log", folder / "b.log"
    second.write_text("something old\n" * 1000)
    joystick.good(Log, "log", path=str(first), decimation=0)
    wait_for_cycles(joystick, 50)
    joystick.good(Log, "log", path=str(second), decimation=1)
    assert info(joystick)[1] < 50, "the counters do not restart"
    ended = first.stat().st_size
    wait_for_cycles(joystick, 50)
    assert first.stat().st_size <= ended + 200, "at most the row that was on its way"
    joystick.good(LogStop, "log_stop")
    assert len(rows(first)) >= 45 and len(rows(second)) >= 45


def test_a_path_may_have_64_bytes(joystick, folder):
    path = folder / ("x" * (64 - len(str(folder)) - 1))
    assert len(str(path)) == 64
    joystick.good(Log, "log", path=str(path), decimation=1)
    wait_for_cycles(joystick, 5)
    joystick.good(LogStop, "log_stop")
    assert path.stat().st_size > 100
    # rclpy sends what the type forbids.
    detail = joystick.bad(Log, "log", "e_sys", path=f"{path}x", decimation=1)
    assert detail == {"code": errno.ENAMETOOLONG, "what": f"{path}x: File name too long"}


@pytest.mark.parametrize(
    "path, code, reason",
    [
        ("/nowhere/a.log", errno.ENOENT, "No such file or directory"),
        ("/tmp", errno.EISDIR, "Is a directory"),
        ("/dev/full", errno.ENOSPC, "No space left on device"),
        ("/proc/version", errno.EACCES, None),
        ("", errno.ENOENT, "No such file or directory"),
        ("FIFO", errno.ENXIO, "No such device or address"),
    ],
)
def test_a_file_that_cannot_be_had_is_an_exception(joystick, folder, path, code, reason):
    if path == "FIFO":
        path = str(folder / "f")
        os.mkfifo(path)
    before = folder / "before.log"
    joystick.good(Log, "log", path=str(before), decimation=1)
    start = time.monotonic()
    detail = joystick.bad(Log, "log", "e_sys", path=path, decimation=1)
    assert time.monotonic() - start < 1.0, "the node waits"
    if reason:
        assert detail == {"code": code, "what": f"{path}: {reason}"}
    else:
        assert detail["code"] in (errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO), detail
    size = before.stat().st_size
    joystick.graph.wait(lambda: before.stat().st_size > size, "the log before does not go on")


@pytest.mark.pair
def test_a_full_disk_costs_rows_and_nothing_else(joystick, folder):
    pipe = folder / "pipe"
    reader = small_pipe(pipe)
    try:
        joystick.graph.repeat("/joystick/reference", PoseState(), 50.0)

        def states():
            start = time.monotonic()
            time.sleep(1.0)
            return len(joystick.graph.since("/joystick/desired", start))

        joystick.graph.wait(lambda: len(joystick.graph.since("/joystick/desired", 0.0)) > 20, "the filter does not run")
        without = states()  # 200, or less on a busy machine
        joystick.good(Log, "log", path=str(pipe), decimation=1)
        joystick.graph.wait(lambda: info(joystick)[0] > 100, "a full pipe accepts all rows", 30.0)
        behind = states()
        assert behind > 0.75 * without, f"the filter runs at {behind} Hz behind a full pipe, and at {without} Hz without a log"
        miss, _ = info(joystick)
        text, parts = b"", [b""]
        until = time.monotonic() + 5.0
        # A writer that the machine held back makes a gap of its own before that of the full pipe.
        while len(parts) == 1 or sum(len(part.splitlines()) for part in parts[:-1]) <= 20 or b"." not in parts[-1]:
            assert time.monotonic() < until, f"there is no gap with 20 rows before it, and rows after it: {text}"
            try:
                text += os.read(reader, 65536)
            except BlockingIOError:
                time.sleep(0.01)
            parts = text.split(b"\n\n")
        assert text.startswith(b"ts intrinsic")
        assert all(part.split(b".")[0].isdigit() for part in parts[1:]), f"after a blank line rows go on: {text}"
        assert miss > 100
        # A pipe without a reader closes the log, which is reported.
        os.close(reader)
        reader = None
        joystick.graph.wait(lambda: "Broken pipe" in joystick.process.output, "a broken pipe is not logged")
        time.sleep(0.1)
        _, total = info(joystick)
        time.sleep(0.2)
        assert info(joystick)[1] == total, "the log is still open"
    finally:
        if reader is not None:
            os.close(reader)


def test_a_log_that_hangs_can_be_stopped_and_replaced(joystick, folder):
    pipe, path = folder / "pipe", folder / "a.log"
    reader = small_pipe(pipe)
    try:
        joystick.good(Log, "log", path=str(pipe), decimation=1)
        joystick.graph.wait(lambda: info(joystick)[0] > 20, "a full pipe accepts all rows", 30.0)
        start = time.monotonic()
        joystick.good(LogStop, "log_stop")
        assert time.monotonic() - start < 4.0
        joystick.good(DeviceList, "device_list")
        joystick.good(Log, "log", path=str(path), decimation=1)
        wait_for_cycles(joystick, 20)
        joystick.good(LogStop, "log_stop")
        assert len(rows(path)) >= 15
    finally:
        os.close(reader)
