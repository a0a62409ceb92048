use ratatui::Frame;
use ratatui::style::Stylize;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use safety::Instant;

use crate::client::{Client, Operator, Pilot};
use crate::screen::{above_keys, bold, domain_block, label};

/// The lines of an act: what is done, what is expected of it, the answer, and the outcome of the act before.
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
    let Some(step) = &operator.step else {
        let advice = operator.client.advice();
        return vec![bold(operator.pilot.line(&operator.missing(), now, "try it yourself", advice))];
    };
    let (done, before) = match operator.pilot {
        Pilot::Script(place) => {
            let (index, count) = (place.index + 1, operator.script.len());
            (format!("script {index}/{count}: {}", step.act), operator.done.last())
        }
        _ => (step.act.to_string(), None),
    };
    let line = |name, text: &str| Line::from(vec![label(name), Span::from(text.to_owned())]);
    let mut lines = vec![bold(done), line("expected", C::expected(&step.act))];
    match step.answer() {
        "" => {}
        wrong if step.has_failed => {
            lines.push(line("answer", &format!("NOT AS EXPECTED: {wrong}")).red().bold())
        }
        right => lines.push(line("answer", right)),
    }
    lines.extend(before.map(|before| line("before", &before.outcome)));
    lines
}

/// A line of progress without a screen.
pub fn line<C: Client>(operator: &Operator<C>) -> String {
    let act = operator.step.as_ref().map_or_else(String::new, |step| step.act.to_string());
    format!("{}  {act}", operator.client.summary())
}

/// The acts of the script, each with what came of it, and the values at the end.
pub fn table<C: Client>(operator: &Operator<C>) -> Vec<String> {
    let each = operator.done.iter().zip(1..);
    let acts = each.map(|(done, number)| format!("{number:>2} {}\n   {}", done.act, done.outcome));
    [vec![String::new()], acts.collect(), vec![String::new()], operator.client.listing()].concat()
}
