"""Programs in C that were written for HAPTIX, compiled with cc against libhaptix, before the real node."""

import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import time

import pytest
from hands import hand
from paths import ROOT
from processes import Process

SOURCE = ROOT / "crates/libhaptix"
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{SOURCE / 'include'}"]
GARBAGE = 0xA5A5A5A5


def built():
    library = pathlib.Path(shutil.which("haptix")).parent / "libhaptix.so"
    assert library.is_file(), f"{library} is missing: `cargo build -p libhaptix`"
    return library.parent


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The folder of the compiled programs."""
    folder = tmp_path_factory.mktemp("programs")
    link = [f"-L{built()}", f"-Wl,-rpath,{built()}", "-lhaptix", "-lpthread", "-lm"]
    for file in ["tests/layout.c", "tests/probe.c", "examples/sine.c"]:
        path = SOURCE / file
        linked = [] if path.stem == "layout" else link
        compiled = subprocess.run(["cc", "-std=c11", *STRICT, path, "-o", folder / path.stem, *linked], capture_output=True, text=True)
        assert compiled.returncode == 0, compiled.stderr
    return folder


class Outcome:
    """What a program printed, line by line, and on stderr."""

    def __init__(self, lines, errors):
        self.lines, self.errors = lines, errors

    def results(self, function):
        """The results of the calls of a function, and how long each took [ms]."""
        found = [re.fullmatch(rf"{function} (\d) (\d+) ms", line) for line in self.lines]
        return [(int(one[1]), int(one[2])) for one in found if one]

    def lasts(self):
        return [line.removeprefix("last ") for line in self.lines if line.startswith("last ")]

    def structs(self):
        """The 32-bit words of each struct that was printed."""
        return [[int(word, 16) for word in line.split()] for line in self.lines if re.fullmatch(r"([0-9a-f]{8} ?){20,}", line)]


def probe(programs, script, namespace="", **environment):
    """Runs the probe, to its end."""
    variables = {**os.environ, "HAPTIX_NAMESPACE": namespace, **environment}
    ended = subprocess.run([programs / "probe", *script.split()], capture_output=True, text=True, env=variables, timeout=60.0)
    assert ended.returncode == 0, f"exit code {ended.returncode}: {ended.stdout}{ended.stderr}"
    return Outcome(ended.stdout.splitlines(), ended.stderr.splitlines())


def words(*floats):
    return list(struct.unpack(f"{len(floats)}I", struct.pack(f"{len(floats)}f", *floats)))


def padded(values):
    """32 places, of which the first have values."""
    width = len(values[0]) if isinstance(values[0], tuple) else 1
    flat = [float(part) for value in values for part in (value if width > 1 else (value,))]
    return words(*flat, *[0.0] * (32 * width - len(flat)))


# ---------------------------------------------------------------------------------------------------- without a node
def test_the_layout_is_that_of_haptix_comm(programs):
    """The sizes and all offsets are checked by the compiler."""
    assert subprocess.run([programs / "layout"]).returncode == 0
    source = (SOURCE / "tests/layout.c").read_text()
    assert source.count("AT(hx") == 2 + 10 + 10 + 7, "a field is not checked"
    wrong = source.replace("AT(hxSensor, contact, 648)", "AT(hxSensor, contact, 652)")
    compiled = subprocess.run(["cc", "-std=c11", *STRICT, "-x", "c", "-fsyntax-only", "-"], input=wrong, capture_output=True, text=True)
    assert compiled.returncode != 0 and "hxSensor.contact" in compiled.stderr


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_the_header_is_one_for_cpp_too():
    source = "#include <haptix/comm/haptix.h>\n#include <haptix.h>\nint main() { return hx_close() == hxOK ? 0 : 1; }\n"
    compiled = subprocess.run(["c++", *STRICT, "-x", "c++", "-fsyntax-only", "-"], input=source, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr


def test_without_a_node_each_call_ends_after_a_second_with_the_reason(programs):
    """The first call of a connection has the time of a connect. What was in the structs: an update and the info are zeroed, a reading is left as it was."""
    found = probe(programs, "last rubbish info raw info read raw sensor update raw sensor last close", "nowhere")
    for function, least in [("info", 4990), ("read", 990), ("update", 990)]:
        ((result, millis),) = found.results(function)
        assert result == 1 and least <= millis < least + 610, (function, millis)
    info, untouched, zeroed = found.structs()
    assert info == [0] * 133 and untouched == [GARBAGE] * 514 and zeroed == [0] * 514
    before, last = found.lasts()
    assert before == ""
    assert last.startswith("hx_update() Service call timed out. Service '/nowhere/haptix/update' is not there"), last
    assert found.errors[0].startswith("hx_robot_info() Service call timed out.") and last in found.errors, "also on stderr"


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config")
def test_a_program_finds_the_library_by_pkg_config_and_cmake(tmp_path, monkeypatch):
    """In a prefix with the places that colcon installs to."""
    install = (ROOT / "crates/CMakeLists.txt").read_text()
    for rule in ['include/" DESTINATION include/haptix-comm', "DESTINATION lib/cmake/haptix-comm", "DESTINATION lib/pkgconfig", 'libhaptix.so" DESTINATION lib)']:
        assert rule in install, rule
    prefix = tmp_path / "install"
    shutil.copytree(SOURCE / "include", prefix / "include/haptix-comm")
    for file, folder in [("haptix-comm.pc", "pkgconfig"), ("haptix-comm-config.cmake", "cmake/haptix-comm"), ("haptix-comm-config-version.cmake", "cmake/haptix-comm")]:
        (prefix / "lib" / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / "cmake" / file, prefix / "lib" / folder)
    (prefix / "lib/libhaptix.so").symlink_to(built() / "libhaptix.so")
    monkeypatch.setenv("PKG_CONFIG_PATH", str(prefix / "lib/pkgconfig"))
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "haptix-comm"], text=True).split()
    subprocess.run(["cc", SOURCE / "examples/sine.c", *flags, "-lm", "-o", tmp_path / "sine"], check=True)
    if shutil.which("cmake") is None:
        return
    lists = """
        cmake_minimum_required(VERSION 3.16)
        project(mine C)
        find_package(haptix-comm REQUIRED)
        add_executable(by_target SINE)
        target_link_libraries(by_target haptix::haptix m)
        add_executable(by_variables SINE)
        target_include_directories(by_variables PRIVATE ${HAPTIX-COMM_INCLUDE_DIRS})
        target_link_libraries(by_variables ${HAPTIX-COMM_LIBRARIES} m)
    """
    (tmp_path / "CMakeLists.txt").write_text(lists.replace("SINE", str(SOURCE / "examples/sine.c")))
    for step in [["-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"], ["--build", tmp_path / "build"]]:
        done = subprocess.run(["cmake", *step], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_connect_without_a_node_goes_on_with_a_line(programs):
    found = probe(programs, "connect last close", "nowhere")
    ((result, millis),) = found.results("connect")
    assert result == 0 and 4990 <= millis < 5600 and found.lasts() == [""]
    assert found.errors[0].startswith("hx_connect() goes on without a hand: Service call timed out. Service '/nowhere/haptix/"), found.errors


@pytest.mark.parametrize(
    ("variable", "value", "rule"),
    [
        ("HAPTIX_WAIT_FOR_TICK", "no", "must be 0 or 1"),
        ("HAPTIX_NAMESPACE", "left hand", "must be names of letters, digits and '_' with '/' between them"),
    ],
)
def test_a_variable_that_is_wrong_is_an_error_of_each_call(programs, variable, value, rule):
    found = probe(programs, "connect last update last", **{variable: value})
    assert [found.results(function)[0][0] for function in ["connect", "update"]] == [1, 1]
    assert all(last.startswith(f"hx_{call}() {variable} is '{value}', {rule}") for call, last in zip(["connect", "update"], found.lasts(), strict=True))


def test_null_is_an_error_and_no_crash(programs):
    found = probe(programs, "null last raw sensor", "nowhere")
    assert "null 1 1 1 1" in found.lines
    assert found.structs() == [[0] * 514], "an update without a command still zeroes the reading"
    assert found.lasts() == ["hx_read_sensors() got NULL for its hxSensor."]


# ------------------------------------------------------------------------------------------------------ known values
def test_the_values_of_the_dummy_responder_arrive_unchanged(programs):
    """The values and the zeros after them, bit by bit; the structs were full of rubbish before."""
    info = [4, 5, 6, 7, *padded([(-i, i) for i in range(4)]), *padded([(-i, i) for i in range(5)]), *words(8.0)]
    sensor = [9, 10]
    sensor += padded(range(4)) + padded(range(1, 5)) + padded(range(2, 6))
    sensor += padded(range(5)) + padded(range(1, 6)) + padded(range(6))
    sensor += padded([(i, i + 1, i + 2) for i in range(7)]) + padded([(i + 3, i + 4, i + 5) for i in range(7)])
    sensor += padded([(i + 9, i + 6, i + 7, i + 8) for i in range(7)])
    info[4] = info[68] = words(-0.0)[0]  # the least position of part 0
    with hand(namespace="/dummy", device="dummy"):
        found = probe(programs, "rubbish connect info raw info update raw sensor rubbish read raw sensor", "dummy")
        assert found.results("info")[0][0] == found.results("update")[0][0] == found.results("read")[0][0] == 0
        assert found.structs() == [info, sensor, sensor]
        assert found.errors == []


# ---------------------------------------------------------------------------------------------------- the real hand
@pytest.fixture(scope="module")
def right():
    with hand(namespace="/right") as started:
        yield started


def motors(outcome):
    """The positions of the motors in the last struct that was printed."""
    return struct.unpack("32f", struct.pack("32I", *outcome.structs()[-1][2:34]))


def test_a_command_moves_the_hand_whatever_is_in_unused_entries(programs, right):
    right.reset()
    live = " ".join(f"set ref_pos {motor} {0.4 if motor == 0 else 0.0}" for motor in range(13))
    repeated = "update sleep 20 " * 30
    found = probe(programs, f"connect rubbish {live} flag ref_pos 1 {repeated} raw sensor", "right")
    assert {result for result, _ in found.results("update")} == {0}, found.errors
    assert abs(motors(found)[0] - 0.4) < 0.01 and motors(found)[13:] == (0.0,) * 19


def test_a_flag_is_any_integer_and_set_by_one_only(programs, right):
    right.reset()
    some = "update sleep 20 " * 10 + "raw sensor"
    flags = [(0, 0.5), (-1, 0.5), (-2147483648, 0.5), (2, 0.5), (256, 0.5), (2147483647, 0.5), (1, 0.5)]
    found = probe(programs, f"connect {' '.join(f'set ref_pos 0 {place} flag ref_pos {flag} {some}' for flag, place in flags)}", "right")
    places = [struct.unpack("f", struct.pack("I", words[2]))[0] for words in found.structs()]
    assert places[:6] == [0.0] * 6 and places[6] > 0.1, places


def test_a_program_that_never_sets_its_flags_moves_nothing(programs, right):
    """As hx_requester.c of haptix-comm: all values are set, and the flags are what was on the stack."""
    right.reset()
    groups = ["ref_pos", "ref_vel", "ref_vel_max", "gain_pos", "gain_vel"]
    values = " ".join(f"set {group} {motor} {motor + 1}" for group in groups for motor in range(13))
    for rubbish in [0x7FFD, 0x55D3, -0x80000000, 0x40000000, 4, 32]:
        flags = " ".join(f"flag {group} {rubbish}" for group in groups)
        found = probe(programs, f"connect info {values} {flags} {'update sleep 10 ' * 10} raw sensor", "right")
        assert {result for result, _ in found.results("update")} == {0}, found.errors
        assert motors(found) == (0.0,) * 32, rubbish


def test_what_the_node_refuses_is_an_error_with_its_reason(programs, right):
    found = probe(programs, "connect rubbish set ref_pos 0 nan flag ref_pos 1 update raw sensor last update read last", "right")
    assert [result for result, _ in found.results("update")] == [1, 1] and found.results("read")[0][0] == 0
    reason = "hx_update() Service call failed. ref_pos[0] is NaN, must be a finite number [rad]"
    assert found.lasts() == [reason, reason], "a success does not clear it"
    assert found.structs()[0] == [0] * 514


def test_a_live_entry_that_is_no_number_refuses_the_command_whichever_group_it_is_in(programs, right):
    groups = ["ref_pos", "ref_vel", "ref_vel_max", "gain_pos", "gain_vel"]
    for value, shown in [("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf")]:
        script = " ".join(f"rubbish set {group} 12 {value} flag {group} 1 update last" for group in groups)
        # The other motors of the group are there, and at 0.
        zeros = {group: " ".join(f"set {group} {motor} 0" for motor in range(12)) for group in groups}
        for group in groups:
            script = script.replace(f"rubbish set {group} ", f"rubbish {zeros[group]} set {group} ")
        found = probe(programs, f"connect info {script}", "right")
        assert [result for result, _ in found.results("update")] == [1] * 5
        for group, last in zip(groups, found.lasts(), strict=True):
            assert last.startswith(f"hx_update() Service call failed. {group}[12] is {shown}, must be "), last


def test_a_device_that_stops_answering_is_an_error_with_its_reason(programs, right):
    right.reset()
    assert right.set("simulation.is_silent", True) is None
    try:
        right.wait_for_state("NOT_ANSWERING")
        found = probe(programs, "connect rubbish flag ref_pos 0 update raw sensor last read last info", "right")
    finally:
        assert right.set("simulation.is_silent", False) is None
    assert {result for function in ["update", "read", "info"] for result, _ in found.results(function)} == {1}
    reason = "Service call failed. the device has given no reading for 1000 ms"
    assert found.lasts() == [f"hx_update() {reason}", f"hx_read_sensors() {reason}"]
    assert found.structs() == [[0] * 514]
    assert all(millis < 500 for function in ["read", "info"] for _, millis in found.results(function)), "at once"
    right.wait_for_state("HOLDING")
    assert probe(programs, "connect update", "right").results("update")[0][0] == 0


def test_two_programs_at_once_are_both_served_and_the_last_one_wins(programs, right, monkeypatch):
    right.reset()
    live = {place: " ".join(f"set ref_pos {motor} {place if motor == 0 else 0}" for motor in range(13)) for place in (0.4, -0.4)}
    both = [begin(programs, f"connect info {live[place]} flag ref_pos 1 {'update sleep 5 ' * 150}", "right", monkeypatch) for place in live]
    for process in both:
        assert {result for result, _ in finish(process).results("update")} == {0}, process.output
    found = probe(programs, f"connect {live[-0.4]} flag ref_pos 1 {'update sleep 20 ' * 30} raw sensor", "right")
    assert abs(motors(found)[0] + 0.4) < 0.01


def test_a_program_that_is_killed_leaves_a_hand_that_holds_and_serves_the_next_one(programs, right, monkeypatch):
    right.reset()
    live = " ".join(f"set ref_pos {motor} {0.3 if motor == 0 else 0}" for motor in range(13))
    process = begin(programs, f"connect info {live} flag ref_pos 1 {'update sleep 5 ' * 4000}", "right", monkeypatch)
    right.graph.wait(lambda: process.output.count("update 0") > 50, lambda: process.output, 10.0)
    right.wait_for_state("FOLLOWING")
    process.kill()
    right.wait_for_state("HOLDING")
    found = probe(programs, "connect update raw sensor", "right")
    assert found.results("update")[0][0] == 0 and abs(motors(found)[0] - 0.3) < 0.01, "it holds where it was"


def test_a_refusal_paces_a_loop_and_is_printed_once_a_second(programs, right):
    """A loop that goes on at once after an error has no other pace: a period of 10 ms, or 20 ms while the rate is not known."""
    right.reset()
    wrong = "rubbish set ref_pos 0 nan flag ref_pos 1"
    for script, period in [("connect info", 10), ("connect", 20)]:
        start = time.monotonic()
        found = probe(programs, f"{script} {wrong} {'update ' * 120}", "right")
        took = time.monotonic() - start
        assert [result for result, _ in found.results("update")] == [1] * 120
        assert sum(millis for _, millis in found.results("update")) >= 120 * (period - 1), period
        assert 1 <= len(found.errors) <= 1 + took, found.errors
    assert right.set("simulation.is_silent", True) is None
    right.wait_for_state("NOT_ANSWERING")
    found = probe(programs, f"connect {'update ' * 20}", "right")
    assert right.set("simulation.is_silent", False) is None
    assert {result for result, _ in found.results("update")} == {1} and len(found.errors) <= 2, found.errors
    assert all(19 <= millis < 900 for _, millis in found.results("update")), found.results("update")


def test_a_program_that_does_not_connect_has_time_to_find_the_hand(programs, monkeypatch):
    process = begin(programs, "info read", "late", monkeypatch)
    time.sleep(1.2)  # longer than a call takes otherwise
    with hand(namespace="/late"):
        found = finish(process)
    ((result, millis),) = found.results("info")
    assert result == 0 and millis > 1000 and found.results("read")[0][0] == 0, process.output


def test_an_update_waits_for_the_tick_on_request(programs, right):
    updates = "update " * 20
    assert sum(millis for _, millis in probe(programs, f"connect update {updates}", "right").results("update")[1:]) < 150
    waited = probe(programs, f"connect update {updates}", "right", HAPTIX_WAIT_FOR_TICK="1").results("update")[1:]
    assert sum(millis for _, millis in waited) > 150, "20 ticks of 10 ms"


def test_threads_may_call_at_the_same_time(programs, right):
    # A thousand updates, and as many of the other calls, without waiting.
    found = probe(programs, "connect info threads 8 125 0", "right")
    assert "threads 0 errors" in found.lines, found.lines + found.errors
    # With the connection ended in between calls may fail, as long as it takes to find the node again; nothing worse happens.
    found = probe(programs, "connect info threads 4 20 1 connect info", "right")
    assert found.results("info")[-1][0] == 0, found.errors


def begin(programs, script, namespace, monkeypatch):
    """Starts the probe in the background; its lines come as it prints them."""
    monkeypatch.setenv("HAPTIX_NAMESPACE", namespace)
    return Process(str(programs / "probe"), *script.split())


def finish(process):
    assert process.wait(30.0) == 0, process.output
    return Outcome(process.lines, process.lines)


def test_a_node_that_does_not_answer_is_a_time_out_and_its_late_answer_is_not_the_next_one(programs, right, monkeypatch):
    script = "connect info sleep 600 flag ref_pos 1 update last sleep 1200 flag ref_pos 0 update raw sensor"
    process = begin(programs, script, "right", monkeypatch)
    right.graph.wait(lambda: "info 0" in process.output, lambda: process.output, 10.0)
    right.process.process.send_signal(signal.SIGSTOP)
    right.graph.wait(lambda: "last" in process.output, lambda: process.output, 10.0)
    right.process.process.send_signal(signal.SIGCONT)
    found = finish(process)
    (first, took), (second, _) = found.results("update")
    assert (first, second) == (1, 0) and 990 <= took < 1600, (first, took, second)
    assert "did not answer within 1000 ms" in found.lasts()[0]
    assert any(found.structs()[0]), "a reading"


def test_a_node_that_ends_and_comes_back_is_found_again(programs, monkeypatch):
    with hand(namespace="/brief") as brief:
        process = begin(programs, "connect info sleep 1500 update connect info", "brief", monkeypatch)
        brief.graph.wait(lambda: "info 0" in process.output, lambda: process.output, 10.0)
    with hand(namespace="/brief"):
        found = finish(process)
    assert [result for result, _ in found.results("info")] == [0, 0], process.output


def test_the_example_moves_all_motors(programs, right, monkeypatch):
    right.reset()
    monkeypatch.setenv("HAPTIX_NAMESPACE", "/right/")
    sine = Process(str(programs / "sine"), "2.0")
    assert sine.wait(20.0) == 0, sine.output
    first, last = sine.output.splitlines()
    assert first == "13 motors, 22 joints, 19 contact sensors, 5 inertial units, 100 Hz"
    error = float(re.fullmatch(r"at [\d.]+ s; farthest from its sine: ([\d.]+) % of a range", last)[1])
    assert 0.0 < error < 20.0, last
