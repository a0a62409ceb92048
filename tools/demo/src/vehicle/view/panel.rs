use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use ros::Quantiles;

use super::{Figures, Picture};
use crate::screen::label;
use crate::vehicle::operator_input::Stick;
use crate::vehicle::record::STAND;
use crate::vehicle::stages::Stage;

/// Counts of a servo from stop to full speed.
const FULL: f64 = 66.0;
/// Cells of a bar on either side of its middle.
const HALF: usize = 9;
/// With at least this many lines there is room for a blank one between the parts.
const ROOMY: u16 = 22;

/// Draws stick, source, zone, state, motors and latencies.
pub fn draw(frame: &mut Frame<'_>, area: Rect, picture: &Picture<'_>) {
    let parts = [state(picture), stick(picture), chain(picture), motors(picture), latencies(picture)];
    let mut lines: Vec<Line<'_>> = Vec::new();
    for part in parts {
        if area.height >= ROOMY && !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(part);
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn state(picture: &Picture<'_>) -> Vec<Line<'static>> {
    let state = picture.observed.state.clone().unwrap_or_else(|| "silent".into());
    let colour = match state.as_str() {
        "OK" => Color::Green,
        "ESTOP" | "silent" => Color::Red,
        _ => Color::Yellow,
    };
    let operator_input = &picture.operator_input;
    let switch = |on: bool, yes: &'static str, no: &'static str| if on { yes } else { no };
    vec![
        Line::from(vec![label("state"), Span::from(state).fg(colour).bold()]),
        Line::from(vec![
            label("switches"),
            Span::from(switch(operator_input.enable, "enabled, ", "disabled, ")),
            Span::from(switch(operator_input.estop, "E-STOP PRESSED", "e-stop out")),
        ]),
    ]
}

fn stick(picture: &Picture<'_>) -> Vec<Line<'static>> {
    let stick = picture.observed.stick.unwrap_or(Stick::REST);
    let held = match (picture.operator_input.stick.is_some() || picture.gamepad.is_some(), stick.held) {
        (false, _) => Span::from("unplugged").fg(Color::Yellow),
        (true, true) => Span::from("dead-man held").fg(Color::Green),
        (true, false) => Span::from("released"),
    };
    vec![
        Line::from(vec![label("stick"), held]),
        bar("  forward", stick.forward, percent(stick.forward)),
        // Left is to the left of the middle.
        bar("  left", -stick.left, percent(stick.left)),
    ]
}

fn chain(picture: &Picture<'_>) -> Vec<Line<'static>> {
    let observed = picture.observed;
    let navigation = if picture.operator_input.navigation { "on" } else { "paused" };
    let zone = observed.applied.map_or_else(
        || "-".into(),
        |applied| format!("{} x{:.2} x{:.2}", applied.zone_name(), applied.forward_back, applied.left_right),
    );
    vec![
        Line::from(vec![
            label("drives"),
            Span::from(observed.source.clone().unwrap_or_else(|| "-".into())).bold(),
            Span::from(format!(" (nav {navigation})")),
        ]),
        Line::from(vec![label("zone"), Span::from(zone)]),
    ]
}

fn motors(picture: &Picture<'_>) -> Vec<Line<'static>> {
    let [port, starboard] = picture.observed.motors();
    // Forward is the lower number.
    let part = |value: i16| f64::from(STAND[0] - value) / FULL;
    vec![
        bar("port", part(port), format!("{port:>4}")),
        bar("starboard", part(starboard), format!("{starboard:>4}")),
    ]
}

/// Adding zero makes a zero positive: a centred stick must not show -0.
fn percent(part: f64) -> String {
    format!("{:+4.0} %", (part * 100.0).round() + 0.0)
}

/// A bar from the middle to `part` of one half, -1 to 1.
fn bar(name: &str, part: f64, value: String) -> Line<'static> {
    let cells = (part.abs().min(1.0) * HALF as f64).round() as usize;
    let (full, rest) = ("█".repeat(cells), "·".repeat(HALF - cells));
    let (left, right) = if part < 0.0 {
        (format!("{rest}{full}"), "·".repeat(HALF))
    } else {
        ("·".repeat(HALF), format!("{full}{rest}"))
    };
    Line::from(vec![label(name), Span::from(format!("{left}|{right}")).fg(Color::Cyan), Span::from(value)])
}

fn latencies(picture: &Picture<'_>) -> Vec<Line<'static>> {
    let title = Line::from(format!("{:<16}{:>4}{:>5}{:>5}{:>6}", "stick to, us", "Hz", "p50", "p99", "max"));
    let rows = Stage::ALL.iter().zip(picture.figures).map(|(stage, figures)| row(stage.name(), figures));
    std::iter::once(title.style(Style::new().fg(Color::Gray))).chain(rows).collect()
}

fn row(name: &'static str, Figures { rate, latency }: &Figures) -> Line<'static> {
    let number = |value: Option<f64>| value.map_or_else(|| "-".into(), short);
    let part = |part: fn(&Quantiles) -> f64| number(latency.as_ref().map(part));
    Line::from(format!(
        "{name:<16}{:>4}{:>5}{:>5}{:>6}",
        number(*rate),
        part(|q| q.p50),
        part(|q| q.p99),
        part(|q| q.max)
    ))
}

/// At most five characters, thousands as `k`.
fn short(value: f64) -> String {
    if value < 9999.5 { format!("{value:.0}") } else { format!("{:.0}k", value / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_grows_from_its_middle() {
        let text = |part| bar("", part, String::new()).to_string().trim_start().to_owned();
        assert_eq!(text(0.0), "·········|·········");
        assert_eq!(text(1.0), "·········|█████████");
        // a third of nine cells
        assert_eq!(text(-1.0 / 3.0), "······███|·········");
        assert_eq!(text(7.0), "·········|█████████");
    }

    #[test]
    fn a_centred_stick_has_no_sign_of_a_direction() {
        assert_eq!([-0.0, -0.001, 0.8, -1.0].map(percent), ["  +0 %", "  +0 %", " +80 %", "-100 %"]);
    }

    #[test]
    fn a_number_keeps_its_column() {
        assert_eq!([0.4, 9999.4, 9999.6, 123_456.0].map(short), ["0", "9999", "10k", "123k"]);
    }
}
