use core::time::Duration;

use units::Instant;

/// The source of an operator's input: a script with the position `S`, or the user's keys with the state `K`.
#[derive(Clone, Copy, Debug)]
pub enum Pilot<S, K> {
    /// None yet: the nodes are starting.
    Starting,
    /// None yet: the nodes run since this time, and a key may be pressed.
    Waiting(Instant),
    /// The script.
    Script(S),
    /// The user.
    Keyboard(K),
    /// None any more: the script ended at this time.
    Finished(Instant),
}

/// How long to wait for a first key.
pub const KEY_WAIT: Duration = Duration::from_secs(5);

/// The line for a user while the nodes start; `missing`: the topics without a message.
pub fn starting(missing: &[&str]) -> String {
    format!("the nodes are starting, no message yet on: {}", missing.join(", "))
}

/// The line for a user who has pressed no key since `since`.
pub fn waiting(since: Instant, now: Instant, what: &str) -> String {
    let left = KEY_WAIT.saturating_sub(now.since(since)).as_secs_f64().ceil();
    format!("press a key to {what}; otherwise the script begins in {left:.0} s")
}
