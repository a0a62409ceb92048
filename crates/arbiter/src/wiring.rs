use crate::{Clash, Params, SourceType};

/// The topics that the arbiter's process publishes itself, as named in the graph. No source may use them, except the stick, which
/// is connected without a topic.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// The reference of the joystick in the same process: a source with this topic is that stick, and no other publisher can send
    /// for it. `None` if the arbiter is a process of its own.
    pub stick: Option<String>,
    /// The topics of the process's later stages: a source on one of them would drive itself.
    pub own: Vec<String>,
}

/// The topics to which no source or lock may subscribe.
const OWN: &str =
    "must not be what this process publishes for its later stages: let the source publish another topic";

impl Wiring {
    /// The index of the source that is the stick; without one the stick drives nothing, but other sources may drive.
    ///
    /// * `resolve`: converts a topic of a parameter to its name in the graph
    /// # Errors
    /// A [`Clash`] of a source or a lock on a topic that the process publishes itself, of a second source on the stick, and of a stick
    /// whose type is not the joystick's.
    pub fn stick_of(
        &self,
        params: &Params,
        resolve: impl Fn(&str) -> String,
    ) -> Result<Option<usize>, Clash> {
        if let Some(lock) = params.locks.iter().find(|lock| self.own.contains(&resolve(&lock.topic))) {
            return Err(Clash { parameter: format!("locks.{}.topic", lock.name), rule: OWN.into() });
        }
        let mut stick: Option<usize> = None;
        for (index, source) in params.sources.iter().enumerate() {
            let clash = |member: &str, rule: String| {
                Err(Clash { parameter: format!("sources.{}.{member}", source.name), rule })
            };
            let topic = resolve(&source.topic);
            if self.own.contains(&topic) {
                return clash("topic", OWN.into());
            }
            if self.stick.as_ref() != Some(&topic) {
                continue;
            }
            if let Some(other) = stick.replace(index).and_then(|other| params.sources.get(other)) {
                let other = &other.name;
                let rule = format!(
                    "must differ from the topic of source '{other}', which is the stick of this process"
                );
                return clash("topic", rule);
            }
            if source.kind != SourceType::PoseState {
                return clash("type", "must be pose_state: its topic is the stick of this process".into());
            }
        }
        Ok(stick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn stick_of(sources: Vec<Source>) -> Result<Option<usize>, String> {
        let wiring = Wiring { stick: Some("/joystick/desired".into()), own: vec!["/cmd_vel".into()] };
        let params = Params { sources, ..Params::default() };
        let resolve = |topic: &str| format!("/{}", topic.trim_start_matches('/'));
        wiring.stick_of(&params, resolve).map_err(|clash| format!("{} {}", clash.parameter, clash.rule))
    }

    #[test]
    fn a_lock_on_what_the_process_publishes_is_refused() {
        let lock = crate::Lock {
            name: "door".into(),
            topic: "cmd_vel".into(),
            priority: 9,
            timeout: core::time::Duration::MAX,
        };
        let params = Params { locks: vec![lock], ..Params::default() };
        let wiring = Wiring { stick: None, own: vec!["/cmd_vel".into()] };
        let clash = wiring.stick_of(&params, |topic| format!("/{topic}")).unwrap_err();
        assert_eq!((clash.parameter.as_str(), clash.rule.as_str()), ("locks.door.topic", OWN));
    }

    #[test]
    fn a_source_on_the_joysticks_topic_is_the_stick_and_is_optional() {
        let nav = || Source::new("nav", "nav", SourceType::TwistStamped, 1);
        assert_eq!(
            stick_of(vec![nav(), Source::new("s", "joystick/desired", SourceType::PoseState, 2)]),
            Ok(Some(1))
        );
        assert_eq!(stick_of(vec![nav()]), Ok(None));
    }

    #[test]
    fn no_topic_of_the_process_is_a_second_source() {
        let stick = |name, topic, kind, priority| Source::new(name, topic, kind, priority);
        let twice = vec![
            stick("a", "/joystick/desired", SourceType::PoseState, 1),
            stick("b", "joystick/desired", SourceType::PoseState, 2),
        ];
        assert!(
            stick_of(twice)
                .unwrap_err()
                .starts_with("sources.b.topic must differ from the topic of source 'a'")
        );
        let twist = vec![stick("a", "joystick/desired", SourceType::Twist, 1)];
        assert!(stick_of(twist).unwrap_err().starts_with("sources.a.type must be pose_state"));
        let ring = vec![stick("a", "cmd_vel", SourceType::Twist, 1)];
        assert!(
            stick_of(ring)
                .unwrap_err()
                .starts_with("sources.a.topic must not be what this process publishes")
        );
    }
}
