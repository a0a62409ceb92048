//! Properties of every room, every drive and every sequence of calls.

use core::f64::consts::PI;

use proptest::collection::vec;
use proptest::prelude::*;
use safety::{Instant, Machine, Stamp};
use simulator::{Input, Output, Params, Pose, Segment, World};

fn drain(world: &mut World, now: Instant) -> Vec<Output> {
    std::iter::from_fn(|| world.poll(now)).collect()
}

fn segment() -> impl Strategy<Value = Segment> {
    let end = || (-4.0..4.0, -4.0..4.0);
    (end(), end()).prop_map(|((ax, ay), (bx, by))| Segment::new([ax, ay], [bx, by]))
}

/// Rooms in which the vehicle at the origin overlaps nothing.
fn room() -> impl Strategy<Value = Params> {
    let params = (vec(segment(), 0..12), 0.1..0.6, prop_oneof![Just(0.0), 0.01..0.5], 0.3..5.0);
    let params = params.prop_map(|(walls, radius, lag, wheel_speed)| {
        let start = Pose::default();
        Params { walls, start, radius, lag, wheel_speed, ..Params::default() }
    });
    params.prop_filter("the start is free", |p| clearance(p, p.start) >= p.radius)
}

fn clearance(params: &Params, pose: Pose) -> f64 {
    params.walls.iter().map(|wall| wall.distance(pose.point())).fold(f64::INFINITY, f64::min)
}

/// Servo values that last for some steps each, from stop on.
fn course() -> impl Strategy<Value = Vec<(i16, i16, u64)>> {
    let motion = vec((24_i16..=156, 24_i16..=156, 1_u64..60), 1..25);
    motion.prop_map(|motion| [vec![(90, 90, 1)], motion].concat())
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        4 => any::<i16>().prop_map(Input::PortReceived),
        4 => (24_i16..=156).prop_map(Input::PortReceived),
        4 => (24_i16..=156).prop_map(Input::StarboardReceived),
        2 => Just(Input::PortReceived(90)),
        2 => Just(Input::StarboardReceived(90)),
        2 => any::<bool>().prop_map(Input::EstopPressed),
        2 => (any::<i32>(), any::<u32>()).prop_map(|(sec, nanosec)| Input::ClockRead(Stamp { sec, nanosec }.into())),
        1 => room().prop_map(Input::ParametersChanged),
    ]
}

/// Inputs and the time from one to the next [ns].
fn story() -> impl Strategy<Value = Vec<(u64, Input)>> {
    vec((0_u64..300_000_000, input()), 0..60)
}

fn sides(a: [f64; 2], b: [f64; 2], p: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

/// Whether the path from `p` to `q` crosses the wall.
fn crosses(wall: &Segment, p: [f64; 2], q: [f64; 2]) -> bool {
    let (a, b) = (wall.a.into(), wall.b.into());
    sides(a, b, p) * sides(a, b, q) < 0.0 && sides(p, q, a) * sides(p, q, b) < 0.0
}

proptest! {
    #[test]
    fn no_wall_is_ever_penetrated(params in room(), course in course()) {
        let mut world = World::new(params.clone());
        let (mut millis, mut last) = (0, params.start);
        for (port, starboard, steps) in course {
            for _ in 0..steps {
                world.handle(Instant::from_millis(millis), Input::PortReceived(port));
                world.handle(Instant::from_millis(millis), Input::StarboardReceived(starboard));
                millis += 20;
                drain(&mut world, Instant::from_millis(millis));
                let pose = world.snapshot().pose;
                prop_assert!(clearance(&params, pose) >= params.radius, "{pose:?}");
                let (p, q) = ([last.x, last.y], [pose.x, pose.y]);
                prop_assert!(!params.walls.iter().any(|wall| crosses(wall, p, q)), "{last:?} to {pose:?}");
                last = pose;
            }
        }
    }

    #[test]
    fn no_vehicle_leaves_the_default_room(course in course(), wheel_speed in 0.3..5.0) {
        let mut world = World::new(Params { wheel_speed, ..Params::default() });
        let mut millis = 0;
        for (port, starboard, steps) in course {
            for _ in 0..steps {
                world.handle(Instant::from_millis(millis), Input::PortReceived(port));
                world.handle(Instant::from_millis(millis), Input::StarboardReceived(starboard));
                millis += 20;
            }
            let pose = world.snapshot().pose;
            prop_assert!((0.35..=7.65).contains(&pose.x) && (0.35..=5.65).contains(&pose.y), "{pose:?}");
        }
    }

    #[test]
    fn however_often_it_is_polled_the_world_is_the_same(
        params in room(), story in story(), polls in vec(0_u64..300_000_000, 60),
    ) {
        let (mut rare, mut often) = (World::new(params.clone()), World::new(params));
        let mut now = Instant::ZERO;
        for ((wait, input), poll) in story.into_iter().zip(polls) {
            drain(&mut often, now);
            drain(&mut often, Instant::from_nanos(now.as_nanos() + poll.min(wait)));
            now = Instant::from_nanos(now.as_nanos() + wait);
            drain(&mut often, now);
            rare.handle(now, input.clone());
            often.handle(now, input);
        }
        // A whole second later both publish everything.
        let end = Instant::from_millis(now.as_nanos() / 1_000_000_000 * 1000 + 2000);
        drain(&mut often, end);
        drain(&mut rare, end);
        prop_assert_eq!(rare.counters(), often.counters());
        prop_assert_eq!(format!("{:?}", rare.snapshot()), format!("{:?}", often.snapshot()));
    }

    #[test]
    fn the_same_calls_give_the_same_bytes(params in room(), story in story()) {
        let run = || {
            let mut world = World::new(params.clone());
            let mut now = Instant::ZERO;
            let mut outputs_text = String::new();
            for (wait, input) in &story {
                now = Instant::from_nanos(now.as_nanos() + wait);
                world.handle(now, input.clone());
                outputs_text += &format!("{:?} {:?}\n", drain(&mut world, now), world.deadline());
            }
            outputs_text
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn every_output_is_in_its_range_and_comes_once(params in room(), story in story()) {
        let mut world = World::new(params);
        let mut now = Instant::ZERO;
        for (wait, input) in story {
            now = Instant::from_nanos(now.as_nanos() + wait);
            world.handle(now, input);
            let outputs = drain(&mut world, now);
            prop_assert!(outputs.len() <= 8, "{} outputs at once", outputs.len());
            prop_assert!(world.deadline().is_some_and(|next| next > now), "drained, and still due");
            for output in outputs {
                match output {
                    Output::PublishOdometry(o) => {
                        let values = [o.pose.x, o.pose.y, o.pose.heading, o.forward, o.turn];
                        prop_assert!(values.iter().all(|v| v.is_finite()) && o.pose.heading.abs() <= PI);
                    }
                    Output::PublishScan(scan) => {
                        prop_assert!(scan.ranges.iter().all(|&r| r > 0.0 && (r <= 12.0 || r == f32::INFINITY)));
                    }
                    Output::PublishScaling(fields) => {
                        prop_assert!(fields.iter().all(|f| (0.0..=1.0).contains(f)));
                        let turns = [fields[1], fields[7], fields[9], fields[15]];
                        prop_assert!(turns.iter().all(|&f| f >= 0.2), "a way out is always left: {fields:?}");
                    }
                    Output::PublishRange(range) => {
                        prop_assert!((range.min..=range.max).contains(&range.distance));
                    }
                    Output::PublishEstop(_) => {}
                }
            }
        }
    }

    #[test]
    fn any_clock_is_taken(times in vec(any::<u64>(), 1..20), stamp in (any::<i32>(), any::<u32>())) {
        let mut world = World::new(Params::default());
        for nanos in times {
            let now = Instant::from_nanos(nanos);
            world.handle(now, Input::ClockRead(Stamp { sec: stamp.0, nanosec: stamp.1 }.into()));
            world.handle(now, Input::PortReceived(24));
            world.handle(now, Input::StarboardReceived(30));
            drain(&mut world, now);
        }
    }
}
