use zones::{Stick, Zone};

use crate::{Colour, Snapshot};

/// One marker of the picture, in the frame `base_link`: x forward, y left, z up \[m\].
///
/// An id has the same meaning in every picture: 0 to 7 the zones by their numbers, 8 the requested stick, 9 the
/// granted stick, 10 the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Unique within the picture.
    pub id: i32,
    /// Whether the marker is shown; otherwise the marker with this id must be deleted.
    pub visible: bool,
    /// The shape.
    pub shape: Shape,
}

/// The shape of a marker. All numbers are finite.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `TRIANGLE_LIST`: three points for each triangle, counter-clockwise from above.
    Triangles {
        /// The corners \[m\].
        points: Vec<[f64; 3]>,
        /// A colour for each point.
        colours: Vec<Colour>,
    },
    /// `ARROW` between two points.
    Arrow {
        /// Its tail \[m\].
        from: [f64; 3],
        /// Its tip \[m\].
        to: [f64; 3],
        /// Diameter of the shaft, diameter of the head, length of the head \[m\]: `scale` of the message.
        scale: [f64; 3],
        /// The colour of the arrow.
        colour: Colour,
    },
    /// `TEXT_VIEW_FACING`.
    Text {
        /// The centre \[m\].
        at: [f64; 3],
        /// Height of a capital letter \[m\].
        height: f64,
        /// The text.
        text: String,
        /// The colour of the text.
        colour: Colour,
    },
}

/// The default outer radius \[m\].
const RADIUS: f64 = 1.2;
/// Radii of the two bands, as shares of the outer radius: outer, between, inner.
const BANDS: [f64; 3] = [1.0, 5.0 / 6.0, 2.0 / 3.0];
/// The maximum angle of the straight pieces of an arc \[degrees\].
const PIECE: f64 = 5.0;

/// The markers of `snapshot`: eight sectors, two arrows and a text, in the order of their ids.
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
    markers.push(Marker { id: 10, visible: true, shape });
    markers
}

fn sector(snapshot: &Snapshot, zone: Zone, radius: f64) -> Marker {
    let sector = snapshot.sector(zone);
    let alpha = if snapshot.limited_by == Some(zone) { 0.95 } else { 0.55 };
    let pieces = ((sector.to - sector.from) / PIECE).ceil().max(1.0);
    let direction = |piece: f64| sector.from + (sector.to - sector.from) * piece / pieces;
    let (mut points, mut colours) = (Vec::new(), Vec::new());
    let bands = Colour::bands(snapshot.scaling.of(zone), snapshot.reason);
    for (colour, radii) in bands.into_iter().zip([[BANDS[0], BANDS[1]], [BANDS[1], BANDS[2]]]) {
        let [outer, inner] = radii.map(|share| share * radius);
        for piece in 0..pieces as u32 {
            // The direction is clockwise, so the later corner is to the right of the earlier one.
            let [left, right] = [piece, piece + 1].map(|piece| direction(piece.into()));
            let corner = |direction, distance| at(direction, distance, 0.02 * radius);
            let [a, b] = [corner(right, outer), corner(left, outer)];
            let [c, d] = [corner(left, inner), corner(right, inner)];
            points.extend([a, b, c, a, c, d]);
            colours.extend([colour.with_alpha(alpha); 6]);
        }
    }
    Marker { id: zone.number(), visible: true, shape: Shape::Triangles { points, colours } }
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
    Marker { id, visible: stick != Stick::ORIGIN, shape }
}

/// The point in a direction clockwise from straight ahead \[degrees\] at a distance \[m\].
fn at(direction: f64, distance: f64, z: f64) -> [f64; 3] {
    let (sin, cos) = direction.to_radians().sin_cos();
    [distance * cos, -distance * sin, z]
}
