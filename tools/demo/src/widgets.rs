use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};

use crate::verdict::Verdict;

/// The lines of an act: what is done, what is expected of it, and what is seen.
pub const ACT_LINES: u16 = 3;
/// A screen of this height has one more line, for the outcome of the act before.
pub const HIGH: u16 = 28;

/// Parts of the screen that a demo draws itself.
pub struct Parts {
    /// Area on the left.
    pub picture: Rect,
    /// Area on the right, in its frame.
    pub panel: Rect,
    /// Area below both.
    pub lines: Rect,
}

/// Draws what all screens have, the keys and the frame of a panel that is `panel` wide, and returns the rest, with so many lines.
pub fn parts(
    frame: &mut Frame<'_>,
    key_list: &[(&'static str, &'static str)],
    line_count: u16,
    panel: u16,
    domain: u8,
) -> Parts {
    let keys = keys(key_list, frame.area().width);
    let key_lines = u16::try_from(keys.len()).unwrap_or(2);
    let heights = [Constraint::Min(0), Constraint::Length(line_count), Constraint::Length(key_lines)];
    let [above, lines, key_area] = Layout::vertical(heights).areas(frame.area());
    let [picture, right] = Layout::horizontal([Constraint::Min(0), Constraint::Length(panel)]).areas(above);
    let block = Block::bordered().title(format!(" Steersman, ROS domain {domain} "));
    let panel = block.inner(right);
    frame.render_widget(block, right);
    frame.render_widget(Paragraph::new(keys), key_area);
    Parts { picture, panel, lines }
}

/// The keys and what they do, in as many lines as they need.
fn keys(keys: &[(&'static str, &'static str)], width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    for &(key, text) in keys {
        let item = [Span::from(key).fg(Color::Cyan), Span::from(format!(" {text}  "))];
        let long = item.iter().map(Span::width).sum::<usize>();
        if lines.last().is_some_and(|line| line.width() + long > usize::from(width) + 2) {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            line.extend(item);
        }
    }
    lines
}

/// The name of a value, in its column.
pub fn label(text: &str) -> Span<'static> {
    Span::styled(format!("{text:<10}"), Style::new().fg(Color::Gray))
}

/// A number with so many decimals; one that is rounded to zero has no sign.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|letter| matches!(letter, '0' | '.')) => rest.into(),
        _ => text,
    }
}

/// A line in bold.
pub fn bold(text: String) -> Line<'static> {
    Line::from(text).style(Style::new().bold())
}

/// Lines of an act, its expected outcome, what is seen, and the outcome of the act before.
pub fn act(done: String, expected: String, now: &Verdict, before: Option<&Verdict>) -> Vec<Line<'static>> {
    let mut lines = vec![
        bold(done),
        Line::from(vec![label("expected"), Span::from(expected)]),
        Line::from(vec![label("seen"), seen(now)]),
    ];
    lines.extend(before.map(|before| Line::from(vec![label("before"), seen(before)])));
    lines
}

fn seen(verdict: &Verdict) -> Span<'static> {
    match verdict {
        Verdict::Good(seen) => Span::from(seen.clone()).fg(Color::Green),
        Verdict::Pending(seen) => Span::from(seen.clone()).fg(Color::Yellow),
        Verdict::Bad(seen) => Span::from(format!("NOT AS EXPECTED: {seen}")).fg(Color::Red).bold(),
    }
}

/// Bounds around `wanted` with the same scale along both axes: a cell has two dots across and four down.
pub fn fitted(wanted: [[f64; 2]; 2], area: Rect) -> [[f64; 2]; 2] {
    let dots = [f64::from(area.width.max(1)) * 2.0, f64::from(area.height.max(1)) * 4.0];
    let [long, high] = wanted.map(|[from, to]| to - from);
    let metres_per_dot = (long / dots[0]).max(high / dots[1]);
    [0, 1].map(|axis: usize| {
        let middle = f64::midpoint(wanted[axis][0], wanted[axis][1]);
        let half = dots[axis] * metres_per_dot / 2.0;
        [middle - half, middle + half]
    })
}

/// The lines of a screen of this size, as text.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub fn drawn(width: u16, height: u16, draw: impl FnOnce(&mut Frame<'_>)) -> Vec<String> {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(draw).unwrap();
    let cells: Vec<&str> = terminal.backend().buffer().content().iter().map(|cell| cell.symbol()).collect();
    cells.chunks(usize::from(width)).map(|line| line.concat().trim_end().to_owned()).collect()
}

/// The cells with dots in some lines and columns of a screen.
#[cfg(test)]
pub fn dots(screen: &[String], lines: core::ops::Range<usize>, columns: core::ops::Range<usize>) -> usize {
    let cells = screen[lines].iter().flat_map(|line| line.chars().skip(columns.start).take(columns.len()));
    cells.filter(|cell| ('\u{2801}'..='\u{28ff}').contains(cell)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_zero_has_no_sign() {
        assert_eq!(
            [-0.004, 0.0, -0.0, -0.005_1, 12.0].map(|value| number(value, 2)),
            ["0.00", "0.00", "0.00", "-0.01", "12.00"]
        );
        assert_eq!(number(-0.3, 0), "0");
    }

    #[test]
    fn keys_take_the_lines_that_they_need() {
        let list = [("a", "first"), ("b", "second"), ("q", "quit")];
        let lines = |width| keys(&list, width).iter().map(Line::to_string).collect::<Vec<_>>();
        // 9 and 10 cells, of which the last two are blank
        assert_eq!(lines(17), ["a first  b second  ", "q quit  "]);
        assert_eq!(lines(16), ["a first  ", "b second  q quit  "]);
    }

    #[test]
    fn both_axes_have_the_same_scale() {
        // 40 x 40 dots for 1 m x 2 m: 0.05 m a dot, so 2 m across, about the same middle
        let bounds = fitted([[0.0, 1.0], [0.0, 2.0]], Rect::new(0, 0, 20, 10));
        assert_eq!(bounds, [[-0.5, 1.5], [0.0, 2.0]]);
    }
}
