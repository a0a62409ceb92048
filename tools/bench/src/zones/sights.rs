//! What the bench's vehicle sees: a room with something in it on every bearing.

use core::f64::consts::{PI, TAU};
use std::borrow::Cow;

use params::Value;
use ros::Error;
use surround::{Cloud, Field, Params, Scan, specification};

/// The index of the camera, by its name.
pub const CAMERA: usize = 0;
/// The index of the scanner.
pub const SCANNER: usize = 1;

/// A scanner at the front, and a depth camera that points ahead.
/// # Errors
/// A parameter is refused: they are not those of this version.
pub fn params() -> Result<Params, Error> {
    let text = |text: &str| Value::Text(text.into());
    let overrides = [
        ("sensors.scanner.topic", text("scan")),
        ("sensors.scanner.x", Value::Float(0.5)),
        ("sensors.camera.topic", text("points")),
        ("sensors.camera.type", text("cloud")),
        ("sensors.camera.z", Value::Float(1.0)),
        ("sensors.camera.roll", Value::Float(-90.0)),
        ("sensors.camera.yaw", Value::Float(-90.0)),
    ];
    let overrides = overrides.map(|(name, value)| (name.to_owned(), value));
    let refused = |refusals| Error::Parameters { node: "bench".into(), refusals };
    let set = specification().resolve(overrides).map_err(refused)?;
    Params::read(&set).map_err(|refusal| refused(vec![refusal]))
}

/// All around, as most scanners give it.
pub fn scan(beams: usize) -> Scan<'static> {
    Scan {
        frame: Cow::Borrowed("scanner"),
        angle_min: -PI,
        angle_increment: TAU / beams as f64,
        range_min: 0.05,
        ranges: (0..beams).map(wave).collect(),
    }
}

/// 200 by 120 points of a camera that sees 90 by 60 degrees.
pub fn cloud() -> Cloud<'static> {
    let point = |index: usize| {
        let (column, row) = ((index % 200) as f32 / 100.0 - 1.0, (index / 200) as f32 / 60.0 - 1.0);
        let depth = 1.0 + wave(index);
        [column * depth, row * 0.58 * depth, depth, 0.0].map(f32::to_le_bytes).concat()
    };
    Cloud {
        frame: Cow::Borrowed("camera"),
        width: 200,
        height: 120,
        point_step: 16,
        row_step: 3200,
        is_bigendian: false,
        fields: [0, 4, 8].map(|offset| Some(Field { offset, datatype: 7 })),
        data: Cow::Owned((0..24_000).flat_map(point).collect()),
    }
}

fn wave(index: usize) -> f32 {
    1.5 + (index as f32 / 7.0).sin()
}
