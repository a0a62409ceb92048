use params::{Kind, Set, Value};
use r2r::ParameterValue;

/// Where a node's values come from at the start: the texts of its files, and `NAME:=VALUE` of the command line.
pub(crate) struct Origins {
    files: Vec<String>,
    given: Vec<(String, String)>,
}

impl Origins {
    /// Those among `arguments`; a file that cannot be read is the middleware's to refuse.
    pub(crate) fn new(arguments: impl Iterator<Item = String>) -> Self {
        let arguments: Vec<String> = arguments.collect();
        let mut origins = Self { files: Vec::new(), given: Vec::new() };
        for pair in arguments.windows(2) {
            match pair {
                [option, file] if option == "--params-file" => {
                    origins.files.extend(std::fs::read_to_string(file).ok());
                }
                [option, rule] if matches!(option.as_str(), "-p" | "--param") => {
                    let name_and_value = rule.split_once(":=");
                    origins.given.extend(name_and_value.map(|(name, value)| {
                        // A node's name may stand before.
                        let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
                        (name.to_owned(), value.to_owned())
                    }));
                }
                _ => {}
            }
        }
        origins
    }

    /// Whether `name`, which arrived as a whole number, is given with decimals somewhere too.
    ///
    /// A file's key is known by its last part, since nobody reads the file here: with several origins it may be another
    /// parameter's.
    /// # Source
    /// rcl keeps a whole and a decimal number of one parameter side by side, whichever came later, and r2r takes the whole one:
    /// what was given last would silently not be in force.
    pub(crate) fn has_decimal(&self, name: &str) -> bool {
        let given: Vec<&str> =
            self.given.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect();
        if self.files.len() + given.len() < 2 {
            return false;
        }
        let leaf = name.rsplit('.').next().unwrap_or(name);
        given.into_iter().any(is_decimal) || self.files.iter().any(|text| gives_decimal(text, leaf))
    }
}

/// The first number that is in doubt in this way.
pub(crate) fn doubtful(set: &Set, values: &[(String, ParameterValue)], origins: &Origins) -> Option<String> {
    let whole = values.iter().filter(|(_, value)| matches!(value, ParameterValue::Integer(_)));
    let mut doubtful = whole.filter(|(name, _)| origins.has_decimal(name));
    doubtful.next().map(|(name, _)| {
        let is_float = set.declaration(name).is_some_and(|d| matches!(d.kind, Kind::Float { .. }));
        let value = set.value(name).map_or_else(String::new, Value::to_string);
        let rule = if is_float { "decimals in each (1.0, not 1)" } else { "a whole number in each" };
        format!(
            "parameter '{name}' is {value} by one file or argument, and '{}' stands with decimals in another; ROS does not say \
             which came last: must have {rule}",
            name.rsplit('.').next().unwrap_or(name)
        )
    })
}

fn is_decimal(text: &str) -> bool {
    text.parse::<i64>().is_err() && text.parse::<f64>().is_ok() && text.contains(['.', 'e', 'E'])
}

/// Whether a key `leaf` has a number with decimals somewhere in the YAML file `text`.
fn gives_decimal(text: &str, leaf: &str) -> bool {
    let code = text.lines().map(|line| line.split(" #").next().unwrap_or(line));
    code.filter(|line| !line.trim_start().starts_with('#')).any(|line| {
        line.match_indices(leaf).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let is_key = before.is_none_or(|sign| !sign.is_alphanumeric() && sign != '_');
            let after = line[at + leaf.len()..].trim_start_matches(['"', '\'']);
            let value = after.strip_prefix(':').map(str::trim_start);
            let number = value.and_then(|value| value.split([',', '}', ' ']).next());
            is_key && number.is_some_and(is_decimal)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(files: &[&str], given: &[(&str, &str)]) -> Origins {
        let own = |text: &&str| (*text).to_owned();
        Origins {
            files: files.iter().map(own).collect(),
            given: given.iter().map(|(name, value)| (own(name), own(value))).collect(),
        }
    }

    #[test]
    fn a_number_with_decimals_beside_a_whole_one_is_found() {
        let name = "limits.linear.x.max";
        let file = "n:\n  ros__parameters:\n    limits: {linear: {x: {max: 1}}}\n";
        let other = "n:\n  ros__parameters:\n    limits.linear.x.max: 0.5  # slow\n";
        assert!(origins(&[file], &[(name, "0.3")]).has_decimal(name));
        assert!(origins(&[file, other], &[]).has_decimal(name));
        assert!(origins(&["x: {max: 0.3}"], &[(name, "1")]).has_decimal(name));
        assert!(origins(&[], &[(name, "20"), (name, "1.5")]).has_decimal(name));
        assert!(!origins(&[file], &[(name, "2")]).has_decimal(name));
        assert!(!origins(&[file, "x:\n  climax: 0.3\n  # max: 0.3\n  max: a.b\n"], &[]).has_decimal(name));
    }

    #[test]
    fn what_has_one_origin_is_not_in_doubt() {
        assert!(!origins(&["a: {timeout: 1}\nb: {timeout: 0.5}"], &[]).has_decimal("a.timeout"));
    }

    #[test]
    fn arguments_name_their_node_or_not() {
        let words = "x --ros-args -p n:a:=1 -p a:=0.5 --param b:=2".split(' ').map(str::to_owned);
        let origins = Origins::new(words);
        assert!(origins.has_decimal("a") && !origins.has_decimal("b"));
    }
}
