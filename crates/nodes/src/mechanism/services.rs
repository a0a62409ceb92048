use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mechanism::controllers::{Input as ManagerInput, Refusal, Request, RequestId};
use mechanism::{Input, Mechanism};
use r2r::pr2_mechanism_msgs::action::SwitchController as SwitchAction;
use r2r::pr2_mechanism_msgs::srv::{
    ListControllerTypes, ListControllers, LoadController, ReloadControllerLibraries, SwitchController,
    UnloadController,
};
use r2r::std_srvs::srv::Empty;
use ros::panics::lock;
use ros::{Error, GoalEnd, Runner, Shell, clock};
use safety::Instant;

use super::NAME;
use super::factory::Types;

/// The requests that are not answered yet.
#[derive(Clone, Default)]
pub(super) struct Requests(Arc<Mutex<Open>>);

/// Sends the answer to a request.
type Answer = Box<dyn FnOnce(&Result<(), Refusal>) + Send>;

#[derive(Default)]
struct Open {
    last: RequestId,
    replies: BTreeMap<RequestId, Reply>,
}

/// The way to answer a request, and until when it needs the node's own thread meanwhile.
struct Reply {
    send: Answer,
    needs_node_until: Option<Instant>,
}

/// For so long the node looks often for what a request needs; then a library takes its time, and the node's usual pace will do.
const YOUNG: Duration = Duration::from_millis(100);

impl Requests {
    fn add(&self, needs_node: bool, reply: impl FnOnce(&Result<(), Refusal>) + Send + 'static) -> RequestId {
        let mut open = lock(&self.0);
        open.last += 1;
        let id = open.last;
        let needs_node_until = needs_node.then(|| clock::now() + YOUNG);
        open.replies.insert(id, Reply { send: Box::new(reply), needs_node_until });
        id
    }

    /// Answers the request `id`.
    pub(super) fn answer(&self, id: RequestId, result: &Result<(), Refusal>) {
        if let Err(refusal) = result {
            log::error!(target: NAME, "{refusal}");
        }
        let reply = lock(&self.0).replies.remove(&id);
        if let Some(reply) = reply {
            (reply.send)(result);
        }
    }

    /// Whether a young one waits that needs the node's own thread, which cannot be woken for it.
    pub(super) fn need_node(&self) -> bool {
        lock(&self.0)
            .replies
            .values()
            .any(|reply| reply.needs_node_until.is_some_and(|until| clock::now() < until))
    }

    /// Asks the manager, which answers with [`answer`](Self::answer).
    fn ask(&self, shell: &Shell<Mechanism>, request: Request, reply: impl FnOnce(bool) + Send + 'static) {
        let needs_node = matches!(request, Request::Load(_) | Request::Reload { .. });
        self.send(shell, request, needs_node, |result| reply(result.is_ok()));
    }

    /// Asks the manager as [`ask`](Self::ask) does, for a goal of an action: `reply` also receives the reason of a refusal. Returns
    /// the request's id. r2r answers a cancellation on the node's own thread.
    fn pursue(
        &self,
        shell: &Shell<Mechanism>,
        request: Request,
        reply: impl FnOnce(&Result<(), Refusal>) + Send + 'static,
    ) -> RequestId {
        self.send(shell, request, true, reply)
    }

    fn send(
        &self,
        shell: &Shell<Mechanism>,
        request: Request,
        needs_node: bool,
        reply: impl FnOnce(&Result<(), Refusal>) + Send + 'static,
    ) -> RequestId {
        let id = self.add(needs_node, reply);
        shell.deliver(Input::Manager(ManagerInput::Requested(id, request)));
        id
    }
}

/// Makes `runner` answer the six services of the controller manager, its action, and the two services of the motors.
pub(super) fn serve(
    runner: Runner<Mechanism>,
    requests: &Requests,
    types: Types,
) -> Result<Runner<Mechanism>, Error> {
    let [load, unload, switch, reload, pursue] = [(); 5].map(|()| requests.clone());
    runner
        .service::<ListControllers::Service>("pr2_controller_manager/list_controllers", |_, context| {
            let list = context.shell().inspect(|machine| machine.manager().list());
            let state = list.iter().map(|controller| controller.as_str().to_owned()).collect();
            let controllers = list.into_iter().map(|controller| controller.name).collect();
            Some(ListControllers::Response { controllers, state })
        })?
        .service::<ListControllerTypes::Service>(
            "pr2_controller_manager/list_controller_types",
            move |_, _| Some(ListControllerTypes::Response { types: types.list() }),
        )?
        .deferred_service::<LoadController::Service>(
            "pr2_controller_manager/load_controller",
            move |request, reply, shell| {
                load.ask(shell, Request::Load(request.name), |ok| {
                    reply.send(LoadController::Response { ok })
                });
            },
        )?
        .deferred_service::<UnloadController::Service>(
            "pr2_controller_manager/unload_controller",
            move |request, reply, shell| {
                let answer = |ok| reply.send(UnloadController::Response { ok });
                unload.ask(shell, Request::Unload(request.name), answer);
            },
        )?
        .deferred_service::<SwitchController::Service>(
            "pr2_controller_manager/switch_controller",
            move |request, reply, shell| {
                let SwitchController::Request { start_controllers, stop_controllers, strictness } = request;
                let request =
                    Request::Switch { start: start_controllers, stop: stop_controllers, strictness };
                switch.ask(shell, request, |ok| reply.send(SwitchController::Response { ok }));
            },
        )?
        .deferred_service::<ReloadControllerLibraries::Service>(
            "pr2_controller_manager/reload_controller_libraries",
            move |request, reply, shell| {
                let answer = |ok| reply.send(ReloadControllerLibraries::Response { ok });
                reload.ask(shell, Request::Reload { force: request.force_kill }, answer);
            },
        )?
        .action::<SwitchAction::Action>(
            "pr2_controller_manager/switch_controller",
            move |goal, handle, shell| {
                let SwitchAction::Goal { start_controllers, stop_controllers } = goal;
                let strictness = SwitchController::Request::STRICT as i32;
                let request =
                    Request::Switch { start: start_controllers, stop: stop_controllers, strictness };
                pursue.pursue(shell, request, |result| {
                    let end = match result {
                        Ok(()) => GoalEnd::Succeeded,
                        Err(Refusal::Cancelled) => GoalEnd::Cancelled,
                        Err(_) => GoalEnd::Aborted,
                    };
                    handle.end(end, SwitchAction::Result {});
                })
            },
            |id, shell| shell.deliver(Input::Manager(ManagerInput::Cancelled(id))),
        )?
        // Answered in this order: of a reset and a halt that were received together, the halt counts.
        .urgent_service::<Empty::Service>("reset_motors", |_, shell| {
            shell.deliver(Input::ResetRequested);
            Empty::Response {}
        })?
        .urgent_service::<Empty::Service>("halt_motors", |_, shell| {
            shell.deliver(Input::HaltRequested);
            Empty::Response {}
        })
}
