use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use mechanism::controllers::Report;
use mechanism::{Input, Mechanism, Params, SIGNS_OF_LIFE, Snapshot, controllers};
use mechanism_loop::{Commands, Event, Events};
use realtime::Reporter;
use ros::panics::lock;
use ros::{Shell, clock};
use safety::Instant;

use super::follow::FollowGoals;
use super::outputs::ControllerOutputs;
use super::remote::Efforts;

/// How long after the beginning of a step the monitor polls for its reports.
const STEP: Duration = Duration::from_micros(30);
/// How soon it polls again if there are none.
const SOON: Duration = Duration::from_micros(100);
/// How much later than due a step is still likely to come.
const LATE: Duration = Duration::from_micros(300);
/// How often it polls while events are overdue.
const SHORT: Duration = Duration::from_millis(1);
/// How often it polls at least.
const LONG: Duration = Duration::from_millis(20);

/// Requests to the monitor, from any thread.
#[derive(Clone, Default)]
pub(super) struct MonitorHandle(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Whether the machine wants its change back.
    is_withdrawal_due: AtomicBool,
    #[allow(clippy::vec_box)] // they come and go in their boxes
    returned: Mutex<Vec<Box<Snapshot>>>,
    /// Whether the loop has a change that it did not report yet.
    is_change_due: AtomicBool,
    thread: OnceLock<Thread>,
}

impl MonitorHandle {
    /// Asks for the change back.
    pub(super) fn withdraw(&self) {
        self.0.is_withdrawal_due.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// Gives a report back to the loop.
    pub(super) fn give_back(&self, snapshot: Box<Snapshot>) {
        lock(&self.0.returned).push(snapshot); // the loop has others until the monitor takes them
    }

    /// Notes that the loop has a change.
    pub(super) fn expect_change(&self) {
        self.0.is_change_due.store(true, Ordering::SeqCst);
        self.wake();
    }

    fn wake(&self) {
        if let Some(thread) = self.0.thread.get() {
            thread.unpark();
        }
    }
}

/// Sources that the monitor reads, and receivers that it passes their events on to.
pub(super) struct MonitorContext {
    pub(super) shell: Shell<Mechanism>,
    pub(super) events: Events,
    pub(super) outputs: Arc<Mutex<ControllerOutputs>>,
    /// The efforts for a robot elsewhere.
    pub(super) efforts: Option<Efforts>,
    pub(super) follow: FollowGoals,
    pub(super) commands: Commands,
}

/// Starts the monitor, the thread between the control loop and the machine: it delivers what the loop reports, and takes back a change
/// that the loop has not taken.
///
/// The loop makes no system call, so it cannot wake anyone. The monitor knows when it steps, and polls then. It takes the reports in place of
/// the node's own thread, since preparing r2r's wait costs more than publishing them.
/// # Errors
/// The operating system refuses the thread.
pub(super) fn start(
    handle: &MonitorHandle,
    mut context: MonitorContext,
    params: &Params,
) -> io::Result<Reporter> {
    let pace = Pace::new(params, context.efforts.as_ref().map(|efforts| efforts.period));
    let (own, mut last) = (handle.clone(), Instant::ZERO);
    let monitor = Reporter::start("loop monitor", move || {
        context.work(&own.0, &mut last);
        pace.sleep(clock::now(), last, own.0.is_change_due.load(Ordering::SeqCst))
    })?;
    if let Some(thread) = monitor.thread() {
        let _ = handle.0.thread.set(thread.clone()); // it has one monitor
    }
    Ok(monitor)
}

impl MonitorContext {
    /// `last` becomes the time of the last step that was reported.
    fn work(&mut self, shared: &Shared, last: &mut Instant) {
        if let Some(efforts) = &mut self.efforts {
            efforts.publish();
        }
        self.deliver_events(shared, last);
        if shared.is_withdrawal_due.swap(false, Ordering::SeqCst) {
            let taken = self.commands.withdraw();
            if taken.is_some() {
                shared.is_change_due.store(false, Ordering::SeqCst);
            }
            self.shell.deliver(Input::Manager(controllers::Input::Withdrawn(taken)));
        }
    }

    fn deliver_events(&mut self, shared: &Shared, last: &mut Instant) {
        while let Some(event) = self.events.take() {
            let input = match event {
                Event::Changed(change) => {
                    shared.is_change_due.store(false, Ordering::SeqCst); // before the next one can follow
                    Input::Manager(controllers::Input::Changed(change))
                }
                Event::Failed(index, failure) => Input::Manager(controllers::Input::Failed(index, failure)),
                Event::Reported(snapshot) => {
                    *last = snapshot.now;
                    Input::Reported(snapshot)
                }
                Event::ControllerOutput(controller, _, _, Report::WaitsForZero { input, waits }) => {
                    Input::WaitsForZero { controller, input, waits }
                }
                Event::ControllerOutput(controller, _, _, Report::StreamWaits { input, waits }) => {
                    Input::StreamWaits { controller, input, waits }
                }
                Event::ControllerOutput(controller, _, _, Report::CommandBeyond(beyond)) => {
                    Input::CommandBeyond(controller, beyond)
                }
                Event::ControllerOutput(controller, _, _, Report::ApproachLost) => {
                    Input::ApproachLost(controller)
                }
                Event::ControllerOutput(controller, at, output, report) => {
                    let stamp = clock::stamp().before(clock::now().since(at));
                    let message = lock(&self.outputs).message(controller, output, report, stamp); // the lock ends here
                    message.into_iter().for_each(|send| send());
                    self.follow.publish(controller, report, stamp);
                    continue;
                }
                Event::Dropped(controller, message) => {
                    self.follow.drop_motion(controller, &message);
                    continue;
                }
                Event::Used(_) => continue,
            };
            self.shell.deliver(input);
        }
        for snapshot in lock(&shared.returned).drain(..) {
            self.events.recycle(snapshot);
        }
    }
}

/// Periods that decide when the monitor has to look.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Period of the loop.
    step: Duration,
    /// Time between two reports.
    report: Duration,
    /// Time between two efforts for a robot elsewhere.
    efforts: Duration,
}

impl Pace {
    fn new(params: &Params, efforts: Option<Duration>) -> Self {
        let period = |rate: f64| {
            if rate > 0.0 { Duration::from_secs_f64(1.0 / rate.max(1e-3)) } else { Duration::MAX }
        };
        Self {
            step: params.period,
            report: period(params.joint_state_rate.max(params.statistics_rate).max(SIGNS_OF_LIFE)),
            efforts: efforts.unwrap_or(Duration::MAX),
        }
    }

    /// How long it may sleep, if the loop stepped at `last`.
    fn sleep(self, now: Instant, last: Instant, is_change_due: bool) -> Duration {
        let due = (last + self.report) + STEP;
        let until_report = if now < due {
            due.since(now).min(LONG)
        } else if now.since(due) > LONG {
            LONG
        } else {
            self.step.min(SHORT)
        };
        // Efforts wait for half of their period at most, a zero among them.
        let longest = until_report.min(self.efforts / 2);
        if is_change_due { self.until_step(now, last).min(longest) } else { longest }
    }

    /// How long it is until the next step was made, or may have been made.
    fn until_step(self, now: Instant, last: Instant) -> Duration {
        let period = u64::try_from(self.step.as_nanos()).unwrap_or(u64::MAX).max(1);
        let since_step = Duration::from_nanos(now.since(last).as_nanos() as u64 % period);
        if since_step < LATE.min(self.step / 4) { SOON } else { (self.step - since_step) + STEP }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace =
        Pace { step: Duration::from_millis(1), report: Duration::from_millis(10), efforts: Duration::MAX };

    fn sleep(micros: u64, is_change_due: bool) -> u128 {
        let last = Instant::from_millis(1000);
        PACE.sleep(last + Duration::from_micros(micros), last, is_change_due).as_micros()
    }

    #[test]
    fn it_sleeps_until_the_next_report() {
        assert_eq!([0, 10_029, 10_030, 10_500].map(|now| sleep(now, false)), [10_030, 1, 1000, 1000]);
        // The loop hangs, or has nothing to report: reports of controllers are still polled.
        assert_eq!(sleep(10_000_000, false), 20_000);
        let rare = Pace { report: Duration::MAX, ..PACE };
        assert_eq!(rare.sleep(Instant::from_millis(7), Instant::from_millis(1), false), LONG);
    }

    #[test]
    fn a_change_is_looked_for_when_the_loop_steps() {
        // Soon after a step was due it may have been late; otherwise after the next one.
        assert_eq!([0, 249, 250, 900].map(|now| sleep(5000 + now, true)), [100, 100, 780, 130]);
        // The report is due, and so is the step.
        assert_eq!((sleep(9_950, true), sleep(10_040, true)), (80, 100));
    }
}
