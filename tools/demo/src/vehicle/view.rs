use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ros::Quantiles;
use safety::Instant;
use simulator::Params;

use crate::screen;
use crate::vehicle::course::Step;
use crate::vehicle::machine::Pilot;
use crate::vehicle::observed::Observed;
use crate::vehicle::operator_input::OperatorInput;

mod map;
mod panel;

/// The contents of one frame of the screen.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The received state.
    pub observed: &'a Observed,
    /// The operator input.
    pub operator_input: OperatorInput,
    /// The source of the operator's input.
    pub pilot: Pilot,
    /// The present step of the course.
    pub step: Option<Step>,
    /// Topics without a message yet.
    pub missing: &'a [&'static str],
    /// Rate and latency of each stage.
    pub figures: &'a [Figures; 4],
    /// The simulated world's measures and walls.
    pub world: &'a Params,
    /// The real stick that drives, if there is one.
    pub gamepad: Option<&'a str>,
    /// The ROS domain, for watching from another shell.
    pub domain: u8,
    /// The time of the frame.
    pub now: Instant,
}

/// The figures of a stage while the stick drives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Commands per second \[Hz\].
    pub rate: Option<f64>,
    /// From the stick's event \[µs\].
    pub latency: Option<Quantiles>,
}

const KEYS: [(&str, &str); 8] = [
    ("arrows/WASD", "drive"),
    ("e", "enable"),
    ("space", "e-stop"),
    ("r", "release"),
    ("t", "reset"),
    ("u", "unplug/replug"),
    ("n", "navigation"),
    ("q", "quit"),
];
/// The panel's width with its frame.
const PANEL: u16 = 38;

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, picture: &Picture<'_>) {
    let [above, below] = screen::above_keys(frame, &KEYS, 1);
    let [left, right] = Layout::horizontal([Constraint::Min(0), Constraint::Length(PANEL)]).areas(above);
    map::draw(frame, left, picture);
    let block = screen::domain_block(picture.domain);
    panel::draw(frame, block.inner(right), picture);
    frame.render_widget(block, right);
    frame.render_widget(screen::bold(hint(picture)), below);
}

/// The present state, and what the user can do now.
fn hint(picture: &Picture<'_>) -> String {
    match (picture.pilot, picture.step) {
        (_, Some(step)) => format!("script, a key takes over: {}", step.text()),
        (Pilot::Waiting(_), _) if picture.gamepad.is_some() => advice(picture),
        _ => picture.pilot.line(picture.missing, picture.now, "drive", &advice(picture)),
    }
}

fn advice(picture: &Picture<'_>) -> String {
    let operator_input = &picture.operator_input;
    match picture.observed.state.as_deref() {
        _ if operator_input.estop => "the e-stop is pressed: r releases it".into(),
        Some("ESTOP") => "the e-stop is latched: t resets it, then e enables".into(),
        Some("SSTOP.ROS") if operator_input.enable => "enabled too early: e disables, e again enables".into(),
        Some("SSTOP.ROS") => "not enabled: e enables".into(),
        Some("SSTOP.IR" | "SSTOP.BOTH") => "an infra-red sensor reports an obstacle or no measurement".into(),
        _ => match picture.gamepad {
            Some(name) => format!("{name} drives: left stick, while button 5 is held"),
            None if operator_input.stick.is_none() => "the stick is unplugged: u plugs it in".into(),
            None => "drive with the arrow keys or WASD; release to stop".into(),
        },
    }
}

#[cfg(test)]
mod tests;
