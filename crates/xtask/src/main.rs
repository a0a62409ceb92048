//! The commands of this repository: `cargo xtask COMMAND`.
//!
//! | command | file | purpose |
//! |---|---|---|
//! | `setup` | [`setup`] | ROS 2, the interface packages, the system's packages, if missing |
//! | `env` | [`environment`] | the environment for a shell |
//! | `run`, `demo`, `bench` | [`run`] | build the executables and run one |
//! | `test` | [`mod@test`] | everything that CI checks |
//! | `prove` | [`prove`] | the stop machine's proof with the real constants |
//! | `soak` | [`soak`] | long runs of random faults, on the machines and over DDS |
//! | `lock` | [`lock`] | resolve the wheels anew |

mod environment;
mod lock;
mod process;
mod prove;
mod report;
mod root;
mod run;
mod setup;
mod soak;
mod test;

use std::process::ExitCode;

use report::{Failure, step};
use root::Root;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  setup                    get what building and running needs: ROS 2 (the sourced one, else one of wheels in .ros2/),
                           the interface packages, missing Debian packages; does nothing the second time
  env                      print the environment: eval \"$(cargo xtask env)\"
  run NODE [-- ARGS]       set up, build, and run one node, e.g. run joystick -- --ros-args -p x:=1
  demo [ARGS]              set up, build, and run the demonstration
  bench [ARGS]             set up, build for release, and measure
  test [--quick]           everything that CI checks; --quick: only what needs no ROS
  prove [--soak SECONDS]   the stop machine with the real constants, half an hour: every part, each two; or random faults for so long
  soak [SECONDS]           random faults on the machines, then on hindbrain and on the chain over DDS, 600 s each
  lock                     choose the versions of the wheels anew (crates/xtask/ros2.in to ros2.lock)

demo, bench, test and soak stay on this machine in a ROS domain of their own, whatever ROS_DOMAIN_ID is; STEERSMAN_DOMAIN
(0 to 232) chooses it.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // The arguments after a name; a leading `--` only separates.
    let rest = |skipped: usize| {
        let arguments = &arguments[skipped..];
        arguments.strip_prefix(&["--".to_owned()]).unwrap_or(arguments)
    };
    let outcome = match words[..] {
        ["--help" | "-h" | "help"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        ["setup"] => Root::find().and_then(|root| setup::run(&root)),
        ["env"] => Root::find().and_then(|root| environment::print(&root)),
        ["lock"] => Root::find().and_then(|root| lock::run(&root)),
        ["test"] => Root::find().and_then(|root| test::run(&root, false)),
        ["test", "--quick"] => Root::find().and_then(|root| test::run(&root, true)),
        ["prove"] => Root::find().and_then(|root| prove::run(&root, None)),
        ["prove", "--soak", seconds] if seconds.parse::<u64>().is_ok() => {
            Root::find().and_then(|root| prove::run(&root, seconds.parse().ok()))
        }
        ["soak"] => Root::find().and_then(|root| soak::run(&root, soak::SECONDS)),
        ["soak", seconds] if seconds.parse::<u64>().is_ok() => {
            Root::find().and_then(|root| soak::run(&root, seconds.parse().unwrap_or(soak::SECONDS)))
        }
        ["run", node, ..] if !node.starts_with('-') => {
            Root::find().and_then(|root| run::node(&root, node, rest(2)))
        }
        ["demo", ..] => Root::find().and_then(|root| run::demo(&root, rest(1))),
        ["bench", ..] => Root::find().and_then(|root| run::bench(&root, rest(1))),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(sentence)) => {
            step(format_args!("failed: {sentence}"));
            ExitCode::FAILURE
        }
    }
}
