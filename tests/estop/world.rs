use hindbrain::{Hindbrain, Input, Output, Params, specification};
use params::Value;
use safety::{Command, Instant, Machine, PublisherId, Stamp, Velocity};

use crate::neighbours::Neighbour;
use crate::oracle::Oracle;

/// All that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The e-stop's node repeats that it is pressed, or released, or is silent.
    Press,
    Release,
    Mute,
    ResetDown,
    ResetUp,
    Enable(bool),
    /// A command: zero, or motion.
    Drive(bool),
    /// Time passes \[ms\].
    Wait(u64),
    /// hindbrain panics; this is its last word.
    Panic(&'static str),
    /// hindbrain says twice that all is well, and is killed.
    LieAndDie,
    Kill,
    Terminate,
    /// hindbrain is started, under any name; it is in the graph before its first message is received.
    Start,
    /// hindbrain ends and another one is there before the neighbour reads the graph again.
    Restart,
    /// hindbrain is held for a second.
    Hold,
    Cut,
    Restore,
    /// The next message is lost, arrives twice, or late.
    Lose,
    Double,
    Late,
    /// The graph forgets who died unseen.
    Forget,
    RestartNeighbour,
    /// The neighbour is held for a second.
    HoldNeighbour,
    ResetMotors,
}

impl Act {
    pub const ALL: &[Self] = &[
        Self::Press,
        Self::Release,
        Self::Mute,
        Self::ResetDown,
        Self::ResetUp,
        Self::Enable(false),
        Self::Enable(true),
        Self::Drive(false),
        Self::Drive(true),
        Self::Wait(100),
        Self::Wait(600),
        Self::Wait(2000),
        Self::Panic("ESTOP"),
        Self::Panic("SSTOP.ROS"),
        Self::Panic("OK"),
        Self::LieAndDie,
        Self::Kill,
        Self::Terminate,
        Self::Start,
        Self::Restart,
        Self::Hold,
        Self::Cut,
        Self::Restore,
        Self::Lose,
        Self::Double,
        Self::Late,
        Self::Forget,
        Self::RestartNeighbour,
        Self::HoldNeighbour,
        Self::ResetMotors,
    ];
}

/// The time between two events \[ms\]; every machine is called in each step.
const STEP: u64 = 10;
/// How often the e-stop repeats its state, and the neighbour reads the graph at the latest \[ms\].
const ESTOP_PERIOD: u64 = 50;
const COUNT_PERIOD: u64 = 100;
/// How late a message may be \[ms\].
const LATE: u64 = 300;
const HOLD: u64 = 1000;
/// How long a process that ends is there for its last messages, and how long one that starts is there before its first \[ms\].
const ENDS: u64 = 100;
const BEGINS: u64 = 50;

/// A process of hindbrain, and who publishes its state.
#[derive(Clone)]
struct Brain {
    id: u8,
    machine: Hindbrain,
    begins: u64,
    held_until: u64,
    waiting: Vec<Input>,
}

#[derive(Clone, Copy)]
struct Message {
    from: u8,
    text: &'static str,
    sent: u64,
    arrives: u64,
}

/// A publisher in the graph that the neighbour reads.
#[derive(Clone, Copy)]
struct Endpoint {
    id: u8,
    leaves: u64,
    is_dead: bool,
}

#[derive(Clone)]
pub struct World<N> {
    pub neighbour: N,
    pub oracle: Oracle,
    params: Params,
    is_strict: bool,
    now: u64,
    brain: Option<Brain>,
    ids: u8,
    estop: Option<bool>,
    graph: Vec<Endpoint>,
    /// The publishers in the graph as the neighbour's computer knows it.
    known: Vec<u8>,
    has_link: bool,
    flying: Vec<Message>,
    fate: Option<Act>,
    counted: u64,
    /// Until when the neighbour is held; what it will find then: messages, and resets of its motors.
    held_until: u64,
    unread: Vec<Message>,
    resets: usize,
}

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

impl Brain {
    fn receive(&mut self, now: u64, input: Input, late: bool, oracle: &mut Oracle) {
        match input {
            Input::EstopReceived(pressed) => oracle.estop_received(now, pressed),
            Input::ResetReceived(down) => oracle.reset_received(now, down, late),
            _ => {}
        }
        self.machine.handle(at(now), input);
    }
}

impl<N: Neighbour> World<N> {
    /// hindbrain and its neighbour were started; the e-stop was not.
    pub fn new() -> Self {
        Self::with_profile("strict")
    }

    pub fn of_seed() -> Self {
        Self::with_profile("seed")
    }

    fn with_profile(profile: &str) -> Self {
        let set = specification().resolve([("profile".to_owned(), Value::Text(profile.into()))]).unwrap();
        let mut world = Self {
            neighbour: N::new(),
            oracle: Oracle::default(),
            params: Params::read(&set).unwrap(),
            is_strict: profile == "strict",
            now: 1000,
            brain: None,
            ids: 0,
            estop: None,
            graph: Vec::new(),
            known: Vec::new(),
            has_link: true,
            flying: Vec::new(),
            fate: None,
            counted: 0,
            held_until: 0,
            unread: Vec::new(),
            resets: 0,
        };
        world.start(0);
        world
    }

    pub fn neighbour_halt(&self) -> Option<safety::VehicleHalt> {
        self.neighbour.halt()
    }

    /// Whether the neighbour moves under commands.
    pub fn neighbour_moves(&mut self) -> bool {
        self.neighbour.moves(at(self.now))
    }

    /// Does it, and lets two steps pass.
    pub fn act(&mut self, act: Act) -> Result<(), String> {
        let mut passes = 2 * STEP;
        match act {
            Act::Press | Act::Release | Act::Mute => {
                self.estop = [(Act::Press, true), (Act::Release, false)]
                    .iter()
                    .find(|(of, _)| *of == act)
                    .map(|(_, on)| *on);
                if let Some(pressed) = self.estop {
                    self.give(Input::EstopReceived(pressed));
                }
            }
            Act::ResetDown | Act::ResetUp => {
                let down = act == Act::ResetDown;
                self.give(Input::ResetReceived(down));
            }
            Act::Enable(on) => self.give(Input::EnableReceived(on)),
            Act::Drive(moves) => {
                let velocity = Velocity::planar(if moves { 0.5 } else { 0.0 }, 0.0).unwrap();
                self.give(Input::CommandReceived(Ok(Command::new(velocity, Stamp::ZERO))));
            }
            Act::Wait(time) => passes = time,
            // A process that is held does nothing, not even on a signal.
            Act::Panic(_) | Act::LieAndDie | Act::Terminate | Act::Restart if self.is_held() => {}
            Act::Panic(last) => {
                if let Some(brain) = self.brain.take() {
                    self.send(brain.id, last);
                    self.ends(brain.id, true);
                }
            }
            Act::LieAndDie => {
                if let Some(brain) = self.brain.take() {
                    self.send(brain.id, "OK");
                    self.send(brain.id, "OK");
                    self.ends(brain.id, false);
                }
            }
            Act::Kill => {
                if let Some(brain) = self.brain.take() {
                    self.ends(brain.id, false);
                }
            }
            Act::Terminate => {
                if let Some(brain) = &mut self.brain {
                    brain.machine.handle(at(self.now), Input::Stopping);
                    self.drain()?;
                }
                if let Some(brain) = self.brain.take() {
                    self.ends(brain.id, true);
                }
            }
            Act::Start if self.brain.is_none() => self.start(0),
            Act::Start => {}
            Act::Restart => {
                if let Some(brain) = &mut self.brain {
                    brain.machine.handle(at(self.now), Input::Stopping);
                    self.drain()?;
                }
                if let Some(brain) = self.brain.take() {
                    self.ends(brain.id, true);
                    if self.has_link {
                        self.forget(|known| known.id == brain.id);
                    }
                    self.start(BEGINS);
                }
            }
            Act::Hold => {
                if let Some(brain) = &mut self.brain {
                    brain.held_until = self.now + HOLD;
                }
            }
            Act::Cut => {
                self.has_link = false;
                // Who is dead sends nothing again.
                let living = self.brain.as_ref().map(|brain| brain.id);
                self.flying.retain(|message| Some(message.from) == living);
            }
            Act::Restore => self.has_link = true,
            Act::Lose | Act::Double | Act::Late => self.fate = Some(act),
            Act::Forget => {
                self.forget(|known| known.is_dead);
                self.oracle.disturbed(self.now);
            }
            Act::RestartNeighbour => {
                (self.neighbour, self.counted) = (N::new(), 0);
                (self.held_until, self.resets) = (0, 0);
                self.unread.clear();
                self.oracle.neighbour_restarted(self.now);
            }
            Act::HoldNeighbour if self.is_neighbour_held() => {}
            Act::HoldNeighbour => {
                self.held_until = self.now + HOLD;
                self.oracle.neighbour_held(self.now);
            }
            Act::ResetMotors if self.is_neighbour_held() => self.resets += 1,
            Act::ResetMotors => {
                self.neighbour.reset(at(self.now));
                let is_obeyed = self.neighbour.halt().is_none();
                if self.oracle.may_reset(self.now) {
                    if is_obeyed {
                        self.oracle.motors_reset();
                    } else if self.oracle.is_quiet(self.now) {
                        return Err("the neighbour refuses a reset".into());
                    }
                }
            }
        }
        if matches!(act, Act::Cut | Act::Restore | Act::Lose | Act::Double | Act::Late | Act::Hold) {
            self.oracle.disturbed(self.now);
        }
        self.check()?;
        for _ in 0..passes / STEP {
            self.step()?;
        }
        Ok(())
    }

    fn is_held(&self) -> bool {
        self.brain.as_ref().is_some_and(|brain| brain.held_until > self.now)
    }

    fn is_neighbour_held(&self) -> bool {
        self.held_until > self.now
    }

    fn start(&mut self, silent: u64) {
        self.ids += 1;
        let machine = Hindbrain::new(self.params);
        let begins = self.now + silent;
        self.brain = Some(Brain { id: self.ids, machine, begins, held_until: 0, waiting: Vec::new() });
        self.graph.push(Endpoint { id: self.ids, leaves: u64::MAX, is_dead: false });
        self.oracle.started(self.now, self.ids);
    }

    /// The process ended; the graph will know of it if that was `seen`, and the link is there.
    fn ends(&mut self, ended: u8, seen: bool) {
        self.oracle.ended();
        if !self.has_link {
            self.flying.retain(|message| message.from != ended);
        }
        for known in self.graph.iter_mut().filter(|known| known.id == ended) {
            known.is_dead = true;
            known.leaves = if seen && self.has_link { self.now + ENDS } else { u64::MAX };
        }
    }

    /// Removes publishers from the graph; the middleware drops their messages with them, but for those that the neighbour's reader has.
    fn forget(&mut self, is_gone: impl Fn(&Endpoint) -> bool) {
        let now = self.now;
        for gone in self.graph.extract_if(.., |known| is_gone(known)) {
            self.flying.retain(|message| message.from != gone.id || message.arrives <= now);
        }
    }

    fn give(&mut self, input: Input) {
        let now = self.now;
        match &mut self.brain {
            Some(brain) if brain.begins > now => {}
            Some(brain) if brain.held_until > now => brain.waiting.push(input),
            Some(brain) => brain.receive(now, input, false, &mut self.oracle),
            None => {}
        }
    }

    fn send(&mut self, from: u8, text: &'static str) {
        let mut message = Message { from, text, sent: self.now, arrives: self.now };
        if !self.has_link {
            // Its writer keeps the last one for when the link is back.
            self.flying.retain(|older| older.from != from || older.arrives < self.now);
        }
        if self.fate.is_some() {
            self.oracle.disturbed(self.now);
        }
        match self.fate.take() {
            Some(Act::Lose) => return,
            Some(Act::Double) => self.flying.push(message),
            Some(Act::Late) => message.arrives += LATE,
            _ => {}
        }
        // The middleware keeps the order of a writer's messages.
        let before = self.flying.iter().filter(|other| other.from == from).map(|other| other.arrives).max();
        message.arrives = message.arrives.max(before.unwrap_or_default());
        self.flying.push(message);
    }

    fn step(&mut self) -> Result<(), String> {
        self.now += STEP;
        let now = self.now;
        if self.has_link {
            self.forget(|known| known.leaves <= now);
        } else {
            self.oracle.disturbed(now);
        }
        if let Some(pressed) = self.estop.filter(|_| now.is_multiple_of(ESTOP_PERIOD)) {
            self.give(Input::EstopReceived(pressed));
        }
        if let Some(brain) = self.brain.as_mut().filter(|brain| brain.held_until.max(brain.begins) <= now) {
            if brain.held_until == now {
                self.oracle.disturbed(now);
                brain.machine.read_again(at(now), at(now - HOLD), at(now - HOLD + 20));
            }
            for input in core::mem::take(&mut brain.waiting) {
                brain.receive(now, input, true, &mut self.oracle);
            }
            self.drain()?;
        }
        if self.is_neighbour_held() {
            let arrived = self.arrived();
            self.unread.extend(arrived);
            return Ok(());
        }
        if self.held_until == now {
            self.oracle.neighbour_goes_on(now);
        }
        self.turn();
        // A reset that waited, after the messages: no node knows the order of the two.
        for _ in 0..core::mem::take(&mut self.resets) {
            self.oracle.reset_waited(now);
            self.neighbour.reset(at(now));
        }
        self.neighbour.expire(at(now));
        self.check()
    }

    /// Sends what hindbrain publishes.
    fn drain(&mut self) -> Result<(), String> {
        let Some(mut brain) = self.brain.take() else { return Ok(()) };
        while let Some(output) = brain.machine.poll(at(self.now)) {
            if let Output::PublishState(state) = output {
                if self.is_strict {
                    self.oracle.published(self.now, state.as_str())?;
                }
                self.send(brain.id, state.as_str());
            }
        }
        self.brain = Some(brain);
        Ok(())
    }

    /// Takes the messages that are at the neighbour by now.
    fn arrived(&mut self) -> Vec<Message> {
        let (now, has_link) = (self.now, self.has_link);
        self.flying.extract_if(.., |message| has_link && message.arrives <= now).collect()
    }

    /// A turn of the neighbour's runner: it takes what has arrived, reads the graph, and delivers.
    fn turn(&mut self) {
        let now = self.now;
        let mut taken = core::mem::take(&mut self.unread);
        taken.extend(self.arrived());
        if taken.is_empty() && now < self.counted + COUNT_PERIOD {
            return;
        }
        if self.counted > 0 {
            self.neighbour.read_again(at(now), at(self.counted), at(self.counted + COUNT_PERIOD));
        }
        self.counted = now;
        if self.has_link {
            self.known = self.graph.iter().map(|known| known.id).collect();
        }
        self.oracle.counted(now, &self.known);
        let ids: Vec<PublisherId> = self.known.iter().map(|&known| PublisherId([known; 24])).collect();
        self.neighbour.count(at(now), &ids);
        for message in taken {
            self.oracle.handed(now, message.from, message.text, message.sent);
            self.neighbour.receive(at(now), message.text);
        }
    }

    fn check(&mut self) -> Result<(), String> {
        if !self.is_strict || self.is_neighbour_held() {
            return Ok(());
        }
        let moves = self.neighbour.moves(at(self.now));
        self.oracle
            .judge(self.now, moves)
            .map_err(|wrong| format!("{wrong}; it says {:?} at {} ms", self.neighbour.halt(), self.now))
    }
}
