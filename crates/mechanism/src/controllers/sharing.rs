//! Joints that several running controllers move.

/// The joints that more than one of `controllers` moves, each with their names; both in the order given.
pub(super) fn shared_joints<'a>(
    controllers: impl Iterator<Item = (&'a str, &'a [String])>,
) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut joints: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, moves) in controllers {
        for joint in moves {
            match joints.iter_mut().find(|(known, _)| known == joint) {
                Some((_, names)) => names.push(name),
                None => joints.push((joint, vec![name])),
            }
        }
    }
    joints.retain(|(_, names)| names.len() > 1);
    joints
}

/// Warning that these controllers move the joint together.
pub(super) fn sharing_sentence(joint: &str, names: &[&str]) -> String {
    let (last, others) = names.split_last().map_or(("", names), |(last, others)| (*last, others));
    format!("joint '{joint}' is moved by '{}' and '{last}' at once: their efforts add", others.join("', '"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_of_several_controllers_is_named_with_them() {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let given =
            [("arm", names("pan tilt")), ("pan", names("pan")), ("state", names("")), ("x", names("pan"))];
        let shared = shared_joints(given.iter().map(|(name, moves)| (*name, moves.as_slice())));
        assert_eq!(shared, [("pan", vec!["arm", "pan", "x"])]);
        assert_eq!(
            sharing_sentence("pan", &shared[0].1),
            "joint 'pan' is moved by 'arm', 'pan' and 'x' at once: their efforts add"
        );
    }
}
