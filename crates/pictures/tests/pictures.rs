//! Any snapshot gives a picture of finite numbers, with everything in its place.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

#[path = "../examples/draw/svg.rs"]
mod svg;

use pictures::{Colour, Marker, Shape, Snapshot, markers};
use proptest::prelude::*;
use proptest::{num, sample::select};
use safety::Scale;
use svg::svg;
use zones::{Boundaries, Reason, Scaling, Stick, Zone};

/// Factors of a half, forward requested and half of it granted.
fn snapshot() -> Snapshot {
    Snapshot {
        scaling: Scaling::uniform(Scale::new(0.5).unwrap()),
        boundaries: Boundaries::default(),
        requested: Stick { forward_back: 100.0, left_right: 100.0 },
        granted: Stick { forward_back: 50.0, left_right: -50.0 },
        zone: Zone::FrontRight,
        limited_by: Some(Zone::FrontRight),
        reason: Reason::Scaled,
    }
}

fn triangles(marker: &Marker) -> (&[[f64; 3]], &[Colour]) {
    let Shape::Triangles { points, colours } = &marker.shape else { panic!("{} is a sector", marker.id) };
    (points, colours)
}

fn area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2.0
}

/// All numbers of a marker.
fn numbers(marker: &Marker) -> Vec<f64> {
    match &marker.shape {
        Shape::Triangles { points, colours } => {
            let parts = |c: &Colour| [c.red, c.green, c.blue, c.alpha].map(f64::from);
            points.iter().flatten().copied().chain(colours.iter().flat_map(parts)).collect()
        }
        Shape::Arrow { from, to, scale, .. } => [*from, *to, *scale].concat(),
        Shape::Line { points, width, .. } => points.iter().flatten().copied().chain([*width]).collect(),
        Shape::Ball { at, diameter: size, .. } | Shape::Text { at, height: size, .. } => {
            [at.as_slice(), &[*size]].concat()
        }
    }
}

#[test]
fn ids_are_the_zones_numbers_then_arrows_then_text() {
    let markers = markers(&snapshot(), 1.2);
    assert!(markers.iter().map(|marker| marker.id).eq(0..=10));
    assert!(markers[..8].iter().all(|marker| matches!(marker.shape, Shape::Triangles { .. })));
    assert!(markers[8..10].iter().all(|marker| matches!(marker.shape, Shape::Arrow { .. })));
    let Shape::Text { text, .. } = &markers[10].shape else { panic!("a text") };
    assert_eq!(text, "front right limits\nscaled");
}

#[test]
fn the_sectors_fill_the_ring_once_and_face_up() {
    let markers = markers(&snapshot(), 1.2);
    let mut total = 0.0;
    for marker in &markers[..8] {
        for corners in triangles(marker).0.as_chunks::<3>().0 {
            let area = area(*corners);
            assert!(area > 0.0, "counter-clockwise from above");
            total += area;
        }
    }
    // π (1.2² - 0.8²) = 2.5133; straight pieces of 5 degrees lack 1 - sin 5° / 5° in radians = 0.13 percent.
    assert!((2.509..2.5133).contains(&total), "{total}");
}

#[test]
fn a_sector_lies_where_its_stick_points() {
    let markers = markers(&snapshot(), 1.2);
    // x forward and y left: signs of the middle of each zone; with the swap back left is back and RIGHT.
    let expected = [(1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, -1), (-1, 1), (-1, 0)];
    for (marker, (ahead, left)) in markers.iter().zip(expected) {
        let (points, _) = triangles(marker);
        let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64;
        let sign = |mean: f64| if mean.abs() < 0.05 { 0 } else { mean.signum() as i32 };
        assert_eq!((sign(mean(0)), sign(mean(1))), (ahead, left), "{}", marker.id);
        assert!(points.iter().all(|[x, y, _]| (0.799..1.201).contains(&x.hypot(*y))));
    }
}

#[test]
fn bands_have_the_colours_of_their_factors_and_the_limiting_zone_is_the_densest() {
    let mut fields = [1.0; 16];
    fields[0] = 0.0; // forward of front
    let scaling = Scaling::from_fields(&fields).0;
    let markers = markers(&Snapshot { scaling, limited_by: Some(Zone::Front), ..snapshot() }, 1.2);
    let (points, colours) = triangles(&markers[0]);
    for (point, colour) in points.iter().zip(colours) {
        // The bands meet at 1 m; a point there belongs to either.
        let distance = point[0].hypot(point[1]);
        let factor = if distance > 1.1 { 0.0 } else { 1.0 };
        assert!((0.99..1.01).contains(&distance) || *colour == Colour::of(factor).with_alpha(0.95));
    }
    assert!(triangles(&markers[1]).1.iter().all(|colour| *colour == Colour::of(1.0).with_alpha(0.55)));
    let stale = Snapshot { reason: Reason::ScalingStale, ..snapshot() };
    let grey = pictures::markers(&stale, 1.2);
    assert!(triangles(&grey[0]).1.iter().all(|colour| colour.hex() == Colour::UNKNOWN.hex()));
}

#[test]
fn arrows_show_right_as_right_and_end_within_the_ring() {
    let markers = markers(&snapshot(), 1.2);
    let tip =
        |marker: &Marker| if let Shape::Arrow { to, .. } = marker.shape { to } else { panic!("an arrow") };
    // Full throw in both parts ends at the inner radius of 0.8 m: 0.8 / √2 = 0.5657 each, and right is -y.
    let [x, y, _] = tip(&markers[8]);
    assert!((x - 0.5657).abs() < 1e-4 && (y + 0.5657).abs() < 1e-4);
    let [x, y, _] = tip(&markers[9]);
    assert!((x - 0.2828).abs() < 1e-4 && (y - 0.2828).abs() < 1e-4);
    let still = Snapshot { granted: Stick::ORIGIN, ..snapshot() };
    let visible = |marker: &Marker| marker.visible;
    assert!(visible(&pictures::markers(&still, 1.2)[8]) && !visible(&pictures::markers(&still, 1.2)[9]));
}

#[test]
fn an_invalid_radius_is_replaced_by_the_default() {
    let usual = markers(&snapshot(), 1.2);
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(markers(&snapshot(), radius), usual);
    }
    assert_ne!(markers(&snapshot(), 2.0), usual);
}

#[test]
fn a_picture_contains_its_description() {
    let text = svg(&snapshot());
    for words in ["front right limits", "scaled", "requested 100 / 100", "granted 50 / -50", "0.50 / 0.50"] {
        assert!(text.contains(words), "{words}");
    }
    for zone in Zone::AROUND {
        assert!(text.contains(&format!(">{zone}</text>")), "{zone}");
    }
    assert_eq!(text.matches("stroke-width=\"3\"").count(), 1, "one zone limits");
    let free = svg(&Snapshot { limited_by: None, ..snapshot() });
    assert!(free.contains("no zone limits") && !free.contains("stroke-width=\"3\""));
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let degrees = || prop_oneof![num::f64::ANY, 0.0..180.0f64];
    let boundaries = (degrees(), degrees(), degrees(), degrees(), any::<bool>());
    let part = || prop_oneof![num::f64::ANY, -100.0..=100.0f64, Just(-0.0)];
    let stick = || (part(), part()).prop_map(|(forward_back, left_right)| Stick { forward_back, left_right });
    let reasons = vec![Reason::Scaled, Reason::Predicted, Reason::ScalingStale, Reason::Stopping];
    let limited_by = prop::option::of(select(Zone::AROUND.to_vec()));
    (boundaries, stick(), stick(), prop::array::uniform16(num::f32::ANY), limited_by, select(reasons))
        .prop_map(
            |(
                (front, front_side, side_back, back, rear_swap),
                requested,
                granted,
                fields,
                limited_by,
                reason,
            )| {
                let boundaries =
                    Boundaries { front, front_side, side_back, back, rear_swap, ..Boundaries::default() };
                let (scaling, _) = Scaling::from_fields(&fields);
                Snapshot { scaling, boundaries, requested, granted, zone: Zone::Front, limited_by, reason }
            },
        )
}

proptest! {
    #[test]
    fn any_snapshot_gives_finite_numbers_and_well_formed_text(snapshot in any_snapshot(), radius in num::f64::ANY) {
        // No more than 1e100 m, since coordinates are multiples of the radius.
        let radius = if radius.abs() < 1e100 { radius } else { 1.0 };
        let pieces = markers(&snapshot, radius);
        prop_assert_eq!(pieces.len(), 11);
        for marker in &pieces {
            prop_assert!(numbers(marker).iter().all(|number| number.is_finite()), "{:?}", marker);
            if let Shape::Triangles { points, colours } = &marker.shape {
                prop_assert!(points.len() == colours.len() && points.len() % 3 == 0 && !points.is_empty());
            }
        }
        let text = svg(&snapshot);
        for bad in ["NaN", "inf", "-0"] {
            prop_assert!(!text.contains(bad), "{} in {}", bad, text);
        }
        let count = |pattern: &str| text.matches(pattern).count();
        prop_assert_eq!(count("<"), count(">"));
        prop_assert_eq!(count("<text"), count("</text>"));
        prop_assert!(count("\"") % 2 == 0 && text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        prop_assert_eq!(&svg(&snapshot), &text);
    }
}
