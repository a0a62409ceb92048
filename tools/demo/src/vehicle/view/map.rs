use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Block;
use ratatui::widgets::canvas::{Canvas, Circle, Context, Line, Points};
use zones::{Boundaries, Factors, Scaling, Sector, Zone};

use super::Picture;
use crate::vehicle::observed::Pose;

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
    if let Some(fields) = &picture.observed.scaling {
        let (scaling, _) = Scaling::from_fields(fields);
        for zone in Zone::AROUND {
            let Factors { forward_back, left_right } = scaling.of(zone);
            let coords = arc(&pose, picture.world.radius, zone);
            context
                .draw(&Points { coords: &coords, color: colour(forward_back.get().min(left_right.get())) });
        }
    }
    context.layer();
    let ([x, y], radius) = (pose.point, picture.world.radius);
    context.draw(&Circle { x, y, radius, color: Color::Cyan });
    let (sin, cos) = pose.heading.sin_cos();
    context.draw(&Line { x1: x, y1: y, x2: x + radius * cos, y2: y + radius * sin, color: Color::White });
}

/// The points of a zone's arcs where it lies on the floor, a gap left between neighbours.
fn arc(pose: &Pose, radius: f64, zone: Zone) -> Vec<(f64, f64)> {
    let boundaries = Boundaries { rear_swap: false, ..Boundaries::default() };
    let Some(Sector { from, to }) = boundaries.sector(zone) else { return Vec::new() };
    let [x, y] = pose.point;
    let count = ((to - from) / STEP).floor() as u32;
    // A sector is clockwise from straight ahead.
    let angles = (0..count).map(|n| pose.heading - (from + STEP * (0.5 + f64::from(n))).to_radians());
    let point = |angle: f64, far: f64| (x + far * angle.cos(), y + far * angle.sin());
    angles.flat_map(|angle| ARCS.map(|arc| point(angle, radius + arc))).collect()
}

/// Green where full speed is allowed, red where no motion is.
fn colour(scale: f64) -> Color {
    let index = (scale.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64).round() as usize;
    Color::Indexed(RAMP.get(index).copied().unwrap_or(RAMP[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_goes_from_red_over_yellow_to_green() {
        let indexed = [0.0, 0.5, 1.0, -3.0, f64::NAN].map(colour);
        assert_eq!(indexed, [196, 226, 46, 196, 196].map(Color::Indexed));
    }

    #[test]
    fn each_zone_lies_on_its_side_of_the_floor() {
        let ahead = Pose { point: [0.0, 0.0], heading: 0.0 };
        // x forward and y left, in the order of the zones' numbers
        let expected = [(1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, 1), (-1, -1), (-1, 0)];
        for (zone, (forward, left)) in Zone::AROUND.into_iter().zip(expected) {
            let points = arc(&ahead, 0.35, zone);
            let side = |mean: f64| if mean.abs() < 0.05 { 0 } else { mean.signum() as i32 };
            let mean = |sum: f64| side(sum / points.len() as f64);
            let sums = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
            assert_eq!((mean(sums.0), mean(sums.1)), (forward, left), "{zone}");
        }
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
        for (x, y) in arc(&ahead, 0.35, Zone::Front) {
            // Within 13.7 degrees of straight on: |x - 1| < (y - 2) tan 13.7 deg
            assert!(y > 2.4 && (x - 1.0).abs() < (y - 2.0) * 0.2438, "{x} {y}");
        }
    }
}
