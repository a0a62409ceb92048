use core::fmt;

use haptix::MAX;
use params::Value;
use r2r::haptix_msgs::msg::{Command, GraspValue, Result as Outcome};
use r2r::haptix_msgs::srv::{Reset, SetGrasp, Update};
use r2r::rcl_interfaces::msg::{Parameter, ParameterValue};
use r2r::rcl_interfaces::srv::SetParametersAtomically;
use r2r::{Client, Node};
use ros::Error;

use crate::calls::{self, Answer, Caller, Failure, Pending, ask};
use crate::hand::device::{Device, SHAPE};

/// A call of one of the node's services.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Cap the speed of all motors.
    Cap,
    /// Move the fingers by a named grasp: 0 open, 1 closed.
    Grasp(String, f32),
    /// Command positions of all motors, one of which is NaN.
    WrongCommand,
    /// Add the ball, or remove it.
    Ball(bool),
    /// Bring the hand back to its start.
    Reset,
}

/// The cap on the speed of each motor \[rad/s\].
pub const CAP: f32 = 3.0;
/// The motor whose position is NaN in a wrong command: one of the wrist, which no grasp moves.
const WRONG: usize = 2;
/// The positions of the others in it, which are seen if they are taken \[rad\].
const ELSEWHERE: f32 = 0.5;

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cap | Self::WrongCommand => "update",
            Self::Grasp(..) => "set_grasp",
            Self::Ball(_) => "set_parameters_atomically",
            Self::Reset => "reset",
        })
    }
}

/// The clients of the node's services.
pub struct Services {
    update: Client<Update::Service>,
    grasp: Client<SetGrasp::Service>,
    reset: Client<Reset::Service>,
    parameters: Client<SetParametersAtomically::Service>,
    motor_count: usize,
    ball: Vec<(String, Value)>,
}

impl Services {
    /// A caller of the services of the node in the same namespace.
    /// # Errors
    /// The middleware refuses a client.
    pub fn caller(node: &mut Node, device: &Device) -> Result<Caller<Self>, Error> {
        let name = |service: &str| format!("{}/{service}", nodes::haptix::NAME);
        Caller::new(node, |clients| {
            Ok(Self {
                update: clients.of(&name("update"))?,
                grasp: clients.of(&name("set_grasp"))?,
                reset: clients.of(&name("reset"))?,
                parameters: clients.of(&name("set_parameters_atomically"))?,
                motor_count: device.motor_count,
                ball: device.ball_parameters.clone(),
            })
        })
    }

    fn update(&self, command: Command) -> r2r::Result<Pending<Answer<()>>> {
        let request = Update::Request { command, wait_for_tick: false };
        ask(&self.update, &request, |answer| outcome(answer.result))
    }

    /// The parameters that add the ball; or without a value the one whose deletion removes it.
    fn ball(&self, is_there: bool) -> Vec<Parameter> {
        if !is_there {
            return vec![Parameter { name: SHAPE.into(), value: ParameterValue::default() }];
        }
        let each = self.ball.iter();
        each.map(|(name, value)| Parameter { name: name.clone(), value: ros::parameter_message(value) })
            .collect()
    }
}

impl calls::Services for Services {
    type Call = Call;
    type Value = ();

    fn request(&self, call: Call) -> r2r::Result<Pending<Answer<()>>> {
        match call {
            Call::Cap => self.update(cap(self.motor_count)),
            Call::WrongCommand => self.update(wrong(self.motor_count)),
            Call::Grasp(name, value) => {
                let request = SetGrasp::Request { grasps: vec![GraspValue { name, value }] };
                ask(&self.grasp, &request, |answer| outcome(answer.result))
            }
            Call::Ball(is_there) => {
                let request = SetParametersAtomically::Request { parameters: self.ball(is_there) };
                ask(&self.parameters, &request, |answer| match answer.result {
                    result if result.successful => Ok(()),
                    result => Err(Failure::Refused(result.reason)),
                })
            }
            Call::Reset => {
                ask(&self.reset, &Reset::Request { reset_limb_pose: true }, |answer| outcome(answer.result))
            }
        }
    }
}

fn outcome(result: Outcome) -> Answer<()> {
    if result.code == Outcome::OK as u8 { Ok(()) } else { Err(Failure::Refused(result.message)) }
}

/// A command that caps the speed of all motors.
pub fn cap(motor_count: usize) -> Command {
    Command { ref_vel_max: values(motor_count, |_| CAP), ref_vel_max_enabled: true, ..Command::default() }
}

/// A command of positions, one of which is NaN.
fn wrong(motor_count: usize) -> Command {
    let position = |motor: usize| if motor == WRONG { f32::NAN } else { ELSEWHERE };
    Command { ref_pos: values(motor_count, position), ref_pos_enabled: true, ..Command::default() }
}

/// As many values as a message has, with zeros beyond the motors.
fn values(motor_count: usize, value: impl Fn(usize) -> f32) -> Vec<f32> {
    (0..MAX).map(|motor| if motor < motor_count { value(motor) } else { 0.0 }).collect()
}

/// As many values as a device has at most.
pub fn padded(values: &[f32]) -> [f32; MAX] {
    core::array::from_fn(|index| values.get(index).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_command_has_one_nan_among_values_that_would_be_seen() {
        let Command { ref_pos, ref_pos_enabled, .. } = wrong(13);
        assert!(ref_pos_enabled && ref_pos.len() == MAX && ref_pos[WRONG].is_nan());
        assert_eq!(ref_pos.iter().filter(|value| **value == ELSEWHERE).count(), 12);
        assert_eq!(ref_pos.iter().filter(|value| **value == 0.0).count(), MAX - 13);
    }

    #[test]
    fn the_cap_is_for_the_motors_only() {
        let command = cap(2);
        assert_eq!((&command.ref_vel_max[..3], command.ref_vel_max_enabled), (&[CAP, CAP, 0.0][..], true));
        assert!(!command.ref_pos_enabled);
        assert_eq!([command.ref_pos.len(), command.ref_vel_max.len()], [MAX; 2]);
    }
}
