use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use haptix::{Answer, Haptix, Input};
use r2r::haptix_msgs::srv::{GetRobotInfo, ReadSensors, Reset, SetGrasp, Update};
use r2r::std_srvs::srv::Trigger;
use ros::panics::lock;
use ros::{Error, Runner, Shell};

use super::messages;

/// The calls that are not answered yet.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Open>>);

/// Sends the answer to a call.
type Reply = Box<dyn FnOnce(Answer) + Send>;

#[derive(Default)]
struct Open {
    last: u64,
    replies: BTreeMap<u64, Reply>,
}

impl Calls {
    /// Sends `answer` to the caller of `id`.
    pub(super) fn answer(&self, id: u64, answer: Answer) {
        let reply = self.lock().replies.remove(&id);
        if let Some(reply) = reply {
            reply(answer);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        lock(&self.0)
    }

    /// Passes a call to the machine, which answers with [`answer`](Self::answer).
    fn pass(
        &self,
        shell: &Shell<Haptix>,
        input: impl FnOnce(u64) -> Input,
        reply: impl FnOnce(Answer) + Send + 'static,
    ) {
        let mut open = self.lock();
        open.last += 1;
        let id = open.last;
        open.replies.insert(id, Box::new(reply));
        drop(open);
        shell.deliver(input(id));
    }
}

/// Makes `runner` answer the services of HAPTIX, and with `obeys_vehicle` the one that ends a halt; the names of frames have `prefix`.
pub(super) fn serve(
    runner: Runner<Haptix>,
    calls: &Calls,
    prefix: String,
    obeys_vehicle: bool,
) -> Result<Runner<Haptix>, Error> {
    let [update, read, info, grasp, reset] = [(); 5].map(|()| calls.clone());
    let runner = runner
        .deferred_service::<Update::Service>("~/update", move |request, reply, shell| {
            let command = Box::new(messages::command(&request.command));
            let wait_for_tick = request.wait_for_tick;
            let input = |id| Input::UpdateRequested { id, command, wait_for_tick };
            update.pass(shell, input, |answer| {
                if let Answer::Update(outcome, sensor) = answer {
                    let sensor = messages::sensor(&sensor);
                    reply.send(Update::Response { result: messages::result(&outcome), sensor });
                }
            });
        })?
        .deferred_service::<ReadSensors::Service>("~/read_sensors", move |_, reply, shell| {
            read.pass(
                shell,
                |id| Input::ReadRequested { id },
                |answer| {
                    if let Answer::Read(outcome) = answer {
                        let result = messages::result(&outcome);
                        let sensor = messages::sensor(&outcome.unwrap_or_default());
                        reply.send(ReadSensors::Response { result, sensor });
                    }
                },
            );
        })?
        .deferred_service::<GetRobotInfo::Service>("~/get_robot_info", move |_, reply, shell| {
            let prefix = prefix.clone();
            info.pass(
                shell,
                |id| Input::InfoRequested { id },
                move |answer| {
                    if let Answer::Info(outcome) = answer {
                        let result = messages::result(&outcome);
                        let (info, description) = *outcome.unwrap_or_default();
                        reply.send(GetRobotInfo::Response {
                            result,
                            robot_info: messages::robot_info(&info),
                            robot_description: messages::robot_description(&description, &prefix),
                        });
                    }
                },
            );
        })?
        .deferred_service::<SetGrasp::Service>("~/set_grasp", move |request, reply, shell| {
            let grasps = request.grasps.into_iter().map(messages::grasp).collect();
            grasp.pass(
                shell,
                |id| Input::GraspRequested { id, grasps },
                |answer| {
                    if let Answer::Grasp(outcome) = answer {
                        let result = messages::result(&outcome);
                        let command = messages::command_message(&outcome.unwrap_or_default());
                        reply.send(SetGrasp::Response { result, command });
                    }
                },
            );
        })?
        .deferred_service::<Reset::Service>("~/reset", move |request, reply, shell| {
            let reset_limb_pose = request.reset_limb_pose;
            reset.pass(
                shell,
                |id| Input::ResetRequested { id, reset_limb_pose },
                |answer| {
                    if let Answer::Reset(outcome) = answer {
                        reply.send(Reset::Response { result: messages::result(&outcome) });
                    }
                },
            );
        })?;
    if obeys_vehicle { serve_reset_motors(runner, calls.clone()) } else { Ok(runner) }
}

/// Makes `runner` answer the service of a person who ends a halt. Like the others it is answered after the messages that were received
/// before: a vehicle's `ESTOP` among them refuses it.
fn serve_reset_motors(runner: Runner<Haptix>, calls: Calls) -> Result<Runner<Haptix>, Error> {
    runner.deferred_service::<Trigger::Service>("~/reset_motors", move |_, reply, shell| {
        calls.pass(
            shell,
            |id| Input::MotorsResetRequested { id },
            |answer| {
                if let Answer::MotorsReset(outcome) = answer {
                    let success = outcome.is_ok();
                    reply.send(Trigger::Response { success, message: outcome.err().unwrap_or_default() });
                }
            },
        );
    })
}
