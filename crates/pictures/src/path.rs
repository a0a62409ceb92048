use safety::Velocity;

use crate::Colour;
use crate::markers::{Marker, Shape};

/// How far ahead in time the path goes \[s\].
const AHEAD: f64 = 1.0;
const PIECES: u32 = 12;
/// No part of a drawn velocity is greater \[m/s, rad/s\].
const MOST: f64 = 20.0;
const NAMESPACE: &str = "velocity";

/// A velocity as the way that the front of a vehicle takes within a second, with an arrow at its end: `id` and the next one.
///
/// * `reach`: from the point that the vehicle turns about to its front \[m\]
///
/// The front also moves when the vehicle turns in place.
pub(crate) fn path(velocity: Option<Velocity>, colour: Colour, id: i32, reach: f64) -> [Marker; 2] {
    let visible = velocity.is_some_and(|velocity| !velocity.is_neutral());
    let [x, y, _] = velocity.unwrap_or_default().linear();
    let [_, _, turn] = velocity.unwrap_or_default().angular();
    let [x, y, turn] = [x, y, turn].map(|part| part.clamp(-MOST, MOST));
    let z = 0.1 + 0.02 * f64::from(id);
    let step = AHEAD / f64::from(PIECES);
    let (mut place, mut points) = ([0.0, 0.0], Vec::new());
    for piece in 0..=PIECES {
        let (sin, cos) = (turn * step * f64::from(piece)).sin_cos();
        points.push([place[0] + reach * cos, place[1] + reach * sin, z]);
        // Half of the turn of the step: the direction of its chord.
        let (sin, cos) = (turn * step * (f64::from(piece) + 0.5)).sin_cos();
        place = [place[0] + step * (x * cos - y * sin), place[1] + step * (x * sin + y * cos)];
    }
    let width = 0.05 * reach.max(0.2);
    let last = |back: usize| points.iter().rev().nth(back).copied().unwrap_or_default();
    let head = [width, 3.0 * width, 4.0 * width];
    let arrow = Shape::Arrow { from: last(2), to: last(0), scale: head, colour };
    let line = Shape::Line { points, width, colour };
    [(id, line), (id + 1, arrow)].map(|(id, shape)| Marker { visible, ..Marker::new(NAMESPACE, id, shape) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(forward: f64, turn: f64) -> [f64; 3] {
        let [_, arrow] = path(Velocity::planar(forward, turn).ok(), Colour::GRANTED, 0, 0.5);
        assert!(arrow.visible);
        let Shape::Arrow { to, .. } = arrow.shape else { panic!("an arrow") };
        to
    }

    #[test]
    fn the_front_goes_as_far_as_the_vehicle_does_in_a_second() {
        let [x, y, _] = end(0.8, 0.0);
        assert!((x - 1.3).abs() < 1e-12 && y == 0.0);
        // A turn in place: the front moves on a circle of 0.5 m, to the left for a positive turn.
        let [x, y, _] = end(0.0, 1.0);
        assert!((x - 0.5 * 1f64.cos()).abs() < 1e-12 && (y - 0.5 * 1f64.sin()).abs() < 1e-12);
        // An arc of radius 1 m: the vehicle is at (sin 1, 1 - cos 1); the chords of twelve pieces are 0.03 percent longer.
        let [x, y, _] = end(1.0, 1.0);
        assert!((x - 1f64.sin() - 0.5 * 1f64.cos()).abs() < 1e-3, "{x}");
        assert!((y - 1.0 + 1f64.cos() - 0.5 * 1f64.sin()).abs() < 1e-3, "{y}");
    }

    #[test]
    fn a_neutral_velocity_and_none_are_not_shown() {
        for velocity in [None, Some(Velocity::ZERO), Velocity::planar(0.01, 0.01).ok()] {
            assert!(path(velocity, Colour::GRANTED, 2, 0.5).iter().all(|marker| !marker.visible));
        }
        let far = Velocity::planar(1e300, -1e300).ok();
        let [line, _] = path(far, Colour::GRANTED, 0, 0.5);
        let Shape::Line { points, .. } = line.shape else { panic!("a line") };
        assert!(points.iter().flatten().all(|number| number.is_finite()));
    }
}
