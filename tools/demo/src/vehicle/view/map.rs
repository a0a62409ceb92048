use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Block;
use ratatui::widgets::canvas::{Canvas, Circle, Context, Line, Points};

use super::Picture;
use crate::vehicle::observed::Pose;

/// The eight zones as the floor shows them: the field of their first factor, and their border angles,
/// counter-clockwise from straight ahead \[deg\].
///
/// # Source
/// LUCI's zone ring; `luci_messages/LuciZoneScaling` for the order of the fields.
const ZONES: [(usize, f64, f64); 8] = [
    (0, -13.7, 13.7),    // front
    (4, 13.7, 78.45),    // front left
    (8, 78.45, 101.55),  // left
    (12, 101.55, 166.3), // back left
    (14, 166.3, 193.7),  // back
    (10, 193.7, 258.45), // back right
    (6, 258.45, 281.55), // right
    (2, 281.55, 346.3),  // front right
];
/// How far from the footprint the zones' arcs are drawn \[m\].
const ARCS: [f64; 3] = [0.12, 0.22, 0.32];
/// Angle from point to point of an arc \[deg\].
const STEP: f64 = 4.0;
/// Space around the walls \[m\].
const MARGIN: f64 = 0.2;
/// Colours of a 256-colour terminal from red over yellow to green.
const RAMP: [u8; 11] = [196, 202, 208, 214, 220, 226, 190, 154, 118, 82, 46];

/// Draws the world from above.
pub fn draw(frame: &mut Frame<'_>, area: Rect, picture: &Picture<'_>) {
    let block = Block::bordered().title(" world, from above ");
    let [x, y] = bounds(picture, block.inner(area));
    let canvas = Canvas::default().block(block).marker(Marker::Braille).x_bounds(x).y_bounds(y);
    frame.render_widget(canvas.paint(|context| paint(context, picture)), area);
}

/// The part of the map that the area shows: all walls, with the same scale along both axes.
fn bounds(picture: &Picture<'_>, area: Rect) -> [[f64; 2]; 2] {
    let ends = || picture.world.walls.iter().flat_map(|wall| [wall.a, wall.b]);
    let range = |axis: usize| {
        let (least, most) = ends().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), end| {
            (end[axis].min(least), end[axis].max(most))
        });
        if least <= most { [least - MARGIN, most + MARGIN] } else { [-5.0, 5.0] }
    };
    fitted([range(0), range(1)], area)
}

/// Bounds around `wanted` with the same scale along both axes: a cell has two dots across and four down.
fn fitted(wanted: [[f64; 2]; 2], area: Rect) -> [[f64; 2]; 2] {
    let dots = [f64::from(area.width.max(1)) * 2.0, f64::from(area.height.max(1)) * 4.0];
    let [long, high] = wanted.map(|[from, to]| to - from);
    let metres_per_dot = (long / dots[0]).max(high / dots[1]);
    [0, 1].map(|axis: usize| {
        let middle = f64::midpoint(wanted[axis][0], wanted[axis][1]);
        let half = dots[axis] * metres_per_dot / 2.0;
        [middle - half, middle + half]
    })
}

fn paint(context: &mut Context<'_>, picture: &Picture<'_>) {
    for wall in &picture.world.walls {
        let color = Color::Gray;
        context.draw(&Line { x1: wall.a.x, y1: wall.a.y, x2: wall.b.x, y2: wall.b.y, color });
    }
    let Some(pose) = picture.observed.pose else { return };
    context.layer();
    if let Some(scaling) = &picture.observed.scaling {
        for (field, from, to) in ZONES {
            let scale =
                scaling.get(field..field + 2).map_or(0.0, |pair| pair.iter().copied().fold(1.0, f32::min));
            let coords = arc(&pose, picture.world.radius, from, to);
            context.draw(&Points { coords: &coords, color: colour(scale) });
        }
    }
    context.layer();
    let ([x, y], radius) = (pose.point, picture.world.radius);
    context.draw(&Circle { x, y, radius, color: Color::Cyan });
    let (sin, cos) = pose.heading.sin_cos();
    context.draw(&Line { x1: x, y1: y, x2: x + radius * cos, y2: y + radius * sin, color: Color::White });
}

/// The points of a zone's arcs, a gap left between neighbours.
fn arc(pose: &Pose, radius: f64, from: f64, to: f64) -> Vec<(f64, f64)> {
    let [x, y] = pose.point;
    let count = ((to - from) / STEP).floor() as u32;
    let angles = (0..count).map(|n| pose.heading + (from + STEP * (0.5 + f64::from(n))).to_radians());
    let point = |angle: f64, far: f64| (x + far * angle.cos(), y + far * angle.sin());
    angles.flat_map(|angle| ARCS.map(|arc| point(angle, radius + arc))).collect()
}

/// Green where full speed is allowed, red where no motion is.
fn colour(scale: f32) -> Color {
    let index = (scale.clamp(0.0, 1.0) * (RAMP.len() - 1) as f32).round() as usize;
    Color::Indexed(RAMP.get(index).copied().unwrap_or(RAMP[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_goes_from_red_over_yellow_to_green() {
        let indexed = [0.0, 0.5, 1.0, -3.0, f32::NAN].map(colour);
        assert_eq!(indexed, [196, 226, 46, 196, 196].map(Color::Indexed));
    }

    #[test]
    fn the_zones_are_once_around() {
        for pair in ZONES.windows(2) {
            assert_eq!(pair[0].2, pair[1].1, "they touch");
        }
        assert_eq!(ZONES[0].1 + 360.0, ZONES[7].2);
        let mut fields = ZONES.map(|(field, ..)| field);
        fields.sort_unstable();
        assert_eq!(fields, [0, 2, 4, 6, 8, 10, 12, 14]);
    }

    #[test]
    fn both_axes_have_the_same_scale() {
        // 40 x 40 dots for 1 m x 2 m: 0.05 m a dot, so 2 m across, about the same middle
        let bounds = fitted([[0.0, 1.0], [0.0, 2.0]], Rect::new(0, 0, 20, 10));
        assert_eq!(bounds, [[-0.5, 1.5], [0.0, 2.0]]);
    }

    #[test]
    fn the_front_arc_lies_ahead() {
        let ahead = Pose { point: [1.0, 2.0], heading: std::f64::consts::FRAC_PI_2 };
        for (x, y) in arc(&ahead, 0.35, -13.7, 13.7) {
            // Within 13.7 degrees of straight on: |x - 1| < (y - 2) tan 13.7 deg
            assert!(y > 2.4 && (x - 1.0).abs() < (y - 2.0) * 0.2438, "{x} {y}");
        }
    }
}
