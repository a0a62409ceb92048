use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Block;
use ratatui::widgets::canvas::{Canvas, Circle, Context, Line, Points};

use super::Picture;
use crate::arm::robot::Joint;
use crate::widgets::fitted;

/// Measures of `config/urdf/arm.urdf` \[m\]: the base, the height of the tilt joint, the arm.
const RADIUS: f64 = 0.08;
const HEIGHT: f64 = 0.2;
const LENGTH: f64 = 0.3;
/// Space around the arm \[m\].
const MARGIN: f64 = 0.03;
/// Dots of a command along the arm.
const DOTS: u32 = 8;

/// Draws the arm from above, where pan is seen, and from its side, where tilt is.
pub fn draw(frame: &mut Frame<'_>, area: Rect, picture: &Picture) {
    let halves: [Rect; 2] = Layout::horizontal([Constraint::Ratio(1, 2); 2]).areas(area);
    let reach = LENGTH + MARGIN;
    let views = [
        (" from above ", [[-reach, reach], [-reach, reach]], above as fn(&mut Context<'_>, &Picture)),
        (" from the side ", [[-RADIUS - MARGIN, reach], [-MARGIN - 0.1, HEIGHT + 0.16]], side),
    ];
    for (half, (title, wanted, paint)) in halves.into_iter().zip(views) {
        let block = Block::bordered().title(title);
        let [x, y] = fitted(wanted, block.inner(half));
        let canvas = Canvas::default().block(block).marker(Marker::Braille).x_bounds(x).y_bounds(y);
        frame.render_widget(canvas.paint(|context| paint(context, picture)), half);
    }
}

/// The measured positions and the commanded ones, where something is commanded.
fn positions(picture: &Picture) -> Option<([f64; 2], [f64; 2])> {
    let measured = picture.observed.joints?.map(|joint| joint.position);
    Some((measured, Joint::ALL.map(|joint| picture.commanded(joint).unwrap_or(measured[joint as usize]))))
}

fn is_commanded(picture: &Picture) -> bool {
    Joint::ALL.into_iter().any(|joint| picture.commanded(joint).is_some())
}

/// Points from `from` to `to`.
fn dots(from: (f64, f64), to: (f64, f64)) -> Vec<(f64, f64)> {
    let part = |n: u32| f64::from(n) / f64::from(DOTS);
    (1..=DOTS).map(|n| (from.0 + (to.0 - from.0) * part(n), from.1 + (to.1 - from.1) * part(n))).collect()
}

fn above(context: &mut Context<'_>, picture: &Picture) {
    context.draw(&Circle { x: 0.0, y: 0.0, radius: RADIUS, color: Color::Gray });
    for limit in Joint::Pan.soft_limits() {
        let end = |far: f64| (-far * limit.sin(), far * limit.cos());
        let ((x1, y1), (x2, y2)) = (end(LENGTH * 0.8), end(LENGTH));
        context.draw(&Line { x1, y1, x2, y2, color: Color::DarkGray });
    }
    let Some((measured, commanded)) = positions(picture) else { return };
    // Ahead is up on the screen, and pan turns counter-clockwise from there.
    let end = |[pan, tilt]: [f64; 2]| (-LENGTH * tilt.cos() * pan.sin(), LENGTH * tilt.cos() * pan.cos());
    if is_commanded(picture) {
        context.draw(&Points { coords: &dots((0.0, 0.0), end(commanded)), color: Color::Yellow });
    }
    let (x2, y2) = end(measured);
    context.draw(&Line { x1: 0.0, y1: 0.0, x2, y2, color: Color::Cyan });
}

fn side(context: &mut Context<'_>, picture: &Picture) {
    let mut line = |x1: f64, y1: f64, x2: f64, y2: f64, color: Color| {
        context.draw(&Line { x1, y1, x2, y2, color });
    };
    for x in [-RADIUS, RADIUS] {
        line(x, 0.0, x, HEIGHT / 2.0, Color::Gray);
    }
    for y in [0.0, HEIGHT / 2.0] {
        line(-RADIUS, y, RADIUS, y, Color::Gray);
    }
    line(0.0, HEIGHT / 2.0, 0.0, HEIGHT, Color::Gray);
    let Some((measured, commanded)) = positions(picture) else { return };
    // A positive tilt lowers the arm.
    let end = |[_, tilt]: [f64; 2]| (LENGTH * tilt.cos(), HEIGHT - LENGTH * tilt.sin());
    if is_commanded(picture) {
        context.draw(&Points { coords: &dots((0.0, HEIGHT), end(commanded)), color: Color::Yellow });
    }
    let (x2, y2) = end(measured);
    context.draw(&Line { x1: 0.0, y1: HEIGHT, x2, y2, color: Color::Cyan });
}
