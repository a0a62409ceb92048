use safety::Level;
use zones::Zone;

use crate::{Condition, Sensor, Surround, Unusable};

/// Bearings that count as blocked although nothing is measured there.
#[derive(Clone, Debug, PartialEq)]
pub struct Blind {
    /// From and to, counter-clockwise from straight ahead \[degrees\].
    pub bearings: [f64; 2],
    /// Why, in a few words.
    pub why: String,
}

safety::counters! {
    /// Counts since the start.
    pub struct Counters {
        /// Scans of known sensors.
        scans: "scans",
        /// Clouds of known sensors.
        clouds: "clouds",
        /// Messages that were invalid.
        unusable: "unusable",
        /// Messages without a newer stamp than the last one, which were ignored.
        repeated: "repeated",
        /// Messages of a sensor that does not exist or is of another kind: a fault of the caller.
        unknown: "unknown",
        /// Received velocities, invalid ones included.
        velocities: "velocities",
        /// Invalid velocities.
        invalid_velocities: "invalid velocities",
        /// Outputs that were dropped because they were not polled: a fault of the caller.
        dropped: "dropped",
    }
}

impl Surround {
    /// The health of the node and the reason, as of the last call.
    pub fn health(&self) -> (Level, String) {
        if self.is_stopping() {
            return (Level::Warn, "stopping".into());
        }
        if !self.is_active {
            return (Level::Warn, "the node is not active: every factor is unknown".into());
        }
        let fault = self.conditions().find_map(|(sensor, condition)| self.fault(sensor, condition));
        if let Some(why) = fault {
            return (Level::Error, why);
        }
        let silent: Vec<&str> = self
            .conditions()
            .filter(|(_, condition)| matches!(condition, Condition::NeverReceived | Condition::TimedOut))
            .map(|(sensor, _)| sensor.name.as_str())
            .collect();
        if !silent.is_empty() {
            return (Level::Error, format!("silent sensor counts as blocked: {}", silent.join(", ")));
        }
        if self.misses_velocity() {
            return (Level::Warn, "no velocity in time, full throw is assumed".into());
        }
        let unmeasured = self.conditions().find_map(|(sensor, _)| {
            let bearings = bearings(&self.unmeasured(self.sensor_index(&sensor.name)?));
            (!bearings.is_empty()).then_some((sensor.name.as_str(), bearings))
        });
        if let Some((name, bearings)) = unmeasured {
            let text = format!(
                "{name} does not measure {bearings}, which counts as blocked: covers_from and covers_to say what it \
                 answers for"
            );
            return (Level::Warn, text);
        }
        (Level::Ok, "every sensor is fresh".into())
    }

    /// The bearings that count as blocked although nothing is measured there, as of the last call: of each sensor, then those that no sensor
    /// covers.
    pub fn blind(&self) -> Vec<Blind> {
        let blind = |why: &str, runs: Vec<[f64; 2]>| {
            runs.into_iter().map(|bearings| Blind { bearings, why: why.to_owned() }).collect::<Vec<_>>()
        };
        let mut all: Vec<Blind> = Vec::new();
        for (index, (sensor, condition)) in self.conditions().enumerate() {
            let whole = vec![[sensor.from.to_degrees(), sensor.to.to_degrees()]];
            let (what, runs) = match condition {
                Condition::Fresh => ("does not measure this", self.unmeasured(index)),
                Condition::NeverReceived | Condition::TimedOut => ("is silent", whole),
                Condition::Unusable(_) => ("sends no measurement", whole),
                Condition::Conflict(_) => ("has several publishers", whole),
            };
            all.extend(blind(&format!("{} {what}", sensor.name), runs));
        }
        if !self.params().uncovered_is_free {
            all.extend(blind("no sensor", self.uncovered()));
        }
        all
    }

    /// The fault of a sensor, if any.
    fn fault(&self, sensor: &Sensor, condition: Condition) -> Option<String> {
        let why = match condition {
            Condition::Unusable(why) => self.why(sensor, why),
            Condition::Conflict(count) => count.to_string(),
            Condition::Fresh | Condition::NeverReceived | Condition::TimedOut => return None,
        };
        Some(format!("{} counts as blocked: {why}", sensor.name))
    }

    /// Why a message is invalid, with the frames if they do not match.
    fn why(&self, sensor: &Sensor, unusable: Unusable) -> String {
        match unusable {
            Unusable::Frame => {
                let frame =
                    self.sensor_index(&sensor.name).map(|index| self.wrong_frame(index)).unwrap_or_default();
                format!(
                    "header.frame_id is '{frame}', must be '{}', the sensor's parameter 'frame'",
                    sensor.frame
                )
            }
            other => other.to_string(),
        }
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let sensors: Vec<String> = self
            .conditions()
            .map(|(sensor, condition)| match condition {
                Condition::Unusable(_) | Condition::Conflict(_) => {
                    self.fault(sensor, condition).unwrap_or_default()
                }
                Condition::Fresh => format!("{} is fresh", sensor.name),
                Condition::NeverReceived => format!("{} never received, counts as blocked", sensor.name),
                Condition::TimedOut => format!("{} timed out, counts as blocked", sensor.name),
            })
            .collect();
        let limited = Zone::AROUND.into_iter().filter_map(|zone| {
            let factors = self.scaling().of(zone);
            let (moves, turns) = (factors.forward_back.get(), factors.left_right.get());
            (moves < 1.0 || turns < 1.0).then(|| format!("{zone} {moves:.2}/{turns:.2}"))
        });
        let mut report = vec![
            ("sensors", sensors.join("; ")),
            ("uncovered", self.uncovered_text()),
            ("limited zones (forward_back/left_right)", limited.collect::<Vec<_>>().join(", ")),
            (
                "nearest",
                self.nearest().map_or("nothing in reach".into(), |nearest| format!("{nearest:.3} m")),
            ),
        ];
        report.extend(self.counters().report());
        report
    }

    fn uncovered_text(&self) -> String {
        match (bearings(&self.uncovered()), self.params().uncovered_is_free) {
            (nothing, _) if nothing.is_empty() => "nothing".into(),
            (bearings, true) => format!("{bearings}, counts as free"),
            (bearings, false) => format!("{bearings}, counts as blocked"),
        }
    }

    fn conditions(&self) -> impl Iterator<Item = (&Sensor, Condition)> {
        let sensors = self.params().sensors.iter().enumerate();
        sensors.filter_map(|(index, sensor)| Some((sensor, self.condition(index)?)))
    }
}

/// Bearings, positive to the left; each pair is from and to, counter-clockwise \[degrees\].
fn bearings(runs: &[[f64; 2]]) -> String {
    let texts: Vec<String> = runs.iter().map(|[from, to]| format!("{from:.0} to {to:.0} degrees")).collect();
    texts.join(", ")
}
