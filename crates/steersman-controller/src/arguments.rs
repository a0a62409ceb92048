use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// Loads, starts, stops, lists and unloads the controllers of the node mechanism.
///
/// The exit code is 0 if every call succeeded, 1 if the manager refused one (the reason is printed) or went while the spawner waited,
/// 2 for wrong arguments, 3 if the manager did not answer in time, and 130 if Ctrl-C ended it before that.
#[derive(Debug, Parser)]
#[command(name = "steersman-controller", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The namespace of the manager, for example /left.
    #[arg(long, global = true, default_value = "", value_parser = namespace)]
    pub(crate) namespace: String,
    /// How long to wait for the manager, and for each answer, in seconds; spawner and unspawner wait for the manager without end.
    #[arg(long, global = true, default_value = "5", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Duration,
    /// Print JSON instead of a table, and an object for each call that changes something: what was asked, and whether it succeeded.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the loaded controllers in the order in which they run.
    #[command(visible_alias = "lc")]
    List {
        /// With their types and joints; then the joints, with positions, limits, and the running controllers that command them.
        #[arg(short, long)]
        verbose: bool,
    },
    /// List the types of controllers.
    #[command(visible_alias = "lt")]
    ListTypes,
    /// List the actuators and joints.
    #[command(visible_alias = "lj")]
    ListJoints,
    /// Load controllers, which stay stopped.
    Load(Names),
    /// Unload stopped controllers.
    Unload(Names),
    /// Start loaded controllers, each in a strict switch of its own.
    Start(Names),
    /// Stop controllers, each in a strict switch of its own.
    Stop(Names),
    /// Stop and start controllers between two steps.
    Switch(Switch),
    /// Load all controllers that are not loaded, then start them, each in a strict switch of its own.
    #[command(visible_alias = "sp")]
    Spawn(Names),
    /// Stop all controllers, then unload them.
    #[command(visible_alias = "kl")]
    Kill(Names),
    /// Load the controllers' libraries again, which stops and unloads all controllers.
    ReloadLibraries {
        /// Load the controllers again that were loaded, and start those that ran.
        #[arg(long)]
        restore: bool,
    },
    /// Load controllers and start them, wait for the end, then stop and unload them in reverse order: for launch files. One that
    /// was loaded already and stopped is started, and left as it is at the end.
    Spawner(Spawner),
    /// Stop these controllers whenever they run, and start those that it stopped again when Ctrl-C ends it: all or none, in the same
    /// manager, and only if nothing runs that did not run beside them before. It names each that stays stopped.
    Unspawner(Names),
    /// Print the completion for a shell.
    Completion {
        /// The shell.
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Names {
    /// The names of the controllers.
    #[arg(required = true)]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Switch {
    /// The controllers to start, in this order, after all stops.
    #[arg(long, num_args = 1.., required_unless_present = "stop")]
    pub(crate) start: Vec<String>,
    /// The controllers to stop, in this order.
    #[arg(long, num_args = 1.., required_unless_present = "start")]
    pub(crate) stop: Vec<String>,
    /// Go on where a name is unknown or a controller does not start; otherwise nothing changes then.
    #[arg(long)]
    pub(crate) best_effort: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Spawner {
    /// The names of the controllers; one argument may have several, as from an argument of a launch file.
    #[arg(required = true)]
    names: Vec<String>,
    /// Leave them stopped.
    #[arg(long)]
    pub(crate) stopped: bool,
    /// Wait until this topic (std_msgs/Bool) is true before loading.
    #[arg(long)]
    pub(crate) wait_for: Option<String>,
}

impl Spawner {
    /// The names, of which none has a space.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.iter().flat_map(|names| names.split_whitespace()).map(str::to_owned).collect()
    }
}

fn namespace(text: &str) -> Result<String, &'static str> {
    ros::namespace(text).map(|_| text.to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
    if (0.0..=86_400.0).contains(&number) {
        Ok(Duration::from_secs_f64(number))
    } else {
        Err(format!("{number} s, must be 0 to 86400"))
    }
}
