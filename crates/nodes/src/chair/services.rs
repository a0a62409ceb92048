use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chair::{Chair, ChairInput, Input, Joystick, Mode, Service, State};
use futures::FutureExt;
use r2r::luci_messages::msg::LuciJoystick;
use r2r::std_srvs::srv::{Empty, SetBool};
use r2r::{Client, Node, Publisher, QosProfile};
use ros::{Error, Names, Runner, Shell, Status, clock};
use units::{Instant, Level};

use super::{NAME, activation_result, topics};

/// The services of LUCI's node that the mode needs: called without waiting, and looked after until they answer.
#[derive(Clone)]
pub struct Services(Arc<Mutex<Inner>>);

struct Inner {
    clients: Vec<Luci>,
    /// The service that enters the mode was called, and the chair was not given back since.
    is_ours: bool,
    /// Calls that were not answered yet, the oldest first.
    open: Vec<(Service, Answer)>,
}

struct Luci {
    service: Service,
    /// As it is in the graph.
    name: String,
    client: Client<Empty::Service>,
    /// Comes when the service is there.
    found: Option<Answer>,
    is_there: bool,
}

/// Comes with `true` for what is awaited, with `false` if that cannot come any more.
type Answer = Pin<Box<dyn Future<Output = bool> + Send>>;

/// So many calls without an answer are remembered; who answers none of them is not waited for.
const MAX_OPEN_CALLS: usize = 32;
/// How often is looked whether the services are there.
const CHECK_PERIOD: Duration = Duration::from_millis(500);
/// A broken node says neutral this often, and asks for the end of the mode each so many times, until that is answered.
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

    /// The chair was given back, or given up: it is not ours any more.
    pub fn release(&self) {
        self.lock().is_ours = false;
    }

    /// Delivers answers as they come, and looks from time to time whether the services are there.
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

    /// Adds to `status` which services are not there.
    pub fn report(&self, mut status: Status) -> Status {
        for luci in &self.lock().clients {
            status.values.push((luci.name.clone(), if luci.is_there { "there" } else { "not there" }.into()));
            if !luci.is_there {
                status.worsen(Level::Warn, format!("the service '{}' is not there", luci.name));
            }
        }
        status
    }

    /// The last words of a node whose machine can no longer be asked: to be called again and again until it is `true`. A
    /// chair that is not ours hears nothing: somebody else may have it.
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
                services.lock().open.clear(); // what was called before proves nothing
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

    /// Takes what was answered.
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Luci {
    /// r2r asks the middleware after each wake-up until the service is there, and then no more: so it is asked anew.
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

/// Serves `~/activate`: answers at once whether the activation_result is taken; what comes of it is told on `~/state`.
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
