//! Prints what a scan of 360 beams and a cloud of 24,000 points cost: `cargo run --release -p surround --example timing`.
#![allow(clippy::disallowed_methods)] // it measures, so it reads the clock

use std::borrow::Cow;
use std::hint::black_box;
use std::time::Instant as Clock;

use params::Value;
use surround::{Cloud, Field, Params, Scan, Surround, specification};
use units::{Instant, Machine, Stamp};

const ROUNDS: usize = 2000;

fn main() {
    let text = |text: &str| Value::Text(text.into());
    let number = Value::Float;
    let overrides = [
        ("sensors.a.topic", text("scan")),
        ("sensors.a.x", number(0.5)),
        ("sensors.b.topic", text("points")),
        ("sensors.b.type", text("cloud")),
        ("sensors.b.z", number(1.0)),
        ("sensors.b.roll", number(-90.0)),
        ("sensors.b.yaw", number(-90.0)),
    ];
    let overrides = overrides.map(|(name, value)| (name.to_owned(), value));
    let params =
        specification().resolve(overrides).ok().and_then(|set| Params::read(&set).ok()).unwrap_or_default();
    let start = Clock::now();
    let mut surround = Surround::new(params);
    println!("construction: {:?}", start.elapsed());

    let wave = |index: usize| 1.5 + (index as f32 / 7.0).sin();
    let scan = Scan {
        frame: Cow::Borrowed(""),
        angle_min: -core::f64::consts::PI,
        angle_increment: core::f64::consts::TAU / 360.0,
        range_min: 0.05,
        ranges: (0..360).map(wave).collect(),
    };
    let point = |index: usize| {
        // A camera of 200 by 120 points, 90 by 60 degrees.
        let (column, row) = ((index % 200) as f32 / 100.0 - 1.0, (index / 200) as f32 / 60.0 - 1.0);
        let depth = 1.0 + wave(index);
        [column * depth, row * 0.58 * depth, depth, 0.0].map(f32::to_le_bytes).concat()
    };
    let cloud = Cloud {
        frame: Cow::Borrowed(""),
        width: 200,
        height: 120,
        point_step: 16,
        row_step: 3200,
        is_bigendian: false,
        fields: [0, 4, 8].map(|offset| Some(Field { offset, datatype: 7 })),
        data: Cow::Owned((0..24_000).flat_map(point).collect()),
    };
    measure("scan of 360 beams", |now| {
        surround.scan_received(now, 0, Stamp::ZERO, black_box(&scan));
        black_box(surround.poll(now));
    });
    measure("cloud of 24,000 points", |now| {
        surround.cloud_received(now, 1, Stamp::ZERO, black_box(&cloud));
        black_box(surround.poll(now));
    });
    println!("{:?}", surround.counters());
}

fn measure(name: &str, mut run: impl FnMut(Instant)) {
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let start = Clock::now();
        run(Instant::from_millis(round as u64));
        times.push(start.elapsed());
    }
    times.sort();
    let at = |share: usize| times.get(ROUNDS * share / 1000).copied().unwrap_or_default();
    println!("{name}: p50 {:?}, p99 {:?}, p99.9 {:?}", at(500), at(990), at(999));
}
