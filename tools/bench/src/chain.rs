//! How long a stick event takes to the motors, and what it costs: in one process and in four, each beside a bare chain.
//!
//! The figures are medians over interleaved rounds; of `max` the largest, of `events` and `lost` the sums. A ratio is to the bare chain
//! of the same round. Times are taken one subject after the other, with a subscription to `hind/applied`; the cost of a subject and
//! of its bare chain in the same seconds, with subscriptions to both motors and the state only. *Lost* counts events that were sent
//! and never arrived, since a publisher keeps the newest message only. Memory counts shared pages for each process.

mod pairing;
mod sink;

use std::time::Duration;

use processes::{Activity, Meter};
use ros::clock;

use self::sink::{Received, Sink};
use crate::hand::{Hand, RATE, STICK, Task};
use crate::stage::{Result, START, Stage};
use crate::table::{self, Distribution};

/// How long a subject runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(1);
/// How long the motors may take to turn before motion is enabled anew.
const TO_MOVE: Duration = Duration::from_secs(1);
/// How long messages may take to arrive.
const ARRIVAL: Duration = Duration::from_millis(100);
/// The parameters of all nodes.
const PARAMETERS: &str = "stack.yaml";
/// The ends of the bare chains.
const ENDS: [&str; 2] = ["/bench/chain_of_1/end", "/bench/chain_of_4/end"];
/// CPU of one process and of four, at most, to the bare chain's.
const GOALS: [f64; 2] = [2.0, 1.3];

const HEADER: &str = "| subject | motor values [1/s and side] | CPU [% of a core] | CPU to bare | CPU, least to most | CPU goal \
                      | memory [MB] | events | lost | p50 [µs] | p99 [µs] | max [µs] | p50 to bare | p50, least to most |";

/// Subject of a measurement: processes that are alive together.
struct Subject {
    /// Name in the table.
    name: &'static str,
    /// Their commands; those of a bare chain make a message each.
    commands: &'static [&'static [&'static str]],
    /// The last topic of a bare chain.
    end: Option<&'static str>,
}

/// In the order of a round: a subject, then the bare chain of as many messages that it is compared with.
const SUBJECTS: [[Subject; 2]; 2] = [
    [
        Subject {
            name: "steersman",
            commands: &[&["steersman", "--ros-args", "--params-file", PARAMETERS]],
            end: None,
        },
        Subject { name: "bare relay", commands: &[&["bench", "stamp", STICK, ENDS[0]]], end: Some(ENDS[0]) },
    ],
    [
        Subject {
            name: "four processes",
            commands: &[
                &["hindbrain", "--ros-args", "--params-file", PARAMETERS],
                &["zone_scaler", "--ros-args", "--params-file", PARAMETERS],
                &["velocity_arbiter", "--ros-args", "--params-file", PARAMETERS],
                &["joystick", "--ros-args", "--params-file", PARAMETERS],
            ],
            end: None,
        },
        Subject {
            name: "bare chain of four",
            commands: &[
                &["bench", "relay", "/bench/chain_of_4/hop_3", ENDS[1]],
                &["bench", "relay", "/bench/chain_of_4/hop_2", "/bench/chain_of_4/hop_3"],
                &["bench", "relay", "/bench/chain_of_4/hop_1", "/bench/chain_of_4/hop_2"],
                &["bench", "stamp", STICK, "/bench/chain_of_4/hop_1"],
            ],
            end: Some(ENDS[1]),
        },
    ],
];

/// Figures of a subject in one round.
#[derive(Clone, Debug)]
struct Figures {
    /// Cost of its processes.
    cost: Activity,
    /// Values of one motor, or messages of a bare chain \[1/s].
    values: f64,
    /// How many events were sent while they were timed.
    sent: usize,
    /// How long those took that arrived.
    times: Distribution,
}

/// A stage with a hand.
struct Chain<'a> {
    stage: &'a Stage,
    hand: Hand,
}

/// Measures all rounds, a subject and its bare chain alive at a time; returns a table.
/// # Errors
/// A process does not start, ends, or nothing arrives.
pub fn measure(stage: &Stage) -> Result<String> {
    stage.put(PARAMETERS, include_str!("stack.yaml"))?;
    let chain = Chain { stage, hand: Hand::new(stage)? };
    let mut pairs: [Vec<[Figures; 2]>; 2] = Default::default();
    let (count, seconds) = (stage.arguments.rounds, stage.arguments.seconds);
    for round in 1..=count {
        for (rounds, [subject, bare]) in pairs.iter_mut().zip(&SUBJECTS) {
            eprintln!("bench: round {round} of {count}: {} and {}", subject.name, bare.name);
            rounds.push(chain.round(subject, bare)?);
        }
    }
    let rows =
        SUBJECTS.iter().zip(&pairs).zip(GOALS).flat_map(|((pair, rounds), goal)| rows(pair, rounds, goal));
    let figures = table::table(HEADER, rows);
    Ok(format!("{figures}\n{RATE} events a second, {count} rounds of {seconds} s.\n"))
}

impl Chain<'_> {
    /// Measures how long `subject` takes and how long `bare` does, one after the other, and then what both cost in the same
    /// seconds: this machine may be twice as quick a minute later.
    fn round(&self, subject: &Subject, bare: &Subject) -> Result<[Figures; 2]> {
        let ((sent, times), (bare_sent, bare_times)) = (self.time(subject)?, self.time(bare)?);
        self.stage.with(subject.name, &[bare.commands, subject.commands].concat(), |children| {
            let (bare_children, children) = children.split_at(bare.commands.len());
            self.prepare(&mut Sink::new(self.stage, true)?, subject)?;
            let mut sink = Sink::new(self.stage, false)?;
            sink.listen(WARM_UP)?;
            sink.clear();
            let (meter, bare_meter) = (Meter::new(children, None)?, Meter::new(bare_children, None)?);
            let window = self.stage.arguments.window();
            sink.listen(window)?;
            let (cost, bare_cost) = (meter.read()?, bare_meter.read()?);
            self.hand.set(Task::Rest);
            let [values, passed] = [sink.received().values, sink.received().passed]
                .map(|count| count as f64 / window.as_secs_f64());
            Ok([
                Figures { cost, values, sent, times },
                Figures { cost: bare_cost, values: passed, sent: bare_sent, times: bare_times },
            ])
        })
    }

    /// How many events are sent, and how long those take that arrive. No event is on the way when it begins and when it ends.
    fn time(&self, subject: &Subject) -> Result<(usize, Distribution)> {
        self.stage.with(subject.name, subject.commands, |_| {
            let mut sink = Sink::new(self.stage, true)?;
            self.prepare(&mut sink, subject)?;
            self.hand.set(Task::Rest);
            sink.listen(ARRIVAL)?;
            sink.clear();
            self.hand.take_sent();
            self.hand.set(Task::Drive);
            sink.listen(self.stage.arguments.window())?;
            self.hand.set(Task::Rest);
            sink.listen(ARRIVAL)?;
            let sent = self.hand.take_sent();
            Ok((sent.len(), sink.received().pairing.times(&sent)?))
        })
    }

    /// Waits until events arrive as they should.
    fn prepare(&self, sink: &mut Sink, subject: &Subject) -> Result<()> {
        let arrives = |received: &Received| !received.pairing.events().is_empty();
        if let Some(end) = subject.end {
            self.hand.set(Task::Drive);
            sink.wait(&format!("nothing came on '{end}'"), arrives)?;
            return sink.listen(WARM_UP);
        }
        let end = clock::now() + START;
        while clock::now() < end {
            self.hand.set(Task::Enable);
            sink.wait("motion was not enabled", |it| it.vehicle.is_ok() && arrives(it))?;
            // A node that received the zone scaling only after the stick began to move would wait for a zero command.
            sink.listen(WARM_UP)?;
            self.hand.set(Task::Drive);
            if sink.listen_until(TO_MOVE, |it| it.vehicle.moves())? {
                return sink.listen(WARM_UP);
            }
        }
        Err(format!("the motors did not turn; {}", sink.received().vehicle).into())
    }
}

/// The rows of a pair.
fn rows([subject, bare]: &[Subject; 2], rounds: &[[Figures; 2]], goal: f64) -> [String; 2] {
    let cpu = ratio(rounds, |figures| figures.cost.cpu);
    let p50 = ratio(rounds, |figures| figures.times.micros(0.5));
    let shown = |[least, middle, most]: [f64; 3]| format!("{middle:.2} | {least:.2} to {most:.2}");
    let ratios = [shown(cpu), table::goal(cpu[1], goal), shown(p50)];
    let of_bare = ["1 | 1", "–", "1 | 1"].map(str::to_owned);
    [
        row(subject.name, rounds.iter().map(|[of, _]| of), ratios),
        row(bare.name, rounds.iter().map(|[_, of]| of), of_bare),
    ]
}

/// The row of a subject with its ratios to the bare chain and the goal of one.
fn row<'a>(
    name: &str,
    rounds: impl Iterator<Item = &'a Figures> + Clone,
    [cpu_ratio, goal, p50_ratio]: [String; 3],
) -> String {
    let median = |figure: fn(&Figures) -> f64| median(rounds.clone().map(figure).collect());
    let sum = |figure: fn(&Figures) -> usize| rounds.clone().map(figure).sum::<usize>();
    let (sent, arrived) = (sum(|figures| figures.sent), sum(|figures| figures.times.count()));
    let max = rounds.clone().map(|figures| figures.times.micros(1.0)).fold(0.0, f64::max);
    format!(
        "| {name} | {:.0} | {:.1} | {cpu_ratio} | {goal} | {:.0} | {arrived} | {} | {:.0} | {:.0} | {max:.0} | {p50_ratio} |",
        median(|figures| figures.values),
        median(|figures| 100.0 * figures.cost.cpu),
        median(|figures| figures.cost.memory),
        sent.saturating_sub(arrived),
        median(|figures| figures.times.micros(0.5)),
        median(|figures| figures.times.micros(0.99)),
    )
}

/// The ratio of `figure` to that of the bare chain of the same round: the least, the median and the most of all rounds.
fn ratio(rounds: &[[Figures; 2]], figure: fn(&Figures) -> f64) -> [f64; 3] {
    let ratios: Vec<f64> = rounds.iter().map(|[subject, bare]| figure(subject) / figure(bare)).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    [least, median(ratios), most]
}

/// The middle value, the mean of the two in the middle; NaN without any.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    match (values.get(low), values.get(high)) {
        (Some(low), Some(high)) => (low + high) / 2.0,
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(p50: u64, max: u64) -> Figures {
        let times = [p50, p50, max].map(Duration::from_micros).to_vec();
        let cost = Activity { cpu: 0.015, memory: 30.0, ..Activity::default() };
        Figures { cost, values: 200.0, sent: 4, times: Distribution::new(times).unwrap() }
    }

    #[test]
    fn the_middle_one_counts() {
        assert_eq!(median(vec![9.0, 1.0, 4.0]), 4.0);
        assert_eq!(median(vec![9.0, 1.0]), 5.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn a_ratio_is_taken_within_a_round() {
        let rounds = [(100, 100), (300, 150), (900, 300)]
            .map(|(subject, bare)| [figures(subject, 1000 + subject), figures(bare, bare)]);
        // 1, 2 and 3; of the medians it would be 300 / 150
        assert_eq!(ratio(&rounds, |figures| figures.times.micros(0.5)), [1.0, 2.0, 3.0]);
        // four sent and three arrived: one lost in each of three rounds
        let expected = "| steersman | 200 | 1.5 | 1.00 | 1.00 to 1.00 | 2 reached | 30 | 9 | 3 | 300 | 1300 | 1900 | 2.00 | 1.00 to 3.00 |";
        let [row, bare] = rows(&SUBJECTS[0], &rounds, 2.0);
        assert_eq!(row, expected);
        assert!(bare.contains("| 1 | 1 | – |") && bare.ends_with("| 1 | 1 |"), "{bare}");
    }

    #[test]
    fn each_subject_is_followed_by_a_bare_chain_of_as_many_processes() {
        for [subject, bare] in &SUBJECTS {
            assert!(subject.end.is_none() && (bare.commands.len() == subject.commands.len()));
            let mut topic = STICK;
            for command in bare.commands.iter().rev() {
                assert_eq!(command[2], topic);
                topic = command[3];
            }
            assert_eq!(Some(topic), bare.end);
        }
    }
}
