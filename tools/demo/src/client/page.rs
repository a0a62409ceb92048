use ratatui::Frame;
use ratatui::style::{Color, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use safety::Instant;

use crate::client::{Client, Operator, Pilot};
use crate::screen::{above_keys, bold, domain_block, label};
use crate::verdict::{self, Verdict};

/// The lines of an act: what is done, what is expected of it, what is seen, and the outcome of the act before.
const ACT_LINES: u16 = 4;

/// The contents of one frame of the screen.
pub struct Page {
    keys: &'static [(&'static str, &'static str)],
    values: Vec<String>,
    act: Vec<Line<'static>>,
}

impl Page {
    /// The page of an operator at `now`.
    pub fn of<C: Client>(operator: &Operator<C>, now: Instant) -> Self {
        Self { keys: C::KEYS, values: operator.client.listing(), act: act(operator, now) }
    }

    /// Draws it, with the ROS domain for watching from another shell.
    pub fn draw(self, frame: &mut Frame<'_>, domain: u8) {
        let [above, below] = above_keys(frame, self.keys, ACT_LINES);
        let values: Vec<Line<'_>> = self.values.into_iter().map(Line::from).collect();
        let values = Paragraph::new(values).wrap(Wrap { trim: false }).block(domain_block(domain));
        frame.render_widget(values, above);
        frame.render_widget(Paragraph::new(self.act), below);
    }
}

fn act<C: Client>(operator: &Operator<C>, now: Instant) -> Vec<Line<'static>> {
    let (Some(episode), Some(verdict)) = (&operator.episode, operator.verdict()) else {
        let advice = operator.client.advice();
        return vec![bold(operator.pilot.line(&operator.missing(), now, "try it yourself", advice))];
    };
    let done = episode.act.to_string();
    let (done, before) = match operator.pilot {
        Pilot::Script(place) => {
            let (step, count) = (place.index + 1, operator.script.len());
            (format!("script {step}/{count}: {done}"), operator.outcomes.last())
        }
        _ => (done, None),
    };
    let expected = episode.before.expected(&episode.act).unwrap_or_else(|| "-".into());
    let mut lines = vec![
        bold(done),
        Line::from(vec![label("expected"), Span::from(expected)]),
        Line::from(vec![label("seen"), seen(&verdict)]),
    ];
    lines.extend(before.map(|before| Line::from(vec![label("before"), seen(&before.verdict)])));
    lines
}

fn seen(verdict: &Verdict) -> Span<'static> {
    match verdict {
        Verdict::Good(seen) => Span::from(seen.clone()).fg(Color::Green),
        Verdict::Pending(seen) => Span::from(seen.clone()).fg(Color::Yellow),
        Verdict::Bad(seen) => Span::from(format!("NOT AS EXPECTED: {seen}")).fg(Color::Red).bold(),
    }
}

/// A line of progress without a screen.
pub fn line<C: Client>(operator: &Operator<C>) -> String {
    let act = operator.episode.as_ref().map_or_else(String::new, |episode| episode.act.to_string());
    format!("{}  {act}", operator.client.summary())
}

/// The results of the script.
pub fn table<C: Client>(operator: &Operator<C>) -> Vec<String> {
    let outcomes = verdict::table(&operator.outcomes);
    [vec![String::new()], outcomes, vec![String::new()], operator.client.listing()].concat()
}

/// The steps whose outcome is not the expected one, one sentence each.
pub fn failures<C: Client>(operator: &Operator<C>) -> Vec<String> {
    verdict::failures(&operator.outcomes, operator.script.len())
}
