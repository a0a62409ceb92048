use std::sync::Once;

use mujoco_rs::logging::set_log_handler;
use mujoco_rs::wrappers::mj_logging::{MjLogMessage, MjtLogLevel};

/// Sends MuJoCo's warnings and errors to the standard error output: otherwise it writes a file to the current folder.
pub(crate) fn log_to_stderr() {
    static ONCE: Once = Once::new();
    // SAFETY: every user of MuJoCo in this crate calls this first, and waits while another thread does.
    #[allow(unsafe_code)]
    ONCE.call_once(|| unsafe { set_log_handler(print) });
}

fn print(message: &MjLogMessage) {
    if matches!(message.level(), MjtLogLevel::mjLOG_WARNING | MjtLogLevel::mjLOG_ERROR) {
        eprintln!("mujoco_hand: MuJoCo says: {}", message.subject());
    }
}
