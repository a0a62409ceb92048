use core::fmt;

/// Why a message was invalid; its sensor counts as blocked until a valid one arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unusable {
    /// Its header has another frame than the sensor's parameter `frame`.
    Frame,
    /// It was as old as the sensor's parameter `timeout` when it was read.
    Old {
        /// The age \[s\].
        age: f64,
        /// The limit of the age \[s\].
        timeout: f64,
    },
    /// Its stamp was more than 0.1 s ahead of the wall clock.
    Ahead {
        /// The difference \[s\].
        by: f64,
    },
    /// A parameter of the whole scan was NaN or infinite, or the increment was 0.
    Angle {
        /// Its name in `sensor_msgs/LaserScan`.
        name: &'static str,
        /// The value \[rad\].
        value: f64,
    },
    /// The minimum range of the scanner was NaN \[m\].
    RangeMin,
    /// A coordinate was not among the fields.
    MissingField(&'static str),
    /// A coordinate had an unsupported type.
    FieldType {
        /// Its name.
        name: &'static str,
        /// The number of the type in `sensor_msgs/PointField`.
        value: u8,
    },
    /// A coordinate was not within one point.
    FieldOutside {
        /// Its name.
        name: &'static str,
        /// Its offset \[bytes\].
        value: u32,
        /// The size of a point \[bytes\].
        point_step: u32,
    },
    /// A row did not have the length of its points.
    RowStep {
        /// What it was \[bytes\].
        value: u32,
        /// What the points of a row take \[bytes\]; padding of less than one point is allowed.
        least: u64,
        /// The size of a point \[bytes\].
        point_step: u32,
    },
    /// The data did not have the length of its rows.
    DataLength {
        /// What it was \[bytes\].
        value: usize,
        /// What it must be \[bytes\].
        exactly: u64,
    },
    /// Of the beams in the sensor's sector, or of all points, too few were measurements.
    TooFew {
        /// How many were.
        measured: usize,
        /// Of how many.
        of: usize,
        /// The least part, 0 to 1.
        least: f64,
    },
    /// Of a cloud too few points were measurements, however many that is of all.
    TooFewPoints {
        /// How many were.
        measured: usize,
        /// How many must be.
        least: usize,
    },
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame => f.write_str("header.frame_id is not what the sensor's parameter 'frame' says"),
            Self::Old { age, timeout } => {
                write!(f, "it is {age:.3} s old, must be less than 'timeout', {timeout:?} s")
            }
            Self::Ahead { by } => {
                let most = safety::freshness::AHEAD.as_secs_f64();
                write!(f, "header.stamp is {by:.3} s ahead of the wall clock, must be at most {most:?} s")
            }
            Self::Angle { name, value } => {
                write!(f, "{name} is {value} rad, must be finite")?;
                if *name == "angle_increment" { f.write_str(" and not 0") } else { Ok(()) }
            }
            Self::RangeMin => f.write_str("range_min is NaN, must be a number of m"),
            Self::MissingField(name) => {
                write!(f, "field '{name}' is missing, must be there as FLOAT32 (7) or FLOAT64 (8)")
            }
            Self::FieldType { name, value } => {
                write!(f, "field '{name}' has datatype {value}, must be 7 (FLOAT32) or 8 (FLOAT64)")
            }
            Self::FieldOutside { name, value, point_step } => {
                write!(f, "field '{name}' has offset {value}, must end within point_step, {point_step} bytes")
            }
            Self::RowStep { value, least, point_step } => write!(
                f,
                "row_step is {value}, must be width times point_step, {least} bytes, or less than {point_step} more"
            ),
            Self::DataLength { value, exactly } => {
                write!(f, "data has {value} bytes, must have height times row_step, {exactly}")
            }
            Self::TooFew { measured, of, least } => {
                write!(f, "{measured} of {of} are measurements, must be at least one and a share of {least}")
            }
            Self::TooFewPoints { measured, least } => {
                write!(f, "{measured} points are measurements, must be 'least_points', {least}, at least")
            }
        }
    }
}

impl core::error::Error for Unusable {}
