//! A vehicle with one or two sensors, and messages for them.
#![allow(clippy::unwrap_used)] // helpers of tests

use core::f64::consts::{PI, TAU};
use std::borrow::Cow;

use params::Value;
use safety::{Instant, Machine, Stamp};
use surround::{Cloud, Field, Input, Output, Params, Scan, Surround, specification};
use zones::{Scaling, Zone};

pub const FREE: f32 = f32::INFINITY;

pub fn text(text: &str) -> Value {
    Value::Text(text.into())
}

pub fn params(overrides: &[(&str, Value)]) -> Result<Params, String> {
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let set = specification().resolve(overrides).map_err(|refusals| refusals[0].to_string())?;
    Params::read(&set).map_err(|refusal| refusal.to_string())
}

/// A surround with the default vehicle (0.6 m ahead, 0.5 back, 0.35 to each side) and these parameters.
pub fn surround(overrides: &[(&str, Value)]) -> Surround {
    Surround::new(params(overrides).unwrap())
}

/// One cloud sensor at the turning point, to which a single point is a measurement.
pub fn with_cloud() -> Surround {
    surround(&[
        ("sensors.camera.topic", text("points")),
        ("sensors.camera.type", text("cloud")),
        ("sensors.camera.z", Value::Float(0.0)),
        ("sensors.camera.least_points", Value::Integer(1)),
    ])
}

pub fn ms(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// A full turn from -180 degrees on in steps of a degree, free but for these.
pub fn turn(beams: &[(i32, f32)]) -> Scan<'static> {
    let mut ranges = vec![FREE; 360];
    for &(degrees, range) in beams {
        ranges[(degrees + 180) as usize] = range;
    }
    scan(ranges)
}

pub fn scan(ranges: Vec<f32>) -> Scan<'static> {
    let angle_increment = TAU / ranges.len().max(1) as f64;
    Scan {
        frame: Cow::Borrowed(""),
        angle_min: -PI,
        angle_increment,
        range_min: 0.05,
        ranges: Cow::Owned(ranges),
    }
}

/// Points as most drivers write them: x, y, z and one more number, little endian.
pub fn cloud(points: &[[f32; 3]]) -> Cloud<'static> {
    let bytes = |point: &[f32; 3]| [point[0], point[1], point[2], 1.0].map(f32::to_le_bytes).concat();
    Cloud {
        frame: Cow::Borrowed(""),
        width: points.len() as u32,
        height: 1,
        point_step: 16,
        row_step: 16 * points.len() as u32,
        is_bigendian: false,
        fields: [0, 4, 8].map(|offset| Some(Field { offset, datatype: 7 })),
        data: Cow::Owned(points.iter().flat_map(bytes).collect()),
    }
}

/// Points on the floor, at a height that is in the way.
pub fn at(points: &[[f64; 2]]) -> Cloud<'static> {
    cloud(&points.iter().map(|[x, y]| [*x as f32, *y as f32, 0.5]).collect::<Vec<_>>())
}

pub fn scanned(sensor: usize, scan: Scan<'static>) -> Input {
    Input::ScanReceived { sensor, stamp: Stamp::ZERO, scan }
}

pub fn seen(sensor: usize, cloud: Cloud<'static>) -> Input {
    Input::CloudReceived { sensor, stamp: Stamp::ZERO, cloud }
}

/// Calls the machine as a runner would, from `from` up to `to` \[ms\].
pub fn pass(surround: &mut Surround, from: u64, to: u64) {
    for at in (from..=to).step_by(10) {
        drain(surround, ms(at));
    }
}

/// All that the machine wants to publish at `now`.
pub fn drain(surround: &mut Surround, now: Instant) -> Vec<Scaling> {
    core::iter::from_fn(|| surround.poll(now))
        .map(|Output::Publish(fields)| Scaling::from_fields(&fields).0)
        .collect()
}

/// The last that goes out at `now` after `input`.
pub fn after(surround: &mut Surround, now: Instant, input: Input) -> Scaling {
    drain(surround, now);
    surround.handle(now, input);
    *drain(surround, now).last().unwrap()
}

/// Forward/back and right/left of a zone.
pub fn of(scaling: &Scaling, zone: Zone) -> (f64, f64) {
    let factors = scaling.of(zone);
    (factors.forward_back.get(), factors.left_right.get())
}

pub fn near(got: f64, expected: f64) {
    assert!((got - expected).abs() < 0.005, "{got}, not {expected}");
}
