use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::canvas::{Canvas, Context, Line as Stroke};
use ratatui::widgets::{Block, Paragraph};

use super::Picture;
use crate::arm::observed::WINDOW;
use crate::arm::robot::Joint;
use crate::widgets::number;

/// The width of the scale at the left.
const SCALE: u16 = 6;
/// The least range of the scale, in the quantity's unit.
const LEAST: f64 = 0.4;
/// Points that are further apart than this are not connected \[s\].
const GAP: f64 = 0.25;

type Curve = Vec<(f64, f64)>;

/// Draws what was commanded to a joint and what was measured, over the last seconds.
pub fn draw(frame: &mut Frame<'_>, area: Rect, joint: Joint, picture: &Picture) {
    let quantity = picture.quantities[joint as usize];
    let (name, unit) = quantity.words();
    let (measured, commanded) = curves(joint, picture);
    let present = |curve: &Curve| curve.last().map_or("-".into(), |(_, value)| number(*value, 2));
    let mut title = vec![
        Span::from(format!(" {} {name} ", joint.name())),
        Span::from(present(&measured)).fg(Color::Cyan),
        Span::from(format!(" {unit}")),
    ];
    let is_commanded =
        picture.observed.history.back().is_some_and(|sample| sample.commands[joint as usize].is_some());
    if is_commanded {
        title.push(Span::from(", command "));
        title.push(Span::from(present(&commanded)).fg(Color::Yellow));
    }
    title.push(Span::from(" "));
    let block = Block::bordered().title(Line::from(title));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let [scale, plot] = Layout::horizontal([Constraint::Length(SCALE), Constraint::Min(0)]).areas(inside);
    let [low, high] = range(measured.iter().chain(&commanded).map(|(_, value)| *value));
    let label = |value: f64| Line::from(format!("{:>5}", number(value, 1))).fg(Color::Gray);
    let mut labels = vec![Line::default(); usize::from(scale.height)];
    if let [first, .., last] = &mut labels[..] {
        (*first, *last) = (label(high), label(low));
    }
    frame.render_widget(Paragraph::new(labels), scale);
    let canvas = Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([-WINDOW.as_secs_f64(), 0.0])
        .y_bounds([low, high])
        .paint(|context| {
            stroke(context, &commanded, Color::Yellow);
            stroke(context, &measured, Color::Cyan);
        });
    frame.render_widget(canvas, plot);
}

/// The measured and the commanded values of the joint's present quantity, each with its time before now \[s\].
fn curves(joint: Joint, picture: &Picture) -> (Curve, Curve) {
    let quantity = picture.quantities[joint as usize];
    let samples = picture.observed.history.iter();
    let each = samples.map(|sample| (-picture.now.since(sample.at).as_secs_f64(), sample));
    let (mut measured, mut commanded) = (Curve::new(), Curve::new());
    for (at, sample) in each {
        measured.push((at, sample.joints[joint as usize].of(quantity)));
        let command = sample.commands[joint as usize].filter(|(of, _)| *of == quantity);
        commanded.extend(command.map(|(_, value)| (at, value)));
    }
    (measured, commanded)
}

/// A range that holds all of `values`, on tenths.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (value.min(low), value.max(high)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let more = ((LEAST - (high - low)) / 2.0).max(0.0);
    // A value on the edge itself would lie outside of the last dot.
    [((low - more) * 10.0 - 0.01).floor() / 10.0, ((high + more) * 10.0 + 0.01).ceil() / 10.0]
}

fn stroke(context: &mut Context<'_>, curve: &Curve, color: Color) {
    for pair in curve.windows(2) {
        let [(x1, y1), (x2, y2)] = [pair[0], pair[1]];
        if x2 - x1 <= GAP {
            context.draw(&Stroke { x1, y1, x2, y2, color });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_wider_than_its_values() {
        assert_eq!(range([0.0, 1.0].into_iter()), [-0.1, 1.1]);
        // 0.4 about the one value, to the next tenth
        assert_eq!(range([0.53].into_iter()), [0.3, 0.8]);
        assert_eq!(range(std::iter::empty()), [-0.3, 0.3]);
    }
}
