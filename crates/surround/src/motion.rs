use core::f64::consts::TAU;

use crate::Footprint;

/// A motion of the vehicle on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    Ahead,
    Astern,
    /// Along a circle, or on the spot if `centre` is 0.
    Turn {
        /// The circle's centre, to the left of the origin \[m\].
        centre: f64,
        /// Whether the heading turns to the left.
        left: bool,
    },
}

/// Lengths and steps below this are rounding errors \[m\].
const TINY: f64 = 1e-6;

impl Motion {
    /// The distance that the part of `footprint` which will touch the `point` travels until contact \[m\]; infinite
    /// if there is no contact within a turn.
    ///
    /// The point must be outside of the footprint or on its outline. A point along which the outline slides is not
    /// touched.
    pub(crate) fn travel(self, footprint: &Footprint, point: [f64; 2]) -> f64 {
        match self {
            Self::Ahead => straight(footprint, point[0] - footprint.front, point[1]),
            Self::Astern => straight(footprint, -footprint.back - point[0], point[1]),
            Self::Turn { centre, left } => turn(footprint, point, centre, left),
        }
    }
}

fn straight(footprint: &Footprint, gap: f64, y: f64) -> f64 {
    let is_in_the_way = y > TINY - footprint.right && y < footprint.left - TINY && gap > -TINY;
    if is_in_the_way { gap.max(0.0) } else { f64::INFINITY }
}

/// In the vehicle's frame the point moves around `centre` in the opposite direction, until it enters through an edge.
fn turn(footprint: &Footprint, point: [f64; 2], centre: f64, left: bool) -> f64 {
    let Footprint { front, back, left: port, right } = *footprint;
    let from = [point[0], point[1] - centre];
    let radius = (from[0] * from[0] + from[1] * from[1]).sqrt();
    let nearest = (centre - port).max(-right - centre);
    let farthest = [front.max(back), (port - centre).max(right + centre)];
    let farthest = (farthest[0] * farthest[0] + farthest[1] * farthest[1]).sqrt();
    if radius < nearest - 2.0 * TINY || radius > farthest + 2.0 * TINY {
        return f64::INFINITY; // most points: no part of the outline is on this circle
    }
    let sense = if left { 1.0 } else { -1.0 };
    let mut least = f64::INFINITY;
    // `normal` points out of the edge; coordinates are from the centre of the circle.
    let mut meet = |at: [f64; 2], normal: [f64; 2]| {
        let speed = [sense * at[1], -sense * at[0]];
        if speed[0] * normal[0] + speed[1] * normal[1] > -TINY {
            return; // leaves or grazes
        }
        let turned = if (at[0] - from[0]).abs().max((at[1] - from[1]).abs()) < TINY {
            0.0
        } else {
            let (cross, dot) = (from[0] * at[1] - from[1] * at[0], from[0] * at[0] + from[1] * at[1]);
            let turned = -sense * cross.atan2(dot);
            if turned < 0.0 { turned + TAU } else { turned }
        };
        least = least.min(radius * turned);
    };
    for (x, normal) in [(front, [1.0, 0.0]), (-back, [-1.0, 0.0])] {
        let square = radius * radius - x * x;
        if square >= 0.0 {
            for y in [square.sqrt(), -square.sqrt()] {
                if y + centre <= port + TINY && y + centre >= -right - TINY {
                    meet([x, y], normal);
                }
            }
        }
    }
    for (edge, normal) in [(port, [0.0, 1.0]), (-right, [0.0, -1.0])] {
        let y = edge - centre;
        let square = radius * radius - y * y;
        if square >= 0.0 {
            for x in [square.sqrt(), -square.sqrt()] {
                if x <= front + TINY && x >= -back - TINY {
                    meet([x, y], normal);
                }
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIR: Footprint = Footprint { front: 0.8, back: 0.3, left: 0.3, right: 0.3 };
    const LEFT: Motion = Motion::Turn { centre: 0.0, left: true };
    const RIGHT: Motion = Motion::Turn { centre: 0.0, left: false };

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-6 || got == expected, "{got}, not {expected}");
    }

    #[test]
    fn straight_motions_meet_what_is_between_the_sides() {
        near(Motion::Ahead.travel(&CHAIR, [1.0, 0.29]), 0.2);
        near(Motion::Ahead.travel(&CHAIR, [1.0, 0.3]), f64::INFINITY);
        near(Motion::Ahead.travel(&CHAIR, [0.8, 0.0]), 0.0);
        near(Motion::Ahead.travel(&CHAIR, [0.2, 0.3]), f64::INFINITY);
        near(Motion::Astern.travel(&CHAIR, [-1.0, -0.1]), 0.7);
        near(Motion::Astern.travel(&CHAIR, [0.8, 0.0]), f64::INFINITY);
    }

    #[test]
    fn turning_left_swings_the_nose_left_and_the_tail_right() {
        // A wall point abeam of the nose at (0.5, 0.6), 50.194° and 0.78102 m, comes in through the left edge where
        // y = 0.3 and x = sqrt(0.61 - 0.09) = 0.72111, 22.589°: 27.605° later, 0.37630 m.
        let at = [0.5, 0.6];
        assert!((LEFT.travel(&CHAIR, at) - 0.376_30).abs() < 1e-4);
        assert!(RIGHT.travel(&CHAIR, at) > 2.0, "only the long way round");
        // Beside the tail on the right: (-0.1, -0.4), 0.41231 m, comes in through the right edge at y = -0.3, x =
        // -sqrt(0.17 - 0.09) = -0.28284: from 75.964° to 46.686° behind abeam, 29.278°, 0.21069 m.
        let at = [-0.1, -0.4];
        assert!((LEFT.travel(&CHAIR, at) - 0.210_69).abs() < 1e-4);
        // A turn to the right meets it with the nose half of that edge, at 46.686° on the other side: 57.35°.
        assert!((RIGHT.travel(&CHAIR, at) - 0.412_31 * 57.350f64.to_radians()).abs() < 1e-4);
    }

    #[test]
    fn a_point_beyond_the_swept_circle_is_never_touched() {
        for degrees in 0..360 {
            let (y, x) = f64::from(degrees).to_radians().sin_cos();
            let beyond = CHAIR.corner() + 1e-3;
            near(LEFT.travel(&CHAIR, [x * beyond, y * beyond]), f64::INFINITY);
            assert!(RIGHT.travel(&CHAIR, [x * 0.8, y * 0.8]).is_finite());
        }
    }

    #[test]
    fn touching_stops_the_turn_into_it_and_not_the_turn_away() {
        // The right half of the front edge advances in a turn to the left, the left half recedes.
        near(LEFT.travel(&CHAIR, [0.8, -0.1]), 0.0);
        // ... and the right half comes to where the point is after twice the angle of (0.8, 0.1).
        near(LEFT.travel(&CHAIR, [0.8, 0.1]), 0.8f64.hypot(0.1) * 2.0 * 0.1f64.atan2(0.8));
        near(RIGHT.travel(&CHAIR, [0.8, 0.1]), 0.0);
    }

    #[test]
    fn an_arc_of_a_great_circle_is_nearly_straight() {
        for (left, centre) in [(true, 1e4), (false, -1e4)] {
            let arc = Motion::Turn { centre, left };
            assert!((arc.travel(&CHAIR, [2.0, 0.0]) - 1.2).abs() < 1e-3);
            assert!(arc.travel(&CHAIR, [-2.0, 0.0]) > 1e4, "it is behind");
        }
        // Backwards: the heading turns left and the centre is to the right.
        let arc = Motion::Turn { centre: -1e4, left: true };
        assert!((arc.travel(&CHAIR, [-2.0, 0.0]) - 1.7).abs() < 1e-3);
    }
}
