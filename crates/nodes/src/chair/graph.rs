use chair::{Chair, ChairInput, Input};
use ros::{COUNT_PERIOD, Names, Shell, clock, count_publishers};
use units::Instant;

use super::topics;

/// Tells the machine how many publish sticks for the chair, this node included, whenever that changes: nobody here listens to them.
pub fn watch(shell: Shell<Chair>, names: &Names) -> impl FnMut(&mut r2r::Node) + Send + 'static {
    let sticks = names.resolve(topics::REMOTE);
    let (mut due, mut last) = (Instant::ZERO, 0);
    move |node| {
        if clock::now() < due {
            return;
        }
        due = clock::now() + COUNT_PERIOD;
        // A graph that cannot be read is no proof that there is one only.
        let count = count_publishers(node, &sticks).unwrap_or(usize::MAX);
        if count != last {
            last = count;
            shell.deliver(ChairInput::Remote(Input::DriversCounted(count)));
        }
    }
}
