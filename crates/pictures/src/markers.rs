use crate::Colour;

/// One marker, by default in the vehicle's frame: x forward, y left, z up \[m\].
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// The part of the picture: rviz shows and hides each by itself.
    pub namespace: &'static str,
    /// Unique within the namespace. An id has the same meaning in every picture.
    pub id: i32,
    /// The frame; `None` is the vehicle's.
    pub frame: Option<String>,
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
    /// `LINE_STRIP`.
    Line {
        /// The points \[m\].
        points: Vec<[f64; 3]>,
        /// The width \[m\].
        width: f64,
        /// The colour of the line.
        colour: Colour,
    },
    /// `SPHERE`.
    Ball {
        /// The centre \[m\].
        at: [f64; 3],
        /// The diameter \[m\].
        diameter: f64,
        /// The colour of the ball.
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

impl Marker {
    /// A visible marker in the vehicle's frame.
    pub(crate) fn new(namespace: &'static str, id: i32, shape: Shape) -> Self {
        Self { namespace, id, frame: None, visible: true, shape }
    }
}

/// The maximum angle of the straight pieces of an arc \[degrees\].
const PIECE: f64 = 5.0;

/// The triangles of a piece of a ring at the height `z`, from one direction clockwise to another \[degrees\], between two radii.
pub(crate) fn ring([from, to]: [f64; 2], [outer, inner]: [f64; 2], z: f64) -> impl Iterator<Item = [f64; 3]> {
    let pieces = ((to - from) / PIECE).ceil().max(1.0);
    let direction = move |piece: u32| from + (to - from) * f64::from(piece) / pieces;
    (0..pieces as u32).flat_map(move |piece| {
        // The direction is clockwise, so the later corner is to the right of the earlier one.
        let [left, right] = [piece, piece + 1].map(direction);
        let [a, b] = [at(right, outer, z), at(left, outer, z)];
        let [c, d] = [at(left, inner, z), at(right, inner, z)];
        [a, b, c, a, c, d]
    })
}

/// The point in a direction clockwise from straight ahead \[degrees\] at a distance \[m\].
pub(crate) fn at(direction: f64, distance: f64, z: f64) -> [f64; 3] {
    let (sin, cos) = direction.to_radians().sin_cos();
    [distance * cos, -distance * sin, z]
}
