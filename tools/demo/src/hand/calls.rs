use futures::FutureExt;
use haptix::MAX;
use params::Value;
use r2r::haptix_msgs::msg::{Command, GraspValue, Result as Outcome};
use r2r::haptix_msgs::srv::{Reset, SetGrasp, Update};
use r2r::rcl_interfaces::msg::{Parameter, ParameterValue};
use r2r::rcl_interfaces::srv::SetParametersAtomically;
use r2r::{Client, Node};
use ros::Error;

use crate::calls::{Caller, Pending, Services, client, found};
use crate::hand::commander::CAP;
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

/// Answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It was accepted.
    Accepted,
    /// It was accepted: the grasp moves the motors to these positions \[rad\].
    Grasps(Box<[f32; MAX]>),
    /// It was refused, with a reason.
    Refused(String),
    /// It cannot be answered.
    Silent,
}

/// The motor whose position is NaN in a wrong command: one of the wrist, which no grasp moves.
const WRONG: usize = 2;
/// The positions of the others in it, which are seen if they are taken \[rad\].
const ELSEWHERE: f32 = 0.5;

/// The clients of the node's services.
pub struct Clients {
    update: Client<Update::Service>,
    grasp: Client<SetGrasp::Service>,
    reset: Client<Reset::Service>,
    parameters: Client<SetParametersAtomically::Service>,
    motor_count: usize,
    ball: Vec<(String, Value)>,
}

impl Call {
    /// The name of the service.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Cap | Self::WrongCommand => "update",
            Self::Grasp(..) => "set_grasp",
            Self::Ball(_) => "set_parameters_atomically",
            Self::Reset => "reset",
        }
    }
}

impl Clients {
    /// A caller of the services of the node in the same namespace.
    /// # Errors
    /// The middleware refuses a client.
    pub fn caller(node: &mut Node, device: &Device) -> Result<Caller<Self>, Error> {
        let name = |service: &str| format!("{}/{service}", nodes::haptix::NAME);
        let update = client(node, &name("update"))?;
        let grasp = client(node, &name("set_grasp"))?;
        let reset = client(node, &name("reset"))?;
        let parameters = client(node, &name("set_parameters_atomically"))?;
        let all = [found(&update)?, found(&grasp)?, found(&reset)?, found(&parameters)?];
        let (motor_count, ball) = (device.motor_count, device.ball_parameters.clone());
        Ok(Caller::new(Self { update, grasp, reset, parameters, motor_count, ball }, all))
    }
}

impl Services for Clients {
    type Call = Call;
    type Answer = Answer;
    const SILENT: Answer = Answer::Silent;

    fn request(&self, call: Call) -> r2r::Result<Pending<Answer>> {
        Ok(match call {
            Call::Cap => self.update(cap(self.motor_count))?,
            Call::WrongCommand => self.update(wrong(self.motor_count))?,
            Call::Grasp(name, value) => {
                let grasps = vec![GraspValue { name, value }];
                let answer = self.grasp.request(&SetGrasp::Request { grasps })?;
                Box::pin(answer.map(|answer| {
                    answer.map_or(Answer::Silent, |answer| {
                        let goal = Answer::Grasps(Box::new(padded(&answer.command.ref_pos)));
                        outcome(answer.result, goal)
                    })
                }))
            }
            Call::Ball(is_there) => {
                let request = SetParametersAtomically::Request { parameters: self.ball(is_there) };
                let answer = self.parameters.request(&request)?;
                Box::pin(answer.map(|answer| match answer {
                    Ok(answer) if answer.result.successful => Answer::Accepted,
                    Ok(answer) => Answer::Refused(answer.result.reason),
                    Err(_) => Answer::Silent,
                }))
            }
            Call::Reset => {
                let answer = self.reset.request(&Reset::Request { reset_limb_pose: true })?;
                Box::pin(answer.map(|answer| {
                    answer.map_or(Answer::Silent, |answer| outcome(answer.result, Answer::Accepted))
                }))
            }
        })
    }
}

impl Clients {
    fn update(&self, command: Command) -> r2r::Result<Pending<Answer>> {
        let answer = self.update.request(&Update::Request { command, wait_for_tick: false })?;
        Ok(Box::pin(
            answer.map(|answer| {
                answer.map_or(Answer::Silent, |answer| outcome(answer.result, Answer::Accepted))
            }),
        ))
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

fn outcome(result: Outcome, accepted: Answer) -> Answer {
    if result.code == Outcome::OK as u8 { accepted } else { Answer::Refused(result.message) }
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
