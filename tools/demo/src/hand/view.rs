use ratatui::Frame;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use safety::Instant;

use crate::hand::checks;
use crate::hand::device::Device;
use crate::hand::machine::{Grip, Operator, Pilot};
use crate::hand::observed::Observed;
use crate::verdict::Verdict;
use crate::widgets::{self, ACT_LINES, HIGH};

mod hand;
mod panel;

/// The contents of one frame of the screen.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The received state.
    pub observed: Observed,
    /// The hand and the ball.
    pub device: Device,
    /// The source of the operator's input.
    pub pilot: Pilot,
    /// The grasp that is set.
    pub grip: Option<Grip>,
    /// Whether the ball is there.
    pub has_ball: bool,
    /// Whether the commander's cable is pulled.
    pub is_pulled: bool,
    /// The present act, its expected outcome, and the verdict on it.
    pub act: Option<(String, String, Verdict)>,
    /// Verdict on the act before, in the script.
    pub before: Option<Verdict>,
    /// How many steps the script has.
    pub step_count: usize,
    /// The ROS domain, for watching from another shell.
    pub domain: u8,
    /// The time of the frame.
    pub now: Instant,
}

const KEYS: [(&str, &str); 8] = [
    ("1-8", "grasp"),
    ("up down", "close, open further"),
    ("space", "open"),
    ("o", "ball"),
    ("w", "wrong command"),
    ("c", "cable"),
    ("r", "reset"),
    ("q", "quit"),
];
/// The panel's width with its frame.
const PANEL: u16 = 50;

impl Picture {
    /// The picture of an operator at `now`.
    pub fn of(operator: &Operator, domain: u8, now: Instant) -> Self {
        let before = match operator.pilot() {
            Pilot::Script(_) => operator.outcomes().last().map(|outcome| outcome.verdict.clone()),
            _ => None,
        };
        let act = operator.episode().zip(operator.verdict());
        Self {
            observed: operator.observed().clone(),
            device: operator.device().clone(),
            pilot: operator.pilot(),
            grip: operator.grip(),
            has_ball: operator.has_ball(),
            is_pulled: operator.commander().is_pulled(),
            act: act.map(|(episode, verdict)| {
                (episode.act.text(), checks::expected(&episode.act, operator.facts()), verdict)
            }),
            before,
            step_count: operator.script().count(),
            domain,
            now,
        }
    }
}

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, picture: &Picture) {
    let is_high = frame.area().height >= HIGH;
    let line_count = ACT_LINES + u16::from(is_high);
    let parts = widgets::parts(frame, &KEYS, line_count, PANEL, picture.domain);
    hand::draw(frame, parts.picture, picture);
    panel::draw(frame, parts.panel, picture);
    frame.render_widget(Paragraph::new(lines(picture, is_high)), parts.lines);
}

/// Lines of the present act, its expected outcome, and what is seen; `has_before`: and the outcome of the act before.
fn lines(picture: &Picture, has_before: bool) -> Vec<Line<'static>> {
    let Some((done, expected, verdict)) = &picture.act else {
        let missing = picture.observed.missing();
        return vec![widgets::bold(picture.pilot.line(
            &missing,
            picture.now,
            "no grasp is set: 1 to 8 set one",
        ))];
    };
    let done = picture.pilot.placed(picture.step_count, done.clone());
    let before = picture.before.as_ref().filter(|_| has_before);
    widgets::act(done, expected.clone(), verdict, before)
}

#[cfg(test)]
mod tests;
