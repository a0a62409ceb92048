"""A gamepad at hidraw, which SDL's own driver reads, for `mock_pad.py`."""

import os
import threading

# Google's Stadia pad over Bluetooth: its reports are simple, and SDL sends it no requests.
NAME, ID = "Stadia", (5, 0x18D1, 0x9400)
AT_REST = (0x03, 0x08, 0, 0, 0x80, 0x80, 0x80, 0x80, 0, 0)
FIRST_AXIS = 4  # the sticks, then the triggers, as SDL numbers them
# Byte and bit of A, B, X, Y, back, guide, start, left stick, right stick, left shoulder, right shoulder.
BITS = ((3, 6), (3, 5), (3, 4), (3, 3), (2, 6), (2, 4), (2, 5), (3, 0), (2, 7), (3, 2), (3, 1))
REPORTS = 0.008  # from one to the next [s]


def description(number, uniq):
    """The device and its file, in umockdev's own format."""
    bus, vendor, product = ID
    hid = f"/devices/mock/hid/{bus:04X}:{vendor:04X}:{product:04X}.{number:04X}"
    return f"""\
P: {hid}
E: SUBSYSTEM=hid
E: HID_ID={bus:04X}:{vendor:08X}:{product:08X}
E: HID_NAME={NAME}
E: HID_UNIQ={uniq}

P: {hid}/hidraw/hidraw{number}
N: hidraw{number}
E: SUBSYSTEM=hidraw
E: DEVNAME=/dev/hidraw{number}
E: MAJOR=240
E: MINOR={number}
A: dev=240:{number}

"""


class HidPad:
    """A connected pad: it reports all the time, whether it is moved or not; with `silent` only when it is moved.

    Its file is a pseudo terminal, of which SDL reads one report, or several of which the first counts.
    """

    def __init__(self, testbed, event, pad, uniq="a0:5a:5c:01:02:03", held=(), silent=False):
        self.testbed, self.state, self.gone = testbed, list(AT_REST), threading.Event()
        self.press({button: True for button in held})
        self.description = description(event, uniq)
        testbed.must("add_from_string", self.description)
        self.end = testbed.call("get_dev_fd", f"/dev/hidraw{event}")
        os.set_blocking(self.end, False)
        self.thread = threading.Thread(target=self.report_on, daemon=True)
        if not silent:
            self.thread.start()

    def press(self, buttons):
        for button, down in buttons.items():
            byte, bit = BITS[int(button)]
            self.state[byte] = self.state[byte] & ~(1 << bit) | down << bit

    def report(self):
        try:
            os.write(self.end, bytes(self.state))
        except BlockingIOError:
            pass  # no reader, as with a real pad that is not read

    def report_on(self):
        while not self.gone.wait(REPORTS):
            self.report()

    def act(self, batches, pause=0.0):
        for batch in batches:
            for axis, value in batch.get("axes", {}).items():
                self.state[FIRST_AXIS + int(axis)] = value
            self.press(batch.get("buttons", {}))
            self.report()
            self.gone.wait(pause)

    def unplug(self):
        self.gone.set()
        if self.thread.is_alive():
            self.thread.join()
        paths = [line[3:] for line in self.description.splitlines() if line.startswith("P: ")]
        for path in reversed(paths):
            self.testbed.call("uevent", f"/sys{path}", "remove")
            self.testbed.call("remove_device", f"/sys{path}")
