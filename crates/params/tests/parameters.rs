//! A small specification, resolved, changed and written out.
#![allow(clippy::unwrap_used)] // a test's own ground

use params::{
    Declaration, Group, Parameter, Preset, PresetValue, Refusal, Set, Specification, Value, table, yaml,
};

const TIMEOUT: Parameter<f64> =
    Parameter::float("timeout", 0.5, 0.05, 5.0).unit("s").text("How long to wait.");
const MODE: Parameter<String> =
    Parameter::choice("scaling.mode", "limit", &["limit", "multiply"]).text("How.");
const RATE: Parameter<i64> = Parameter::integer("rate", 50, 1, 1000).unit("Hz").text("How often.").at_start();
const NAMES: Parameter<Vec<String>> = Parameter::strings("names", &[], &[], 4).text("Who.");
const TOPIC: Parameter<String> = Parameter::string("topic", "").text("Where from.");
const PRIORITY: Parameter<i64> = Parameter::integer("priority", 0, 0, 255).text("Who wins.");

fn specification() -> Specification {
    Specification::new("example", "An example.")
        .with(&TIMEOUT)
        .with(&MODE)
        .with(&RATE)
        .with(&NAMES)
        .with_group(Group {
            prefix: "sources",
            text: "A source.",
            members: vec![TOPIC.declaration(), PRIORITY.declaration()],
            presets: &[Preset {
                name: "stick",
                values: &[("topic", PresetValue::Text("/stick")), ("priority", PresetValue::Integer(100))],
            }],
        })
}

fn set(overrides: &[(&str, Value)]) -> Result<Set, Vec<Refusal>> {
    specification().resolve(overrides.iter().map(|(n, v)| ((*n).to_owned(), v.clone())))
}

fn refused(name: &str, value: Value) -> String {
    let refusals = set(&[(name, value)]).unwrap_err();
    assert_eq!(refusals.len(), 1);
    refusals[0].to_string()
}

#[test]
fn defaults_are_in_force_where_nothing_is_given() {
    let set = set(&[]).unwrap();
    assert_eq!(TIMEOUT.get(&set), 0.5);
    assert_eq!(MODE.get(&set), "limit");
    assert_eq!(set.group("sources"), ["stick"]);
    assert_eq!(TOPIC.get_in(&set, "sources", "stick"), "/stick");
    assert_eq!(PRIORITY.get_in(&set, "sources", "stick"), 100);
}

#[test]
fn entries_of_the_user_replace_the_presets() {
    let set =
        set(&[("sources.a.topic", Value::Text("/a".into())), ("sources.b.priority", Value::Integer(7))])
            .unwrap();
    assert_eq!(set.group("sources"), ["a", "b"]);
    assert_eq!(TOPIC.get_in(&set, "sources", "a"), "/a");
    assert_eq!((TOPIC.get_in(&set, "sources", "b").as_str(), PRIORITY.get_in(&set, "sources", "b")), ("", 7));
}

#[test]
fn a_refusal_quotes_name_value_and_range() {
    assert_eq!(
        refused("timeout", Value::Float(9.0)),
        "parameter 'timeout' is 9.0, must be from 0.05 to 5.0 s"
    );
    assert_eq!(
        refused("timeout", Value::Float(f64::NAN)),
        "parameter 'timeout' is .nan, must be from 0.05 to 5.0 s"
    );
    assert_eq!(refused("rate", Value::Integer(0)), "parameter 'rate' is 0, must be from 1 to 1000 Hz");
    assert_eq!(
        refused("timeout", Value::Text("fast".into())),
        "parameter 'timeout' is \"fast\" (string), must be of type double"
    );
    for (value, told) in [
        (Value::Float(3e30), "3e30 (double)"),
        (Value::Integer(12345), "12345 (integer)"),
        (Value::Bool(true), "true (boolean)"),
    ] {
        assert_eq!(
            refused("scaling.mode", value),
            format!("parameter 'scaling.mode' is {told}, must be of type string; write it in quotes")
        );
    }
    assert_eq!(
        refused("scaling.mode", Value::Text("x".into())),
        "parameter 'scaling.mode' is \"x\", must be one of: limit, multiply"
    );
    assert_eq!(
        refused("timeuot", Value::Float(1.0)),
        "parameter 'timeuot' does not exist; did you mean 'timeout'?"
    );
    assert_eq!(refused("zzzzzz", Value::Float(1.0)), "parameter 'zzzzzz' does not exist");
    assert_eq!(
        refused("names", Value::Texts(vec![String::new(); 5])),
        "parameter 'names' is [\"\", \"\", \"\", \"\", \"\"], must have at most 4 entries"
    );
    assert_eq!(
        refused("sources.stick.priority", Value::Integer(256)),
        "parameter 'sources.stick.priority' is 256, must be from 0 to 255"
    );
}

#[test]
fn all_refusals_come_at_once() {
    let refusals = set(&[("timeout", Value::Float(-1.0)), ("rate", Value::Bool(true))]).unwrap_err();
    assert_eq!(refusals.len(), 2);
}

#[test]
fn a_whole_number_is_a_real_one_but_not_the_reverse() {
    assert_eq!(TIMEOUT.get(&set(&[("timeout", Value::Integer(2))]).unwrap()), 2.0);
    assert!(set(&[("rate", Value::Float(2.0))]).is_err());
}

#[test]
fn an_empty_list_has_any_type() {
    assert!(NAMES.get(&set(&[("names", Value::Bools(Vec::new()))]).unwrap()).is_empty());
}

#[test]
fn changes_are_made_all_or_none() {
    let before = set(&[]).unwrap();
    let good = ("timeout".to_owned(), Value::Float(1.0));
    let after = before.change(std::slice::from_ref(&good)).unwrap();
    assert_eq!((TIMEOUT.get(&before), TIMEOUT.get(&after)), (0.5, 1.0));
    let bad = ("scaling.mode".to_owned(), Value::Text("x".into()));
    assert!(before.change(&[good, bad]).is_err());
}

#[test]
fn a_read_only_parameter_keeps_its_value() {
    let before = set(&[]).unwrap();
    let refusal = before.change(&[("rate".to_owned(), Value::Integer(60))]).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "parameter 'rate' is read-only and stays 50; set it when the node starts"
    );
    assert!(before.change(&[("rate".to_owned(), Value::Integer(50))]).is_ok(), "the same value is no change");
}

#[test]
fn the_yaml_file_names_every_parameter() {
    let expected = "\
# An example.
# Every parameter with its default. A key that is not listed here is refused at start.
example:
  ros__parameters:
    # How long to wait. (0.05 to 5.0 s)
    timeout: 0.5
    scaling:
      # How. (limit, multiply)
      mode: \"limit\"
    # How often. (1 to 1000 Hz; read-only)
    rate: 50
    # Who. (up to 4)
    names: []

    # A source.
    # Naming one entry here replaces all of the default ones.
    sources:
      stick:
        # Where from.
        topic: \"/stick\"
        # Who wins. (0 to 255)
        priority: 100
";
    assert_eq!(yaml(&specification()), expected);
}

#[test]
fn the_table_has_a_row_for_every_parameter() {
    let table = table(&specification());
    assert_eq!(table.lines().count(), 2 + 4 + 2);
    assert!(table.contains("| `timeout` | double | `0.5` | 0.05 to 5.0 s | How long to wait. |"), "{table}");
    assert!(
        table.contains("| `sources.<name>.priority` | integer | `0` | 0 to 255 | Who wins. |"),
        "{table}"
    );
}

#[test]
fn a_default_passes_its_own_check() {
    for (name, declaration, value) in specification().defaults().iter() {
        let declaration: &Declaration = declaration;
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
    }
}

#[test]
fn seconds_are_a_time() {
    use std::time::Duration;
    let set = set(&[("timeout", Value::Float(0.25))]).unwrap();
    assert_eq!(TIMEOUT.time(&set), Duration::from_millis(250));
    let below_zero = Parameter::float("offset", -1.0, -2.0, 2.0);
    assert_eq!(below_zero.time(&set), Duration::ZERO, "no time can be negative");
}

#[test]
fn a_text_with_a_nul_is_refused_since_ros_could_not_send_it() {
    let rule = "must not contain a NUL character";
    assert!(refused("sources.stick.topic", Value::Text("a\0b".into())).ends_with(rule));
    assert!(refused("names", Value::Texts(vec!["a".into(), "\0".into()])).ends_with(rule));
}
