use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use safety::Instant;

use crate::arm::checks;
use crate::arm::machine::{Episode, Operator, Pilot};
use crate::arm::observed::Observed;
use crate::arm::robot::{Controller, Joint, Listed, Quantity};
use crate::verdict::Verdict;
use crate::widgets::{self, ACT_LINES, HIGH};

mod arm;
mod curves;
mod panel;

/// The contents of one frame of the screen.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The received state.
    pub observed: Observed,
    /// The source of the operator's input.
    pub pilot: Pilot,
    /// The controllers as the node listed them last.
    pub list: Vec<Listed>,
    /// Controlled quantities of pan and tilt; the position if nothing controls them.
    pub quantities: [Quantity; 2],
    /// Whether the commander's cable is pulled.
    pub is_pulled: bool,
    /// The present act, and the verdict on it.
    pub act: Option<(Episode, Verdict)>,
    /// Verdict on the act before, in the script.
    pub before: Option<Verdict>,
    /// How many steps the script has.
    pub step_count: usize,
    /// The ROS domain, for watching from another shell.
    pub domain: u8,
    /// The time of the frame.
    pub now: Instant,
}

const KEYS: [(&str, &str); 9] = [
    ("1-5", "start/stop"),
    ("arrows", "nudge"),
    ("t", "trajectory"),
    ("w", "wrong switch"),
    ("c", "cable"),
    ("h", "halt"),
    ("r", "reset"),
    ("u", "unload all"),
    ("q", "quit"),
];
/// The panel's width with its frame.
const PANEL: u16 = 39;

impl Picture {
    /// The picture of an operator at `now`.
    pub fn of(operator: &Operator, domain: u8, now: Instant) -> Self {
        let quantity = |joint| operator.mover(joint).map_or(Quantity::Position, Controller::quantity);
        let before = match operator.pilot() {
            Pilot::Script(_) => operator.outcomes().last().map(|outcome| outcome.verdict.clone()),
            _ => None,
        };
        Self {
            observed: operator.observed().clone(),
            pilot: operator.pilot(),
            list: operator.list().to_vec(),
            quantities: Joint::ALL.map(quantity),
            is_pulled: operator.commander().is_pulled(),
            act: operator.episode().cloned().zip(operator.verdict()),
            before,
            step_count: operator.script().count(),
            domain,
            now,
        }
    }

    /// Commanded position of `joint` \[rad\], if there is one.
    fn commanded(&self, joint: Joint) -> Option<f64> {
        let (quantity, value) = self.observed.history.back()?.commands[joint as usize]?;
        (quantity == Quantity::Position).then_some(value)
    }
}

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, picture: &Picture) {
    let is_high = frame.area().height >= HIGH;
    let line_count = ACT_LINES + u16::from(is_high);
    let parts = widgets::parts(frame, &KEYS, line_count, PANEL, picture.domain);
    let curve = Constraint::Length((parts.picture.height * 3).div_ceil(10));
    let [arm_area, pan_area, tilt_area] =
        Layout::vertical([Constraint::Min(0), curve, curve]).areas(parts.picture);
    arm::draw(frame, arm_area, picture);
    curves::draw(frame, pan_area, Joint::Pan, picture);
    curves::draw(frame, tilt_area, Joint::Tilt, picture);
    panel::draw(frame, parts.panel, picture);
    frame.render_widget(Paragraph::new(lines(picture, is_high)), parts.lines);
}

/// Lines of the present act, its expected outcome, and what is seen; `has_before`: and the outcome of the act before.
fn lines(picture: &Picture, has_before: bool) -> Vec<Line<'static>> {
    let Some((Episode { act, .. }, verdict)) = &picture.act else {
        let missing = picture.observed.missing();
        return vec![widgets::bold(picture.pilot.line(&missing, picture.now, advice(picture)))];
    };
    let done = picture.pilot.placed(picture.step_count, act.text());
    let before = picture.before.as_ref().filter(|_| has_before);
    widgets::act(done, checks::expected(act), verdict, before)
}

/// Advice to the user in the present state.
fn advice(picture: &Picture) -> &'static str {
    if picture.list.iter().any(|listed| listed.is_running) {
        "no controller for that key: 1 to 5 start and stop them"
    } else {
        "no controller runs: 1 to 5 load and start one"
    }
}

#[cfg(test)]
mod tests;
