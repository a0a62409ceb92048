use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::Picture;
use crate::widgets::number;

/// With at least this many lines there is room for blank ones between the parts.
const ROOMY: u16 = 20;
/// The width of a column of grasps or of contact sensors, and of its bar.
const COLUMN: usize = 24;
const BAR: usize = 3;
/// The force of a full bar \[N\].
const FULL: f32 = 10.0;
/// From this force on a contact sensor is all red \[N\].
const STRONG: f32 = 5.0;

/// Draws the state, the grasps, the contact forces, and the inertial units.
pub fn draw(frame: &mut Frame<'_>, area: Rect, picture: &Picture) {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for part in [vec![state(picture)], grasps(picture), contacts(picture), vec![units(picture)]] {
        if area.height >= ROOMY && !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(part);
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// The colour of a contact sensor with this force \[N\].
pub fn colour(force: f32) -> Color {
    if force < STRONG { Color::Yellow } else { Color::Red }
}

fn state(picture: &Picture) -> Line<'static> {
    let colour = match picture.observed.state.as_deref() {
        Some("GRASPING" | "FOLLOWING") => Color::Green,
        Some("HOLDING") => Color::Yellow,
        _ => Color::Red,
    };
    let state = picture.observed.state.clone().unwrap_or_else(|| "silent".into());
    let cable =
        if picture.is_pulled { Span::from("PULLED").fg(Color::Red).bold() } else { Span::from("plugged in") };
    let ball = if picture.has_ball { "there" } else { "away" };
    let gray = |text| Span::styled(text, Style::new().fg(Color::Gray));
    Line::from(vec![
        Span::from(state).fg(colour).bold(),
        gray("  cable "),
        cable,
        gray("  ball "),
        Span::from(ball),
    ])
}

/// Items in two columns, the first half to the left.
fn columns(items: Vec<Vec<Span<'static>>>) -> Vec<Line<'static>> {
    let rows = items.len().div_ceil(2);
    let mut lines = vec![Line::default(); rows];
    for (index, item) in items.into_iter().enumerate() {
        if let Some(line) = lines.get_mut(index % rows) {
            line.extend(item);
        }
    }
    lines
}

fn grasps(picture: &Picture) -> Vec<Line<'static>> {
    let item = |(index, name): (usize, &String)| {
        let set = picture.grip.filter(|grip| grip.grasp == index);
        let text = match set {
            Some(grip) => format!("{name} {:.1}", grip.level),
            None => name.clone(),
        };
        let style = if set.is_some() { Style::new().fg(Color::Green).bold() } else { Style::new() };
        let width = COLUMN - 2;
        vec![
            Span::from(format!("{} ", index + 1)).fg(Color::Cyan),
            Span::styled(format!("{text:<width$}"), style),
        ]
    };
    columns(picture.device.grasps.iter().enumerate().map(item).collect())
}

fn contacts(picture: &Picture) -> Vec<Line<'static>> {
    let item = |(name, force): (&str, f32)| {
        let value = if force > 0.0 { number(force.into(), 1) } else { String::new() };
        let name_style = if force > 0.0 { Style::new().bold() } else { Style::new().fg(Color::Gray) };
        let width = COLUMN - BAR - 6;
        vec![
            Span::styled(format!("{name:<width$.width$}"), name_style),
            Span::from(format!(" {:<BAR$}", bar(force))).fg(colour(force)),
            Span::from(format!("{value:>4} ")),
        ]
    };
    columns(picture.observed.forces().into_iter().map(item).collect())
}

/// A bar in eighths of a cell; the smallest force has one.
fn bar(force: f32) -> String {
    const PARTS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let most = BAR * PARTS.len();
    let eighths = ((force / FULL) * most as f32).round() as usize;
    let eighths = eighths.clamp(usize::from(force > 0.0), most);
    let full = "█".repeat(eighths / PARTS.len());
    let rest = (eighths % PARTS.len()).checked_sub(1).and_then(|rest| PARTS.get(rest));
    full + &rest.map(char::to_string).unwrap_or_default()
}

fn units(picture: &Picture) -> Line<'static> {
    let count = picture.observed.names.as_ref().map_or(0, |names| names.imus.len());
    let reading = picture.observed.reading.unwrap_or_default();
    let norms = reading.acceleration.into_iter().take(count).map(|acceleration| {
        let norm = acceleration.iter().map(|part| part * part).sum::<f32>().sqrt();
        format!(" {norm:>5.2}")
    });
    let text: String = norms.collect();
    Line::from(vec![Span::styled("IMUs, m/s²", Style::new().fg(Color::Gray)), Span::from(text)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_force() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(0.01), "▏");
        // 24 eighths are 10 N
        assert_eq!([5.0, 10.0, 100.0].map(bar), ["█▌", "███", "███"]);
        assert_eq!(bar(1.25), "▍");
    }

    #[test]
    fn columns_are_filled_from_top_to_bottom() {
        let items = ["a", "b", "c"].map(|text| vec![Span::from(text)]);
        let lines: Vec<String> = columns(items.into()).iter().map(Line::to_string).collect();
        assert_eq!(lines, ["ac", "b"]);
        assert!(columns(Vec::new()).is_empty());
    }
}
