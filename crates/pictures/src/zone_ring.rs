use zones::{Stick, Zone};

use crate::markers::{Marker, Shape, ring};
use crate::{Colour, Snapshot};

/// The default outer radius \[m\].
const RADIUS: f64 = 1.2;
/// Radii of the two bands, as shares of the outer radius: outer, between, inner.
const BANDS: [f64; 3] = [1.0, 5.0 / 6.0, 2.0 / 3.0];
const NAMESPACE: &str = "zones";

/// The markers of `snapshot`: eight sectors, two arrows and a text, in the order of their ids, which are 0 to 7 the zones by their
/// numbers, 8 the requested stick, 9 the granted stick, 10 the text.
///
/// * `radius`: outer radius of the ring \[m\]; 1.2 if it is not positive and finite. An arrow of full throw in both
///   parts ends at the inner radius, which is two thirds of it.
///
/// The sector of the zone that limits is nearly opaque, the others are not.
/// # Source
/// own; `visualization_msgs/msg/Marker` (ROS 2 Jazzy).
pub fn markers(snapshot: &Snapshot, radius: f64) -> Vec<Marker> {
    let radius = if radius.is_finite() && radius > 0.0 { radius } else { RADIUS };
    let mut markers: Vec<Marker> =
        Zone::AROUND.into_iter().map(|zone| sector(snapshot, zone, radius)).collect();
    let sticks = snapshot.sticks().into_iter().zip([Colour::REQUESTED, Colour::GRANTED]);
    markers.extend(sticks.zip(8..).map(|((stick, colour), id)| arrow(stick, colour, id, radius)));
    let text = format!("{}\n{}", snapshot.limit(), snapshot.reason);
    let shape = Shape::Text {
        at: [-1.2 * radius, 0.0, 0.1 * radius],
        height: 0.1 * radius,
        text,
        colour: Colour::TEXT,
    };
    markers.push(Marker::new(NAMESPACE, 10, shape));
    markers
}

fn sector(snapshot: &Snapshot, zone: Zone, radius: f64) -> Marker {
    let sector = snapshot.sector(zone);
    let alpha = if snapshot.limited_by == Some(zone) { 0.95 } else { 0.55 };
    let (mut points, mut colours) = (Vec::new(), Vec::new());
    let bands = Colour::bands(snapshot.scaling.of(zone), snapshot.reason);
    for (colour, radii) in bands.into_iter().zip([[BANDS[0], BANDS[1]], [BANDS[1], BANDS[2]]]) {
        points.extend(ring([sector.from, sector.to], radii.map(|share| share * radius), 0.02 * radius));
        colours.resize(points.len(), colour.with_alpha(alpha));
    }
    Marker::new(NAMESPACE, zone.number(), Shape::Triangles { points, colours })
}

fn arrow(stick: Stick, colour: Colour, id: i32, radius: f64) -> Marker {
    let full = BANDS[2] * radius / core::f64::consts::SQRT_2 / 100.0;
    // The granted arrow is above the requested one. Right is -y.
    let z = if id == 9 { 0.06 } else { 0.04 } * radius;
    let shape = Shape::Arrow {
        from: [0.0, 0.0, z],
        to: [full * stick.forward_back, -full * stick.left_right, z],
        scale: [0.03, 0.07, 0.09].map(|share| share * radius),
        colour,
    };
    Marker { visible: stick != Stick::ORIGIN, ..Marker::new(NAMESPACE, id, shape) }
}
