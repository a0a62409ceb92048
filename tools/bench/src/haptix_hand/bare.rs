//! A bare r2r node with the messages of a hand and no hand.

use std::time::Duration;

use futures::{FutureExt, StreamExt};
use r2r::haptix_msgs::msg::{Command, Sensor};
use r2r::haptix_msgs::srv::Update;
use ros::{Error, Node, qos};

use crate::baseline;
use crate::incoming::Incoming;

/// Its namespace.
pub const BARE: &str = "/bench/bare_hand";
/// The longest sleep: it must notice a request to end.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Answers each update at once with a reading, and publishes one for each command; motor 0 is where the command wants it.
/// # Errors
/// The middleware refuses something.
pub fn serve_bare() -> Result<(), Error> {
    let stop = baseline::on_signals()?;
    let mut node = Node::new(&ros::context()?, "bench_bare_hand")?;
    let name = format!("{BARE}/update");
    let requests =
        node.create_service::<Update::Service>(&name, qos::requests()).map_err(Error::ros("serve"))?;
    let mut requests = Box::pin(requests);
    let mut commands = Incoming::<Command>::new(&mut node, &format!("{BARE}/command"), qos::commands())?;
    let readings = node
        .create_publisher(&format!("{BARE}/sensor"), r2r::QosProfile::sensor_data())
        .map_err(Error::ros("publish readings"))?;
    while !stop.is_set() {
        node.spin_once(LONGEST_SLEEP);
        while let Some(Some(request)) = requests.next().now_or_never() {
            let sensor = reading(&request.message.command);
            let answer = Update::Response { sensor, ..Update::Response::default() };
            request.respond(answer).map_err(Error::ros("answer"))?;
        }
        while let Some(command) = commands.take() {
            readings.publish(&reading(&command)).map_err(Error::ros("publish a reading"))?;
        }
    }
    Ok(())
}

fn reading(command: &Command) -> Sensor {
    let mut sensor = Sensor::default();
    sensor.motor_pos.clone_from(&command.ref_pos);
    sensor
}
