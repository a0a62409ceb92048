//! What scanners and depth cameras leave of a command: a zone scaling as LUCI makes it, for vehicles without LUCI.
//!
//! * [`Surround`] is the machine: a [`Scan`] or a [`Cloud`] of one of several [`Sensor`]s comes in, a
//!   [`zones::Scaling`] goes out in the same call, whose `fields` are the numbers of the message.
//! * [`Params`] are read from the parameters that [`specification`] describes, the [`Footprint`] among them.
//!
//! # From points to factors
//!
//! A point matters by how far the part of the outline that would touch it travels until it does, in each of twelve
//! **sweeps**: straight ahead, straight back, turning left and right on the spot, and, for each zone, the arcs of the
//! sticks in it (seven sticks from border to border stand for a sector, at full throw). Each sweep has a factor: 0 at
//! the stop distance of its zone, 1 at the slow distance, linear between; straight ahead has the distances of front, a
//! turn to the left on the spot those of left, and so on. A factor of a zone is the least of the sweeps it looks at:
//!
//! | zone | stick (rear swap on) | forward/back looks at | left/right looks at |
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
//! The table is not written down in the code but follows from which sticks lie in a zone by its
//! [`Boundaries`](zones::Boundaries): the factor of forward and back looks at the straight motions that they ask for,
//! that of left and right at the turns, for either part may be all that is left of the stick. Arcs are looked at by
//! both; where a stick asks for little of one part (front, back, left, right) by the factor of that part alone, since
//! without that part no arc is driven.
//!
//! **A way out is always left** by that: back never looks at what is ahead, nor does left or right/left at what is
//! beyond the circle that the corners sweep; what is beside the vehicle limits no straight motion. What is within the
//! outline counts as touching on its bearing, not as blocking everything.
//!
//! # What a nearer thing does
//!
//! Of each bearing (512 bins, 0.45 to 0.9 degrees) the nearest point counts. A point that is nearer to the turning
//! point on the same bearing never raises a factor, and neither does one more point. Rounding is to the safe side: a
//! thing looks as wide as its bins. What it leaves is right within one node (a 160th of the radius looked at, by default
//! 2 cm), and straight ahead within 2 mm.
//!
//! With a velocity the **time to a collision** limits as well: travel by the greatest speed that any part of the
//! outline has in the way of the sweep, |v| + |ω| · (distance of the farthest corner), each only in the sweep's sense. It
//! knows of nothing beyond the parameter `reach`.
//!
//! # What is no measurement
//!
//! Silence, also before the first message; a message that is no measurement ([`Unusable`]), by its stamp or by what is in
//! it; one that is as old as the sensor's timeout, however it got there. The same stamp again is no news. The sensor then blocks the sector that it answers for, as if something touched there;
//! the factors that are 0 for this alone are NaN, "not measured", so that what they stop does not go on by itself once the sensor is
//! back. A wide gap between the beams of a scan blocks what is behind it. A cloud tells no directions into which it saw nothing:
//! it is judged by share and number of its points alone, so that a part of it that goes blind is not noticed while the
//! rest has points. Where no sensor answers the parameter `uncovered` says what is there.
//!
//! What is deliberately absent: memory (what has left all sensors' sight is gone), holes in the floor, moving things,
//! shapes other than a rectangle, and transforms from anywhere but the parameters.
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
mod status;
mod surround;
mod sweeps;
mod table;
mod unusable;
mod view;
mod watch;

pub use cloud::{Cloud, Field};
pub use factors::Distances;
pub use footprint::Footprint;
pub use parameters::{Params, specification};
pub use pose::Pose;
pub use scan::{Scan, ZeroRange};
pub use sensor::{Kind, Sensor};
pub use status::Counters;
pub use surround::{Input, Output, Surround};
pub use unusable::Unusable;
pub use watch::Condition;
