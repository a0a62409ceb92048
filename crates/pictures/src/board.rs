use core::time::Duration;

use safety::Level;

use crate::Colour;
use crate::markers::{Marker, Shape};

/// The stop state of a vehicle, as on `hind/state_detail`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stop {
    /// `OK`, `ESTOP`, `SSTOP.ROS`, `SSTOP.IR`, `SSTOP.BOTH`.
    pub state: String,
    /// The texts of its causes, the most severe first.
    pub causes: Vec<String>,
    /// Its sources.
    pub sources: Vec<Source>,
}

/// A source of a [`Stop`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The topic, or the frame of an infra-red sensor.
    pub name: String,
    /// Its last message, as one word.
    pub says: String,
    /// Whether it keeps the vehicle from moving.
    pub blocks: bool,
}

/// The diagnostics of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The node.
    pub node: String,
    /// Its level.
    pub level: Level,
    /// Its sentence.
    pub message: String,
}

/// Nodes whose sentences are shown, on the way of a command.
#[rustfmt::skip]
pub const NODES: [&str; 9] = [
    "joystick", "velocity_arbiter", "surround", "zone_scaler", "hindbrain", "chair", "mechanism", "haptix", SIMULATOR,
];
/// It is shown only while it holds the vehicle, as by a wall.
const SIMULATOR: &str = "simulator";
/// A line of text is broken after so many characters.
const LINE: usize = 56;
/// The most sources with a marker of their own.
const SENSORS: i32 = 8;
/// The length of the ray of an infra-red sensor, whose distance rviz draws as a `Range` \[m\].
const RAY: f64 = 0.25;

/// The words and the beacon of a picture: why the vehicle stands, or that it is free.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Board<'a> {
    /// The stop state; `None` if the vehicle has none, or it is silent.
    pub stop: Option<&'a Stop>,
    /// The reports of the nodes in [`NODES`], in their order.
    pub reports: Vec<&'a Report>,
}

/// How severe a state is shown.
fn level(state: &str) -> Level {
    match state {
        "OK" => Level::Ok,
        "ESTOP" => Level::Error,
        _ => Level::Warn,
    }
}

fn colour(level: Option<Level>) -> Colour {
    match level {
        None => Colour::UNKNOWN,
        Some(Level::Ok) => Colour::of(1.0),
        Some(Level::Warn) => Colour::of(0.5),
        Some(Level::Error) => Colour::of(0.0),
    }
}

impl Board<'_> {
    /// The worst of all that is known.
    fn level(&self) -> Option<Level> {
        let stop = self.stop.map(|stop| level(&stop.state));
        self.reports.iter().map(|report| report.level).chain(stop).max()
    }

    /// The state with its causes and those who block, then the sentence of each other node.
    fn text(&self) -> String {
        let mut lines = Vec::new();
        if let Some(stop) = self.stop {
            lines.push(stop.state.clone());
            lines.extend(stop.causes.iter().cloned());
            let blocking = stop.sources.iter().filter(|source| source.blocks);
            lines.extend(blocking.map(|source| format!("{}: {}", source.name, source.says)));
        }
        for report in &self.reports {
            let is_shown = match report.node.as_str() {
                "hindbrain" => self.stop.is_none(),
                SIMULATOR => report.level != Level::Ok,
                _ => true,
            };
            if is_shown {
                lines.push(format!("{}: {}", report.node, report.message));
            }
        }
        if lines.is_empty() {
            lines.push("no node is received".into());
        }
        lines.iter().map(|line| broken(line)).collect::<Vec<_>>().join("\n")
    }

    /// The markers: the beacon above the robot, the text to its left, and a ray for each infra-red sensor.
    pub(crate) fn markers(&self, reach: f64) -> Vec<Marker> {
        let beacon =
            Shape::Ball { at: [0.0, 0.0, 2.2 * reach], diameter: 0.3 * reach, colour: colour(self.level()) };
        let text = Shape::Text {
            at: [0.0, 5.0 * reach, 2.2 * reach],
            height: 0.2 * reach,
            text: self.text(),
            colour: Colour::TEXT,
        };
        let mut markers = vec![Marker::new("state", 0, beacon), Marker::new("state", 1, text)];
        let sources = self.stop.map_or([].as_slice(), |stop| &stop.sources);
        let mut sensors = sources.iter().filter(|source| source.name.starts_with("ir_"));
        markers.extend((0..SENSORS).map(|id| ray(id, sensors.next())));
        markers
    }
}

/// The ray of a sensor in its own frame: red if it blocks.
fn ray(id: i32, sensor: Option<&Source>) -> Marker {
    let level = sensor
        .filter(|sensor| sensor.says != "silent")
        .map(|sensor| if sensor.blocks { Level::Error } else { Level::Ok });
    let scale = [0.02, 0.05, 0.06];
    let shape = Shape::Arrow { from: [0.0; 3], to: [RAY, 0.0, 0.0], scale, colour: colour(level) };
    let frame = sensor.map(|sensor| sensor.name.clone());
    Marker { visible: frame.is_some(), frame, ..Marker::new("infrared", id, shape) }
}

/// `text` in lines of at most [`LINE`] characters, those after the first indented; a longer word stays whole.
fn broken(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > LINE {
            lines += &line;
            lines.push('\n');
            line = "   ".into();
        } else if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &line
}

/// A stop state is published twice a second.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_millis(1500);
/// Diagnostics are published once a second.
pub(crate) const REPORT_TIMEOUT: Duration = Duration::from_millis(3500);
/// A velocity that is not repeated is not in force any more.
pub(crate) const VELOCITY_TIMEOUT: Duration = Duration::from_millis(500);
