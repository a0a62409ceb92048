use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph};
use units::Instant;

use crate::hand::checks;
use crate::hand::device::Device;
use crate::hand::machine::{Grip, Operator, Pilot};
use crate::hand::observed::Observed;
use crate::pilot;
use crate::verdict::Verdict;
use crate::widgets;

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
    /// What is done, what is expected of it, and what became of it.
    pub act: Option<(String, String, Verdict)>,
    /// What became of the act before, in the script.
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
/// The lines for what is done, what is expected of it, and what is seen.
const LINES: u16 = 3;
/// A screen of this height has one more for the outcome of the act before.
const HIGH: u16 = 28;

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
    let keys = widgets::keys(&KEYS, frame.area().width);
    let key_lines = u16::try_from(keys.len()).unwrap_or(2);
    let is_high = frame.area().height >= HIGH;
    let line_count = Constraint::Length(LINES + u16::from(is_high));
    let [above, line_area, key_area] =
        Layout::vertical([Constraint::Min(0), line_count, Constraint::Length(key_lines)]).areas(frame.area());
    let [left, right] = Layout::horizontal([Constraint::Min(0), Constraint::Length(PANEL)]).areas(above);
    hand::draw(frame, left, picture);
    let block = Block::bordered().title(format!(" Steersman, ROS domain {} ", picture.domain));
    let inside = block.inner(right);
    frame.render_widget(block, right);
    panel::draw(frame, inside, picture);
    frame.render_widget(Paragraph::new(lines(picture, is_high)), line_area);
    frame.render_widget(Paragraph::new(keys), key_area);
}

/// What is done, what is expected of it, and what is seen; `has_before`: and the outcome of the act before.
fn lines(picture: &Picture, has_before: bool) -> Vec<Line<'static>> {
    let Some((done, expected, verdict)) = &picture.act else {
        return vec![widgets::bold(match picture.pilot {
            Pilot::Starting => pilot::starting(&picture.observed.missing()),
            Pilot::Waiting(since) => pilot::waiting(since, picture.now, "try it yourself"),
            Pilot::Script(_) | Pilot::Keyboard(()) => "no grasp is set: 1 to 8 set one".into(),
            Pilot::Finished(_) => "the script is over".into(),
        })];
    };
    let done = match picture.pilot {
        Pilot::Script(place) => format!("script {}/{}: {done}", place.index + 1, picture.step_count),
        _ => done.clone(),
    };
    let before = picture.before.as_ref().filter(|_| has_before);
    widgets::act(done, expected.clone(), verdict, before)
}

#[cfg(test)]
mod tests;
