use std::collections::BTreeMap;

use crate::specification::split;
use crate::{Change, Declaration, Fixed, Refusal, Value};

/// The values in force: every one of them passed its check, and none is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Set {
    entries: BTreeMap<String, (Declaration, Value)>,
}

impl Set {
    pub(crate) fn insert(&mut self, name: String, declaration: Declaration, value: Value) {
        self.entries.insert(name, (declaration, value));
    }

    pub(crate) fn replace(&mut self, name: &str, value: Value) -> Result<(), Refusal> {
        let Some((declaration, current)) = self.entries.get_mut(name) else {
            return Err(Refusal::Unknown { name: name.into(), nearest: self.nearest(name) });
        };
        *current = declaration.check(name, value)?;
        Ok(())
    }

    /// Gives `name` the value that it has for as long as the node runs.
    pub(crate) fn fix(
        &mut self,
        name: &str,
        value: Value,
        is_given: bool,
        by: &Fixed,
    ) -> Result<(), Refusal> {
        if is_given && self.value(name) != Some(&value) {
            let rule = format!("must be left out or {value} where {} is '{}'", by.by, by.when);
            return Err(self.refuse(name, rule));
        }
        self.replace(name, value)?;
        if let Some((declaration, _)) = self.entries.get_mut(name) {
            declaration.change = Change::AtStart;
        }
        Ok(())
    }

    /// The set with `changes` made, all of them or none.
    ///
    /// Setting a parameter to the value that it has is no change, also where it is read-only.
    /// # Errors
    /// The first [`Refusal`]; `self` stays in force.
    pub fn change(&self, changes: &[(String, Value)]) -> Result<Self, Refusal> {
        let mut next = self.clone();
        for (name, value) in changes {
            let before = self.entries.get(name);
            next.replace(name, value.clone())?;
            if let Some((declaration, current)) = before
                && declaration.change == Change::AtStart
                && next.value(name) != Some(current)
            {
                return Err(Refusal::ReadOnly { name: name.clone(), current: current.clone() });
            }
        }
        Ok(next)
    }

    /// The value of the parameter `name`.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.entries.get(name).map(|(_, value)| value)
    }

    /// What is known of the parameter `name`.
    pub fn declaration(&self, name: &str) -> Option<&Declaration> {
        self.entries.get(name).map(|(declaration, _)| declaration)
    }

    /// All full names with declaration and value, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Declaration, &Value)> {
        self.entries.iter().map(|(name, (declaration, value))| (name.as_str(), declaration, value))
    }

    /// The names of the entries of the group `prefix`, in alphabetical order.
    pub fn group(&self, prefix: &str) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .entries
            .keys()
            .filter_map(|full| split(full))
            .filter(|(first, ..)| *first == prefix)
            .map(|(_, name, _)| name)
            .collect();
        names.dedup();
        names
    }

    /// A refusal of the value in force for `name`, for a rule over several parameters.
    pub fn refuse(&self, name: &str, rule: impl Into<String>) -> Refusal {
        let value = self.value(name).cloned().unwrap_or(Value::Text(String::new()));
        Refusal::Rule { name: name.into(), value, rule: rule.into() }
    }

    /// The most similar known name, if no more than a third of it differs.
    fn nearest(&self, name: &str) -> Option<String> {
        let (distance, best) = self.entries.keys().map(|known| (distance(known, name), known)).min()?;
        (distance * 3 <= name.chars().count()).then(|| best.clone())
    }
}

/// How many letters must be put in, taken out or replaced to make `a` of `b` (Levenshtein's distance).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
