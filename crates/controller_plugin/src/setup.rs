use core::cell::RefCell;
use core::ops::RangeInclusive;

use crate::abi::{self, kind};
use crate::glue::{slice, text};

/// Arguments for the creation of a controller: its parameters and the robot's joints.
///
/// A parameter that `new` did not ask for is refused, so a misspelt one is found. An integer is taken where a double is asked for.
pub struct Setup<'a> {
    parameters: &'a [abi::Parameter],
    joints: &'a [abi::JointInfo],
    asked: RefCell<Vec<String>>,
}

/// Constant properties of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointInfo<'a> {
    /// Its name.
    pub name: &'a str,
    /// How it moves.
    pub kind: JointKind,
    /// Its end stops, if it has limits \[rad or m\].
    pub range: Option<(f64, f64)>,
    /// The greatest speed, if it has limits \[rad/s or m/s\].
    pub velocity: Option<f64>,
    /// The greatest effort, if it has limits \[Nm or N\].
    pub effort: Option<f64>,
    /// Why no controller can move it, if none can: it follows another joint. One that commands it is stopped.
    pub obstacle: Option<&'a str>,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// It turns between two limits.
    Revolute,
    /// It turns without limits.
    Continuous,
    /// It slides between two limits.
    Prismatic,
}

impl<'a> Setup<'a> {
    /// A setup of the parameters and joints that the program passes.
    pub(crate) fn new(parameters: &'a [abi::Parameter], joints: &'a [abi::JointInfo]) -> Self {
        Self { parameters, joints, asked: RefCell::new(vec!["type".to_owned()]) }
    }

    /// The index of the joint that the parameter `name` names, to be moved.
    /// # Errors
    /// The parameter is missing, not a string, not a joint with a transmission, or one that follows another joint.
    pub fn joint(&self, name: &str) -> Result<usize, String> {
        let joint = self.text(name, "")?;
        self.index(name, &joint)
    }

    /// The indices of the joints that the parameter `name` lists, to be moved.
    /// # Errors
    /// One is not a joint with a transmission, or follows another joint.
    pub fn joints(&self, name: &str) -> Result<Vec<usize>, String> {
        self.texts(name)?.iter().map(|joint| self.index(name, joint)).collect()
    }

    fn index(&self, parameter: &str, joint: &str) -> Result<usize, String> {
        let names = || self.joints.iter().map(|known| text(known.name));
        let index = names().position(|known| known == joint).ok_or_else(|| {
            let known = names().collect::<Vec<_>>().join(", ");
            format!("parameter '{parameter}' is '{joint}', must be a joint with a transmission: {known}")
        })?;
        match self.info(index).and_then(|info| info.obstacle) {
            None => Ok(index),
            Some(obstacle) => Err(format!(
                "parameter '{parameter}' is '{joint}', must be a joint that an actuator moves: {obstacle}"
            )),
        }
    }

    /// The index of the joint `name`, to be read only.
    pub fn find_joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|known| text(known.name) == name)
    }

    /// The joint with this index.
    pub fn info(&self, joint: usize) -> Option<JointInfo<'a>> {
        let info = self.joints.get(joint)?;
        let has_limits = info.has_limits != 0;
        Some(JointInfo {
            name: text(info.name),
            kind: match info.kind {
                kind::REVOLUTE => JointKind::Revolute,
                kind::CONTINUOUS => JointKind::Continuous,
                _ => JointKind::Prismatic,
            },
            range: has_limits.then_some((info.lower, info.upper)),
            velocity: has_limits.then_some(info.velocity),
            effort: has_limits.then_some(info.effort),
            obstacle: Some(text(info.obstacle)).filter(|obstacle| !obstacle.is_empty()),
        })
    }

    /// The number `name`, or `default` if it is not given.
    /// # Errors
    /// It is no number, or not within `range`.
    pub fn float(&self, name: &str, default: f64, range: RangeInclusive<f64>) -> Result<f64, String> {
        let value = match self.find(name) {
            None => default,
            Some(abi::Parameter { kind: kind::INTEGER, integer, .. }) => *integer as f64,
            Some(abi::Parameter { kind: kind::DOUBLE, double, .. }) => *double,
            Some(_) => return Err(format!("parameter '{name}' must be a double")),
        };
        if range.contains(&value) {
            Ok(value)
        } else {
            Err(format!("parameter '{name}' is {value}, must be {} to {}", range.start(), range.end()))
        }
    }

    /// The whole number `name`, or `default` if it is not given.
    /// # Errors
    /// It is no integer, or not within `range`.
    pub fn integer(&self, name: &str, default: i64, range: RangeInclusive<i64>) -> Result<i64, String> {
        let value = match self.find(name) {
            None => default,
            Some(abi::Parameter { kind: kind::INTEGER, integer, .. }) => *integer,
            Some(_) => return Err(format!("parameter '{name}' must be an integer")),
        };
        if range.contains(&value) {
            Ok(value)
        } else {
            Err(format!("parameter '{name}' is {value}, must be {} to {}", range.start(), range.end()))
        }
    }

    /// The boolean `name`, or `default` if it is not given.
    /// # Errors
    /// It is no boolean.
    pub fn bool(&self, name: &str, default: bool) -> Result<bool, String> {
        match self.find(name) {
            None => Ok(default),
            Some(abi::Parameter { kind: kind::BOOL, integer, .. }) => Ok(*integer != 0),
            Some(_) => Err(format!("parameter '{name}' must be a boolean")),
        }
    }

    /// The text `name`, or `default` if it is not given.
    /// # Errors
    /// It is no string.
    pub fn text(&self, name: &str, default: &str) -> Result<String, String> {
        match self.find(name) {
            None => Ok(default.to_owned()),
            Some(parameter) if parameter.kind == kind::TEXT => Ok(text(parameter.text).to_owned()),
            Some(_) => Err(format!("parameter '{name}' must be a string")),
        }
    }

    /// The texts `name`; none if they are not given.
    /// # Errors
    /// They are no string array.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        match self.find(name) {
            None => Ok(Vec::new()),
            Some(parameter) if parameter.kind == kind::TEXTS => {
                Ok(slice(&parameter.texts).iter().map(|one| text(*one).to_owned()).collect())
            }
            Some(_) => Err(format!("parameter '{name}' must be a string array")),
        }
    }

    /// The numbers `name`, each within `range`; none if they are not given.
    /// # Errors
    /// They are no array of numbers, or one is not within `range`.
    pub fn floats(&self, name: &str, range: RangeInclusive<f64>) -> Result<Vec<f64>, String> {
        let values: Vec<f64> = match self.find(name) {
            None => Vec::new(),
            Some(parameter) if parameter.kind == kind::INTEGERS => {
                slice(&parameter.integers).iter().map(|value| *value as f64).collect()
            }
            Some(parameter) if parameter.kind == kind::DOUBLES => slice(&parameter.doubles).to_vec(),
            Some(_) => return Err(format!("parameter '{name}' must be a double array")),
        };
        match values.iter().find(|value| !range.contains(value)) {
            None => Ok(values),
            Some(bad) => Err(format!(
                "parameter '{name}' has {bad}, must be {} to {} each",
                range.start(),
                range.end()
            )),
        }
    }

    fn find(&self, name: &str) -> Option<&'a abi::Parameter> {
        self.asked.borrow_mut().push(name.to_owned());
        self.parameters.iter().find(|parameter| text(parameter.name) == name)
    }

    /// # Errors
    /// A parameter that nobody asked for.
    pub(crate) fn check_all_asked(&self) -> Result<(), String> {
        let asked = self.asked.borrow();
        let mut given = self.parameters.iter().map(|parameter| text(parameter.name));
        given.find(|name| !asked.iter().any(|known| known == name)).map_or(Ok(()), |name| {
            let known: Vec<&str> = asked.iter().map(String::as_str).collect();
            Err(format!("parameter '{name}' does not exist, there are: {}", known.join(", ")))
        })
    }
}
