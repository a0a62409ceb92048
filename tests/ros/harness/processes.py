"""Starts the executables under test and ends them: a node that crashes, or ends by itself, fails its test."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import threading

# A node that inherits SIGHUP as ignored, as under `nohup`, keeps ignoring it: the tests start as from a shell.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Process:
    """One executable; its output is kept and shown when a test fails.

    `output` redirects it: to a path, or with "closed" to a pipe without a reader.

    A process that ended by itself, or with an exit code other than 0, fails the test, unless the test waited for its end.
    """

    begun = []
    is_stopping = False

    def __init__(self, name, *arguments, output=None):
        path = shutil.which(name)
        assert path, f"executable '{name}' is not on the PATH; run the tests by `cargo xtask test`"
        self.name = name
        self.is_over = False
        self.lines = []
        with contextlib.ExitStack() as files:
            stdout = subprocess.PIPE
            if output == "closed":
                read, write = os.pipe()
                os.close(read)
                stdout = files.enter_context(os.fdopen(write, "w"))
            elif output is not None:
                stdout = files.enter_context(open(output, "w"))
            self.process = subprocess.Popen(
                [path, *arguments], stdout=stdout, stderr=subprocess.STDOUT, text=True, start_new_session=True
            )
        Process.begun.append(self)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout or ():
            self.lines.append(line.rstrip())

    @property
    def output(self):
        return "\n".join(self.lines)

    def wait(self, timeout=5.0):
        """Waits for its end and returns its exit code."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} did not end within {timeout} s:\n{self.output}") from None
        self.is_over = True
        self.reader.join(timeout)
        return code

    def kill(self):
        """Kills it; it must not have ended by itself before."""
        self.check()
        self.is_over = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(5.0)

    def request_stop(self):
        """Sends SIGTERM once, unless the process has ended."""
        if not self.is_over and not self.is_stopping:
            self.is_stopping, self.early_code = True, self.process.poll()
            if self.early_code is None:
                self.process.send_signal(signal.SIGTERM)

    def stop(self):
        if self.is_over:
            return
        self.request_stop()
        self.is_over = True
        if self.early_code is not None:
            raise AssertionError(self._ended("ended by itself", self.early_code))
        try:
            code = self.process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} did not end on SIGTERM within 5 s:\n{self.output}") from None
        self.reader.join(1.0)
        # Before its first line it handles no signal yet, and has published nothing.
        if code != 0 and (code != -signal.SIGTERM or self.lines):
            raise AssertionError(self._ended("ended on SIGTERM", code))

    def check(self):
        """Fails if it has ended by itself and the test did not notice."""
        code = self.process.poll()
        if code is not None and not self.is_over and not self.is_stopping:
            self.is_over = True
            raise AssertionError(self._ended("ended by itself", code))

    def _ended(self, how, code):
        """The sentence with which the test fails. A crash is also recorded: no repetition of the test excuses it."""
        self.reader.join(1.0)
        sentence = f"{self.name} {how} with exit code {code}:\n{self.output}"
        is_signal = code < 0 or code > 128  # the latter through a shell
        is_signal &= code not in (-signal.SIGKILL, 128 + signal.SIGKILL)  # a test's
        if "CRASHES" in os.environ and (is_signal or "panicked at" in self.output):
            with open(os.environ["CRASHES"], "a") as crashes:
                crashes.write(f"{os.environ.get('PYTEST_CURRENT_TEST')}: {sentence}\n")
        return sentence


def stop_all(processes):
    """Stops all of them at the same time, and then raises the first failure."""
    failures = []
    for process in processes:
        process.request_stop()
    for process in processes:
        try:
            process.stop()
        except AssertionError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


def panicking(name):
    """The executable with an injected fault, which is built as an example."""
    path = pathlib.Path(shutil.which(name)).parent / "examples" / f"panicking_{name}"
    assert path.is_file(), f"{path} is missing: `cargo build -p nodes --examples`"
    return str(path)
