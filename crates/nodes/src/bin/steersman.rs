//! Executable `steersman`, which is `joystick` by that name.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::executables::main(&nodes::executables::WITH_SDL)
}
