use params::nearest;

use crate::wire::MAX;

/// The named grasps of a hand.
///
/// A grasp has a way: positions of the fingers' motors at ascending levels from 0 (open) to 1 (closed), linear between them. Several
/// grasps at once are averaged, motor by motor.
/// # Source
/// HAPTIX: `hxGrasp`, with the names of its MPL. Own: the positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grasps {
    /// The motors that grasps move.
    motors: Vec<usize>,
    all: Vec<Grasp>,
}

/// One named grasp.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grasp {
    name: String,
    /// Levels and motor positions \[rad\], as many as the hand has motors that grasps move.
    way: Vec<(f64, Vec<f64>)>,
}

impl Grasp {
    /// `None` if the levels do not ascend from 0 to 1.
    pub(crate) fn new(name: &str, way: Vec<(f64, Vec<f64>)>) -> Option<Self> {
        let ascends = way.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_whole = way.first()?.0 == 0.0 && way.last()?.0 == 1.0;
        (ascends && is_whole).then(|| Self { name: name.into(), way })
    }

    /// The position of the motor in place `index` at `level`, 0 to 1 \[rad\].
    fn position(&self, index: usize, level: f64) -> f64 {
        let value = |values: &[f64]| values.get(index).copied().unwrap_or(0.0);
        let Some((last_level, last)) = self.way.last() else { return 0.0 };
        let pairs = self.way.iter().zip(self.way.iter().skip(1));
        for ((from, before), (to, after)) in pairs {
            if level < *to {
                let part = (level - from) / (to - from);
                return value(before) + (value(after) - value(before)) * part;
            }
        }
        debug_assert!(level >= *last_level);
        value(last)
    }
}

/// How far one named grasp shall be closed.
#[derive(Clone, Debug, PartialEq)]
pub struct GraspValue {
    /// The grasp.
    pub name: String,
    /// 0 open, 1 closed; clamped to that range.
    pub value: f32,
}

impl Grasps {
    pub(crate) fn new(motors: Vec<usize>, all: Vec<Grasp>) -> Self {
        Self { motors, all }
    }

    /// The names, in the order of the description.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|grasp| grasp.name.as_str())
    }

    /// Which motors grasps move.
    pub fn motors(&self) -> [bool; MAX] {
        let mut is_moved = [false; MAX];
        for motor in &self.motors {
            if let Some(is_moved) = is_moved.get_mut(*motor) {
                *is_moved = true;
            }
        }
        is_moved
    }

    /// The motors that `values` move, with their positions \[rad\]: the averages over `values`, which must not be empty.
    /// # Errors
    /// A name is not known, or a value is NaN; the text quotes it.
    pub fn positions(&self, values: &[GraspValue]) -> Result<Vec<(usize, f64)>, String> {
        let mut found = Vec::new();
        for GraspValue { name, value } in values {
            let grasp =
                self.all.iter().find(|grasp| grasp.name == *name).ok_or_else(|| self.unknown(name))?;
            if value.is_nan() {
                return Err(format!("the value of grasp '{name}' is NaN, must be from 0 to 1"));
            }
            found.push((grasp, f64::from(*value).clamp(0.0, 1.0)));
        }
        let average = |index: usize| {
            let sum: f64 = found.iter().map(|(grasp, level)| grasp.position(index, *level)).sum();
            sum / found.len().max(1) as f64
        };
        Ok(self.motors.iter().enumerate().map(|(index, motor)| (*motor, average(index))).collect())
    }

    fn unknown(&self, name: &str) -> String {
        if self.all.is_empty() {
            return format!("grasp '{name}' does not exist: this hand has none");
        }
        match nearest(name, self.names()) {
            Some(nearest) => format!("grasp '{name}' does not exist; did you mean '{nearest}'?"),
            None => {
                let names: Vec<&str> = self.names().collect();
                format!("grasp '{name}' does not exist; known are: {}", names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two motors: the 3rd and the 1st of the hand.
    fn grasps() -> Grasps {
        let fist = vec![(0.0, vec![0.0, -1.0]), (0.5, vec![1.0, -1.0]), (1.0, vec![1.5, 1.0])];
        let hook = vec![(0.0, vec![0.0, 0.0]), (1.0, vec![0.0, 4.0])];
        let all = [("Fist", fist), ("Hook", hook)].map(|(name, way)| Grasp::new(name, way).unwrap());
        Grasps::new(vec![2, 0], all.into())
    }

    fn at(values: &[(&str, f32)]) -> Result<Vec<(usize, f64)>, String> {
        let values: Vec<_> =
            values.iter().map(|&(name, value)| GraspValue { name: name.into(), value }).collect();
        grasps().positions(&values)
    }

    #[test]
    fn a_grasp_is_linear_between_its_way_points_and_clamped() {
        for (value, first, second) in [
            (0.0, 0.0, -1.0),
            (0.25, 0.5, -1.0),
            (0.5, 1.0, -1.0),
            (0.75, 1.25, 0.0),
            (1.0, 1.5, 1.0),
            (-3.0, 0.0, -1.0),
            (f32::INFINITY, 1.5, 1.0),
        ] {
            assert_eq!(at(&[("Fist", value)]), Ok(vec![(2, first), (0, second)]), "{value}");
        }
    }

    #[test]
    fn several_grasps_are_averaged() {
        // (1.5 + 0) / 2 and (1 + 2) / 2
        assert_eq!(at(&[("Fist", 1.0), ("Hook", 0.5)]), Ok(vec![(2, 0.75), (0, 1.5)]));
        // The same one twice counts twice: (0 + 4 + 4) / 3
        let positions = at(&[("Hook", 0.0), ("Hook", 1.0), ("Hook", 1.0)]).unwrap();
        assert!((positions[1].1 - 8.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_one() {
        for (name, text) in [
            ("Fits", "grasp 'Fits' does not exist; known are: Fist, Hook"),
            ("Hock", "grasp 'Hock' does not exist; did you mean 'Hook'?"),
            ("", "grasp '' does not exist; known are: Fist, Hook"),
        ] {
            assert_eq!(at(&[("Fist", 0.5), (name, 0.5)]), Err(text.into()));
        }
        let none = Grasps::default().positions(&[GraspValue { name: "Fist".into(), value: 0.0 }]);
        assert_eq!(none, Err("grasp 'Fist' does not exist: this hand has none".into()));
        let nan = at(&[("Fist", f32::NAN)]);
        assert_eq!(nan, Err("the value of grasp 'Fist' is NaN, must be from 0 to 1".into()));
    }

    #[test]
    fn the_motors_of_grasps_are_known() {
        let motors = grasps().motors();
        assert_eq!(motors[..4], [true, false, true, false]);
    }

    #[test]
    fn a_way_must_ascend_from_0_to_1() {
        let way = |levels: &[f64]| levels.iter().map(|level| (*level, Vec::new())).collect::<Vec<_>>();
        for levels in
            [&[][..], &[0.0], &[1.0], &[0.0, 0.5], &[0.1, 1.0], &[0.0, 0.5, 0.5, 1.0], &[0.0, f64::NAN, 1.0]]
        {
            assert_eq!(Grasp::new("Fist", way(levels)), None, "{levels:?}");
        }
        assert!(Grasp::new("Fist", way(&[0.0, 1.0])).is_some());
    }
}
