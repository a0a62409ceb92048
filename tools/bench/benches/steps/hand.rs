//! A step of 1 ms and a reading of the analytic hand, without a thread and without DDS.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use haptix::{AnalyticHand, Device, Model, Object, Sensor, Shape, Simulation};

const STEP: Duration = Duration::from_millis(1);
/// All motors go to and fro between these \[rad\], so no servo rests.
const PLACES: [f64; 2] = [0.1, 0.7];
/// For how many steps they go one way.
const WAY: usize = 200;

pub fn measure(criterion: &mut Criterion) {
    for (group, name, is_touching) in [
        ("hand `mpl`", "mpl", false),
        ("hand `mpl`, a ball in it", "mpl", true),
        ("hand `mpl_gazebo`", "mpl_gazebo", false),
        ("hand `two_finger`", "two_finger", false),
    ] {
        let model = Model::builtin(name).unwrap();
        let mut floor = Floor::new(model.constants.info.motor_count, model.constants.info.joint_count);
        let mut hand = AnalyticHand::new(model, 1);
        let mut simulation = Simulation::default();
        if is_touching {
            let shape = Shape::Sphere { center: [-0.05, 0.0, 0.1].into(), radius: 0.04 };
            simulation.objects[0] = Some(Object { shape, stiffness: 1000.0, damping: 1.0 });
        }
        hand.simulate(&simulation).unwrap();
        let (mut setpoints, mut sensor) = (hand.constants().start, Sensor::default());
        let mut place = (0..).map(|step| PLACES[step / WAY % 2]);
        let mut group = criterion.benchmark_group(group);
        group.bench_function("step", |bencher| {
            bencher.iter(|| {
                let place = place.next().unwrap_or_default();
                if setpoints.ref_pos[0] != place {
                    setpoints.ref_pos.fill(place);
                    hand.command(&setpoints).unwrap();
                }
                hand.step(STEP).unwrap();
            });
        });
        let mut place = (0..).map(|step| PLACES[step / WAY % 2]);
        group.bench_function("floor", |bencher| {
            bencher.iter(|| floor.step(place.next().unwrap_or_default()));
        });
        group
            .bench_function("reading", |bencher| bencher.iter(|| hand.read(black_box(&mut sensor)).unwrap()));
    }
}

/// Least work of any program for a hand that touches nothing: each motor an implicit step of its servo, each joint its coupling.
struct Floor {
    /// Position and velocity.
    motors: Vec<[f64; 2]>,
    joints: Vec<[f64; 2]>,
}

impl Floor {
    fn new(motors: usize, joints: usize) -> Self {
        Self { motors: vec![[0.0; 2]; motors], joints: vec![[0.0; 2]; joints] }
    }

    fn step(&mut self, target: f64) {
        let (mass, damping, gain_pos, gain_vel, torque, dt) = black_box((1e-3, 0.04, 5.0, 0.14, 1.3, 1e-3));
        for motor in &mut self.motors {
            let [position, velocity] = *motor;
            let (push, spring) = (mass * velocity, gain_pos * (target - position));
            let resisting = mass + dt * damping;
            let free = (push + dt * spring) / (resisting + dt * (gain_vel + dt * gain_pos));
            let wanted = spring - (gain_vel + dt * gain_pos) * free;
            let velocity =
                if wanted.abs() <= torque { free } else { (push + dt * torque.copysign(wanted)) / resisting };
            *motor = black_box([(position + dt * velocity).clamp(-1.5, 1.5), velocity]);
        }
        for (joint, motor) in self.joints.iter_mut().zip(self.motors.iter().cycle()) {
            *joint = black_box(motor.map(|part| 0.8 * part));
        }
    }
}
