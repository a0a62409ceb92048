use std::io;
use std::path::Path;
use std::time::Duration;

use processes::{Folder, Meter, Process};
use ros::{Error, Stop, clock};

use crate::child;
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

/// Equipment that all measurements of the chain need.
pub struct Stage<'a> {
    /// ROS context of the bench's nodes.
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
    /// Cost of the subject's processes.
    pub cost: Cost,
    /// Times of its events.
    pub times: Times,
}

/// How long the events of a subject took.
#[derive(Clone, Debug)]
pub struct Times {
    /// How many events were sent while they were timed.
    pub sent: u64,
    /// Times of the events that arrived.
    pub taken: Distribution,
}

/// Cost of all processes of a subject together while the stick is moved.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Values of one motor, or messages of a bare chain \[1/s].
    pub values: f64,
    /// Time on a processor \[% of one core].
    pub cpu: f64,
    /// Resident memory \[MB].
    pub memory: f64,
}

impl Stage<'_> {
    /// Measures how long `subject` takes and how long `bare` does, one after the other, and then what both cost in the same
    /// seconds: this machine may be twice as quick a minute later.
    /// # Errors
    /// A process does not start, ends, or nothing arrives; the output of the processes is shown.
    pub fn measure(&self, subject: &Subject, bare: &Subject) -> Result<[Figures; 2], Error> {
        let times = |subject| {
            self.with(&[subject], |children| {
                let mut sink = self.sink(Listens::ToStampsToo)?;
                self.prepare(&mut sink, subject, &children[0])?;
                self.time(&mut sink)
            })
        };
        let (of_subject, of_bare) = (times(subject)?, times(bare)?);
        let [cost, bare_cost] = self.with(&[bare, subject], |children| {
            let (bare, subject_children) = (&children[0], &children[1]);
            self.prepare(&mut self.sink(Listens::ToStampsToo)?, subject, subject_children)?;
            let mut sink = self.sink(Listens::ToMotors)?;
            sink.listen(WARM_UP, |_| false);
            self.cost(&mut sink, [subject_children, bare])
        })?;
        Ok([Figures { cost, times: of_subject }, Figures { cost: bare_cost, times: of_bare }])
    }

    /// Starts the processes of `subjects`, measures something, and ends them.
    fn with<T>(
        &self,
        subjects: &[&Subject],
        measure: impl FnOnce(&[Vec<Process>]) -> Result<T, String>,
    ) -> Result<T, Error> {
        let mut children: Vec<Vec<Process>> = Vec::new();
        for subject in subjects {
            let processes = subject.processes(&self.parameters.to_string_lossy());
            let started =
                processes.iter().map(|(name, arguments)| child::start(name, arguments, self.folder));
            children.push(started.collect::<Result<_, _>>()?);
        }
        let measured = measure(&children);
        self.hand.set(Task::Rest);
        processes::end(children.iter_mut().flatten());
        measured.map_err(|why| {
            let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
            let outputs: Vec<String> = children.iter().flatten().map(Process::output).collect();
            Error::Start(format!(
                "{} could not be measured: {why}\n{}",
                names.join(" and "),
                outputs.join("\n")
            ))
        })
    }

    fn sink(&self, listens: Listens) -> Result<Sink, String> {
        let mut sink = Sink::new(self.context, listens, self.stop.clone()).map_err(|e| e.to_string())?;
        sink.forget();
        Ok(sink)
    }

    /// Waits until events arrive as they should.
    fn prepare(&self, sink: &mut Sink, subject: &Subject, children: &[Process]) -> Result<(), String> {
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
        children: &[Process],
        enough: impl Fn(&Received) -> bool,
        failure: &str,
    ) -> Result<(), String> {
        let end = clock::now() + START;
        while clock::now() < end {
            if sink.listen(CHECK_PERIOD, &enough) {
                return Ok(());
            }
            Meter::new(children, None).map_err(|error| error.to_string())?;
            if sink.is_stopped() {
                return Err("interrupted".into());
            }
        }
        Err(format!("{failure}; {}", sink.received().summary()))
    }

    /// Measures the cost of the processes of a subject and of its bare chain.
    fn cost(&self, sink: &mut Sink, children: [&Vec<Process>; 2]) -> Result<[Cost; 2], String> {
        let meters = children.map(|children| Meter::new(children, None));
        sink.clear();
        let began = clock::now();
        sink.listen(self.window, |_| false);
        let (passed, received) = (clock::now().since(began).as_secs_f64(), sink.received());
        let cost = |meter: io::Result<Meter<'_>>, values: u64| {
            let used = meter.and_then(|meter| meter.read()).map_err(|error| error.to_string())?;
            Ok::<_, String>(Cost {
                values: values as f64 / passed,
                cpu: 100.0 * used.cpu,
                memory: used.memory,
            })
        };
        let [subject, bare] = meters;
        Ok([cost(subject, received.values)?, cost(bare, received.passed)?])
    }

    /// How long the events take. No stick event is on the way when it begins and when it ends.
    fn time(&self, sink: &mut Sink) -> Result<Times, String> {
        self.hand.set(Task::Rest);
        sink.listen(ARRIVAL, |_| false);
        sink.clear();
        self.hand.take_sent();
        self.hand.set(Task::Drive);
        sink.listen(self.window, |_| false);
        self.hand.set(Task::Rest);
        sink.listen(ARRIVAL, |_| false);
        let pairing = &sink.received().pairing;
        let sent = self.hand.take_sent();
        let taken = pairing.times(&sent).ok_or("nothing arrived while measuring")?;
        Ok(Times { sent: sent.len() as u64, taken })
    }
}
