"""A library of controllers that tests change and build."""

import os
import shutil
import subprocess

from paths import ROOT

EXAMPLE = ROOT / "crates/controller_plugin/example"
SWAY = ["-p", "sway.type:=sway/Sway", "-p", "sway.joint:=tilt"]


class Project:
    """A copy of the example beside a copy of the crate that it depends on, and a folder for the library."""

    def __init__(self, path):
        self.path, self.libraries = path, path / "libraries"
        shutil.copytree(EXAMPLE.parent, path / "controller_plugin", ignore=shutil.ignore_patterns("target"))
        self.libraries.mkdir()

    def change(self, file, before, after):
        file = self.path / "controller_plugin" / file
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after))

    def line(self, text):
        """The number of the only line of the library's source with this text."""
        lines = (self.path / "controller_plugin/example/src/lib.rs").read_text().splitlines()
        (number,) = [number for number, line in enumerate(lines, 1) if text in line]
        return number

    def build(self, name="libsway.so"):
        environment = {**os.environ, "CARGO_TARGET_DIR": str(self.path / "target"), "CARGO_NET_OFFLINE": "true"}
        command = ["cargo", "build", "--quiet", "--manifest-path", str(self.path / "controller_plugin/example/Cargo.toml")]
        subprocess.run(command, check=True, env=environment, timeout=100)
        # As a build in place would: the file is replaced, not written over.
        shutil.copy(self.path / "target/debug/libsway.so", self.libraries / "new")
        os.replace(self.libraries / "new", self.libraries / name)

    def arguments(self):
        return ["-p", f"plugin_folders:=[{self.libraries}]", *SWAY]
