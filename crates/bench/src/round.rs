use std::path::Path;
use std::time::Duration;

use ros::{Error, Stop, clock};

use crate::child::{Activity, Child, Folder};
use crate::distribution::Distribution;
use crate::hand::{StickControl, Task};
use crate::sink::{Listens, Received, Sink};
use crate::subject::{Kind, Subject};

/// How long processes get to start and to find each other.
pub const START: Duration = Duration::from_secs(15);
/// How often it is checked that they are alive.
const CHECK_PERIOD: Duration = Duration::from_millis(100);
/// How long a subject runs before it is measured.
pub const WARM_UP: Duration = Duration::from_secs(1);
/// How long the motors may take to turn before motion is enabled anew.
const TO_MOVE: Duration = Duration::from_secs(1);
/// How long messages may take to arrive.
const ARRIVAL: Duration = Duration::from_millis(100);

/// What all measurements of the chain need.
pub struct Stage<'a> {
    /// Of the bench's nodes.
    pub context: &'a r2r::Context,
    /// The user's request to end.
    pub stop: &'a Stop,
    /// Moves the stick.
    pub hand: StickControl,
    /// Where files go.
    pub folder: &'a Folder,
    /// The nodes' parameter file.
    pub parameters: &'a Path,
    /// How long one measurement takes.
    pub window: Duration,
}

/// The result of one measurement.
#[derive(Clone, Debug)]
pub struct Figures {
    /// What it costs.
    pub cost: Cost,
    /// How many events were sent while they were timed.
    pub sent: u64,
    /// How many messages could not be assigned to an event.
    pub unpaired: u64,
    /// How long the events took that arrived.
    pub times: Distribution,
}

/// What all processes of a subject cost together while the stick is moved.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// How many there are.
    pub processes: usize,
    /// Values of one motor, or messages of a bare chain \[1/s].
    pub values: f64,
    /// Time on a processor \[% of one core].
    pub cpu: f64,
    /// Resident memory \[MB].
    pub memory: f64,
}

impl Stage<'_> {
    /// Starts `subject`, measures how long it takes, then what it costs, and ends it.
    /// # Errors
    /// A process does not start, ends, or nothing arrives; the output of the processes is shown.
    pub fn measure(&self, subject: &Subject) -> Result<Figures, Error> {
        let processes = subject.processes(&self.parameters.to_string_lossy());
        let children = processes.iter().map(|(name, arguments)| Child::start(name, arguments, self.folder));
        let children: Vec<Child> = children.collect::<Result<_, _>>()?;
        let figures = self.observe(subject, &children);
        self.hand.set(Task::Rest);
        children.iter().for_each(Child::ask_to_end);
        figures.map_err(|why| {
            let outputs: Vec<String> = children.iter().map(Child::output).collect();
            Error::Start(format!("{} could not be measured: {why}\n{}", subject.name, outputs.join("\n")))
        })
    }

    fn observe(&self, subject: &Subject, children: &[Child]) -> Result<Figures, String> {
        let sink = |listens| {
            let mut sink = Sink::new(self.context, listens, self.stop.clone()).map_err(|e| e.to_string())?;
            sink.forget();
            Ok::<_, String>(sink)
        };
        let mut with_stamps = sink(Listens::ToStampsToo)?;
        self.prepare(&mut with_stamps, subject, children)?;
        let (sent, unpaired, times) = self.time(&mut with_stamps)?;
        drop(with_stamps);
        let mut of_motors = sink(Listens::ToMotors)?;
        self.hand.set(Task::Drive);
        self.wait(&mut of_motors, children, |it| it.values > 0, "nothing arrived")?;
        of_motors.listen(WARM_UP, |_| false);
        let cost = self.cost(&mut of_motors, children)?;
        Ok(Figures { cost, sent, unpaired, times })
    }

    /// Waits until events arrive as they should.
    fn prepare(&self, sink: &mut Sink, subject: &Subject, children: &[Child]) -> Result<(), String> {
        let arrives = |received: &Received| !received.pairing.events().is_empty();
        let end = clock::now() + START;
        match subject.kind {
            Kind::Bare(end) => {
                self.hand.set(Task::Drive);
                self.wait(sink, children, arrives, &format!("nothing came on '{end}'"))?;
            }
            Kind::Nodes(_) => loop {
                self.hand.set(Task::Enable);
                self.wait(sink, children, |it| it.is_enabled() && arrives(it), "motion was not enabled")?;
                // A node that received the zone scaling only after the stick began to move would wait for a zero command.
                sink.listen(WARM_UP, |_| false);
                self.hand.set(Task::Drive);
                if sink.listen(TO_MOVE, Received::moves) {
                    break;
                }
                if clock::now() >= end {
                    return Err(format!("the motors did not turn; {}", sink.received().summary()));
                }
            },
        }
        sink.listen(WARM_UP, |_| false);
        Ok(())
    }

    fn wait(
        &self,
        sink: &mut Sink,
        children: &[Child],
        enough: impl Fn(&Received) -> bool,
        failure: &str,
    ) -> Result<(), String> {
        let end = clock::now() + START;
        while clock::now() < end {
            if sink.listen(CHECK_PERIOD, &enough) {
                return Ok(());
            }
            Activity::of(children)?;
            if sink.is_stopped() {
                return Err("interrupted".into());
            }
        }
        Err(format!("{failure}; {}", sink.received().summary()))
    }

    fn cost(&self, sink: &mut Sink, children: &[Child]) -> Result<Cost, String> {
        let (began, before) = (clock::now(), Activity::of(children)?);
        sink.clear();
        sink.listen(self.window, |_| false);
        let (passed, after) = (clock::now().since(began).as_secs_f64(), Activity::of(children)?);
        Ok(Cost {
            processes: children.len(),
            values: sink.received().values as f64 / passed,
            cpu: 100.0 * (after.cpu - before.cpu) / passed,
            memory: children
                .iter()
                .map(|child| child.usage().map(|usage| usage.memory))
                .sum::<Result<_, _>>()?,
        })
    }

    /// How long the events take: how many there were, messages without an event, and the times. No stick event is on the way when it
    /// begins and when it ends, so that none is counted on one side only.
    fn time(&self, sink: &mut Sink) -> Result<(u64, u64, Distribution), String> {
        self.hand.set(Task::Rest);
        sink.listen(ARRIVAL, |_| false);
        let sent = self.hand.sent();
        sink.clear();
        self.hand.set(Task::Drive);
        sink.listen(self.window, |_| false);
        self.hand.set(Task::Rest);
        sink.listen(ARRIVAL, |_| false);
        let pairing = &sink.received().pairing;
        let times = pairing.times().ok_or("nothing arrived while measuring")?;
        Ok((self.hand.sent() - sent, pairing.unpaired(), times))
    }
}
