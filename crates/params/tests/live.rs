//! A group whose entries come and go at run time.
#![allow(clippy::unwrap_used)] // a test's own ground

use params::{Group, Parameter, Preset, PresetValue, Set, Specification, Value, yaml};

params::params! {
    struct Declared {
        rate: i64 = Parameter::integer("rate", 50, 1, 1000).text("How often."),
    }
}
params::params! {
    struct Source {
        topic: String = Parameter::string("topic", "").text("Where from."),
        priority: i64 = Parameter::integer("priority", 0, 0, 255).text("Who wins."),
        frame: String = Parameter::string("frame", "base").text("In what.").at_start(),
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
fn any_member_makes_an_entry_with_defaults_for_the_rest() {
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
fn the_key_takes_its_entry_away_and_nothing_else() {
    let before = specification().defaults();
    let with = edit(&before, &[("sources.stick_2.topic", Some(text("/b")))]).unwrap();
    let without = edit(&with, &[("sources.stick.topic", None)]).unwrap();
    assert_eq!(without.group("sources"), ["stick_2"], "a preset goes too");
    assert_eq!(without.group("sensors"), ["stick"]);
    assert_eq!(edit(&without, &[("sources.stick_2.topic", None)]).unwrap().group("sources").len(), 0);
}

#[test]
fn what_comes_back_has_its_defaults() {
    let before =
        edit(&specification().defaults(), &[("sources.stick.priority", Some(Value::Integer(9)))]).unwrap();
    let again = [("sources.stick.topic", None), ("sources.stick.topic", Some(text("/new")))];
    let after = edit(&before, &again).unwrap();
    let expected = Source { topic: "/new".into(), priority: 0, frame: "base".into() };
    assert_eq!(Source::read_entry(&after, "sources", "stick"), expected);
}

#[test]
fn nothing_else_can_be_taken_away() {
    let set = specification().defaults();
    for (name, told) in [
        ("rate", "parameter 'rate' cannot be deleted and stays 50"),
        (
            "sources.stick.priority",
            "parameter 'sources.stick.priority' cannot be deleted and stays 0; the entry goes when \
             'sources.stick.topic' is deleted",
        ),
        ("sensors.stick.topic", "parameter 'sensors.stick.topic' cannot be deleted and stays \"/stick\""),
        ("zzzzzzzzz", "parameter 'zzzzzzzzz' does not exist"),
    ] {
        assert_eq!(edit(&set, &[(name, None)]).unwrap_err(), told);
    }
}

#[test]
fn only_entries_of_a_live_group_come_and_only_with_a_member_that_it_has() {
    let set = specification().defaults();
    for name in ["sensors.a.topic", "sources.a.prio", "sources.a", "others.a.topic", "sources.a.b.topic"] {
        let refused = edit(&set, &[(name, Some(text("/a")))]).unwrap_err();
        assert!(refused.starts_with(&format!("parameter '{name}' does not exist")), "{refused}");
    }
}

#[test]
fn edits_are_made_all_or_none() {
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
        let told = format!(
            "parameter '{name}' is \"/a\", and the name '{bad}' in it must be 1 to 64 letters, digits and '_'"
        );
        assert_eq!(edit(&set, &[(&name, Some(text("/a")))]).unwrap_err(), told);
        let refusals = specification().resolve([(name, text("/a"))]).unwrap_err();
        assert_eq!(refusals.iter().map(ToString::to_string).collect::<Vec<_>>(), [told], "also at the start");
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

#[test]
fn the_yaml_file_says_that_entries_come_and_go() {
    let line =
        "# Entries come and go at run time: setting the `topic` of a new one makes it, deleting its `topic`";
    assert_eq!(yaml(&specification()).matches(line).count(), 1, "{}", yaml(&specification()));
}
