//! The QoS profiles that Steersman uses, named by the purpose of a topic.

use std::time::Duration;

use r2r::QosProfile;

/// For publishing commands and motor values: reliable, volatile, only the newest is worth sending again.
pub fn command() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(1)
}

/// For subscribing to commands. A hundred may queue in the middleware, which is a pause of the machine of 0.1 s at 1 kHz; with
/// a queue of one, a late message could replace a fresh one unseen. A runner lets the machine see the time, so it knows how
/// long the commands may have waited, and receives all of them before it delivers the first.
pub fn commands() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(100)
}

/// For switches whose edges count (enable, e-stop, reset, stick states): reliable, volatile. None may be lost between two
/// reads: a thousand are half a second at 2 kHz, and a machine that is held for longer has a fault.
pub fn edge() -> QosProfile {
    QosProfile::default().reliable().volatile().keep_last(1000)
}

/// For topics where one message among many stops the vehicle (infra-red): best effort, so it matches any publisher, and as deep
/// as [`edge`].
pub fn heartbeat() -> QosProfile {
    QosProfile::default().best_effort().volatile().keep_last(1000)
}

/// For states that a late joiner must receive: reliable, transient local, the last one.
pub fn state() -> QosProfile {
    QosProfile::default().reliable().transient_local().keep_last(1)
}

/// For `/rosout`, as rcl's profile: who comes late receives the lines of the last ten seconds.
pub fn rosout() -> QosProfile {
    QosProfile::default().reliable().transient_local().keep_last(1000).lifespan(Duration::from_secs(10))
}

/// For streams of measurements: best effort, so it matches any publisher.
pub fn sensor() -> QosProfile {
    QosProfile::default().best_effort().volatile().keep_last(10)
}

/// For service requests. The queue must hold as many as clients send at once, since a lost request is never answered. The ROS
/// default is ten; the profile for the parameter services has a thousand.
pub fn requests() -> QosProfile {
    QosProfile::parameters()
}
