use mechanism::diagnostics::{ControllerReport, Status};
use mechanism::{Actuator, Joint, Snapshot};
use r2r::builtin_interfaces::msg::{Duration as WireDuration, Time};
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use r2r::pr2_mechanism_msgs::msg::{
    ActuatorStatistics, ControllerStatistics, JointStatistics, MechanismStatistics,
};
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Bool;
use ros::clock::to_wire;
use ros::{Error, Topic, full_name, panics, qos};
use safety::{Instant, Stamp};

/// Topics that the node publishes.
pub(super) struct Topics {
    joint_states: Topic<JointState>,
    statistics: Topic<MechanismStatistics>,
    halted: Topic<Bool>,
    diagnostics: Topic<DiagnosticArray>,
    /// The node's full name without its first slash: two arms have joints of the same names.
    name: String,
}

impl Topics {
    pub(super) fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        let halted = Topic::new(node, "motors_halted", qos::state())?;
        let last = halted.share();
        panics::final_messages(move || {
            let _ = last.publish(&Bool { data: true }); // the process ends
        });
        Ok(Self {
            name: full_name(node)?,
            joint_states: Topic::new(node, "joint_states", qos::command())?,
            statistics: Topic::new(node, "mechanism_statistics", qos::command())?,
            halted,
            diagnostics: Topic::new(node, "/diagnostics", qos::edge())?,
        })
    }

    /// Publishes what is due of a report of the step at `stamp`; `names` are those of its controllers.
    pub(super) fn publish(&mut self, snapshot: &Snapshot, names: &[String], stamp: Stamp) {
        if snapshot.has_joint_states {
            self.joint_states.publish(&joint_states(&snapshot.joints, stamp));
        }
        if snapshot.has_statistics {
            self.statistics.publish(&statistics(snapshot, names, stamp));
        }
    }

    pub(super) fn publish_halted(&mut self, is_halted: bool) {
        self.halted.publish(&Bool { data: is_halted });
    }

    pub(super) fn publish_statuses(&mut self, statuses: Vec<Status>) {
        let value = |(key, value): (&str, String)| KeyValue { key: key.to_owned(), value };
        let status = |status: Status| DiagnosticStatus {
            level: status.level as u8,
            name: format!("{}: {}", self.name, status.name),
            message: status.message.to_owned(),
            hardware_id: "none".into(),
            values: status.values.into_iter().map(value).collect(),
        };
        let mut message =
            DiagnosticArray { status: statuses.into_iter().map(status).collect(), ..Default::default() };
        message.header.stamp = to_wire(ros::clock::stamp());
        self.diagnostics.publish(&message);
    }
}

fn joint_states(joints: &[Joint], stamp: Stamp) -> JointState {
    let mut message = JointState {
        name: joints.iter().map(|joint| joint.name.clone()).collect(),
        position: joints.iter().map(|joint| joint.position).collect(),
        velocity: joints.iter().map(|joint| joint.velocity).collect(),
        effort: joints.iter().map(|joint| joint.measured_effort).collect(),
        ..Default::default()
    };
    message.header.stamp = to_wire(stamp);
    message
}

fn statistics(snapshot: &Snapshot, names: &[String], stamp: Stamp) -> MechanismStatistics {
    let at = |instant: Instant| to_wire(stamp.before(snapshot.now.since(instant)));
    let controllers = names.iter().zip(&snapshot.controllers);
    let mut message = MechanismStatistics {
        actuator_statistics: snapshot.actuators.iter().map(actuator).collect(),
        joint_statistics: snapshot.joints.iter().map(|one| joint(one, stamp)).collect(),
        controller_statistics: controllers
            .map(|(name, report)| controller(name, report, stamp, at))
            .collect(),
        ..Default::default()
    };
    message.header.stamp = to_wire(stamp);
    message
}

fn joint(joint: &Joint, stamp: Stamp) -> JointStatistics {
    let statistics = &joint.statistics;
    JointStatistics {
        name: joint.name.clone(),
        timestamp: to_wire(stamp),
        position: joint.position,
        velocity: joint.velocity,
        measured_effort: joint.measured_effort,
        commanded_effort: joint.commanded_effort,
        is_calibrated: joint.is_calibrated,
        violated_limits: statistics.has_violated_limits,
        odometer: statistics.odometer,
        min_position: statistics.min_position,
        max_position: statistics.max_position,
        max_abs_velocity: statistics.max_abs_velocity,
        max_abs_effort: statistics.max_abs_effort,
    }
}

fn actuator(actuator: &Actuator) -> ActuatorStatistics {
    let state = &actuator.state;
    let (rising, falling) = (state.last_calibration_rising_edge, state.last_calibration_falling_edge);
    ActuatorStatistics {
        name: actuator.name.clone(),
        device_id: state.device_id,
        timestamp: Time {
            sec: i32::try_from(state.sample_time.as_secs()).unwrap_or(i32::MAX),
            nanosec: state.sample_time.subsec_nanos(),
        },
        encoder_count: state.encoder_count,
        encoder_offset: state.zero_offset,
        position: state.position,
        encoder_velocity: state.encoder_velocity,
        velocity: state.velocity,
        calibration_reading: state.calibration_reading,
        calibration_rising_edge_valid: rising.is_some(),
        calibration_falling_edge_valid: falling.is_some(),
        last_calibration_rising_edge: rising.unwrap_or(0.0),
        last_calibration_falling_edge: falling.unwrap_or(0.0),
        is_enabled: state.is_enabled,
        halted: state.is_halted,
        last_commanded_current: state.last_commanded_current,
        last_commanded_effort: state.last_commanded_effort,
        last_executed_current: state.last_executed_current,
        last_executed_effort: state.last_executed_effort,
        last_measured_current: state.last_measured_current,
        last_measured_effort: state.last_measured_effort,
        motor_voltage: state.motor_voltage,
        num_encoder_errors: state.encoder_errors,
    }
}

fn controller(
    name: &str,
    report: &ControllerReport,
    stamp: Stamp,
    at: impl Fn(Instant) -> Time,
) -> ControllerStatistics {
    let timing = &report.timing;
    ControllerStatistics {
        name: name.to_owned(),
        timestamp: to_wire(stamp),
        running: report.is_running,
        max_time: duration(timing.max.as_secs_f64()),
        mean_time: duration(timing.mean),
        variance_time: duration(timing.standard_deviation()),
        num_control_loop_overruns: i32::try_from(timing.overruns).unwrap_or(i32::MAX),
        time_last_control_loop_overrun: timing.last_overrun.map_or_else(Time::default, at),
    }
}

fn duration(seconds: f64) -> WireDuration {
    let duration = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
    WireDuration {
        sec: i32::try_from(duration.as_secs()).unwrap_or(i32::MAX),
        nanosec: duration.subsec_nanos(),
    }
}
