use core::time::Duration;

use safety::Instant;

use crate::controllers::{NewController, Output, Refusal, Request, RequestId};

/// A load or reload before its first change. Switches and unloads do not wait for it.
///
/// A library may hang in it, and code that hangs cannot be ended: then its request is refused, and so is each load and reload
/// behind it until that code returns.
#[derive(Debug)]
pub(super) struct Preparation {
    /// `None` once it was refused.
    id: Option<RequestId>,
    request: Request,
    since: Instant,
    prepared: Option<Result<Prepared, Refusal>>,
}

#[derive(Debug)]
pub(super) enum Prepared {
    Controller(NewController),
    Libraries,
}

impl Preparation {
    pub(super) fn new(id: RequestId, request: Request, now: Instant) -> Self {
        Self { id: Some(id), request, since: now, prepared: None }
    }

    /// When it is refused, unless it is prepared before.
    pub(super) fn due(&self, timeout: Duration) -> Option<Instant> {
        (self.id.is_some() && self.prepared.is_none()).then_some(self.since + timeout)
    }

    /// The answer to its request, if it is due.
    pub(super) fn expire(&mut self, now: Instant, timeout: Duration) -> Option<Output> {
        self.due(timeout).filter(|due| now >= *due)?;
        let refusal = Refusal::Slow { what: self.what(), time: timeout };
        self.id.take().map(|id| Output::Answer(id, Err(refusal)))
    }

    /// Why loads and reloads do not wait for this one, if they do not.
    pub(super) fn obstacle(&self, now: Instant) -> Option<Refusal> {
        let refusal = || Refusal::Hangs { what: self.what(), time: now.since(self.since) };
        self.id.is_none().then(refusal)
    }

    /// Takes what was prepared. What nobody waits for any more is returned: something to warn of, and to discard.
    pub(super) fn prepare(&mut self, result: Result<Prepared, Refusal>) -> Option<[Output; 2]> {
        if self.id.is_some() {
            self.prepared = Some(result);
            return None;
        }
        let sentence = format!("{} has ended after its request was refused", self.what());
        Some([Output::Warn(sentence), Output::Discard(Box::new(result))])
    }

    /// The request with what was prepared for it, if that is done.
    pub(super) fn take_finished(
        place: &mut Option<Self>,
    ) -> Option<(RequestId, Request, Result<Prepared, Refusal>)> {
        let one = place.take_if(|one| one.id.is_some() && one.prepared.is_some())?;
        Some((one.id?, one.request, one.prepared?))
    }

    pub(super) fn is_load(&self) -> bool {
        matches!(self.request, Request::Load(_))
    }

    fn what(&self) -> String {
        match &self.request {
            Request::Load(name) => format!("the initialisation of controller '{name}'"),
            _ => "the loading of the libraries".to_owned(),
        }
    }
}
