//! Which zones remain free around obstacles; a way out always remains.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{after, at, ms, near, of, seen, surround, text, with_cloud};
use params::Value;
use zones::{Scaling, Zone};

fn scaling_of(points: &[[f64; 2]]) -> Scaling {
    after(&mut with_cloud(), ms(0), seen(0, at(points)))
}

/// A wall from `a` to `b`, a point each centimetre.
fn wall(a: [f64; 2], b: [f64; 2]) -> Vec<[f64; 2]> {
    let count = ((b[0] - a[0]).hypot(b[1] - a[1]) / 0.01) as usize + 1;
    let between = |a: f64, b: f64, index: usize| a + (b - a) * index as f64 / count as f64;
    (0..=count).map(|index| [between(a[0], b[0], index), between(a[1], b[1], index)]).collect()
}

/// An irrelevant point, which makes the cloud not empty.
const FAR: [f64; 2] = [50.0, 50.0];

#[test]
fn nothing_around_leaves_all() {
    let scaling = scaling_of(&[FAR]);
    for zone in Zone::AROUND {
        assert_eq!(of(&scaling, zone), (1.0, 1.0), "{zone}");
    }
}

#[test]
fn a_wall_ahead_gives_the_derived_factor() {
    // The nose is at 0.6 m; 0.3 to 1.5 m of travel: 0.9 m are a half, 0.6 m a quarter.
    for (x, expected) in [(1.5, 0.5), (1.2, 0.25), (0.9, 0.0), (0.6, 0.0), (2.1, 1.0), (2.2, 1.0)] {
        near(of(&scaling_of(&wall([x, -0.3], [x, 0.3])), Zone::Front).0, expected);
    }
    // The tail is at 0.5 m.
    near(of(&scaling_of(&wall([-1.4, -0.3], [-1.4, 0.3])), Zone::Back).0, 0.5);
}

#[test]
fn an_obstacle_that_only_fills_the_front_leaves_reversing_and_turning_away() {
    // The nose touches nothing, but is nearer than its stop distance; the corners sweep 0.6946 m.
    let scaling = scaling_of(&wall([0.75, -0.35], [0.75, 0.35]));
    for zone in [Zone::Front, Zone::FrontLeft, Zone::FrontRight] {
        assert_eq!(of(&scaling, zone).0, 0.0, "{zone}");
    }
    assert_eq!(of(&scaling, Zone::Back), (1.0, 1.0), "straight back");
    for zone in [Zone::Left, Zone::Right] {
        assert_eq!(of(&scaling, zone), (0.0, 1.0), "{zone}: on the spot, without moving ahead");
    }
    for zone in [Zone::BackLeft, Zone::BackRight] {
        assert_eq!(of(&scaling, zone).0, 1.0, "{zone}");
    }
}

#[test]
fn what_touches_the_nose_or_reaches_into_it_leaves_reversing() {
    for x in [0.6, 0.55, 0.2] {
        let scaling = scaling_of(&wall([x, -0.05], [x, 0.05]));
        assert_eq!(of(&scaling, Zone::Front), (0.0, 0.0));
        assert_eq!(of(&scaling, Zone::Left), (0.0, 0.0), "the corners would hit it");
        assert_eq!(of(&scaling, Zone::Back).0, 1.0);
    }
}

#[test]
fn in_a_dead_end_of_three_walls_straight_back_is_left() {
    let mut walls = wall([0.7, -0.4], [0.7, 0.4]);
    walls.extend(wall([-0.6, 0.4], [0.7, 0.4]));
    walls.extend(wall([-0.6, -0.4], [0.7, -0.4]));
    let scaling = scaling_of(&walls);
    assert_eq!(of(&scaling, Zone::Back).0, 1.0);
    assert_eq!(of(&scaling, Zone::Front), (0.0, of(&scaling, Zone::Back).1));
    // The corner, at 30.26° and 0.6946 m, reaches y = 0.4 at 35.16°: 4.9° are 0.059 m, (0.059 - 0.05) / 0.45 = 0.02.
    assert!(of(&scaling, Zone::Left).1 < 0.05);
}

#[test]
fn walls_beside_limit_no_straight_motion() {
    let mut walls = wall([-3.0, 0.4], [3.0, 0.4]);
    walls.extend(wall([-3.0, -0.4], [3.0, -0.4]));
    let scaling = scaling_of(&walls);
    assert_eq!((of(&scaling, Zone::Front).0, of(&scaling, Zone::Back).0), (1.0, 1.0));
    assert!(of(&scaling, Zone::Front).1 < 0.05 && of(&scaling, Zone::Left).1 < 0.05);
}

#[test]
fn each_side_has_its_own_zones() {
    let limited = |point: [f64; 2]| {
        let scaling = scaling_of(&[point]);
        Zone::AROUND.into_iter().filter(|&zone| of(&scaling, zone).1 < 1.0).collect::<Vec<_>>()
    };
    use Zone::*;
    // Abeam of the nose on the left and of the tail on the right: a turn to the left meets it sooner.
    for (point, sooner, later) in [
        ([0.3, 0.5], Left, Right),
        ([-0.3, -0.45], Left, Right),
        ([0.3, -0.5], Right, Left),
        ([-0.3, 0.45], Right, Left),
    ] {
        let scaling = scaling_of(&[point]);
        assert!(of(&scaling, sooner).1 < of(&scaling, later).1, "{point:?}: {scaling:?}");
        assert_eq!((of(&scaling, Front).0, of(&scaling, Back).0), (1.0, 1.0));
    }
    // Ahead and to the left, beyond the circle: only what drives there, and the narrow arcs of front.
    assert_eq!(limited([1.0, 0.6]), [FrontLeft]);
    // Behind and to the right: the stick back and left swings the tail there, the zone back right.
    assert_eq!(limited([-0.8, -0.6]), [BackRight]);
    assert_eq!(limited([-0.8, 0.6]), [BackLeft]);
}

#[test]
fn without_the_swap_the_rear_corners_are_those_of_the_stick() {
    let mut plain = surround(&[
        ("sensors.camera.topic", text("points")),
        ("sensors.camera.type", text("cloud")),
        ("sensors.camera.z", Value::Float(0.0)),
        ("sensors.camera.least_points", Value::Integer(1)),
        ("boundaries.rear_swap", Value::Bool(false)),
    ]);
    let scaling = after(&mut plain, ms(0), seen(0, at(&[[-0.8, -0.6]])));
    assert!(of(&scaling, Zone::BackLeft).0 < 1.0 && of(&scaling, Zone::BackRight) == (1.0, 1.0));
}

#[test]
fn a_turn_is_measured_along_the_way_of_the_corner() {
    // The corner, at 30.256° and 0.69462 m, meets the wall y = 0.6 at asin(0.6 / 0.69462) = 59.744°: 29.488° are
    // 0.35749 m, less a step of the grid (20 mm) at most: (0.35749 - 0.05) / 0.45 = 0.6833.
    let left = of(&scaling_of(&wall([-1.0, 0.6], [1.0, 0.6])), Zone::Left).1;
    assert!(left <= 0.6834 && left > 0.6833 - 0.045, "{left}");
}

#[test]
fn what_is_beyond_the_swept_circle_limits_no_turn_on_the_spot() {
    let ring: Vec<_> = (0..720).map(|half| f64::from(half).to_radians() / 2.0).collect();
    let ring = |radius: f64| ring.iter().map(|a| [radius * a.cos(), radius * a.sin()]).collect::<Vec<_>>();
    // A step of the grid beyond: an object may appear nearer by that.
    let scaling = scaling_of(&ring(0.6947 + 0.023));
    assert_eq!((of(&scaling, Zone::Left).1, of(&scaling, Zone::Right).1), (1.0, 1.0));
    let scaling = scaling_of(&ring(0.69));
    assert_eq!(
        (of(&scaling, Zone::Left).1, of(&scaling, Zone::Right).1),
        (0.0, 0.0),
        "it would graze at once"
    );
}
