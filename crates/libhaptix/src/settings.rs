/// The namespace of the node `haptix`.
const NAMESPACE: &str = "HAPTIX_NAMESPACE";
/// Whether `hx_update` waits for the next tick.
const WAIT_FOR_TICK: &str = "HAPTIX_WAIT_FOR_TICK";

/// What the environment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The node `haptix` in the graph: `/left/haptix`.
    pub node: String,
    /// Whether an update waits for the next tick of the device, which paces its caller.
    pub wait_for_tick: bool,
}

impl Settings {
    /// Reads the environment.
    pub fn read() -> Self {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let namespace = variable(NAMESPACE).unwrap_or_default();
        let node = match namespace.trim().trim_matches('/') {
            "" => "/haptix".into(),
            namespace => format!("/{namespace}/haptix"),
        };
        let wait_for_tick = variable(WAIT_FOR_TICK).is_some_and(|value| !["", "0"].contains(&value.trim()));
        Self { node, wait_for_tick }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(namespace: Option<&str>, wait: Option<&str>) -> (String, bool) {
        let settings = Settings::of(|name| match name {
            NAMESPACE => namespace.map(str::to_owned),
            WAIT_FOR_TICK => wait.map(str::to_owned),
            _ => None,
        });
        (settings.node, settings.wait_for_tick)
    }

    #[test]
    fn a_namespace_may_be_written_with_and_without_slashes() {
        for namespace in [None, Some(""), Some("/"), Some(" ")] {
            assert_eq!(of(namespace, None), ("/haptix".into(), false));
        }
        for namespace in ["left", "/left", "/left/", "left/"] {
            assert_eq!(of(Some(namespace), None).0, "/left/haptix");
        }
        assert_eq!(of(Some("a/b"), None).0, "/a/b/haptix");
    }

    #[test]
    fn an_update_waits_only_on_request() {
        for (value, waits) in [(None, false), (Some(""), false), (Some("0"), false), (Some("1"), true)] {
            assert_eq!(of(None, value).1, waits, "{value:?}");
        }
    }
}
