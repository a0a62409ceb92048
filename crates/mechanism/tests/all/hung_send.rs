//! The node's outputs while a send hangs: the loop gets its memory back, and every request its answer.
#![allow(clippy::vec_box)] // they come and go in their boxes

use crate::common;

use std::collections::BTreeSet;
use std::time::Duration;

use mechanism::controllers::{self, Request, RequestId};
use mechanism::{Input, Mechanism, Output, Snapshot};
use safety::{Instant, Machine, Outbox};

/// The node and what the loop and its clients have to get back, with outputs that wait behind a send.
struct Hung {
    machine: Mechanism,
    now: Instant,
    outbox: Outbox<Output>,
    /// The loop's memory for reports.
    free: Vec<Box<Snapshot>>,
    unanswered: BTreeSet<RequestId>,
}

impl Hung {
    fn new() -> Self {
        Self {
            machine: Mechanism::new(Duration::from_secs(2), false),
            now: Instant::from_millis(1000),
            outbox: Outbox::default(),
            free: (0..3).map(|_| Box::new(Snapshot::new(&common::robot(), 8))).collect(),
            unanswered: BTreeSet::new(),
        }
    }

    fn receive(&mut self, input: Input) {
        self.machine.handle(self.now, input);
        while let Some(output) = self.machine.poll(self.now) {
            self.outbox.push(Mechanism::backlog(&output), output);
        }
    }

    /// The loop reports if it has the memory for it.
    fn report(&mut self) {
        if let Some(mut snapshot) = self.free.pop() {
            // Now and then the motors are halted, which is published too.
            (snapshot.is_halted, snapshot.now) = (self.now.as_nanos().is_multiple_of(3), self.now);
            self.receive(Input::Reported(snapshot));
        }
    }

    fn ask(&mut self, id: RequestId) {
        self.unanswered.insert(id);
        let start = vec!["nobody".to_owned()];
        let request = Request::Switch { start, stop: Vec::new(), strictness: 2 };
        self.receive(Input::Manager(controllers::Input::Requested(id, request)));
    }

    /// The send returns, and all that waited is published.
    fn publish(&mut self) {
        while let Some(output) = self.outbox.pop() {
            match output {
                Output::Publish(snapshot, ..) => self.free.push(snapshot),
                Output::Manager(controllers::Output::Answer(id, _)) => {
                    assert!(self.unanswered.remove(&id), "request {id} is answered twice");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn after_a_send_that_hung_for_an_hour_the_loop_has_its_memory_and_every_request_its_answer() {
    let mut hung = Hung::new();
    for second in 0..3600 {
        hung.now = hung.now + Duration::from_millis(1001);
        hung.report();
        hung.receive(Input::HaltRequested);
        hung.receive(Input::ParametersChanged(vec!["a.b".into()]));
        if !hung.outbox.is_full() {
            hung.ask(second);
        }
    }
    assert!(hung.free.is_empty() && hung.unanswered.len() > 900, "{}", hung.unanswered.len());
    hung.publish();
    assert_eq!((hung.free.len(), hung.unanswered.len()), (3, 0));
    hung.report();
    hung.publish();
    assert_eq!(hung.free.len(), 3, "reports go on");
}
