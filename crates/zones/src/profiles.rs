use std::fmt::Write;

use params::{Change, Group, Parameter, Refusal, Set, Value};
use safety::{PublisherCount, SLOWEST_FULL_SPEED};

use crate::{BadCurve, Calibration, Curve, FASTEST};

/// The calibrations of a chair's five profiles; those that were not measured are missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles(Box<[Option<Calibration>; 5]>);

const PREFIX: &str = "profiles";
/// How a curve is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Linear,
    Piecewise,
    Cubic,
}

params::choices! { Method: Linear = "linear", Piecewise = "piecewise", Cubic = "cubic" }
const NO_LIST: &[f64] = &[];
/// Entries of a table or coefficients.
const LONGEST: usize = 64;
params::params! {
    /// Parameters of each profile, except for its curves.
    struct Declared {
        /// The number of the profile as the chair publishes it on luci/chair_profile, 1 to 5; must be given (0: is not).
        number: i64 = Parameter::integer("number", 0, 0, 5),
        /// Speed backward as a part of the speed forward at the same deflection.
        backward: f64 = Parameter::float("backward", 1.0, 0.01, 1.0),
    }
}

/// The parameters of one curve.
macro_rules! curve {
    ($curve:ident, $axis:literal, $way:literal, $speed:literal, $cubic:literal, $unit:literal) => {
        params::params! {
            struct $curve {
                method: Method = Parameter::choice(concat!($axis, ".method"), "linear")
                    .text(concat!("How deflection and ", $way, " belong together.")),
                full_throw: f64 = Parameter::float(concat!($axis, ".full_throw"), 0.0, 0.0, FASTEST).unit($unit)
                    .text(concat!("linear: ", $speed, " at full throw, 0.1 or more; must be given: an invented one would drive \
                        the chair faster than it is commanded.")),
                /// piecewise: deflections, growing from above 0, the last one 100.
                percents: Vec<f64> =
                    Parameter::floats(concat!($axis, ".percents"), NO_LIST, 0.0, 100.0, LONGEST).unit("percent"),
                speeds: Vec<f64> = Parameter::floats(concat!($axis, ".speeds"), NO_LIST, 0.0, 20.0, LONGEST).unit($unit)
                    .text(concat!("piecewise: the ", $speed, "s at these deflections, growing from above 0.")),
                cubic: Vec<f64> = Parameter::floats(concat!($axis, ".cubic"), NO_LIST, -1e6, 1e6, 3)
                    .text(concat!("cubic: a, b, c of deflection = ", $cubic, " [percent, ", $unit, "].")),
            }
        }

        impl $curve {
            fn curve(set: &Set, profile: &str) -> Result<Curve, Refusal> {
                let Self { method, full_throw, percents, speeds, cubic } = Self::get_entry(set, PREFIX, profile);
                let refuse = |member: &str, rule: String| {
                    set.refuse(&format!("{PREFIX}.{profile}.{}.{member}", $axis), rule)
                };
                let curve = match method {
                    Method::Piecewise => Curve::piecewise(&percents, &speeds),
                    Method::Cubic => match cubic.as_slice() {
                        &[a, b, c] => Curve::cubic([a, b, c]),
                        _ => Err(BadCurve::Coefficients),
                    },
                    Method::Linear if full_throw < SLOWEST_FULL_SPEED => {
                        let range = format!("from {SLOWEST_FULL_SPEED:?} to {FASTEST:?} {}", $unit);
                        return Err(refuse("full_throw", format!("must be given, {range}")));
                    }
                    Method::Linear => Curve::linear(full_throw),
                };
                curve.map_err(|bad| refuse(bad.parameter(), bad.to_string()))
            }
        }
    };
}

curve!(Forward, "forward", "forward speed", "speed", "a v^3 + b v^2 + c v", "m/s");
curve!(Turn, "turn", "turning speed", "turning speed", "a w^3 + b w^2 + c w", "rad/s");

/// The group of parameters; none is there by default, since a chair that was not measured must not be driven.
pub fn profile_parameters() -> Group {
    let mut members = [Declared::declarations(), Forward::declarations(), Turn::declarations()].concat();
    // With another calibration the same command is another stick, at once.
    members.iter_mut().for_each(|member| member.change = Change::AtStart);
    Group {
        prefix: PREFIX,
        text: "The calibration of each of the chair's profiles, none by default. In a profile without one only \
            neutral is sent. profiles.<name>.number, .backward, .forward.method and so on; luci_profiles.yaml is an \
            example.",
        members,
        presets: &[],
    }
}

impl Profiles {
    /// The profiles in `set`.
    /// # Errors
    /// A [`Refusal`] of a number that is not given or that two profiles have, of a full throw that is not given, and of
    /// a curve that does not grow or is too slow.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let mut profiles = Self::default();
        for name in set.group(PREFIX) {
            let Declared { number, backward } = Declared::get_entry(set, PREFIX, name);
            let refuse = |member: &str, rule: &str| set.refuse(&format!("{PREFIX}.{name}.{member}"), rule);
            if index(number).is_none() {
                return Err(refuse("number", "must be given, from 1 to 5"));
            }
            let calibration = Calibration::new(Forward::curve(set, name)?, backward, Turn::curve(set, name)?)
                .ok_or_else(|| refuse("backward", "must be above 0 and up to 1"))?;
            if !profiles.insert(number, calibration) {
                return Err(refuse("number", "must be 1 to 5 and differ from that of every other profile"));
            }
        }
        Ok(profiles)
    }

    /// With `calibration` for the profile `number`, 1 to 5; `false`, and nothing done, if that is taken or none.
    pub fn insert(&mut self, number: i64, calibration: Calibration) -> bool {
        match index(number).and_then(|index| self.0.get_mut(index)) {
            Some(slot @ None) => {
                *slot = Some(calibration);
                true
            }
            _ => false,
        }
    }

    /// Whether none was measured.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The calibration of the profile `number`; `None` if it was not measured or there is no such profile.
    pub fn of(&self, number: i32) -> Option<&Calibration> {
        self.0.get(index(number.into())?)?.as_ref()
    }
}

fn index(number: i64) -> Option<usize> {
    usize::try_from(number.checked_sub(1)?).ok()
}

/// Measurements that users published, as parameters: speeds at full throw of the five profiles.
///
/// Forward 1.2, 2.4, 3.5, 4.5 and 6.2 mph on one chair; 1.2212 rad/s for the turn is the slope of a line that LUCI gave
/// one user, whose offset (5.5 percent at rest) is left out, since rest must be neutral. An example, not a calibration of
/// anybody else's chair.
/// # Source
/// Users' code on LUCI's chairs; nothing of it is LUCI's own.
pub fn published() -> Vec<(String, Value)> {
    const FULL_THROW: [f64; 5] = [0.54, 1.07, 1.57, 2.01, 2.77];
    let mut values = Vec::new();
    for (number, full) in (1_i64..).zip(FULL_THROW) {
        let mut add =
            |member: &str, value| values.push((format!("{PREFIX}.profile_{number}.{member}"), value));
        add("number", Value::Integer(number));
        add("forward.full_throw", Value::Float(full));
        add("turn.full_throw", Value::Float(1.2212));
    }
    values
}

/// The file `luci_profiles.yaml`: [`published`] as an example of what a calibration looks like, in both nodes that need it.
pub fn example() -> String {
    let mut text = String::from(
        "# An example of a chair's calibration: speeds at full throw that others measured on their chairs.\n\
         # Measure your own before you drive: with a wrong figure the chair goes faster than the command.\n\
         # The same stands for both nodes: the zones are judged on the stick that the chair gets.\n",
    );
    for node in ["chair", "zone_scaler"] {
        let _ = writeln!(text, "{node}:\n  ros__parameters:\n    profiles:");
        let mut last = String::new();
        for (name, value) in published() {
            let mut levels = name.splitn(3, '.').skip(1);
            let (profile, member) = (levels.next().unwrap_or_default(), levels.next().unwrap_or_default());
            if profile != last {
                profile.clone_into(&mut last);
                let _ = writeln!(text, "      {profile}:");
            }
            let _ = match member.split_once('.') {
                Some((axis, member)) => {
                    writeln!(text, "        {axis}: {{method: \"linear\", {member}: {value}}}")
                }
                None => writeln!(text, "        {member}: {value}"),
            };
        }
    }
    text
}

/// The chair's profile, as reported on `luci/chair_profile`.
///
/// With more than one publisher the profile is unknown. It stays unknown afterwards until it is reported again, since
/// the origin of the last message is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportedProfile {
    number: Option<i32>,
    publishers: PublisherCount,
}

impl ReportedProfile {
    /// The profile's number; `None` if none is known.
    pub fn number(self) -> Option<i32> {
        self.number
    }

    /// The number of publishers.
    pub fn publishers(self) -> PublisherCount {
        self.publishers
    }

    /// Receives the number of the profile.
    pub fn receive(&mut self, number: i32) {
        self.number = Some(number).filter(|_| !self.publishers.are_several());
    }

    /// Sets the number of publishers.
    pub fn count(&mut self, publishers: PublisherCount) {
        if self.publishers.update(publishers) {
            self.number = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_of_two_publishers_is_unknown_until_one_reports_it_again() {
        let mut profile = ReportedProfile::default();
        profile.receive(1);
        profile.count(PublisherCount::of(1));
        assert_eq!(profile.number(), Some(1));
        profile.count(PublisherCount::of(2));
        profile.receive(5);
        assert_eq!((profile.number(), profile.publishers()), (None, PublisherCount::of(2)));
        profile.count(PublisherCount::of(1));
        assert_eq!(profile.number(), None);
        profile.receive(1);
        assert_eq!(profile.number(), Some(1));
        profile.count(PublisherCount::Unknown);
        assert_eq!(profile.number(), None, "a graph that cannot be read");
    }
}
