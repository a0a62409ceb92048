use params::{Group, Parameter, Preset, PresetValue, Specification};

use super::limits::AXES;

pub(super) const SOURCES: &str = "sources";
pub(super) const LOCKS: &str = "locks";

pub(super) const HEARTBEAT: Parameter<f64> = Parameter::float("heartbeat", 0.1, 0.01, 1.0)
    .unit("s")
    .text("While nobody drives a zero velocity goes out this often.");
pub(super) const STAMPED: Parameter<bool> = Parameter::bool("stamped", true)
    .text("Publish geometry_msgs/TwistStamped; otherwise geometry_msgs/Twist, which loses the time of the stick event.")
    .at_start();

pub(super) const RATE: Parameter<i64> = Parameter::integer("rate", 50, 1, 1000)
    .unit("Hz")
    .text("How often the velocity goes out while a limit holds it back; commands go out when they come all the same.");

pub(super) const TOPIC: Parameter<String> = Parameter::string("topic", "")
    .text("Where the commands come from; each source has its own topic, and comes and goes with it.");
pub(super) const TYPE: Parameter<String> =
    Parameter::choice("type", "twist_stamped", &["twist", "twist_stamped", "pose_state", "auto"]).text(
        "Type of the topic: geometry_msgs/Twist, geometry_msgs/TwistStamped, or_pose_estimator/State, or auto: the one of them that is published first.",
    );
pub(super) const PRIORITY: Parameter<i64> =
    Parameter::integer("priority", 0, 0, 255).text("The highest one wins; no two sources may have the same.");
pub(super) const TIMEOUT: Parameter<f64> = Parameter::float("timeout", 0.5, 0.01, 10.0)
    .unit("s")
    .text("A source with nothing new for so long is lost; it cannot be switched off.");
pub(super) const MAX_AGE: Parameter<f64> = Parameter::float("max_age", 0.5, 0.0, 10.0).unit("s").text(
    "How far the stamp of a command may lie behind the wall clock, when it comes and while it drives; 0: stamps are not compared with the clock. A command without a stamp is judged by its arrival.",
);
pub(super) const SKEW: Parameter<f64> = Parameter::float("skew", 0.1, 0.0, 10.0).unit("s").text(
    "How far a stamp may lie ahead of the wall clock, where the clocks of two machines differ; it makes nothing fresher.",
);
pub(super) const EMERGENCY: Parameter<bool> = Parameter::bool("emergency", true).text(
    "Whether a zero of this source brakes with the emergency deceleration of `limits`, at once by default: a stick says zero when it is let go, lost or unplugged. false: with the ordinary one and the jerk limit, so that the speed may even rise for a moment before it falls.",
);

pub(super) const LOCK_TOPIC: Parameter<String> = Parameter::string("topic", "")
    .text("Where its state comes from, std_msgs/Bool; true is closed. A lock comes and goes with it.");
pub(super) const LOCK_PRIORITY: Parameter<i64> = Parameter::integer("priority", 255, 0, 255)
    .text("While closed it masks every source of a strictly lower priority; 255 masks all below 255.");
pub(super) const LOCK_TIMEOUT: Parameter<f64> = Parameter::float("timeout", 0.5, 0.01, 10.0).unit("s").text(
    "A lock silent for so long counts as closed, as one that was never heard; it cannot be switched off.",
);

/// All parameters of the node.
pub fn specification() -> Specification {
    let mut specification = Specification::new(
        "velocity_arbiter",
        "Lets one of several velocity sources drive: by priority, timeout and lock.",
    )
    .with(&HEARTBEAT)
    .with(&STAMPED)
    .with(&RATE);
    for axis in &AXES {
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
                    MAX_AGE.declaration(),
                    SKEW.declaration(),
                    EMERGENCY.declaration(),
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
                            ("topic", PresetValue::Text("cmd_vel_nav")),
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
