//! Pictures of the eight zones and of what they leave of a stick.
//!
//! * [`Snapshot`] is what a picture shows, taken of a [`zones::ZoneScaler`].
//! * [`markers`] gives it as plain geometry in metres, for `visualization_msgs/MarkerArray`.
//! * [`Pace`] says when such a picture is worth publishing.
//! * [`svg`] gives it as the text of an SVG file, without any library.
//!
//! A zone is drawn where the STICK points, as on LUCI's ring: with the rear corners swapped the sector back and to the
//! left is `back right`, the corner that the tail then sweeps. Each sector has two bands: the outer one has the colour
//! of the factor of forward and back, the inner one that of left and right.
#![forbid(unsafe_code)]

mod colour;
mod markers;
mod pace;
mod snapshot;
mod svg;

pub use colour::Colour;
pub use markers::{Marker, Shape, markers};
pub use pace::Pace;
pub use snapshot::Snapshot;
pub use svg::svg;
