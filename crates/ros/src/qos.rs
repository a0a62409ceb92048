//! The few qualities of service that Steersman uses, by what a topic is for.

use r2r::QosProfile;

/// Commands and motor values as they are published: reliable, volatile, only the newest is worth sending again.
pub fn command() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(1)
}

/// Commands as they are listened to: a hundred may lie in the middleware, which is a pause of the machine of 0.1 s at 1 kHz,
/// and with one a late message could push out a fresh one unseen. A runner lets the machine see the time, so that it knows
/// for how long they may have waited, and takes all of them before it delivers the first.
pub fn commands() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(100)
}

/// Switches whose edges count (enable, e-stop, reset, stick states): reliable, volatile. None may be lost between two reads: a
/// thousand are half a second at 2 kHz, and a machine that is held for longer has a fault.
pub fn edge() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(1000)
}

/// What stops by one message among many (infra-red): best effort, so that it fits to any publisher, and as deep as
/// [`edge`].
pub fn heartbeat() -> QosProfile {
    QosProfile::default().best_effort().volatile().keep_last(1000)
}

/// States that a late joiner must know: reliable, transient local, the last one.
pub fn state() -> QosProfile {
    QosProfile::default().reliable().transient_local().keep_last(1)
}

/// Streams of measurements: best effort, so that they fit to any publisher.
pub fn sensor() -> QosProfile {
    QosProfile::default().best_effort().volatile().keep_last(10)
}

/// Requests of services: as many may wait as clients send in one go. The default of ROS, ten, is for the parameter services
/// a thousand, and a request that is lost is never answered.
pub fn requests() -> QosProfile {
    QosProfile::parameters()
}
