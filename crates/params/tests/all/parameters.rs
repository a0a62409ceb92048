//! A small specification, resolved, changed and written out.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use params::{Change, Declaration, Group, Parameter, Refusal, Set, Specification, Value};

use crate::example::{Declared, Mode, Source, specification};

fn set(overrides: &[(&str, Value)]) -> Result<Set, Vec<Refusal>> {
    specification().resolve(overrides.iter().map(|(n, v)| ((*n).to_owned(), v.clone())))
}

fn source(set: &Set, name: &str) -> (String, i64) {
    let Source { topic, priority } = Source::get_entry(set, "sources", name);
    (topic, priority)
}

fn refused(name: &str, value: Value) -> String {
    let refusals = set(&[(name, value)]).unwrap_err();
    assert_eq!(refusals.len(), 1);
    refusals[0].to_string()
}

#[test]
fn a_parameter_without_a_value_has_its_default() {
    let set = set(&[]).unwrap();
    let Declared { timeout, mode, rate, names } = Declared::get(&set);
    assert_eq!((timeout, mode, rate), (Duration::from_millis(500), Mode::Limit, 50));
    assert!(names.is_empty());
    assert_eq!(set.group("sources"), ["stick"]);
    assert_eq!(source(&set, "stick"), ("/stick".into(), 100));
}

#[test]
fn entries_of_the_user_replace_the_presets() {
    let set =
        set(&[("sources.a.topic", Value::Text("/a".into())), ("sources.b.priority", Value::Integer(7))])
            .unwrap();
    assert_eq!(set.group("sources"), ["a", "b"]);
    assert_eq!(source(&set, "a"), ("/a".into(), 0));
    assert_eq!(source(&set, "b"), (String::new(), 7));
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
    for (value, shown) in [
        (Value::Float(3e30), "3e30 (double)"),
        (Value::Integer(12345), "12345 (integer)"),
        (Value::Bool(true), "true (boolean)"),
    ] {
        assert_eq!(
            refused("scaling.mode", value),
            format!("parameter 'scaling.mode' is {shown}, must be of type string; write it in quotes")
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
fn all_refusals_are_reported_at_once() {
    let refusals = set(&[("timeout", Value::Float(-1.0)), ("rate", Value::Bool(true))]).unwrap_err();
    assert_eq!(refusals.len(), 2);
}

#[test]
fn a_whole_number_is_a_real_one_but_not_the_reverse() {
    let set_of = |value| set(&[("timeout", value)]).unwrap();
    assert_eq!(Declared::get(&set_of(Value::Integer(2))), Declared::get(&set_of(Value::Float(2.0))));
    assert!(set(&[("rate", Value::Float(2.0))]).is_err());
}

#[test]
fn an_empty_list_has_any_type() {
    assert!(Declared::get(&set(&[("names", Value::Bools(Vec::new()))]).unwrap()).names.is_empty());
}

#[test]
fn all_changes_apply_or_none() {
    let before = set(&[]).unwrap();
    let good = ("timeout".to_owned(), Value::Float(1.0));
    let after = before.change(std::slice::from_ref(&good)).unwrap();
    let timeout = |set: &Set| Declared::get(set).timeout.as_secs_f64();
    assert_eq!((timeout(&before), timeout(&after)), (0.5, 1.0));
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
fn a_default_passes_its_own_check() {
    for (name, declaration, value) in specification().defaults().iter() {
        let declaration: &Declaration = declaration;
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
    }
}

#[test]
fn seconds_are_a_time() {
    let set = set(&[("timeout", Value::Float(0.25))]).unwrap();
    assert_eq!(Declared::get(&set).timeout, Duration::from_millis(250));
    assert_eq!(set.declaration("timeout").unwrap().unit, "s");
}

#[test]
fn a_time_is_never_negative() {
    params::params! {
        struct Negative {
            offset: Duration = Parameter::seconds("offset", -1.0, -2.0, 2.0),
        }
    }
    assert_eq!(Negative::default().offset, Duration::ZERO);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "'offset' is read but not in the specification")]
fn only_declared_parameters_can_be_read() {
    Parameter::float("offset", 0.0, 0.0, 1.0).get(&set(&[]).unwrap());
}

#[test]
fn the_macros_list_struct_and_readers_agree() {
    params::params! {
        /// One of each type.
        #[derive(PartialOrd)]
        struct Every {
            /// Of a field.
            /// Of two lines.
            bool: bool = Parameter::bool("is", true),
            integer: i64 = Parameter::integer("integer", 1, 0, 9),
            float: f64 = Parameter::float("float", 1.0, 0.0, 9.0),
            time: Duration = Parameter::seconds("time", 1.0, 0.0, 9.0).at_start(),
            /// Not this.
            text: String = Parameter::string("text", "one").text("Its own."),
            integers: Vec<i64> = Parameter::integers("list.integers", &[1], 0, 9, 1),
            floats: Vec<f64> = Parameter::floats("list.floats", &[1.0], 0.0, 9.0, 1),
            texts: Vec<String> = Parameter::strings("list.texts", &["one"], &[], 1),
        }
    }
    let list = Every::declarations();
    let names: Vec<_> = list.iter().map(|declaration| declaration.name).collect();
    let ordered = ["is", "integer", "float", "time", "text", "list.integers", "list.floats", "list.texts"];
    assert_eq!(names, ordered, "the order is that of the fields");
    assert_eq!(list.iter().filter(|declaration| declaration.change == Change::AtStart).count(), 1);
    assert_eq!([0, 1, 4].map(|index: usize| list[index].text), ["Of a field. Of two lines.", "", "Its own."]);

    let ones = Every {
        bool: true,
        integer: 1,
        float: 1.0,
        time: Duration::from_secs(1),
        text: "one".into(),
        integers: vec![1],
        floats: vec![1.0],
        texts: vec!["one".into()],
    };
    assert_eq!(Every::default(), ones);
    let values = || {
        let texts = Value::Texts(vec![String::new()]);
        let lists = [Value::Integers(vec![0]), Value::Floats(vec![0.0]), texts];
        let (zero, text) = (Value::Float(0.0), Value::Text(String::new()));
        [Value::Bool(false), Value::Integer(0), zero.clone(), zero, text].into_iter().chain(lists)
    };
    let zeros = Every {
        bool: false,
        integer: 0,
        float: 0.0,
        time: Duration::ZERO,
        text: String::new(),
        integers: vec![0],
        floats: vec![0.0],
        texts: vec![String::new()],
    };

    let single = Specification::new("example", "").with_all(Every::declarations());
    assert_eq!(Every::get(&single.defaults()), ones);
    let given = names.iter().map(|&name| name.to_owned()).zip(values());
    assert_eq!(Every::get(&single.resolve(given).unwrap()), zeros);

    let group = Group { prefix: "all", text: "", members: Every::declarations(), presets: &[] };
    let given = names.iter().map(|name| format!("all.a.{name}")).zip(values());
    let set = Specification::new("example", "").with_group(group).resolve(given).unwrap();
    assert_eq!(Every::get_entry(&set, "all", "a"), zeros);
}

#[test]
fn a_text_with_a_nul_is_refused_since_ros_could_not_send_it() {
    let rule = "must not contain a NUL character";
    assert!(refused("sources.stick.topic", Value::Text("a\0b".into())).ends_with(rule));
    assert!(refused("names", Value::Texts(vec!["a".into(), "\0".into()])).ends_with(rule));
}
