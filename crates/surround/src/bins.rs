//! Bearings around the vehicle, divided into bins.
//!
//! Bins are equal in the "diamond angle" y / (|x| + |y|) of each quadrant, which takes one division where an angle
//! takes an arc tangent. A bin is 0.45 degrees wide ahead, astern and abeam and 0.9 degrees half way between.

use core::f64::consts::TAU;

pub(crate) const BINS: usize = 4 * QUADRANT;
/// The maximum width of a bin \[rad\]: 2 / 128 half way between the axes.
pub(crate) const WIDEST: f64 = 2.0 / QUADRANT as f64;
const QUADRANT: usize = 128;

/// The bin of the point or direction (x, y), counter-clockwise from straight ahead; `None` for the origin and for
/// values that are not finite.
pub(crate) fn bin(x: f64, y: f64) -> Option<usize> {
    let sum = x.abs() + y.abs();
    if !(sum > 0.0 && sum < f64::INFINITY) {
        return None;
    }
    let share = y / sum;
    let diamond = if x < 0.0 {
        2.0 - share
    } else if share < 0.0 {
        4.0 + share
    } else {
        share
    };
    // 0 to 4, so the cast is in range; rounding may give exactly 4, which is straight ahead again.
    Some((diamond * QUADRANT as f64) as usize % BINS)
}

/// The unit vector `of` bins counter-clockwise from straight ahead: a whole number is the start of that bin.
pub(crate) fn direction(of: f64) -> [f64; 2] {
    let diamond = (of / QUADRANT as f64).rem_euclid(4.0);
    let share = diamond.fract();
    let [x, y] = match diamond as u8 {
        0 => [1.0 - share, share],
        1 => [-share, 1.0 - share],
        2 => [share - 1.0, -share],
        _ => [share, share - 1.0],
    };
    let length = x.hypot(y);
    [x / length, y / length]
}

/// The direction of the centre of a bin.
pub(crate) fn middle(bin: usize) -> [f64; 2] {
    direction(bin as f64 + 0.5)
}

/// The bins whose centre is between the bearings `from` and `to` \[rad\], counter-clockwise; all if they are a turn
/// apart.
pub(crate) fn sector(from: f64, to: f64) -> Vec<bool> {
    let width = if (to - from).abs() >= TAU { TAU } else { (to - from).rem_euclid(TAU) };
    let is_in = |bin| {
        let [x, y] = middle(bin);
        (y.atan2(x) - from).rem_euclid(TAU) <= width
    };
    (0..BINS).map(is_in).collect()
}

/// The runs of bins for which `holds`: their start and end bearings, counter-clockwise \[degrees\].
pub(crate) fn runs(holds: impl Fn(usize) -> bool) -> Vec<[f64; 2]> {
    let Some(start) = (0..BINS).find(|&bin| !holds(bin)) else { return vec![[-180.0, 180.0]] };
    let bearing = |bin: usize| {
        let [x, y] = direction((bin % BINS) as f64);
        y.atan2(x).to_degrees()
    };
    let (mut runs, mut from) = (Vec::new(), None);
    for bin in start + 1..=start + BINS {
        match (holds(bin % BINS), from) {
            (true, None) => from = Some(bin),
            (false, Some(first)) => {
                runs.push([bearing(first), bearing(bin)]);
                from = None;
            }
            _ => {}
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_holds_its_own_middle_and_begins_at_its_border() {
        for index in 0..BINS {
            let [x, y] = middle(index);
            assert_eq!(bin(x * 3.0, y * 3.0), Some(index));
            let [x, y] = direction(index as f64 + 1e-6);
            assert_eq!(bin(x, y), Some(index));
            let [x, y] = direction(index as f64 - 1e-6);
            assert_eq!(bin(x, y), Some((index + BINS - 1) % BINS));
        }
    }

    #[test]
    fn no_bin_is_wider_than_the_widest() {
        for index in 0..BINS {
            let ([ax, ay], [bx, by]) = (direction(index as f64), direction(index as f64 + 1.0));
            let width = (ax * by - ay * bx).asin();
            assert!(width > 0.0 && width <= WIDEST, "{index}: {width}");
        }
    }

    #[test]
    fn only_a_direction_has_a_bin() {
        for (x, y) in [(0.0, 0.0), (f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, 0.0), (1e308, 1e308)] {
            assert_eq!(bin(x, y), None, "{x} {y}");
        }
        assert_eq!(bin(1.0, -1e-300), Some(0), "rounds to straight ahead");
        assert_eq!(bin(-1.0, 0.0), Some(BINS / 2));
    }

    #[test]
    fn a_sector_may_pass_astern() {
        let count = |from: f64, to: f64| {
            let sector = sector(from.to_radians(), to.to_radians());
            sector.into_iter().filter(|&is_in| is_in).count()
        };
        assert_eq!(
            (count(-180.0, 180.0), count(-90.0, 90.0), count(90.0, -90.0)),
            (BINS, BINS / 2, BINS / 2)
        );
        assert!(sector(2.0, -2.0)[BINS / 2] && !sector(2.0, -2.0)[0]);
    }
}
