use std::time::Duration;

use params::{Refusal, Set};
use units::{Census, Level, Machine};

use crate::listener::{Ear, Ears, Listener};

use crate::wish::Count;
use crate::{Candidate, Error, Names, Shell, Status, Wish, census, clock, publishers};

/// The topics that a node listens to as its parameters say, which come and go at run time, in the order they are read: what
/// stops comes before what moves.
///
/// Each has a hidden node and a thread of its own ([`Listener`]); a change never disturbs the others. A changed set of
/// parameters and the topics of it come into force as one: no message is delivered between the two, and none afterwards that
/// a topic brought which is not listened to any more.
pub(crate) struct Listeners<M: Machine> {
    context: r2r::Context,
    node: String,
    names: Names,
    shell: Shell<M>,
    plan: Plan<M>,
    start: Start<M>,
    entries: Vec<Entry<M>>,
    ears: Ears<M>,
    /// Not wanted any more, and not gone yet.
    leaving: Vec<Listener>,
    started: u64,
}

/// Makes of a set of parameters what is to be listened to.
type Plan<M> = Box<dyn FnMut(&Set) -> Result<Vec<Wish<M>>, Refusal> + Send>;
/// [`Listener::start`].
type Start<M> = fn(
    (&r2r::Context, &str, u64),
    (&str, &str),
    &mut Candidate<M>,
    &Ears<M>,
    &Shell<M>,
) -> Result<(Listener, Ear<M>), Error>;

/// What is listened to, or is to be.
struct Entry<M: Machine> {
    /// The parameter that names the topic.
    parameter: String,
    /// The topic for a node of another name, and in the graph.
    topic: String,
    full: String,
    index: usize,
    candidate: Candidate<M>,
    count: Count<M>,
    /// The publishers that the machine knows of, once it knows.
    counted: Option<Census>,
    /// `None` if it could not be listened to.
    listener: Option<Listener>,
    /// Whether that was reported.
    failed: bool,
}

/// A place in the next list: an entry that is there already, or a new one.
enum Place<M: Machine> {
    Kept { at: usize, index: usize },
    New(Box<Entry<M>>),
}

/// How long a subscription that is in the way may take to go.
const LONGEST: Duration = Duration::from_secs(1);
/// How many may be leaving: changes that come faster than the middleware takes them wait for it.
const MOST_LEAVING: usize = 8;

impl<M: Machine + 'static> Listeners<M> {
    /// For the node called `node`. `plan` says in reading order what a set of parameters asks to listen to.
    pub(crate) fn new(
        context: &r2r::Context,
        node: &str,
        names: &Names,
        shell: &Shell<M>,
        plan: impl FnMut(&Set) -> Result<Vec<Wish<M>>, Refusal> + Send + 'static,
    ) -> Self
    where
        M: Send,
    {
        Self {
            context: context.clone(),
            node: node.into(),
            names: names.clone(),
            shell: shell.clone(),
            plan: Box::new(plan),
            start: Listener::start::<M>,
            entries: Vec::new(),
            ears: Ears::default(),
            leaving: Vec::new(),
            started: 0,
        }
    }

    /// Listens to what `after` asks for, and does `commit` in the same moment, which puts `after` in force.
    /// # Errors
    /// Why something cannot be listened to; then all is as before.
    pub(crate) fn change(
        &mut self,
        node: &r2r::Node,
        after: &Set,
        commit: impl FnOnce(),
    ) -> Result<(), Refusal> {
        let wishes = (self.plan)(after)?;
        let mut places = self.places(node, after, wishes)?;
        self.see_off();
        let (mut fresh, mut in_the_way) = (Vec::new(), Vec::new());
        let opened = self.open_new(after, &mut places, (&mut fresh, &mut in_the_way));
        if let Err(refusal) = opened {
            // All of it back: the new ones go, what was in the way is listened to again.
            for place in places {
                if let Place::New(entry) = place
                    && let Some(listener) = entry.listener
                {
                    self.let_go(listener);
                }
            }
            for index in in_the_way {
                self.reopen(index);
            }
            return Err(refusal);
        }
        self.put_in_force(places, fresh, commit);
        // What another spelling of a topic is to the machine, it has to be told anew.
        self.entries.iter_mut().for_each(|entry| entry.counted = None);
        self.look_for_strangers(node);
        Ok(())
    }

    /// What stays and what is new for `wishes`, checked as far as it can be without listening.
    fn places(&self, node: &r2r::Node, after: &Set, wishes: Vec<Wish<M>>) -> Result<Vec<Place<M>>, Refusal> {
        let mut places: Vec<(String, String, Place<M>)> = Vec::new();
        for wish in wishes {
            let full = self.names.resolve(&wish.topic);
            if let Some((_, other, _)) = places.iter().find(|(topic, ..)| *topic == full) {
                let rule =
                    format!("must differ from '{other}', which is the same topic in the graph, '{full}'");
                return Err(after.refuse(&wish.parameter, rule));
            }
            let parameter = wish.parameter.clone();
            let same = |entry: &Entry<M>| {
                entry.parameter == parameter
                    && entry.full == full
                    && entry.candidate.type_name() == wish.candidate.type_name()
            };
            let place = match self.entries.iter().position(same) {
                Some(at) => Place::Kept { at, index: wish.index },
                None => {
                    wish.check_publishers(after, &publishers(node, &full).unwrap_or_default())?;
                    let topic = self.names.for_others(&wish.topic);
                    let Wish { index, candidate, count, .. } = wish;
                    let (parameter, full) = (parameter.clone(), full.clone());
                    Place::New(Box::new(Entry {
                        parameter,
                        topic,
                        full,
                        index,
                        candidate,
                        count,
                        counted: None,
                        listener: None,
                        failed: false,
                    }))
                }
            };
            places.push((full, parameter, place));
        }
        Ok(places.into_iter().map(|(_, _, place)| place).collect())
    }

    /// Listens to what is new; notes the ears of it, and the entries that had to go for it at once: a DDS participant cannot
    /// have one topic with two types.
    fn open_new(
        &mut self,
        after: &Set,
        places: &mut [Place<M>],
        (fresh, in_the_way): (&mut Vec<Ear<M>>, &mut Vec<usize>),
    ) -> Result<(), Refusal> {
        for place in places {
            let Place::New(entry) = place else { continue };
            let parameter = entry.parameter.clone();
            let refuse = |why: String| after.refuse(&parameter, format!("cannot be listened to now: {why}"));
            let type_name = entry.candidate.type_name().to_owned();
            let is_in_the_way = |other: &Listener| other.topic == entry.full && other.type_name != type_name;
            for index in 0..self.entries.len() {
                let taken =
                    self.entries.get_mut(index).and_then(|e| e.listener.take_if(|l| is_in_the_way(l)));
                if let Some(listener) = taken {
                    in_the_way.push(index);
                    self.let_go(listener);
                }
            }
            if !self.leaving.iter().filter(|l| is_in_the_way(l)).all(|l| l.wait(LONGEST)) {
                return Err(refuse(format!("another type of '{}' does not go", entry.full)));
            }
            self.see_off();
            if let Some(slow) = self.leaving.iter().rev().nth(MOST_LEAVING)
                && !slow.wait(LONGEST)
            {
                return Err(refuse("changes before it are not carried out yet".into()));
            }
            let ear = self.listen(entry).map_err(|error| refuse(error.to_string()))?;
            fresh.push(ear);
        }
        Ok(())
    }

    fn listen(&mut self, entry: &mut Entry<M>) -> Result<Ear<M>, Error> {
        self.started += 1;
        // A leading underscore hides it from lists of nodes.
        let what = entry.parameter.rsplit_once('.').map_or("", |(name, _)| name).replace('.', "_");
        let name = format!("_{}_{what}_{}", self.node, self.started);
        let who = (&self.context, name.as_str(), self.started);
        let (listener, mut ear) =
            (self.start)(who, (&entry.topic, &entry.full), &mut entry.candidate, &self.ears, &self.shell)?;
        ear.index = entry.index;
        ear.port.sole = true;
        entry.listener = Some(listener);
        Ok(ear)
    }

    /// Listens again to an entry that stays after all.
    fn reopen(&mut self, index: usize) {
        if index >= self.entries.len() {
            return;
        }
        let mut entry = self.entries.swap_remove(index);
        match self.listen(&mut entry) {
            Ok(ear) => {
                entry.failed = false;
                self.ears.lock().push(ear);
            }
            Err(error) if !entry.failed => {
                entry.failed = true;
                log::error!(target: &self.node, "{error}");
            }
            Err(_) => {}
        }
        // Back to its place.
        self.entries.push(entry);
        let last = self.entries.len() - 1;
        self.entries.swap(index, last);
        self.sort_ears();
    }

    /// Brings the ears in the order of the entries.
    fn sort_ears(&self) {
        let place = |id: u64| {
            self.entries.iter().position(|entry| entry.listener.as_ref().is_some_and(|l| l.id == id))
        };
        self.ears.lock().sort_by_key(|ear| place(ear.id));
    }

    fn put_in_force(&mut self, places: Vec<Place<M>>, mut fresh: Vec<Ear<M>>, commit: impl FnOnce()) {
        let mut before: Vec<_> = std::mem::take(&mut self.entries).into_iter().map(Some).collect();
        for place in places {
            match place {
                Place::New(entry) => self.entries.push(*entry),
                Place::Kept { at, index } => {
                    let kept = before.get_mut(at).and_then(Option::take);
                    self.entries.extend(kept.map(|entry| Entry { index, ..entry }));
                }
            }
        }
        let mut ears = self.ears.lock();
        fresh.append(&mut ears);
        for entry in &self.entries {
            let is_its = |ear: &Ear<M>| entry.listener.as_ref().is_some_and(|l| l.id == ear.id);
            let ear = fresh.iter().position(is_its).map(|at| fresh.swap_remove(at));
            ears.extend(ear.map(|ear| Ear { index: entry.index, ..ear }));
        }
        commit();
        drop(ears);
        for listener in before.into_iter().flatten().filter_map(|entry| entry.listener) {
            self.let_go(listener);
        }
    }

    /// Delivers no more of `listener` and lets it go.
    fn let_go(&mut self, listener: Listener) {
        listener.stop();
        self.ears.lock().retain(|ear| ear.id != listener.id);
        self.leaving.push(listener);
    }

    /// Forgets those that have gone. A panic in the thread of any goes on in this one.
    fn see_off(&mut self) {
        for listener in self.leaving.extract_if(.., |listener| listener.is_gone()) {
            listener.end();
        }
        for entry in &mut self.entries {
            if let Some(gone) = entry.listener.take_if(|listener| listener.is_gone()) {
                gone.end();
            }
        }
    }

    /// Whether [`Listeners::follow`] has anything to do.
    pub(crate) fn is_undecided(&self) -> bool {
        self.entries.iter().any(|entry| entry.listener.is_none())
    }

    /// Tries again to listen to those that could not be listened to.
    pub(crate) fn follow(&mut self, _: &r2r::Node) {
        for at in 0..self.entries.len() {
            let Some(entry) = self.entries.get(at) else { return };
            let is_free = !self.leaving.iter().any(|listener| listener.topic == entry.full);
            if entry.listener.is_none() && is_free {
                self.reopen(at);
            }
        }
    }

    /// After each wake-up: goes on with the panic of a listener's thread.
    pub(crate) fn check(&mut self) {
        self.see_off();
    }

    /// Counts the publishers of each topic, and reports those that do not fit in the log.
    pub(crate) fn look_for_strangers(&mut self, node: &r2r::Node) {
        for entry in &mut self.entries {
            let found = publishers(node, &entry.full);
            if let Some(found) = &found
                && let Some(listener) = &entry.listener
                && let Some(ear) = self.ears.lock().iter_mut().find(|ear| ear.id == listener.id)
            {
                ear.port.look(found, &self.node, false);
            }
            let (type_name, reliable) = (entry.candidate.type_name(), entry.candidate.is_reliable());
            let counted = census(found.as_deref(), |one| one.misfit(type_name, reliable).is_none());
            if entry.counted != Some(counted) {
                entry.counted = Some(counted);
                self.shell.deliver((entry.count)(entry.index, counted));
            }
        }
    }

    /// Adds to `status` what came of the topics; who publishes them is the machine's to report.
    pub(crate) fn report(&self, status: &mut Status) {
        for entry in self.entries.iter().filter(|entry| entry.listener.is_none()) {
            status.worsen(Level::Error, format!("'{}' cannot be listened to", entry.full));
        }
        for ear in self.ears.lock().iter() {
            status.values.push((format!("{} received", ear.port.topic), ear.port.received.to_string()));
        }
    }
}

impl<M: Machine> Drop for Listeners<M> {
    fn drop(&mut self) {
        let all: Vec<Listener> = (self.entries.iter_mut().filter_map(|entry| entry.listener.take()))
            .chain(self.leaving.drain(..))
            .collect();
        all.iter().for_each(Listener::stop);
        let end = clock::now() + LONGEST;
        for listener in all {
            listener.wait(end.since(clock::now()));
        }
    }
}
