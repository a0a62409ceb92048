//! Nothing on the device's thread allocates.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::time::Duration;

use allocations::{Counting, count};
use common::STEP;
use haptix::{
    AnalyticHand, Device, DeviceLoop, MAX, Model, Noise, Object, Order, RobotHand, RobotModel, RobotStates,
    Sensor, Settings, Shape, Simulation,
};
use nalgebra::Vector3;
use safety::{ActuatorSample, Instant, MessageTime, StateSample};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Everything at once: objects of each shape, noise, delay, faults.
fn simulation() -> Simulation {
    let mut simulation = Simulation {
        noise: Noise { position: 0.1, acceleration: 1.0, contact: 1.0, ..Noise::default() },
        delay: 7,
        ..Simulation::default()
    };
    simulation.faults.stuck_motors[4] = true;
    simulation.faults.dead_imus[1] = true;
    let shapes = [
        Shape::Sphere { center: Vector3::new(-0.05, 0.0, 0.1), radius: 0.04 },
        Shape::Plane { point: Vector3::new(-0.06, 0.0, 0.0), normal: Vector3::x() },
        Shape::Stop { contact: 9, angle: 0.3 },
    ];
    for (place, shape) in simulation.objects.iter_mut().zip(shapes) {
        *place = Some(Object { shape, stiffness: 1000.0, damping: 1.0 });
    }
    simulation
}

#[test]
fn a_hand_allocates_nothing_whatever_is_done_with_it() {
    let mut hand = AnalyticHand::new(Model::builtin("mpl").unwrap(), 1);
    let mut setpoints = hand.constants().start;
    let before = count();
    for step in 0..2000 {
        setpoints.ref_pos[step % 13] = 0.5;
        hand.command(&setpoints).unwrap();
        hand.step(STEP).unwrap();
        hand.read(&mut Sensor::default()).unwrap();
        match step {
            500 => hand.simulate(&simulation()).unwrap(),
            1000 => hand.hold(0.5).unwrap(),
            1500 => hand.reset(true).unwrap(),
            _ => {}
        }
    }
    assert_eq!(count(), before);
}

#[test]
fn every_built_in_hand_steps_and_is_read_without_an_allocation() {
    for name in ["mpl", "mpl_gazebo", "two_finger"] {
        let mut hand = AnalyticHand::new(Model::builtin(name).unwrap(), 1);
        let mut setpoints = hand.constants().start;
        let before = count();
        for step in 0..2000 {
            setpoints.ref_pos.fill([0.1, 0.7][step / 200 % 2]);
            hand.command(&setpoints).unwrap();
            hand.step(STEP).unwrap();
            hand.read(&mut Sensor::default()).unwrap();
        }
        assert_eq!(count(), before, "{name}");
    }
}

#[test]
fn a_hand_of_bare_motors_and_a_robot_elsewhere_allocate_nothing() {
    let mut hand = AnalyticHand::new(Model::builtin("mpl").unwrap(), 1);
    hand.simulate(&simulation()).unwrap();
    let model = RobotModel::parse(include_str!("../../devices/robot.yaml")).unwrap();
    let mut robot = RobotHand::new(model, Duration::from_millis(100));
    let setpoints = robot.model().constants.start;
    let actuators = vec![ActuatorSample { position: 0.1, ..ActuatorSample::default() }; 3];
    let mut sample = StateSample { time: MessageTime::new(Instant::ZERO, Duration::ZERO), actuators };
    let before = count();
    let mut commands = 0;
    for millis in 0..2000 {
        hand.drive(&[0.01; MAX], STEP);
        let now = Instant::from_millis(millis);
        sample.time = MessageTime::new(now, Duration::ZERO);
        if millis % 1000 < 500 {
            robot.take(RobotStates::new(&sample));
        }
        let _ = robot.read(now, &mut Sensor::default());
        let _ = if millis % 100 < 90 { robot.follow(now, &setpoints) } else { robot.hold(now).map(drop) };
        commands += usize::from(robot.command(now).is_some());
        robot.pass(STEP);
    }
    assert_eq!(count(), before);
    assert!((900..1200).contains(&commands), "{commands}");
}

#[test]
fn the_loop_allocates_nothing_either() {
    let settings = Settings { command_timeout: None, hold_gain: 0.5, simulation: Simulation::default() };
    let hand = AnalyticHand::new(Model::builtin("mpl").unwrap(), 1);
    let mut device = DeviceLoop::new(Box::new(hand), STEP, settings);
    let setpoints = device.constants().start;
    let before = count();
    let mut reports = 0;
    for millis in 0..2000 {
        let at = Instant::from_millis(millis);
        match millis % 100 {
            1 => device.take(Order::Command { setpoints, at }),
            20 => device.take(Order::Reset { reset_limb_pose: millis > 1000 }),
            40 => device.take(Order::Hold),
            60 => device.take(Order::Configure(Settings { simulation: simulation(), ..settings })),
            80 => {
                let mut silent = settings;
                silent.simulation.faults.is_silent = true;
                device.take(Order::Configure(silent));
            }
            90 => device.take(Order::Configure(settings)),
            _ => {}
        }
        reports += usize::from(device.step(at).is_some());
    }
    assert_eq!(count(), before);
    assert!(reports > 100);
}
