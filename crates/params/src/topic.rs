/// Checks that `topic` is a ROS 2 topic name: absolute, relative, or private with `~/`.
/// # Errors
/// The rule that it breaks, for a [`Refusal`](crate::Refusal).
pub fn check_topic(topic: &str) -> Result<(), &'static str> {
    const LONGEST: usize = 247; // rmw's limit
    let is_part = |part: &str| {
        part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && part.bytes().next().is_some_and(|first| !first.is_ascii_digit())
    };
    let rest = topic.strip_prefix("~/").or_else(|| topic.strip_prefix('/')).unwrap_or(topic);
    if topic.is_empty() {
        return Err("must name a topic");
    }
    if topic.len() > LONGEST || !rest.split('/').all(is_part) {
        return Err(
            "must be a ROS topic name: letters, digits, '_' and '/', each part starting with a letter or '_', \
                    at most 247 characters",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_parts_that_begin_with_no_digit() {
        for name in ["cmd_vel", "/robot_1/scan", "~/reference", "_a/b2"] {
            assert_eq!(check_topic(name), Ok(()), "{name}");
        }
        for name in ["/", "a//b", "a/", "1a", "a/2", "a b", "a-b", "~a", "é", &"a".repeat(248)] {
            assert!(check_topic(name).unwrap_err().starts_with("must be a ROS topic name"), "{name}");
        }
        assert_eq!(check_topic(""), Err("must name a topic"));
    }
}
