"""One thread of another process hangs, while all others go on."""

import contextlib
import ctypes
import os
import pathlib
import time

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
ANY_THREAD = 0x40000000  # __WALL
LIMIT = 0.25  # rt::LONGEST_SILENCE


def ptrace(request, thread):
    if LIBC.ptrace(request, thread, None, None) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def waits(thread):
    """Whether it waits for a message or for time to pass, by the kernel's report."""
    try:
        call = pathlib.Path(f"/proc/{thread}/syscall").read_text().split()
    except OSError:
        return True
    return call[2:3] in (["0x189"], ["0x89"])  # FUTEX_WAIT_BITSET of a condition variable; of a lock it is FUTEX_WAIT


@contextlib.contextmanager
def hung(thread):
    """Holds one thread of another process, as a page fault that is never served would; all others go on."""
    try:
        ptrace(SEIZE, thread)
    except PermissionError:
        assert os.environ.get("CI") != "true", "no thread can be held here, and in CI this has to be tested"
        pytest.skip("no thread can be held here: ptrace is not permitted")
    # Not while it publishes: it would hold locks of the middleware then, which are one for all threads.
    end = time.monotonic() + 5.0
    while not waits(thread) and time.monotonic() < end:
        pass
    ptrace(INTERRUPT, thread)
    os.waitpid(thread, ANY_THREAD)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            ptrace(DETACH, thread)


def threads(process, name):
    """The threads of this name."""
    tasks = pathlib.Path(f"/proc/{process.process.pid}/task").iterdir()
    return [int(task.name) for task in tasks if (task / "comm").read_text().strip() == name]
