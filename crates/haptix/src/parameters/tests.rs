use params::Value;

use super::*;
use crate::Model;

fn read(overrides: &[(&str, Value)]) -> Result<Params, String> {
    let overrides = overrides.iter().map(|(name, value)| ((*name).into(), value.clone()));
    let set = specification().resolve(overrides).unwrap();
    let model = Model::builtin("mpl").unwrap();
    Params::read(&set, &model.constants.description, model.constants.info.update_rate)
        .map_err(|refusal| refusal.to_string())
}

fn texts(texts: &[&str]) -> Value {
    Value::Texts(texts.iter().map(|text| (*text).into()).collect())
}

fn topics(states: &str, commands: &str, millis: u64) -> RobotTopics {
    let (states, commands) = (states.into(), commands.into());
    RobotTopics { states, commands, timeout: Duration::from_millis(millis) }
}

#[test]
fn the_defaults_step_at_1_khz_hold_after_1_s_and_disturb_nothing() {
    let params = read(&[]).unwrap();
    let settings = Settings {
        command_timeout: Some(Duration::from_secs(1)),
        hold_gain: 0.3,
        simulation: Simulation::default(),
    };
    let expected = Params {
        step: Duration::from_millis(1),
        update_rate: None,
        halt_on: None,
        thread: LoopThread { priority: Some(50), lock_memory: true, cores: Vec::new() },
        publish_tf: true,
        frame_prefix: String::new(),
        seed: 1,
        topics: topics("joint_states", "joint_trajectory_controller/joint_trajectory", 100),
        settings,
    };
    assert_eq!(params, expected);
    assert_eq!(device(&specification().defaults()), "mpl");
    for (name, declaration, value) in specification().defaults().iter() {
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
        assert!(!declaration.text.is_empty(), "{name}");
    }
}

#[test]
fn each_parameter_reaches_its_setting() {
    let params = read(&[
        ("step_rate", Value::Integer(500)),
        ("update_rate", Value::Float(200.0)),
        ("command_timeout", Value::Float(0.0)),
        ("hold_gain", Value::Float(0.5)),
        ("halt_on", Value::Text("hind/state".into())),
        ("priority", Value::Integer(0)),
        ("lock_memory", Value::Bool(false)),
        ("cores", Value::Integers(vec![1, 3])),
        ("publish_tf", Value::Bool(false)),
        ("frame_prefix", Value::Text("left_".into())),
        ("topics.robot", Value::Text("robot.yaml".into())),
        ("topics.states", Value::Text("a".into())),
        ("topics.commands", Value::Text("b".into())),
        ("topics.timeout", Value::Float(0.5)),
        ("simulation.seed", Value::Integer(9)),
        ("simulation.delay", Value::Integer(3)),
        ("simulation.noise.position", Value::Float(0.01)),
        ("simulation.noise.velocity", Value::Float(0.02)),
        ("simulation.noise.torque", Value::Float(0.03)),
        ("simulation.noise.contact", Value::Float(0.04)),
        ("simulation.noise.acceleration", Value::Float(0.05)),
        ("simulation.noise.angular_velocity", Value::Float(0.06)),
        ("simulation.stuck_motors", texts(&["wristx"])),
        (
            "simulation.dead_sensors",
            texts(&["motor/wristy", "joint/index3", "contact/palm_back", "imu/pinky"]),
        ),
        ("simulation.is_silent", Value::Bool(true)),
        ("objects.ball.position", Value::Floats(vec![0.0, -0.1, 0.2])),
        ("objects.ball.radius", Value::Float(0.05)),
        ("objects.table.shape", Value::Text("plane".into())),
        ("objects.table.normal", Value::Floats(vec![0.0, 0.0, -0.5])),
        ("objects.tip.shape", Value::Text("stop".into())),
        ("objects.tip.contact", Value::Text("index_distal".into())),
        ("objects.tip.angle", Value::Float(0.25)),
        ("objects.tip.stiffness", Value::Float(300.0)),
        ("objects.tip.damping", Value::Float(0.0)),
    ])
    .unwrap();
    assert_eq!((params.step, params.update_rate, params.seed), (Duration::from_millis(2), Some(200.0), 9));
    assert_eq!(params.halt_on.as_deref(), Some("hind/state"));
    assert_eq!(params.thread, LoopThread { priority: None, lock_memory: false, cores: vec![1, 3] });
    assert_eq!((params.publish_tf, params.frame_prefix.as_str()), (false, "left_"));
    assert_eq!(params.topics, topics("a", "b", 500));
    let Settings { command_timeout, hold_gain, simulation } = params.settings;
    assert_eq!((command_timeout, hold_gain, simulation.delay), (None, 0.5, 3));
    let noise = Noise {
        position: 0.01,
        velocity: 0.02,
        torque: 0.03,
        contact: 0.04,
        acceleration: 0.05,
        angular_velocity: 0.06,
    };
    assert_eq!(simulation.noise, noise);
    let only = |index: usize| core::array::from_fn(|other| other == index);
    let faults = Faults {
        stuck_motors: only(1),
        dead_motors: only(0),
        dead_joints: only(10),
        dead_contacts: only(3),
        dead_imus: only(4),
        is_silent: true,
    };
    assert_eq!(simulation.faults, faults);
    let ball = Shape::Sphere { center: Vector3::new(0.0, -0.1, 0.2), radius: 0.05 };
    let table = Shape::Plane { point: Vector3::zeros(), normal: Vector3::new(0.0, 0.0, -1.0) };
    let tip = Shape::Stop { contact: 9, angle: 0.25 };
    assert_eq!(simulation.objects[0], Some(Object { shape: ball, stiffness: 1000.0, damping: 1.0 }));
    assert_eq!(simulation.objects[1], Some(Object { shape: table, stiffness: 1000.0, damping: 1.0 }));
    assert_eq!(simulation.objects[2], Some(Object { shape: tip, stiffness: 300.0, damping: 0.0 }));
    assert_eq!(simulation.objects[3..], [None; 13]);
}

#[test]
fn what_the_device_does_not_have_is_refused_by_name() {
    let text = |text: &str| Value::Text(text.into());
    for (overrides, expected) in [
        (vec![("update_rate", Value::Float(1.5))], "must be 0 or from 2 to 1000 Hz"),
        (
            vec![("device", text("topics")), ("update_rate", Value::Float(3.5))],
            "parameter 'update_rate' is 3.5, must be 0 or from 4 to 1000 Hz with the device topics",
        ),
        (
            vec![("command_timeout", Value::Float(0.009))],
            "parameter 'command_timeout' is 0.009, must be 0 or at least a period of the update rate, 0.0100 s",
        ),
        (
            vec![("step_rate", Value::Integer(50))],
            "parameter 'step_rate' is 50, must be at least the update rate, 100 Hz",
        ),
        (
            vec![("simulation.stuck_motors", texts(&["index2"]))],
            "'index2' in it must be one of: wristy, wristx,",
        ),
        (
            vec![("simulation.dead_sensors", texts(&["imu/palm"]))],
            "'palm' in it must be one of: thumb, index,",
        ),
        (vec![("simulation.dead_sensors", texts(&["thumb"]))], "must be motor/, joint/, contact/ or imu/"),
        (
            vec![("objects.a.position", Value::Floats(vec![1.0]))],
            "'objects.a.position' is [1.0], must have three",
        ),
        (
            vec![("objects.a.shape", text("plane")), ("objects.a.normal", Value::Floats(vec![0.0; 3]))],
            "must be a direction",
        ),
        (
            vec![("objects.a.shape", text("stop"))],
            "parameter 'objects.a.contact' is \"\", must be one of: palm_thumb",
        ),
    ] {
        let refusal = read(&overrides).unwrap_err();
        assert!(refusal.contains(expected), "{refusal}");
    }
    let many: Vec<(String, Value)> =
        (0..17).map(|n| (format!("objects.o{n}.shape"), text("sphere"))).collect();
    let many: Vec<(&str, Value)> = many.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    assert!(read(&many).unwrap_err().contains("at most 16"));
}
