use std::collections::BTreeMap;

use crate::specification::split;
use crate::value::foreign;
use crate::{Change, Declaration, Fixed, Foreign, Kind, Refusal, Value};

/// The most parameters that are not declared, and the longest name of one: they must not fill the memory.
const MOST_OPEN: usize = 10_000;
const MOST_OPEN_BYTES: usize = 512;

/// Longest name of an entry of a live group: it becomes a part of other names, which ROS limits.
const LONGEST_ENTRY: usize = 64;

/// A group whose entries are added and removed at run time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Live {
    pub(crate) prefix: &'static str,
    /// The member whose deletion removes an entry.
    pub(crate) key: &'static str,
    pub(crate) members: Vec<Declaration>,
}

impl Live {
    /// The full name of a member.
    fn full(&self, entry: &str, member: &str) -> String {
        format!("{}.{entry}.{member}", self.prefix)
    }
}

/// The values in force: every one of them passed its check, and none is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Set {
    entries: BTreeMap<String, (Declaration, Value)>,
    live: Vec<Live>,
    /// The declaration of parameters that are not declared, if they are allowed.
    open: Option<Declaration>,
    foreign: &'static [Foreign],
}

impl Set {
    pub(crate) fn new(live: Vec<Live>, open: Option<Declaration>, foreign: &'static [Foreign]) -> Self {
        Self { entries: BTreeMap::new(), live, open, foreign }
    }

    pub(crate) fn insert(&mut self, name: String, declaration: Declaration, value: Value) {
        self.entries.insert(name, (declaration, value));
    }

    pub(crate) fn replace(&mut self, name: &str, value: Value) -> Result<(), Refusal> {
        let Some((declaration, current)) = self.entries.get_mut(name) else {
            return Err(self.unknown(name));
        };
        *current = declaration.check(name, value)?;
        Ok(())
    }

    /// Fixes the value of `name` while the node runs.
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

    /// The set with all `changes` applied in order, or none of them.
    ///
    /// Setting a parameter to the value that it has is no change, also where it is read-only.
    /// # Errors
    /// The first [`Refusal`]; `self` stays in force.
    pub fn change(&self, changes: &[(String, Value)]) -> Result<Self, Refusal> {
        self.edit(changes.iter().map(|(name, value)| (name.as_str(), Some(value))))
    }

    /// The set with all `edits` applied as by [`change`](Self::change), where a missing value deletes the parameter. Only the key of
    /// an entry of a live group can be deleted, which removes the whole entry.
    /// # Errors
    /// The first [`Refusal`]; `self` stays in force.
    pub fn edit<'a>(
        &self,
        edits: impl IntoIterator<Item = (&'a str, Option<&'a Value>)>,
    ) -> Result<Self, Refusal> {
        let mut next = self.clone();
        for (name, value) in edits {
            let Some(value) = value else {
                next.remove(name)?;
                continue;
            };
            next.add_entry(name, value)?;
            next.add_open(name);
            next.replace(name, value.clone())?;
            if let Some((declaration, current)) = self.entries.get(name)
                && declaration.change == Change::AtStart
                && next.value(name) != Some(current)
            {
                let what =
                    format!("is read-only and stays {}; set it when the node starts", current.quoted());
                return Err(Refusal::new(name, what));
            }
        }
        Ok(next)
    }

    /// The entry of a live group that the parameter `name` belongs to, whether it exists or not: `sources.joystick`.
    pub fn live_entry<'a>(&self, name: &'a str) -> Option<&'a str> {
        let (prefix, entry, _) = split(name)?;
        self.live(prefix)?;
        name.get(..prefix.len() + 1 + entry.len())
    }

    fn live(&self, prefix: &str) -> Option<&Live> {
        self.live.iter().find(|live| live.prefix == prefix)
    }

    /// Checks the name of the entry that `name` belongs to, if its group is live.
    pub(crate) fn check_entry(&self, name: &str, value: &Value) -> Result<(), Refusal> {
        let Some((_, entry, _)) = split(name).filter(|(prefix, ..)| self.live(prefix).is_some()) else {
            return Ok(());
        };
        if (1..=LONGEST_ENTRY).contains(&entry.len()) && is_word(entry) {
            return Ok(());
        }
        let rule =
            format!("and the name '{entry}' in it must be 1 to {LONGEST_ENTRY} letters, digits and '_'");
        Err(Refusal::of(name, value, &rule))
    }

    /// Adds the entry that `name` belongs to, if it does not exist and its group is live.
    fn add_entry(&mut self, name: &str, value: &Value) -> Result<(), Refusal> {
        let Some((prefix, entry, member)) = split(name) else { return Ok(()) };
        let Some(live) = self.live(prefix).cloned() else { return Ok(()) };
        let exists = self.entries.contains_key(&live.full(entry, live.key));
        if exists || !live.members.iter().any(|known| known.name == member) {
            return Ok(());
        }
        self.check_entry(name, value)?;
        for declaration in &live.members {
            self.insert(live.full(entry, declaration.name), *declaration, declaration.kind.default());
        }
        Ok(())
    }

    /// Adds the parameter `name` that is not declared, if such ones are allowed and its owner can have this name.
    pub(crate) fn add_open(&mut self, name: &str) {
        let Some(open) = self.open.filter(|_| !self.entries.contains_key(name)) else { return };
        let Some((owner, member)) = name.split_once('.') else { return };
        let is_owner = owner.split('/').all(is_word);
        let is_member = member.split('.').all(is_word);
        let of_node = |known: &str, declaration: &Declaration| {
            declaration.kind != Kind::Any && known.split('.').next() == Some(owner)
        };
        let is_of_node = self.entries.iter().any(|(known, (declaration, _))| of_node(known, declaration));
        let count = self.entries.values().filter(|(declaration, _)| declaration.kind == Kind::Any).count();
        if is_owner && is_member && !is_of_node && name.len() <= MOST_OPEN_BYTES && count < MOST_OPEN {
            self.insert(name.into(), open, open.kind.default());
        }
    }

    /// The parameters that are not declared of `owner`: the names of their members, with their values.
    pub fn open(&self, owner: &str) -> Vec<(&str, &Value)> {
        let member = |full: &'_ str| full.strip_prefix(owner)?.strip_prefix('.').map(str::len);
        let entries = self.entries.iter().filter(|(_, (declaration, _))| declaration.kind == Kind::Any);
        entries.filter_map(|(full, (_, value))| Some((&full[full.len() - member(full)?..], value))).collect()
    }

    /// Removes the entry whose key is the parameter `name`.
    fn remove(&mut self, name: &str) -> Result<(), Refusal> {
        let Some(current) = self.value(name) else { return Err(self.unknown(name)) };
        if self.declaration(name).is_some_and(|declaration| declaration.kind == Kind::Any) {
            self.entries.remove(name);
            return Ok(());
        }
        let found = split(name).and_then(|(prefix, entry, member)| Some((self.live(prefix)?, entry, member)));
        let (live, entry) = match found {
            Some((live, entry, member)) if member == live.key => (live, entry),
            other => {
                let key = other.map(|(live, entry, _)| live.full(entry, live.key));
                let hint = key.map(|key| format!("; delete '{key}' to remove the entry")).unwrap_or_default();
                let what = format!("cannot be deleted and stays {}{hint}", current.quoted());
                return Err(Refusal::new(name, what));
            }
        };
        let members: Vec<String> = live.members.iter().map(|member| live.full(entry, member.name)).collect();
        self.entries.retain(|name, _| !members.contains(name));
        Ok(())
    }

    /// The value of the parameter `name`.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.entries.get(name).map(|(_, value)| value)
    }

    /// The declaration of the parameter `name`.
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
        Refusal::of(name, &value, &rule.into())
    }

    fn unknown(&self, name: &str) -> Refusal {
        let similar = || nearest(name, self.entries.keys().map(String::as_str));
        let hint = foreign(name, self.foreign)
            .or_else(|| similar().map(|nearest| format!("; did you mean '{nearest}'?")));
        Refusal::new(name, format!("does not exist{}", hint.unwrap_or_default()))
    }
}

/// Whether `word` is made of letters, digits and `_`.
fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The most similar one of `known`, if no more than a third of `name` differs.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A name whose length alone differs too much is not compared: the time would grow with the length of what a client sends.
    let length = name.chars().count();
    let alike = known.into_iter().filter(|known| known.chars().count().abs_diff(length) * 3 <= length);
    let (distance, best) = alike.map(|known| (distance(known, name), known)).min()?;
    (distance * 3 <= length).then_some(best)
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
