"""Runs a program with mocked evdev gamepads, which standard input plugs, moves and unplugs.

    umockdev-wrapper python mock_pad.py <executable> <arguments>

Each line of standard input is a command in JSON, such as `{"do": "plug", "event": 7, "pad": "xbox"}`. Each is answered
by a line of JSON on standard output: `{"at": <seconds of the monotonic clock when it was done>}`, or with `error`. What
the program prints comes on standard error. This ends with the program and with its exit code; at the end of standard
input, or on SIGTERM, the program is terminated.

| command | fields |
|---|---|
| start | beside: the command of another program that runs beside it. Starts the program; pads may be plugged in before |
| plug | event, pad; further fields: see `Pad` |
| act | event, batches: a list of {axes, buttons, hat}, each one report of the pad; pause: seconds between them; also: the event of a pad that makes the same reports half a pause later. The answer has `stamps`, the reports' own times [µs], and those of the other pad as `also` |
| flood | event, axis, rate [Hz], seconds, last: where the axis ends |
| unplug | event, held: buttons that are held, gap: seconds |
| fail | event, of a pad that hangs |

Axes and buttons are numbered as SDL numbers them and given in the pad's own counts; the hat is [x, y]. A device file
(/dev/input/event<event>) that was unplugged cannot be plugged in again; another one can. Pad "stadia" is one of hidraw
(/dev/hidraw<event>) instead, see `mock_hid_pad.py`.
"""

import ctypes
import fcntl
import json
import os
import queue
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from mock_hid_pad import HidPad

# linux/input-event-codes.h
EV_SYN, EV_KEY, EV_REL, EV_ABS, EV_FF = 0, 1, 2, 3, 21
STICKS, TRIGGERS, HAT = (0, 1, 3, 4), (2, 5), (16, 17)
TIOCGPTPEER = 0x5441  # the other end of a pseudo terminal
PR_SET_PDEATHSIG = 1

# Names, numbers and ranges as the kernel's drivers report them; sticks and triggers: at rest, least, most, fuzz, flat.
PADS = {
    "xbox": {
        "name": "Microsoft X-Box 360 pad",
        "id": (3, 0x045E, 0x028E, 0x0110),
        "keys": (0x130, 0x131, 0x133, 0x134, 0x136, 0x137, 0x13A, 0x13B, 0x13C, 0x13D, 0x13E),
        "stick": (0, -32768, 32767, 16, 128),
        "trigger": (0, 0, 255, 0, 0),
    },
    "playstation": {
        "name": "Sony Interactive Entertainment Wireless Controller",
        "id": (3, 0x054C, 0x09CC, 0x8111),
        "keys": (0x130, 0x131, 0x133, 0x134, 0x136, 0x137, 0x138, 0x139, 0x13A, 0x13B, 0x13C, 0x13D, 0x13E),
        "stick": (128, 0, 255, 0, 0),
        "trigger": (0, 0, 255, 0, 0),
    },
}


def bits(numbers, size):
    """A bit field of so many bytes."""
    return sum(1 << number for number in numbers).to_bytes(size, "little")


def ioctls(pad, held, axes):
    """The kernel's answers about a pad; a request is also identified by the size of its buffer, which is SDL's."""
    absolute = {code: pad["stick"] for code in STICKS} | {code: pad["trigger"] for code in TRIGGERS}
    for axis, value in axes.items():
        code = sorted(absolute)[int(axis)]
        absolute[code] = (value, *absolute[code][1:])
    absolute |= {code: (0, -1, 1, 0, 0) for code in HAT}
    name = pad["name"].encode()
    answers = [("EVIOCGID", 0, struct.pack("<4H", *pad["id"]))]
    answers += [("EVIOCGNAME", len(name) + 1, name.ljust(size, b"\0")) for size in (128, 256)]
    for kind, numbers, size in [
        (EV_SYN, (EV_SYN, EV_KEY, EV_ABS), 8),
        (EV_KEY, pad["keys"], 96),
        (EV_REL, (), 8),
        (EV_ABS, absolute, 8),
        (EV_FF, (), 16),
    ]:
        answers.append((f"EVIOCGBIT({kind})", size, bits(numbers, size)))
    answers += [(f"EVIOCGABS({code})", 0, struct.pack("<6i", *values, 0)) for code, values in absolute.items()]
    answers.append(("EVIOCGKEY", 96, bits([pad["keys"][button] for button in held], 96)))
    return "".join(f"{request} {result} {data.hex().upper()}\n" for request, result, data in answers)


def description(pad, event, uniq, node, joystick):
    """The input device and its file, in umockdev's own format."""
    bus, vendor, product, version = pad["id"]
    joystick = "E: SUBSYSTEM=input\nE: ID_INPUT=1\nE: ID_INPUT_" + ("JOYSTICK=1" if joystick else "KEY=1")
    return f"""\
P: /devices/mock/input/input{event}
{joystick}
E: PRODUCT={bus:x}/{vendor:x}/{product:x}/{version:x}
E: NAME="{pad["name"]}"
A: name={pad["name"]}
A: uniq={uniq}

P: /devices/mock/input/input{event}/event{event}
{f"N: input/event{event}" if node else ""}
{joystick}
E: DEVNAME=/dev/input/event{event}
E: MAJOR=13
E: MINOR={64 + event}
A: dev=13:{64 + event}
L: device=../../input{event}

""".replace("\n\nE: SUBSYSTEM", "\nE: SUBSYSTEM")


class Testbed:
    """The parts of libumockdev's testbed that are needed here."""

    def __init__(self):
        self.library, self.gobject = ctypes.CDLL("libumockdev.so.0"), ctypes.CDLL("libgobject-2.0.so.0")
        self.library.umockdev_testbed_new.restype = ctypes.c_void_p
        self.library.umockdev_testbed_get_root_dir.restype = ctypes.c_char_p
        self.testbed = ctypes.c_void_p(self.library.umockdev_testbed_new())

    def call(self, function, *texts):
        """Calls the function and returns its result."""
        arguments = (text.encode() for text in texts)
        return getattr(self.library, f"umockdev_testbed_{function}")(self.testbed, *arguments)

    def must(self, function, *texts):
        """Calls a function that may fail; its last argument is for the reason, which the library prints."""
        if not getattr(self.library, f"umockdev_testbed_{function}")(
            self.testbed, *(text.encode() for text in texts), None
        ):
            raise RuntimeError(f"umockdev refuses {function}({', '.join(texts)})")

    def close(self):
        """Removes its folder."""
        self.gobject.g_object_unref(self.testbed)


class Pad:
    """A pad that is plugged in, with these buttons held and these axes moved, and with links in /dev/input to its file.

    Its file is a pseudo terminal: what is written at one end, the program reads at the other one. With the fault "mute"
    the kernel answers nothing about it. One that "hangs" does so while the program opens it for the first time, to see
    what it is; at `fail` that goes on, and there is no second time.
    """

    def __init__(self, testbed, event, pad, uniq="", held=(), axes=None, links=(), fault=None, joystick=True):
        self.testbed, self.kind, self.event = testbed, PADS[pad], event
        self.node = f"/dev/input/event{event}"
        # The kernel's answers first: the program asks as soon as the device is announced.
        if fault != "mute":
            with tempfile.NamedTemporaryFile("w", suffix=".ioctl") as file:
                file.write(ioctls(self.kind, held, axes or {}))
                file.flush()
                testbed.must("load_ioctl", self.node, file.name)
        root = testbed.call("get_root_dir").decode()
        self.links = [f"{root}/dev/input/{link}" for link in links]
        for link in self.links:
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(f"../event{event}", link)
        if fault == "hangs":
            # Opening a named pipe blocks until its other end is open.
            self.pipe = root + self.node
            os.makedirs(os.path.dirname(self.pipe), exist_ok=True)
            os.mkfifo(self.pipe)
        testbed.must("add_from_string", description(self.kind, event, uniq, fault != "hangs", joystick))
        if fault is None:
            self.end = testbed.call("get_dev_fd", self.node)
            # Not opened by its name, which umockdev would treat as a device's.
            self.other_end = fcntl.ioctl(self.end, TIOCGPTPEER, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)

    def fail(self):
        os.rename(self.pipe, f"{self.pipe}.gone")
        self.end = os.open(f"{self.pipe}.gone", os.O_WRONLY)

    def report(self, axes=None, buttons=None, hat=None):
        """All changes, and the mark that ends them."""
        codes = sorted(STICKS + TRIGGERS)
        changes = [(EV_ABS, codes[int(axis)], value) for axis, value in (axes or {}).items()]
        changes += [(EV_KEY, self.kind["keys"][int(button)], int(down)) for button, down in (buttons or {}).items()]
        changes += [(EV_ABS, code, value) for code, value in zip(HAT, hat or ())]
        self.stamp = time.time_ns() // 1000
        stamp = (self.stamp // 1_000_000, self.stamp % 1_000_000)
        return b"".join(struct.pack("@qqHHi", *stamp, *change) for change in [*changes, (EV_SYN, 0, 0)])

    def write(self, data):
        """Waits for room: where the terminal is full, an event would be torn in two."""
        until = time.monotonic() + 5.0
        while self.unread() + len(data) > 2048:
            if time.monotonic() > until:
                raise TimeoutError(f"{self.node} was not read for 5 s")
            time.sleep(0.0002)
        os.write(self.end, data)

    def unread(self):
        """The number of unread bytes."""
        return struct.unpack("i", fcntl.ioctl(self.other_end, termios.FIONREAD, bytes(4)))[0]

    def act(self, batches, pause=0.0, also=None):
        pads = {"stamps": self} | ({"also": also} if also else {})
        stamps = {name: [] for name in pads}
        for batch in batches:
            for name, pad in pads.items():
                pad.write(pad.report(**batch))
                stamps[name].append(pad.stamp)
                if pause:
                    time.sleep(pause / len(pads))
        return stamps

    def flood(self, axis, rate, seconds, last):
        start, count = time.monotonic(), 0
        while (passed := time.monotonic() - start) < seconds:
            if count > rate * passed:
                time.sleep(0.0001)
                continue
            # A saw of 128 teeth: no report is like the one before.
            self.write(self.report(axes={axis: (count % 128 - 64) * 500}))
            count += 1
        self.write(self.report(axes={axis: last}))
        return {"reports": count}

    def unplug(self, held=(), gap=0.0):
        """As the kernel does it: it reports held buttons as released, and the removal a moment later."""
        if held:
            self.write(self.report(buttons=dict.fromkeys(held, 0)))
            time.sleep(gap)
        os.close(self.other_end)
        for link in self.links:
            os.unlink(link)
        parent = f"/sys/devices/mock/input/input{self.event}"
        for path in (f"{parent}/event{self.event}", parent):
            self.testbed.call("uevent", path, "remove")
            self.testbed.call("remove_device", path)


class Harness:
    """The program and its pads."""

    def __init__(self, command):
        self.command, self.child, self.beside = command, None, None
        self.testbed, self.pads = Testbed(), {}
        self.asked = queue.SimpleQueue()
        # Through a pipe, since a signal does not reliably wake the queue.
        self.wake_pipe, wake_end = os.pipe()
        os.set_blocking(wake_end, False)
        signal.set_wakeup_fd(wake_end)
        signal.signal(signal.SIGTERM, lambda *_: None)
        for source in (self.read, lambda: self.asked.put(os.read(self.wake_pipe, 1) and None)):
            threading.Thread(target=source, daemon=True).start()

    def read(self):
        for line in sys.stdin:
            self.asked.put(line)
        self.asked.put(None)

    def run(self):
        while (line := self.asked.get()) is not None:
            try:
                answer = self.carry_out(**json.loads(line)) or {}
            except Exception as error:  # the caller must receive every error
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps({"at": time.monotonic()} | answer), flush=True)
        return self.close()

    def carry_out(self, do, **fields):
        if do == "start":
            return self.start(**fields)
        event = fields.pop("event")
        if do == "plug":
            kind = HidPad if fields["pad"] == "stadia" else Pad
            self.pads[event] = kind(self.testbed, event, **fields)
        elif do == "unplug":
            self.pads.pop(event).unplug(**fields)
        else:
            if "also" in fields:
                fields["also"] = self.pads[fields["also"]]
            return getattr(self.pads[event], {"act": "act", "flood": "flood", "fail": "fail"}[do])(**fields)

    def start(self, beside=None):
        self.beside = run(beside) if beside else None
        self.child = run(self.command)
        threading.Thread(target=lambda: (self.child.wait(), self.asked.put(None)), daemon=True).start()

    def close(self):
        code = 0
        if self.beside:
            self.beside.terminate()
            self.beside.wait()
        if self.child:
            self.child.terminate()  # has no effect if it has ended
            try:
                code = self.child.wait(4.0)
            except subprocess.TimeoutExpired:
                self.child.kill()
                code = self.child.wait()
        self.testbed.close()
        return code if code >= 0 else 128 - code


def run(command):
    # The library has put the testbed into the environment of C, which is inherited; os.environ does not know it.
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, preexec_fn=die_with_parent)


def die_with_parent():
    """Ends the program even if this process is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(Harness(sys.argv[1:]).run())
