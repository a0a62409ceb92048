//! Conversion between parameters and messages.

use params::{Declaration, Kind, Set, Value};
use r2r::rcl_interfaces::msg;

/// The names below `prefixes`, at most `depth` dots deeper than the prefix; depth 0 is without limit.
pub(crate) fn list(set: &Set, prefixes: &[String], depth: u64) -> msg::ListParametersResult {
    let mut result = msg::ListParametersResult::default();
    for (name, ..) in set.iter() {
        let below = |prefix: &String| match name.strip_prefix(prefix.as_str()) {
            Some("") => Some(0),
            Some(rest) => rest.starts_with('.').then(|| rest.matches('.').count() as u64),
            None => None,
        };
        let dots = match prefixes {
            [] => Some(name.matches('.').count() as u64 + 1),
            prefixes => prefixes.iter().filter_map(below).min(),
        };
        if dots.is_some_and(|dots| depth == 0 || dots <= depth) {
            result.names.push(name.to_owned());
            if let Some((prefix, _)) = name.rsplit_once('.')
                && result.prefixes.last().map(String::as_str) != Some(prefix)
            {
                result.prefixes.push(prefix.to_owned());
            }
        }
    }
    result.prefixes.sort();
    result.prefixes.dedup();
    result
}

/// A parameter's declaration as a message, with the type of its `value`.
pub(crate) fn describe(name: &str, declaration: &Declaration, value: &Value) -> msg::ParameterDescriptor {
    let unit = if declaration.unit.is_empty() { String::new() } else { format!(" [{}]", declaration.unit) };
    let mut descriptor = msg::ParameterDescriptor {
        name: name.to_owned(),
        type_: to_wire(value).type_,
        description: format!("{}{unit}", declaration.text),
        read_only: declaration.change == params::Change::AtStart,
        dynamic_typing: declaration.kind.is_dynamic(),
        ..Default::default()
    };
    match declaration.kind {
        Kind::Integer { min, max, .. } | Kind::Integers { min, max, .. } => {
            descriptor.integer_range = vec![msg::IntegerRange { from_value: min, to_value: max, step: 0 }];
        }
        Kind::OptionalFloat { .. } if matches!(value, Value::Text(_)) => {} // no number, so no range
        Kind::Float { min, max, .. } | Kind::Floats { min, max, .. } | Kind::OptionalFloat { min, max } => {
            descriptor.floating_point_range =
                vec![msg::FloatingPointRange { from_value: min, to_value: max, step: 0.0 }];
        }
        Kind::Text { allowed, .. } | Kind::Texts { allowed, .. } if !allowed.is_empty() => {
            descriptor.additional_constraints = format!("one of: {}", allowed.join(", "));
        }
        Kind::NumberOrName { min, max, names, .. } => {
            if matches!(value, Value::Integer(_)) {
                descriptor.integer_range =
                    vec![msg::IntegerRange { from_value: min, to_value: max, step: 0 }];
            }
            descriptor.additional_constraints =
                format!("a number from {min} to {max}, or one of: {}", names.join(", "));
        }
        Kind::Bool { .. } | Kind::Text { .. } | Kind::Texts { .. } | Kind::Any => {}
    }
    descriptor
}

/// The value in a message; `None` if it is not set.
pub(crate) fn from_wire(value: &msg::ParameterValue) -> Option<Value> {
    Some(match i64::from(value.type_) {
        1 => Value::Bool(value.bool_value),
        2 => Value::Integer(value.integer_value),
        3 => Value::Float(value.double_value),
        4 => Value::Text(value.string_value.clone()),
        5 => Value::Integers(value.byte_array_value.iter().map(|&b| i64::from(b)).collect()),
        6 => Value::Bools(value.bool_array_value.clone()),
        7 => Value::Integers(value.integer_array_value.clone()),
        8 => Value::Floats(value.double_array_value.clone()),
        9 => Value::Texts(value.string_array_value.clone()),
        _ => return None,
    })
}

/// The value of a parameter as a message.
pub fn to_wire(value: &Value) -> msg::ParameterValue {
    let mut wire = msg::ParameterValue::default();
    wire.type_ = match value {
        Value::Bool(v) => {
            wire.bool_value = *v;
            1
        }
        Value::Integer(v) => {
            wire.integer_value = *v;
            2
        }
        Value::Float(v) => {
            wire.double_value = *v;
            3
        }
        Value::Text(v) => {
            wire.string_value = v.clone();
            4
        }
        Value::Bools(v) => {
            wire.bool_array_value = v.clone();
            6
        }
        Value::Integers(v) => {
            wire.integer_array_value = v.clone();
            7
        }
        Value::Floats(v) => {
            wire.double_array_value = v.clone();
            8
        }
        Value::Texts(v) => {
            wire.string_array_value = v.clone();
            9
        }
    };
    wire
}
