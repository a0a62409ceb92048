use core::time::Duration;

use params::{Group, Parameter, Refusal, Set, Specification};

use crate::{Durability, MessageType, Reliability, Source, Switch};

const SWITCHES: &str = "switches";
/// The shortest timeout \[s]: with a shorter one the scheduler's delays would be losses.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(50);
/// The ends of topics on which a change from true to false, or back, is an act.
const EDGES: [&str; 2] = ["/hind/enable", "/hind/reset"];
/// No button or axis.
const NONE: i64 = -1;

params::params! {
    /// The parameters of the node, except the switches.
    struct Declared {
        /// How often each switch is published; a change is published at once, too.
        rate: i64 = Parameter::integer("rate", 20, 10, 50).unit("Hz"),
    }
}

params::params! {
    /// The parameters of each switch.
    struct Members {
        /// Topic of the source, with one publisher. Several switches may have the same one, such as a pad's.
        from: String = Parameter::string("from", "").at_start(),
        /// Message type of the source. bool: std_msgs/Bool. joy: sensor_msgs/Joy, of which `button` or `axis` is the switch.
        kind: MessageType = Parameter::choice("type", "bool").at_start(),
        /// Number of the button of a joy, which is true while pressed; -1: none.
        button: i64 = Parameter::integer("button", NONE, NONE, 255).at_start(),
        /// Number of the axis of a joy, which is true above `threshold`; -1: none.
        axis: i64 = Parameter::integer("axis", NONE, NONE, 255).at_start(),
        /// Value of the axis above which it is true.
        threshold: f64 = Parameter::float("threshold", 0.5, -1.0, 1.0).at_start(),
        /// Whether messages may be lost on the way. reliable: a best-effort publisher is refused. best_effort: any is received.
        reliability: Reliability = Parameter::choice("reliability", "reliable").at_start(),
        /// Whether the last message of before is received. transient_local: it is, from a latched topic, only with a `timeout` of 0.
        /// volatile: it is not.
        durability: Durability = Parameter::choice("durability", "volatile").at_start(),
        /// Topic on which the switch is published, std_msgs/Bool, reliable. No other node may publish it.
        to: String = Parameter::string("to", "").at_start(),
        /// Publish the opposite of the source.
        invert: bool = Parameter::bool("invert", false).at_start(),
        /// The switch is silent when its source was silent for this time, 0.05 s or more. 0: the source publishes on change only. One that is
        /// killed or cut off is then noticed only 20 s later, and one that hangs never. An emergency stop must not be wired that way.
        timeout: Duration = Parameter::seconds("timeout", 0.5, 0.0, 10.0).at_start(),
    }
}

/// All parameters of the node.
pub fn specification() -> Specification {
    const AUTOSTART: Parameter<bool> = Parameter::bool(params::AUTOSTART, true).at_start().text(
        "Whether the node is active from its start. Otherwise it publishes no switch until its life cycle is configured and activated, \
         as by Nav2's lifecycle manager.",
    );
    Specification::new(
        "switch_relay",
        "Makes of switches as sold the repeated, reliable ones that locks and an e-stop need.",
    )
    .with_all(vec![AUTOSTART.declaration()])
    .with_all(Declared::declarations())
    .with_group(Group {
        prefix: SWITCHES,
        text: "The switches to relay, none by default.",
        members: Members::declarations(),
        presets: &[],
    })
}

/// The parameters in force, parsed. Switches are in alphabetical order of their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The switches; inputs and outputs use their index in this list.
    pub switches: Vec<Switch>,
    /// The time between two repetitions.
    pub period: Duration,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of a topic that is none, of two switches on one topic or one on the topic of a source, of a joy without exactly one
    /// button or axis and a bool with one, and of a timeout that is too short or that of a latched source.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let Declared { rate } = Declared::get(set);
        let rate = u32::try_from(rate).unwrap_or(1).max(1);
        let switches = set.group(SWITCHES).into_iter().map(|name| switch(set, name));
        let params =
            Self { switches: switches.collect::<Result<_, _>>()?, period: Duration::from_secs(1) / rate };
        params.check_topics(set, |topic| topic.to_owned())?;
        Ok(params)
    }

    /// Checks that each switch has a topic of its own, which no source has and on which no change is an act; `resolve` makes the names in the graph.
    /// # Errors
    /// A [`Refusal`] of the first that has not.
    pub fn check_topics(&self, set: &Set, resolve: impl Fn(&str) -> String) -> Result<(), Refusal> {
        let refuse = |switch: &Switch, other: &Switch, member: &str, full: &str| {
            let rule =
                format!("must differ from '{SWITCHES}.{}.{member}': both are the topic '{full}'", other.name);
            Err(set.refuse(&format!("{SWITCHES}.{}.to", switch.name), rule))
        };
        for (index, switch) in self.switches.iter().enumerate() {
            let to = resolve(&switch.to);
            if EDGES.iter().any(|edge| format!("/{to}").ends_with(edge)) {
                let rule = "must be a lock or an e-stop, which silence closes: a lost source and a late press would count as a person's act here";
                return Err(set.refuse(&format!("{SWITCHES}.{}.to", switch.name), rule));
            }
            if let Some(other) = self.switches.iter().find(|other| resolve(&other.from) == to) {
                return refuse(switch, other, "from", &to);
            }
            if let Some(other) = self.switches.iter().take(index).find(|other| resolve(&other.to) == to) {
                return refuse(switch, other, "to", &to);
            }
        }
        Ok(())
    }
}

fn switch(set: &Set, name: &str) -> Result<Switch, Refusal> {
    params::values! {
        Members { from, kind, button, axis, threshold, reliability, durability, to, invert, timeout } =
            Members::get_entry(set, SWITCHES, name)
    }
    let refuse = |member: &str, rule: &str| set.refuse(&format!("{SWITCHES}.{name}.{member}"), rule);
    params::check_topic(&from).map_err(|rule| refuse("from", rule))?;
    params::check_topic(&to).map_err(|rule| refuse("to", rule))?;
    let source = match (kind, usize::try_from(button), usize::try_from(axis)) {
        (MessageType::Bool, Err(_), Err(_)) => Source::Bool,
        (MessageType::Bool, Ok(_), _) => return Err(refuse("button", "must be -1 for the type bool")),
        (MessageType::Bool, _, Ok(_)) => return Err(refuse("axis", "must be -1 for the type bool")),
        (MessageType::Joy, Ok(button), Err(_)) => Source::Button(button),
        (MessageType::Joy, Err(_), Ok(axis)) => Source::Axis { axis, threshold },
        (MessageType::Joy, Err(_), Err(_)) => {
            return Err(refuse("button", "must be 0 or more for the type joy, or `axis` must be"));
        }
        (MessageType::Joy, Ok(_), Ok(_)) => return Err(refuse("axis", "must be -1 beside a `button`")),
    };
    if !timeout.is_zero() && timeout < SHORTEST_TIMEOUT {
        return Err(refuse("timeout", "must be 0 or at least 0.05 s"));
    }
    if !timeout.is_zero() && durability == Durability::TransientLocal {
        let rule = "must be volatile with a `timeout`: how old a latched message is cannot be known";
        return Err(refuse("durability", rule));
    }
    let timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
    Ok(Switch { name: name.into(), from, source, reliability, durability, to, invert, timeout })
}

#[cfg(test)]
mod tests {
    use params::Value;

    use super::*;

    fn read(overrides: &[(&str, Value)]) -> Result<Params, String> {
        let overrides = overrides.iter().map(|(name, value)| (format!("switches.{name}"), value.clone()));
        let set = specification().resolve(overrides).map_err(|refusals| refusals[0].to_string())?;
        Params::read(&set).map_err(|refusal| refusal.to_string())
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// The switch `a` from `/a` to `/b` with `more`.
    fn with(more: &[(&str, Value)]) -> Result<Params, String> {
        read(&[&[("a.from", text("/a")), ("a.to", text("/b"))], more].concat())
    }

    #[test]
    fn no_switch_is_relayed_to_what_acts_on_a_change() {
        for to in ["hind/enable", "/hind/reset", "/robot/hind/enable"] {
            let refusal = with(&[("a.to", text(to))]).unwrap_err();
            assert!(
                refusal.contains("'switches.a.to'") && refusal.contains("must be a lock or an e-stop"),
                "{refusal}"
            );
        }
        assert!(
            with(&[("a.to", text("hind/estop"))]).is_ok() && with(&[("a.to", text("behind/enable"))]).is_ok()
        );
    }

    #[test]
    fn by_default_there_is_no_switch_and_one_must_repeat() {
        assert_eq!(read(&[]), Ok(Params { switches: Vec::new(), period: Duration::from_millis(50) }));
        let switch = Switch {
            name: "a".into(),
            from: "/a".into(),
            source: Source::Bool,
            reliability: Reliability::Reliable,
            durability: Durability::Volatile,
            to: "/b".into(),
            invert: false,
            timeout: Some(Duration::from_millis(500)),
        };
        assert_eq!(with(&[]).unwrap().switches, [switch]);
    }

    #[test]
    fn a_joy_has_one_button_or_axis_and_a_bool_none() {
        let source = |more: &[(&str, Value)]| with(more).map(|params| params.switches[0].source);
        let (joy, number) = (("a.type", text("joy")), Value::Integer);
        assert_eq!(source(&[joy.clone(), ("a.button", number(3))]), Ok(Source::Button(3)));
        assert_eq!(
            source(&[joy.clone(), ("a.axis", number(2)), ("a.threshold", Value::Float(-0.5))]),
            Ok(Source::Axis { axis: 2, threshold: -0.5 })
        );
        for (more, parameter, rule) in [
            (vec![joy.clone()], "button' is -1", "0 or more for the type joy"),
            (vec![joy, ("a.axis", number(2)), ("a.button", number(2))], "axis' is 2", "beside a `button`"),
            (vec![("a.button", number(0))], "button' is 0", "-1 for the type bool"),
            (vec![("a.axis", number(0))], "axis' is 0", "-1 for the type bool"),
        ] {
            let refusal = source(&more).unwrap_err();
            assert!(refusal.contains(parameter) && refusal.contains(rule), "{refusal}");
        }
    }

    #[test]
    fn the_age_of_a_latched_message_is_not_known() {
        let latched = ("a.durability", text("transient_local"));
        let zero = ("a.timeout", Value::Float(0.0));
        assert!(
            with(std::slice::from_ref(&latched)).unwrap_err().contains("must be volatile with a `timeout`")
        );
        assert_eq!(with(&[latched, zero]).unwrap().switches[0].timeout, None);
    }

    #[test]
    fn a_timeout_is_0_or_one_that_a_scheduler_keeps() {
        let of = |timeout| with(&[("a.timeout", Value::Float(timeout))]);
        assert!(of(0.049).unwrap_err().contains("must be 0 or at least 0.05 s"));
        assert_eq!(of(0.05).unwrap().switches[0].timeout, Some(SHORTEST_TIMEOUT));
        assert!(of(-1.0).unwrap_err().contains("0.0 to 10.0 s"));
    }

    #[test]
    fn each_switch_has_an_output_of_its_own_and_may_share_a_source() {
        let two = |from: &str, to: &str| with(&[("b.from", text(from)), ("b.to", text(to))]);
        assert!(two("/a", "/c").is_ok());
        assert_eq!(
            two("/c", "/b").unwrap_err(),
            "parameter 'switches.b.to' is \"/b\", must differ from 'switches.a.to': both are the topic '/b'"
        );
        assert_eq!(
            two("/b", "/c").unwrap_err(),
            "parameter 'switches.a.to' is \"/b\", must differ from 'switches.b.from': both are the topic '/b'"
        );
        assert!(two("/c", "/c").unwrap_err().contains("must differ from 'switches.b.from'"));
        assert!(two("/c", "").unwrap_err().contains("must name a topic"));
        assert!(two("c d", "/c").unwrap_err().contains("ROS topic name"));
    }

    #[test]
    fn two_names_of_one_topic_in_the_graph_are_refused() {
        let params = with(&[("b.from", text("/c")), ("b.to", text("b"))]).unwrap();
        let set = specification().defaults();
        let resolve = |name: &str| format!("/{}", name.trim_start_matches('/'));
        assert!(
            params.check_topics(&set, resolve).unwrap_err().to_string().contains("both are the topic '/b'")
        );
    }
}
