use std::path::Path;
use std::time::Duration;

use gamepad::{VirtualPad, VirtualState};
use processes::{Folder, Meter, Process};
use ros::{Error, Stop, clock};

use crate::child;

use super::failed;
use super::wires::Wires;

/// How long the node runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(2);
/// How often a pad that is moved is moved: as often as a usual one reports \[Hz].
pub const MOVES: u32 = 125;

/// A number of pads and whether they are moved, and what the node uses for them.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// How many pads there are.
    pub pads: u32,
    /// Whether all of them are moved, [`MOVES`] times a second each, and the first drives.
    pub moved: bool,
    /// Time on a processor \[% of a core].
    pub cpu: f64,
    /// Resident memory, shared pages included \[MB].
    pub memory: f64,
}

impl Load {
    /// Not measured yet.
    pub const fn new(pads: u32, moved: bool) -> Self {
        Self { pads, moved, cpu: 0.0, memory: 0.0 }
    }

    /// Starts a node with so many pads and measures what it uses.
    /// # Errors
    /// It does not start, or ends.
    pub fn measure(
        &mut self,
        wires: &mut Wires,
        window: Duration,
        parameters: &Path,
        folder: &Folder,
    ) -> Result<(), Error> {
        let rate = if self.moved { MOVES } else { 0 };
        let arguments = ["pads", &self.pads.to_string(), &rate.to_string(), "--ros-args", "--params-file"];
        let mut arguments = arguments.map(str::to_owned).to_vec();
        arguments.push(parameters.to_string_lossy().into_owned());
        let node = child::start("bench", &arguments, folder)?;
        let used = self.uses(wires, window, &node);
        used.map_err(|why| failed(&format!("a node with {} pads", self.pads), &why, &node))
    }

    fn uses(&mut self, wires: &mut Wires, window: Duration, node: &Process) -> Result<(), String> {
        wires.listen(clock::now() + WARM_UP, |_, _| false)?;
        let text = |error: std::io::Error| error.to_string();
        let meter = Meter::new(std::slice::from_ref(node), None).map_err(text)?;
        wires.listen(clock::now() + window, |_, _| false)?;
        let used = meter.read().map_err(text)?;
        (self.cpu, self.memory) = (100.0 * used.cpu, used.memory);
        Ok(())
    }
}

/// The joystick node with `pads` virtual pads, each moved `rate` times a second by itself.
/// # Errors
/// The node does not start.
pub fn run(pads: u32, rate: u32, stop: &Stop) -> Result<(), Error> {
    let context = ros::context()?;
    let end = stop.clone();
    nodes::joystick::run_and(&context, stop, move |devices| {
        let pads: Vec<VirtualPad> =
            (0..pads).map(|_| devices.plug("Bench Pad")).collect::<Result<_, Error>>()?;
        let body = move || move_all(&pads, rate, &end);
        let thread = std::thread::Builder::new().name("hand".into()).spawn(body);
        thread.map(drop).map_err(|error| Error::Start(format!("no thread to move the pads: {error}")))
    })
}

/// Moves the pads, or only holds them, until the request to end.
#[allow(clippy::disallowed_methods)] // the pace is its own; nothing else waits for this thread
fn move_all(pads: &[VirtualPad], rate: u32, end: &Stop) {
    let period = Duration::from_secs(1) / rate.max(10);
    let (mut due, mut number) = (clock::now(), 0_i16);
    while !end.is_set() {
        due = due + period;
        std::thread::sleep(due.since(clock::now()));
        if rate > 0 {
            number = (number + 1) % 100;
            let mut state = VirtualState { axes: vec![0; 6], buttons: vec![false; 11], hats: Vec::new() };
            (state.axes[1], state.buttons[5]) = (-number * 300, true);
            pads.iter().for_each(|pad| pad.set(state.clone()));
        }
    }
}
