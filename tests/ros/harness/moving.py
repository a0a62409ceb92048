"""What an arm and a hand have in common that a client commands to move all the time, beside a vehicle whose emergency stop they obey."""

import contextlib
import time


def rest(timer):
    """Lets a stream of numbers ask for rest, with which it begins after a halt."""
    asked, timer.message.data = timer.message.data, 0.0
    time.sleep(0.3)
    timer.message.data = asked


class Moving:
    """A neighbour of the vehicle with a `graph`, a `process` and the `timer` of its client's commands.

    Each kind has `is_halted`, `moves()`, `reset()`, and `rests(since)`, which fails if it moved after the time `since` [s].
    """

    def wait_until_it_moves(self, timeout=5.0):
        """Its commands ran on through the halt, so its release alone moves nothing."""
        self.graph.wait(lambda: not self.is_halted, lambda: f"it is halted:\n{self.process.output}", timeout)
        since = time.time()
        time.sleep(0.3)
        self.rests(since)
        self._moves_after_rest(timeout)

    def _moves_after_rest(self, timeout):
        self.ask_for_rest()
        self.graph.wait(lambda: not self.is_halted and self.moves(), lambda: f"it does not move:\n{self.process.output}", timeout)

    def moves_after_its_reset(self, timeout=5.0):
        """Resets the motors, again until they are on: a reset that comes before the vehicle's state is refused."""
        end = time.monotonic() + timeout
        while self.is_halted:
            assert time.monotonic() < end, f"no reset:\n{self.process.output}"
            self.reset_or_wait()
            with contextlib.suppress(AssertionError):
                self.graph.wait(lambda: not self.is_halted, "", 0.5)
        self._moves_after_rest(timeout)

    def ask_for_rest(self):
        rest(self.timer)

    def reset_or_wait(self):
        """Resets the motors, or finds that the vehicle's state does not permit it yet."""
        self.reset()
