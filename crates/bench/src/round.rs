use std::path::Path;
use std::time::Duration;

use ros::{Error, Quantiles, clock};

use crate::child::{Child, Folder, Usage};
use crate::hand::{Reins, Task};
use crate::sink::{Heard, Sink};
use crate::subject::{Kind, Subject};

/// How long processes get to start and to find each other.
const START: Duration = Duration::from_secs(15);
/// How often it is looked whether they are alive.
const LOOK: Duration = Duration::from_millis(100);
/// How long a subject runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(1);
/// How long what is on the way gets to arrive.
const ARRIVAL: Duration = Duration::from_millis(100);

/// Who measures, and with what.
pub struct Stage<'a> {
    /// Hears what arrives.
    pub sink: Sink,
    /// Moves the stick.
    pub hand: Reins,
    /// Where files go.
    pub folder: &'a Folder,
    /// The nodes' parameter file.
    pub parameters: &'a Path,
    /// How long one measurement takes.
    pub window: Duration,
}

/// What one measurement gives.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// How many processes there were.
    pub processes: usize,
    /// How many events were sent while measuring, without those of the joystick's own cycle.
    pub sent: u64,
    /// How many arrived.
    pub arrived: u64,
    /// How many messages could not be assigned to an event.
    pub unpaired: u64,
    /// How long they took \[µs].
    pub latency: Quantiles,
    /// Time on a processor, all processes together \[% of one core].
    pub cpu: f64,
    /// Resident memory, all processes together \[MB].
    pub memory: f64,
}

impl Stage<'_> {
    /// Starts `subject`, measures it, and ends it.
    /// # Errors
    /// A process does not start, ends, or nothing arrives; what the processes said is shown.
    pub fn measure(&mut self, subject: &Subject) -> Result<Figures, Error> {
        self.sink.forget();
        let children = self.start(subject)?;
        let figures = self.prepare(subject, &children).and_then(|()| self.record(subject, &children));
        self.hand.set(Task::Rest);
        children.iter().for_each(Child::ask_to_end);
        figures.map_err(|why| {
            let words: Vec<String> = children.iter().map(Child::words).collect();
            Error::Start(format!("{} could not be measured: {why}\n{}", subject.name, words.join("\n")))
        })
    }

    fn start(&self, subject: &Subject) -> Result<Vec<Child>, Error> {
        let processes = subject.processes(&self.parameters.to_string_lossy());
        processes.iter().map(|(name, arguments)| Child::start(name, arguments, self.folder)).collect()
    }

    /// Waits until events arrive as they should.
    fn prepare(&mut self, subject: &Subject, children: &[Child]) -> Result<(), String> {
        let arrives = |heard: &Heard| heard.pairing.count() > 0;
        match subject.kind {
            Kind::Bare(end) => self.wait(children, arrives, &format!("nothing came on '{end}'"))?,
            Kind::Nodes(_) => {
                self.hand.set(Task::Enable);
                self.wait(children, |heard| heard.is_enabled() && arrives(heard), "motion was not enabled")?;
                self.hand.set(Task::Drive);
                self.wait(children, Heard::moves, "the motors did not turn")?;
            }
        }
        self.sink.listen(WARM_UP, |_| false);
        Ok(())
    }

    fn wait(
        &mut self,
        children: &[Child],
        enough: impl Fn(&Heard) -> bool,
        failure: &str,
    ) -> Result<(), String> {
        let end = clock::now() + START;
        while clock::now() < end {
            if self.sink.listen(LOOK, &enough) {
                return Ok(());
            }
            usage(children)?;
            if self.sink.is_stopped() {
                return Err("interrupted".into());
            }
        }
        Err(format!("{failure}; {}", self.sink.heard().summary()))
    }

    /// Measures. No stick event is on the way when it begins and when it ends, so that none is counted on one side only;
    /// a bare chain goes on, and its messages are numbered.
    fn record(&mut self, subject: &Subject, children: &[Child]) -> Result<Figures, String> {
        let driven = matches!(subject.kind, Kind::Nodes(_));
        if driven {
            self.hand.set(Task::Rest);
            self.sink.listen(ARRIVAL, |_| false);
        }
        let (sent, began, used) = (self.hand.sent(), clock::now(), usage(children)?);
        self.sink.clear();
        if driven {
            self.hand.set(Task::Drive);
        }
        self.sink.listen(self.window, |_| false);
        let (passed, uses) = (clock::now().since(began), usage(children)?);
        self.hand.set(Task::Rest);
        self.sink.listen(ARRIVAL, |_| false);
        let pairing = &self.sink.heard().pairing;
        Ok(Figures {
            processes: children.len(),
            sent: if driven { self.hand.sent() - sent } else { pairing.sent_by_chain() },
            arrived: pairing.count(),
            unpaired: pairing.unpaired(),
            latency: pairing.latency().quantiles().ok_or("nothing arrived while measuring")?,
            cpu: 100.0 * (uses.cpu - used.cpu) / passed.as_secs_f64(),
            memory: uses.memory,
        })
    }
}

/// What all processes together have used.
fn usage(children: &[Child]) -> Result<Usage, String> {
    children.iter().try_fold(Usage::default(), |sum, child| {
        let usage = child.usage()?;
        Ok(Usage { cpu: sum.cpu + usage.cpu, memory: sum.memory + usage.memory })
    })
}
