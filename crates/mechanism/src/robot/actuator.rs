use core::time::Duration;

/// A motor of the hardware: what it is to do, and what it reports.
///
/// # Source
/// `pr2_hardware_interface` 1.8.21, `Actuator`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actuator {
    /// Its unique name.
    pub name: String,
    /// Whether the hardware reads a calibration sensor for it; without one its joint cannot be calibrated.
    pub has_calibration_sensor: bool,
    /// Next command for the hardware.
    pub command: ActuatorCommand,
    /// Last state that the hardware reported.
    pub state: ActuatorState,
}

/// The command of an actuator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorCommand {
    /// Whether the motor may move.
    pub enable: bool,
    /// Torque at the motor's shaft, or force of a linear motor \[Nm or N\], finite.
    pub effort: f64,
}

/// The state of an actuator; all zero and false until the hardware reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorState {
    /// The time of the sample since the driver's start.
    pub sample_time: Duration,
    /// The position in the chain of devices, from 0.
    pub device_id: i32,
    /// The encoder's count \[ticks\].
    pub encoder_count: i32,
    /// The encoder's speed \[ticks/s\].
    pub encoder_velocity: f64,
    /// The motor's position: the encoder's minus [`zero_offset`](Self::zero_offset) \[rad or m\].
    pub position: f64,
    /// The motor's speed \[rad/s or m/s\].
    pub velocity: f64,
    /// The position of the encoder that counts as zero \[rad or m\]; calibration sets it.
    pub zero_offset: f64,
    /// Whether the calibration sensor reads high; false where [there is none](Actuator::has_calibration_sensor).
    pub calibration_reading: bool,
    /// The encoder's position where the calibration sensor last changed to high, if it ever did \[rad or m\].
    pub last_calibration_rising_edge: Option<f64>,
    /// The encoder's position where the calibration sensor last changed to low, if it ever did \[rad or m\].
    pub last_calibration_falling_edge: Option<f64>,
    /// Whether the motor may move.
    pub is_enabled: bool,
    /// Whether the motor is stopped by an error or by a halt until it is reset.
    pub is_halted: bool,
    /// The current that was commanded last \[A\].
    pub last_commanded_current: f64,
    /// The effort that was commanded last \[Nm or N\].
    pub last_commanded_effort: f64,
    /// The current that the board admitted \[A\].
    pub last_executed_current: f64,
    /// The effort that the board admitted \[Nm or N\].
    pub last_executed_effort: f64,
    /// The measured current \[A\].
    pub last_measured_current: f64,
    /// The measured effort \[Nm or N\].
    pub last_measured_effort: f64,
    /// The voltage at the motor \[V\].
    pub motor_voltage: f64,
    /// How many errors the encoder had.
    pub encoder_errors: i32,
}

impl Actuator {
    /// An actuator that has not reported anything yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The effort that the motor gets: the command, if it is finite and the motor may move; otherwise 0.
    pub fn admitted_effort(&self) -> f64 {
        let Self { command, state, .. } = self;
        if command.enable && !state.is_halted && command.effort.is_finite() { command.effort } else { 0.0 }
    }

    /// Sets what a motor without an encoder of its own reports: where it is, how fast, and its effort.
    pub fn measure(&mut self, time: Duration, device: usize, [position, velocity, effort]: [f64; 3]) {
        let state = &mut self.state;
        (state.sample_time, state.device_id) = (time, i32::try_from(device).unwrap_or(i32::MAX));
        state.position = position - state.zero_offset;
        (state.velocity, state.last_measured_effort) = (velocity, effort);
    }
}
