use std::borrow::Cow;

use crate::Unusable;
use crate::view::View;

/// A `sensor_msgs/PointCloud2`: raw bytes with a description of the fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud<'a> {
    /// The frame in the header.
    pub frame: Cow<'a, str>,
    /// Points in a row.
    pub width: u32,
    /// Rows; 1 for unordered points.
    pub height: u32,
    /// Bytes from one point to the next.
    pub point_step: u32,
    /// Bytes from one row to the next.
    pub row_step: u32,
    /// Whether the bytes of a number are big endian.
    pub is_bigendian: bool,
    /// The fields "x", "y" and "z"; `None` if missing.
    pub fields: [Option<Field>; 3],
    /// The points.
    pub data: Cow<'a, [u8]>,
}

/// The position of a coordinate, as in `sensor_msgs/PointField`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Offset from the start of a point \[bytes\].
    pub offset: u32,
    /// The number of its type: 7 is FLOAT32, 8 is FLOAT64; others are not supported.
    pub datatype: u8,
}

/// The rules for measurements in a cloud.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The minimum part of finite points, 0 to 1.
    pub least: f64,
    /// The minimum number of measurements.
    pub least_points: usize,
    /// Whether an empty cloud means free space.
    pub empty_is_free: bool,
    /// Points outside of this band of heights are ignored as obstacles \[m\].
    pub band: [f64; 2],
}

const NAMES: [&str; 3] = ["x", "y", "z"];
const FLOAT32: u8 = 7;
const FLOAT64: u8 = 8;

/// Adds the points of `cloud` to `view`.
///
/// * A point with a coordinate that is NaN or infinite is ignored; at least the part `rules.least`,
///   `rules.least_points` and one point must be measurements.
/// * A point nearer than [`NEAR`] to the sensor is no measurement either, only an obstacle: something covers the sensor. One exactly
///   at its position, (0, 0, 0), is nothing at all: drivers publish it where they measured nothing.
/// * Farther points of the vehicle itself do not count, as if the cloud did not have them; nearer ones are no obstacles.
/// * Points outside of the band of heights count as measurements but not as obstacles.
/// # Errors
/// [`Unusable`]; the view is then incomplete and must not be used.
pub(crate) fn read(cloud: &Cloud, rules: Rules, view: &mut View) -> Result<(), Unusable> {
    let [x, y, z] = check(cloud)?;
    view.clear();
    // One loop for each common layout, without decisions for each point.
    let (measured, own) = match (cloud.is_bigendian, x, y, z) {
        (false, At::Single(x), At::Single(y), At::Single(z)) => {
            each(cloud, rules, view, |point| Some([le32(point, x)?, le32(point, y)?, le32(point, z)?]))
        }
        (false, x, y, z) => {
            each(cloud, rules, view, |point| Some([x.little(point)?, y.little(point)?, z.little(point)?]))
        }
        (true, x, y, z) => {
            each(cloud, rules, view, |point| Some([x.big(point)?, y.big(point)?, z.big(point)?]))
        }
    };
    let of = cloud.width as usize * cloud.height as usize - own;
    if of == 0 && rules.empty_is_free {
        return Ok(());
    }
    if measured == 0 || (measured as f64) < of as f64 * rules.least {
        return Err(Unusable::TooFew { measured, of, least: rules.least });
    }
    if measured < rules.least_points {
        return Err(Unusable::TooFewPoints { measured, least: rules.least_points });
    }
    Ok(())
}

/// The distance from a sensor within which a point is no measurement \[m\]: no lens measures so near, and a covered one publishes it.
const NEAR: f64 = 0.1;

/// Adds the obstacles to `view`. Returns the number of measurements, and of points of the vehicle itself.
#[inline]
fn each(
    cloud: &Cloud,
    rules: Rules,
    view: &mut View,
    at: impl Fn(&[u8]) -> Option<[f64; 3]>,
) -> (usize, usize) {
    let (step, row) = (cloud.point_step as usize, cloud.row_step as usize);
    let [low, high] = rules.band;
    let transform = view.transform;
    if step == 0 || row == 0 {
        return (0, 0); // no points
    }
    let (mut measured, mut own) = (0, 0);
    for row in cloud.data.chunks_exact(row) {
        for point in row.chunks_exact(step).take(cloud.width as usize) {
            let Some(point) = at(point).filter(|point| point.iter().all(|part| part.is_finite())) else {
                continue;
            };
            let square: f64 = point.iter().map(|part| part * part).sum();
            if square == 0.0 {
                continue;
            }
            let [x, y, z] = transform.point(point);
            let is_near = square < NEAR * NEAR;
            if view.is_own([x, y]) {
                own += usize::from(!is_near);
                continue;
            }
            measured += usize::from(!is_near);
            // A height that is NaN belongs to a point too far away to be computed.
            if z >= low && z <= high {
                view.add([x, y]);
            }
        }
    }
    (measured, own)
}

/// The positions of the coordinates, after all checks.
fn check(cloud: &Cloud) -> Result<[At; 3], Unusable> {
    let Cloud { width, height, point_step, row_step, .. } = *cloud;
    let mut places = [At::Single(0); 3];
    for ((place, field), name) in places.iter_mut().zip(cloud.fields).zip(NAMES) {
        let field = field.ok_or(Unusable::MissingField(name))?;
        let offset = field.offset as usize;
        let (at, size) = match field.datatype {
            FLOAT32 => (At::Single(offset), 4),
            FLOAT64 => (At::Double(offset), 8),
            value => return Err(Unusable::FieldType { name, value }),
        };
        if u64::from(field.offset) + size > u64::from(point_step) {
            return Err(Unusable::FieldOutside { name, value: field.offset, point_step });
        }
        *place = at;
    }
    let least = u64::from(width) * u64::from(point_step);
    // Padding of a point's length or more indicates a wrong width or step.
    if !(least..least + u64::from(point_step)).contains(&u64::from(row_step)) {
        return Err(Unusable::RowStep { value: row_step, least, point_step });
    }
    let exactly = u64::from(height) * u64::from(row_step);
    if cloud.data.len() as u64 != exactly {
        return Err(Unusable::DataLength { value: cloud.data.len(), exactly });
    }
    Ok(places)
}

/// Offset and type of a coordinate.
#[derive(Clone, Copy)]
enum At {
    Single(usize),
    Double(usize),
}

impl At {
    fn little(self, point: &[u8]) -> Option<f64> {
        match self {
            Self::Single(at) => le32(point, at),
            Self::Double(at) => point.get(at..)?.first_chunk().copied().map(f64::from_le_bytes),
        }
    }

    fn big(self, point: &[u8]) -> Option<f64> {
        match self {
            Self::Single(at) => {
                point.get(at..)?.first_chunk().copied().map(f32::from_be_bytes).map(f64::from)
            }
            Self::Double(at) => point.get(at..)?.first_chunk().copied().map(f64::from_be_bytes),
        }
    }
}

#[inline]
fn le32(point: &[u8], at: usize) -> Option<f64> {
    point.get(at..)?.first_chunk().copied().map(f32::from_le_bytes).map(f64::from)
}
