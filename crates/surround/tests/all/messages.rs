//! Valid and invalid messages.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use core::f64::consts::PI;
use std::borrow::Cow;

use common::{FREE, after, at, cloud, ms, near, of, scan, scanned, seen, surround, text, turn, with_cloud};
use params::Value;
use surround::{Cloud, Condition, Field, Params, Scan, Surround, Unusable, specification};
use zones::Zone;

/// The factors after `scan`, or why it is invalid.
fn of_scan(overrides: &[(&str, Value)], scan: Scan<'static>) -> Result<[f32; 16], Unusable> {
    let with_topic = [&[("sensors.scanner.topic", text("scan"))], overrides].concat();
    verdict(&mut surround(&with_topic), |surround| after(surround, ms(0), scanned(0, scan)).fields())
}

fn of_cloud(overrides: &[(&str, Value)], cloud: Cloud<'static>) -> Result<[f32; 16], Unusable> {
    let camera = [
        ("sensors.camera.topic", text("points")),
        ("sensors.camera.type", text("cloud")),
        ("sensors.camera.z", Value::Float(0.0)),
        ("sensors.camera.least_points", Value::Integer(1)),
    ];
    let overrides = [camera.as_slice(), overrides].concat();
    verdict(&mut surround(&overrides), |surround| after(surround, ms(0), seen(0, cloud)).fields())
}

fn verdict(
    surround: &mut Surround,
    give: impl FnOnce(&mut Surround) -> [f32; 16],
) -> Result<[f32; 16], Unusable> {
    let given = give(surround);
    match surround.condition(0) {
        Some(Condition::Unusable(why)) => {
            assert_eq!(given, [0.0; 16], "no measurement blocks all around");
            Err(why)
        }
        condition => {
            assert_eq!(condition, Some(Condition::Fresh));
            Ok(given)
        }
    }
}

const CLEAR: Result<[f32; 16], Unusable> = Ok([1.0; 16]);

#[test]
fn a_beam_too_near_to_measure_touches() {
    for near in [f32::NEG_INFINITY, 0.0, 0.04, -1.0] {
        let given = of_scan(&[], turn(&[(0, near)])).unwrap();
        assert_eq!((given[0], given[14]), (0.0, 1.0), "{near}: ahead it touches, behind nothing is");
    }
    let unknown = Scan { range_min: f64::NAN, ..turn(&[]) };
    assert_eq!(of_scan(&[], unknown), Err(Unusable::RangeMin));
    assert_eq!(of_scan(&[], Scan { range_min: f64::INFINITY, ..turn(&[(0, 9.0)]) }).unwrap()[0], 0.0);
}

#[test]
fn invalid_angles_are_no_measurement() {
    for value in [f64::NAN, f64::INFINITY] {
        let Err(Unusable::Angle { name, .. }) = of_scan(&[], Scan { angle_min: value, ..turn(&[]) }) else {
            panic!("taken")
        };
        assert_eq!(name, "angle_min");
        assert!(of_scan(&[], Scan { angle_increment: value, ..turn(&[]) }).is_err());
    }
    let error = of_scan(&[], Scan { angle_increment: 0.0, ..turn(&[]) }).unwrap_err();
    assert_eq!(error.to_string(), "angle_increment is 0 rad, must be finite and not 0");
}

#[test]
fn half_of_the_beams_must_be_measurements() {
    let every = |n: usize| scan((0..360).map(|index| if index % n == 0 { FREE } else { f32::NAN }).collect());
    assert_eq!(of_scan(&[], every(2)), CLEAR, "gaps of two degrees stay");
    assert_eq!(of_scan(&[], every(3)), Err(Unusable::TooFew { measured: 120, of: 360, least: 0.5 }));
    assert_eq!(of_scan(&[("sensors.scanner.measured_least", Value::Float(0.3))], every(3)), CLEAR);
    assert!(of_scan(&[("sensors.scanner.measured_least", Value::Float(0.0))], scan(vec![])).is_err());
}

#[test]
fn a_wide_gap_blocks_what_is_behind_it() {
    let blind =
        |from: i32, to: i32| turn(&(from..=to).map(|degrees| (degrees, f32::NAN)).collect::<Vec<_>>());
    // 8 blind beams leave 9 degrees between their neighbours, 13 leave 14; ten are allowed.
    assert_eq!(of_scan(&[], blind(-4, 3)), CLEAR);
    let given = of_scan(&[], blind(-6, 6)).unwrap();
    assert_eq!((given[0], given[14]), (0.0, 1.0), "front is blocked, back is free");
    let mut astern: Vec<_> = (-180..=-170).map(|degrees| (degrees, f32::NAN)).collect();
    astern.extend((170..180).map(|degrees| (degrees, f32::NAN)));
    let given = of_scan(&[], turn(&astern)).unwrap();
    assert_eq!((given[0], given[14]), (1.0, 0.0), "also across the seam");
}

#[test]
fn what_a_scanner_does_not_look_at_is_blocked_in_its_sector() {
    let ahead = Scan {
        frame: Cow::Borrowed(""),
        angle_min: -PI / 2.0,
        angle_increment: PI / 180.0,
        range_min: 0.05,
        ranges: vec![FREE; 181].into(),
    };
    let given = of_scan(&[], ahead.clone()).unwrap();
    assert_eq!((given[0], given[14]), (1.0, 0.0));
    let front_half = [
        ("sensors.scanner.covers_from", Value::Float(-90.0)),
        ("sensors.scanner.covers_to", Value::Float(90.0)),
        ("uncovered", text("free")),
    ];
    assert_eq!(of_scan(&front_half, ahead), CLEAR);
    // What is blind outside of its sector is no fault.
    let behind = (-180..-95).chain(95..180).map(|degrees| (degrees, f32::NAN)).collect::<Vec<_>>();
    let strict = [front_half.as_slice(), &[("sensors.scanner.measured_least", Value::Float(0.9))]].concat();
    assert_eq!(of_scan(&strict, turn(&behind)), CLEAR);
}

#[test]
fn a_blind_part_of_a_scanner_at_the_nose_blocks_the_corner_that_it_passes() {
    // At the nose, blind from 80 to 100 degrees: along the front edge to the left, where the left corner turns.
    let blind: Vec<_> = (80..=100).map(|degrees| (degrees, f32::NAN)).collect();
    let at_the_nose = [("sensors.scanner.x", Value::Float(0.6))];
    let given = of_scan(&at_the_nose, turn(&blind)).unwrap();
    assert_eq!((given[0], given[9], given[14]), (0.0, 0.0, 1.0), "front_fb, left_rl, back_fb");
}

#[test]
fn a_scanner_is_where_and_as_it_is_mounted() {
    let number = |value: f64| Value::Float(value);
    let at_the_nose = [("sensors.scanner.x", number(0.5))];
    near(of_scan(&at_the_nose, turn(&[(0, 1.0)])).unwrap()[0].into(), 0.5);
    let turned = [("sensors.scanner.yaw", number(90.0))];
    near(of_scan(&turned, turn(&[(-90, 1.5)])).unwrap()[0].into(), 0.5);
    // Upside down: what it calls left is right.
    let hanging = [("sensors.scanner.roll", number(180.0))];
    let given = of_scan(&hanging, turn(&[(45, 1.0)])).unwrap();
    assert!(given[2] < 1.0 && given[4] == 1.0, "front_right and not front_left: {given:?}");
}

#[test]
fn what_is_within_the_outline_touches_or_is_the_vehicle() {
    let mast = turn(&[(-1, 0.3), (0, 0.3), (1, 0.3)]);
    assert_eq!(of_scan(&[], mast.clone()).unwrap()[0], 0.0);
    assert_eq!(of_scan(&[("sensors.scanner.inside", text("ignored"))], mast), CLEAR);
    // A wide mast hides what is behind it.
    let wide = turn(&(-8..=8).map(|degrees| (degrees, 0.3)).collect::<Vec<_>>());
    assert_eq!(of_scan(&[("sensors.scanner.inside", text("ignored"))], wide).unwrap()[0], 0.0);
    let own = at(&[[0.3, 0.0], [9.0, 9.0]]);
    assert_eq!(of_cloud(&[], own.clone()).unwrap()[0], 0.0);
    assert_eq!(of_cloud(&[("sensors.camera.inside", text("ignored"))], own), CLEAR);
}

#[test]
fn a_camera_that_sees_only_the_vehicle_or_nothing_measures_nothing() {
    let ignored = [("sensors.camera.inside", text("ignored"))];
    let covered = at(&[[0.3, 0.0]; 60]);
    assert_eq!(of_cloud(&ignored, covered), Err(Unusable::TooFew { measured: 0, of: 0, least: 0.5 }));
    // Drivers publish the sensor's own position where there was no echo; it is no obstacle either.
    let nothing = [[0.0; 3]; 30];
    for overrides in [&ignored[..], &[]] {
        assert_eq!(
            of_cloud(overrides, cloud(&nothing)),
            Err(Unusable::TooFew { measured: 0, of: 30, least: 0.5 })
        );
        let half = [nothing, [[9.0, 9.0, 0.5]; 30]].concat();
        assert_eq!(of_cloud(overrides, cloud(&half)), CLEAR);
    }
}

#[test]
fn a_camera_whose_height_is_not_given_is_refused() {
    let camera = [("sensors.camera.topic", text("points")), ("sensors.camera.type", text("cloud"))];
    let overrides = camera.map(|(name, value)| (name.to_owned(), value));
    let refusal = Params::read(&specification().resolve(overrides).unwrap()).unwrap_err().to_string();
    assert_eq!(
        refusal,
        "parameter 'sensors.camera.z' is -10.0, must be given, the height of the sensor above the floor"
    );
}

#[test]
fn only_points_in_the_band_of_heights_are_in_the_way() {
    let at_height = |z: f32| {
        of_cloud(&[("sensors.camera.z", Value::Float(1.0))], cloud(&[[1.5, 0.0, z], [9.0, 9.0, 0.0]]))
    };
    // The camera is at 1 m; the band is from 0.05 to 2 m.
    for z in [-1.0, -0.96, 1.01] {
        assert_eq!(at_height(z), CLEAR, "{z}");
    }
    for z in [-0.94, 0.0, 0.99] {
        near(at_height(z).unwrap()[0].into(), 0.5);
    }
}

#[test]
fn half_of_the_points_must_be_finite() {
    let (good, bad) = ([1.5, 0.0, 0.5], [f32::NAN, 0.0, 0.5]);
    near(of_cloud(&[], cloud(&[good, bad])).unwrap()[0].into(), 0.5);
    let none = of_cloud(&[], cloud(&[good, bad, [0.0, 0.0, f32::INFINITY]]));
    assert_eq!(none, Err(Unusable::TooFew { measured: 1, of: 3, least: 0.5 }));
    assert_eq!(of_cloud(&[], cloud(&[])), Err(Unusable::TooFew { measured: 0, of: 0, least: 0.5 }));
    assert_eq!(of_cloud(&[("sensors.camera.empty", text("free"))], cloud(&[])), CLEAR);
    assert_eq!(of_cloud(&[], cloud(&[[0.0, 0.0, 0.5]])).unwrap(), [0.0; 16], "at the very centre");
}

#[test]
fn a_cloud_of_a_few_points_is_no_measurement() {
    let far = |count: usize| at(&vec![[9.0, 9.0]; count]);
    let camera = |overrides: &[(&str, Value)], cloud: Cloud<'static>| {
        let camera = [
            ("sensors.camera.topic", text("points")),
            ("sensors.camera.type", text("cloud")),
            ("sensors.camera.z", Value::Float(0.0)),
        ];
        let overrides = [camera.as_slice(), overrides].concat();
        verdict(&mut surround(&overrides), |surround| after(surround, ms(0), seen(0, cloud)).fields())
    };
    for measured in [1, 49] {
        let error = camera(&[], far(measured)).unwrap_err();
        assert_eq!(error, Unusable::TooFewPoints { measured, least: 50 });
        assert_eq!(
            error.to_string(),
            format!("{measured} points are measurements, must be 'least_points', 50, at least")
        );
    }
    assert_eq!(camera(&[], far(50)), CLEAR);
    // Points that are no numbers do not count: of 52 these are 50 and 49.
    let with = |finite: usize| {
        let mut points = vec![[9.0, 9.0, 0.5]; finite];
        points.resize(52, [f32::NAN; 3]);
        camera(&[], cloud(&points))
    };
    assert_eq!((with(50), with(49)), (CLEAR, Err(Unusable::TooFewPoints { measured: 49, least: 50 })));
    // What is measured beyond the band of heights counts, as for the part.
    assert_eq!(camera(&[], cloud(&[[0.9, 0.0, 2.5]; 50])), CLEAR);
    assert_eq!(camera(&[("sensors.camera.least_points", Value::Integer(3))], far(3)), CLEAR);
    // An empty cloud means free space if the parameter says so; a scan ignores it.
    assert_eq!(camera(&[("sensors.camera.empty", text("free"))], at(&[])), CLEAR);
    let many = [("sensors.scanner.least_points", Value::Integer(1_000_000))];
    assert_eq!(of_scan(&many, turn(&[])), CLEAR);
}

#[test]
fn a_cloud_that_does_not_fit_is_named() {
    let good = at(&[[1.5, 0.0], [9.0, 9.0], [9.0, 9.0]]);
    let why = |cloud: Cloud<'static>| of_cloud(&[], cloud).unwrap_err().to_string();
    let with = |index: usize, field: Option<Field>| {
        let mut cloud = good.clone();
        cloud.fields[index] = field;
        why(cloud)
    };
    assert_eq!(with(2, None), "field 'z' is missing, must be there as FLOAT32 (7) or FLOAT64 (8)");
    assert_eq!(
        with(0, Some(Field { offset: 0, datatype: 6 })),
        "field 'x' has datatype 6, must be 7 (FLOAT32) or 8 (FLOAT64)"
    );
    assert_eq!(
        with(1, Some(Field { offset: 13, datatype: 7 })),
        "field 'y' has offset 13, must end within point_step, 16 bytes"
    );
    assert!(with(1, Some(Field { offset: u32::MAX, datatype: 8 })).contains("offset 4294967295"));
    // 12 in place of 16 would read numbers across points.
    assert_eq!(
        why(Cloud { point_step: 12, ..good.clone() }),
        "row_step is 48, must be width times point_step, 36 bytes, or less than 12 more"
    );
    assert!(why(Cloud { row_step: 47, ..good.clone() }).starts_with("row_step is 47"));
    assert!(why(Cloud { width: u32::MAX, point_step: u32::MAX, ..good.clone() }).starts_with("row_step"));
    let short = Cow::Owned(good.data[..47].to_vec());
    assert_eq!(
        why(Cloud { data: short, ..good.clone() }),
        "data has 47 bytes, must have height times row_step, 48"
    );
    assert!(why(Cloud { height: 2, ..good.clone() }).ends_with("96"));
    assert!(
        why(Cloud { point_step: 0, row_step: 0, data: Cow::Owned(vec![]), ..good.clone() })
            .contains("offset 0")
    );
    assert!(of_cloud(&[], good).is_ok());
}

#[test]
fn every_layout_reads_the_same() {
    let points = [[1.5f64, 0.1, 0.5], [1.4, -0.2, 0.6], [9.0, 9.0, 0.5], [-1.2, 0.0, 0.3]];
    let plain = of_cloud(&[], cloud(&points.map(|point| point.map(|part| part as f32)))).unwrap();
    for is_bigendian in [false, true] {
        // z as FLOAT32 at 2, x and y as FLOAT64 at 8 and 17, rows of two with three bytes of padding.
        let mut data = Vec::new();
        for row in points.chunks(2) {
            for &[x, y, z] in row {
                let put32 =
                    |v: f64| if is_bigendian { (v as f32).to_be_bytes() } else { (v as f32).to_le_bytes() };
                let put64 = |v: f64| if is_bigendian { v.to_be_bytes() } else { v.to_le_bytes() };
                let mut point = [0xffu8; 25];
                point[2..6].copy_from_slice(&put32(z));
                point[8..16].copy_from_slice(&put64(f64::from(x as f32)));
                point[17..25].copy_from_slice(&put64(f64::from(y as f32)));
                data.extend(point);
            }
            data.extend([0; 3]);
        }
        let field = |offset, datatype| Some(Field { offset, datatype });
        let odd = Cloud {
            frame: Cow::Borrowed(""),
            width: 2,
            height: 2,
            point_step: 25,
            row_step: 53,
            is_bigendian,
            fields: [field(8, 8), field(17, 8), field(2, 7)],
            data: Cow::Owned(data),
        };
        assert_eq!(of_cloud(&[], odd).unwrap(), plain);
    }
}

#[test]
fn a_borrowed_message_does_the_same_as_an_owned_one() {
    let (mut borrowed, mut owned) = (with_cloud(), with_cloud());
    let cloud = at(&[[1.5, 0.0]]);
    let lent = Cloud { data: Cow::Borrowed(&cloud.data), ..cloud.clone() };
    borrowed.cloud_received(ms(0), 0, safety::Stamp::ZERO, &lent);
    assert_eq!(after(&mut owned, ms(0), seen(0, cloud.clone())), *borrowed.scaling());
    near(of(borrowed.scaling(), Zone::Front).0, 0.5);
}

#[test]
fn a_message_in_another_frame_is_no_measurement() {
    let named = [("sensors.scanner.frame", text("laser"))];
    let in_frame = |frame: &'static str| Scan { frame: Cow::Borrowed(frame), ..turn(&[]) };
    assert_eq!(of_scan(&named, in_frame("laser")), CLEAR);
    for wrong in ["", "base_link", "laser "] {
        assert_eq!(of_scan(&named, in_frame(wrong)), Err(Unusable::Frame));
    }
    assert_eq!(of_scan(&[], in_frame("anything")), CLEAR, "without a name any frame is taken");
    let named = [("sensors.camera.frame", text("camera"))];
    let seen = |frame: &'static str| of_cloud(&named, Cloud { frame: frame.into(), ..at(&[[9.0, 0.0]]) });
    assert_eq!((seen("camera"), seen("map")), (CLEAR, Err(Unusable::Frame)));
}

#[test]
fn a_wrong_frame_is_reported_with_the_expected_one() {
    let mut surround =
        surround(&[("sensors.scanner.topic", text("scan")), ("sensors.scanner.frame", text("laser"))]);
    after(&mut surround, ms(0), scanned(0, Scan { frame: Cow::Borrowed("base_link"), ..turn(&[]) }));
    let sentence = "scanner counts as blocked: header.frame_id is 'base_link', must be 'laser', the sensor's parameter 'frame'";
    assert_eq!(surround.health().1, sentence);
    let long = "ä".repeat(80);
    after(&mut surround, ms(1), scanned(0, Scan { frame: Cow::Owned(long), ..turn(&[]) }));
    assert!(surround.health().1.contains(&format!("'{}'", "ä".repeat(50))), "cut to 100 bytes");
}

#[test]
fn the_user_defines_the_meaning_of_a_range_of_zero() {
    let of = |zero: &str, beams: &[(i32, f32)]| {
        of_scan(&[("sensors.scanner.zero_range", text(zero))], turn(beams))
    };
    let dead: Vec<(i32, f32)> = (-180..0).map(|degrees| (degrees, 0.0)).collect();
    assert!(of("blocked", &dead).is_ok_and(|scaling| scaling != CLEAR.unwrap()));
    assert_eq!(of("nothing", &dead), CLEAR);
    // Half of the beams are measurements, which is enough, and the wide gap between them counts as blocked.
    assert!(of("unmeasured", &dead).is_ok_and(|scaling| scaling != CLEAR.unwrap()));
    assert_eq!(of("unmeasured", &[(0, 0.0)]), CLEAR, "one beam is no gap");
    // What is nearer than range_min, 0.05 m, and not 0 touches all the same; so does minus infinity.
    for near in [0.04, -1.0, f32::NEG_INFINITY] {
        assert_ne!(of("nothing", &[(0, near)]), CLEAR, "{near}");
    }
}

#[test]
fn bearings_that_a_scan_does_not_measure_are_reported() {
    let mut surround = surround(&[]);
    // A scanner of 180 degrees on a vehicle configured for all around.
    let half = Scan { angle_min: -core::f64::consts::FRAC_PI_2, ..scan(vec![9.0; 360]) };
    let half = Scan { angle_increment: core::f64::consts::PI / 359.0, ..half };
    after(&mut surround, ms(0), scanned(0, half));
    let sentence = "scanner does not measure 90 to -90 degrees, which counts as blocked: covers_from and covers_to say what \
                    it answers for";
    assert_eq!(surround.health(), (safety::Level::Warn, sentence.into()));
}

#[test]
fn a_covered_camera_above_the_band_blocks() {
    for inside in ["blocked", "ignored"] {
        // A camera on a mast, 0.6 m high, of a robot 0.5 m tall; a cloth 3 cm before its lens fills the picture.
        let mast = [
            ("sensors.camera.z", Value::Float(0.6)),
            ("sensors.camera.height_max", Value::Float(0.5)),
            ("sensors.camera.inside", text(inside)),
        ];
        let cloth: Vec<[f32; 3]> = (0..100).map(|i| [0.03, (i as f32 - 50.0) * 2e-4, 0.0]).collect();
        assert_ne!(of_cloud(&mast, cloud(&cloth)), CLEAR, "{inside}");
    }
}

#[test]
fn a_camera_that_sees_the_deck_in_most_of_its_picture() {
    let ignored = [("sensors.camera.inside", text("ignored"))];
    let mut points = vec![[0.3, 0.0]; 600];
    points.extend(vec![[9.0, 9.0]; 400]);
    assert_eq!(of_cloud(&ignored, at(&points)), CLEAR);
}

#[test]
fn a_radar_that_sees_one_point_of_the_vehicle() {
    let radar = [("sensors.camera.inside", text("ignored")), ("sensors.camera.empty", text("free"))];
    assert_eq!(of_cloud(&radar, at(&[])), CLEAR);
    assert_eq!(of_cloud(&radar, at(&[[0.55, 0.0]])), CLEAR);
}

#[test]
fn a_covered_camera_inside_the_outline_blocks_whatever_else_it_sees() {
    for (z, height_max) in [(0.6, 0.5), (0.5, 2.0)] {
        let mast = [
            ("sensors.camera.z", Value::Float(z)),
            ("sensors.camera.height_max", Value::Float(height_max)),
            ("sensors.camera.inside", text("ignored")),
            ("sensors.camera.empty", text("free")),
        ];
        let cloth = vec![[0.03, 0.0, 0.0]; 1000];
        let stray = [cloth.clone(), vec![[9.0, 9.0, 0.0]; 60]].concat();
        assert_eq!(
            of_cloud(&mast, cloud(&cloth)),
            Err(Unusable::TooFew { measured: 0, of: 1000, least: 0.5 })
        );
        assert_eq!(
            of_cloud(&mast, cloud(&stray)),
            Err(Unusable::TooFew { measured: 60, of: 1060, least: 0.5 })
        );
    }
}
