use log::{Level, LevelFilter, Log, Metadata, Record};

/// Sends what the program logs to ROS: console in ROS 2's format, `/rosout`, and `--log-level` are then its business.
///
/// The logger's name is the record's target: give the node's name there (`log::warn!(target: "hindbrain", …)`).
#[derive(Debug)]
pub struct ShellLog;

static LOGGER: ShellLog = ShellLog;

/// Makes [`ShellLog`] the program's logger. Harmless when called again.
pub fn start() {
    if log::set_logger(&LOGGER).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}

impl Log for ShellLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Debug
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let severity = match record.level() {
            Level::Error => r2r::LogSeverity::Error,
            Level::Warn => r2r::LogSeverity::Warn,
            Level::Info => r2r::LogSeverity::Info,
            Level::Debug | Level::Trace => r2r::LogSeverity::Debug,
        };
        // r2r makes C strings of these and would panic on a NUL, which a device's name could carry.
        let text = record.args().to_string().replace('\0', "\u{fffd}");
        let name = record.target().replace('\0', "");
        r2r::log(&text, &name, record.file().unwrap_or(""), record.line().unwrap_or(0), severity);
    }

    fn flush(&self) {}
}
