"""Resolves ros2.in with pip alone, for every Python that setup accepts, and prints ros2.lock.

Run by `cargo xtask lock` in a throw-away virtual environment: `python resolve.py ros2.in`.
"""

import json
import re
import subprocess
import sys
import tempfile

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
# pip takes a wheel only if its tag is named: these are all that glibc 2.28 and newer can load.
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_24_x86_64", "manylinux2014_x86_64",
             "manylinux2010_x86_64", "manylinux_2_5_x86_64", "manylinux1_x86_64", "linux_x86_64"]


def wanted(lines, python):
    """The requirements that apply to one Python. pip itself would ask the Python it runs on."""
    minor = int(python.split(".")[1])
    for line in lines:
        name, _, marker = line.split("#")[0].partition(";")
        bound = re.search(r'python_version\s*<\s*"3\.(\d+)"', marker)
        if marker and not bound:
            sys.exit(f"ros2.in: only python_version < \"3.N\" is understood, not {marker.strip()!r}")
        if name.strip() and (not bound or minor < int(bound[1])):
            yield name.strip()


def resolve(lines, python):
    """`name -> (version, sha256)` for one Python."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/in", "w") as file:
            file.write("\n".join(wanted(lines, python)))
        tag = "cp" + python.replace(".", "")
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps",
             "--target", f"{folder}/none", "--report", f"{folder}/report", "--python-version", python,
             "--implementation", "cp", "--abi", tag, "--abi", "abi3", "--abi", "none",
             *(word for name in PLATFORMS for word in ("--platform", name)), "-r", f"{folder}/in"], check=True)
        with open(f"{folder}/report") as file:
            report = json.load(file)
    found = {}
    for item in report["install"]:
        name = re.sub(r"[-_.]+", "-", item["metadata"]["name"]).lower()
        found[name] = (item["metadata"]["version"], item["download_info"]["archive_info"]["hashes"]["sha256"])
    return found


def main():
    with open(sys.argv[1]) as file:
        lines = file.read().splitlines()
    table = {}  # name -> version -> (pythons, hashes)
    for python in PYTHONS:
        print(f"resolving for Python {python}", file=sys.stderr)
        for name, (version, sha256) in resolve(lines, python).items():
            pythons, hashes = table.setdefault(name, {}).setdefault(version, ([], []))
            pythons.append(python)
            if sha256 not in hashes:
                hashes.append(sha256)
    print("# Made by `cargo xtask lock` from ros2.in: do not edit. x86-64 Linux, CPython " + ", ".join(PYTHONS) + ".")
    for name, versions in sorted(table.items()):
        for version, (pythons, hashes) in versions.items():
            marker = " or ".join(f'python_version == "{python}"' for python in pythons)
            print(f"{name}=={version}" + (f" ; {marker}" if pythons != PYTHONS else ""), end="")
            print("".join(f" \\\n    --hash=sha256:{sha256}" for sha256 in sorted(hashes)))


main()
