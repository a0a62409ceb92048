/// Why a description was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// The text is not XML; the parser's message has the position.
    #[error("the description is not XML: {0}")]
    Xml(String),
    /// The root element is not `<robot>`.
    #[error("the root element is <{0}>, must be <robot>")]
    NoRobot(String),
    /// An attribute or an element is missing.
    #[error("line {line}: {element} has no {what}")]
    Missing {
        /// The element, as `joint 'pan'`.
        element: String,
        /// The missing attribute or element.
        what: &'static str,
        /// The line of the element.
        line: u32,
    },
    /// A number is not one, or out of its range.
    #[error("line {line}: {attribute} of {element} is '{value}', must be {range}")]
    Number {
        /// The element, as `<limit> of joint 'pan'`.
        element: String,
        /// The attribute.
        attribute: &'static str,
        /// The text found.
        value: String,
        /// The values that it may have, in words.
        range: String,
        /// The line of the element.
        line: u32,
    },
    /// Two links or two joints have the same name.
    #[error("two {what}s have the name '{name}', each must have its own")]
    Twice {
        /// `link` or `joint`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A joint names a link that is not in the description.
    #[error("the {tag} of joint '{joint}' is '{link}', must be a link of this description")]
    UnknownLink {
        /// The joint.
        joint: String,
        /// `parent` or `child`.
        tag: &'static str,
        /// The link that it names.
        link: String,
    },
    /// A joint has a type that URDF does not know.
    #[error(
        "the type of joint '{joint}' is '{found}', must be revolute, continuous, prismatic, fixed, floating or planar"
    )]
    JointType {
        /// The joint.
        joint: String,
        /// The type found.
        found: String,
    },
    /// A joint's axis has no direction.
    #[error("the axis of joint '{joint}' is zero, must have a direction")]
    Axis {
        /// The joint.
        joint: String,
    },
    /// Two joints have the same child.
    #[error("link '{link}' is the child of the joints '{}', must be that of one", .joints.join("' and '"))]
    TwoParents {
        /// The child link.
        link: String,
        /// The two joints.
        joints: [String; 2],
    },
    /// Not exactly one link is without a parent.
    #[error("{}", not_one_root(.0))]
    Roots(Vec<String>),
    /// These links are in a loop, or below one.
    #[error("the links '{}' do not hang on a root: they are in a loop, or below one", .0.join("', '"))]
    Loop(Vec<String>),
}

/// A transmission that was left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: transmission '{name}' is left out: {reason}")]
pub struct Skipped {
    /// Its name, or nothing.
    pub name: String,
    /// The line of its element, from 1.
    pub line: u32,
    /// Why.
    pub reason: String,
}

fn not_one_root(roots: &[String]) -> String {
    if roots.is_empty() {
        return "the description has no link, must have one".to_owned();
    }
    format!("the links '{}' have no parent, must be one link: all others hang on it", roots.join("', '"))
}
