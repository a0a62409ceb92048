use crate::Footprint;
use crate::bins::{BINS, direction};
use crate::motion::Motion;
use crate::sweeps::{SWEEPS, Sweeps};

/// For each [`Sweep`](crate::sweeps::Sweep), the travel of the footprint until contact \[mm\].
pub(crate) type Reach = [i16; SWEEPS];

/// No sweep has an object in reach.
pub(crate) const FREE: Reach = [FAR; SWEEPS];
/// No object in reach; larger than any distance in the table.
pub(crate) const FAR: i16 = i16::MAX;

/// The reach of each sweep by bearing and distance of a point: geometry computed once.
///
/// In addition to the geometry, a nearer point never allows more travel than a farther one on the same bearing: a
/// free area inside of an arc counts like the area beyond it. A point within the outline touches it. Between two
/// nodes the travel grows at most as fast as the distance, and stays between the values of the nodes.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// `NODES` in each bin, starting at `least`.
    nodes: Vec<Reach>,
    /// The first node: no part of the outline is nearer to the origin \[mm\].
    least: i32,
    /// The distance between nodes \[mm\].
    step: i16,
    /// The maximum relevant distance from the origin \[m\].
    radius: f64,
}

const NODES: usize = 160;

impl Table {
    /// The table for travels of at most `reach` \[m\], at most 30 m.
    pub fn new(footprint: &Footprint, sweeps: &Sweeps, reach: f64) -> Self {
        // A part of the outline that travels `reach` stays within this distance of the origin.
        let radius = reach + footprint.corner();
        let borders: Vec<_> = (0..BINS).map(|bin| direction(bin as f64)).collect();
        let least = borders.iter().map(|&way| footprint.edge(way)).fold(f64::INFINITY, f64::min);
        let least = (least * 1000.0).floor();
        let step = ((radius * 1000.0 - least) / (NODES - 1) as f64).ceil().max(1.0);
        let mut rays = Vec::with_capacity(BINS * NODES);
        for &way in &borders {
            let edge = footprint.edge(way);
            for node in 0..NODES {
                let distance = edge.max((least + node as f64 * step) / 1000.0);
                rays.push(reach_at(footprint, sweeps, reach, [way[0] * distance, way[1] * distance]));
            }
        }
        let mut nodes = Vec::with_capacity(BINS * NODES);
        for (bin, ray) in rays.chunks_exact(NODES).enumerate() {
            // The worse border of a bin applies to the whole bin.
            let next = rays.chunks_exact(NODES).nth((bin + 1) % BINS).unwrap_or(ray);
            nodes.extend(ray.iter().zip(next).map(|(a, b)| lesser(*a, b)));
        }
        for bin in nodes.chunks_exact_mut(NODES) {
            let mut beyond = FREE;
            for node in bin.iter_mut().rev() {
                *node = lesser(*node, &beyond);
                beyond = *node;
            }
        }
        Self { nodes, least: least as i32, step: step as i16, radius }
    }

    /// The maximum relevant distance \[m\].
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The reach of each sweep for the nearest points.
    ///
    /// * `squares`: for each bin the square of the distance of the nearest point from the origin \[m²\]
    /// # Real-time
    /// No allocation; the time grows with the number of bins.
    pub fn lookup(&self, squares: &[f64]) -> Reach {
        let mut reach = FREE;
        let far = self.radius * self.radius;
        let step = i32::from(self.step);
        for (nodes, &square) in self.nodes.chunks_exact(NODES).zip(squares) {
            if square >= far {
                continue;
            }
            let beyond = ((square.sqrt() * 1000.0) as i32 - self.least).max(0); // at most some 40,000
            let index = (beyond / step) as usize;
            if let Some(here) = nodes.get(index) {
                let next = nodes.get(index + 1).unwrap_or(&FREE);
                let rest = (beyond % step) as i16; // less than a step, which is an i16
                for (reach, (&here, &next)) in reach.iter_mut().zip(here.iter().zip(next)) {
                    let after = here.saturating_add(rest);
                    let before = here.max(next.saturating_sub(self.step - rest));
                    *reach = (*reach).min(after.min(before));
                }
            }
        }
        reach
    }
}

fn reach_at(footprint: &Footprint, sweeps: &Sweeps, reach: f64, point: [f64; 2]) -> Reach {
    let mut found = FREE;
    for (sweep, motion) in &sweeps.motions {
        let travel = Motion::travel(*motion, footprint, point);
        if let Some(found) = found.get_mut(sweep.index())
            && travel <= reach
        {
            *found = (*found).min((travel * 1000.0) as i16);
        }
    }
    found
}

fn lesser(mut a: Reach, b: &Reach) -> Reach {
    for (a, b) in a.iter_mut().zip(b) {
        *a = (*a).min(*b);
    }
    a
}

#[cfg(test)]
mod tests {
    use zones::{Boundaries, FullSpeed};

    use super::*;
    use crate::bins::{bin, middle};
    use crate::sweeps::Sweep;

    const CHAIR: Footprint = Footprint { front: 0.6, back: 0.5, left: 0.35, right: 0.35 };

    fn table() -> Table {
        let sweeps = Sweeps::new(&Boundaries::default(), FullSpeed { linear: 1.0, angular: 1.0 });
        Table::new(&CHAIR, &sweeps, 3.0)
    }

    fn lookup(table: &Table, point: [f64; 2]) -> Reach {
        let mut squares = [f64::INFINITY; BINS];
        squares[bin(point[0], point[1]).unwrap()] = point[0] * point[0] + point[1] * point[1];
        table.lookup(&squares)
    }

    #[test]
    fn straight_ahead_the_travel_is_the_gap_within_two_millimetres() {
        let table = table();
        for millis in 0..3000 {
            // Node and distance are each rounded down to a millimetre.
            let gap = lookup(&table, [0.6 + f64::from(millis) / 1000.0, 0.0])[Sweep::Ahead.index()];
            assert!((millis - 2..=millis).contains(&i32::from(gap)), "{gap}, not {millis}");
        }
        assert_eq!(lookup(&table, [3.7, 0.0]), FREE);
    }

    #[test]
    fn the_table_agrees_with_geometry_within_a_node() {
        let table = table();
        let spot = |left| Motion::Turn { centre: 0.0, left };
        let sweeps =
            [(Sweep::Ahead, Motion::Ahead), (Sweep::Astern, Motion::Astern), (Sweep::TurnLeft, spot(true))];
        for bin in 0..BINS {
            let way = middle(bin);
            for node in 0..300 {
                let distance = CHAIR.edge(way) + f64::from(node) / 100.0;
                let point = [way[0] * distance, way[1] * distance];
                for (sweep, motion) in sweeps {
                    let exact = (motion.travel(&CHAIR, point) * 1000.0).min(f64::from(FAR));
                    let got = f64::from(lookup(&table, point)[sweep.index()]);
                    assert!(
                        got <= exact + f64::from(table.step) || exact > 3000.0,
                        "{sweep:?} {point:?}: {got} {exact}"
                    );
                }
            }
        }
    }

    #[test]
    fn nearer_on_the_same_bearing_leaves_no_more() {
        let table = table();
        for bin in 0..BINS {
            let way = middle(bin);
            let mut before = FREE;
            for centimetres in (0..400).rev() {
                let distance = f64::from(centimetres) / 100.0 + 0.001;
                let now = lookup(&table, [way[0] * distance, way[1] * distance]);
                assert!(now.iter().zip(&before).all(|(now, before)| now <= before), "{bin} {centimetres}");
                before = now;
            }
        }
    }
}
