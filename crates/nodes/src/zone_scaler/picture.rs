use r2r::builtin_interfaces::msg::Duration as WireDuration;
use r2r::geometry_msgs::msg as geometry;
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{Marker as WireMarker, MarkerArray};
use ros::clock::to_wire;
use ros::{Error, Shell, Topic, clock, qos};
use safety::{Contains, Stamp};
use zone_pictures::{Colour, Marker, Pace, Shape, Snapshot, markers};
use zones::ZoneScaler;

/// The picture of the zones on `~/markers`, drawn from the machine's state and published without its lock: it is no output of the machine,
/// so no command waits for it.
pub struct Picture {
    topic: Topic<MarkerArray>,
    pace: Pace,
}

impl Picture {
    /// Opens the topic.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        Ok(Self { topic: Topic::new(node, "~/markers", qos::command())?, pace: Pace::default() })
    }

    /// Publishes the picture of the scaler in `shell` if it is due and the topic has a subscriber.
    pub fn draw<M: Contains<ZoneScaler>>(&mut self, shell: &Shell<M>) {
        let now = clock::now();
        if !self.pace.is_time(now) || !self.topic.has_subscribers() {
            return;
        }
        let due = shell.inspect(|machine| {
            let scaler = machine.stage();
            let snapshot = Snapshot::of(scaler);
            self.pace.is_due(now, &snapshot).then(|| (snapshot, scaler.params().markers.clone()))
        });
        // Drawn and published without the machine's lock: no command waits for a picture.
        if let Some((snapshot, place)) = due {
            let stamp = clock::stamp();
            let markers = markers(&snapshot, place.radius);
            let markers = markers.into_iter().map(|marker| message(marker, &place.frame, stamp)).collect();
            self.topic.publish(&MarkerArray { markers });
        }
    }
}

fn message(marker: Marker, frame: &str, stamp: Stamp) -> WireMarker {
    let action = if marker.visible { WireMarker::ADD as i32 } else { WireMarker::DELETE as i32 };
    let mut message = WireMarker {
        header: Header { stamp: to_wire(stamp), frame_id: frame.into() },
        ns: "zones".into(),
        id: marker.id,
        action,
        pose: pose([0.0; 3]),
        lifetime: WireDuration {
            sec: Pace::LIFETIME.as_secs() as i32,
            nanosec: Pace::LIFETIME.subsec_nanos(),
        },
        ..WireMarker::default()
    };
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
