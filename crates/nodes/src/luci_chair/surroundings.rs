use r2r::luci_messages::msg::LuciCameraInfo;
use r2r::sensor_msgs::msg::{Image, PointCloud2, PointField};
use ros::{Error, Topic, qos};

use super::topics::header;

/// Clouds without points and black pictures, in LUCI's frames and encodings, so subscribers find the topics.
pub struct Surroundings {
    /// Topics of the clouds, with their frames.
    clouds: Vec<(Topic<PointCloud2>, &'static str)>,
    /// Topics of the depth pictures, with their frames.
    depths: Vec<(Topic<Image>, String)>,
    /// Empty unless the cameras were requested.
    cameras: Vec<Camera>,
}

struct Camera {
    picture: Topic<Image>,
    info: Topic<LuciCameraInfo>,
    frame: String,
}

const CLOUDS: [(&str, &str); 5] = [
    ("camera_points", "base_camera"),
    ("collision_points", "base_camera"),
    ("dropoff_points", "base_camera"),
    ("radar_points", "base_radar"),
    ("ultrasonic_points", "base_ultrasonic"),
];
const SIDES: [&str; 3] = ["left", "right", "rear"];
/// \[pixel\]
const WIDTH: u32 = 8;
const HEIGHT: u32 = 6;

impl Surroundings {
    /// Opens the topics; those of the infra-red cameras only with `cameras`.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, cameras: bool) -> Result<Self, Error> {
        let (mut clouds, mut depths, mut infrared) = (Vec::new(), Vec::new(), Vec::new());
        for (name, frame) in CLOUDS {
            clouds.push((Topic::new(node, &format!("luci/{name}"), qos::command())?, frame));
        }
        for side in SIDES {
            let frame = format!("{side}_depth_camera");
            let topic = Topic::new(node, &format!("luci/depth_{side}_camera"), qos::command())?;
            if cameras {
                infrared.push(Camera {
                    picture: Topic::new(node, &format!("luci/ir_{side}_camera"), qos::command())?,
                    info: Topic::new(node, &format!("luci/{side}_camera_info"), qos::command())?,
                    frame: format!("{side}_camera"),
                });
            }
            depths.push((topic, frame));
        }
        Ok(Self { clouds, depths, cameras: infrared })
    }

    /// Publishes clouds and depth pictures.
    pub fn publish_seen(&mut self) {
        for (topic, frame) in &mut self.clouds {
            topic.publish_if_subscribed(|| cloud(frame));
        }
        for (topic, frame) in &mut self.depths {
            topic.publish_if_subscribed(|| picture(frame, "16UC1", 2));
        }
    }

    /// Publishes infra-red pictures and their camera infos.
    pub fn publish_cameras(&mut self) {
        for Camera { picture: topic, info, frame } in &mut self.cameras {
            topic.publish_if_subscribed(|| picture(frame, "mono8", 1));
            info.publish_if_subscribed(|| camera_info(frame));
        }
    }
}

fn cloud(frame: &str) -> PointCloud2 {
    let field = |(name, offset): (&str, u32)| PointField {
        name: name.into(),
        offset,
        datatype: PointField::FLOAT32 as u8,
        count: 1,
    };
    PointCloud2 {
        header: header(frame),
        height: 1,
        fields: [("x", 0), ("y", 4), ("z", 8)].map(field).to_vec(),
        point_step: 12,
        is_dense: true,
        ..Default::default()
    }
}

/// All zero, which is no measurement in a depth picture; `bytes` of each pixel.
fn picture(frame: &str, encoding: &str, bytes: u32) -> Image {
    Image {
        header: header(frame),
        height: HEIGHT,
        width: WIDTH,
        encoding: encoding.into(),
        step: WIDTH * bytes,
        data: vec![0; (WIDTH * HEIGHT * bytes) as usize],
        ..Default::default()
    }
}

/// The intrinsics of a camera with so few pixels, at the chair's centre and looking ahead.
fn camera_info(frame: &str) -> LuciCameraInfo {
    let (cx, cy) = (WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0);
    LuciCameraInfo { header: header(frame), intrinsics: vec![cx, cx, cx, cy], ..Default::default() }
}
