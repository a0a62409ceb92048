//! Node `surround`: LUCI's zone scaling from scans and clouds, for vehicles without LUCI.

use std::borrow::Cow;

use ::surround::{Cloud, Field, Input, Kind, Output, Params, Scan, Sensor, Surround, specification};
use pictures::{Blind, Pace};
use r2r::luci_messages::msg::LuciZoneScaling;
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::{LaserScan, PointCloud2};
use r2r::visualization_msgs::msg::MarkerArray;
use ros::clock::from_wire;
use ros::{Error, Inputs, Shell, Status, Stop, Topic, clock, qos};

use crate::start::{self, Member};
use crate::{luci_topics, markers, messages};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "surround";

fn publish(topic: &mut Topic<LuciZoneScaling>, output: Output) {
    match output {
        Output::Publish(fields) => topic.publish(&messages::zone_scaling(&fields)),
    }
}

/// A scan as the machine's type. The ranges are moved, not copied: r2r made them for this message alone.
fn scan(message: LaserScan) -> Scan<'static> {
    Scan {
        frame: Cow::Owned(message.header.frame_id),
        angle_min: message.angle_min.into(),
        angle_increment: message.angle_increment.into(),
        range_min: message.range_min.into(),
        ranges: Cow::Owned(message.ranges),
    }
}

/// A cloud as the machine's type. The data is moved, not copied.
fn cloud(message: PointCloud2) -> Cloud<'static> {
    let field = |name| {
        let found = message.fields.iter().find(|field| field.name == name)?;
        Some(Field { offset: found.offset, datatype: found.datatype })
    };
    Cloud {
        fields: ["x", "y", "z"].map(field),
        frame: Cow::Owned(message.header.frame_id),
        width: message.width,
        height: message.height,
        point_step: message.point_step,
        row_step: message.row_step,
        is_bigendian: message.is_bigendian,
        data: Cow::Owned(message.data),
    }
}

fn subscribe(inputs: &mut Inputs<Surround>, node: &mut r2r::Node, sensors: &[Sensor]) -> Result<(), Error> {
    for (sensor, Sensor { topic, kind, .. }) in sensors.iter().enumerate() {
        match kind {
            Kind::Scan => inputs.subscribe::<LaserScan>(node, topic, qos::sensor(), move |message| {
                let stamp = from_wire(&message.header.stamp);
                Some(Input::ScanReceived { sensor, stamp, scan: scan(message) })
            })?,
            Kind::Cloud => inputs.subscribe::<PointCloud2>(node, topic, qos::sensor(), move |message| {
                let stamp = from_wire(&message.header.stamp);
                Some(Input::CloudReceived { sensor, stamp, cloud: cloud(message) })
            })?,
        }
        inputs.expect_one_publisher(topic, move |count| Input::PublishersCounted { sensor, count });
    }
    inputs.subscribe::<Odometry>(node, "odom", qos::sensor(), |message| {
        let stamp = from_wire(&message.header.stamp);
        Some(match messages::velocity(&message.twist.twist) {
            Ok(velocity) => Input::VelocityReceived { velocity, stamp },
            Err(error) => Input::VelocityRefused(error),
        })
    })?;
    inputs.expect_one_publisher("odom", Input::VelocityPublishersCounted);
    Ok(())
}

/// The bearings that count as blocked although nothing is measured there, on `~/markers`: drawn and published without the machine's lock.
struct Picture {
    topic: Topic<MarkerArray>,
    pace: Pace<Vec<Blind>>,
}

impl Picture {
    fn draw(&mut self, shell: &Shell<Surround>) {
        let now = clock::now();
        if !self.pace.is_time(now) || !self.topic.has_subscribers() {
            return;
        }
        let (found, footprint) = shell.inspect(|surround| (surround.blind(), surround.params().footprint));
        let blind = found.into_iter().map(|one| Blind { bearings: one.bearings, why: one.why }).collect();
        if self.pace.is_due(now, &blind) {
            let drawn = pictures::blind_markers(&blind, footprint.corner());
            self.topic.publish(&markers::message(drawn, messages::FRAME));
        }
    }
}

fn status(surround: &Surround) -> Status {
    Status::of(surround.health(), surround.report())
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut scaling = Topic::new(&mut member.node, luci_topics::SCALING, qos::command())?;
    subscribe(&mut member.inputs, &mut member.node, &member.params.sensors)?;
    let mut picture =
        Picture { topic: Topic::new(&mut member.node, "~/markers", qos::command())?, pace: Pace::default() };
    let surround = Surround::new(member.params.clone());
    let shell = Shell::new(surround, Some(Input::ClockRead), move |output| publish(&mut scaling, output));
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    let drawn = shell.clone();
    let runner = runner.status(status).log_levels().task(move |_| picture.draw(&drawn));
    start::run(runner.sleep_longer_at_rest(), stop, &shell, [Input::Stopping])
}

#[cfg(test)]
mod tests {
    use r2r::sensor_msgs::msg::PointField;

    use super::*;

    #[test]
    fn what_a_sensor_measured_is_moved_and_not_copied() {
        let message = LaserScan { ranges: vec![1.0; 360], range_min: 0.5, ..LaserScan::default() };
        let ranges = message.ranges.as_ptr();
        let scan = scan(message);
        assert_eq!((scan.ranges.as_ptr(), scan.ranges.len(), scan.range_min), (ranges, 360, 0.5));

        let field = |name: &str, offset| PointField { name: name.into(), offset, datatype: 7, count: 1 };
        let fields = vec![field("intensity", 0), field("z", 12), field("x", 4)];
        let message = PointCloud2 { data: vec![1; 32], fields, point_step: 16, ..PointCloud2::default() };
        let data = message.data.as_ptr();
        let cloud = cloud(message);
        assert_eq!((cloud.data.as_ptr(), cloud.data.len(), cloud.point_step), (data, 32, 16));
        let at = |offset| Some(Field { offset, datatype: 7 });
        assert_eq!(cloud.fields, [at(4), None, at(12)], "a field is found by its name");
    }
}
