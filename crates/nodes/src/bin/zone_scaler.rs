//! Executable `zone_scaler`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::zone_scaler::NAME, nodes::zone_scaler::run)
}
