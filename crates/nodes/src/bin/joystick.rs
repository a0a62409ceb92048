//! Executable `joystick`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::joystick::NAME, nodes::joystick::run)
}
