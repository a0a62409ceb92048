//! Which controllers an unspawner stopped and may start again.

use std::collections::BTreeSet;

use crate::manager::Listed;

/// The controllers that were stopped in one manager, whose identity is an `I`.
///
/// It starts again a part of what ran together before, in this manager: never beside a controller that was started meanwhile,
/// which may move the same joints, and nothing in a manager in which nothing was stopped.
#[derive(Debug)]
pub(crate) struct Inhibition<I> {
    names: Vec<String>,
    /// The manager; `None` if it is not certain which one it is.
    manager: Option<I>,
    /// The names of the controllers that ran together.
    ran: BTreeSet<String>,
    /// The stopped ones of them.
    stopped: BTreeSet<String>,
}

impl<I: PartialEq> Inhibition<I> {
    /// Nothing is stopped; of all controllers those called `names` will be.
    pub(crate) fn new(names: &[String]) -> Self {
        Self { names: names.to_vec(), manager: None, ran: BTreeSet::new(), stopped: BTreeSet::new() }
    }

    /// The controllers of a manager were listed, and the manager was the same before and after that; `None` if that is not certain.
    /// Returns a sentence for each controller that will not be started again.
    pub(crate) fn listed(&mut self, manager: Option<I>, list: &[Listed]) -> Vec<String> {
        let is_same = manager.is_some() && manager == self.manager;
        let running = running(list);
        let new: Vec<&String> = running.difference(&self.ran).collect();
        let mut reasons = Vec::new();
        if !is_same {
            let is_known = manager.is_some();
            let reason = if is_known {
                "the manager is another one"
            } else {
                "it is not certain which manager this is"
            };
            reasons = self.end(reason);
            self.manager = manager;
            self.ran = running;
        } else if let Some(new) = new.first() {
            // One that was stopped and now runs again needs no word.
            self.stopped.retain(|name| !running.contains(name));
            reasons = self.end(&format!("'{new}' was started meanwhile"));
            self.ran = running;
        }
        let is_loaded = |name: &String| list.iter().any(|(known, _)| known == name);
        let gone: Vec<String> = self.stopped.iter().filter(|name| !is_loaded(name)).cloned().collect();
        for name in gone {
            self.stopped.remove(&name);
            reasons.push(format!("'{name}' was unloaded"));
        }
        reasons
    }

    /// The listed controllers that have to be stopped.
    pub(crate) fn to_stop(&self, list: &[Listed]) -> Vec<String> {
        running(list).into_iter().filter(|name| self.names.contains(name)).collect()
    }

    /// The manager stopped `names`.
    pub(crate) fn stopped(&mut self, names: Vec<String>) {
        if self.manager.is_some() {
            self.stopped.extend(names);
        }
    }

    /// Whether any may be started again.
    pub(crate) fn has_stopped(&self) -> bool {
        !self.stopped.is_empty()
    }

    /// The stopped controllers that may be started again, of those listed last.
    pub(crate) fn to_start(&self, list: &[Listed]) -> Vec<String> {
        self.stopped.difference(&running(list)).cloned().collect()
    }

    /// Nothing that was stopped is started again, for this reason. Returns a sentence for each.
    pub(crate) fn end(&mut self, reason: &str) -> Vec<String> {
        let stopped = std::mem::take(&mut self.stopped);
        stopped.iter().map(|name| format!("'{name}' stays stopped: {reason}")).collect()
    }
}

fn running(list: &[Listed]) -> BTreeSet<String> {
    list.iter().filter(|(_, state)| state == "running").map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(running: &[&str], stopped: &[&str]) -> Vec<Listed> {
        let state = |state: &'static str| move |name: &&str| ((*name).to_owned(), state.to_owned());
        running.iter().map(state("running")).chain(stopped.iter().map(state("stopped"))).collect()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// An inhibition of `a` and `b` in the manager 1, in which `a` and `c` ran and `a` was stopped.
    fn inhibited() -> Inhibition<u8> {
        let mut inhibition = Inhibition::new(&names(&["a", "b"]));
        let before = list(&["a", "c"], &["b", "d"]);
        assert_eq!(inhibition.listed(Some(1), &before), names(&[]));
        assert_eq!(inhibition.to_stop(&before), names(&["a"]));
        inhibition.stopped(names(&["a"]));
        inhibition
    }

    #[test]
    fn one_that_was_stopped_is_started_again_however_often_it_was() {
        let mut inhibition = inhibited();
        for again in
            [list(&["a", "c"], &[]), list(&["a"], &["c"]), list(&["c"], &["a"]), list(&[], &["a", "c"])]
        {
            assert_eq!(inhibition.listed(Some(1), &again), names(&[]));
            inhibition.stopped(inhibition.to_stop(&again));
        }
        assert_eq!(inhibition.to_start(&list(&["c"], &["a"])), names(&["a"]));
        assert_eq!(inhibition.to_start(&list(&["a", "c"], &[])), names(&[]), "it runs");
    }

    #[test]
    fn nothing_is_started_in_another_manager_or_in_one_that_is_not_known() {
        for (manager, reason) in
            [(Some(2), "the manager is another one"), (None, "it is not certain which manager this is")]
        {
            let mut inhibition = inhibited();
            let there = list(&["c"], &["a"]);
            assert_eq!(inhibition.listed(manager, &there), [format!("'a' stays stopped: {reason}")]);
            assert_eq!(inhibition.to_start(&there), names(&[]));
        }
        let mut inhibition = Inhibition::<u8>::new(&names(&["a"]));
        inhibition.listed(None, &list(&["a"], &[]));
        inhibition.stopped(names(&["a"]));
        assert_eq!(inhibition.listed(None, &list(&[], &["a"])), names(&[]));
        assert_eq!(inhibition.to_start(&list(&[], &["a"])), names(&[]), "nobody knows where it was stopped");
    }

    #[test]
    fn nothing_is_started_beside_what_was_started_meanwhile() {
        let mut inhibition = inhibited();
        let there = list(&["c", "d"], &["a"]);
        assert_eq!(
            inhibition.listed(Some(1), &there),
            names(&["'a' stays stopped: 'd' was started meanwhile"])
        );
        assert_eq!(inhibition.to_start(&there), names(&[]));
        assert_eq!(inhibition.listed(Some(1), &list(&["c"], &["a"])), names(&[]), "that stays so");
        assert_eq!(inhibition.to_start(&list(&["c"], &["a"])), names(&[]));
    }

    /// Two of the names, one after the other: they never ran together.
    #[test]
    fn of_two_that_took_turns_the_last_is_started() {
        let mut inhibition = inhibited();
        let there = list(&["b", "c"], &["a"]);
        assert_eq!(
            inhibition.listed(Some(1), &there),
            names(&["'a' stays stopped: 'b' was started meanwhile"])
        );
        inhibition.stopped(inhibition.to_stop(&there));
        assert_eq!(inhibition.to_start(&list(&["c"], &["a", "b"])), names(&["b"]));
    }

    #[test]
    fn one_that_was_unloaded_is_another_one_when_it_is_loaded_again() {
        let mut inhibition = inhibited();
        assert_eq!(inhibition.listed(Some(1), &list(&["c"], &[])), names(&["'a' was unloaded"]));
        assert_eq!(inhibition.to_start(&list(&["c"], &["a"])), names(&[]));
    }
}
