use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::Picture;
use crate::arm::observed::{BOUNDS, LoopTiming};
use crate::arm::robot::Controller;
use crate::arm::table::micros;
use crate::widgets::label;

/// With at least this many lines there is room for blank ones between the parts.
const ROOMY: u16 = 20;
/// Cells of the histogram's longest bar.
const BAR: usize = 18;

/// Draws controllers, motors, cable, and the loop.
pub fn draw(frame: &mut Frame<'_>, area: Rect, picture: &Picture) {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for part in [controllers(picture), state(picture), timing(picture, area.height >= ROOMY)] {
        if area.height >= ROOMY && !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(part);
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn gray(text: String) -> Line<'static> {
    Line::from(text).style(Style::new().fg(Color::Gray))
}

fn controllers(picture: &Picture) -> Vec<Line<'static>> {
    let title = gray(format!("{:<24}{:>4}{:>4}{:>5}", "  controller, us", "mean", "max", "over"));
    let rows = Controller::ALL.into_iter().enumerate().map(|(index, controller)| {
        let listed = picture.list.iter().find(|listed| listed.name == controller.name());
        let (state, colour) = match listed {
            Some(listed) if listed.is_running => ("running", Color::Green),
            Some(_) => ("stopped", Color::Yellow),
            None => ("-", Color::Gray),
        };
        let times = match picture.observed.row(controller).filter(|_| listed.is_some()) {
            Some(row) => format!("{:>4.1}{:>4.0}{:>5}", micros(row.mean), micros(row.max), row.overruns),
            None => String::new(),
        };
        Line::from(vec![
            Span::from(format!("{} ", index + 1)).fg(Color::Cyan),
            Span::from(format!("{:<15}", controller.name())),
            Span::from(format!("{state:<7}")).fg(colour),
            Span::from(times),
        ])
    });
    std::iter::once(title).chain(rows).collect()
}

fn state(picture: &Picture) -> Vec<Line<'static>> {
    let motors = match picture.observed.is_halted {
        Some(true) => Span::from("HALTED").fg(Color::Red).bold(),
        Some(false) => Span::from("on").fg(Color::Green),
        None => Span::from("silent").fg(Color::Red),
    };
    let cable = if picture.is_pulled {
        Span::from("PULLED").fg(Color::Red).bold()
    } else {
        Span::from("plugged in").fg(Color::Green)
    };
    vec![Line::from(vec![
        label("motors"),
        motors,
        Span::from("  "),
        Span::styled("cable ", Style::new().fg(Color::Gray)),
        cable,
    ])]
}

/// The loop's figures; the longest step if there `is_room`.
fn timing(picture: &Picture, is_room: bool) -> Vec<Line<'static>> {
    let Some(timing) = &picture.observed.timing else { return vec![gray("loop: no report yet".into())] };
    let LoopTiming { steps, left_out, greatest_lateness, longest_step, lateness } = timing;
    let mut lines =
        vec![Line::from(vec![label("loop"), Span::from(format!("{steps} steps, {left_out} left out"))])];
    lines.extend(is_room.then(|| Line::from(format!("{:<10}the longest took {longest_step} us", ""))));
    lines.push(gray(format!("steps by lateness, us; at most {greatest_lateness}")));
    let names = BOUNDS
        .iter()
        .map(|bound| format!("<{bound:>5}"))
        .chain(std::iter::once(format!(">{:>5}", BOUNDS[6])));
    lines.extend(names.zip(lateness).map(|(name, count)| {
        Line::from(vec![
            Span::styled(format!("{name} "), Style::new().fg(Color::Gray)),
            Span::from(format!("{:<BAR$}", bar(*count, *steps))).fg(Color::Cyan),
            Span::from(format!("{count:>11}")),
        ])
    }));
    lines
}

/// A bar on a logarithmic scale, so that the few late steps are seen too: one step has a cell, all of them have all cells.
fn bar(count: u64, all: u64) -> String {
    let part = if count == 0 { 0.0 } else { (count as f64).ln_1p() / (all.max(count) as f64).ln_1p() };
    let cells = (part * BAR as f64).round() as usize;
    "█".repeat(cells.max(usize::from(count > 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_also_a_single_step() {
        let cells = |count, all| bar(count, all).chars().count();
        // ln 2 / ln 100,001 = 0.06 of 18 cells
        assert_eq!((cells(0, 100_000), cells(1, 100_000), cells(100_000, 100_000)), (0, 1, 18));
        // ln 317 / ln 100,001 = 0.5
        assert_eq!(cells(316, 100_000), 9);
        assert_eq!((cells(0, 0), cells(5, 0)), (0, 18));
    }
}
