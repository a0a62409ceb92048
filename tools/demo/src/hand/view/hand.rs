use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Block;
use ratatui::widgets::canvas::{Canvas, Circle, Context, Line, Points};

use super::Picture;
use super::panel::colour;
use crate::widgets::fitted;

/// A way of looking at the hand.
struct View {
    title: &'static str,
    /// Projection of a place in the frame of the base: to the right, and upward.
    project: fn([f64; 3]) -> (f64, f64),
    /// Least and greatest visible value of both \[m\].
    bounds: [[f64; 2]; 2],
}

/// Views from the side of the palm, with the thumb to the right, and from the side of the thumb, with the back of the hand to the right.
const BOTH: [View; 2] = [
    View { title: " palm ", project: |[_, y, z]| (-y, z), bounds: [[-0.06, 0.1], [-0.01, 0.235]] },
    View { title: " side ", project: |[x, _, z]| (x, z), bounds: [[-0.115, 0.045], [-0.01, 0.235]] },
];
/// View from between these two sides, where there is no room for both.
const BETWEEN: [View; 1] = [View {
    title: " hand ",
    project: |[x, y, z]| ((x - y) * core::f64::consts::FRAC_1_SQRT_2, z),
    bounds: [[-0.115, 0.09], [-0.01, 0.235]],
}];
/// Least number of columns with room for both views.
const WIDE: u16 = 44;
/// A touched contact sensor is drawn as a ring of this radius \[m\].
const RING: f64 = 0.007;

/// Draws the hand from two sides or from between them, its contact sensors in the colours of their forces, and the ball.
pub fn draw(frame: &mut Frame<'_>, area: Rect, picture: &Picture) {
    let views: &[View] = if area.width < WIDE { &BETWEEN } else { &BOTH };
    let parts = Layout::horizontal(views.iter().map(|_| Constraint::Fill(1))).split(area);
    for (part, view) in parts.iter().zip(views) {
        let block = Block::bordered().title(view.title);
        let [x, y] = fitted(view.bounds, block.inner(*part));
        let canvas = Canvas::default().block(block).marker(Marker::Braille).x_bounds(x).y_bounds(y);
        frame.render_widget(canvas.paint(|context| paint(context, picture, view.project)), *part);
    }
}

fn paint(context: &mut Context<'_>, picture: &Picture, project: fn([f64; 3]) -> (f64, f64)) {
    if picture.has_ball {
        let (x, y) = project(picture.device.ball.center);
        context.draw(&Circle { x, y, radius: picture.device.ball.radius, color: Color::Blue });
    }
    let Some(reading) = &picture.observed.reading else { return };
    let posture = picture.device.skeleton.posture(&reading.joint_pos);
    for bone in posture.bones {
        let [(x1, y1), (x2, y2)] = bone.map(project);
        context.draw(&Line { x1, y1, x2, y2, color: Color::Cyan });
    }
    // Above the bones: a cell has one colour.
    context.layer();
    for (place, force) in posture.contacts.into_iter().zip(reading.contact) {
        let (x, y) = project(place);
        if force > 0.0 {
            context.draw(&Circle { x, y, radius: RING, color: colour(force) });
        } else {
            context.draw(&Points { coords: &[(x, y)], color: Color::Gray });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::device::Device;

    #[test]
    fn the_open_hand_and_the_ball_are_within_all_views() {
        let Device { skeleton, ball, .. } = Device::read().unwrap();
        let posture = skeleton.posture(&[0.0; haptix::MAX]);
        let places = posture.bones.into_iter().flatten().chain(posture.contacts);
        let mut edges: Vec<[f64; 3]> = places.collect();
        edges.extend([-ball.radius, ball.radius].map(|far| ball.center.map(|part| part + far)));
        for View { title, project, bounds: [[left, right], [low, high]] } in BOTH.into_iter().chain(BETWEEN) {
            for place in &edges {
                let (x, y) = project(*place);
                assert!(left < x && x < right && low < y && y < high, "{title}: {place:?}");
            }
        }
    }
}
