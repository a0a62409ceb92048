use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use chair::{Chair, ChairInput, Input, Joystick, Mode, Service, State};
use futures::FutureExt;
use r2r::luci_messages::msg::LuciJoystick;
use r2r::std_srvs::srv::{Empty, SetBool};
use r2r::{Client, Node, Publisher, QosProfile};
use ros::panics::lock;
use ros::{Error, Names, Runner, Shell, Status, clock};
use safety::{Instant, Level};

use super::{NAME, activation_result, topics};

/// The services of LUCI's node that the mode needs. Calls do not block; the answers are collected later.
#[derive(Clone)]
pub struct Services(Arc<Mutex<Inner>>);

struct Inner {
    clients: Vec<Luci>,
    /// Whether the service that enters the mode was called and the chair was not released since.
    is_ours: bool,
    /// Calls without an answer yet, the oldest first.
    open: Vec<(Service, Answer)>,
}

struct Luci {
    service: Service,
    /// The name in the graph.
    name: String,
    client: Client<Empty::Service>,
    /// Completes when the service is available.
    found: Option<Answer>,
    is_there: bool,
}

/// Completes with `true` for the awaited result, with `false` if it cannot arrive any more.
type Answer = Pin<Box<dyn Future<Output = bool> + Send>>;

/// The most calls without an answer that are remembered; older ones are dropped.
const MAX_OPEN_CALLS: usize = 32;
/// The period at which the availability of the services is checked.
const CHECK_PERIOD: Duration = Duration::from_millis(500);
/// After a panic the node publishes neutral at this period, and calls the service that ends the mode with every
/// [`REPEATS_PER_CALL`]th message, until that is answered.
const REPEAT: Duration = Duration::from_millis(50);
const REPEATS_PER_CALL: u32 = 5;

impl Services {
    /// Clients for the services that enter and leave `mode`.
    /// # Errors
    /// The middleware refuses a client.
    pub fn new(node: &mut Node, names: &Names, mode: Mode) -> Result<Self, Error> {
        let mut luci = |service: Service| {
            let client = node
                .create_client::<Empty::Service>(service.name(), QosProfile::services_default())
                .map_err(Error::ros(format!("call '{}'", service.name())))?;
            let name = names.resolve(service.name());
            Ok(Luci { service, name, client, found: None, is_there: false })
        };
        let clients = vec![luci(mode.set())?, luci(mode.remove())?];
        Ok(Self(Arc::new(Mutex::new(Inner { clients, is_ours: false, open: Vec::new() }))))
    }

    /// Calls `service` and returns at once.
    pub fn call(&self, service: Service) {
        let mut inner = self.lock();
        let Inner { clients, is_ours, open } = &mut *inner;
        let Some(luci) = clients.iter().find(|luci| luci.service == service) else { return };
        log::info!(target: NAME, "calls '{}'", luci.name);
        *is_ours |= matches!(service, Service::SetAuto | Service::SetShared);
        match luci.client.request(&Empty::Request {}) {
            Ok(answer) => {
                let answer = Box::pin(answer.map(|answer| answer.is_ok()));
                if open.len() >= MAX_OPEN_CALLS {
                    drop(open.remove(0));
                }
                open.push((service, answer));
            }
            Err(error) => log::error!(target: NAME, "could not call '{}': {error}", luci.name),
        }
    }

    /// Records that the chair was released or given up: this node does not own it any more.
    pub fn release(&self) {
        self.lock().is_ours = false;
    }

    /// Delivers answers when they arrive, and checks periodically whether the services are available.
    pub fn answers(&self, shell: Shell<Chair>) -> impl FnMut(&mut Node) + Send + 'static {
        let services = self.clone();
        let mut due = clock::now();
        move |_| {
            for service in services.answered() {
                shell.deliver(ChairInput::Remote(Input::ServiceAnswered(service)));
            }
            if clock::now() >= due {
                due = clock::now() + CHECK_PERIOD;
                services.lock().clients.iter_mut().for_each(Luci::check);
            }
        }
    }

    /// Adds the unavailable services to `status`.
    pub fn report(&self, mut status: Status) -> Status {
        for luci in &self.lock().clients {
            status.values.push((luci.name.clone(), if luci.is_there { "there" } else { "not there" }.into()));
            if !luci.is_there {
                status.worsen(Level::Warn, format!("the service '{}' is not there", luci.name));
            }
        }
        status
    }

    /// The final messages of a node whose machine can no longer be used. The returned function is called repeatedly until it is
    /// `true`. A chair that this node does not own receives nothing, since another node may own it.
    pub fn when_broken(
        &self,
        remote: Publisher<LuciJoystick>,
        (neutral, remove): (Joystick, Service),
    ) -> impl FnMut() -> bool + use<> {
        let services = self.clone();
        let neutral = topics::wire(&neutral);
        let mut due: Option<Instant> = None;
        let mut repeats = 0;
        move || {
            if !services.lock().is_ours {
                return true;
            }
            if due.is_none() {
                services.lock().open.clear(); // earlier calls prove nothing
            }
            if due.is_none_or(|due| clock::now() >= due) {
                due = Some(clock::now() + REPEAT);
                if let Err(error) = remote.publish(&neutral) {
                    log::error!(target: NAME, "could not publish neutral: {error}");
                }
                if repeats % REPEATS_PER_CALL == 0 {
                    services.call(remove);
                }
                repeats += 1;
            }
            services.answered().contains(&remove)
        }
    }

    /// Removes and returns the calls that were answered.
    fn answered(&self) -> Vec<Service> {
        let mut answered = Vec::new();
        self.lock().open.retain_mut(|(service, answer)| match answer.as_mut().now_or_never() {
            Some(is_answered) => {
                if is_answered {
                    answered.push(*service);
                }
                false
            }
            None => true,
        });
        answered
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }
}

impl Luci {
    /// r2r asks the middleware after each wake-up until the service is available, and not afterwards, so the check is repeated.
    fn check(&mut self) {
        let found = self.found.as_mut().map(|found| found.as_mut().now_or_never());
        if let Some(None) = found {
            self.is_there = false;
            return;
        }
        self.is_there = found == Some(Some(true));
        self.found = match Node::is_available(&self.client) {
            Ok(found) => Some(Box::pin(found.map(|found| found.is_ok()))),
            Err(_) => None,
        };
    }
}

/// Serves `~/activate`. It answers at once whether the request is accepted; `~/state` reports the result.
pub fn serve(runner: Runner<Chair>) -> Result<Runner<Chair>, Error> {
    runner.service::<SetBool::Service>("~/activate", |request, context| {
        let activate = request.data;
        let input = if activate { Input::Activated } else { Input::Deactivated };
        context.shell().deliver(ChairInput::Remote(input));
        let (message, state) =
            context.shell().inspect(|chair| (activation_result(chair, activate), chair.remote().state()));
        let success = !activate || state != State::Inactive;
        Some(SetBool::Response { success, message })
    })
}
