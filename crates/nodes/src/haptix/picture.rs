use std::sync::{Arc, Mutex};
use std::time::Duration;

use haptix::{BASE, Object, Reading, Shape, Simulation, Skeleton};
use r2r::builtin_interfaces::msg::Duration as WireDuration;
use r2r::geometry_msgs::msg as geometry;
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{Marker, MarkerArray};
use ros::clock::to_wire;
use ros::panics::lock;
use ros::{Error, Topic, clock, qos};
use safety::Instant;

use super::messages;

/// How often the picture is published at most.
const PERIOD: Duration = Duration::from_millis(40);
/// How long it is shown after the node has ended.
const LIFETIME: WireDuration = WireDuration { sec: 1, nanosec: 0 };
/// Force at which a contact sensor is all red \[N\].
const STRONG: f32 = 5.0;
/// The edge of the plate that shows a plane \[m\].
const PLATE: f64 = 0.4;

/// The contact sensors and the objects on `~/contacts`, for rviz.
pub(super) struct Picture {
    topic: Topic<MarkerArray>,
    skeleton: Skeleton,
    prefix: String,
    objects: Objects,
    last: Option<Instant>,
}

/// The objects around the hand.
#[derive(Clone, Default)]
pub(super) struct Objects(Arc<Mutex<Vec<Option<Object>>>>);

impl Objects {
    /// Takes the objects of `simulation`.
    pub(super) fn set(&self, simulation: &Simulation) {
        *lock(&self.0) = simulation.objects.to_vec();
    }

    fn all(&self) -> Vec<Option<Object>> {
        lock(&self.0).clone()
    }
}

impl Picture {
    /// Opens the topic.
    /// # Errors
    /// The middleware refuses the topic.
    pub(super) fn new(
        node: &mut r2r::Node,
        skeleton: Skeleton,
        prefix: String,
        objects: Objects,
    ) -> Result<Self, Error> {
        Ok(Self {
            topic: Topic::new(node, "~/contacts", qos::command())?,
            skeleton,
            prefix,
            objects,
            last: None,
        })
    }

    /// Publishes the picture of `reading` if it is due and the topic has a subscriber. Nobody's lock is held meanwhile.
    pub(super) fn draw(&mut self, reading: &Reading) {
        let is_due = self.last.is_none_or(|last| reading.at.since(last) >= PERIOD);
        if !is_due || !self.topic.has_subscribers() {
            return;
        }
        self.last = Some(reading.at);
        let header = |frame: &str| Header {
            stamp: to_wire(clock::stamp()),
            frame_id: messages::text(&[&self.prefix, frame].concat()),
        };
        let pads = self.skeleton.pads().zip(reading.sensor.contact).zip(0..);
        let pads = pads.map(|((pad, force), id)| Marker {
            header: header(pad.frame),
            ns: "contacts".into(),
            id,
            type_: Marker::SPHERE as i32,
            pose: geometry::Pose { position: point(pad.position), orientation: upright() },
            scale: cube(2.0 * pad.radius),
            color: colour(force),
            frame_locked: true, // by the newest transform: one of this time may not be received yet
            lifetime: LIFETIME,
            ..Marker::default()
        });
        let objects = self.objects.all();
        let objects = objects.iter().zip(0..).filter_map(|(object, id)| {
            let marker = Marker {
                header: header(BASE),
                ns: "objects".into(),
                id,
                color: ColorRGBA { r: 0.4, g: 0.6, b: 0.9, a: 0.5 },
                frame_locked: true,
                lifetime: LIFETIME,
                ..Marker::default()
            };
            shaped(marker, &object.as_ref()?.shape)
        });
        let markers = pads.chain(objects).collect();
        self.topic.publish(&MarkerArray { markers });
    }
}

/// The marker of an object; a stop has no place.
fn shaped(mut marker: Marker, shape: &Shape) -> Option<Marker> {
    match *shape {
        Shape::Sphere { center, radius } => {
            marker.type_ = Marker::SPHERE as i32;
            marker.pose = geometry::Pose { position: point(center.into()), orientation: upright() };
            marker.scale = cube(2.0 * radius);
        }
        Shape::Plane { point: at, normal } => {
            marker.type_ = Marker::CUBE as i32;
            marker.pose = geometry::Pose { position: point(at.into()), orientation: turned(normal.into()) };
            marker.scale = geometry::Vector3 { x: PLATE, y: PLATE, z: 0.001 };
        }
        Shape::Stop { .. } => return None,
    }
    Some(marker)
}

/// Grey without a contact, then from yellow to red.
fn colour(force: f32) -> ColorRGBA {
    if force <= 0.0 {
        return ColorRGBA { r: 0.7, g: 0.7, b: 0.7, a: 0.6 };
    }
    ColorRGBA { r: 1.0, g: 1.0 - (force / STRONG).min(1.0), b: 0.0, a: 1.0 }
}

fn point([x, y, z]: [f64; 3]) -> geometry::Point {
    geometry::Point { x, y, z }
}

fn cube(edge: f64) -> geometry::Vector3 {
    geometry::Vector3 { x: edge, y: edge, z: edge }
}

fn upright() -> geometry::Quaternion {
    geometry::Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 1.0 }
}

/// The orientation whose z is the unit vector `normal`: half of the turn from z to it.
fn turned([x, y, z]: [f64; 3]) -> geometry::Quaternion {
    let length = (x * x + y * y + (1.0 + z) * (1.0 + z)).sqrt();
    if length < 1e-6 {
        return geometry::Quaternion { x: 1.0, y: 0.0, z: 0.0, w: 0.0 }; // straight down
    }
    geometry::Quaternion { x: -y / length, y: x / length, z: 0.0, w: (1.0 + z) / length }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The z axis of an orientation: the third column of its matrix.
    fn axis(q: &geometry::Quaternion) -> [f64; 3] {
        let geometry::Quaternion { x, y, z, w } = *q;
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)]
    }

    #[test]
    fn the_plate_of_a_plane_stands_across_its_normal() {
        for normal in
            [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -0.6, 0.8], [0.48, 0.6, -0.64]]
        {
            let found = axis(&turned(normal));
            let distance: f64 = found.iter().zip(normal).map(|(a, b)| (a - b).powi(2)).sum();
            assert!(distance < 1e-18, "{normal:?} {found:?}");
        }
    }

    #[test]
    fn a_stronger_contact_is_redder() {
        assert_eq!(colour(0.0).r, 0.7);
        assert!(colour(0.1).g > colour(3.0).g && colour(3.0).g > colour(1000.0).g);
        assert_eq!(colour(1000.0).g, 0.0);
    }
}
