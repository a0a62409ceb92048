//! An oracle of trajectories, which shares no code with them.
#![allow(clippy::unwrap_used)]

use mechanism::laws::Point;

/// The curve of each joint through the points, by Bézier's control points, and de Casteljau's construction of a place on it.
pub struct Plan {
    /// When each piece begins and ends \[s\], and the control points of each joint.
    pieces: Vec<([f64; 2], Vec<Vec<f64>>)>,
}

impl Plan {
    /// From the joints' state to the first point, if that is still due after `age`, through the points, and to rest.
    pub fn of(points: &[Point], age: f64, positions: &[f64], speeds: &[f64]) -> Self {
        let begin = Point { positions: positions.to_vec(), velocities: speeds.to_vec(), ..Point::default() };
        // A state has no acceleration of its own; that of a first point that has one is met from rest.
        let has_acceleration = points.first().is_some_and(|first| !first.accelerations.is_empty());
        let accelerations = if has_acceleration { vec![0.0; positions.len()] } else { Vec::new() };
        let begin = Point { accelerations, ..begin };
        let first = points.first().is_some_and(|first| first.time.as_secs_f64() > age).then_some(begin);
        let all: Vec<&Point> = first.iter().chain(points).collect();
        let piece = |pair: &[&Point]| {
            let times = [pair[0], pair[1]].map(|point| point.time.as_secs_f64());
            let joints = 0..positions.len();
            (
                times,
                joints.map(|joint| Self::controls(pair[0], pair[1], joint, times[1] - times[0])).collect(),
            )
        };
        let mut pieces: Vec<_> = all.windows(2).map(piece).collect();
        if let Some(last) = points.last().filter(|last| !last.velocities.is_empty()) {
            // From the velocity there back to the point and to rest, in a quarter of a second.
            let end = last.time.as_secs_f64();
            let back = |joint: usize| {
                let [position, speed] = [last.positions[joint], last.velocities[joint]];
                vec![position, position + speed * 0.25 / 3.0, position, position]
            };
            pieces.push(([end, end + 0.25], (0..positions.len()).map(back).collect()));
        }
        Self { pieces }
    }

    /// The control points of a piece of `whole` seconds: two for each quantity that both ends state.
    fn controls(from: &Point, to: &Point, joint: usize, whole: f64) -> Vec<f64> {
        let both = |of: fn(&Point) -> &Vec<f64>| Some([*of(from).get(joint)?, *of(to).get(joint)?]);
        let [p0, p1] = [from, to].map(|point| point.positions[joint]);
        let Some([v0, v1]) = both(|point| &point.velocities) else { return vec![p0, p1] };
        match both(|point| &point.accelerations) {
            None => vec![p0, p0 + v0 * whole / 3.0, p1 - v1 * whole / 3.0, p1],
            Some(ends) => {
                let [a0, a1] = ends.map(|acceleration| acceleration * whole * whole / 20.0);
                let [v0, v1] = [v0, v1].map(|speed| speed * whole / 5.0);
                vec![p0, p0 + v0, p0 + 2.0 * v0 + a0, p1 - 2.0 * v1 + a1, p1 - v1, p1]
            }
        }
    }

    pub fn at(&self, joint: usize, time: f64) -> f64 {
        let after = self.pieces.iter().find(|([_, end], _)| time <= *end).or(self.pieces.last());
        let ([begin, end], joints) = after.unwrap();
        let share = ((time - begin) / (end - begin)).clamp(0.0, 1.0);
        let mut points = joints[joint].clone();
        while points.len() > 1 {
            points = points.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]) * share).collect();
        }
        points[0]
    }

    /// The greatest speed between 200 places on each piece, and the stated speeds, where a piece may be fastest.
    pub fn top_speed(&self, joint: usize) -> f64 {
        let piece = |([begin, end], _): &([f64; 2], Vec<Vec<f64>>)| {
            let part = (end - begin) / 200.0;
            let speed = |number: i32| {
                let [low, high] = [number, number + 1].map(|number| begin + part * f64::from(number));
                (self.at(joint, high.min(*end)) - self.at(joint, low + part * 1e-9)).abs() / part
            };
            (0..200).map(speed).fold(0.0, f64::max)
        };
        let ends = self.pieces.iter().flat_map(|([begin, end], joints)| {
            let controls = &joints[joint];
            let (degree, last) = ((controls.len() - 1) as f64, controls.len() - 1);
            let ends = [controls[1] - controls[0], controls[last] - controls[last - 1]];
            ends.map(|way| (way * degree / (end - begin)).abs())
        });
        self.pieces.iter().map(piece).chain(ends).fold(0.0, f64::max)
    }

    /// How near the joints are to the curve between two times, of which that counts which is the furthest for what it is allowed.
    pub fn distance(&self, positions: &[f64], allowed: &[f64], from: f64, to: f64) -> f64 {
        let at = |number: i32| {
            let time = from + (to - from) * f64::from(number) / 600.0;
            let joints = positions.iter().zip(allowed).enumerate();
            joints
                .map(|(joint, (place, most))| (self.at(joint, time) - place).abs() / most)
                .fold(0.0, f64::max)
        };
        (0..=600).map(at).fold(f64::INFINITY, f64::min)
    }
}
