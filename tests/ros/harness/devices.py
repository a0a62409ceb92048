"""Motor controllers behind pseudo-terminals, as their manuals describe them; they share no code with the drivers.

`python devices.py roboclaw /tmp/motor` is one of them, in a process of its own, since a driver waits 50 ms for an answer and
no longer. It makes `/tmp/motor` a link to its terminal, reads orders as lines of JSON from its standard input and reports as
lines of JSON what it does, each with the time by the monotonic clock, which all processes share:

| order | |
|---|---|
| `{"answers": "well"}` | answers correctly; `"nothing"`, `"garbage"`, `"errors"` (a fault of its own) |
| `{"version": "…"}` | is a RoboClaw that answers this version, until it is plugged in again |
| `{"dark": 0.02}` | is reset, by a short loss of power: it is off for so long [s] and starts again, and its line stays |
| `{"plugged": false}` | removes the terminal; `true`: creates a new one, with the device just switched on |
"""

import binascii
import json
import os
import random
import select
import subprocess
import sys
import termios
import threading
import time
import tty


class RoboClaw:
    """Packet serial of Basicmicro's RoboClaw, address 0x80: commands 14, 15, 21, 34, 48 and 90."""

    STOP = [0, 0]
    LENGTHS = {14: 3, 15: 0, 21: 0, 34: 6, 48: 0, 90: 0}  # what follows address and number, CRC included

    def __init__(self, report):
        self.report = report
        self.motors = self.STOP
        self.timeout = 0.0  # off, as it comes from the factory
        self.last_packet = time.monotonic()
        self.buffer = b""
        self.errors = 0
        self.version = "USB Roboclaw 2x15a v4.2.8"

    def signed(self, request, data):
        return data + binascii.crc_hqx(request + data, 0).to_bytes(2, "big")

    def receive(self, data):
        """Receives bytes from the line; returns the answers to all packets in them."""
        if time.monotonic() - self.last_packet > 0.01:
            self.buffer = b""  # half a packet is discarded after a pause of 10 ms
        self.buffer += data
        answers = b""
        while len(self.buffer) >= 2:
            address, number = self.buffer[:2]
            if address != 0x80 or number not in self.LENGTHS:
                self.report(unknown=self.buffer[:2].hex())
                self.buffer = self.buffer[1:]
                continue
            size = 2 + self.LENGTHS[number]
            if len(self.buffer) < size:
                break
            packet, self.buffer = self.buffer[:size], self.buffer[size:]
            answers += self.carry_out(number, packet)
        return answers

    def carry_out(self, number, packet):
        body, signature = packet[:-2], packet[-2:]
        if self.LENGTHS[number] and binascii.crc_hqx(body, 0).to_bytes(2, "big") != signature:
            self.report(wrong_crc=packet.hex())
            return b""
        self.last_packet = time.monotonic()
        if number == 14:
            self.timeout = packet[2] / 10
            self.report(timeout=self.timeout)
        elif number == 34:
            self.move([int.from_bytes(packet[2:4], "big", signed=True), int.from_bytes(packet[4:6], "big", signed=True)])
        else:
            request = packet[:2]
            duties = b"".join(one.to_bytes(2, "big", signed=True) for one in self.motors)
            data = {15: bytes([round(self.timeout * 10)]), 21: self.version.encode() + b"\n\0", 48: duties}.get(number)
            return self.signed(request, data or self.errors.to_bytes(4, "big"))
        return b"\xff"

    def move(self, motors):
        self.motors = motors
        self.report(motors=motors)

    def pass_time(self):
        """Its own watchdog: without a packet in time it stops."""
        if self.timeout and time.monotonic() - self.last_packet > self.timeout and self.motors != self.STOP:
            self.motors = self.STOP
            self.report(stopped_by_itself=self.STOP)


class Maestro:
    """Compact protocol of Pololu's Maestro with twelve channels: Set Target, Get Position and Get Errors, and its serial time-out."""

    STOP = [5888, 5888]  # 1472 us in quarters, its home position

    def __init__(self, report, timeout=0.2):
        self.report = report
        self.motors = [0, 0]  # no pulses
        self.timeout = timeout
        self.last_packet = time.monotonic()
        self.buffer = b""
        self.errors = 0
        self.timed_out = False

    def receive(self, data):
        answers = b""
        self.buffer += data
        while self.buffer:
            command, size = self.buffer[0], {0x84: 4, 0xA1: 1, 0x90: 2}.get(self.buffer[0])
            if size is None:
                self.report(unknown=f"{command:02x}")
                self.errors |= 1 << 4
                self.buffer = self.buffer[1:]
                continue
            if len(self.buffer) < size:
                break
            packet, self.buffer = self.buffer[:size], self.buffer[size:]
            self.last_packet, self.timed_out = time.monotonic(), False
            if command == 0xA1:
                answers += self.errors.to_bytes(2, "little")
                self.errors = 0
            elif command == 0x90:
                answers += self.motors[packet[1]].to_bytes(2, "little")
            else:
                channel, low, high = packet[1:]
                motors = list(self.motors)
                motors[channel] = low + 128 * high
                self.motors = motors
                if channel == 1:  # both come together
                    self.report(motors=motors)
        return answers

    def pass_time(self):
        if self.timeout and not self.timed_out and time.monotonic() - self.last_packet > self.timeout:
            self.timed_out = True
            self.errors |= 1 << 5
            self.motors = self.STOP
            self.report(stopped_by_itself=self.STOP)


class Terminal:
    """A device behind a pseudo-terminal that a link leads to."""

    def __init__(self, make, link):
        self.make, self.link = make, link
        self.answers = "well"
        self.dark_until = 0.0
        self.plugged = None
        self.plug(True)

    def plug(self, in_):
        if self.plugged:
            # The link is removed too, like those in /dev/serial/by-id: the terminal's number may soon belong to another one.
            os.unlink(self.link)
            os.close(self.master)
            os.close(self.slave)
        self.plugged = in_
        if in_:
            self.master, self.slave = os.openpty()
            tty.setraw(self.slave, termios.TCSANOW)
            os.symlink(os.ttyname(self.slave), self.link + ".new")
            self.device = self.make(self.report)
            os.replace(self.link + ".new", self.link)
        self.report(plugged=in_)

    def report(self, **what):
        print(json.dumps({"at": time.monotonic(), **what}), flush=True)

    def carry_out(self, order):
        self.answers = order.get("answers", self.answers)
        if self.plugged:
            self.device.errors = 1 if self.answers == "errors" else 0
        if "plugged" in order:
            self.plug(order["plugged"])
        if "dark" in order:
            self.device = self.make(self.report)
            self.dark_until = time.monotonic() + order["dark"]
        if "version" in order:
            self.device.version = order["version"]
        self.report(obeyed=order)

    def serve(self):
        while True:
            lines = [sys.stdin] + ([self.master] if self.plugged else [])
            ready, _, _ = select.select(lines, [], [], 0.01)
            if sys.stdin in ready:
                order = sys.stdin.readline()
                if not order:
                    return
                self.carry_out(json.loads(order))
            elif ready:
                received = os.read(self.master, 4096)
                if time.monotonic() >= self.dark_until:
                    self.answer(self.device.receive(received))
            if self.plugged:
                self.device.pass_time()

    def answer(self, bytes_):
        if self.answers == "garbage":
            os.write(self.master, random.randbytes(len(bytes_)))
        elif self.answers != "nothing":
            os.write(self.master, bytes_)


class Device:
    """A device in the tests: its reports, and orders to it."""

    def __init__(self, kind, link, *options):
        self.link = str(link)
        self.process = subprocess.Popen(
            [sys.executable, __file__, kind, self.link, *map(str, options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.reports = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.wait(lambda: self.since(0.0, "plugged"), "the device does not come up")

    def _read(self):
        for line in self.process.stdout:
            self.reports.append(json.loads(line))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(5.0)
        self.reader.join(5.0)

    def wait(self, condition, failure, timeout=5.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f"{failure() if callable(failure) else failure}: {self.reports[-3:]}"
            time.sleep(0.005)

    def order(self, **what):
        """Gives an order and waits until it is in force."""
        start = time.monotonic()
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        self.wait(lambda: self.since(start, "obeyed"), f"{what} is not obeyed")

    def since(self, start, key):
        """Its reports of `key` after the time `start` by the monotonic clock [s]."""
        return [one[key] for one in list(self.reports) if key in one and one["at"] >= start]

    @property
    def motors(self):
        """Its last motor values."""
        published = [one.get("motors") or one.get("stopped_by_itself") for one in list(self.reports)]
        return next((one for one in reversed(published) if one), None)


if __name__ == "__main__":
    try:
        os.nice(-10)  # it stands for hardware, which is never held
    except OSError:
        pass
    kinds = {"roboclaw": RoboClaw, "maestro": lambda report: Maestro(report, *map(float, sys.argv[3:]))}
    Terminal(kinds[sys.argv[1]], sys.argv[2]).serve()
