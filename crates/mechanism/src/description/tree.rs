use crate::description::{DescriptionError, JointDescription};

/// Whether the joints make one tree of all links: one root, one parent for every other link, no loop.
pub(super) fn check(links: &[String], joints: &[JointDescription]) -> Result<(), DescriptionError> {
    let mut parents: Vec<Option<&JointDescription>> = vec![None; links.len()];
    for joint in joints {
        if let Some(other) = parents[joint.child].replace(joint) {
            let joints = [other.name.clone(), joint.name.clone()];
            return Err(DescriptionError::TwoParents { link: links[joint.child].clone(), joints });
        }
    }
    let roots: Vec<usize> = (0..links.len()).filter(|&link| parents[link].is_none()).collect();
    // Every link has at most one parent, so a link that is not below the root is in a loop or below one.
    let hangs = |mut link: usize| {
        for _ in 0..links.len() {
            match parents[link] {
                Some(joint) => link = joint.parent,
                None => return true,
            }
        }
        false
    };
    let names = |links_of: Vec<usize>| links_of.into_iter().map(|link| links[link].clone()).collect();
    let loose: Vec<usize> = (0..links.len()).filter(|&link| !hangs(link)).collect();
    if !loose.is_empty() {
        return Err(DescriptionError::Loop(names(loose)));
    }
    if roots.len() == 1 { Ok(()) } else { Err(DescriptionError::Roots(names(roots))) }
}
