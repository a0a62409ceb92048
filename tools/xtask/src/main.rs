//! The commands of this repository: `cargo xtask COMMAND`.
//!
//! | command | file | purpose |
//! |---|---|---|
//! | `setup` | [`setup`] | ROS 2, the interface packages, the system's packages, MuJoCo on request, if missing |
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
mod repeat;
mod report;
mod root;
mod run;
mod setup;
mod soak;
mod test;

use std::process::ExitCode;

use clap::{Args, Parser};
use report::{Failure, step};
use root::Root;

/// The commands of this repository.
///
/// demo, bench, test and soak stay on this machine in a ROS domain of their own, whatever ROS_DOMAIN_ID is; STEERSMAN_DOMAIN
/// (0 to 232) chooses it.
#[derive(Debug, PartialEq, Eq, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Arguments {
    /// Get what building and running needs: ROS 2 (the sourced one, or else one of Python wheels in .ros2/), the interface
    /// packages, missing Debian packages. Does nothing the second time.
    Setup {
        /// Also MuJoCo's library, in .ros2/mujoco/, for the crate mujoco_hand.
        #[arg(long)]
        mujoco: bool,
    },
    /// Print the environment, for a shell: eval "$(cargo xtask env)".
    Env,
    /// Set up, build for release, and run one node, for example: run joystick -- --ros-args -p x:=1
    Run {
        /// The executable of the node or tool.
        node: String,
        #[command(flatten)]
        rest: Rest,
    },
    /// Set up, build, and run the demonstration; `demo --help` lists its options.
    #[command(disable_help_flag = true)]
    Demo(Rest),
    /// Set up, build for release, and measure; `bench --help` lists its options.
    #[command(disable_help_flag = true)]
    Bench(Rest),
    /// Run everything that CI checks.
    Test {
        /// Only what needs no ROS, without the walk through every state of hindbrain: about a minute once it is built.
        #[arg(long)]
        quick: bool,
        /// Only these tests over DDS: a file of tests/ros by its name, also with ::TEST, or a part of their names as in pytest's -k.
        #[arg(long, value_name = "TESTS", conflicts_with = "quick")]
        only: Option<String>,
    },
    /// Prove the stop machine with the real constants, every part and every two, in half an hour.
    Prove {
        /// Random faults for so many seconds instead.
        #[arg(long, value_name = "SECONDS")]
        soak: Option<u64>,
    },
    /// Play random faults to the machines, and then over DDS to hindbrain and to the chain.
    Soak {
        /// The duration of each of the three \[s].
        #[arg(default_value_t = soak::SECONDS)]
        seconds: u64,
    },
    /// Choose the versions of the wheels anew (tools/xtask/ros2.in to ros2.lock).
    Lock,
}

/// The arguments for another program.
#[derive(Debug, PartialEq, Eq, Args)]
struct Rest {
    /// Passed on as they are; a leading `--` only separates.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Root::find().and_then(|root| match &arguments {
        Arguments::Setup { mujoco: false } => setup::run(&root),
        Arguments::Setup { mujoco: true } => setup::run(&root).and_then(|()| setup::mujoco(&root)),
        Arguments::Env => environment::print(&root),
        Arguments::Lock => lock::run(&root),
        Arguments::Test { only: Some(tests), .. } => test::over_dds(&root, tests),
        Arguments::Test { quick, only: None } => test::run(&root, *quick),
        Arguments::Prove { soak } => prove::run(&root, *soak),
        Arguments::Soak { seconds } => soak::run(&root, *seconds),
        Arguments::Run { node, rest } => run::node(&root, node, &rest.arguments),
        Arguments::Demo(rest) => run::demo(&root, &rest.arguments),
        Arguments::Bench(rest) => run::bench(&root, &rest.arguments),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(sentence)) => {
            step(format_args!("failed: {sentence}"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn read(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["xtask"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn the_declaration_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_arguments_of_another_program_are_passed_on() {
        let rest = |line: &str| match read(line).unwrap() {
            Arguments::Run { rest, .. } | Arguments::Demo(rest) | Arguments::Bench(rest) => rest.arguments,
            other => panic!("{other:?}"),
        };
        assert_eq!(rest("run joystick -- --ros-args -p x:=1"), ["--ros-args", "-p", "x:=1"]);
        assert_eq!(rest("run joystick --ros-args"), ["--ros-args"]);
        assert_eq!(rest("demo --headless --seconds 20"), ["--headless", "--seconds", "20"]);
        assert_eq!(rest("bench --help"), ["--help"]);
        assert_eq!(rest("bench"), [""; 0]);
    }

    #[test]
    fn a_number_is_read_or_refused() {
        assert_eq!(read("soak").unwrap(), Arguments::Soak { seconds: soak::SECONDS });
        assert_eq!(read("soak 5").unwrap(), Arguments::Soak { seconds: 5 });
        assert_eq!(read("setup").unwrap(), Arguments::Setup { mujoco: false });
        assert_eq!(read("setup --mujoco").unwrap(), Arguments::Setup { mujoco: true });
        assert_eq!(read("prove --soak 60").unwrap(), Arguments::Prove { soak: Some(60) });
        for wrong in [
            "soak soon",
            "prove --soak",
            "test --slow",
            "test --only",
            "test --quick --only x",
            "run",
            "",
            "sail",
        ] {
            assert_eq!(read(wrong).unwrap_err().exit_code(), 2, "{wrong}");
        }
    }
}
