use nalgebra::Vector2;

use crate::geometry::{Pose, Segment, bearing, first_contact};
use crate::parameters::Params;

/// LUCI's sixteen factors from the walls around the vehicle.
///
/// The floor is divided into sectors by bearing from the vehicle's centre, at the angles of LUCI's zone ring. Fields
/// are named by floor zone, not by the direction of the stick: `back_left` covers objects at the rear left, to where
/// a stick pulled back and to the right swings the tail. The zone `left` is the front half of the left side and the
/// rear half of the right side (a turn to the left swings the nose left and the tail right); `right` is its mirror
/// image.
///
/// A factor is 0 if the nearest wall of the zone is `stop_distance` or nearer to the edge of the footprint, 1 at
/// `slow_distance` or farther, linear in between.
///
/// | zone | forward/back | right/left |
/// |---|---|---|
/// | front, back | factor | 1 |
/// | the four diagonal ones | factor | factor |
/// | left, right | 1 | factor, but `turn_least` at least |
///
/// Front and back also cover the path of the whole footprint: beside a narrow sector there may be a pillar that the
/// vehicle would hit.
///
/// A way out always remains: a round vehicle touches nothing by turning in place, so the factor for a turn never
/// becomes 0 in `left` and `right`, and it can turn until some direction is free.
///
/// # Source
/// LUCI's published zone ring for angles and names; the distances are own, the chair's are not published.
#[derive(Clone, Debug)]
pub(crate) struct Zones {
    /// Unit vectors of the sector borders, counter-clockwise, from the right border of the front sector.
    borders: [Vector2<f64>; SECTORS],
}

const SECTORS: usize = 10;
/// Borders of the sectors, counter-clockwise from straight ahead \[deg\].
const BORDERS: [f64; SECTORS] = [-13.7, 13.7, 78.45, 90.0, 101.55, 166.3, 193.7, 258.45, 270.0, 281.55];

// The sector that starts at the border of the same index.
const FRONT: usize = 0;
const FRONT_LEFT: usize = 1;
const LEFT_SIDE_FRONT: usize = 2;
const LEFT_SIDE_REAR: usize = 3;
const BACK_LEFT: usize = 4;
const BACK: usize = 5;
const BACK_RIGHT: usize = 6;
const RIGHT_SIDE_REAR: usize = 7;
const RIGHT_SIDE_FRONT: usize = 8;
const FRONT_RIGHT: usize = 9;

impl Zones {
    pub fn new() -> Self {
        Self { borders: BORDERS.map(|degrees| bearing(degrees.to_radians())) }
    }

    /// The factors in the field order of `luci_messages/LuciZoneScaling`.
    pub fn scaling(&self, pose: &Pose, walls: &[Segment], params: &Params) -> [f32; 16] {
        let mut near = [f64::INFINITY; SECTORS];
        for wall in walls {
            let seen = wall.seen_from(pose);
            for (index, distance) in near.iter_mut().enumerate() {
                let (from, to) = (self.borders[index], self.borders[(index + 1) % SECTORS]);
                *distance = distance.min(seen.distance_in(from, to) - params.radius);
            }
        }
        let ahead = bearing(pose.heading);
        for (sector, way) in [(FRONT, ahead), (BACK, -ahead)] {
            let contact = first_contact(walls, pose.point(), way, params.radius, params.slow_distance);
            near[sector] = near[sector].min(contact.map_or(f64::INFINITY, |contact| contact.travel));
        }

        let span = params.slow_distance - params.stop_distance;
        let factor = |sector: usize| ((near[sector] - params.stop_distance) / span).clamp(0.0, 1.0);
        let turn = |one: usize, other: usize| factor(one).min(factor(other)).max(params.turn_least);
        let diagonal = |sector: usize| [factor(sector); 2];
        let pairs = [
            [factor(FRONT), 1.0],
            diagonal(FRONT_RIGHT),
            diagonal(FRONT_LEFT),
            [1.0, turn(RIGHT_SIDE_FRONT, LEFT_SIDE_REAR)],
            [1.0, turn(LEFT_SIDE_FRONT, RIGHT_SIDE_REAR)],
            diagonal(BACK_RIGHT),
            diagonal(BACK_LEFT),
            [factor(BACK), 1.0],
        ];
        let mut fields = [0.0; 16];
        for (field, value) in fields.iter_mut().zip(pairs.into_iter().flatten()) {
            *field = value as f32;
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point2;

    use super::*;

    /// A short wall across the bearing `degrees`, its middle `distance` from the centre.
    fn plate(degrees: f64, distance: f64) -> Segment {
        let way = bearing(degrees.to_radians());
        let (middle, half) = (Point2::from(way * distance), Vector2::new(-way.y, way.x) * 0.01);
        Segment { a: middle + half, b: middle - half }
    }

    fn scaling(walls: &[Segment]) -> [f32; 16] {
        Zones::new().scaling(&Pose::default(), walls, &Params::default())
    }

    /// The fields below 1 when a plate stands at `degrees`, 0.95 m from the edge: (0.95 - 0.3)/(1.5 - 0.3) = 0.5417.
    fn touched(degrees: f64) -> Vec<usize> {
        let fields = scaling(&[plate(degrees, 1.3)]);
        assert!(fields.iter().all(|f| *f == 1.0 || (*f - 0.541_67).abs() < 1e-3), "{fields:?}");
        (0..16).filter(|&i| fields[i] < 1.0).collect()
    }

    #[test]
    fn an_empty_world_leaves_all() {
        assert_eq!(scaling(&[]), [1.0; 16]);
    }

    #[test]
    fn each_floor_zone_has_its_own_fields() {
        assert_eq!(touched(0.0), [0]);
        assert_eq!(touched(-45.0), [2, 3]);
        assert_eq!(touched(45.0), [4, 5]);
        assert_eq!(touched(-135.0), [10, 11], "rear right is back_right: floor names, not stick directions");
        assert_eq!(touched(135.0), [12, 13]);
        assert_eq!(touched(180.0), [14]);
    }

    #[test]
    fn left_is_the_front_of_the_left_side_and_the_rear_of_the_right() {
        assert_eq!(touched(84.0), [9], "left_rl");
        assert_eq!(touched(-96.0), [9], "left_rl");
        assert_eq!(touched(-84.0), [7], "right_rl");
        assert_eq!(touched(96.0), [7], "right_rl");
    }

    #[test]
    fn a_wall_ahead_gives_the_derived_factor() {
        let facing = |edge: f64| scaling(&[Segment::new([0.35 + edge, -0.1], [0.35 + edge, 0.1])])[0];
        assert_eq!(facing(1.5), 1.0);
        // (0.9 - 0.3)/(1.5 - 0.3) = 0.5
        assert!((facing(0.9) - 0.5).abs() < 1e-6);
        assert_eq!((facing(0.3), facing(0.01)), (0.0, 0.0));
    }

    #[test]
    fn a_pillar_beside_the_front_sector_but_in_the_way_counts_as_front() {
        // At (0.8, 0.3) the bearing is 20.6 degrees, in front_left, but the footprint, 0.35 wide to each side, would
        // touch it after 0.8 - sqrt(0.35^2 - 0.3^2) = 0.6197 m: (0.6197 - 0.3)/1.2 = 0.2664.
        let fields = scaling(&[Segment::new([0.8, 0.3], [0.8, 0.301])]);
        assert!((fields[0] - 0.2664).abs() < 1e-3, "{fields:?}");
        // At y = 0.36 it would pass.
        assert_eq!(scaling(&[Segment::new([0.8, 0.36], [0.8, 0.361])])[0], 1.0);
    }

    #[test]
    fn walled_in_on_all_sides_it_can_still_turn() {
        let near: Vec<Segment> = (0..36).map(|i| plate(f64::from(i) * 10.0 + 4.0, 0.4)).collect();
        let fields = scaling(&near);
        let least = Params::default().turn_least as f32;
        assert_eq!([fields[0], fields[2], fields[4], fields[10], fields[12], fields[14]], [0.0; 6]);
        assert_eq!([fields[7], fields[9]], [least; 2]);
    }
}
