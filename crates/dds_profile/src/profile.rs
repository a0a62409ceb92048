//! Judges a Fast DDS profile: whether a send may wait for the network, or for another process.

use std::collections::HashSet;

use roxmltree::{Document, Node};

/// Cause of a send that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// A link of the network that stands still.
    Network,
    /// Another process of this machine, by the memory that they share.
    SharedMemory,
}

/// A part that a profile lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// It, as the rest of a sentence.
    pub sentence: String,
    /// Cause of a send that waits without it.
    pub hazard: Hazard,
}

/// Says which part the XML profile `text` lacks; `None` if no send of its default participant can wait.
///
/// Shared memory is a lack: while processes join and leave, its publishers stop for up to a second.
///
/// It is read as Fast DDS does: names of elements, whatever their namespace. A text that Fast DDS would refuse lacks something, too.
pub fn lacks(text: &str) -> Option<Lack> {
    let network = |sentence: String| Some(Lack { sentence, hazard: Hazard::Network });
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return network(format!("it is no XML ({error})")),
    };
    let is_default = |node: &Node<'_, '_>| node.attribute("is_default_profile") == Some("true");
    let Some(participant) =
        document.descendants().filter(|node| named(*node, "participant")).find(is_default)
    else {
        return network(
            "it has no <participant> with is_default_profile=\"true\", so the built-in transports are used"
                .into(),
        );
    };
    if find(participant, "useBuiltinTransports").is_none_or(|value| value != "false") {
        return network(
            "its default participant uses the built-in transports (<useBuiltinTransports>)".into(),
        );
    }
    let users = participant.descendants().find(|node| named(*node, "userTransports"));
    let used: HashSet<&str> = users
        .into_iter()
        .flat_map(|list| list.descendants())
        .filter(|node| named(*node, "transport_id"))
        .filter_map(|node| node.text().map(str::trim))
        .collect();
    let descriptors: Vec<_> = document
        .descendants()
        .filter(|node| named(*node, "transport_descriptor"))
        .filter(|node| find(*node, "transport_id").is_some_and(|id| used.contains(id)))
        .collect();
    for descriptor in &descriptors {
        let id = find(*descriptor, "transport_id").unwrap_or_default();
        if find(*descriptor, "type") == Some("SHM") {
            return Some(Lack {
                sentence: format!("its transport '{id}' is shared memory"),
                hazard: Hazard::SharedMemory,
            });
        }
        if find(*descriptor, "non_blocking_send") != Some("true") {
            return network(format!(
                "its transport '{id}' has no <non_blocking_send>true</non_blocking_send>"
            ));
        }
    }
    if !descriptors.iter().any(|descriptor| is_of_this_machine(*descriptor)) {
        return network(
            "it has no transport of this machine alone (<interfaceWhiteList> with 127.0.0.1), so near and far readers share a buffer"
                .into(),
        );
    }
    None
}

/// Whether this transport reaches this machine alone: another one's full buffer does not matter to it.
fn is_of_this_machine(descriptor: Node<'_, '_>) -> bool {
    let lists = descriptor
        .descendants()
        .filter(|node| ["interfaceWhiteList", "allowlist"].iter().any(|name| named(*node, name)));
    let names: Vec<&str> = lists
        .flat_map(|list| list.descendants().filter(Node::is_element))
        .filter_map(|node| node.attribute("name").or_else(|| node.text()).map(str::trim))
        .filter(|name| !name.is_empty())
        .collect();
    !names.is_empty() && names.iter().all(|name| ["127.0.0.1", "lo", "::1"].contains(name))
}

fn named(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// The text of the first element of this name within `node`.
fn find<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.descendants().find(|inner| named(*inner, name)).and_then(|inner| inner.text()).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PROFILE, THIS_MACHINE};

    fn without(part: &str) -> String {
        assert!(PROFILE.contains(part), "{part}");
        lacks(&PROFILE.replace(part, "")).map(|lack| lack.sentence).unwrap_or_default()
    }

    #[test]
    fn ours_lacks_nothing_and_each_part_of_it_is_needed() {
        for ours in [PROFILE, THIS_MACHINE, include_str!("../../../config/fastdds_wifi.xml")] {
            assert_eq!(lacks(ours), None);
        }
        for (part, sentence) in [
            (
                "<non_blocking_send>true</non_blocking_send>",
                "its transport 'network' has no <non_blocking_send>",
            ),
            ("<address>127.0.0.1</address>", "it has no transport of this machine alone"),
            (
                "<useBuiltinTransports>false</useBuiltinTransports>",
                "its default participant uses the built-in",
            ),
            (" is_default_profile=\"true\"", "it has no <participant> with is_default_profile"),
            ("<transport_id>this_machine</transport_id>", "it has no transport of this machine alone"),
        ] {
            let found = without(part);
            assert!(found.starts_with(sentence), "without {part}: {found}");
        }
        assert!(lacks("<profiles>").unwrap().sentence.starts_with("it is no XML"));
    }

    #[test]
    fn shared_memory_holds_sends_back_too() {
        let shared = PROFILE.replace(
            "<transport_id>this_machine</transport_id>\n            <type>UDPv4",
            "<transport_id>this_machine</transport_id>\n            <type>SHM",
        );
        let lack = lacks(&shared).unwrap();
        assert_eq!(lack.sentence, "its transport 'this_machine' is shared memory");
        assert_eq!(lack.hazard, Hazard::SharedMemory);
    }

    #[test]
    fn one_transport_of_this_machine_alone_is_enough() {
        let start = PROFILE.find("<transport_descriptor>\n            <transport_id>network").unwrap();
        let end = PROFILE.find("<transport_descriptor>\n            <transport_id>this_machine").unwrap();
        let alone = format!("{}{}", &PROFILE[..start], &PROFILE[end..]);
        assert_eq!(lacks(&alone.replace("<transport_id>network</transport_id>", "")), None);
    }
}
