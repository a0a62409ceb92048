//! Computes a zone scaling from scanners and depth cameras, as LUCI does, for vehicles without LUCI.
//!
//! * [`Surround`] is the machine: it receives a [`Scan`] or a [`Cloud`] of one of several [`Sensor`]s and returns a
//!   [`zones::Scaling`] in the same call, whose `fields` are the numbers of the message.
//! * [`Params`] are read from the parameters that [`specification`] describes, including the [`Footprint`].
//!
//! # From points to factors
//!
//! The relevant value of a point is the distance that the part of the outline which would touch it travels until
//! contact, in each of twelve **sweeps**: straight ahead, straight back, turning left and right on the spot, and, for
//! each zone, the arcs of its sticks (seven sticks from border to border represent a sector, at full throw). Each
//! sweep has a factor: 0 at the stop distance of its zone, 1 at the slow distance, linear between. Straight ahead
//! uses the distances of front, a turn to the left on the spot those of left, and so on. A factor of a zone is the
//! smallest one of the sweeps on which it depends:
//!
//! | zone | stick (rear swap on) | forward/back depends on | left/right depends on |
//! |---|---|---|---|
//! | front | ahead | straight ahead | both turns on the spot, arcs |
//! | front left | ahead and left | straight ahead, arcs | turn left, arcs |
//! | front right | ahead and right | straight ahead, arcs | turn right, arcs |
//! | left | left | straight ahead and back, arcs | turn left |
//! | right | right | straight ahead and back, arcs | turn right |
//! | back right | back and left | straight back, arcs (tail to the rear right) | turn left, arcs |
//! | back left | back and right | straight back, arcs (tail to the rear left) | turn right, arcs |
//! | back | back | straight back | both turns on the spot, arcs |
//!
//! The code does not contain the table but derives it from the sticks of a zone by its
//! [`Boundaries`](zones::Boundaries). The factor of forward and back depends on the straight motions that the sticks
//! request, and that of left and right on the turns, since either part may be all that remains of the stick. Both
//! depend on arcs. For a stick with little of one part (front, back, left, right) only the factor of that part
//! depends on arcs, since without that part no arc is driven.
//!
//! **A way out always remains**: back never depends on what is ahead, and left and right (left/right) never on what
//! is beyond the circle that the corners sweep; objects beside the vehicle limit no straight motion. A point within
//! the outline counts as touching on its bearing, and does not block everything.
//!
//! # Monotony
//!
//! On each bearing (512 bins, 0.45 to 0.9 degrees) the nearest point counts. A point that is nearer to the turning
//! point on the same bearing never raises a factor, and neither does an additional point. Rounding is to the safe
//! side: an object appears as wide as its bins. The result is accurate within one node (a 160th of the radius
//! covered, by default 2 cm), and straight ahead within 2 mm.
//!
//! With a velocity the **time to a collision** limits as well: travel divided by the maximum speed of any part of the
//! outline along the sweep, |v| + |ω| · (distance of the farthest corner), each only in the sweep's direction. It
//! does not cover anything beyond the parameter `reach`.
//!
//! # Invalid measurements
//!
//! A sensor has no valid measurement if it is silent, also before its first message; if its message is invalid
//! ([`Unusable`]), by its stamp or by its content; or if the message is as old as the sensor's timeout, for whatever
//! reason. A repeated stamp is ignored. The sensor then blocks its sector, as if an object touched there. Factors
//! that are 0 only for this reason are NaN, "not measured", so the motion that they stop does not resume by itself
//! when the sensor returns. A wide gap between the beams of a scan blocks what is behind it. A cloud does not report
//! directions without echo: it is checked only by part and number of its points, so a blind part of it is not
//! detected while the rest has points. Where no sensor covers a bearing, the parameter `uncovered` applies.
//!
//! Deliberately absent: memory (objects outside of all sensors' view are forgotten), holes in the floor, moving
//! objects, shapes other than a rectangle, and transforms other than those of the parameters (a late or wrong tf would move
//! a wall).
#![forbid(unsafe_code)]

mod bins;
mod cloud;
mod factors;
mod footprint;
mod motion;
mod parameters;
mod pose;
mod scan;
mod sensor;
mod sensor_monitor;
mod status;
mod surround;
mod sweeps;
mod table;
mod unusable;
mod view;

pub use cloud::{Cloud, Field};
pub use factors::Distances;
pub use footprint::Footprint;
pub use parameters::{Params, specification};
pub use pose::Pose;
pub use scan::{Scan, ZeroRange};
pub use sensor::{Kind, Sensor};
pub use sensor_monitor::Condition;
pub use status::{Blind, Counters};
pub use surround::{Input, Output, Surround};
pub use unusable::Unusable;
