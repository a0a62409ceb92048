use chair::{ChairInput, Encoders, ImuFields, Input, Params, Side};
use r2r::luci_messages::msg as luci;
use r2r::std_msgs::msg::Int32;
use ros::{Error, Inputs, clock, qos};
use safety::PublisherCount;

use crate::{command_topic, luci_topics, messages, zone_scaler};

/// Subscribes to the chair's own topics first, then to the command.
///
/// LUCI's node publishes reliably. The topics that show the input source and the wheel angles are subscribed to reliably: a
/// lost message would look like a chair that stops publishing, and a lost wheel angle would be a gap in the odometry. Other
/// measurements may be best effort.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe(
    inputs: &mut Inputs<chair::Chair>,
    node: &mut r2r::Node,
    params: &Params,
) -> Result<(), Error> {
    inputs.subscribe::<luci::LuciJoystick>(node, luci_topics::JOYSTICK_POSITION, qos::edge(), |message| {
        Some(ChairInput::PositionReceived(messages::joystick(&message)))
    })?;
    inputs.subscribe::<luci::LuciJoystickScaling>(
        node,
        luci_topics::JOYSTICK_SCALING,
        qos::edge(),
        |message| Some(ChairInput::ScalingReceived(message.input_source)),
    )?;
    inputs.subscribe::<Int32>(node, luci_topics::PROFILE, qos::state(), |message| {
        Some(ChairInput::Remote(Input::ProfileReceived(message.data)))
    })?;
    // The topics that show the chair's state.
    for (topic, input) in [
        (luci_topics::JOYSTICK_POSITION, Input::PositionPublishersCounted as fn(PublisherCount) -> Input),
        (luci_topics::JOYSTICK_SCALING, Input::ScalingPublishersCounted),
        (luci_topics::PROFILE, Input::ProfilePublishersCounted),
    ] {
        inputs.expect_one_publisher(topic, move |count| ChairInput::Remote(input(count)));
    }
    inputs.subscribe::<luci::LuciEncoders>(node, "luci/encoders", qos::edge(), |message| {
        Some(ChairInput::EncodersReceived(Encoders {
            left_angle: message.left_angle,
            right_angle: message.right_angle,
            edge_timestamp: message.edge_timestamp,
            stamp: clock::from_wire(&message.header.stamp),
        }))
    })?;
    inputs.subscribe::<luci::LuciImu>(node, "luci/imu", qos::sensor(), |message| {
        let stamp = clock::from_wire(&message.header.stamp);
        Some(ChairInput::ImuReceived(imu_fields(&message), stamp))
    })?;
    for side in Side::ALL {
        let topic = format!("luci/{}_camera_info", side.name());
        inputs.subscribe::<luci::LuciCameraInfo>(node, &topic, qos::sensor(), move |message| {
            let stamp = clock::from_wire(&message.header.stamp);
            // The message type has four of them always; its Rust type has any number.
            let intrinsics = message.intrinsics.as_slice().try_into().ok()?;
            Some(ChairInput::CameraReceived { side, stamp, frame: message.header.frame_id, intrinsics })
        })?;
    }
    let topic = zone_scaler::COMMAND;
    command_topic::subscribe(inputs, node, topic, params.node.stamped, |command| {
        ChairInput::Remote(match command {
            Ok(command) => Input::CommandReceived(command),
            Err(error) => Input::CommandRefused(error),
        })
    })?;
    inputs.expect_one_publisher(topic, |count| ChairInput::Remote(Input::PublishersCounted(count)));
    Ok(())
}

fn imu_fields(message: &luci::LuciImu) -> ImuFields {
    let m = message;
    ImuFields {
        quaternion: [m.quaternion_x, m.quaternion_y, m.quaternion_z, m.quaternion_w],
        accelerometer: [m.accelerometer_x, m.accelerometer_y, m.accelerometer_z],
    }
}
