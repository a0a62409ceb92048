use std::borrow::Cow;

use crate::Unusable;
use crate::view::View;

/// A planar scan, as `sensor_msgs/LaserScan` has it: beam `i` points to `angle_min + i * angle_increment`.
///
/// `angle_max` and `range_max` are not asked: the number of beams says the one, and a number beyond the other is
/// believed as it is, so that a scanner which tells a wrong range of its own cannot turn an obstacle into nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan<'a> {
    /// The frame that it is in, by its header.
    pub frame: Cow<'a, str>,
    /// The direction of the first beam, counter-clockwise from the scanner's x axis \[rad\].
    pub angle_min: f64,
    /// From beam to beam \[rad\], not zero; negative for a scanner that turns clockwise.
    pub angle_increment: f64,
    /// The nearest that it can measure \[m\]; what is nearer is too near to measure.
    pub range_min: f64,
    /// The beams \[m\]: infinite is nothing in reach, minus infinite too near to measure (REP-117), NaN no measurement.
    pub ranges: Cow<'a, [f32]>,
}

/// What a range of 0 means. By REP-117 it is too near to measure; some drivers say it where no echo came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroRange {
    /// Something touches.
    #[default]
    Blocked,
    /// Nothing is in reach.
    Nothing,
    /// No measurement.
    Unmeasured,
}

/// Puts what `scan` measured into `view`.
///
/// * A reading that is too near touches the vehicle where the beam leaves it.
/// * A reading of 0 is what the driver means by it: too near, as the message has it, nothing in reach, or no measurement.
/// * NaN is no measurement, nor is a point within the vehicle where the view takes those for the vehicle itself.
/// * Of the beams in the view's sector a part of `least` must be measurements, and one at least.
/// * Unseen directions of the sector are blocked where they are wider than the allowed gap.
/// # Errors
/// [`Unusable`]; the view is then half filled and says nothing.
/// # Source
/// REP-117, `sensor_msgs/LaserScan`; parts and gaps are own.
pub(crate) fn read(scan: &Scan, least: f64, zero: ZeroRange, view: &mut View) -> Result<(), Unusable> {
    for (name, value, allowed) in [
        ("angle_min", scan.angle_min, true),
        ("angle_increment", scan.angle_increment, scan.angle_increment != 0.0),
    ] {
        if !value.is_finite() || !allowed {
            return Err(Unusable::Angle { name, value });
        }
    }
    if scan.range_min.is_nan() {
        return Err(Unusable::RangeMin);
    }
    view.clear();
    let nearest = scan.range_min.max(0.0);
    let [x, y] = view.transform.origin();
    let (mut asked, mut measured) = (0, 0);
    for (index, &range) in scan.ranges.iter().enumerate() {
        let range = match zero {
            ZeroRange::Nothing if range == 0.0 => f64::INFINITY,
            ZeroRange::Unmeasured if range == 0.0 => f64::NAN,
            _ => f64::from(range),
        };
        let way = view.transform.beam(scan.angle_min + index as f64 * scan.angle_increment);
        let is_asked = view.answers_for(way);
        asked += usize::from(is_asked);
        if range.is_nan() {
            continue;
        }
        if range < nearest {
            view.add_too_near(way);
        } else if range < f64::INFINITY {
            let point = [x + range * way[0], y + range * way[1]];
            if view.is_own(point) {
                continue;
            }
            view.add(point);
        }
        measured += usize::from(is_asked);
        view.mark_seen(way);
    }
    if measured == 0 || (measured as f64) < asked as f64 * least {
        return Err(Unusable::TooFew { measured, of: asked, least });
    }
    view.block_unseen();
    Ok(())
}
