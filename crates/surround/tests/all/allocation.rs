//! Nothing is allocated after construction.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use allocations::{Counting, count};
use common::{at, ms, scan, surround, text};
use params::Value;
use safety::{Machine, Stamp, Velocity};
use surround::{Input, Scan};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn scans_clouds_silence_and_faults_allocate_nothing() {
    let mut surround = surround(&[
        ("sensors.a.topic", text("scan")),
        ("sensors.a.x", Value::Float(0.4)),
        ("sensors.b.topic", text("points")),
        ("sensors.b.type", text("cloud")),
        ("sensors.b.z", Value::Float(0.0)),
        ("velocity", text("used")),
    ]);
    let free = scan(vec![3.0; 360]);
    let holes = scan((0..360).map(|index| if index % 90 < 40 { f32::NAN } else { 1.0 }).collect());
    let (bad, short) = (Scan { angle_increment: 0.0, ..free.clone() }, at(&[]));
    let points = at(&(0..1000).map(|i| [f64::from(i) / 100.0, f64::from(i % 7)]).collect::<Vec<_>>());
    let before = count();
    for round in 0..200 {
        let now = |part: u64| ms(round * 20 + part);
        // 64 rounds without polling: the queue is full.
        for scan in [&free, &holes, &bad] {
            surround.scan_received(now(0), 0, Stamp::ZERO, scan);
        }
        surround.handle(now(0), Input::ClockRead(Stamp { sec: 7200, nanosec: 0 }.into()));
        for sec in [7200, 3600, 10_800] {
            surround.scan_received(now(0), 0, Stamp { sec, nanosec: 0 }, &free);
        }
        surround.cloud_received(now(1), 1, Stamp::ZERO, &points);
        surround.cloud_received(now(2), 1, Stamp::ZERO, &short);
        surround.handle(
            now(3),
            Input::VelocityReceived {
                velocity: Velocity::planar(round as f64 / 100.0, 0.1).unwrap(),
                stamp: Stamp::ZERO,
            },
        );
        while round > 64 && surround.poll(now(4)).is_some() {}
    }
    while surround.poll(ms(60_000)).is_some() {}
    assert_eq!(count() - before, 0);
    assert!(surround.counters().dropped > 0 && surround.counters().unusable > 0);
    std::hint::black_box(Box::new(1u8));
    assert!(count() > before, "the allocator does count");
}
