use crate::bins::{BINS, WIDEST, bin, direction, middle, runs, sector};
use crate::pose::Transform;
use crate::{Footprint, Sensor};

/// The view of one sensor: the nearest point in each bin, and the mapping of its points.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub transform: Transform,
    footprint: Footprint,
    /// The maximum relevant distance \[m\].
    radius: f64,
    /// The bins that the sensor covers.
    sector: Vec<bool>,
    /// Whether points within the footprint are the vehicle itself.
    own_body: bool,
    /// The widest gap that may stay unmeasured \[rad\].
    gap: f64,
    /// The square of the distance of the nearest point, infinite if there is none \[m²\].
    squares: Vec<f64>,
    /// Directions that were measured.
    seen: Vec<bool>,
}

impl View {
    pub fn new(sensor: &Sensor, footprint: Footprint, radius: f64) -> Self {
        Self {
            transform: Transform::new(&sensor.pose),
            footprint,
            radius,
            sector: sector(sensor.from, sensor.to),
            own_body: sensor.own_body,
            gap: sensor.gap,
            squares: vec![f64::INFINITY; BINS],
            seen: vec![false; BINS],
        }
    }

    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    pub fn sector(&self) -> &[bool] {
        &self.sector
    }

    /// Clears all measurements.
    pub fn clear(&mut self) {
        self.squares.fill(f64::INFINITY);
        self.seen.fill(false);
    }

    /// Whether a point is a part of the vehicle and must be ignored.
    pub fn is_own(&self, point: [f64; 2]) -> bool {
        self.own_body && self.footprint.contains(point)
    }

    /// Adds an obstacle at the point (x, y).
    #[inline]
    pub fn add(&mut self, [x, y]: [f64; 2]) {
        let square = x * x + y * y;
        if square >= self.radius * self.radius {
            return;
        }
        match bin(x, y) {
            Some(bin) => self.add_in(bin, square),
            None if square == 0.0 => self.squares.fill(0.0), // at the centre: on every bearing
            None => {}                                       // not a number: too far to be computed
        }
    }

    /// Adds an obstacle between the sensor and its minimum range in this direction.
    pub fn add_too_near(&mut self, way: [f64; 2]) {
        let at = self.leave(way);
        match bin(at[0], at[1]) {
            Some(bin) => self.add_in(bin, 0.0),
            None => self.squares.fill(0.0),
        }
    }

    fn add_in(&mut self, bin: usize, square: f64) {
        if let Some(nearest) = self.squares.get_mut(bin) {
            *nearest = nearest.min(square);
        }
    }

    /// Whether the sensor covers the direction.
    pub fn answers_for(&self, way: [f64; 2]) -> bool {
        bin(way[0], way[1]).and_then(|bin| self.sector.get(bin)).is_some_and(|&is_in| is_in)
    }

    /// Marks the direction as measured, even if it is free.
    pub fn mark_seen(&mut self, way: [f64; 2]) {
        if let Some(seen) = bin(way[0], way[1]).and_then(|bin| self.seen.get_mut(bin)) {
            *seen = true;
        }
    }

    /// Blocks the area behind every run of unmeasured directions of the sector that is wider than the allowed gap.
    pub fn block_unseen(&mut self) {
        let is_unseen = |view: &Self, bin: usize| {
            view.sector.get(bin).is_some_and(|&is_in| is_in) && view.seen.get(bin).is_some_and(|&seen| !seen)
        };
        // Without any measured direction the message is invalid, and this is not called.
        let Some(start) = (0..BINS).find(|&bin| !is_unseen(self, bin)) else { return };
        let mut run = 0;
        for bin in start + 1..=start + BINS {
            if is_unseen(self, bin % BINS) {
                run += 1;
            } else {
                if is_wider(bin - run, run, self.gap) {
                    (bin - run..bin).for_each(|unseen| self.block(unseen % BINS));
                }
                run = 0;
            }
        }
    }

    /// The unmeasured directions of the sector that are wider than the allowed gap, from and to, counter-clockwise
    /// \[degrees\]; unknown for a cloud.
    pub fn unmeasured(&self) -> Vec<[f64; 2]> {
        if !self.seen.contains(&true) {
            return Vec::new();
        }
        let is_unseen =
            |bin: usize| self.sector.get(bin) == Some(&true) && self.seen.get(bin).is_some_and(|&seen| !seen);
        let mut runs = runs(is_unseen);
        runs.retain(|[from, to]| (to - from).rem_euclid(360.0).to_radians() > self.gap);
        runs
    }

    /// An obstacle may be anywhere in the direction of this bin: every bearing that the beam passes is blocked.
    fn block(&mut self, unseen: usize) {
        let at = self.leave(middle(unseen));
        let first = bin(at[0], at[1]).unwrap_or(unseen);
        // From the point where the beam leaves the vehicle its bearing changes monotonically to that of the
        // direction, the shorter way.
        let forward = (unseen + BINS - first) % BINS;
        let (from, count) = if forward <= BINS / 2 { (first, forward) } else { (unseen, BINS - forward) };
        for bin in from..=from + count {
            self.add_in(bin % BINS, 0.0);
        }
    }

    /// The point where the line of sight in this direction leaves the vehicle; the sensor itself if that is outside.
    fn leave(&self, way: [f64; 2]) -> [f64; 2] {
        let [x, y] = self.transform.origin();
        let distance = self.footprint.leave([x, y], way).filter(|d| d.is_finite()).unwrap_or(0.0);
        [x + distance * way[0], y + distance * way[1]]
    }
}

/// Whether `count` bins from `first` on are wider than `gap` \[rad\].
fn is_wider(first: usize, count: usize, gap: f64) -> bool {
    if count as f64 * WIDEST <= gap {
        return false;
    }
    let ([ax, ay], [bx, by]) = (direction(first as f64), direction((first + count) as f64));
    let width = (ax * by - ay * bx).atan2(ax * bx + ay * by);
    let width = if width <= 0.0 { width + core::f64::consts::TAU } else { width };
    width > gap
}
