/// The namespace of the node `haptix`.
const NAMESPACE: &str = "HAPTIX_NAMESPACE";
/// Whether `hx_update` waits for the next tick.
const WAIT_FOR_TICK: &str = "HAPTIX_WAIT_FOR_TICK";

/// Settings from the environment variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The node `haptix` in the graph: `/left/haptix`.
    pub node: String,
    /// Whether an update waits for the next tick of the device, which paces its caller.
    pub wait_for_tick: bool,
}

impl Settings {
    /// Reads the environment.
    /// # Errors
    /// A variable has another value than it may have; the text quotes both.
    pub fn read() -> Result<Self, String> {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let given = variable(NAMESPACE).unwrap_or_default();
        let node = match ros::namespace(&given).map_err(|rule| format!("{NAMESPACE} is '{given}', {rule}"))? {
            "" => "/haptix".into(),
            namespace => format!("/{namespace}/haptix"),
        };
        let wait_for_tick = match variable(WAIT_FOR_TICK).unwrap_or_default().as_str() {
            "" | "0" => false,
            "1" => true,
            other => return Err(format!("{WAIT_FOR_TICK} is '{other}', must be 0 or 1")),
        };
        Ok(Self { node, wait_for_tick })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(namespace: Option<&str>, wait: Option<&str>) -> Result<(String, bool), String> {
        let settings = Settings::of(|name| match name {
            NAMESPACE => namespace.map(str::to_owned),
            WAIT_FOR_TICK => wait.map(str::to_owned),
            _ => None,
        })?;
        Ok((settings.node, settings.wait_for_tick))
    }

    #[test]
    fn a_namespace_may_be_written_with_and_without_slashes() {
        for namespace in [None, Some(""), Some("/")] {
            assert_eq!(of(namespace, None), Ok(("/haptix".into(), false)));
        }
        for namespace in ["left", "/left", "/left/", "left/"] {
            assert_eq!(of(Some(namespace), None).unwrap().0, "/left/haptix");
        }
        assert_eq!(of(Some("a/_b2"), None).unwrap().0, "/a/_b2/haptix");
    }

    #[test]
    fn what_is_no_namespace_is_refused() {
        for wrong in ["left hand", " ", "2nd", "a//b", "a/2", "l\u{ed}nks"] {
            let text = of(Some(wrong), None).unwrap_err();
            assert!(text.starts_with(&format!("HAPTIX_NAMESPACE is '{wrong}', must be")), "{text}");
        }
    }

    #[test]
    fn an_update_waits_only_on_request() {
        for (value, waits) in [(None, false), (Some(""), false), (Some("0"), false), (Some("1"), true)] {
            assert_eq!(of(None, value).unwrap().1, waits, "{value:?}");
        }
        for wrong in ["no", "false", "true", "2", " "] {
            assert_eq!(
                of(None, Some(wrong)),
                Err(format!("HAPTIX_WAIT_FOR_TICK is '{wrong}', must be 0 or 1"))
            );
        }
    }
}
