//! A small specification, for the tests of parameters and of the files that are made of them.

use std::time::Duration;

use params::{Group, Parameter, Preset, PresetValue, Specification};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Limit,
    Multiply,
}

params::choices! { Mode: Limit = "limit", Multiply = "multiply" }

params::params! {
    pub struct Declared {
        timeout: Duration = Parameter::seconds("timeout", 0.5, 0.05, 5.0).text("How long to wait."),
        mode: Mode = Parameter::choice("scaling.mode", "limit").text("How."),
        rate: i64 = Parameter::integer("rate", 50, 1, 1000).unit("Hz").text("How often.").at_start(),
        names: Vec<String> = Parameter::strings("names", &[], &[], 4).text("Names."),
    }
}
params::params! {
    pub struct Source {
        topic: String = Parameter::string("topic", "").text("The topic of the commands."),
        priority: i64 = Parameter::integer("priority", 0, 0, 255).text("The highest wins."),
    }
}

pub fn specification() -> Specification {
    Specification::new("example", "An example.").with_all(Declared::declarations()).with_group(Group {
        prefix: "sources",
        text: "A source.",
        members: Source::declarations(),
        presets: &[Preset {
            name: "stick",
            values: &[("topic", PresetValue::Text("/stick")), ("priority", PresetValue::Integer(100))],
        }],
    })
}
