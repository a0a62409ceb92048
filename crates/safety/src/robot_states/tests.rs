use super::*;

const TIMEOUT: Duration = Duration::from_millis(100);

fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn monitor() -> StateMonitor {
    StateMonitor::new("hardware/joint_states", names("a b"), TIMEOUT)
}

fn message(given: &str) -> StatesMessage {
    let names = names(given);
    let values: Vec<f64> = (1..=names.len()).map(|number| number as f64).collect();
    StatesMessage { positions: values.clone(), velocities: values, names, ..StatesMessage::default() }
}

fn refused(message: &StatesMessage) -> String {
    monitor().receive(&Clock::default(), message).unwrap_err().0.to_string()
}

#[test]
fn states_follow_their_names() {
    let mut given = message("b a");
    given.efforts = vec![7.0, 8.0];
    let sample = monitor().receive(&Clock::default(), &given).unwrap();
    let states = sample.actuators.iter().map(|one| (one.position, one.velocity, one.effort));
    assert_eq!(states.collect::<Vec<_>>(), [(2.0, 2.0, Some(8.0)), (1.0, 1.0, Some(7.0))]);
    assert_eq!(monitor().receive(&Clock::default(), &message("a b")).unwrap().actuators[0].effort, None);
}

#[test]
fn states_of_other_actuators_are_refused() {
    assert_eq!(refused(&message("a")), "the message lacks actuator 'b', must have all in one");
    assert_eq!(refused(&message("")), "the message lacks actuator 'a', must have all in one");
    assert_eq!(refused(&message("a b a")), "it has 'a' twice");
}

#[test]
fn values_that_are_none_are_refused() {
    let with = |change: fn(&mut StatesMessage)| {
        let mut message = message("a b");
        change(&mut message);
        refused(&message)
    };
    assert_eq!(with(|message| message.positions[1] = f64::NAN), "the position of 'b' is NaN, must be finite");
    assert_eq!(
        with(|message| message.velocities[0] = f64::INFINITY),
        "the velocity of 'a' is inf, must be finite"
    );
    assert_eq!(
        with(|message| message.efforts = vec![1.0, f64::INFINITY]),
        "the effort of 'b' is inf, must be finite"
    );
    assert_eq!(
        with(|message| message.velocities.clear()),
        "it has 0 velocities, must have 2, one for each name"
    );
    assert_eq!(
        with(|message| message.efforts = vec![1.0]),
        "it has 1 efforts, must have 2, one for each name"
    );
}

#[test]
fn of_other_joints_and_of_what_is_not_measured_nothing_is_read() {
    let monitor =
        |velocity, effort| monitor().of_joints(names("elbow"), Measures { velocity, effort: Some(effort) });
    let mut given = message("elbow b a");
    (given.positions[0], given.velocities[0]) = (f64::NAN, f64::NAN);
    given.efforts = vec![f64::NAN; 3];
    let sample = monitor(true, false).receive(&Clock::default(), &given).unwrap();
    assert_eq!(sample.actuators[0], ActuatorSample { position: 3.0, velocity: 3.0, effort: None });
    let refused = |velocity, effort, message: &StatesMessage| {
        monitor(velocity, effort).receive(&Clock::default(), message).unwrap_err().0.to_string()
    };
    assert_eq!(refused(true, true, &given), "the effort of 'a' is NaN, must be finite");
    given.velocities = Vec::new();
    assert_eq!(refused(true, false, &given), "it has 0 velocities, must have 3, one for each name");
    assert_eq!(monitor(false, false).receive(&Clock::default(), &given).unwrap().actuators[1].velocity, 0.0);
    given.efforts.clear();
    assert_eq!(refused(false, true, &given), "it has 0 efforts, must have 3, one for each name");
    assert_eq!(refused(false, false, &message("a")), "the message lacks joint 'b', must have all in one");
    assert_eq!(
        refused(false, false, &message("a b wrist")),
        "it has 'wrist', which is not one of the robot's joints and not one of its others"
    );
    assert_eq!(refused(false, false, &message("elbow a b elbow")), "it has 'elbow' twice");
}

#[test]
fn states_that_are_not_fresh_are_refused() {
    let mut monitor = monitor();
    let now = Instant::from_millis(10_000);
    let mut clock = Clock::default();
    clock.pass_to(now, None);
    clock.read(now, Stamp { sec: 100, nanosec: 0 });
    let at = |sec, nanosec| StatesMessage { stamp: Stamp { sec, nanosec }, ..message("a b") };
    let mut text =
        |message: &StatesMessage| monitor.receive(&clock, message).map_err(|(error, _)| error.to_string());
    assert_eq!(text(&at(98, 0)), Err("it is 2.000 s old, must be younger than 100ms".to_owned()));
    assert_eq!(
        text(&at(101, 0)),
        Err("its stamp is 1.000 s ahead of the clock, must be 0.1 s at most".to_owned())
    );
    let sample = text(&at(99, 950_000_000)).unwrap();
    assert_eq!(sample.time.age(now), Duration::from_millis(50));
    assert_eq!(
        text(&at(99, 940_000_000)),
        Err("its stamp is older than that of the message before".to_owned())
    );
}

#[test]
fn of_wrong_messages_between_good_ones_users_are_told_once_a_second_and_kind() {
    let (mut monitor, mut clock, mut reported) = (monitor(), Clock::default(), Vec::new());
    for millis in 0..3000 {
        clock.pass_to(Instant::from_millis(millis), None);
        assert!(monitor.receive(&clock, &message("a b")).is_ok());
        for wrong in ["a", "a b a"] {
            let (_, is_other) = monitor.receive(&clock, &message(wrong)).unwrap_err();
            reported.extend(is_other.then_some((millis, wrong)));
        }
    }
    let expected = [0, 1000, 2000].map(|millis| [(millis, "a"), (millis, "a b a")]);
    assert_eq!(reported, expected.as_flattened());
}

#[test]
fn nothing_counts_beside_a_second_publisher() {
    let mut monitor = monitor();
    let states = message("a b");
    assert!(
        !monitor.count("hardware/joint_states", PublisherCount::of(1))
            && !monitor.count("motor/port", PublisherCount::of(0))
    );
    assert!(monitor.receive(&Clock::default(), &states).is_ok());
    assert!(monitor.count("motor/port", PublisherCount::of(2)));
    let (error, is_other) = monitor.receive(&Clock::default(), &states).unwrap_err();
    assert_eq!((error.to_string().as_str(), is_other), ("'motor/port' has 2 publishers, must have 1", true));
    assert!(!monitor.receive(&Clock::default(), &states).unwrap_err().1, "it is reported once");
    assert_eq!(monitor.obstacle().as_deref(), Some("'motor/port' has 2 publishers, must have 1"));
    assert!(!monitor.count("motor/port", PublisherCount::of(1)));
    assert!(monitor.receive(&Clock::default(), &states).is_ok());
    assert!(
        monitor.count("motor/port", PublisherCount::Unknown),
        "a graph that cannot be read proves nothing"
    );
}

#[test]
fn why_no_states_count_is_said_and_does_not_change_with_their_age() {
    let mut monitor = monitor();
    assert_eq!(monitor.absence(), "no states came on 'hardware/joint_states' within 100ms");
    assert!(
        !monitor.count("motor/port", PublisherCount::of(0))
            && !monitor.count("hardware/joint_states", PublisherCount::of(0))
    );
    assert_eq!(monitor.absence(), "nothing publishes 'hardware/joint_states'");
    assert!(!monitor.count("hardware/joint_states", PublisherCount::of(1)));
    let mut clock = Clock::default();
    clock.pass_to(Instant::from_millis(1), None);
    clock.read(clock.now(), Stamp { sec: 100, nanosec: 0 });
    for sec in [98, 97, 96] {
        let old = StatesMessage { stamp: Stamp { sec, nanosec: 0 }, ..message("a b") };
        assert!(monitor.receive(&clock, &old).is_err());
        assert_eq!(monitor.absence(), "it is 2.000 s old, must be younger than 100ms");
    }
    assert!(monitor.receive(&clock, &message("a")).is_err());
    assert_eq!(monitor.absence(), "the message lacks actuator 'b', must have all in one");
    assert!(monitor.count("motor/port", PublisherCount::of(2)));
    assert_eq!(monitor.absence(), "'motor/port' has 2 publishers, must have 1");
}

#[test]
fn what_keeps_the_motors_halted_is_said_with_its_reason() {
    let mut monitor = monitor();
    let link = |is_silent, losses| LinkState { is_silent, losses };
    assert!(!monitor.report(link(true, 0)));
    assert_eq!(monitor.obstacle().unwrap(), "the robot's states on 'hardware/joint_states' are awaited");
    assert!(!monitor.report(link(false, 0)));
    assert_eq!(monitor.obstacle(), None);
    let _ = monitor.receive(&Clock::default(), &message("a"));
    assert!(monitor.report(link(true, 1)) && !monitor.report(link(true, 1)));
    assert_eq!(
        monitor.obstacle().unwrap(),
        "the robot's states on 'hardware/joint_states' are lost: none counted within 100ms; the last message did not count: the \
         message lacks actuator 'b', must have all in one"
    );
}

#[test]
fn an_effort_that_is_nan_is_not_measured() {
    let mut given = message("a b");
    given.efforts = vec![f64::NAN, 2.0];
    let sample = monitor().receive(&Clock::default(), &given).unwrap();
    assert_eq!(sample.actuators.iter().map(|one| one.effort).collect::<Vec<_>>(), [None, Some(2.0)]);
}

#[test]
fn what_the_robot_does_not_have_is_ignored_and_named_once() {
    let mut monitor = monitor();
    let mut given = message("gripper a b tool tool");
    (given.positions[0], given.velocities[4]) = (f64::NAN, f64::NAN);
    for news in [Some("gripper, tool"), None] {
        let sample = monitor.receive(&Clock::default(), &given).unwrap();
        assert_eq!(sample.actuators[1].position, 3.0);
        assert_eq!(monitor.newly_ignored().as_deref(), news);
    }
}

/// A monitor of two actuators of 3 rad/s, the second one of a joint without an end, whose states are not lost.
struct Arm {
    monitor: StateMonitor,
    now: u64,
    is_stamped: bool,
}

impl Arm {
    fn new(is_stamped: bool) -> Self {
        let bounds = [None, Some(core::f64::consts::TAU)].map(|turn| SpeedBound { speed: 3.0, turn });
        let monitor = monitor().within(bounds.into());
        let mut arm = Self { monitor, now: 1000, is_stamped };
        assert!(arm.at(1.6, 0.0).is_ok());
        arm.monitor.report(LinkState { is_silent: false, losses: 0 });
        arm
    }

    /// The next states, 4 ms after the ones before.
    fn at(&mut self, a: f64, b: f64) -> Result<(), String> {
        self.moving(a, b, 1.0)
    }

    /// The next states, 4 ms after the ones before, with the second actuator at `speed`.
    fn moving(&mut self, a: f64, b: f64, speed: f64) -> Result<(), String> {
        self.now += 4;
        let (now, millis) = (Instant::from_millis(self.now), Duration::from_millis(self.now));
        let mut clock = Clock::default();
        clock.pass_to(now, None);
        clock.read(now, Stamp::of(millis));
        let stamp = if self.is_stamped { Stamp::of(millis) } else { Stamp::ZERO };
        let message =
            StatesMessage { stamp, positions: vec![a, b], velocities: vec![0.0, speed], ..message("a b") };
        self.monitor.receive(&clock, &message).map(|_| ()).map_err(|(error, _)| error.to_string())
    }
}

#[test]
fn one_message_of_zeros_does_not_count_and_the_true_ones_go_on() {
    for is_stamped in [true, false] {
        let mut arm = Arm::new(is_stamped);
        for number in 0..1000 {
            let position = 1.6 + 0.002 * f64::from(number % 50);
            assert_eq!(arm.at(position, position - 1.6), Ok(()), "{number}");
            if number % 7 == 3 {
                let error = arm.at(0.0, 0.0).unwrap_err();
                assert!(error.starts_with("the position of 'a' moved by 1.6"), "{error}");
                if number % 2 == 0 {
                    assert!(arm.at(0.0, 0.0).is_err(), "two of them");
                }
            }
        }
    }
    let error = Arm::new(true).at(0.0, 0.0).unwrap_err();
    // 2 · 3 rad/s · (4 + 20) ms
    let sentence =
        "the position of 'a' moved by 1.6000 in 0.004 s, must be 0.1440 at most, by twice its limit of speed";
    assert_eq!(error, sentence);
}

#[test]
fn a_jump_that_persists_does_not_count_until_the_states_are_lost() {
    // After 21 ms a joint of 3 rad/s could be 0.25 rad away, and yet none of these count.
    for away in [0.15, 0.25, 0.5, 3.0] {
        let mut arm = Arm::new(true);
        for number in 0..60 {
            assert!(arm.at(1.6 - away, 0.0).is_err(), "{away} {number}");
        }
        arm.monitor.report(LinkState { is_silent: true, losses: 1 });
        assert_eq!(arm.at(1.6 - away, 0.0), Ok(()), "the robot was started again, and is there");
        arm.monitor.report(LinkState { is_silent: false, losses: 1 });
        assert!(arm.at(1.6 - away, 0.0).is_ok() && arm.at(1.6 + away, 0.0).is_err());
    }
}

#[test]
fn a_speed_beyond_twice_the_limit_does_not_count() {
    let mut arm = Arm::new(true);
    for speed in [6.0, -6.0] {
        assert_eq!(arm.moving(1.6, 0.0, speed), Ok(()));
    }
    for speed in [6.01, -100.0] {
        let error = format!("the speed of 'b' is {speed:.4}, must be 6.0000 at most, twice its limit");
        assert_eq!(arm.moving(1.6, 0.0, speed), Err(error));
    }
    assert_eq!(arm.at(1.6, 0.0), Ok(()));
}

#[test]
fn a_jump_that_begins_with_a_speed_that_lies_does_not_count_later() {
    let mut arm = Arm::new(true);
    for number in 0..200 {
        let speed = if number < 80 { 50.0 } else { 0.0 };
        assert!(arm.moving(1.6, 1.5, speed).is_err(), "{number}");
    }
}

#[test]
fn a_joint_without_an_end_may_begin_its_turn_anew() {
    let mut arm = Arm::new(true);
    let pi = core::f64::consts::PI;
    for step in 0..2000 {
        let angle = 0.012 * f64::from(step);
        assert_eq!(arm.at(1.6, (angle + pi).rem_euclid(2.0 * pi) - pi), Ok(()), "{step}");
    }
    assert!(Arm::new(true).at(1.6, 1.0).is_err(), "1 rad is a jump all the same");
}

#[test]
fn states_that_waited_together_count_at_the_limit_of_speed() {
    // Ten messages of 20 Hz without a stamp come within 10 ms, from a joint at its limit of speed.
    let mut arm = Arm::new(false);
    for step in 1..=10 {
        arm.now -= 3;
        assert_eq!(arm.at(1.6 + 3.0 * 0.05 * f64::from(step), 0.0), Ok(()), "{step}");
    }
}

#[test]
fn positions_that_do_not_change_at_a_speed_are_lost() {
    let bound = SpeedBound { speed: 20.0, turn: None };
    let refused_at = |velocity: f64, moves: bool| {
        let mut monitor = monitor().within(vec![bound; 2]);
        monitor.report(LinkState { is_silent: false, losses: 0 });
        let mut clock = Clock::default();
        (0..500).find_map(|number| {
            clock.pass_to(Instant::from_millis(10 * number), None);
            let mut given = message("a b");
            given.positions = vec![1.0, if moves { 1e-3 * number as f64 } else { 2.0 }];
            given.velocities = vec![0.0, velocity];
            monitor.receive(&clock, &given).err().map(|(error, _)| (10 * number, error.to_string()))
        })
    };
    let sentence = |time: &str| format!("'b' has a speed, and its position has been the same for {time} s");
    // 0.6 rad, which are 0.03 s at 20 rad/s, and 0.25 s at least; the first message is the one that is repeated.
    assert_eq!(refused_at(1.0, false), Some((600, sentence("0.60"))));
    assert_eq!(refused_at(-20.0, false), Some((250, sentence("0.25"))));
    assert_eq!((refused_at(4.0, true), refused_at(0.3, false)), (None, None), "it moves; a noise");
}
