//! How long an update takes, and how long a command takes to the reading in which it shows.
//!
//! Both ways over DDS, at random times, in turns with a bare r2r node that answers and publishes the same messages at once and has no
//! hand. An update is answered with the latest reading. A command shows in the reading of the tick after the one that takes it: at 1 kHz
//! that is 1.5 ms after it came, in the mean.

use std::time::Duration;

use fastrand::Rng;
use r2r::haptix_msgs::msg::{Command, Sensor};
use r2r::haptix_msgs::srv::Update;
use r2r::{Client, Publisher};
use ros::{clock, qos};

use super::{HAND, with_node};
use crate::bare;
use crate::peer::Peer;
use crate::stage::{Result, START, Stage};
use crate::table::{Distribution, in_turns, table, times};

/// How often each is measured.
const UPDATES: usize = 2000;
const COMMANDS: usize = 200;
/// To which side a command moves the wrist \[rad\].
const WAY: f32 = 0.3;
/// In the time from one command to the next the wrist comes to rest.
const REST: Duration = Duration::from_millis(250);
/// The wrist's torque while it starts to move, at least; at rest it is less \[N·m\].
const TORQUE: f32 = 1.0;
const LONGEST: Duration = Duration::from_secs(1);

/// Measures the node and a bare one in turns; returns a table.
/// # Errors
/// A process does not start, or there is no answer.
pub fn measure(stage: &Stage) -> Result<String> {
    eprintln!("bench: hand: updates and commands");
    let ([bare_updates, updates], [bare_commands, commands]) =
        with_node(stage, None, &[&["bench", "bare-hand"]], |_| {
            Ok((time_updates(stage)?, time_commands(stage)?))
        })?;
    let rows = [
        times("bare service", &bare_updates, &bare_updates),
        times("`~/update`", &updates, &bare_updates),
        times("bare node, command to reading", &bare_commands, &bare_commands),
        times("`~/command` to the reading in which it shows", &commands, &bare_commands),
    ];
    Ok(table("| over DDS | trips | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |", rows))
}

/// Times of the updates of the bare node and of the hand.
fn time_updates(stage: &Stage) -> Result<[Distribution; 2]> {
    let bare = Updater::new(stage, "bench_bare_updater", bare::HAND)?;
    let mut both = [bare, Updater::new(stage, "bench_updater", HAND)?];
    let mut random = Rng::with_seed(1);
    in_turns(UPDATES, |number| {
        // At a time of its own within the period of the loop.
        both[number].peer.pause(Duration::from_micros(random.u64(..2000)))?;
        both[number].update().map(Some)
    })
}

/// Times of the commands to the bare node and to the hand.
fn time_commands(stage: &Stage) -> Result<[Distribution; 2]> {
    let mut bare = Commander::new(stage, "bench_bare_commander", bare::HAND)?;
    let mut hand = Commander::new(stage, "bench_commander", HAND)?;
    let (mut random, mut place) = (Rng::with_seed(1), WAY);
    in_turns(COMMANDS, |number| {
        let pause = Duration::from_micros(random.u64(..2000));
        if number == 0 {
            place = -place;
            bare.peer.pause(REST + pause)?;
            bare.trip(place, |sensor| sensor.motor_pos[0])
        } else {
            hand.peer.pause(pause)?;
            hand.trip(place, |sensor| sensor.motor_torque[0] / TORQUE * WAY)
        }
    })
}

/// A command that brings motor 0 to `position` \[rad\], and the others to 0.
fn command(position: f32) -> Command {
    let mut command = Command { ref_pos_enabled: true, ..Command::default() };
    command.ref_pos[0] = position;
    command
}

/// A client of a hand's `update`.
pub struct Updater {
    /// The node that calls.
    pub peer: Peer,
    client: Client<Update::Service>,
}

impl Updater {
    /// A client called `name` of the hand in `namespace`, once that has a reading: until then an update is an error.
    /// # Errors
    /// There is no hand.
    pub fn new(stage: &Stage, name: &str, namespace: &str) -> Result<Self> {
        let mut peer = Peer::new(stage, name)?;
        let client = peer.client(&format!("{namespace}/update"))?;
        let mut updater = Self { peer, client };
        let end = clock::now() + START;
        while let Err(refusal) = updater.update() {
            if clock::now() >= end {
                return Err(refusal);
            }
        }
        Ok(updater)
    }

    /// Brings all motors to 0; how long the answer took.
    /// # Errors
    /// There is no answer, or the command is refused.
    pub fn update(&mut self) -> Result<Duration> {
        let request = Update::Request { command: command(0.0), wait_for_tick: false };
        let (answer, took) = self.peer.call(&self.client, &request)?;
        let result = answer.result;
        if result.code == 0 {
            Ok(took)
        } else {
            Err(format!("an update is refused: {}", result.message).into())
        }
    }
}

/// The topics of a hand.
struct Commander {
    peer: Peer<Sensor>,
    commands: Publisher<Command>,
}

impl Commander {
    fn new(stage: &Stage, name: &str, namespace: &str) -> Result<Self> {
        let mut peer = Peer::new(stage, name)?;
        let commands = peer.publisher(&format!("{namespace}/command"), qos::command())?;
        peer.subscribe(&format!("{namespace}/sensor"), qos::sensor(), |sensor: Sensor| sensor)?;
        Ok(Self { peer, commands })
    }

    /// How long it takes from a command to `place` to a reading that `shows` no less than that; `None` if none does.
    fn trip(&mut self, place: f32, shows: fn(&Sensor) -> f32) -> Result<Option<Duration>> {
        self.peer.forget();
        let began = clock::now();
        self.commands.publish(&command(place))?;
        let has_come =
            self.peer.listen(LONGEST, |sensor, _| shows(&sensor) * place.signum() >= place.abs())?;
        Ok(has_come.then(|| clock::now().since(began)))
    }
}
