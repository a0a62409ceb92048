//! Writes each sample as `<name>.svg` into a folder: `cargo run -p pictures --example draw -- <folder>`.

use std::path::PathBuf;
use std::process::ExitCode;

mod samples;
mod svg;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("into which folder?");
        return ExitCode::FAILURE;
    };
    for (name, snapshot) in samples::all() {
        let path = folder.join(name).with_extension("svg");
        if let Err(error) = std::fs::write(&path, svg::svg(&snapshot)) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}", path.display());
    }
    ExitCode::SUCCESS
}
