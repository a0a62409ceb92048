//! Pictures for rviz and for documents.
//!
//! * [`markers()`] are the eight zones and their effect on a stick, from a [`Snapshot`] of a [`zones::ZoneScaler`]; the
//!   example `draw` makes an SVG file of the same.
//! * [`blind_markers`] are the bearings that count as blocked although nothing is measured there.
//! * [`MarkerPublisher`] is the machine of the node `marker_publisher`: why the vehicle stands, and the velocities that are requested
//!   and granted.
//! * A [`Marker`] is plain geometry in metres, for `visualization_msgs/MarkerArray`; [`Pace`] determines when a picture is published.
//!
//! A zone is drawn in the direction of the STICK, as on LUCI's ring: with the rear corners swapped the sector back
//! and to the left is `back right`, the corner that the tail then sweeps. Each sector has two bands: the outer one
//! has the colour of the factor of forward and back, the inner one that of left and right.
#![forbid(unsafe_code)]

mod blind;
mod board;
mod colour;
mod marker_publisher;
mod markers;
mod pace;
mod path;
mod snapshot;
mod zone_ring;

pub use blind::{Blind, blind_markers};
pub use board::{NODES, Report, Source, Stop};
pub use colour::Colour;
pub use marker_publisher::{Input, MarkerPublisher, Output, Params, specification};
pub use markers::{Marker, Shape};
pub use pace::{LIFETIME, Pace};
pub use snapshot::Snapshot;
pub use zone_ring::markers;
