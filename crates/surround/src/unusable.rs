/// Why a message was invalid; its sensor counts as blocked until a valid one arrives.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Unusable {
    /// Its header has another frame than the sensor's parameter `frame`.
    #[error("header.frame_id is not what the sensor's parameter 'frame' says")]
    Frame,
    /// It was as old as the sensor's parameter `timeout` when it was read.
    #[error("it is {age:.3} s old, must be less than 'timeout', {timeout:?} s")]
    Old {
        /// The age \[s\].
        age: f64,
        /// The limit of the age \[s\].
        timeout: f64,
    },
    /// Its stamp was more than 0.1 s ahead of the clock.
    #[error("header.stamp is {by:.3} s ahead of the clock, must be at most {:?} s", safety::freshness::AHEAD.as_secs_f64())]
    Ahead {
        /// The difference \[s\].
        by: f64,
    },
    /// It had a stamp while the time was not known.
    #[error("header.stamp has no age, since the time is not known")]
    NoTime,
    /// A parameter of the whole scan was NaN or infinite, or the increment was 0.
    #[error("{name} is {value} rad, must be finite{}", and_not_0(.name))]
    Angle {
        /// Its name in `sensor_msgs/LaserScan`.
        name: &'static str,
        /// The value \[rad\].
        value: f64,
    },
    /// The minimum range of the scanner was NaN \[m\].
    #[error("range_min is NaN, must be a number of m")]
    RangeMin,
    /// A coordinate was not among the fields.
    #[error("field '{0}' is missing, must be there as FLOAT32 (7) or FLOAT64 (8)")]
    MissingField(&'static str),
    /// A coordinate had an unsupported type.
    #[error("field '{name}' has datatype {value}, must be 7 (FLOAT32) or 8 (FLOAT64)")]
    FieldType {
        /// Its name.
        name: &'static str,
        /// The number of the type in `sensor_msgs/PointField`.
        value: u8,
    },
    /// A coordinate was not within one point.
    #[error("field '{name}' has offset {value}, must end within point_step, {point_step} bytes")]
    FieldOutside {
        /// Its name.
        name: &'static str,
        /// Its offset \[bytes\].
        value: u32,
        /// The size of a point \[bytes\].
        point_step: u32,
    },
    /// A row did not have the length of its points.
    #[error(
        "row_step is {value}, must be width times point_step, {least} bytes, or less than {point_step} more"
    )]
    RowStep {
        /// Value of `row_step` \[bytes\].
        value: u32,
        /// Size of the points of a row \[bytes\]; padding of less than one point is allowed.
        least: u64,
        /// The size of a point \[bytes\].
        point_step: u32,
    },
    /// The data did not have the length of its rows.
    #[error("data has {value} bytes, must have height times row_step, {exactly}")]
    DataLength {
        /// Length of the data \[bytes\].
        value: usize,
        /// Required length \[bytes\].
        exactly: u64,
    },
    /// Of the beams in the sensor's sector, or of all points, too few were measurements.
    #[error("{measured} of {of} are measurements, must be at least one and a share of {least}")]
    TooFew {
        /// Number of measurements.
        measured: usize,
        /// Number of beams in the sector, or of all points.
        of: usize,
        /// The least part, 0 to 1.
        least: f64,
    },
    /// Of a cloud too few points were measurements, however many that is of all.
    #[error("{measured} points are measurements, must be 'least_points', {least}, at least")]
    TooFewPoints {
        /// Number of measurements.
        measured: usize,
        /// Required number of measurements.
        least: usize,
    },
}

fn and_not_0(name: &str) -> &'static str {
    if name == "angle_increment" { " and not 0" } else { "" }
}
