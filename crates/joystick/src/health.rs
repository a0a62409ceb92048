safety::counters! {
    /// Counts of ignored and refused inputs since the start.
    pub struct Counters {
        /// Events of a device that is not connected.
        unknown_device: "events of unknown devices",
        /// Events of an axis, button or hat that the device does not have or that lies beyond 64 axes and 128 buttons.
        beyond_limits: "events beyond limits",
        /// Connections under the id of a device that was still connected.
        duplicate_device: "duplicate connections",
        /// New names that no port can have, or that another device has.
        bad_names: "names refused",
        /// Cycles of the filter that were skipped because the machine was not polled in time.
        missed_cycles: "missed cycles",
        /// Takeovers that started from zero because the reference's velocity was old, from the future, in another frame,
        /// or invalid, or because the stick was not at rest yet.
        seeds_refused: "takeovers from zero",
        /// Takeovers that started slower than the reference, which was faster than the stick can command.
        seeds_limited: "takeovers slowed down",
    }
}
