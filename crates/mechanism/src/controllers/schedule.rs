use params::Value;

/// A controller that has to run before or after another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// This one runs before me.
    Before(String),
    /// This one runs after me.
    After(String),
}

/// Controllers that have no order in which all of their dependencies hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A dependency names a controller that was not loaded before.
    #[error("controller '{controller}' depends on '{other}', which is not loaded")]
    Unknown {
        /// The controller that has the dependency.
        controller: String,
        /// The name in its dependency.
        other: String,
    },
    /// These controllers wait for each other.
    #[error("the controllers '{}' wait for each other", .0.join("', '"))]
    Cycle(Vec<String>),
}

impl Dependency {
    /// Takes the dependencies out of a controller's parameters: `run_after` and `run_before`, each an array of names.
    /// # Errors
    /// One of them is something else.
    pub fn take_from(parameters: &mut Vec<(String, Value)>) -> Result<Vec<Self>, String> {
        let mut dependencies = Vec::new();
        for (parameter, depend) in
            [("run_after", Self::Before as fn(String) -> Self), ("run_before", Self::After)]
        {
            let Some(index) = parameters.iter().position(|(name, _)| name == parameter) else { continue };
            match parameters.remove(index).1 {
                Value::Texts(names) => dependencies.extend(names.into_iter().map(depend)),
                other => {
                    return Err(format!(
                        "parameter '{parameter}' is {other}, must be an array of the names of controllers"
                    ));
                }
            }
        }
        Ok(dependencies)
    }

    /// The name of the other controller.
    pub fn name(&self) -> &str {
        match self {
            Self::Before(name) | Self::After(name) => name,
        }
    }
}

/// The order in which controllers run: the indices of `controllers`, which are in the order of loading.
///
/// Repeatedly the controller with the smallest name, by bytes, is taken among those whose predecessors have all been taken.
/// # Errors
/// A dependency on a controller that was not loaded before, or a cycle.
/// # Source
/// `pr2_controller_manager` 1.8.21, `scheduleControllers`.
pub fn schedule(controllers: &[(&str, &[Dependency])]) -> Result<Vec<usize>, ScheduleError> {
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); controllers.len()];
    for (index, (name, dependencies)) in controllers.iter().enumerate() {
        for dependency in *dependencies {
            let other = controllers.iter().take(index).position(|(other, _)| *other == dependency.name());
            let unknown = || ScheduleError::Unknown {
                controller: (*name).to_owned(),
                other: dependency.name().to_owned(),
            };
            let other = other.ok_or_else(unknown)?;
            match dependency {
                Dependency::Before(_) => predecessors[index].push(other),
                Dependency::After(_) => predecessors[other].push(index),
            }
        }
    }
    let mut order: Vec<usize> = Vec::with_capacity(controllers.len());
    while order.len() < controllers.len() {
        let is_ready = |index: &usize| {
            !order.contains(index) && predecessors[*index].iter().all(|before| order.contains(before))
        };
        let ready = (0..controllers.len()).filter(is_ready);
        let Some(next) = ready.min_by_key(|&index| controllers[index].0.as_bytes()) else {
            let rest = (0..controllers.len()).filter(|index| !order.contains(index));
            return Err(ScheduleError::Cycle(rest.map(|index| controllers[index].0.to_owned()).collect()));
        };
        order.push(next);
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Controllers written as in the specification: `c(BEFORE d, AFTER e)`.
    fn parse(text: &str) -> Vec<(String, Vec<Dependency>)> {
        let one = |one: &str| {
            let (name, rest) = one.trim().split_once('(').unwrap_or((one.trim(), ""));
            let rest = rest.trim_end_matches(')').split(';').filter(|part| !part.trim().is_empty());
            let dependency = |part: &str| match part.trim().split_once(' ').unwrap() {
                ("BEFORE", name) => Dependency::Before(name.to_owned()),
                (_, name) => Dependency::After(name.to_owned()),
            };
            (name.to_owned(), rest.map(dependency).collect())
        };
        text.split(',').map(one).collect()
    }

    #[test]
    fn dependencies_are_two_parameters_with_the_names_of_others() {
        let texts = |names: &[&str]| Value::Texts(names.iter().map(|&name| name.to_owned()).collect());
        let mut parameters = vec![
            ("joint".to_owned(), Value::Text("pan".into())),
            ("run_before".to_owned(), texts(&["c"])),
            ("run_after".to_owned(), texts(&["a", "b"])),
        ];
        let before = |name: &str| Dependency::Before(name.to_owned());
        let expected = vec![before("a"), before("b"), Dependency::After("c".to_owned())];
        assert_eq!(Dependency::take_from(&mut parameters), Ok(expected));
        assert_eq!(parameters.len(), 1, "the others are those of its type");
        let mut wrong = vec![("run_after".to_owned(), Value::Text("a".into()))];
        let error = Dependency::take_from(&mut wrong).unwrap_err();
        assert!(error.starts_with("parameter 'run_after' is "), "{error}");
    }

    fn scheduled(text: &str) -> Result<String, ScheduleError> {
        let controllers = parse(text);
        let of: Vec<_> = controllers.iter().map(|(name, list)| (name.as_str(), list.as_slice())).collect();
        let names = schedule(&of)?.into_iter().map(|index| of[index].0);
        Ok(names.collect::<Vec<_>>().join(","))
    }

    #[test]
    fn the_vectors_of_the_specification() {
        let vectors = [
            ("c2,c10,a", "a,c10,c2"),
            ("b,a(BEFORE b)", "b,a"),
            ("a,z(AFTER a)", "z,a"),
            ("m,a(BEFORE m),b", "b,m,a"),
            ("d,c(BEFORE d),a(BEFORE c),b(AFTER d)", "b,d,c,a"),
            ("", ""),
        ];
        for (loaded, expected) in vectors {
            assert_eq!(scheduled(loaded).unwrap(), expected, "{loaded}");
        }
    }

    #[test]
    fn a_cycle_is_refused_with_its_controllers() {
        let cycle = |names: &[&str]| Err(ScheduleError::Cycle(names.iter().map(|&n| n.to_owned()).collect()));
        assert_eq!(scheduled("a,c(BEFORE a;AFTER a)"), cycle(&["a", "c"]));
        assert_eq!(scheduled("a,b(BEFORE a),c(BEFORE b;AFTER a)"), cycle(&["a", "b", "c"]));
        assert_eq!(
            scheduled("a,c(BEFORE a;AFTER a)").unwrap_err().to_string(),
            "the controllers 'a', 'c' wait for each other"
        );
    }

    #[test]
    fn a_dependency_on_what_is_not_loaded_before_is_refused() {
        for text in ["a(BEFORE b),b", "a(AFTER b)", "a(BEFORE a)"] {
            assert!(matches!(scheduled(text), Err(ScheduleError::Unknown { .. })), "{text}");
        }
    }

    #[test]
    fn a_dependency_may_stand_twice() {
        assert_eq!(scheduled("b,a(BEFORE b;BEFORE b)").unwrap(), "b,a");
    }

    proptest! {
        /// Each controller depends on earlier ones only as BEFORE, so there is no cycle.
        #[test]
        fn no_dependency_is_violated_and_the_smallest_name_that_may_run_is_next(
            names in proptest::collection::btree_set("[a-c][0-9]{0,2}", 1..12), picks in any::<u64>(),
        ) {
            let names: Vec<String> = names.into_iter().rev().collect();
            let mut random = picks;
            let mut next = || { random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1); random >> 33 };
            let controllers: Vec<(&str, Vec<Dependency>)> = names.iter().enumerate().map(|(index, name)| {
                let some = (0..index).filter(|_| next() % 3 == 0);
                (name.as_str(), some.map(|other| Dependency::Before(names[other].clone())).collect())
            }).collect();
            let of: Vec<_> = controllers.iter().map(|(name, list)| (*name, list.as_slice())).collect();
            let order = schedule(&of).unwrap();
            for (place, &index) in order.iter().enumerate() {
                let runs_before = |name: &str| order[..place].iter().any(|&other| of[other].0 == name);
                prop_assert!(of[index].1.iter().all(|dependency| runs_before(dependency.name())));
                for &later in &order[place + 1..] {
                    let may_run = of[later].1.iter().all(|dependency| runs_before(dependency.name()));
                    prop_assert!(!may_run || of[index].0 < of[later].0);
                }
            }
        }
    }
}
