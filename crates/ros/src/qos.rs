//! The few qualities of service that Steersman uses, by what a topic is for.

use r2r::QosProfile;

/// Commands and motor values: reliable, volatile, only the newest counts.
pub fn command() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(1)
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
