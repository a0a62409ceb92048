use std::io::Write as _;

use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use serde_json::json;

use crate::manager::Listed;

/// The loaded controllers and the joints, by the manager's diagnostics.
#[derive(Debug)]
pub(crate) struct Details {
    controllers: Vec<Controller>,
    joints: Vec<Joint>,
}

#[derive(Debug)]
struct Controller {
    name: String,
    state: String,
    kind: String,
    joints: String,
}

#[derive(Debug)]
struct Joint {
    name: String,
    position: String,
    limits: String,
    commanded_by: String,
}

impl Details {
    /// The details of the node `manager`, by its full name without the first slash; `None` if the message is from another node, or lacks one of
    /// the controllers of `list`.
    pub(crate) fn read(manager: &str, list: &[Listed], message: &DiagnosticArray) -> Option<Self> {
        let about = |what: &str| format!("{manager}: {what} (");
        let find = |what: &str, name: &str| {
            let name = format!("{}{name})", about(what));
            message.status.iter().find(|status| status.name == name)
        };
        let controller = |(name, state): &Listed| {
            let status = find("Controller", name)?;
            let (kind, joints) = (value(status, "Type")?, value(status, "Joints")?);
            Some(Controller { name: name.clone(), state: state.clone(), kind, joints })
        };
        let joint = |status: &DiagnosticStatus| {
            let name = status.name.strip_prefix(&about("Joint"))?.strip_suffix(')')?;
            let [position, limits, commanded_by] =
                ["Position", "Limits", "Commanded By"].map(|key| value(status, key).unwrap_or_default());
            Some(Joint { name: name.to_owned(), position, limits, commanded_by })
        };
        let joints: Vec<Joint> = message.status.iter().filter_map(joint).collect();
        let controllers = list.iter().map(controller).collect::<Option<Vec<_>>>()?;
        (!joints.is_empty()).then_some(Self { controllers, joints })
    }

    pub(crate) fn print(&self, is_json: bool) {
        if is_json {
            print_out!("{}", self.json());
            return;
        }
        let row = |one: &Controller| [&one.name, &one.state, &one.kind, &one.joints].map(Clone::clone);
        print_table(["controller", "state", "type", "joints"], self.controllers.iter().map(row).collect());
        let row = |one: &Joint| [&one.name, &one.position, &one.limits, &one.commanded_by].map(Clone::clone);
        print_table(["joint", "position", "limits", "commanded by"], self.joints.iter().map(row).collect());
    }

    fn json(&self) -> serde_json::Value {
        let names = |text: &str| {
            text.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let controller = |one: &Controller| json!({ "name": one.name, "state": one.state, "type": one.kind, "joints": names(&one.joints) });
        let joint = |one: &Joint| {
            let position: Option<f64> = one.position.parse().ok();
            json!({ "name": one.name, "position": position, "limits": one.limits, "commanded_by": names(&one.commanded_by) })
        };
        json!({
            "controllers": self.controllers.iter().map(controller).collect::<Vec<_>>(),
            "joints": self.joints.iter().map(joint).collect::<Vec<_>>(),
        })
    }
}

fn value(status: &DiagnosticStatus, key: &str) -> Option<String> {
    status.values.iter().find(|value| value.key == key).map(|value| value.value.clone())
}

fn print_table(titles: [&str; 4], mut rows: Vec<[String; 4]>) {
    rows.insert(0, titles.map(str::to_owned));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(width);
    for [first, second, third, last] in &rows {
        print_out!("{}", format!("{first:a$}  {second:b$}  {third:c$}  {last}").trim_end());
    }
}
