//! The few qualities of service that Steersman uses, by what a topic is for.

use r2r::QosProfile;

/// Commands and motor values as they are published: reliable, volatile, only the newest is worth sending again.
pub fn command() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(1)
}

/// Commands as they are listened to: a hundred may lie in the middleware, which is a pause of the machine of 0.1 s at 1 kHz,
/// and with one a late message could push out a fresh one unseen. None of them waits: a runner reads all at once, and the
/// machine knows which is the newest.
pub fn commands() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(100)
}

/// Switches whose edges count (enable, e-stop, reset, stick states): reliable, volatile, none may be lost between two
/// reads, hence ten and not one.
pub fn edge() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(10)
}

/// States that a late joiner must know: reliable, transient local, the last one.
pub fn state() -> QosProfile {
    QosProfile::default().reliable().transient_local().keep_last(1)
}

/// Streams of measurements: best effort, so that they fit to any publisher.
pub fn sensor() -> QosProfile {
    QosProfile::default().best_effort().volatile().keep_last(10)
}
