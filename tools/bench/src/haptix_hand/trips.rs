//! How long an update takes, and how long a command takes to the reading in which it shows.
//!
//! Both ways over DDS, at random times, in turns with a bare r2r node that answers and publishes the same messages at once and has no
//! hand. An update is answered with the latest reading. A command shows in the reading of the tick after the one that takes it: at 1 kHz
//! that is 1.5 ms after it came, in the mean.

use core::fmt;
use std::time::Duration;

use processes::Folder;
use r2r::Publisher;
use r2r::haptix_msgs::msg::{Command, Sensor};
use ros::{Error, Stop, clock, qos};

use super::bare::BARE;
use super::node::{self, HAND, Updater, command};
use crate::child;
use crate::distribution::Distribution;
use crate::incoming::Incoming;

/// How often each is measured.
const UPDATES: usize = 2000;
const COMMANDS: usize = 200;
/// The first ones, in which memory is used for the first time, do not count.
const REHEARSED: usize = 20;
/// To which side a command moves the wrist \[rad\].
const WAY: f32 = 0.3;
/// In the time from one command to the next the wrist comes to rest.
const REST: Duration = Duration::from_millis(250);
/// The wrist's torque while it starts to move, at least; at rest it is less \[N·m\].
const TORQUE: f32 = 1.0;
const LONGEST: Duration = Duration::from_secs(1);
const SLICE: Duration = Duration::from_millis(20);
const ROWS: [&str; 4] = [
    "bare service",
    "`~/update`",
    "bare node, command to reading",
    "`~/command` to the reading in which it shows",
];

/// The figures; shown as a table in Markdown.
pub struct Report([Distribution; ROWS.len()]);

/// Measures the node and a bare one in turns.
/// # Errors
/// A process does not start, or there is no answer.
pub fn measure(context: &r2r::Context, folder: &Folder, stop: &Stop) -> Result<Report, Error> {
    eprintln!("bench: hand: updates and commands");
    let _bare = child::start("bench", &["bare-hand".to_owned()], folder)?;
    let child = node::start(None, folder)?;
    let times =
        take_times(context, stop).map_err(|error| Error::Start(format!("{error}\n{}", child.output())))?;
    let mut each = times.map(Distribution::new).into_iter();
    let mut next = || each.next().flatten().ok_or_else(|| Error::Start("nothing was measured".into()));
    Ok(Report([next()?, next()?, next()?, next()?]))
}

fn take_times(context: &r2r::Context, stop: &Stop) -> Result<[Vec<Duration>; ROWS.len()], Error> {
    let mut bare = Updater::new(context, "bench_bare_updater", BARE)?;
    let mut hand = Updater::new(context, "bench_updater", HAND)?;
    bare.wait()?;
    hand.wait()?;
    let mut random = fastrand::Rng::with_seed(1);
    let mut times: [Vec<Duration>; ROWS.len()] = Default::default();
    for round in 0..UPDATES + REHEARSED {
        for (times, updater) in times.iter_mut().zip([&mut bare, &mut hand]) {
            // At a time of its own within the period of the loop.
            pause(&mut updater.node, Duration::from_micros(random.u64(..2000)));
            let took = updater.update(0.0)?;
            if round >= REHEARSED {
                times.push(took);
            }
        }
        check(stop)?;
    }
    drop((bare, hand));
    let mut bare = Wire::new(context, "bench_bare_commander", BARE)?;
    let mut hand = Wire::new(context, "bench_commander", HAND)?;
    let mut place = WAY;
    for round in 0..COMMANDS + REHEARSED {
        place = -place;
        pause(&mut bare.node, REST + Duration::from_micros(random.u64(..2000)));
        let floor = bare.trip(place, |sensor| sensor.motor_pos[0])?;
        pause(&mut hand.node, Duration::from_micros(random.u64(..2000)));
        let took = hand.trip(place, |sensor| sensor.motor_torque[0] / TORQUE * WAY)?;
        // In the first rounds the middleware finds the topics.
        if round >= REHEARSED {
            let none = || Error::Start(format!("no reading shows a command within {LONGEST:?}"));
            times[2].push(floor.ok_or_else(none)?);
            times[3].push(took.ok_or_else(none)?);
        }
        check(stop)?;
    }
    Ok(times)
}

fn check(stop: &Stop) -> Result<(), Error> {
    if stop.is_set() { Err(Error::Start("interrupted".into())) } else { Ok(()) }
}

fn pause(node: &mut ros::Node, time: Duration) {
    let end = clock::now() + time;
    while clock::now() < end {
        node.spin_once(end.since(clock::now()));
    }
}

/// The topics of a hand.
struct Wire {
    node: ros::Node,
    commands: Publisher<Command>,
    readings: Incoming<Sensor>,
}

impl Wire {
    fn new(context: &r2r::Context, name: &str, namespace: &str) -> Result<Self, Error> {
        let mut node = ros::Node::new(context, name)?;
        let topic = format!("{namespace}/command");
        let commands = node
            .create_publisher(&topic, qos::command())
            .map_err(Error::ros(format!("publish '{topic}'")))?;
        let readings = Incoming::new(&mut node, &format!("{namespace}/sensor"), qos::sensor())?;
        Ok(Self { node, commands, readings })
    }

    /// How long it takes from a command to `place` to a reading that `shows` no less than that; `None` if none does.
    fn trip(&mut self, place: f32, shows: fn(&Sensor) -> f32) -> Result<Option<Duration>, Error> {
        self.node.spin_once(Duration::ZERO);
        while self.readings.take().is_some() {
            self.node.spin_once(Duration::ZERO);
        }
        let began = clock::now();
        self.commands.publish(&command(place)).map_err(Error::ros("publish a command"))?;
        while clock::now().since(began) < LONGEST {
            self.node.spin_once(SLICE);
            while let Some(sensor) = self.readings.take() {
                if shows(&sensor) * place.signum() >= place.abs() {
                    return Ok(Some(clock::now().since(began)));
                }
            }
        }
        Ok(None)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| over DDS | trips | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |\n|---|--:|--:|--:|--:|--:|"
        )?;
        for (number, (name, times)) in ROWS.iter().zip(&self.0).enumerate() {
            let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| times.quantile(share).as_micros());
            let bare = self.0[number / 2 * 2].quantile(0.5).as_secs_f64();
            let ratio = times.quantile(0.5).as_secs_f64() / bare;
            writeln!(f, "| {name} | {} | {p50} | {p99} | {max} | {ratio:.2} |", times.count())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_compared_with_the_bare_node_of_its_kind() {
        let times = |micros: u64| Distribution::new(vec![Duration::from_micros(micros)]).unwrap();
        let text = Report([times(100), times(150), times(200), times(800)]).to_string();
        for row in
            ["| bare service | 1 | 100 | 100 | 100 | 1.00 |", "| 1 | 150 | 150 | 150 | 1.50 |", "| 4.00 |"]
        {
            assert!(text.contains(row), "{text}");
        }
    }
}
