use limiter::Limits;
use params::{Refusal, Set};
use safety::{REMOVAL_TIME, SHORTEST_STICK_TIMEOUT};

use self::declared::{Declared, LOCKS, LockMembers, SOURCES, SourceMembers};
use crate::{Lock, Source, SourceType};

mod declared;
mod limits;

pub use self::declared::specification;

/// The parameters in force, parsed. Sources and locks are in alphabetical order of their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The sources; inputs and outputs use their index in this list.
    pub sources: Vec<Source>,
    /// The locks; inputs and outputs use their index in this list.
    pub locks: Vec<Lock>,
    /// Whether the command is published as `TwistStamped`; otherwise as `Twist`.
    pub stamped: bool,
    /// The limits of the output: linear x, y, z, then angular. Only linear x and angular z can be set, since the others move no
    /// wheel. With all of them off commands pass bit for bit.
    pub limits: [Limits; 6],
}

/// A contradiction between parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Full name of the parameter.
    pub parameter: String,
    /// The rule that it breaks.
    pub rule: String,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of a clash that [`Params::check`] finds, or of an invalid limit.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let params = Self { limits: limits::read(set)?, ..Self::parse(set) };
        params.check().map_err(|clash| set.refuse(&clash.parameter, clash.rule))?;
        Ok(params)
    }

    /// Checks that names, topics and priorities are valid and unique, and the timeouts of sticks.
    /// # Errors
    /// A [`Clash`] of a timeout of a stick that is shorter than [`SHORTEST_STICK_TIMEOUT`], of a topic that is empty, not a ROS
    /// name or used by another source or by a lock, of a priority that another source has, and of a name that another source or
    /// another lock has.
    pub fn check(&self) -> Result<(), Clash> {
        for (index, lock) in self.locks.iter().enumerate() {
            let parameter = |member: &str| format!("{LOCKS}.{}{member}", lock.name);
            check_topic(parameter(".topic"), &lock.topic)?;
            if self.locks.iter().take(index).any(|earlier| earlier.name == lock.name) {
                return Err(Clash { parameter: parameter(""), rule: "must be unique".into() });
            }
        }
        for (index, source) in self.sources.iter().enumerate() {
            let parameter = |member: &str| format!("{SOURCES}.{}{member}", source.name);
            check_topic(parameter(".topic"), &source.topic)?;
            if let Some(lock) = self.locks.iter().find(|lock| lock.topic == source.topic) {
                let rule = format!("must differ from the topic of lock '{}'", lock.name);
                return Err(Clash { parameter: parameter(".topic"), rule });
            }
            if source.kind == SourceType::PoseState && source.timeout.as_secs_f64() < SHORTEST_STICK_TIMEOUT {
                let rule = format!(
                    "must be at least {SHORTEST_STICK_TIMEOUT} s for the type pose_state, since a stick that is pulled out may count \
                     as released for {} s",
                    REMOVAL_TIME.as_secs_f64()
                );
                return Err(Clash { parameter: parameter(".timeout"), rule });
            }
            for earlier in self.sources.iter().take(index) {
                let differ = |member: &str, what: &str| {
                    let rule = format!("must differ from the {what} of source '{}'", earlier.name);
                    Err(Clash { parameter: parameter(member), rule })
                };
                if earlier.name == source.name {
                    return Err(Clash { parameter: parameter(""), rule: "must be unique".into() });
                }
                if earlier.topic == source.topic {
                    return differ(".topic", "topic");
                }
                if earlier.priority == source.priority {
                    return differ(".priority", "priority");
                }
            }
        }
        Ok(())
    }

    fn parse(set: &Set) -> Self {
        let source = |name: &str| {
            let SourceMembers { topic, kind, priority, timeout } =
                SourceMembers::get_entry(set, SOURCES, name);
            Source { name: name.into(), topic, kind, priority: byte(priority), timeout }
        };
        let lock = |name: &str| {
            let LockMembers { topic, priority, timeout } = LockMembers::get_entry(set, LOCKS, name);
            Lock { name: name.into(), topic, priority: byte(priority), timeout }
        };
        let Declared { stamped } = Declared::get(set);
        Self {
            sources: set.group(SOURCES).into_iter().map(source).collect(),
            locks: set.group(LOCKS).into_iter().map(lock).collect(),
            stamped,
            limits: [Limits::OFF; 6],
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::parse(&specification().defaults())
    }
}

/// The specification allows 0 to 255.
fn byte(value: i64) -> u8 {
    u8::try_from(value).unwrap_or(u8::MIN)
}

fn check_topic(parameter: String, topic: &str) -> Result<(), Clash> {
    params::check_topic(topic).map_err(|rule| Clash { parameter, rule: rule.into() })
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

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
        assert_eq!((joystick.kind, joystick.priority, joystick.timeout), (SourceType::PoseState, 100, half));
        assert_eq!((navigation.name.as_str(), navigation.topic.as_str()), ("navigation", "cmd_vel_smoothed"));
        assert_eq!(
            (navigation.kind, navigation.priority, navigation.timeout),
            (SourceType::TwistStamped, 10, half)
        );
        assert_eq!((params.locks.len(), params.stamped, params.limits), (0, true, [Limits::OFF; 6]));
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

    /// A pad that is pulled out may be reported as released 0.25 s before it is gone: nothing else may drive by then.
    #[test]
    fn a_stick_is_lost_no_earlier_than_its_release_is_certain() {
        let with = |kind: &str, timeout: f64| {
            let timeout = ("sources.s.timeout", Value::Float(timeout));
            read(&[("sources.s.topic", text("/s")), ("sources.s.type", text(kind)), timeout])
        };
        assert_eq!(
            with("pose_state", 0.29).unwrap_err(),
            "parameter 'sources.s.timeout' is 0.29, must be at least 0.3 s for the type pose_state, since a stick that is \
             pulled out may count as released for 0.25 s"
        );
        assert!(with("pose_state", 0.3).is_ok());
        assert!(with("twist", 0.01).is_ok());
    }

    #[test]
    fn sources_and_locks_are_added_changed_and_removed_at_run_time() {
        let set = specification().defaults();
        let edits = [
            ("sources.joystick.topic", Some(text("/other"))),
            ("sources.joystick.type", Some(text("twist"))),
            ("sources.navigation.topic", None),
            ("sources.dock.priority", Some(Value::Integer(7))),
            ("sources.dock.topic", Some(text("/dock"))),
            ("locks.door.topic", Some(text("/door"))),
        ];
        let after = set.edit(edits.iter().map(|(name, value)| (*name, value.as_ref()))).unwrap();
        let params = Params::read(&after).unwrap();
        let [dock, joystick] = params.sources.as_slice() else { panic!("two sources: {:?}", params.sources) };
        assert_eq!((dock.name.as_str(), dock.kind, dock.priority), ("dock", SourceType::TwistStamped, 7));
        assert_eq!((joystick.topic.as_str(), joystick.kind), ("/other", SourceType::Twist));
        assert_eq!((params.locks[0].name.as_str(), params.locks[0].priority), ("door", 255));
    }

    #[test]
    fn all_but_the_type_of_the_output_changes_at_run_time() {
        let set = specification().defaults();
        let change = |name: &str, value: Value| set.change(&[(name.to_owned(), value)]);
        assert!(change("sources.joystick.priority", Value::Integer(7)).is_ok());
        assert!(change("sources.joystick.timeout", Value::Float(0.3)).is_ok());
        assert!(change("sources.joystick.topic", text("/other")).is_ok());
        assert!(change("sources.joystick.type", text("twist")).is_ok());
        assert!(change("limits.linear.x.max", Value::Float(0.5)).is_ok());
        assert!(change("stamped", Value::Bool(false)).is_err());
    }

    #[test]
    fn a_time_is_not_negative() {
        let relay = "0.01 to 10.0 s; switch_relay repeats a lock that is latched or published on change: docs/nodes/switch_relay.md";
        for (name, range) in [("sources.a.timeout", "0.01 to 10.0 s"), ("locks.a.timeout", relay)] {
            let error = read(&[(name, Value::Float(-0.5))]).unwrap_err();
            assert_eq!(error, format!("parameter '{name}' is -0.5, must be from {range}"));
        }
        let error = read(&[("sources.a.type", text("twits"))]).unwrap_err();
        assert_eq!(
            error,
            "parameter 'sources.a.type' is \"twits\", must be one of: twist, twist_stamped, pose_state"
        );
    }

    #[test]
    fn every_priority_from_0_to_255_is_valid() {
        let priority =
            |value| [("sources.a.topic", text("/a")), ("sources.a.priority", Value::Integer(value))];
        for good in [0, 255] {
            let params = read(&priority(good)).unwrap();
            assert_eq!(i64::from(params.sources[0].priority), good);
        }
        for bad in [-1, 256] {
            assert!(read(&priority(bad)).unwrap_err().ends_with("must be from 0 to 255"));
        }
    }

    #[test]
    fn a_source_cannot_use_the_topic_of_a_lock() {
        let clash = [("locks.guard.topic", text("/a")), ("sources.a.topic", text("/a"))];
        assert_eq!(
            read(&clash).unwrap_err(),
            "parameter 'sources.a.topic' is \"/a\", must differ from the topic of lock 'guard'"
        );
    }

    #[test]
    fn a_repeated_name_is_refused() {
        let mut params = Params::default();
        params
            .sources
            .push(Source { priority: 3, ..Source::new("joystick", "/other", SourceType::Twist, 3) });
        let clash = Clash { parameter: "sources.joystick".into(), rule: "must be unique".into() };
        assert_eq!(params.check(), Err(clash));
        let lock = |topic: &str| Lock {
            name: "guard".into(),
            topic: topic.into(),
            priority: 255,
            timeout: Duration::from_millis(500),
        };
        let params = Params { locks: vec![lock("/a"), lock("/b")], ..Params::default() };
        assert_eq!(params.check().unwrap_err().parameter, "locks.guard");
    }
}
