use params::Parameter;

params::params! {
    /// The outline of the vehicle on the floor: a rectangle around the point that it turns about.
    ///
    /// Axes as in REP-103, x forward and y left; the origin is where the vehicle turns on the spot, commonly the middle of
    /// the driven axle. A rectangle is enough for chairs and small robots; a round vehicle is the square around it.
    #[derive(Copy)]
    pub struct Footprint {
        /// From the point that the vehicle turns about, commonly the middle of the driven axle, to its front edge.
        front: f64 = extent("footprint.front", 0.6),
        /// From the point that the vehicle turns about to its rear edge.
        back: f64 = extent("footprint.back", 0.5),
        /// From the point that the vehicle turns about to its left edge.
        left: f64 = extent("footprint.left", 0.35),
        /// From the point that the vehicle turns about to its right edge.
        right: f64 = extent("footprint.right", 0.35),
    }
}

const fn extent(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.05, 5.0).unit("m").at_start()
}

impl Footprint {
    /// The distance of the outline from the origin in the direction `way`, a unit vector \[m\].
    pub(crate) fn edge(&self, way: [f64; 2]) -> f64 {
        self.leave([0.0, 0.0], way).unwrap_or(0.0)
    }

    /// The distance of the farthest corner from the origin \[m\]: the radius of the circle swept by turning on the
    /// spot.
    pub fn corner(&self) -> f64 {
        self.front.max(self.back).hypot(self.left.max(self.right))
    }

    pub(crate) fn contains(&self, [x, y]: [f64; 2]) -> bool {
        (-self.back..=self.front).contains(&x) && (-self.right..=self.left).contains(&y)
    }

    /// The distance from `at` to the outline in the direction `way`; `None` from outside.
    pub(crate) fn leave(&self, at: [f64; 2], way: [f64; 2]) -> Option<f64> {
        let to_edge = |at: f64, way: f64, low: f64, high: f64| match way {
            way if way > 0.0 => (high - at) / way,
            way if way < 0.0 => (low - at) / way,
            _ => f64::INFINITY,
        };
        let along = to_edge(at[0], way[0], -self.back, self.front);
        let across = to_edge(at[1], way[1], -self.right, self.left);
        self.contains(at).then(|| along.min(across))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIR: Footprint = Footprint { front: 0.6, back: 0.5, left: 0.3, right: 0.4 };

    #[test]
    fn each_edge_is_at_its_extent() {
        let edges = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].map(|way| CHAIR.edge(way));
        assert_eq!(edges, [0.6, 0.5, 0.3, 0.4]);
        // At 45 degrees to the left the left edge comes first: 0.3 / sin 45°.
        let half = 0.5f64.sqrt();
        assert!((CHAIR.edge([half, half]) - 0.3 / half).abs() < 1e-12);
        assert!((CHAIR.corner() - 0.6f64.hypot(0.4)).abs() < 1e-12);
    }

    #[test]
    fn a_beam_from_inside_leaves_and_one_from_outside_does_not() {
        assert_eq!(CHAIR.leave([0.5, 0.0], [-1.0, 0.0]), Some(1.0), "through the whole body");
        assert_eq!(CHAIR.leave([0.6, 0.0], [1.0, 0.0]), Some(0.0), "on the edge");
        assert_eq!(CHAIR.leave([0.7, 0.0], [-1.0, 0.0]), None);
    }
}
