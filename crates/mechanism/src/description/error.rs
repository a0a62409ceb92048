use core::fmt;

/// Why a description was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DescriptionError {
    /// The text is not XML; the parser's message has the position.
    Xml(String),
    /// The root element is not `<robot>`.
    NoRobot(String),
    /// An attribute or an element is missing.
    Missing {
        /// The element, as `joint 'pan'`.
        element: String,
        /// What is missing.
        what: &'static str,
        /// The line of the element.
        line: u32,
    },
    /// A number is not one, or out of its range.
    Number {
        /// The element, as `<limit> of joint 'pan'`.
        element: String,
        /// The attribute.
        attribute: &'static str,
        /// The text found.
        value: String,
        /// What it must be.
        range: String,
        /// The line of the element.
        line: u32,
    },
    /// Two links or two joints have the same name.
    Twice {
        /// `link` or `joint`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A joint names a link that is not in the description.
    UnknownLink {
        /// The joint.
        joint: String,
        /// `parent` or `child`.
        tag: &'static str,
        /// The link that it names.
        link: String,
    },
    /// A joint has a type that URDF does not know.
    JointType {
        /// The joint.
        joint: String,
        /// The type found.
        found: String,
    },
    /// A joint's axis has no direction.
    Axis {
        /// The joint.
        joint: String,
    },
    /// Two joints have the same child.
    TwoParents {
        /// The child link.
        link: String,
        /// The two joints.
        joints: [String; 2],
    },
    /// Not exactly one link is without a parent.
    Roots(Vec<String>),
    /// These links are in a loop, or below one.
    Loop(Vec<String>),
}

/// A transmission that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its name, or nothing.
    pub name: String,
    /// The line of its element, from 1.
    pub line: u32,
    /// Why.
    pub reason: String,
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Xml(message) => write!(f, "the description is not XML: {message}"),
            Self::NoRobot(found) => write!(f, "the root element is <{found}>, must be <robot>"),
            Self::Missing { element, what, line } => write!(f, "line {line}: {element} has no {what}"),
            Self::Number { element, attribute, value, range, line } => {
                write!(f, "line {line}: {attribute} of {element} is '{value}', must be {range}")
            }
            Self::Twice { what, name } => {
                write!(f, "two {what}s have the name '{name}', each must have its own")
            }
            Self::UnknownLink { joint, tag, link } => {
                write!(f, "the {tag} of joint '{joint}' is '{link}', must be a link of this description")
            }
            Self::JointType { joint, found } => write!(
                f,
                "the type of joint '{joint}' is '{found}', must be revolute, continuous, prismatic, fixed, floating or planar"
            ),
            Self::Axis { joint } => write!(f, "the axis of joint '{joint}' is zero, must have a direction"),
            Self::TwoParents { link, joints: [one, other] } => {
                write!(
                    f,
                    "link '{link}' is the child of the joints '{one}' and '{other}', must be that of one"
                )
            }
            Self::Roots(roots) if roots.is_empty() => {
                f.write_str("the description has no link, must have one")
            }
            Self::Roots(roots) => {
                write!(
                    f,
                    "the links '{}' have no parent, must be one link: all others hang on it",
                    roots.join("', '")
                )
            }
            Self::Loop(links) => {
                write!(
                    f,
                    "the links '{}' do not hang on a root: they are in a loop, or below one",
                    links.join("', '")
                )
            }
        }
    }
}

impl core::error::Error for DescriptionError {}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: transmission '{}' is left out: {}", self.line, self.name, self.reason)
    }
}
