use crate::controllers::Refusal;

/// A call of one of the manager's services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Creates the controller of this name, from its parameters, and leaves it stopped.
    Load(String),
    /// Removes a stopped controller.
    Unload(String),
    /// Stops and starts controllers between two steps.
    Switch {
        /// Controllers to start, in this order, after all stops.
        start: Vec<String>,
        /// Controllers to stop, in this order.
        stop: Vec<String>,
        /// The strictness: whether an unknown name or a controller that does not start makes the switch fail.
        strictness: i32,
    },
    /// Loads the controllers' libraries again.
    Reload {
        /// Whether loaded controllers are stopped and unloaded.
        force: bool,
    },
}

impl Request {
    /// The stops of this request, as a request of its own that stops as many of them as it can; `None` if it stops nothing.
    pub(crate) fn stops(&self) -> Option<Self> {
        let Self::Switch { stop, .. } = self else { return None };
        let stop = stop.clone();
        (!stop.is_empty()).then_some(Self::Switch { start: Vec::new(), stop, strictness: 1 })
    }

    /// Whether it can start nothing.
    pub(crate) fn only_stops(&self) -> bool {
        matches!(self, Self::Switch { start, .. } if start.is_empty())
    }
}

/// Identifies a request to its caller.
pub type RequestId = u64;

/// A loaded controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerState {
    /// Its name.
    pub name: String,
    /// Whether it runs.
    pub is_running: bool,
}

impl ControllerState {
    /// `running` or `stopped`, as `pr2_mechanism_msgs/srv/ListControllers` has it.
    pub fn as_str(&self) -> &'static str {
        if self.is_running { "running" } else { "stopped" }
    }
}

/// Whether a switch of this strictness, as `pr2_mechanism_msgs/srv/SwitchController` has it, is strict: if a name is unknown or a
/// controller does not start, it changes nothing. By best effort it goes on with the others.
/// # Errors
/// Any number but 0, 1 and 2; in pr2_mechanism those count as best effort.
pub(crate) fn is_strict(strictness: i32) -> Result<bool, Refusal> {
    match strictness {
        0 | 1 => Ok(false),
        2 => Ok(true),
        other => Err(Refusal::Strictness(other)),
    }
}

/// Checks that `name` can be that of a controller, whose parameters and topics it prefixes.
///
/// # Errors
/// It cannot.
/// # Source
/// own: words that begin with a letter, joined by `/`; the original takes `_pan`, `/pan` and `a//b`, too.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_alphabetic())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if name.len() <= 255 && name.split('/').all(is_word) {
        Ok(())
    } else {
        Err(Refusal::Name(name.to_owned()))
    }
}

/// The type in `known` that the parameter `<name>.type` names: the same, or else the first whose part after the last `/` is it.
/// The flag is true for the second way, which the caller warns of.
/// # Errors
/// It is missing, empty, or names none.
/// # Source
/// `pr2_controller_manager` 1.8.21, `loadController`.
pub fn resolve_type<'a>(
    name: &str,
    found: Option<&str>,
    known: &'a [String],
) -> Result<(&'a str, bool), Refusal> {
    let found = found.filter(|found| !found.is_empty()).ok_or_else(|| Refusal::NoType(name.to_owned()))?;
    let bare = |known: &&String| known.rsplit_once('/').is_some_and(|(_, class)| class == found);
    if let Some(exact) = known.iter().find(|known| *known == found) {
        return Ok((exact, false));
    }
    let known_class = known.iter().find(bare).map(|known| (known.as_str(), true));
    known_class.ok_or_else(|| Refusal::UnknownType { found: found.to_owned(), known: known.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_namespaces() {
        for name in ["pan", "pan_position", "arm/pan2", "A1_b"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        let long = "a".repeat(256);
        for name in
            ["", "/pan", "pan/", "a//b", "2pan", "_pan", "pan.x", "pan position", "~pan", "größe", &long]
        {
            assert_eq!(check_name(name), Err(Refusal::Name(name.to_owned())), "{name}");
        }
    }

    #[test]
    fn a_bare_class_name_stands_for_the_first_type_that_has_it() {
        let known = ["a/Effort", "b/Effort", "Bare"].map(str::to_owned);
        assert_eq!(resolve_type("pan", Some("b/Effort"), &known), Ok(("b/Effort", false)));
        assert_eq!(resolve_type("pan", Some("Effort"), &known), Ok(("a/Effort", true)));
        assert_eq!(resolve_type("pan", Some("Bare"), &known), Ok(("Bare", false)));
        for missing in [None, Some("")] {
            assert_eq!(resolve_type("pan", missing, &known), Err(Refusal::NoType("pan".to_owned())));
        }
        let error = resolve_type("pan", Some("Velocity"), &known).unwrap_err().to_string();
        assert_eq!(error, "controller type 'Velocity' is unknown, must be one of a/Effort, b/Effort, Bare");
        let error = resolve_type("pan", Some("b/Efort"), &known).unwrap_err().to_string();
        let expected = "controller type 'b/Efort' is unknown, did you mean 'b/Effort'? It must be one of a/Effort, b/Effort, Bare";
        assert_eq!(error, expected);
    }

    #[test]
    fn only_2_is_strict_and_other_numbers_are_refused() {
        assert_eq!([0, 1, 2].map(is_strict), [Ok(false), Ok(false), Ok(true)]);
        for wire in [-1, 3, i32::MIN, i32::MAX] {
            assert_eq!(is_strict(wire), Err(Refusal::Strictness(wire)));
        }
    }
}
