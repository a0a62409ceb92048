//! A stick, a scan and a cloud through the machines of the zones.
//!
//! From the message, as r2r hands it over, to the scaling; those of a stick are means over all positions in whole percents. The floor:
//! an arc tangent and two limits for a stick, every beam's sine and cosine for a scan, every coordinate read, turned and moved for a
//! cloud.

use core::f64::consts::{PI, TAU};
use std::borrow::Cow;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use params::Value;
use safety::{Command, Instant, Machine, Stamp, Velocity};
use surround::{Cloud, Field, Scan, Surround};
use zones::{Boundaries, Mode, Params, Scaling, Stick, ZoneScaler};

use crate::{pair, parameters};

/// All whole percents of a stick.
const STICKS: usize = 201 * 201;
/// From one sample to the next, as the machines know it.
const PERIOD: Duration = Duration::from_millis(10);
/// The indices of the sensors, by their names.
const CAMERA: usize = 0;
const SCANNER: usize = 1;

pub fn measure(criterion: &mut Criterion) {
    step_sticks(criterion);
    step_sensors(criterion);
}

fn step_sticks(criterion: &mut Criterion) {
    let stick = |index: usize| Stick::new((index / 201) as f64 - 100.0, (index % 201) as f64 - 100.0);
    let sticks: Vec<Stick> = (0..STICKS).map(stick).collect();
    // Every zone leaves a half, so that each stick is classified and cut.
    let (boundaries, (scaling, _)) = (Boundaries::default(), Scaling::from_fields(&[0.5; 16]));
    let classify =
        |stick: &Stick| zones::scale(Mode::Limit, *stick, scaling.of(boundaries.classify(*stick))).left_right;
    let command = |stick: &Stick| {
        let velocity = Velocity::planar(stick.forward_back / 100.0, -stick.left_right / 100.0);
        Command::new(velocity.unwrap(), Stamp::ZERO)
    };
    let commands: Vec<Command> = sticks.iter().map(command).collect();
    let mut scaler = ZoneScaler::new(Params::default());
    let mut now = Instant::ZERO;
    scaler.handle(now, zones::Input::CommandReceived(Command::STOP)); // a command begins with a zero
    // Each stick's direction, and both parts cut.
    let least = |stick: &Stick| stick.direction() + stick.forward_back.min(50.0) + stick.left_right.min(50.0);
    let mut group = criterion.benchmark_group("zones stick: classify and scale");
    group.throughput(Throughput::Elements(STICKS as u64));
    group.bench_function("step", |bencher| {
        bencher.iter(|| black_box(&sticks).iter().map(classify).sum::<f64>())
    });
    group.bench_function("floor", |bencher| {
        bencher.iter(|| black_box(&sticks).iter().map(least).sum::<f64>())
    });
    group.finish();
    let mut group = criterion.benchmark_group("zones command: through the zone scaler");
    group.throughput(Throughput::Elements(STICKS as u64));
    group.bench_function("step", |bencher| {
        bencher.iter(|| {
            scaler.handle(now, zones::Input::ScalingReceived(scaling.fields()));
            for command in &commands {
                scaler.handle(now, zones::Input::CommandReceived(*command));
                while let Some(output) = scaler.poll(now) {
                    black_box(output);
                }
            }
            now = now + PERIOD;
        });
    });
    group.bench_function("floor", |bencher| {
        bencher.iter(|| black_box(&sticks).iter().map(least).sum::<f64>())
    });
}

fn step_sensors(criterion: &mut Criterion) {
    let mut surround = Surround::new(vehicle());
    let (scan, cloud) = (scan(360), cloud());
    let mut now = Instant::ZERO;
    let step = || {
        surround.scan_received(now, SCANNER, Stamp::ZERO, black_box(&scan));
        black_box(surround.poll(now));
        now = now + PERIOD;
    };
    pair(criterion, "zones scan: 360 points to a zone scaling", step, || {
        black_box(least_of_scan(black_box(&scan)));
    });
    let step = || {
        surround.cloud_received(now, CAMERA, Stamp::ZERO, black_box(&cloud));
        black_box(surround.poll(now));
        now = now + PERIOD;
    };
    pair(criterion, "zones cloud: 24,000 points to a zone scaling", step, || {
        black_box(least_of_cloud(black_box(&cloud)));
    });
    assert_eq!(surround.counters().unusable, 0);
}

/// Each beam as a point.
fn least_of_scan(scan: &Scan) -> f64 {
    let point = |(index, range): (usize, &f32)| {
        let (sin, cos) = (scan.angle_min + index as f64 * scan.angle_increment).sin_cos();
        f64::from(*range) * (sin + cos)
    };
    scan.ranges.iter().enumerate().map(point).sum()
}

/// Each point read and brought into another frame: nine products and sums.
fn least_of_cloud(cloud: &Cloud) -> f64 {
    const ROWS: [[f64; 3]; 3] = [[0.6, 0.1, 0.2], [0.3, 0.7, 0.1], [0.2, 0.3, 0.5]];
    let point = |bytes: &[u8]| {
        let parts = bytes.as_chunks::<4>().0;
        let [x, y, z] = [0, 1, 2].map(|index: usize| f64::from(f32::from_le_bytes(parts[index])));
        ROWS.map(|[a, b, c]| a * x + b * y + c * z + 0.5).iter().sum::<f64>()
    };
    cloud.data.chunks_exact(cloud.point_step as usize).map(point).sum()
}

/// A scanner at the front, and a depth camera that points ahead.
fn vehicle() -> surround::Params {
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
    parameters(surround::specification(), surround::Params::read, &overrides)
}

/// All around, as most scanners give it, with something on every bearing.
fn scan(beams: usize) -> Scan<'static> {
    Scan {
        frame: Cow::Borrowed("scanner"),
        angle_min: -PI,
        angle_increment: TAU / beams as f64,
        range_min: 0.05,
        ranges: (0..beams).map(wave).collect(),
    }
}

/// 200 by 120 points of a camera that sees 90 by 60 degrees.
fn cloud() -> Cloud<'static> {
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
