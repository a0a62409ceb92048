use nalgebra::{Point2, Vector2};

use crate::geometry::{Pose, Segment, bearing, clearance, first_contact, wrap};

/// A round vehicle on two driven wheels.
///
/// A step is exact under its assumptions: wheel speeds follow their targets by a first-order lag, and the path
/// between two steps is the arc of the mean wheel speeds. A wall removes the part of the motion into it and keeps the
/// part along it; turning a disc touches nothing.
#[derive(Clone, Debug)]
pub(crate) struct Vehicle {
    pub pose: Pose,
    /// Velocity along the heading \[m/s\]: the velocity of the wheels, reduced by contact with a wall.
    pub forward: f64,
    /// Angular velocity, counter-clockwise \[rad/s\].
    pub turn: f64,
    /// Whether a wall reduced the last motion.
    pub touching: bool,
    /// Wheel speeds, port and starboard \[m/s\].
    wheels: [f64; 2],
    /// How far the wheels have rolled since the start, port and starboard \[m\].
    ways: [f64; 2],
}

/// The vehicle's measures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Radius of the round footprint \[m\].
    pub radius: f64,
    /// Distance between the driven wheels \[m\].
    pub track: f64,
    /// Time constant of the motors \[s\]; 0 for none.
    pub lag: f64,
}

/// The gap kept at a contact \[m\], so rounding never turns a contact into an overlap.
const SKIN: f64 = 1e-6;
/// A wheel with target zero that is slower than this stops \[m/s\].
const STANDSTILL: f64 = 1e-6;
/// Into a wall, along it into a second one, along that one; the remaining motion is dropped.
const SLIDES: usize = 3;

impl Vehicle {
    pub fn new(pose: Pose) -> Self {
        Self { pose, forward: 0.0, turn: 0.0, touching: false, wheels: [0.0; 2], ways: [0.0; 2] }
    }

    /// How far each wheel has rolled \[m\], and its speed \[m/s\], port and starboard.
    pub fn wheels(&self) -> [(f64, f64); 2] {
        let ([port, starboard], [left, right]) = (self.ways, self.wheels);
        [(port, left), (starboard, right)]
    }

    /// Whether all wheels stand still.
    pub fn stands(&self) -> bool {
        self.wheels == [0.0; 2]
    }

    /// Advances by `dt` \[s\] with the wheels' targets, port and starboard \[m/s\]; true if a wall was newly hit.
    pub fn step(&mut self, targets: [f64; 2], dt: f64, body: &Body, walls: &[Segment]) -> bool {
        let mut means = [0.0; 2];
        for ((wheel, mean), target) in self.wheels.iter_mut().zip(&mut means).zip(targets) {
            (*wheel, *mean) = follow(*wheel, target, dt, body.lag);
        }
        self.ways.iter_mut().zip(means).for_each(|(way, mean)| *way += mean * dt);
        let twist = |[port, starboard]: [f64; 2]| ((port + starboard) / 2.0, (starboard - port) / body.track);
        (self.forward, self.turn) = twist(self.wheels);

        // The chord of an arc of length s and angle t is s sin(t/2)/(t/2) long and points halfway through the turn.
        let (speed, turn) = twist(means);
        let angle = turn * dt;
        let halfway = self.pose.heading + angle / 2.0;
        let motion = bearing(halfway) * (speed * dt * sinc(angle / 2.0));
        let start = self.pose.point();
        let (end, touched) = slide(start, motion, body.radius, walls);
        self.pose = Pose { x: end.x, y: end.y, heading: wrap(self.pose.heading + angle) };
        if touched && !self.stands() {
            self.forward = (end - start).dot(&bearing(halfway)) / dt;
        }
        let hit = touched && !self.touching;
        // A vehicle that waits at the wall is still in contact: starting again is no second collision.
        if touched || motion.norm() > 0.0 {
            self.touching = touched;
        }
        hit
    }

    /// Stops the vehicle.
    pub fn halt(&mut self) {
        (self.wheels, self.forward, self.turn) = ([0.0; 2], 0.0, 0.0);
    }
}

/// A speed that follows `target` with time constant `lag`: its value after `dt`, and its mean until then.
fn follow(speed: f64, target: f64, dt: f64, lag: f64) -> (f64, f64) {
    if lag <= 0.0 {
        return (target, target);
    }
    // The solution of dv/dt = (target - v)/lag, and its integral over dt.
    let gap = speed - target;
    let gone = -(-dt / lag).exp_m1();
    let end = speed - gap * gone;
    let end = if target == 0.0 && end.abs() < STANDSTILL { 0.0 } else { end };
    (end, target + gap * gone * lag / dt)
}

fn sinc(x: f64) -> f64 {
    // Below this, x^4/120 is less than half a rounding step of 1.
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x }
}

/// The final position of a disc, and whether a wall reduced its motion.
fn slide(start: Point2<f64>, motion: Vector2<f64>, radius: f64, walls: &[Segment]) -> (Point2<f64>, bool) {
    let (mut at, mut rest, mut touched) = (start, motion, false);
    for _ in 0..SLIDES {
        let length = rest.norm();
        let Some(way) = rest.try_normalize(0.0) else { break };
        let Some(contact) = first_contact(walls, at, way, radius + SKIN, length) else {
            at += rest;
            break;
        };
        touched = true;
        at += way * contact.travel;
        rest = way * (length - contact.travel);
        rest -= contact.normal * rest.dot(&contact.normal);
    }
    // The final check, independent of rounding above: no new overlap, and no overlap grows.
    let allowed = clearance(walls, start).min(radius);
    if clearance(walls, at) < allowed { (start, true) } else { (at, touched) }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::PI;

    use super::*;

    const BODY: Body = Body { radius: 0.35, track: 0.5, lag: 0.0 };
    const DT: f64 = 0.02;

    fn drive(body: &Body, walls: &[Segment], targets: [f64; 2], steps: usize) -> (Vehicle, usize) {
        let mut vehicle = Vehicle::new(Pose::default());
        let hits = (0..steps).filter(|_| vehicle.step(targets, DT, body, walls)).count();
        (vehicle, hits)
    }

    fn near(got: f64, want: f64) -> bool {
        (got - want).abs() < 1e-9
    }

    #[test]
    fn a_straight_line_is_speed_times_time() {
        // 0.8 m/s for 5 s
        let (vehicle, _) = drive(&BODY, &[], [0.8, 0.8], 250);
        assert!(near(vehicle.pose.x, 4.0) && vehicle.pose.y == 0.0 && vehicle.pose.heading == 0.0);
        assert_eq!((vehicle.forward, vehicle.turn), (0.8, 0.0));
    }

    #[test]
    fn wheels_count_their_ways_also_where_a_wall_holds_the_vehicle() {
        let wall = [Segment::new([1.0, -1.0], [1.0, 1.0])];
        let (vehicle, _) = drive(&BODY, &wall, [1.0, 0.5], 200);
        // 4 s
        assert!(near(vehicle.wheels()[0].0, 4.0) && near(vehicle.wheels()[1].0, 2.0), "{vehicle:?}");
        assert_eq!(vehicle.wheels().map(|(_, speed)| speed), [1.0, 0.5]);
    }

    #[test]
    fn opposite_wheels_turn_in_place() {
        // w = (0.3 - -0.3)/0.5 = 1.2 rad/s; 2 s make 2.4 rad
        let (vehicle, _) = drive(&BODY, &[], [-0.3, 0.3], 100);
        assert!(near(vehicle.pose.heading, 2.4) && vehicle.pose.point() == Point2::origin());
    }

    #[test]
    fn unequal_wheels_make_a_circle() {
        // v = 0.9 m/s, w = 0.6/track; the track is chosen so that 500 steps (10 s) are one turn: w = 2 pi/10.
        let body = Body { track: 0.6 * 10.0 / (2.0 * PI), ..BODY };
        let radius = 0.9 / (2.0 * PI / 10.0);
        let (quarter, _) = drive(&body, &[], [0.6, 1.2], 125);
        assert!(near(quarter.pose.x, radius) && near(quarter.pose.y, radius), "{quarter:?}");
        assert!(near(quarter.pose.heading, PI / 2.0));
        let (whole, _) = drive(&body, &[], [0.6, 1.2], 500);
        assert!(near(whole.pose.x, 0.0) && near(whole.pose.y, 0.0) && near(whole.pose.heading, 0.0));
    }

    #[test]
    fn lag_costs_speed_times_time_constant() {
        // x(t) = V (t - lag (1 - e^(-t/lag))), exact at any step; after 2 s with 0.1 s lag: V (2 - 0.1 (1 - e^-20)).
        let body = Body { lag: 0.1, ..BODY };
        let (vehicle, _) = drive(&body, &[], [1.2, 1.2], 100);
        assert!(near(vehicle.pose.x, 1.2 * (2.0 - 0.1 * (1.0 - (-20.0_f64).exp()))), "{vehicle:?}");
    }

    #[test]
    fn a_vehicle_that_is_to_stand_comes_to_rest() {
        let body = Body { lag: 0.1, ..BODY };
        let (mut vehicle, _) = drive(&body, &[], [1.2, 1.2], 100);
        // 1.2 e^(-t/0.1) < 1e-6 after 1.4 s = 70 steps
        let hits = (0..70).filter(|_| vehicle.step([0.0; 2], DT, &body, &[])).count();
        assert!(hits == 0 && vehicle.stands() && vehicle.forward == 0.0);
    }

    #[test]
    fn a_wall_ahead_stops_and_is_counted_once() {
        let wall = [Segment::new([1.0, -1.0], [1.0, 1.0])];
        let (mut vehicle, hits) = drive(&BODY, &wall, [1.0, 1.0], 200);
        // The footprint touches at 1 - 0.35 = 0.65 m.
        assert!((vehicle.pose.x - 0.65).abs() < 2.0 * SKIN && vehicle.pose.x <= 0.65, "{vehicle:?}");
        assert!(hits == 1 && vehicle.touching && vehicle.forward == 0.0);
        // Waiting and pushing again is the same collision; backing off and returning is another one.
        assert!(!vehicle.step([0.0; 2], DT, &BODY, &wall) && !vehicle.step([1.0; 2], DT, &BODY, &wall));
        assert!(!vehicle.step([-1.0; 2], DT, &BODY, &wall) && !vehicle.touching);
        assert!(!vehicle.step([0.5; 2], DT, &BODY, &wall) && vehicle.step([1.0; 2], DT, &BODY, &wall));
    }

    #[test]
    fn a_wall_never_holds_the_motion_along_it() {
        // Whatever the angle, before and after the touch: 1 m/s * 4 s * cos(angle) along the wall, which lies 0.7 m to
        // the side, turned by another amount each time, so that rounding goes either way at the touch.
        for tenths in 1..900 {
            let (angle, turned) = (f64::from(tenths) * 0.1_f64.to_radians(), f64::from(tenths) * 0.37);
            let (tangent, normal) = (bearing(turned), bearing(turned + PI / 2.0));
            let foot = Point2::from(normal * 0.7);
            let wall = [Segment { a: foot - tangent * 9.0, b: foot + tangent * 9.0 }];
            let mut vehicle = Vehicle::new(Pose { heading: turned + angle, ..Pose::default() });
            let hits = (0..200).filter(|_| vehicle.step([1.0, 1.0], DT, &BODY, &wall)).count();
            let progress = vehicle.pose.point().coords.dot(&tangent);
            assert!((progress - 4.0 * angle.cos()).abs() < 1e-6 && hits <= 1, "{tenths}: {vehicle:?}");
            assert!(wall[0].distance(vehicle.pose.point()) >= 0.35);
        }
    }

    #[test]
    fn a_slanted_wall_leaves_the_motion_along_it() {
        // The wall climbs at 45 degrees; once touching, 1 m/s forward becomes cos 45 along the wall, and of that
        // cos 45 along the heading: 0.5 m/s.
        let wall = [Segment::new([0.0, -1.0], [10.0, 9.0])];
        let (vehicle, hits) = drive(&BODY, &wall, [1.0, 1.0], 200);
        assert!(near(vehicle.forward, 0.5) && vehicle.pose.y > 1.0 && hits == 1, "{vehicle:?}");
    }
}
