use core::time::Duration;

use params::{Group, Parameter, Preset, PresetValue, Specification};

use crate::SourceType;

use super::limits::{AngularZ, LinearX};

pub(super) const SOURCES: &str = "sources";
pub(super) const LOCKS: &str = "locks";

params::params! {
    /// The parameters of the node, except sources, locks and limits.
    pub(super) struct Declared {
        /// Publish geometry_msgs/TwistStamped; otherwise geometry_msgs/Twist, which loses the time of the stick event.
        stamped: bool = Parameter::bool("stamped", true).at_start(),
    }
}

params::params! {
    /// The parameters of each source.
    pub(super) struct SourceMembers {
        /// Topic of the commands; each source has a topic of its own, with one publisher. Set it to add a source, delete it to
        /// remove one.
        topic: String = Parameter::string("topic", ""),
        /// Message type of the topic. twist: geometry_msgs/Twist. twist_stamped: geometry_msgs/TwistStamped. pose_state:
        /// or_pose_estimator/State, as joystick publishes it.
        kind: SourceType = Parameter::choice("type", "twist_stamped"),
        /// The highest one drives; no two sources may have the same.
        priority: i64 = Parameter::integer("priority", 0, 0, 255),
        /// A source without a new message for this time is lost, and a command with a stamp this old is refused; it cannot be
        /// switched off. At least 0.3 s for the type pose_state.
        timeout: Duration = Parameter::seconds("timeout", 0.5, 0.01, 10.0),
    }
}

params::params! {
    /// The parameters of each lock.
    pub(super) struct LockMembers {
        /// Topic of its state, std_msgs/Bool, with one publisher; true is closed. The lock opens once every message for 0.25 s
        /// was false. Set it to add a lock, delete it to remove one.
        topic: String = Parameter::string("topic", ""),
        /// While closed it masks every source of a strictly lower priority; 255 masks all below 255.
        priority: i64 = Parameter::integer("priority", 255, 0, 255),
        /// A lock that is silent for this time counts as closed, and so does one before its first message; it cannot be
        /// switched off.
        timeout: Duration = Parameter::seconds("timeout", 0.5, 0.01, 10.0)
            .instead("; switch_relay repeats a lock that is latched or published on change: docs/nodes/switch_relay.md"),
    }
}

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "velocity_arbiter",
        "Lets one of several velocity sources drive: by priority, timeout and lock.",
    )
    .managed()
    .with_foreign(&[["twist_mux", "topics.", "sources.{}"], ["twist_mux", "use_stamped", "stamped, and each source's type,"]])
    .with_all(Declared::declarations())
    .with_all(LinearX::declarations())
    .with_all(AngularZ::declarations())
    .with_live_group(
        Group {
            prefix: SOURCES,
            text: "The sources that may drive.",
            members: SourceMembers::declarations(),
            presets: &[
                Preset {
                    name: "joystick",
                    values: &[
                        ("topic", PresetValue::Text("joystick/desired")),
                        ("type", PresetValue::Text("pose_state")),
                        ("priority", PresetValue::Integer(100)),
                    ],
                },
                Preset {
                    name: "navigation",
                    values: &[
                        ("topic", PresetValue::Text("cmd_vel_smoothed")),
                        ("type", PresetValue::Text("twist_stamped")),
                        ("priority", PresetValue::Integer(10)),
                    ],
                },
            ],
        },
        "topic",
    )
    .with_live_group(
        Group {
            prefix: LOCKS,
            text: "The locks that can forbid driving, none by default: locks.<name>.topic, .priority and .timeout.",
            members: LockMembers::declarations(),
            presets: &[],
        },
        "topic",
    )
    .with_protections(&["locks.", "limits."])
}
