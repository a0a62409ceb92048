//! Pictures as `visualization_msgs/MarkerArray`.

use pictures::{Colour, LIFETIME, Marker, Shape};
use r2r::builtin_interfaces::msg::Duration as WireDuration;
use r2r::geometry_msgs::msg as geometry;
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{Marker as WireMarker, MarkerArray};
use ros::clock;
use ros::clock::to_wire;
use safety::Stamp;

/// `markers` as a message of now; those without a frame of their own are in `frame`.
pub fn message(markers: Vec<Marker>, frame: &str) -> MarkerArray {
    let stamp = clock::stamp();
    MarkerArray { markers: markers.into_iter().map(|marker| wire(marker, frame, stamp)).collect() }
}

fn wire(marker: Marker, frame: &str, stamp: Stamp) -> WireMarker {
    let action = if marker.visible { WireMarker::ADD as i32 } else { WireMarker::DELETE as i32 };
    let mut message = WireMarker {
        header: Header { stamp: to_wire(stamp), frame_id: marker.frame.unwrap_or_else(|| frame.into()) },
        ns: marker.namespace.into(),
        id: marker.id,
        action,
        pose: pose([0.0; 3]),
        frame_locked: true, // by the newest transform: one of this time is not published yet
        lifetime: WireDuration { sec: LIFETIME.as_secs() as i32, nanosec: LIFETIME.subsec_nanos() },
        ..WireMarker::default()
    };
    if !marker.visible {
        return message; // only its name counts
    }
    match marker.shape {
        Shape::Triangles { points, colours } => {
            message.type_ = WireMarker::TRIANGLE_LIST as i32;
            message.scale = vector([1.0; 3]);
            message.color = colour(Colour::TEXT); // of no effect where each point has its own, but not invisible
            message.points = points.into_iter().map(point).collect();
            message.colors = colours.into_iter().map(colour).collect();
        }
        Shape::Arrow { from, to, scale, colour: of } => {
            message.type_ = WireMarker::ARROW as i32;
            message.scale = vector(scale);
            message.color = colour(of);
            message.points = [from, to].map(point).into();
        }
        Shape::Line { points, width, colour: of } => {
            message.type_ = WireMarker::LINE_STRIP as i32;
            message.scale = vector([width, 0.0, 0.0]);
            message.color = colour(of);
            message.points = points.into_iter().map(point).collect();
        }
        Shape::Ball { at, diameter, colour: of } => {
            message.type_ = WireMarker::SPHERE as i32;
            message.pose = pose(at);
            message.scale = vector([diameter; 3]);
            message.color = colour(of);
        }
        Shape::Text { at, height, text, colour: of } => {
            message.type_ = WireMarker::TEXT_VIEW_FACING as i32;
            message.pose = pose(at);
            message.scale = vector([0.0, 0.0, height]);
            message.color = colour(of);
            message.text = text;
        }
    }
    message
}

fn pose(at: [f64; 3]) -> geometry::Pose {
    let upright = geometry::Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };
    geometry::Pose { position: point(at), orientation: upright }
}

fn point([x, y, z]: [f64; 3]) -> geometry::Point {
    geometry::Point { x, y, z }
}

fn vector([x, y, z]: [f64; 3]) -> geometry::Vector3 {
    geometry::Vector3 { x, y, z }
}

fn colour(of: Colour) -> ColorRGBA {
    ColorRGBA { r: of.red, g: of.green, b: of.blue, a: of.alpha }
}
