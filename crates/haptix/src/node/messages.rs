use safety::{ClockReading, Instant, PublisherCount, PublisherId, Stamp, StateSample, StatesMessage};

use crate::device::DeviceError;
use crate::device_loop::{Order, Reading, Settings};
use crate::grasps::GraspValue;
use crate::state::State;
use crate::wire::{Command, Description, RobotInfo, Sensor};

/// Everything that can happen to the node. `id` is the caller's and comes back with the answer.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // id, command, grasps, topic, count: see the variants
pub enum Input {
    /// A command was received on the topic; `at` is when, which may be before now.
    CommandReceived { command: Box<Command>, at: Instant },
    /// A command was given in a call that also reads: at once, or after the next tick.
    UpdateRequested { id: u64, command: Box<Command>, wait_for_tick: bool },
    /// A reading was requested.
    ReadRequested { id: u64 },
    /// Counts, ranges and names of the hand's parts were requested.
    InfoRequested { id: u64 },
    /// Grasps were set; none to leave the grasp mode.
    GraspRequested { id: u64, grasps: Vec<GraspValue> },
    /// A reset was requested, with or without the pose of the hand.
    ResetRequested { id: u64, reset_limb_pose: bool },
    /// A reset that ends the halt by the vehicle was requested.
    MotorsResetRequested { id: u64 },
    /// The state of the vehicle was received, as hindbrain publishes it.
    VehicleStateReceived(String),
    /// The publishers of the state of the vehicle were read; `None` if they cannot be. Expected before each
    /// [`VehicleStateReceived`](Self::VehicleStateReceived), after the message was received.
    VehiclePublishersCounted(Option<Vec<PublisherId>>),
    /// Parameters were changed.
    ParametersChanged(Box<Settings>),
    /// The device gave a reading.
    DeviceStepped(Box<Reading>),
    /// The device failed.
    DeviceFailed(DeviceError),
    /// States of the robot arrived.
    StatesReceived(StatesMessage),
    /// The publishers of a topic on which one is expected were counted.
    PublishersCounted { topic: String, count: PublisherCount },
    /// Whether a node subscribes to the robot's commands changed.
    CommandsSubscribed(bool),
    /// The clock of stamps was read.
    ClockRead(ClockReading),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node ends.
    Stopping,
}

/// Everything that the node does.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Pass this to the device's loop.
    Order(Box<Order>),
    /// Answer the call.
    Answer(u64, Answer),
    /// Pass states of the robot to its device.
    PassStates(Box<StateSample>),
    /// Command the robot to stay where it is, at once and beside the device's loop: the loop commands nothing if it holds already, if the
    /// states are lost before its next tick, or if the node ends before it.
    Stay {
        /// Nothing is commanded after it, since the node ends.
        is_last: bool,
    },
    /// Publish a reading with what is derived from it; the stamp is that of the wall clock when it was taken.
    PublishReading(Box<Reading>, Stamp),
    /// Publish the state; it changed.
    PublishState(State),
    /// Log a warning.
    Warn(String),
    /// Log an information.
    Inform(String),
}

/// The answer of a call. An error is a text, and nothing was changed; HAPTIX has code 1 for it, and 0 otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Answer to an update; the latest reading comes also with an error.
    Update(Result<(), String>, Box<Sensor>),
    /// Answer to a request for a reading.
    Read(Result<Box<Sensor>, String>),
    /// Answer to a request for the counts, ranges and names of the hand's parts.
    Info(Result<Box<(RobotInfo, Description)>, String>),
    /// The command that the grasps amount to.
    Grasp(Result<Box<Command>, String>),
    /// Answer to a reset.
    Reset(Result<(), String>),
    /// Answer to a reset that ends the halt by the vehicle; it is an error if the hand stays halted.
    MotorsReset(Result<(), String>),
}
