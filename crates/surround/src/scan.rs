use std::borrow::Cow;

use crate::Unusable;
use crate::view::View;

/// A planar scan, a `sensor_msgs/LaserScan`: beam `i` points to `angle_min + i * angle_increment`.
///
/// `angle_max` and `range_max` are ignored: the number of beams defines the one, and a range beyond the other is used
/// as it is, so a scanner that publishes a wrong maximum cannot hide an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan<'a> {
    /// The frame in the header.
    pub frame: Cow<'a, str>,
    /// The direction of the first beam, counter-clockwise from the scanner's x axis \[rad\].
    pub angle_min: f64,
    /// The angle between beams \[rad\], not zero; negative for a scanner that turns clockwise.
    pub angle_increment: f64,
    /// The minimum range \[m\]; a shorter one is too near to measure.
    pub range_min: f64,
    /// The ranges \[m\]: infinite means free space, minus infinite too near to measure (REP-117), NaN no measurement.
    pub ranges: Cow<'a, [f32]>,
}

/// The meaning of a range of 0. By REP-117 it is too near to measure; some drivers use it for a missing echo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroRange {
    /// An object touches the vehicle.
    #[default]
    Blocked,
    /// Free space.
    Nothing,
    /// No measurement.
    Unmeasured,
}

params::choices! { ZeroRange: Blocked = "blocked", Nothing = "nothing", Unmeasured = "unmeasured" }

/// Adds the measurements of `scan` to `view`.
///
/// * A range that is too near touches the vehicle where the beam leaves it.
/// * A range of 0 has the driver's meaning: too near, as in the message definition, free space, or no measurement.
/// * NaN is no measurement, and neither is a point within the vehicle if the view treats those as the vehicle itself.
/// * At least the part `least` of the beams in the view's sector must be measurements, and at least one.
/// * Unmeasured directions of the sector are blocked where they are wider than the allowed gap.
/// # Errors
/// [`Unusable`]; the view is then incomplete and must not be used.
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
    let (mut requested, mut measured) = (0, 0);
    for (index, &range) in scan.ranges.iter().enumerate() {
        let range = match zero {
            ZeroRange::Nothing if range == 0.0 => f64::INFINITY,
            ZeroRange::Unmeasured if range == 0.0 => f64::NAN,
            _ => f64::from(range),
        };
        let way = view.transform.beam(scan.angle_min + index as f64 * scan.angle_increment);
        let is_asked = view.answers_for(way);
        requested += usize::from(is_asked);
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
    if measured == 0 || (measured as f64) < requested as f64 * least {
        return Err(Unusable::TooFew { measured, of: requested, least });
    }
    view.block_unseen();
    Ok(())
}
