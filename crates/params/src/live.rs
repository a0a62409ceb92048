use crate::{Declaration, Refusal, Value};

/// A group whose entries are added and removed at run time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Live {
    pub(crate) prefix: &'static str,
    /// The member whose deletion removes an entry.
    pub(crate) key: &'static str,
    pub(crate) members: Vec<Declaration>,
}

/// Longest name of an entry: it becomes a part of other names, which ROS limits.
const LONGEST: usize = 64;

impl Live {
    /// The full name of a member.
    pub(crate) fn full(&self, entry: &str, member: &str) -> String {
        format!("{}.{entry}.{member}", self.prefix)
    }

    /// Checks the name `entry` in the parameter `name`.
    pub(crate) fn check(name: &str, entry: &str, value: &Value) -> Result<(), Refusal> {
        let is_good = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if (1..=LONGEST).contains(&entry.len()) && entry.bytes().all(is_good) {
            return Ok(());
        }
        let rule = format!("and the name '{entry}' in it must be 1 to {LONGEST} letters, digits and '_'");
        Err(Refusal::Rule { name: name.into(), value: value.clone(), rule })
    }
}
