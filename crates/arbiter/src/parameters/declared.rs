use params::{Group, Parameter, Preset, PresetValue, Specification};

use super::limits::AXES;

pub(super) const SOURCES: &str = "sources";
pub(super) const LOCKS: &str = "locks";

pub(super) const STAMPED: Parameter<bool> = Parameter::bool("stamped", true)
    .text("Publish geometry_msgs/TwistStamped; otherwise geometry_msgs/Twist, which loses the time of the stick event.")
    .needed_by("peers.md 2 #15, #16: half of the graph is stamped, half is not")
    .at_start();

pub(super) const TOPIC: Parameter<String> = Parameter::string("topic", "")
    .needed_by("peers.md 3 #9: add and remove sources at run time")
    .text("Where the commands come from; each source has a topic of its own, with one publisher. Set it to add a source, delete it to remove one.");
pub(super) const TYPE: Parameter<String> =
    Parameter::choice("type", "twist_stamped", &["twist", "twist_stamped", "pose_state"])
        .needed_by(
            "peers.md 2 #15, #16: Twist and TwistStamped side by side; joystick.txt: the joystick's State",
        )
        .text(
            "Type of the topic: geometry_msgs/Twist, geometry_msgs/TwistStamped or or_pose_estimator/State.",
        );
pub(super) const PRIORITY: Parameter<i64> = Parameter::integer("priority", 0, 0, 255)
    .needed_by("twist_mux, peers.md 1.3")
    .text("The highest one wins; no two sources may have the same.");
pub(super) const TIMEOUT: Parameter<f64> = Parameter::float("timeout", 0.5, 0.01, 10.0)
    .unit("s")
    .needed_by("twist_mux, peers.md 1.3: sources differ in rate")
    .text("A source with nothing new for so long is lost, and a command whose stamp is so old is refused; it cannot be switched off.");
pub(super) const LOCK_TOPIC: Parameter<String> = Parameter::string("topic", "")
    .needed_by("twist_mux, peers.md 3 #9")
    .text("Where its state comes from, std_msgs/Bool; true is closed. It opens after 0.25 s of nothing but false. One publisher and no other. Set it to add a lock, delete it to remove one.");
pub(super) const LOCK_PRIORITY: Parameter<i64> = Parameter::integer("priority", 255, 0, 255)
    .needed_by("twist_mux, peers.md 1.3")
    .text("While closed it masks every source of a strictly lower priority; 255 masks all below 255.");
pub(super) const LOCK_TIMEOUT: Parameter<f64> = Parameter::float("timeout", 0.5, 0.01, 10.0)
    .unit("s")
    .needed_by("twist_mux, peers.md 1.3: locks differ in rate")
    .text("A lock that is silent for so long counts as closed, and so does one before its first message; it cannot be \
         switched off.");

/// All parameters of the node.
pub fn specification() -> Specification {
    let mut specification = Specification::new(
        "velocity_arbiter",
        "Lets one of several velocity sources drive: by priority, timeout and lock.",
    )
    .with(&STAMPED);
    for (_, axis) in &AXES {
        for parameter in axis.all() {
            specification = specification.with(parameter);
        }
    }
    specification
        .with_live_group(
            Group {
                prefix: SOURCES,
                text: "Who may drive.",
                members: vec![
                    TOPIC.declaration(),
                    TYPE.declaration(),
                    PRIORITY.declaration(),
                    TIMEOUT.declaration(),
                ],
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
                text: "Who may forbid driving, none by default: locks.<name>.topic, .priority and .timeout.",
                members: vec![
                    LOCK_TOPIC.declaration(),
                    LOCK_PRIORITY.declaration(),
                    LOCK_TIMEOUT.declaration(),
                ],
                presets: &[],
            },
            "topic",
        )
}
