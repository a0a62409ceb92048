use core::f64::consts::{PI, TAU};

use nalgebra::{Isometry2, Point2, Vector2};

/// A straight wall without thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// One end: x, y in the map frame \[m\], finite.
    pub a: Point2<f64>,
    /// The other end: x, y in the map frame \[m\], finite.
    pub b: Point2<f64>,
}

/// The pose of the vehicle: the point between its driven wheels, and its heading.
///
/// # Source
/// REP-103.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position along the map's x axis \[m\].
    pub x: f64,
    /// Position along the map's y axis \[m\].
    pub y: f64,
    /// Heading, counter-clockwise from the map's x axis \[rad\], in (-pi, pi].
    pub heading: f64,
}

/// The first contact of a moving disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contact {
    /// The distance of the disc to the contact \[m\].
    pub travel: f64,
    /// Unit vector from the wall to the disc's centre at the contact.
    pub normal: Vector2<f64>,
}

/// Directions closer than this to a wall's tangent do not approach it, which tolerates rounding.
const GRAZING: f64 = 1e-9;
/// How far beyond its ends a wall still stops a ray, as a part of its length, so no ray slips through a corner.
const CORNER: f64 = 1e-12;

impl Pose {
    /// The centre x, y \[m\].
    pub const fn point(&self) -> Point2<f64> {
        Point2::new(self.x, self.y)
    }

    /// The transform from the vehicle's frame (x forward, y left) to the map's.
    pub(crate) fn isometry(&self) -> Isometry2<f64> {
        Isometry2::new(self.point().coords, self.heading)
    }
}

impl Segment {
    /// The wall between two points, each x, y \[m\].
    pub const fn new([ax, ay]: [f64; 2], [bx, by]: [f64; 2]) -> Self {
        Self { a: Point2::new(ax, ay), b: Point2::new(bx, by) }
    }

    /// The distance from `point` \[m\] to the nearest point of the wall \[m\].
    pub fn distance(&self, point: Point2<f64>) -> f64 {
        (point - self.nearest(point)).norm()
    }

    fn nearest(&self, point: Point2<f64>) -> Point2<f64> {
        let e = self.b - self.a;
        self.a + e * nearest_part(self.a - point, e, 0.0, 1.0)
    }

    /// The wall in the frame of the vehicle at `pose`: x forward, y left.
    pub(crate) fn seen_from(&self, pose: &Pose) -> Self {
        let isometry = pose.isometry();
        let seen = |point| isometry.inverse_transform_point(point);
        Self { a: seen(&self.a), b: seen(&self.b) }
    }

    /// The distance at which a ray from `origin` along the unit vector `way` meets the wall \[m\]; `None` if it does
    /// not.
    pub(crate) fn ray(&self, origin: Point2<f64>, way: Vector2<f64>) -> Option<f64> {
        let (e, to_a) = (self.b - self.a, self.a - origin);
        let across = way.perp(&e);
        if across == 0.0 {
            // Parallel: only a hit at the nearer end ahead is possible.
            let ends = [to_a.dot(&way), (self.b - origin).dot(&way)];
            let ahead = ends.into_iter().filter(|&t| t >= 0.0).min_by(f64::total_cmp);
            return ahead.filter(|_| to_a.perp(&way) == 0.0);
        }
        // origin + t way = a + part e; the cross product with e gives t, that with way gives part.
        let (t, part) = (to_a.perp(&e) / across, to_a.perp(&way) / across);
        (t >= 0.0 && (-CORNER..=1.0 + CORNER).contains(&part)).then_some(t)
    }

    /// The first contact of a disc of `radius` at `centre`, moving along the unit vector `way`, with the wall.
    ///
    /// The distance to a convex object is a convex function along a line: a disc that does not approach at the start,
    /// overlapping or not, never will.
    pub(crate) fn sweep(&self, centre: Point2<f64>, way: Vector2<f64>, radius: f64) -> Option<Contact> {
        let from = centre - self.nearest(centre);
        let gap = from.norm();
        if gap == 0.0 || way.dot(&from) >= -GRAZING * gap {
            return None;
        }
        if gap <= radius {
            return Some(Contact { travel: 0.0, normal: from / gap });
        }
        let ends = [self.a, self.b].into_iter().filter_map(|end| touch_point(centre - end, way, radius));
        let travel = ends.chain(self.touch_side(centre, way, radius)).min_by(f64::total_cmp)?;
        let there = centre + way * travel;
        Some(Contact { travel, normal: (there - self.nearest(there)).try_normalize(0.0)? })
    }

    /// The distance of the disc to contact with the wall's side, not counting its ends.
    fn touch_side(&self, centre: Point2<f64>, way: Vector2<f64>, radius: f64) -> Option<f64> {
        let e = self.b - self.a;
        let length = e.norm();
        let beside = e.perp(&(centre - self.a)) / length;
        let approach = -e.perp(&way) / length * beside.signum();
        if approach <= 0.0 {
            return None;
        }
        // Negative before an end of the wall, where `part` refuses it, and by rounding at a touch.
        let travel = ((beside.abs() - radius) / approach).max(0.0);
        let part = (centre + way * travel - self.a).dot(&e) / (length * length);
        (0.0..=1.0).contains(&part).then_some(travel)
    }

    /// The distance from the origin to the part of the wall in the sector counter-clockwise from the unit vector
    /// `from` to `to`, less than half a turn wide; infinite if there is none.
    pub(crate) fn distance_in(&self, from: Vector2<f64>, to: Vector2<f64>) -> f64 {
        let (a, e) = (self.a.coords, self.b - self.a);
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        // Inside means left of `from` and right of `to`. Each cuts the wall at one point at most.
        for (start, slope) in [(from.perp(&a), from.perp(&e)), (a.perp(&to), e.perp(&to))] {
            if slope > 0.0 {
                first = first.max(-start / slope);
            } else if slope < 0.0 {
                last = last.min(-start / slope);
            } else if start < 0.0 {
                return f64::INFINITY;
            }
        }
        if first > last {
            return f64::INFINITY;
        }
        (a + e * nearest_part(a, e, first, last)).norm()
    }
}

/// The distance from `point` to the nearest of `walls` \[m\]; infinite without walls.
pub(crate) fn clearance(walls: &[Segment], point: Point2<f64>) -> f64 {
    walls.iter().map(|wall| wall.distance(point)).fold(f64::INFINITY, f64::min)
}

/// The first of `walls` that a ray meets, in `most` metres at most.
pub(crate) fn cast(walls: &[Segment], origin: Point2<f64>, way: Vector2<f64>, most: f64) -> Option<f64> {
    walls.iter().filter_map(|wall| wall.ray(origin, way)).min_by(f64::total_cmp).filter(|&t| t <= most)
}

/// The first of `walls` that a moving disc touches, in `most` metres at most.
pub(crate) fn first_contact(
    walls: &[Segment],
    centre: Point2<f64>,
    way: Vector2<f64>,
    radius: f64,
    most: f64,
) -> Option<Contact> {
    let contacts = walls.iter().filter_map(|wall| wall.sweep(centre, way, radius));
    contacts.min_by(|a, b| a.travel.total_cmp(&b.travel)).filter(|contact| contact.travel <= most)
}

/// `angle` \[rad\] in (-pi, pi].
pub(crate) fn wrap(angle: f64) -> f64 {
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}

/// The unit vector at `angle` \[rad\].
pub(crate) fn bearing(angle: f64) -> Vector2<f64> {
    Vector2::new(angle.cos(), angle.sin())
}

/// The part of the line along `e` from `a`, between `first` and `last`, that is nearest to the origin.
fn nearest_part(a: Vector2<f64>, e: Vector2<f64>, first: f64, last: f64) -> f64 {
    let square = e.norm_squared();
    // A wall of no length is a point; `max` and `min` because `clamp` panics where `first > last`.
    if square > 0.0 { (-a.dot(&e) / square).max(first).min(last) } else { first }
}

/// The distance of a disc to contact with a point; `from` leads from the point to the disc's centre.
fn touch_point(from: Vector2<f64>, way: Vector2<f64>, radius: f64) -> Option<f64> {
    // |from + t way|^2 = radius^2, the smaller root.
    let (half, rest) = (from.dot(&way), from.norm_squared() - radius * radius);
    let root = half * half - rest;
    (half < 0.0 && root >= 0.0).then(|| (-half - root.sqrt()).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALL: Segment = Segment::new([2.0, -1.0], [2.0, 1.0]);

    #[test]
    fn a_ray_meets_a_wall_between_its_ends_only() {
        assert_eq!(WALL.ray(Point2::new(0.0, 0.5), Vector2::new(1.0, 0.0)), Some(2.0));
        assert_eq!(
            WALL.ray(Point2::new(0.0, 1.0), Vector2::new(1.0, 0.0)),
            Some(2.0),
            "the end belongs to the wall"
        );
        assert_eq!(WALL.ray(Point2::new(0.0, 1.1), Vector2::new(1.0, 0.0)), None);
        assert_eq!(WALL.ray(Point2::new(0.0, 0.0), Vector2::new(-1.0, 0.0)), None, "it is not behind");
        // 3-4-5: at (2, 0.5) from (0.5, -1.5) along (0.6, 0.8): 1.5 / 0.6 = 2.5
        let t = WALL.ray(Point2::new(0.5, -1.5), Vector2::new(0.6, 0.8)).unwrap();
        assert!((t - 2.5).abs() < 1e-12);
    }

    #[test]
    fn a_ray_along_a_wall_meets_its_nearer_end() {
        assert_eq!(WALL.ray(Point2::new(2.0, -4.0), Vector2::new(0.0, 1.0)), Some(3.0));
        assert_eq!(WALL.ray(Point2::new(2.5, -4.0), Vector2::new(0.0, 1.0)), None, "parallel beside it");
    }

    #[test]
    fn a_disc_touches_side_and_ends() {
        // Side: 2 - 0.5 = 1.5. End (2, 1) passed at y = 1.3: 2 - sqrt(0.5^2 - 0.3^2) = 1.6. Past y = 1.5: nothing.
        let side = WALL.sweep(Point2::new(0.0, 0.0), Vector2::new(1.0, 0.0), 0.5).unwrap();
        assert_eq!(side, Contact { travel: 1.5, normal: Vector2::new(-1.0, 0.0) });
        let end = WALL.sweep(Point2::new(0.0, 1.3), Vector2::new(1.0, 0.0), 0.5).unwrap();
        assert!((end.travel - 1.6).abs() < 1e-12 && (end.normal[0] + 0.8).abs() < 1e-12, "{end:?}");
        assert_eq!(WALL.sweep(Point2::new(0.0, 1.51), Vector2::new(1.0, 0.0), 0.5), None);
    }

    #[test]
    fn a_touching_disc_is_stopped_towards_the_wall_and_free_away_from_it() {
        let touching = Point2::new(1.5, 0.0);
        assert_eq!(WALL.sweep(touching, Vector2::new(1.0, 0.0), 0.5).unwrap().travel, 0.0);
        assert_eq!(WALL.sweep(touching, Vector2::new(-1.0, 0.0), 0.5), None);
        assert_eq!(WALL.sweep(touching, Vector2::new(0.0, 1.0), 0.5), None, "along the wall is free");
    }

    #[test]
    fn only_what_lies_in_the_sector_counts() {
        let ahead = |half: f64| WALL.distance_in(bearing(-half), bearing(half));
        assert_eq!(ahead(0.1), 2.0);
        // From 0.2 to 0.3 rad the wall is nearest at 0.2 rad: 2 / cos 0.2.
        let beside = WALL.distance_in(bearing(0.2), bearing(0.3));
        assert!((beside - 2.0 / 0.2_f64.cos()).abs() < 1e-12, "{beside}");
        // The wall ends at atan(1/2) = 0.46 rad.
        assert_eq!(WALL.distance_in(bearing(0.47), bearing(1.5)), f64::INFINITY);
        assert_eq!(WALL.distance_in(bearing(PI - 0.1), bearing(PI + 0.1)), f64::INFINITY, "behind");
    }

    #[test]
    fn the_vehicle_sees_x_forward_and_y_left() {
        // At (2, -3) looking along +y: (2, -1) is 2 m ahead, (2, 1) 4 m.
        let seen = WALL.seen_from(&Pose { x: 2.0, y: -3.0, heading: PI / 2.0 });
        for (got, want) in [seen.a.x, seen.a.y, seen.b.x, seen.b.y].into_iter().zip([2.0, 0.0, 4.0, 0.0]) {
            assert!((got - want).abs() < 1e-12, "{seen:?}");
        }
    }

    #[test]
    fn a_heading_lies_in_the_half_open_turn() {
        assert_eq!((wrap(PI), wrap(-PI)), (PI, PI));
        assert!((wrap(1.5 * PI) + 0.5 * PI).abs() < 1e-12);
        assert!((wrap(-7.0 * PI) - PI).abs() < 1e-12);
    }
}
