//! A group whose entries are added and removed at run time.
#![allow(clippy::unwrap_used)] // helpers of tests

use params::{Group, Parameter, Preset, PresetValue, Set, Specification, Value};

params::params! {
    struct Declared {
        rate: i64 = Parameter::integer("rate", 50, 1, 1000).text("How often."),
    }
}
params::params! {
    struct Source {
        topic: String = Parameter::string("topic", "").text("The topic of the commands."),
        priority: i64 = Parameter::integer("priority", 0, 0, 255).text("The highest wins."),
        frame: String = Parameter::string("frame", "base").text("The frame of the commands.").at_start(),
    }
}

fn group(prefix: &'static str) -> Group {
    let presets = &[Preset { name: "stick", values: &[("topic", PresetValue::Text("/stick"))] }];
    Group { prefix, text: "A source.", members: Source::declarations(), presets }
}

fn specification() -> Specification {
    Specification::new("example", "An example.")
        .with_all(Declared::declarations())
        .with_live_group(group("sources"), "topic")
        .with_group(group("sensors"))
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn edit(set: &Set, edits: &[(&str, Option<Value>)]) -> Result<Set, String> {
    set.edit(edits.iter().map(|(name, value)| (*name, value.as_ref()))).map_err(|refusal| refusal.to_string())
}

#[test]
fn setting_any_member_adds_an_entry_with_defaults_for_the_rest() {
    let before = specification().defaults();
    let defaults = [("topic", text("")), ("priority", Value::Integer(0)), ("frame", text("base"))];
    for (member, value) in [("topic", text("/a")), ("priority", Value::Integer(7)), ("frame", text("arm"))] {
        let name = format!("sources.a.{member}");
        let after = edit(&before, &[(&name, Some(value.clone()))]).unwrap();
        assert_eq!(after.group("sources"), ["a", "stick"]);
        for (other, default) in &defaults {
            let expected = if *other == member { &value } else { default };
            assert_eq!(after.value(&format!("sources.a.{other}")), Some(expected));
        }
    }
}

#[test]
fn deleting_the_key_removes_its_entry_and_nothing_else() {
    let before = specification().defaults();
    let with = edit(&before, &[("sources.stick_2.topic", Some(text("/b")))]).unwrap();
    let without = edit(&with, &[("sources.stick.topic", None)]).unwrap();
    assert_eq!(without.group("sources"), ["stick_2"], "a preset is removed too");
    assert_eq!(without.group("sensors"), ["stick"]);
    assert_eq!(edit(&without, &[("sources.stick_2.topic", None)]).unwrap().group("sources").len(), 0);
}

#[test]
fn an_entry_added_again_has_its_defaults() {
    let before =
        edit(&specification().defaults(), &[("sources.stick.priority", Some(Value::Integer(9)))]).unwrap();
    let again = [("sources.stick.topic", None), ("sources.stick.topic", Some(text("/new")))];
    let after = edit(&before, &again).unwrap();
    let expected = Source { topic: "/new".into(), priority: 0, frame: "base".into() };
    assert_eq!(Source::get_entry(&after, "sources", "stick"), expected);
}

#[test]
fn nothing_else_can_be_deleted() {
    let set = specification().defaults();
    for (name, refusal) in [
        ("rate", "parameter 'rate' cannot be deleted and stays 50"),
        (
            "sources.stick.priority",
            "parameter 'sources.stick.priority' cannot be deleted and stays 0; delete \
             'sources.stick.topic' to remove the entry",
        ),
        ("sensors.stick.topic", "parameter 'sensors.stick.topic' cannot be deleted and stays \"/stick\""),
        ("zzzzzzzzz", "parameter 'zzzzzzzzz' does not exist"),
    ] {
        assert_eq!(edit(&set, &[(name, None)]).unwrap_err(), refusal);
    }
}

#[test]
fn only_entries_of_a_live_group_with_a_known_member_can_be_added() {
    let set = specification().defaults();
    for name in ["sensors.a.topic", "sources.a.prio", "sources.a", "others.a.topic", "sources.a.b.topic"] {
        let refused = edit(&set, &[(name, Some(text("/a")))]).unwrap_err();
        assert!(refused.starts_with(&format!("parameter '{name}' does not exist")), "{refused}");
    }
}

#[test]
fn all_edits_apply_or_none() {
    let set = specification().defaults();
    let bad = [("sources.a.topic", Some(text("/a"))), ("sources.a.priority", Some(Value::Integer(256)))];
    assert_eq!(edit(&set, &bad).unwrap_err(), "parameter 'sources.a.priority' is 256, must be from 0 to 255");
    let read_only = [("sources.a.topic", Some(text("/a"))), ("sources.stick.frame", Some(text("arm")))];
    assert!(edit(&set, &read_only).unwrap_err().contains("is read-only and stays \"base\""));
}

#[test]
fn an_entry_has_a_name_of_letters_digits_and_underscores() {
    let set = specification().defaults();
    let longest = "a".repeat(64);
    let too_long = "a".repeat(65);
    for good in ["a", "A_1", "1", longest.as_str()] {
        assert!(edit(&set, &[(&format!("sources.{good}.topic"), Some(text("/a")))]).is_ok(), "{good}");
    }
    for bad in ["", "a-b", "a b", "é", "a/b", too_long.as_str()] {
        let name = format!("sources.{bad}.topic");
        let refusal = format!(
            "parameter '{name}' is \"/a\", and the name '{bad}' in it must be 1 to 64 letters, digits and '_'"
        );
        assert_eq!(edit(&set, &[(&name, Some(text("/a")))]).unwrap_err(), refusal);
        let refusals = specification().resolve([(name, text("/a"))]).unwrap_err();
        assert_eq!(
            refusals.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [refusal],
            "also at the start"
        );
    }
}

#[test]
fn parameters_know_their_live_entry() {
    let set = specification().defaults();
    assert_eq!(set.live_entry("sources.new.topic"), Some("sources.new"));
    assert_eq!(set.live_entry("sources.new.what.ever"), Some("sources.new"));
    for name in ["rate", "sensors.stick.topic", "sources.new"] {
        assert_eq!(set.live_entry(name), None, "{name}");
    }
}
