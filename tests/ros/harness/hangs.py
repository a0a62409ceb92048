"""One thread of another process hangs, while all others go on."""

import contextlib
import ctypes
import os
import pathlib
import signal
import time

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
ANY_THREAD = 0x40000000  # __WALL
LIMIT = 0.25  # realtime::LONGEST_SILENCE


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


class BootClock:
    """The boot clock of one process, which a suspended computer's is ahead of the monotonic one by the time of its sleep.

    The process reads it in the vDSO; there the function is replaced by one that asks the kernel and adds `slept` seconds.
    """

    # mov eax, clock_gettime; syscall; cmp edi, CLOCK_BOOTTIME; jne over; add qword [rsi], slept; over: ret
    CODE = bytes.fromhex("b8e4000000 0f05 83ff07 7507 488106")

    def __init__(self, process):
        self.memory = f"/proc/{process.process.pid}/mem"
        ours = ctypes.cast(ctypes.CDLL("linux-vdso.so.1")["__vdso_clock_gettime"], ctypes.c_void_p).value
        self.at = ours - self.vdso("self") + self.vdso(process.process.pid)
        self.slept = 0

    def vdso(self, process):
        """The address of its mapping, which is the same in all processes."""
        lines = pathlib.Path(f"/proc/{process}/maps").read_text().splitlines()
        return next(int(line.split("-")[0], 16) for line in lines if line.endswith("[vdso]"))

    def sleep(self, process, seconds):
        """The computer sleeps: nothing runs, the monotonic clock stands still, and the boot clock goes on."""
        process.process.send_signal(signal.SIGSTOP)
        time.sleep(0.02)  # no thread is within the function
        self.slept += seconds
        with open(self.memory, "r+b", buffering=0) as memory:
            memory.seek(self.at)
            memory.write(self.CODE + self.slept.to_bytes(4, "little") + b"\xc3")
        process.process.send_signal(signal.SIGCONT)
