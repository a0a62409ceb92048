use core::time::Duration;
use std::collections::VecDeque;

use safety::{Backlog, Instant, Machine, earliest};

use crate::controllers::preparation::{Preparation, Prepared};
use crate::controllers::request::{check_name, is_strict};
use crate::controllers::sharing::{shared_joints, sharing_sentence};
use crate::controllers::{
    Change, ControllerFailure, ControllerId, ControllerList, ControllerSlot, ControllerState, Dependency,
    Input, NewController, Output, Refusal, Request, RequestId, ScheduleError, SwitchEntry, schedule,
};

/// Which controllers are loaded and run, and who may change that: requests one after the other, each by one or more changes of
/// the control loop.
///
/// Loads and reloads wait for one another, since a controller may take long to initialise. Switches, unloads and lists do not wait for
/// them, so that no load delays a stop.
/// # Source
/// `pr2_controller_manager` 1.8.21; own: a call ends after a time if the loop does not step or a library hangs, a strict switch changes all or
/// nothing, a forced reload loads the libraries first, since a bad one would leave the robot without controllers, and then unloads
/// dependants first, and a strictness other than 0, 1 and 2 is refused.
#[derive(Debug)]
pub struct Manager {
    now: Instant,
    timeout: Duration,
    /// In the order of loading, as in the control loop.
    entries: Vec<Entry>,
    queue: VecDeque<(RequestId, Request)>,
    /// The load or reload whose part outside the control loop is in progress.
    preparation: Option<Preparation>,
    /// The request for which the control loop is to make a change.
    job: Option<Job>,
    outputs: VecDeque<Output>,
}

#[derive(Debug)]
struct Entry {
    id: ControllerId,
    name: String,
    kind: String,
    dependencies: Vec<Dependency>,
    /// The joints that it moves, as far as that is known.
    moves: Vec<String>,
    is_running: bool,
    failure: Option<ControllerFailure>,
}

/// The request in progress.
#[derive(Debug)]
struct Job {
    /// `None` once it was answered.
    id: Option<RequestId>,
    request: Request,
    stage: Stage,
    is_cancelled: bool,
    /// The controller that is loaded.
    entry: Option<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The change waits for the loop since this time.
    Waiting(Instant),
    /// It is being withdrawn.
    Withdrawing,
    /// The loop has taken it, and did not answer; since this time.
    Taken(Instant),
    /// The request was answered, and the loop still has the change.
    Hanging,
}

impl Manager {
    /// How many requests may wait.
    pub const MOST_WAITING: usize = 100;
    /// How many controllers may be loaded: a report of the loop has room for so many.
    pub const MOST_CONTROLLERS: usize = 256;

    /// A manager without controllers. A call waits for the control loop for `timeout` at most, and twice as long if the loop
    /// hangs in a step. A load or reload waits as long before that for the library.
    pub fn new(timeout: Duration) -> Self {
        let (entries, queue, outputs) = Default::default();
        Self { now: Instant::ZERO, timeout, entries, queue, preparation: None, job: None, outputs }
    }

    /// The loaded controllers in the order in which they run.
    pub fn list(&self) -> Vec<ControllerState> {
        let order = self.schedule(None).unwrap_or_else(|_| (0..self.entries.len()).collect());
        let state =
            |entry: &Entry| ControllerState { name: entry.name.clone(), is_running: entry.is_running };
        order.into_iter().filter_map(|index| self.entries.get(index)).map(state).collect()
    }

    /// The names of the loaded controllers in the order of loading, in which the control loop has them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// Whether the controller `name` runs; `None` if it is not loaded.
    pub fn is_running(&self, name: &str) -> Option<bool> {
        self.index(name).map(|index| self.entries[index].is_running)
    }

    /// Why the controller `name` stopped by itself, if it did since it was last started.
    pub fn failure(&self, name: &str) -> Option<ControllerFailure> {
        self.index(name).and_then(|index| self.entries[index].failure)
    }

    /// The name of the loaded controller `id`.
    pub fn name_of(&self, id: ControllerId) -> Option<&str> {
        self.entries.iter().find(|entry| entry.id == id).map(|entry| entry.name.as_str())
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    /// The order in which the controllers run, with a `new` one, or without the one at `new`'s place.
    fn schedule(&self, new: Option<(&str, &[Dependency])>) -> Result<Vec<usize>, ScheduleError> {
        let loaded = self.entries.iter().map(|entry| (entry.name.as_str(), entry.dependencies.as_slice()));
        schedule(&loaded.chain(new).collect::<Vec<_>>())
    }

    /// Begins what can begin: first the change of what is prepared, then the requests in their order, which wait for a change that
    /// is in the loop; loads and reloads also wait for one another.
    fn begin(&mut self) {
        if self.job.is_none() {
            self.finish_preparation();
        }
        let mut index = 0;
        while let Some((_, request)) = self.queue.get(index) {
            let is_prepared = matches!(request, Request::Load(_) | Request::Reload { .. });
            let preparation = self.preparation.as_ref().filter(|_| is_prepared);
            let obstacle = preparation.and_then(|one| one.obstacle(self.now));
            let is_busy = self.job.is_some() || preparation.is_some();
            if is_busy && obstacle.is_none() {
                index += 1;
                continue;
            }
            let Some((id, request)) = self.queue.remove(index) else { return };
            match obstacle.map_or_else(|| self.first(&request), Err) {
                Ok(output @ Output::Change(_)) => self.begin_change(id, request, output, None),
                Ok(output) => {
                    self.outputs.push_back(output);
                    self.preparation = Some(Preparation::new(id, request, self.now));
                }
                Err(refusal) => self.outputs.push_back(Output::Answer(id, Err(refusal))),
            }
        }
    }

    fn begin_change(&mut self, id: RequestId, request: Request, output: Output, entry: Option<Entry>) {
        self.outputs.push_back(output);
        let stage = Stage::Waiting(self.now);
        self.job = Some(Job { id: Some(id), request, stage, is_cancelled: false, entry });
    }

    /// The first change of what is prepared.
    fn finish_preparation(&mut self) {
        let Some((id, request, result)) = Preparation::take_finished(&mut self.preparation) else { return };
        let change = result.and_then(|prepared| match (prepared, &request) {
            (Prepared::Controller(new), Request::Load(name)) => {
                let schedule = match self.schedule(Some((name, &new.dependencies))) {
                    Ok(schedule) => schedule,
                    Err(error) => {
                        self.outputs.push_back(Output::Discard(Box::new(new)));
                        return Err(Refusal::Schedule(error));
                    }
                };
                let NewController { id, kind, controller, dependencies, moves } = new;
                let slot = Some(Box::new(ControllerSlot::new(id, controller)));
                let list = ControllerList::with_schedule(schedule);
                let name = name.clone();
                let entry = Entry { id, name, kind, dependencies, moves, is_running: false, failure: None };
                Ok(Some((Change::Add { slot, list }, Some(entry))))
            }
            _ if self.entries.is_empty() => Ok(None),
            _ => {
                let stop = (0..self.entries.len()).map(SwitchEntry::new).collect();
                Ok(Some((Change::Switch { stop, start: Vec::new(), is_strict: false }, None)))
            }
        });
        match change {
            Ok(Some((change, entry))) => {
                self.begin_change(id, request, Output::Change(Box::new(change)), entry);
            }
            Ok(None) => self.outputs.push_back(Output::Answer(id, Ok(()))),
            Err(refusal) => self.outputs.push_back(Output::Answer(id, Err(refusal))),
        }
    }

    /// The first thing that a request asks for.
    fn first(&mut self, request: &Request) -> Result<Output, Refusal> {
        match request {
            Request::Load(name) => {
                if self.index(name).is_some() {
                    return Err(Refusal::Loaded(name.clone()));
                }
                if self.entries.len() >= Self::MOST_CONTROLLERS {
                    return Err(Refusal::Full(Self::MOST_CONTROLLERS));
                }
                check_name(name)?;
                Ok(Output::Create(name.clone()))
            }
            Request::Unload(name) => {
                let needs =
                    |entry: &&Entry| entry.dependencies.iter().any(|dependency| dependency.name() == name);
                if let Some(entry) = self.entries.iter().find(needs) {
                    return Err(Refusal::Needed { name: name.clone(), by: entry.name.clone() });
                }
                let index = self.index(name).ok_or_else(|| Refusal::NotLoaded(name.clone()))?;
                if self.entries[index].is_running {
                    return Err(Refusal::Running(name.clone()));
                }
                self.remove(index).map_err(Refusal::Schedule)
            }
            Request::Switch { start, stop, strictness } => {
                let is_strict = is_strict(*strictness)?;
                if *strictness == 0 {
                    let sentence = "a switch has strictness 0, which counts as 1, best effort";
                    self.outputs.push_back(Output::Warn(sentence.to_owned()));
                }
                let stop = self.resolve(stop, is_strict, "stopped")?;
                let start = self.resolve(start, is_strict, "started")?;
                Ok(Output::Change(Box::new(Change::Switch { stop, start, is_strict })))
            }
            Request::Reload { force } => {
                if !self.entries.is_empty() && !force {
                    return Err(Refusal::ControllersLoaded(self.entries.len()));
                }
                Ok(Output::ReloadLibraries)
            }
        }
    }

    /// The entries of a switch. An unknown name is refused if the switch is strict, and left out otherwise, with a warning.
    fn resolve(
        &mut self,
        names: &[String],
        is_strict: bool,
        what: &str,
    ) -> Result<Vec<SwitchEntry>, Refusal> {
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            match self.index(name) {
                Some(index) => entries.push(SwitchEntry::new(index)),
                None if is_strict => return Err(Refusal::NotLoaded(name.clone())),
                None => {
                    let sentence = format!("{}: it is not {what}", Refusal::NotLoaded(name.clone()));
                    self.outputs.push_back(Output::Warn(sentence));
                }
            }
        }
        Ok(entries)
    }

    /// The change that removes the controller `index`.
    fn remove(&self, index: usize) -> Result<Output, ScheduleError> {
        let others = self.entries.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Vec<_> =
            others.map(|(_, entry)| (entry.name.as_str(), entry.dependencies.as_slice())).collect();
        let list = ControllerList::with_schedule(schedule(&others)?);
        Ok(Output::Change(Box::new(Change::Remove { index, list })))
    }

    /// The controller was created, or the libraries were loaded again, or not: controllers go only if they were.
    fn prepared(&mut self, is_load: bool, result: Result<Prepared, Refusal>) {
        let Some(one) = self.preparation.as_mut().filter(|one| one.is_load() == is_load) else { return };
        if let Some(outputs) = one.prepare(result) {
            self.outputs.extend(outputs);
            self.preparation = None;
        }
    }

    /// The loop made the change: what is loaded and runs follows it, and the request goes on or ends.
    fn changed(&mut self, change: &Change) {
        let Some(job) = &mut self.job else { return };
        let result = match change {
            Change::Add { .. } => {
                self.entries.extend(job.entry.take());
                Ok(())
            }
            Change::Remove { index, .. } => {
                if *index < self.entries.len() {
                    self.entries.remove(*index);
                }
                Ok(())
            }
            Change::Switch { stop, start, is_strict } => {
                let mut failed = self.switched(stop, start);
                // The refusal of a strict switch names the first one.
                let first = if *is_strict && !failed.is_empty() { Some(failed.remove(0)) } else { None };
                for (name, failure) in failed {
                    let sentence = format!("controller '{name}' does not start: {failure}");
                    self.outputs.push_back(Output::Warn(sentence));
                }
                first.map_or(Ok(()), |(name, failure)| Err(Refusal::NotStarted { name, failure }))
            }
        };
        let is_reload = self.job.as_ref().is_some_and(|job| matches!(job.request, Request::Reload { .. }));
        if is_reload && result.is_ok() { self.go_on_with_reload() } else { self.end(result) }
    }

    /// Notes what a switch made of its controllers. Returns those that could not start, in the order of the request.
    fn switched(&mut self, stop: &[SwitchEntry], start: &[SwitchEntry]) -> Vec<(String, ControllerFailure)> {
        let (mut failed, mut started) = (Vec::new(), Vec::new());
        for entry in start.iter().chain(stop) {
            let Some(known) = self.entries.get_mut(entry.index) else { continue };
            if entry.is_running && !known.is_running {
                started.push(known.name.clone());
            }
            known.is_running = entry.is_running;
            known.failure = entry.failure.or(known.failure).filter(|_| !entry.is_running);
            if let Some(failure) = entry.failure {
                failed.push((known.name.clone(), failure));
            }
        }
        self.warn_of_sharing(&started);
        failed
    }

    /// Warns of each joint that a controller of `started` moves together with another one.
    fn warn_of_sharing(&mut self, started: &[String]) {
        let shared = self.shared_joints();
        let is_new = |names: &[&str]| names.iter().any(|name| started.iter().any(|new| new == name));
        let new = shared.iter().filter(|(_, names)| is_new(names));
        let sentences: Vec<_> =
            new.map(|(joint, names)| Output::Warn(sharing_sentence(joint, names))).collect();
        self.outputs.extend(sentences);
    }

    /// The controllers with their types and the joints that they move, in the order of loading.
    pub fn described(&self) -> impl Iterator<Item = (&str, &str, &[String])> {
        self.entries.iter().map(|entry| (entry.name.as_str(), entry.kind.as_str(), entry.moves.as_slice()))
    }

    /// The running controllers with the joints that they move, in the order of loading.
    pub fn moved(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.entries.iter().filter(|one| one.is_running).map(|one| (one.name.as_str(), &one.moves[..]))
    }

    /// The joints that several running controllers move, each with those controllers: their efforts add.
    pub fn shared_joints(&self) -> Vec<(&str, Vec<&str>)> {
        shared_joints(self.moved())
    }

    /// Unloads the last controller, on which no other one depends, until all are gone.
    fn go_on_with_reload(&mut self) {
        if self.job.as_ref().is_some_and(|job| job.stage == Stage::Hanging) {
            return self.end(Ok(())); // nobody waits for it any more
        }
        let Some(last) = self.entries.len().checked_sub(1) else {
            let sentence = "all controllers were unloaded for the new libraries: load them again";
            self.outputs.push_back(Output::Warn(sentence.to_owned()));
            return self.end(Ok(()));
        };
        match self.remove(last).map_err(Refusal::Schedule) {
            Ok(output) => {
                if let Some(job) = &mut self.job {
                    job.stage = Stage::Waiting(self.now);
                }
                self.outputs.push_back(output);
            }
            Err(refusal) => self.end(Err(refusal)),
        }
    }

    fn withdrawn(&mut self, change: Option<Box<Change>>) {
        if self.job.as_ref().is_none_or(|job| job.stage != Stage::Withdrawing) {
            // The change that was to be withdrawn was made before; this is the next one, which stands.
            self.outputs.extend(change.map(Output::Change));
            return;
        }
        let is_cancelled = self.job.as_ref().is_some_and(|job| job.is_cancelled);
        if let Some(change) = change {
            self.outputs.push_back(Output::Discard(change));
            if is_cancelled {
                return self.end(Err(Refusal::Cancelled));
            }
            let is_reload =
                self.job.as_ref().is_some_and(|job| matches!(job.request, Request::Reload { .. }));
            let (time, left) = (self.timeout, self.entries.len());
            self.end(Err(if is_reload {
                Refusal::ReloadEnded { time, left }
            } else {
                Refusal::LoopSilent(time)
            }));
            // The others would wait for the same loop.
            self.refuse_waiting(&Refusal::LoopSilent(time));
        } else if let Some(job) = self.job.as_mut().filter(|job| job.stage == Stage::Withdrawing) {
            job.stage = Stage::Taken(self.now);
        }
    }

    /// Cancels the request `id` if it waits for its turn, or for the loop; otherwise it is too late, or it is a load or a reload
    /// in progress, which go on.
    fn cancel(&mut self, id: RequestId) {
        if let Some(place) = self.queue.iter().position(|(waiting, _)| *waiting == id) {
            self.queue.remove(place);
            self.outputs.push_back(Output::Answer(id, Err(Refusal::Cancelled)));
        } else if let Some(job) = self.job.as_mut().filter(|job| job.id == Some(id))
            && matches!((&job.request, job.stage), (Request::Switch { .. }, Stage::Waiting(_)))
        {
            (job.stage, job.is_cancelled) = (Stage::Withdrawing, true);
            self.outputs.push_back(Output::Withdraw);
        }
    }

    /// Ends the request in progress.
    fn end(&mut self, result: Result<(), Refusal>) {
        let Some(job) = self.job.take() else { return };
        match job.id {
            Some(id) => self.outputs.push_back(Output::Answer(id, result)),
            None => {
                let sentence =
                    "the control loop steps again: a change was made after its request was refused";
                self.outputs.push_back(Output::Warn(sentence.to_owned()));
            }
        }
    }

    fn fail(&mut self, index: usize, failure: ControllerFailure) {
        if let Some(entry) = self.entries.get_mut(index) {
            (entry.is_running, entry.failure) = (false, Some(failure));
            let sentence = format!("controller '{}' stopped by itself: {failure}", entry.name);
            self.outputs.push_back(Output::Warn(sentence));
        }
    }

    /// Withdraws a change for which the loop does not step, and answers a request whose change hangs in the loop, or that hangs
    /// in a library.
    fn expire(&mut self) {
        let timeout = self.timeout;
        self.outputs.extend(self.preparation.as_mut().and_then(|one| one.expire(self.now, timeout)));
        let Some(job) = &mut self.job else { return };
        match job.stage {
            Stage::Waiting(since) if self.now >= since + timeout => {
                job.stage = Stage::Withdrawing;
                self.outputs.push_back(Output::Withdraw);
            }
            Stage::Taken(since) if self.now >= since + timeout => {
                job.stage = Stage::Hanging;
                let refusal = Refusal::LoopHangs(timeout * 2);
                self.outputs.extend(job.id.take().map(|id| Output::Answer(id, Err(refusal))));
            }
            _ => {}
        }
        if self.job.as_ref().is_some_and(|job| job.stage == Stage::Hanging) {
            self.refuse_waiting(&Refusal::LoopHangs(timeout * 2));
        }
    }

    fn refuse_waiting(&mut self, refusal: &Refusal) {
        let refused = self.queue.drain(..).map(|(id, _)| Output::Answer(id, Err(refusal.clone())));
        self.outputs.extend(refused);
    }
}

impl Machine for Manager {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
        match input {
            Input::Requested(id, _) if self.queue.len() >= Self::MOST_WAITING => {
                self.outputs.push_back(Output::Answer(id, Err(Refusal::Busy(self.queue.len()))));
            }
            Input::Requested(id, request) => self.queue.push_back((id, request)),
            Input::Cancelled(id) => self.cancel(id),
            Input::Created(result) => self.prepared(true, result.map(Prepared::Controller)),
            Input::Changed(change) => {
                self.changed(&change);
                self.outputs.push_back(Output::Discard(change));
            }
            Input::Withdrawn(change) => self.withdrawn(change),
            Input::Failed(index, failure) => self.fail(index, failure),
            Input::Reloaded(result) => self.prepared(false, result.map(|()| Prepared::Libraries)),
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        self.expire();
        self.begin();
        self.outputs.pop_front()
    }

    fn backlog(output: &Output) -> Backlog {
        if matches!(output, Output::Warn(_)) { Backlog::Recent } else { Backlog::Each }
    }

    fn deadline(&self) -> Option<Instant> {
        let job = self.job.as_ref().and_then(|job| match job.stage {
            Stage::Waiting(since) | Stage::Taken(since) => Some(since + self.timeout),
            Stage::Withdrawing | Stage::Hanging => None,
        });
        earliest(job, self.preparation.as_ref().and_then(|one| one.due(self.timeout)))
    }
}
