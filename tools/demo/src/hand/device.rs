use haptix::{MAX, Model};
use params::Value;

use crate::error::Error;

/// The node's parameters: a hand with a ball.
pub const PARAMETERS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/hand.yaml"));

/// Contents of `config/hand.yaml`: the hand, its grasps, and the ball before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The names of its grasps, in the order of their keys.
    pub grasps: Vec<String>,
    /// How many motors it has.
    pub motor_count: usize,
    /// The ball as parameters of the node.
    pub ball_parameters: Vec<(String, Value)>,
}

/// The parameters of the ball begin with this.
const BALL: &str = "objects.ball.";
/// The one whose deletion removes the ball.
pub const SHAPE: &str = "objects.ball.shape";

impl Device {
    /// The device of the demo.
    /// # Errors
    /// The file is not one of a built-in hand with a ball.
    pub fn read() -> Result<Self, Error> {
        let blocks = params::file::read(PARAMETERS).map_err(|error| Error::Device(error.to_string()))?;
        let own = blocks.into_iter().filter(|block| params::file::is_for(&block.node, "/haptix"));
        let values = own.flat_map(|block| block.values);
        let set = haptix::specification().resolve(values).map_err(|refusals| {
            Error::Device(refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let model =
            Model::builtin(&haptix::device(&set)).map_err(|error| Error::Device(error.to_string()))?;
        let all = set.iter().filter(|(name, ..)| name.starts_with(BALL));
        let ball_parameters: Vec<_> = all.map(|(name, _, value)| (name.to_owned(), value.clone())).collect();
        if ball_parameters.is_empty() {
            return Err(Error::Device("it has no ball".into()));
        }
        Ok(Self {
            grasps: model.constants.grasps.names().map(Into::into).collect(),
            motor_count: model.constants.info.motor_count.min(MAX),
            ball_parameters,
        })
    }

    /// The index of a grasp.
    pub fn grasp(&self, name: &str) -> Option<usize> {
        self.grasps.iter().position(|known| known == name)
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use haptix::{AnalyticHand, Device as _, GraspValue, Params, Sensor};

    use super::*;
    use crate::hand::script::{CLOSED, GRASP, HOLDERS};

    /// The forces by their names \[N\], two seconds after the grasp was closed to `level` with or without the ball.
    fn forces(level: f32, is_there: bool) -> Vec<(String, f32)> {
        let mut values = params::file::read(PARAMETERS).unwrap().remove(0).values;
        values.retain(|(name, _)| is_there || !name.starts_with(BALL));
        let set = haptix::specification().resolve(values).unwrap();
        let model = Model::builtin("mpl").unwrap();
        let names = model.constants.description.contact_names.clone();
        let parameters =
            Params::read(&set, &model.constants.description, model.constants.info.update_rate).unwrap();
        let mut hand = AnalyticHand::new(model, 1);
        hand.simulate(&parameters.settings.simulation).unwrap();
        let mut setpoints = hand.constants().start;
        let grasp = GraspValue { name: GRASP.into(), value: level };
        for (motor, position) in hand.constants().grasps.positions(&[grasp]).unwrap() {
            setpoints.ref_pos[motor] = position;
        }
        hand.command(&setpoints).unwrap();
        for _ in 0..2000 {
            hand.step(Duration::from_millis(1)).unwrap();
        }
        let mut sensor = Sensor::default();
        hand.read(&mut sensor).unwrap();
        names.into_iter().zip(sensor.contact).filter(|(_, force)| *force > 0.0).collect()
    }

    #[test]
    fn open_the_hand_is_free_and_closed_it_holds_the_ball_with_every_finger() {
        assert_eq!(forces(0.0, true), []);
        assert_eq!(forces(CLOSED, false), []);
        let held = forces(CLOSED, true);
        for name in HOLDERS {
            assert!(held.iter().any(|(own, force)| own == name && *force > 1.0), "{name}: {held:?}");
        }
    }

    #[test]
    fn the_device_is_that_of_the_file() {
        let device = Device::read().unwrap();
        assert_eq!((device.motor_count, device.grasps.len(), device.grasp(GRASP)), (13, 8, Some(1)));
        for (name, expected) in [
            (SHAPE, Value::Text("sphere".into())),
            ("objects.ball.position", Value::Floats(vec![-0.045, -0.02, 0.135])),
            ("objects.ball.radius", Value::Float(0.035)),
        ] {
            let found = device.ball_parameters.iter().find(|(known, _)| known == name);
            assert_eq!(found.map(|(_, value)| value), Some(&expected), "{name}");
        }
    }
}
