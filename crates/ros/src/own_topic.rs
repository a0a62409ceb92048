use safety::{Level, Machine};

use crate::{Publisher, Runner, Status, publishers};

impl<M: Machine + 'static> Runner<M> {
    /// Once a second logs and reports which other nodes publish one of `topics`. It delivers nothing to the machine.
    #[must_use]
    pub fn publishes_alone(mut self, topics: impl IntoIterator<Item: AsRef<str>>) -> Self {
        for topic in topics {
            let mut topic = OwnTopic::new(self.inputs.names().resolve(topic.as_ref()));
            self.reports.push(Box::new(move |node, status| topic.report(node, status)));
        }
        self
    }

    /// Reports when nobody obeys `topic`, by which the node moves the robot.
    #[must_use]
    pub fn needs_subscriber(mut self, topic: &str, has_one: impl Fn() -> bool + Send + 'static) -> Self {
        let sentence = format!(
            "nobody subscribes to '{}', so nothing moves: what obeys it does not run, or expects another name, type or QoS",
            self.inputs.names().resolve(topic)
        );
        self.reports.push(Box::new(move |_, status| {
            if !has_one() {
                status.worsen(status.level.max(Level::Warn), &sentence); // beside what is worse, too
            }
        }));
        self
    }
}

/// A topic that its node alone publishes: others would send their values between the node's own, to those who obey them.
struct OwnTopic {
    /// Its name in the graph.
    name: String,
    /// The sentence that was logged last.
    conflict: Option<String>,
}

impl OwnTopic {
    fn new(name: String) -> Self {
        Self { name, conflict: None }
    }

    /// Looks who publishes it, logs a change for the worse, and adds to `status` what is wrong.
    fn report(&mut self, node: &r2r::Node, status: &mut Status) {
        let found = publishers(node, &self.name);
        let own = node.fully_qualified_name().unwrap_or_default();
        let conflict = conflict(&self.name, found.as_deref(), &own);
        if let Some(sentence) = &conflict {
            status.worsen(Level::Warn, sentence);
        }
        if found.is_some_and(|found| found.iter().any(Publisher::is_nameless)) {
            return; // it is logged with the names
        }
        if let Some(sentence) = conflict.as_ref().filter(|_| self.conflict != conflict) {
            log::warn!(target: &node.name().unwrap_or_default(), "{sentence}");
        }
        self.conflict = conflict;
    }
}

/// A sentence on the publishers of `topic` that were `found` beside that of the node `own`.
fn conflict(topic: &str, found: Option<&[Publisher]>, own: &str) -> Option<String> {
    let Some(found) = found else {
        return Some(format!("the publishers of '{topic}' cannot be read from the graph"));
    };
    if found.len() < 2 {
        return None;
    }
    let mut names: Vec<&str> = found.iter().map(|publisher| publisher.full_name.as_str()).collect();
    if let Some(index) = names.iter().position(|name| *name == own) {
        names.remove(index); // of others one may have the same name
    }
    names.sort_unstable();
    let names = names.join(" and ");
    Some(format!("'{topic}' is published by {names}, too: end it, or give it another topic"))
}

#[cfg(test)]
mod tests {
    use safety::PublisherId;

    use super::*;

    fn publisher(name: &str) -> Publisher {
        Publisher {
            id: PublisherId([0; 24]),
            node: String::new(),
            full_name: name.into(),
            type_name: String::new(),
            is_best_effort: false,
            is_volatile: true,
        }
    }

    #[test]
    fn others_are_named_also_those_of_the_same_name() {
        let sentence_of = |names: &[&str]| {
            let found: Vec<_> = names.iter().copied().map(publisher).collect();
            conflict("/cmd_vel", Some(&found), "/arbiter")
        };
        let sentence =
            |names| format!("'/cmd_vel' is published by {names}, too: end it, or give it another topic");
        assert_eq!(
            [sentence_of(&[]), sentence_of(&["/arbiter"]), sentence_of(&["/pad"])],
            [None, None, None]
        );
        assert_eq!(sentence_of(&["/pad", "/arbiter"]), Some(sentence("/pad")));
        assert_eq!(
            sentence_of(&["/arbiter", "/b", "/arbiter", "/a"]),
            Some(sentence("/a and /arbiter and /b"))
        );
        let unknown = "the publishers of '/cmd_vel' cannot be read from the graph";
        assert_eq!(conflict("/cmd_vel", None, "/arbiter").as_deref(), Some(unknown));
    }
}
