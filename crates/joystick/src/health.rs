/// Counts of ignored and refused inputs since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events of a device that is not connected.
    pub unknown_device: u64,
    /// Events of an axis, button or hat that the device does not have or that lies beyond 64 axes and 128 buttons.
    pub beyond_limits: u64,
    /// Connections under the id of a device that was still connected.
    pub duplicate_device: u64,
    /// New names that no port can have, or that another device has.
    pub bad_names: u64,
    /// Cycles of the filter that were skipped because the machine was not polled in time.
    pub missed_cycles: u64,
    /// Takeovers that started from zero because the reference's velocity was old, from the future, in another frame,
    /// or invalid, or because the stick was not at rest yet.
    pub seeds_refused: u64,
    /// Takeovers that started slower than the reference, which was faster than the stick can command.
    pub seeds_limited: u64,
}
