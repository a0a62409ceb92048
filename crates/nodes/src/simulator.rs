//! Node `simulator`: a small world with a vehicle in it, in place of motors and sensors.

use ::hindbrain::Source;
use r2r::luci_messages::msg::LuciZoneScaling;
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::{JointState, LaserScan, Range};
use r2r::std_msgs::msg::{Bool, Int16};
use r2r::tf2_msgs::msg::TFMessage;
use ros::clock::to_wire;
use ros::{Error, Inputs, Shell, Status, Stop, Topic, qos};
use simulator::{Input, Output, Params, World, specification};

use crate::start::{self, Member};
use crate::{hindbrain, luci_topics, messages};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "simulator";

struct Topics {
    odometry: Topic<Odometry>,
    transforms: Topic<TFMessage>,
    motors: Topic<JointState>,
    scan: Topic<LaserScan>,
    scaling: Topic<LuciZoneScaling>,
    range: Topic<Range>,
    estop: Option<Topic<Bool>>,
}

impl Topics {
    fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        let estop =
            params.publish_estop.then(|| Topic::new(node, Source::Estop.name(), qos::edge())).transpose()?;
        Ok(Self {
            odometry: Topic::new(node, "odom", qos::command())?,
            transforms: Topic::new(node, "/tf", qos::edge())?,
            motors: Topic::new(node, "motor_states", qos::command())?,
            scan: Topic::new(node, "scan", qos::edge())?,
            scaling: Topic::new(node, luci_topics::SCALING, qos::command())?,
            range: Topic::new(node, hindbrain::INFRARED, qos::edge())?,
            estop,
        })
    }

    fn publish(&mut self, output: Output) {
        match output {
            Output::PublishOdometry(odometry) => {
                let message = odometry_message(&odometry);
                self.odometry.publish(&message);
                self.transforms.publish(&messages::transform(&message));
                self.motors.publish(&motor_states(&odometry));
            }
            Output::PublishScan(scan) => self.scan.publish_if_subscribed(|| scan_message(&scan)),
            Output::PublishScaling(fields) => self.scaling.publish(&messages::zone_scaling(&fields)),
            Output::PublishRange(range) => self.range.publish(&range_message(&range)),
            Output::PublishEstop(pressed) => {
                if let Some(estop) = &mut self.estop {
                    estop.publish(&Bool { data: pressed });
                }
            }
        }
    }
}

fn odometry_message(odometry: &simulator::Odometry) -> Odometry {
    let simulator::Pose { x, y, .. } = odometry.pose;
    let pose = [x, y, odometry.pose.heading];
    messages::odometry(pose, [odometry.forward, odometry.turn], odometry.stamp, ["odom", "base_link"])
}

/// The motors turn with their wheels.
fn motor_states(odometry: &simulator::Odometry) -> JointState {
    let mut message = JointState {
        name: vec!["port_motor".into(), "starboard_motor".into()],
        position: odometry.wheels.iter().map(|wheel| wheel.angle).collect(),
        velocity: odometry.wheels.iter().map(|wheel| wheel.speed).collect(),
        ..Default::default()
    };
    message.header.stamp = to_wire(odometry.stamp);
    message
}

fn scan_message(scan: &simulator::Scan) -> LaserScan {
    let mut message = LaserScan {
        angle_min: scan.angle_min,
        angle_max: scan.angle_max,
        angle_increment: scan.angle_increment,
        range_min: scan.range_min,
        range_max: scan.range_max,
        ranges: scan.ranges.to_vec(),
        ..Default::default()
    };
    message.header.stamp = to_wire(scan.stamp);
    message.header.frame_id = "base_link".into();
    message
}

fn range_message(range: &simulator::Range) -> Range {
    let mut message = Range {
        radiation_type: Range::INFRARED as u8,
        field_of_view: range.field_of_view as f32,
        min_range: range.min as f32,
        max_range: range.max as f32,
        range: range.distance as f32,
        ..Default::default()
    };
    message.header.stamp = to_wire(range.stamp);
    message.header.frame_id = range.frame_id.into();
    message
}

fn subscribe(inputs: &mut Inputs<World>, node: &mut r2r::Node) -> Result<(), Error> {
    inputs.subscribe::<Bool>(node, "~/estop_button", qos::edge(), |message| {
        Some(Input::EstopPressed(message.data))
    })?;
    let [port, starboard] = crate::hindbrain::MOTORS;
    inputs
        .subscribe::<Int16>(node, port, qos::commands(), |message| Some(Input::PortReceived(message.data)))?;
    inputs.subscribe::<Int16>(node, starboard, qos::commands(), |message| {
        Some(Input::StarboardReceived(message.data))
    })
}

fn status(world: &World) -> Status {
    Status::of(world.health(), world.report())
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    subscribe(&mut member.inputs, &mut member.node)?;
    let shell = Shell::new(World::new(member.params.clone()), Some(Input::ClockRead), move |output| {
        topics.publish(output)
    });
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    start::run(runner.status(status), stop, &shell, [Input::Stopping])
}
