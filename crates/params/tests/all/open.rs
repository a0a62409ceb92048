//! Parameters that are not declared.
#![allow(clippy::unwrap_used)] // helpers of tests

use params::{Kind, Parameter, Set, Specification, Value};

params::params! {
    struct Declared {
        rate: i64 = Parameter::integer("loop.rate", 50, 1, 1000).text("How often."),
    }
}

fn set(overrides: &[(&str, Value)]) -> Result<Set, String> {
    let specification = Specification::new("example", "An example.")
        .with_all(Declared::declarations())
        .with_open("A parameter of a controller.");
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    specification.resolve(overrides).map_err(|refusals| refusals[0].to_string())
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

#[test]
fn an_owner_may_have_any_parameters() {
    let given =
        [("pan.type", text("Effort")), ("pan.pid.p", Value::Float(2.0)), ("arm/pan.joint", text("pan"))];
    let set = set(&given).unwrap();
    assert_eq!(set.open("pan"), [("pid.p", &Value::Float(2.0)), ("type", &text("Effort"))]);
    assert_eq!(set.open("arm/pan"), [("joint", &text("pan"))]);
    assert_eq!(set.open("pa"), []);
    assert_eq!(set.open("loop"), [], "declared");
    assert_eq!(set.declaration("pan.type").map(|declaration| declaration.kind), Some(Kind::Any));
}

#[test]
fn it_is_set_to_another_type_and_deleted_at_run_time() {
    let before = set(&[("pan.gain", Value::Integer(1))]).unwrap();
    let after = before.change(&[("pan.gain".into(), text("much")), ("tilt.gain".into(), Value::Bool(true))]);
    let after = after.unwrap();
    assert_eq!((after.open("pan"), after.open("tilt").len()), (vec![("gain", &text("much"))], 1));
    let deleted = after.edit([("pan.gain", None)]).unwrap();
    assert_eq!((deleted.open("pan"), deleted.open("tilt").len()), (Vec::new(), 1));
}

#[test]
fn a_mistyped_name_of_a_declared_parameter_is_refused() {
    let refused = set(&[("loop.rat", Value::Integer(60))]).unwrap_err();
    assert_eq!(refused, "parameter 'loop.rat' does not exist; did you mean 'loop.rate'?");
    for name in ["rate", "pan.", ".type", "pan..type", "pa n.type", "pan.ty pe", "/pan.type", "pan/.type"] {
        assert!(set(&[(name, Value::Integer(60))]).is_err(), "{name}");
    }
}

#[test]
fn a_number_that_is_not_finite_is_refused() {
    for value in [Value::Float(f64::NAN), Value::Floats(vec![1.0, f64::INFINITY])] {
        let refused = set(&[("pan.gain", value)]).unwrap_err();
        assert!(refused.contains("'pan.gain'") && refused.contains("must be finite"), "{refused}");
    }
}

#[test]
fn they_do_not_fill_the_memory() {
    let set = set(&[]).unwrap();
    let many: Vec<_> = (0..10_001).map(|number| (format!("tilt.gain{number}"), Value::Bool(true))).collect();
    assert!(set.change(&many).is_err());
    assert!(set.change(&[(format!("pan.{}", "a".repeat(600)), Value::Bool(true))]).is_err());
}
