//! The machine and the oracle side by side: each call goes to both, and their results are compared.

use std::hash::{Hash, Hasher};

use hindbrain::{Cause, Causes, Hindbrain, Input, Motors, Output, Params, StopState};
use safety::{Instant, Machine};

use crate::act::{Act, Edge, Wait, World};
use crate::books::{MS, Ns};
use crate::models::TICK;
use crate::oracle::Oracle;

/// A machine, and the oracle that predicts it.
#[derive(Clone)]
pub struct Pair {
    pub machine: Hindbrain,
    pub oracle: Oracle,
    pub world: World,
    /// Whether the machine is drained after each event, or only after the next one.
    pub drains: bool,
    /// Outputs are pending.
    waits: bool,
    driven: Option<(Ns, Motors)>,
    published: Option<StopState>,
}

fn at(now: Ns) -> Instant {
    Instant::from_nanos(now as u64)
}

impl Pair {
    /// A machine that was started and has read the wall clock.
    /// # Errors
    /// Machine and oracle differ at the start.
    pub fn new(params: Params, cap: Ns) -> Result<Self, String> {
        let machine = Hindbrain::new(params);
        let oracle = Oracle::new(params, machine.state(), machine.causes());
        let world = World::new(1_000 * MS, cap);
        let mut pair =
            Self { machine, oracle, world, drains: true, waits: false, driven: None, published: None };
        pair.call(true, None)?;
        Ok(pair)
    }

    pub fn state(&self) -> StopState {
        self.machine.state()
    }

    pub fn causes(&self) -> Causes {
        self.machine.causes()
    }

    pub fn levels(&self) -> [i16; 2] {
        self.machine.motors().levels()
    }

    pub fn asked(&self) -> Option<Ns> {
        self.machine.deadline().map(|at| at.as_nanos() as Ns)
    }

    /// When the next motor value is due.
    fn promised(&self) -> Option<Ns> {
        self.driven.map(|(at, _)| at + 20 * MS)
    }

    /// Lets time pass and delivers an event.
    /// # Errors
    /// The difference between the machine and the oracle.
    pub fn go(&mut self, Edge(wait, act): Edge, alternatives: &[Params]) -> Result<(), String> {
        match wait {
            Wait::Alone(time) => self.world.now += time,
            Wait::Served(time) => {
                let end = self.world.now + time;
                while let Some(asked) = self.asked().filter(|&asked| asked <= end) {
                    self.world.now = asked.max(self.world.now);
                    self.call(false, None)?;
                }
                self.world.now = end;
            }
        }
        if let Act::Jump(by) = act {
            self.world.offset += by;
            return self.call(true, None);
        }
        if let Act::Clock(is_reliable) = act {
            self.world.is_clock_reliable = is_reliable;
            return self.call(true, None);
        }
        if let Act::Away(time) = act {
            self.call(true, None)?;
            let now = self.world.now;
            self.oracle.read_again(now, now - time, now - time + TICK);
            self.machine.read_again(at(now), at(now - time), at(now - time + TICK));
            return self.compare();
        }
        match self.world.input(act, alternatives, self.oracle.newest()) {
            None => self.call(false, None),
            Some((input, clock)) => self.call(clock, Some(input)),
        }
    }

    /// Reads the wall clock if requested, delivers an input if there is one, and drains the machine, as the node does.
    fn call(&mut self, clock: bool, input: Option<Input>) -> Result<(), String> {
        let now = self.world.now;
        let before = self.machine.motors();
        let due = self.asked().is_some_and(|asked| asked <= now);
        // What an unreliable clock shows is not added to.
        if clock || !self.world.is_clock_reliable {
            let read = Input::ClockRead(self.world.reading());
            self.oracle.handled(now, self.promised(), &read);
            self.machine.handle(at(now), read);
        }
        if let Some(input) = input {
            self.oracle.handled(now, self.promised(), &input);
            self.machine.handle(at(now), input);
            self.oracle.judge(self.levels(), now)?;
            self.compare().map_err(|what| format!("before it is drained {what}"))?;
            if !self.drains {
                self.waits = true;
                return Ok(());
            }
        } else {
            // If a motor value is due it takes a snapshot; if only something else is due it may.
            let tick = !self.waits && self.driven.is_none_or(|(at, _)| now - at >= 20 * MS);
            self.oracle.polled(now, self.promised(), due, due && tick);
        }
        let mut drives = 0;
        while let Some(output) = self.machine.poll(at(now)) {
            match output {
                Output::Drive(motors) => {
                    self.driven = Some((now, motors));
                    drives += 1;
                }
                Output::PublishState(state) => self.published = Some(state),
                _ => {}
            }
        }
        self.waits = false;
        if due && (self.compare_states().is_err() || !self.oracle.accepts_levels(self.levels())) {
            // The document leaves open how many snapshots it takes at the same time.
            self.oracle.snapshot_again(now);
        }
        self.oracle.judge(self.levels(), now)?;
        self.compare()?;
        self.outputs(before, drives)
    }

    fn compare(&self) -> Result<(), String> {
        self.compare_states()?;
        let (machine, oracle) = (&self.machine, &self.oracle);
        if oracle.is_new() || oracle.is_ending() {
            return Ok(());
        }
        if machine.accepts_parameters() != oracle.accepts_parameters() {
            return Err(format!("parameters accepted: machine has {}", machine.accepts_parameters()));
        }
        if *machine.params() != oracle.params {
            return Err("other parameters".to_owned());
        }
        Ok(())
    }

    fn compare_states(&self) -> Result<(), String> {
        if self.oracle.is_new() {
            return Ok(());
        }
        let (machine, oracle) = (&self.machine, &self.oracle);
        if oracle.is_ending() {
            let rests = machine.motors().are_stopped() && machine.state() != StopState::Ok;
            return if rests { Ok(()) } else { Err("ends without a stop".to_owned()) };
        }
        if machine.causes() != oracle.causes || machine.state() != oracle.state {
            let only = |a: Causes, b: Causes| {
                let causes: Vec<_> =
                    Cause::ALL.iter().filter(|&&c| a.contains(c) && !b.contains(c)).collect();
                format!("{causes:?}")
            };
            return Err(format!(
                "machine {:?}, document {:?}; machine alone has {}, document alone has {}",
                machine.state(),
                oracle.state,
                only(machine.causes(), oracle.causes),
                only(oracle.causes, machine.causes()),
            ));
        }
        Ok(())
    }

    fn outputs(&self, before: Motors, drives: usize) -> Result<(), String> {
        let (machine, now) = (&self.machine, self.world.now);
        let after = machine.motors();
        if before.levels() != after.levels() && self.driven != Some((now, after)) {
            return Err(format!("motors changed unsent: {after:?}, sent {:?}", self.driven));
        }
        if self.driven.is_some_and(|(_, motors)| motors.levels() != after.levels()) || drives > 2 {
            return Err(format!("sent {:?} in {drives}, but the motors are {after:?}", self.driven));
        }
        if self.published.is_some_and(|state| state != machine.state()) {
            return Err(format!("published {:?}", self.published));
        }
        let asked = self.asked();
        let last = self.driven.map_or(now, |(at, _)| at);
        if self.oracle.is_ending() {
            return Ok(());
        }
        if asked.is_none_or(|asked| asked <= now || asked > last + 20 * MS) {
            return Err(format!("requested a call at {asked:?}, now {now}, last sent at {last}"));
        }
        Ok(())
    }

    /// Hashes everything of both that affects later outputs.
    pub fn print(&self, cap: Ns, into: &mut impl Hasher) {
        if self.oracle.is_ending() && self.asked().is_none() {
            return self.machine.key().state.hash(into);
        }
        self.machine.key().hash(into);
        self.world.counts().hash(into);
        self.oracle.feed(self.world.now, self.asked(), cap, into);
        self.driven.map(|(at, _)| (self.world.now - at).min(20 * MS)).hash(into);
    }
}
