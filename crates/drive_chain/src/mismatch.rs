use core::time::Duration;

use zones::Operation;

use crate::Stages;

/// A velocity may be greater than its limit by this part: parameters are rounded.
const ROUNDING: f64 = 1e-6;

impl Stages {
    /// A sentence for each pair of parameters that are valid, and do not fit one another: a command that one stage accepts is lost in
    /// a later one, or a velocity cannot be reached.
    pub fn mismatches(&self) -> Vec<String> {
        let (zones, hindbrain) = (self.zones.params(), self.hindbrain.params());
        let timeouts = [
            ("zone_scaler's command_timeout", zones.command_timeout),
            ("hindbrain's cmd_timeout", Duration::from_nanos(hindbrain.core.command_timeout)),
        ];
        let mut sentences = Vec::new();
        for source in &self.arbiter.params().sources {
            let shortest = timeouts.into_iter().min_by_key(|(_, timeout)| *timeout);
            if let Some((name, timeout)) = shortest.filter(|(_, timeout)| *timeout < source.timeout) {
                sentences.push(format!(
                    "sources.{}.timeout is {:?} s, longer than {name}, {:?} s: a command that comes later than that is lost, and its \
                     source has to send a zero",
                    source.name,
                    source.timeout.as_secs_f64(),
                    timeout.as_secs_f64()
                ));
            }
        }
        if !zones.profiles.is_empty() || zones.operation == Operation::Predict {
            return sentences; // the vehicle is a chair, which has its own full speed
        }
        let (top, full) = (zones.full_speed, hindbrain.full_speed);
        for (name, value, what, most, unit) in [
            ("max_linear", top.linear, "wheel_speed", full.linear, "m/s"),
            ("max_angular", top.angular, "2 * wheel_speed / track", full.angular, "rad/s"),
        ] {
            if value > most * (1.0 + ROUNDING) {
                sentences.push(format!(
                    "zone_scaler's {name} is {value:?} {unit}, more than hindbrain's {what}, {most:?} {unit}: the vehicle does not reach it"
                ));
            }
        }
        let (dynamics, mappings) = (self.joystick.dynamics(), self.joystick.mappings());
        for (name, acceleration, axes, most, top, unit) in [
            ("amax", dynamics.amax, &mappings.linear, "max_linear", top.linear, "m/s"),
            ("awmax", dynamics.awmax, &mappings.angular, "max_angular", top.angular, "rad/s"),
        ] {
            let mapped = axes.iter().filter(|mapping| mapping.axis.is_some());
            let speeds =
                mapped.map(|mapping| (mapping.top_speed(acceleration, dynamics.drag), mapping.max_speed));
            let fastest = speeds.max_by(|(one, _), (other, _)| one.total_cmp(other));
            if let Some((value, set)) = fastest.filter(|(value, _)| *value > top * (1.0 + ROUNDING)) {
                let name = set.map_or(format!("{name} / drag"), |_| "max_speed".into());
                sentences.push(format!(
                    "joystick's {name} is {value:?} {unit}, more than zone_scaler's {most}, {top:?} {unit}: after the stick is \
                     centred the top speed stays for a while"
                ));
            }
        }
        sentences
    }
}
