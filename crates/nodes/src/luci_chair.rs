//! Node `interface`, executable `luci_chair`: a simulated LUCI wheelchair for tests.
//!
//! | file | idea |
//! |---|---|
//! | `topics` | what it publishes |
//! | `surroundings` | empty clouds, pictures and camera infos |

mod surroundings;
mod topics;

use chair::Service;
use luci_chair::{Input, LuciChair, Params, specification};
use r2r::QosProfile;
use r2r::luci_messages::msg as luci;
use r2r::nav_msgs::msg::Odometry;
use r2r::std_msgs::msg::{Bool, Int32};
use r2r::std_srvs::srv::{Empty, SetBool};
use ros::{Error, Inputs, Runner, Shell, Status, Stop, qos};

use self::topics::Topics;
use crate::messages;
use crate::start::{self, Member};

/// The executable's name. The node and its key in a YAML file are called `interface`, as LUCI's node is.
pub const NAME: &str = "luci_chair";

fn status(chair: &LuciChair) -> Status {
    Status::of(chair.health(), chair.report())
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    subscribe(&mut member.inputs, &mut member.node)?;
    let shell = Shell::new(LuciChair::new(member.params), None, move |output| topics.publish(output));
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    let runner = serve(runner.status(status))?;
    start::run(runner, stop, &shell, [Input::Stopping])
}

/// Subscribes to the remote joystick as LUCI's node does, and to the test's inputs.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe(inputs: &mut Inputs<LuciChair>, node: &mut r2r::Node) -> Result<(), Error> {
    let one: fn() -> QosProfile = || QosProfile::default().reliable().volatile().keep_last(1);
    inputs.subscribe::<luci::LuciJoystick>(node, "luci/remote_joystick", one(), |message| {
        Some(Input::RemoteReceived(messages::joystick(&message)))
    })?;
    inputs.subscribe::<luci::LuciJoystick>(node, "~/stick", qos::commands(), |message| {
        Some(Input::StickMoved(message.forward_back, message.left_right))
    })?;
    inputs.subscribe::<luci::LuciZoneScaling>(node, "~/scaling", qos::sensor(), |message| {
        Some(Input::ScalingGiven(messages::zone_fields(&message)))
    })?;
    inputs.subscribe::<Odometry>(node, "~/odom", qos::sensor(), |message| {
        let twist = &message.twist.twist;
        Some(Input::BaseMeasured(twist.linear.x, twist.angular.z))
    })?;
    inputs.subscribe::<Int32>(node, "~/profile", qos::edge(), |message| {
        Some(Input::ProfileSelected(message.data))
    })?;
    inputs.subscribe::<Int32>(node, "~/speed_setting", qos::edge(), |message| {
        Some(Input::SpeedSelected(message.data))
    })?;
    inputs.subscribe::<Bool>(node, "~/override_button", qos::edge(), |message| {
        Some(Input::OverridePressed(message.data))
    })
}

/// Serves LUCI's six services and the three faults.
/// # Errors
/// The middleware refuses a service.
pub fn serve(mut runner: Runner<LuciChair>) -> Result<Runner<LuciChair>, Error> {
    for service in Service::ALL {
        runner = runner.service::<Empty::Service>(service.name(), move |_, context| {
            context.shell().deliver(Input::ServiceCalled(service));
            Some(Empty::Response {})
        })?;
    }
    let switch = |runner: Runner<LuciChair>, name: &str, make: fn(bool) -> Input| {
        runner.service::<SetBool::Service>(name, move |request, context| {
            context.shell().deliver(make(request.data));
            Some(SetBool::Response { success: true, message: String::new() })
        })
    };
    runner = switch(runner, "~/refuse_services", Input::ServicesRefused)?;
    runner = switch(runner, "~/halt_streams", Input::StreamsHalted)?;
    runner.service::<Empty::Service>("~/end_mode", |_, context| {
        context.shell().deliver(Input::ModeEnded);
        Some(Empty::Response {})
    })
}
