use core::time::Duration;

use params::{Group, Parameter, Preset, PresetValue, Refusal, Set, Specification};

use crate::{Kind, Lock, Source};

const HEARTBEAT: Parameter<f64> = Parameter::float("heartbeat", 0.1, 0.01, 1.0)
    .unit("s")
    .text("While nobody drives a zero velocity goes out this often.");
const STAMPED: Parameter<bool> = Parameter::bool("stamped", true)
    .text("Publish geometry_msgs/TwistStamped; otherwise geometry_msgs/Twist, which loses the time of the stick event.")
    .at_start();

const TOPIC: Parameter<String> = Parameter::string("topic", "")
    .text("Where the commands come from; each source has its own topic, and comes and goes with it.");
const TYPE: Parameter<String> =
    Parameter::choice("type", "twist_stamped", &["twist", "twist_stamped", "pose_state", "auto"]).text(
        "Type of the topic: geometry_msgs/Twist, geometry_msgs/TwistStamped, or_pose_estimator/State or whichever of \
         them is published first.",
    );
const PRIORITY: Parameter<i64> =
    Parameter::integer("priority", 0, 0, 255).text("The highest one wins; no two sources may have the same.");
const TIMEOUT: Parameter<f64> = Parameter::float("timeout", 0.5, 0.01, 10.0)
    .unit("s")
    .text("A source with nothing new for so long is lost; it cannot be switched off.");

const LOCK_TOPIC: Parameter<String> = Parameter::string("topic", "")
    .text("Where its state comes from, std_msgs/Bool; true is closed. A lock comes and goes with it.");
const LOCK_PRIORITY: Parameter<i64> = Parameter::integer("priority", 255, 0, 255)
    .text("While closed it masks every source of a strictly lower priority; 255 masks all below 255.");
const LOCK_TIMEOUT: Parameter<f64> = Parameter::float("timeout", 0.5, 0.01, 10.0).unit("s").text(
    "A lock silent for so long counts as closed, as one that was never heard; it cannot be switched off.",
);

const SOURCES: &str = "sources";
const LOCKS: &str = "locks";

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "velocity_arbiter",
        "Lets one of several velocity sources drive: by priority, timeout and lock.",
    )
    .with(&HEARTBEAT)
    .with(&STAMPED)
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
            members: vec![LOCK_TOPIC.declaration(), LOCK_PRIORITY.declaration(), LOCK_TIMEOUT.declaration()],
            presets: &[],
        },
        "topic",
    )
}

/// The parameters in force, parsed. Sources and locks are in alphabetical order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Who may drive; the index in here is the one in inputs and outputs.
    pub sources: Vec<Source>,
    /// Who may forbid driving; the index in here is the one in inputs and outputs.
    pub locks: Vec<Lock>,
    /// While nobody drives a zero goes out this often.
    pub heartbeat: Duration,
    /// Whether the command is published as `TwistStamped`; otherwise as `Twist`.
    pub stamped: bool,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of a topic that is empty, not a ROS name or taken by another source, and of a priority that
    /// another source has.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let params = Self::parse(set);
        for lock in &params.locks {
            check_topic(set, &format!("{LOCKS}.{}.topic", lock.name), &lock.topic)?;
        }
        for (index, source) in params.sources.iter().enumerate() {
            let topic = format!("{SOURCES}.{}.topic", source.name);
            check_topic(set, &topic, &source.topic)?;
            for earlier in params.sources.iter().take(index) {
                if earlier.topic == source.topic {
                    return Err(set
                        .refuse(&topic, format!("must differ from the topic of source '{}'", earlier.name)));
                }
                if earlier.priority == source.priority {
                    return Err(set.refuse(
                        &format!("{SOURCES}.{}.priority", source.name),
                        format!("must differ from the priority of source '{}'", earlier.name),
                    ));
                }
            }
        }
        Ok(params)
    }

    fn parse(set: &Set) -> Self {
        let source = |name: &str| Source {
            name: name.into(),
            topic: TOPIC.get_in(set, SOURCES, name),
            // The specification allows no other text.
            kind: Kind::named(&TYPE.get_in(set, SOURCES, name)).unwrap_or(Kind::TwistStamped),
            priority: priority(PRIORITY.get_in(set, SOURCES, name)),
            timeout: TIMEOUT.time_in(set, SOURCES, name),
        };
        let lock = |name: &str| Lock {
            name: name.into(),
            topic: LOCK_TOPIC.get_in(set, LOCKS, name),
            priority: priority(LOCK_PRIORITY.get_in(set, LOCKS, name)),
            timeout: LOCK_TIMEOUT.time_in(set, LOCKS, name),
        };
        Self {
            sources: set.group(SOURCES).into_iter().map(source).collect(),
            locks: set.group(LOCKS).into_iter().map(lock).collect(),
            heartbeat: HEARTBEAT.time(set),
            stamped: STAMPED.get(set),
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::parse(&specification().defaults())
    }
}

/// The specification allows 0 to 255.
fn priority(value: i64) -> u8 {
    u8::try_from(value).unwrap_or(u8::MIN)
}

fn check_topic(set: &Set, parameter: &str, topic: &str) -> Result<(), Refusal> {
    if topic.is_empty() {
        return Err(set.refuse(parameter, "must name a topic"));
    }
    if !is_topic(topic) {
        let rule = "must be a ROS topic name: letters, digits, '_' and '/', each part starting with a letter or '_', \
                    at most 247 characters";
        return Err(set.refuse(parameter, rule));
    }
    Ok(())
}

/// Whether ROS 2 takes `topic` as a topic's name: absolute, relative, or private with `~/`.
fn is_topic(topic: &str) -> bool {
    const LONGEST: usize = 247; // rmw's limit
    let is_part = |part: &str| {
        part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && part.bytes().next().is_some_and(|first| !first.is_ascii_digit())
    };
    let rest = topic.strip_prefix("~/").or_else(|| topic.strip_prefix('/')).unwrap_or(topic);
    topic.len() <= LONGEST && rest.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use params::Value;

    use super::*;

    fn read(overrides: &[(&str, Value)]) -> Result<Params, String> {
        let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let set = specification().resolve(overrides).map_err(|refusals| refusals[0].to_string())?;
        Params::read(&set).map_err(|refusal| refusal.to_string())
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn defaults_are_the_joystick_above_navigation() {
        let params = read(&[]).unwrap();
        assert_eq!(params, Params::default());
        let [joystick, navigation] = params.sources.as_slice() else { panic!("two presets") };
        let half = Duration::from_millis(500);
        assert_eq!((joystick.name.as_str(), joystick.topic.as_str()), ("joystick", "joystick/desired"));
        assert_eq!((joystick.kind, joystick.priority, joystick.timeout), (Kind::PoseState, 100, half));
        assert_eq!((navigation.name.as_str(), navigation.topic.as_str()), ("navigation", "cmd_vel_nav"));
        assert_eq!(
            (navigation.kind, navigation.priority, navigation.timeout),
            (Kind::TwistStamped, 10, half)
        );
        assert_eq!(
            (params.locks.len(), params.heartbeat, params.stamped),
            (0, Duration::from_millis(100), true)
        );
    }

    #[test]
    fn every_default_passes_its_own_check() {
        for (name, declaration, value) in specification().defaults().iter() {
            assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
        }
    }

    #[test]
    fn sources_of_the_same_priority_or_topic_are_refused() {
        let a = ("sources.a.topic", text("/a"));
        let b = ("sources.b.topic", text("/b"));
        assert_eq!(
            read(&[a.clone(), b.clone()]).unwrap_err(),
            "parameter 'sources.b.priority' is 0, must differ from the priority of source 'a'"
        );
        assert!(read(&[a.clone(), b, ("sources.b.priority", Value::Integer(255))]).is_ok());
        assert_eq!(
            read(&[a, ("sources.b.topic", text("/a")), ("sources.b.priority", Value::Integer(1))])
                .unwrap_err(),
            "parameter 'sources.b.topic' is \"/a\", must differ from the topic of source 'a'"
        );
    }

    #[test]
    fn a_source_or_lock_without_a_legal_topic_is_refused() {
        assert_eq!(
            read(&[("sources.a.priority", Value::Integer(1))]).unwrap_err(),
            "parameter 'sources.a.topic' is \"\", must name a topic"
        );
        assert_eq!(
            read(&[("locks.a.priority", Value::Integer(1))]).unwrap_err(),
            "parameter 'locks.a.topic' is \"\", must name a topic"
        );
        for good in ["a", "/a", "~/a", "/a/b_2", "_a"] {
            assert!(read(&[("locks.l.topic", text(good))]).is_ok(), "{good}");
        }
        let long = format!("/{}", "a".repeat(247));
        for bad in ["/", "a/", "//a", "a//b", "2a", "/a/2", "a b", "~a", "~", "a-b", "é", long.as_str()] {
            assert!(read(&[("sources.s.topic", text(bad))]).unwrap_err().contains("ROS topic name"), "{bad}");
        }
    }

    #[test]
    fn a_timeout_cannot_be_switched_off() {
        assert_eq!(
            read(&[("sources.a.timeout", Value::Float(0.0))]).unwrap_err(),
            "parameter 'sources.a.timeout' is 0.0, must be from 0.01 to 10.0 s"
        );
        assert!(read(&[("locks.a.timeout", Value::Float(0.0))]).is_err());
    }

    #[test]
    fn sources_and_locks_come_change_and_go_at_run_time() {
        let set = specification().defaults();
        let edits = [
            ("sources.joystick.topic", Some(text("/other"))),
            ("sources.joystick.type", Some(text("auto"))),
            ("sources.navigation.topic", None),
            ("sources.dock.priority", Some(Value::Integer(7))),
            ("sources.dock.topic", Some(text("/dock"))),
            ("locks.door.topic", Some(text("/door"))),
        ];
        let after = set.edit(edits.iter().map(|(name, value)| (*name, value.as_ref()))).unwrap();
        let params = Params::read(&after).unwrap();
        let [dock, joystick] = params.sources.as_slice() else { panic!("two sources: {:?}", params.sources) };
        assert_eq!((dock.name.as_str(), dock.kind, dock.priority), ("dock", Kind::TwistStamped, 7));
        assert_eq!((joystick.topic.as_str(), joystick.kind), ("/other", Kind::Auto));
        assert_eq!((params.locks[0].name.as_str(), params.locks[0].priority), ("door", 255));
    }
}
