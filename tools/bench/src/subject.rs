use crate::hand::STICK;

/// Subject of a measurement: processes that are alive together, and the topic to subscribe to.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Name in the table.
    pub name: &'static str,
    /// The number of messages between the event and the bench.
    pub messages: usize,
    /// Processes that carry them.
    pub kind: Kind,
}

/// Processes that carry the messages of a subject.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Executables of Steersman.
    Nodes(&'static [&'static str]),
    /// Bare processes of r2r, one for each message; the last message is on this topic.
    Bare(&'static str),
}

/// In the order of a round: a subject, then the bare chain that it is compared with.
pub const SUBJECTS: [Subject; 4] = [
    Subject { name: "steersman", messages: 1, kind: Kind::Nodes(&["steersman"]) },
    Subject { name: "bare relay", messages: 1, kind: Kind::Bare("/bench/chain_of_1/end") },
    Subject {
        name: "four processes",
        // ~/desired, cmd_vel_arbitrated, cmd_vel, motor/port
        messages: 4,
        kind: Kind::Nodes(&["hindbrain", "zone_scaler", "velocity_arbiter", "joystick"]),
    },
    Subject { name: "bare chain of four", messages: 4, kind: Kind::Bare("/bench/chain_of_4/end") },
];

impl Subject {
    /// The processes: executable and arguments; `parameters` is the path of the nodes' parameter file.
    pub fn processes(&self, parameters: &str) -> Vec<(&'static str, Vec<String>)> {
        match self.kind {
            Kind::Nodes(executables) => {
                let arguments = ["--ros-args", "--params-file", parameters].map(str::to_owned);
                executables.iter().map(|&executable| (executable, arguments.to_vec())).collect()
            }
            Kind::Bare(end) => (1..=self.messages).rev().map(|hop| ("bench", self.hop(hop, end))).collect(),
        }
    }

    /// Arguments of the process that makes message number `hop` of a bare chain.
    fn hop(&self, hop: usize, end: &str) -> Vec<String> {
        let topic = |hop| match hop {
            0 => STICK.to_owned(),
            last if last == self.messages => end.to_owned(),
            inner => format!("/bench/chain_of_{}/hop_{inner}", self.messages),
        };
        let command = if hop == 1 { "stamp" } else { "relay" };
        vec![command.into(), topic(hop - 1), topic(hop)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(subject: &Subject) -> Vec<String> {
        subject
            .processes("p.yaml")
            .into_iter()
            .map(|(name, rest)| format!("{name} {}", rest.join(" ")))
            .collect()
    }

    #[test]
    fn a_bare_chain_has_a_process_for_each_message() {
        assert_eq!(arguments(&SUBJECTS[1]), ["bench stamp /bench/stick /bench/chain_of_1/end"]);
        assert_eq!(
            arguments(&SUBJECTS[3]),
            [
                "bench relay /bench/chain_of_4/hop_3 /bench/chain_of_4/end",
                "bench relay /bench/chain_of_4/hop_2 /bench/chain_of_4/hop_3",
                "bench relay /bench/chain_of_4/hop_1 /bench/chain_of_4/hop_2",
                "bench stamp /bench/stick /bench/chain_of_4/hop_1",
            ]
        );
    }

    #[test]
    fn each_subject_is_followed_by_a_bare_chain_of_as_many_messages() {
        for pair in SUBJECTS.chunks(2) {
            let [subject, bare] = pair else { unreachable!() };
            assert_eq!(subject.messages, bare.messages);
            assert!(matches!((subject.kind, bare.kind), (Kind::Nodes(_), Kind::Bare(_))));
        }
    }
}
