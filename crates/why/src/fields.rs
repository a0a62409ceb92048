use core::fmt;

use crate::{Code, Flow, Reason, Stage};

/// A field that no stage has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is no field of a stage", self.0)
    }
}

/// Separates the names of a finding: no name of ROS contains it.
const BETWEEN: &str = "|";

impl Stage {
    /// The stage as keys and texts, for a topic; its name is the message's.
    pub fn fields(&self) -> Vec<(String, String)> {
        let flow = |Flow { velocity: [forward, turn], is_motion }: Flow| {
            format!("{} {forward:.2} {turn:.2}", if is_motion { "motion" } else { "nothing" })
        };
        let mut fields = vec![
            ("asked".into(), flow(self.asked)),
            ("passed".into(), flow(self.passed)),
            ("by".into(), self.by.to_string()),
            ("hand".into(), self.by_hand.to_string()),
            ("device".into(), self.has_device.to_string()),
        ];
        let names =
            |reason: &Reason| reason.names.map(|name| name.as_str().replace(BETWEEN, "/")).join(BETWEEN);
        fields.extend(self.findings.iter().map(|reason| (reason.row().name.to_owned(), names(reason))));
        fields
    }

    /// The stage called `name` from its fields; a finding that this version does not know is left out.
    /// # Errors
    /// [`Unreadable`] for a field whose text is not one of that field.
    pub fn read<'a>(
        name: &str,
        fields: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Unreadable> {
        let mut stage = Self::new(name);
        for (key, text) in fields {
            let wrong = || Unreadable(format!("{key}: {text}"));
            match key {
                "asked" => stage.asked = flow(text).ok_or_else(wrong)?,
                "passed" => stage.passed = flow(text).ok_or_else(wrong)?,
                "by" => stage.by = text.into(),
                "hand" => stage.by_hand = text.parse().map_err(|_| wrong())?,
                "device" => stage.has_device = text.parse().map_err(|_| wrong())?,
                _ => {
                    if let Some(code) = Code::named(key) {
                        stage.find(code, text.split(BETWEEN));
                    }
                }
            }
        }
        Ok(stage)
    }
}

fn flow(text: &str) -> Option<Flow> {
    let mut words = text.split(' ');
    let is_motion = match words.next()? {
        "motion" => true,
        "nothing" => false,
        _ => return None,
    };
    let mut number = || words.next()?.parse().ok().filter(|number: &f64| number.is_finite());
    Some(Flow { velocity: [number()?, number()?], is_motion })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_read_as_it_was_written() {
        let mut stage = Stage {
            asked: Flow { velocity: [0.25, -1.5], is_motion: true },
            by: "nav".into(),
            by_hand: true,
            has_device: true,
            ..Stage::new("velocity_arbiter")
        };
        for &code in &Code::ALL[..8] {
            stage.find(code, ["one", "", "three"]);
        }
        let fields = stage.fields();
        let fields = || fields.iter().map(|(key, text)| (key.as_str(), text.as_str()));
        assert_eq!(Stage::read("velocity_arbiter", fields()), Ok(stage));
        let newer = fields().chain([("NEWER_CODE", "x||")]);
        assert_eq!(Stage::read("velocity_arbiter", newer), Ok(stage), "of another version");
    }

    #[test]
    fn nonsense_is_refused() {
        for (key, text) in
            [("asked", "motion nan 0"), ("asked", ""), ("passed", "moves 1 1"), ("hand", "yes")]
        {
            assert!(Stage::read("x", [(key, text)]).is_err(), "{key}: {text}");
        }
    }
}
