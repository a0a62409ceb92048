//! Any surroundings, any bytes, any time.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use std::borrow::Cow;
use std::sync::LazyLock;

use common::{after, at, cloud, drain, ms, scan, scanned, seen, surround, text, with_cloud};
use proptest::num::{f32, f64};
use proptest::prelude::*;
use safety::{ClockReading, Machine, Stamp, Velocity};
use surround::{Cloud, Field, Input, Output, Scan, Surround};
use zones::Scaling;

static CLOUD: LazyLock<Surround> = LazyLock::new(with_cloud);
static SCAN: LazyLock<Surround> = LazyLock::new(|| surround(&[]));
static BOTH: LazyLock<Surround> = LazyLock::new(|| {
    surround(&[
        ("sensors.a.topic", text("scan")),
        ("sensors.b.topic", text("points")),
        ("sensors.b.type", text("cloud")),
        ("sensors.b.z", params::Value::Float(0.0)),
        ("sensors.b.least_points", params::Value::Integer(1)),
        ("velocity", text("used")),
    ])
});

fn none_raised(before: &Scaling, now: &Scaling) -> bool {
    before.fields().iter().zip(now.fields()).all(|(before, now)| now <= *before)
}

/// Points around the vehicle by bearing \[rad\] and distance \[m\], mostly where they matter.
fn points() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((-3.2..3.2f64, prop_oneof![0.3..1.5f64, 0.0..6.0f64]), 1..40)
}

fn placed(points: &[(f64, f64)], factor: impl Fn(usize) -> f64) -> Vec<[f64; 2]> {
    let place = |(index, (bearing, distance)): (usize, &(f64, f64))| {
        let distance = distance * factor(index);
        [distance * bearing.cos(), distance * bearing.sin()]
    };
    points.iter().enumerate().map(place).collect()
}

/// The bearing of a point as a 32-bit message carries it may fall into the next bin when it comes nearer.
fn halved(points: &[(f64, f64)]) -> Vec<[f64; 2]> {
    placed(points, |_| 1.0).into_iter().map(|[x, y]| [f64::from(x as f32), f64::from(y as f32)]).collect()
}

fn beam() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => 0.0..5.0f32,
        1 => Just(f32::INFINITY),
        1 => prop_oneof![Just(f32::NEG_INFINITY), Just(f32::NAN)],
        1 => f32::ANY
    ]
}

fn field() -> impl Strategy<Value = Option<Field>> {
    let offset = prop_oneof![9 => 0..24u32, 1 => any::<u32>()];
    let datatype = prop_oneof![9 => 7..=8u8, 1 => any::<u8>()];
    prop_oneof![20 => (offset, datatype).prop_map(|(offset, datatype)| Some(Field { offset, datatype })), 1 => Just(None)]
}

prop_compose! {
    /// Often a cloud that fits, of any bytes.
    fn clouds()(
        width in prop_oneof![9 => 0..9u32, 1 => any::<u32>()],
        height in prop_oneof![9 => 0..4u32, 1 => any::<u32>()],
        point_step in prop_oneof![9 => 8..33u32, 1 => any::<u32>()],
        padding in prop_oneof![9 => 0..9u32, 1 => any::<u32>()],
        is_bigendian: bool,
        fields in [field(), field(), field()],
        bytes in prop::collection::vec(any::<u8>(), 0..1200),
        missing in prop_oneof![3 => Just(0), 1 => 0..40usize],
    ) -> Cloud<'static> {
        let row_step = width.wrapping_mul(point_step).wrapping_add(padding);
        let length = (row_step as usize).saturating_mul(height as usize).min(bytes.len()).saturating_sub(missing);
        let data = Cow::Owned(bytes[..length].to_vec());
        Cloud { frame: Cow::Borrowed(""), width, height, point_step, row_step, is_bigendian, fields, data }
    }
}

prop_compose! {
    fn scans()(
        angle_min in prop_oneof![9 => -4.0..4.0, 1 => f64::ANY],
        angle_increment in prop_oneof![9 => -0.3..0.3, 1 => f64::ANY],
        range_min in prop_oneof![9 => 0.0..0.3, 1 => f64::ANY],
        ranges in prop::collection::vec(beam(), 0..400),
    ) -> Scan<'static> {
        Scan { frame: Cow::Borrowed(""), angle_min, angle_increment, range_min, ranges: Cow::Owned(ranges) }
    }
}

fn inputs() -> impl Strategy<Value = Input> {
    let stamp = || {
        prop_oneof![
            Just(Stamp::ZERO),
            (any::<i32>(), 0..5u32).prop_map(|(sec, nanosec)| Stamp { sec, nanosec })
        ]
    };
    prop_oneof![
        (0..3usize, stamp(), scans()).prop_map(|(sensor, stamp, scan)| Input::ScanReceived {
            sensor,
            stamp,
            scan
        }),
        (0..3usize, stamp(), clouds()).prop_map(|(sensor, stamp, cloud)| Input::CloudReceived {
            sensor,
            stamp,
            cloud
        }),
        (f64::NORMAL, -3.0..3.0).prop_map(|(v, w)| Input::VelocityReceived {
            velocity: Velocity::planar(v, w).unwrap(),
            stamp: Stamp::ZERO
        }),
        (stamp(), any::<bool>())
            .prop_map(|(stamp, is_reliable)| Input::ClockRead(ClockReading { stamp, is_reliable })),
        Just(Input::Stopping),
    ]
}

proptest! {
    #[test]
    fn a_nearer_point_never_raises_a_factor(
        points in points(), which in any::<prop::sample::Index>(), share in 0..8u32,
    ) {
        let all = halved(&points);
        let which = which.index(all.len());
        // A power of two keeps the bearing to the last bit.
        let mut nearer = all.clone();
        nearer[which] = nearer[which].map(|part| part * 0.5f64.powi(share as i32));
        let before = after(&mut CLOUD.clone(), ms(0), seen(0, at(&all)));
        let now = after(&mut CLOUD.clone(), ms(0), seen(0, at(&nearer)));
        prop_assert!(none_raised(&before, &now), "{:?}\n{:?}", before.fields(), now.fields());
    }

    #[test]
    fn one_more_point_never_raises_a_factor(points in points()) {
        let all = halved(&points);
        let before = after(&mut CLOUD.clone(), ms(0), seen(0, at(&all[..1])));
        let now = after(&mut CLOUD.clone(), ms(0), seen(0, at(&all)));
        prop_assert!(none_raised(&before, &now));
    }

    #[test]
    fn a_shorter_beam_never_raises_a_factor(
        ranges in prop::collection::vec(beam(), 360), which in 0..360usize, shorter in beam(),
    ) {
        let mut other = ranges.clone();
        // No measurement is worse than any: where there are too many of them all is blocked.
        other[which] = if ranges[which].is_nan() || shorter.is_nan() { f32::NAN } else { ranges[which].min(shorter) };
        let before = after(&mut SCAN.clone(), ms(0), scanned(0, scan(ranges)));
        let now = after(&mut SCAN.clone(), ms(0), scanned(0, scan(other)));
        prop_assert!(none_raised(&before, &now), "{which} {shorter}");
    }

    #[test]
    fn faster_never_raises_a_factor(range in 0.7..4.0f32, v in 0.0..2.0, w in 0.0..2.0, more in 1.0..3.0) {
        let mut surround = BOTH.clone();
        surround.handle(ms(0), scanned(0, scan(vec![range; 360])));
        surround.handle(ms(0), seen(1, at(&[[9.0, 9.0]])));
        let go = |surround: &mut Surround, factor: f64| {
            surround.handle(ms(0), Input::VelocityReceived { velocity: Velocity::planar(v * factor, w * factor).unwrap(), stamp: Stamp::ZERO });
            *surround.scaling()
        };
        let slow = go(&mut surround, 1.0);
        prop_assert!(none_raised(&slow, &go(&mut surround, more)));
    }

    #[test]
    fn the_mirror_image_gives_the_mirror_image(points in points()) {
        let all = halved(&points);
        let mirrored: Vec<_> = all.iter().map(|[x, y]| [*x, -y]).collect();
        let here = after(&mut CLOUD.clone(), ms(0), seen(0, at(&all))).fields();
        let there = after(&mut CLOUD.clone(), ms(0), seen(0, at(&mirrored))).fields();
        // A point on the border of two bins belongs to the left one: one bin (0.9 degrees) of difference, and what is
        // next to an edge of a swept region may fall out of it. So only points off the borders are compared.
        let off = |[x, y]: &[f64; 2]| ((y.abs() / (x.abs() + y.abs()) * 128.0).fract() - 0.5).abs() < 0.499;
        prop_assume!(all.iter().all(off));
        for (pair, mirror) in [(0, 0), (1, 2), (3, 4), (5, 6), (7, 7)] {
            for part in 0..2 {
                let (a, b) = (here[2 * pair + part], there[2 * mirror + part]);
                // Travels are whole millimetres, and the shortest span from stop to slow is 0.45 m.
                prop_assert!((a - b).abs() < 0.003, "{pair} {part}: {a} {b}");
            }
        }
    }

    #[test]
    fn nothing_panics_and_every_factor_is_one(inputs in prop::collection::vec((0..300u64, inputs()), 0..20)) {
        let (mut a, mut b, mut now) = (BOTH.clone(), BOTH.clone(), 0);
        for (millis, input) in inputs {
            now += millis;
            a.handle(ms(now), input.clone());
            b.handle(ms(now), input);
            let bits =
                |output: Option<Output>| output.map(|Output::Publish(fields)| fields.map(f32::to_bits));
            loop {
                let (mine, again) = (a.poll(ms(now)), b.poll(ms(now)));
                prop_assert_eq!(bits(mine), bits(again), "the same again");
                let Some(Output::Publish(fields)) = mine else { break };
                // NaN: unknown because a sensor is lost.
                prop_assert!(fields.iter().all(|factor| factor.is_nan() || (0.0..=1.0).contains(factor)));
            }
            prop_assert!(a.deadline().is_none_or(|at| at > ms(now)));
            let _ = (a.report(), a.health());
        }
    }

    #[test]
    fn bytes_that_are_no_cloud_block_all(cloud in clouds()) {
        let mut surround = CLOUD.clone();
        drain(&mut surround, ms(0));
        surround.handle(ms(0), seen(0, cloud));
        let is_unusable = surround.counters().unusable == 1;
        let all = drain(&mut surround, ms(0));
        prop_assert_eq!(all.len(), 1);
        prop_assert!(!is_unusable || all[0].fields() == [0.0; 16]);
    }

    #[test]
    fn heights_out_of_the_band_are_not_in_the_way(points in points(), low in -3.0..-0.1f32, high in 2.01..9.0f32) {
        // Not within 0.1 m of the sensor, where a point is no measurement.
        let outside: Vec<_> = halved(&points).iter().enumerate()
            .map(|(index, [x, y])| [*x as f32, *y as f32, if index % 2 == 0 { low } else { high }]).collect();
        prop_assert_eq!(after(&mut CLOUD.clone(), ms(0), seen(0, cloud(&outside))).fields(), [1.0; 16]);
    }
}
