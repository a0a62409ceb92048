use std::sync::{Mutex, TryLockError};

/// Lets `send` send everything, unless another thread is sending, which then takes it over: no thread waits for a send that hangs.
///
/// * `send`: sends until nothing is left. It locks what is to be sent only to take the next item.
/// * `has_more`: whether something is left.
pub(crate) fn send_in_turn<T>(sender: &Mutex<T>, mut send: impl FnMut(&mut T), has_more: impl Fn() -> bool) {
    loop {
        let mut turn = match sender.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        send(&mut turn);
        drop(turn);
        // Another thread may have left something between the last look and the release.
        if !has_more() {
            return;
        }
    }
}
