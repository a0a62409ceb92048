//! Pictures of the eight zones and of their effect on a stick.
//!
//! * [`Snapshot`] is the content of a picture, made from a [`zones::ZoneScaler`].
//! * [`markers`] returns it as plain geometry in metres, for `visualization_msgs/MarkerArray`.
//! * [`Pace`] determines when a picture is published.
//! * [`svg`] returns it as the text of an SVG file, without any library.
//!
//! A zone is drawn in the direction of the STICK, as on LUCI's ring: with the rear corners swapped the sector back
//! and to the left is `back right`, the corner that the tail then sweeps. Each sector has two bands: the outer one
//! has the colour of the factor of forward and back, the inner one that of left and right.
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
