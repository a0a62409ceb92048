use safety::Machine;

use super::*;
use crate::vehicle::record::STAND;

const LENGTH: Duration = Duration::from_secs(20);

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn operator(headless: bool) -> Operator {
    Operator::new(Plan { course: Course::new(LENGTH), headless, virtual_stick: true })
}

/// Delivers each node's first message to the operator.
fn start(operator: &mut Operator, now: Instant) {
    for input in [
        Input::RobotMoved(Pose::default()),
        Input::ScalingReceived([1.0; 16]),
        Input::StickMoved(Stick::REST),
        Input::SourceChanged("nobody".into()),
        Input::StateReceived("ESTOP".into()),
        Input::PortSent(90),
        Input::StarboardSent(90),
    ] {
        operator.handle(now, input);
    }
}

fn drain(operator: &mut Operator, now: Instant) -> Vec<Output> {
    std::iter::from_fn(|| operator.poll(now)).collect()
}

/// Polls at each deadline up to `until` and returns all outputs with their times \[ms\].
fn run(operator: &mut Operator, from: u64, until: u64) -> Vec<(u64, Output)> {
    let (mut outputs, mut now) = (Vec::new(), at(from));
    while now < at(until) {
        outputs.extend(drain(operator, now).into_iter().map(|output| (now.as_nanos() / 1_000_000, output)));
        let next = operator.deadline().unwrap_or(at(until));
        assert!(next > now, "a deadline that has passed keeps the thread spinning");
        now = next;
    }
    outputs
}

/// The values that `pick` selects, without repetitions.
fn changes<T: PartialEq + Copy>(outputs: &[(u64, Output)], pick: fn(&Output) -> Option<T>) -> Vec<(u64, T)> {
    let mut picked: Vec<(u64, T)> = outputs.iter().filter_map(|(at, o)| Some((*at, pick(o)?))).collect();
    picked.dedup_by(|b, a| a.1 == b.1);
    picked
}

fn enable(output: &Output) -> Option<bool> {
    if let Output::Enable(on) = output { Some(*on) } else { None }
}

fn reset(output: &Output) -> Option<bool> {
    if let Output::Reset(on) = output { Some(*on) } else { None }
}

fn estop(output: &Output) -> Option<bool> {
    if let Output::Estop(on) = output { Some(*on) } else { None }
}

fn plugged(output: &Output) -> Option<bool> {
    if let Output::Stick(stick) = output { Some(stick.is_some()) } else { None }
}

#[test]
fn nothing_is_enabled_before_every_node_has_published() {
    let mut operator = operator(true);
    let outputs = run(&mut operator, 0, 1000);
    assert!(matches!(operator.pilot, Pilot::Starting));
    assert_eq!(changes(&outputs, enable), [(0, false)]);
    // Repeated every 100 ms: 0, 100, ... 900.
    assert_eq!(outputs.iter().filter(|(_, output)| enable(output).is_some()).count(), 10);
}

#[test]
fn the_course_makes_the_edges_in_order() {
    let mut operator = operator(true);
    start(&mut operator, at(0));
    let outputs = run(&mut operator, 0, 20_001);
    // In percent of 20 s: reset 5 to 8, enable 12; e-stop 16+6+11+10+4+9 = 56 to 62; all released at 67, reset to 70; enable 73
    // to 94; unplugged 33 to 43.
    assert_eq!(
        changes(&outputs, reset),
        [(0, false), (1000, true), (1600, false), (13_400, true), (14_000, false)]
    );
    assert_eq!(
        changes(&outputs, enable),
        [(0, false), (2400, true), (13_400, false), (14_600, true), (18_800, false)]
    );
    assert_eq!(changes(&outputs, estop), [(0, false), (11_200, true), (12_400, false)]);
    assert_eq!(changes(&outputs, plugged), [(0, true), (6600, false), (8600, true)]);
    assert!(matches!(operator.pilot, Pilot::Finished(end) if end == at(20_000)));
}

#[test]
fn navigation_publishes_twenty_times_a_second_with_the_clock_s_stamp() {
    let mut operator = operator(false);
    let clock = Stamp { sec: 5, nanosec: 0 };
    operator.handle(at(0), Input::ClockRead(clock.into()));
    operator.handle(at(0), Input::KeyPressed(KeyCode::Char('n')));
    let commands: Vec<_> = run(&mut operator, 0, 1000)
        .into_iter()
        .filter_map(|(_, o)| if let Output::Navigate(command) = o { Some(command) } else { None })
        .collect();
    assert_eq!(commands.len(), 20);
    assert!(commands.iter().all(|command| command.stamp == clock));
    assert!(commands[0].velocity.is_zero(), "it begins with a zero");
    assert!(commands[1..].iter().all(|command| command.velocity.forward() == 0.4));
    operator.handle(at(1000), Input::KeyPressed(KeyCode::Char('n')));
    let last = drain(&mut operator, at(1000)).into_iter().find_map(|output| match output {
        Output::Navigate(command) => Some(command.velocity),
        _ => None,
    });
    assert_eq!(last, Some(safety::Velocity::ZERO), "and ends with one");
}

#[test]
fn the_course_waits_for_a_key_and_a_key_takes_over() {
    let mut operator = operator(false);
    start(&mut operator, at(0));
    run(&mut operator, 0, 5000);
    assert!(matches!(operator.pilot, Pilot::Waiting(_)));
    run(&mut operator, 5000, 10_000);
    assert!(matches!(operator.pilot, Pilot::Script(_)));
    assert!(operator.operator_input().enable);
    operator.handle(at(10_000), Input::KeyPressed(KeyCode::Up));
    let outputs = drain(&mut operator, at(10_000));
    assert!(outputs.contains(&Output::Stick(Some(Stick::pushed(0.8, 0.0)))), "{outputs:?}");
    run(&mut operator, 10_000, 60_000);
    assert!(matches!(operator.pilot, Pilot::Keyboard(_)), "the course does not come back");
    assert_eq!(operator.operator_input().stick, Some(Stick::REST));
}

#[test]
fn without_a_virtual_stick_the_course_never_drives() {
    let plan = Plan { course: Course::new(LENGTH), headless: false, virtual_stick: false };
    let mut operator = Operator::new(plan);
    start(&mut operator, at(0));
    let outputs = run(&mut operator, 0, 30_000);
    assert!(matches!(operator.pilot, Pilot::Waiting(_)));
    assert!(outputs.iter().all(|(_, output)| plugged(output).is_none()), "a real stick is not moved");
}

#[test]
fn the_course_begins_again_on_the_screen() {
    let mut operator = operator(false);
    start(&mut operator, at(0));
    run(&mut operator, 0, 26_050);
    let Pilot::Script(leg) = operator.pilot else { panic!("{:?}", operator.pilot) };
    assert_eq!((leg.began, operator.step()), (at(25_000), Some(Step::Reset)));
}

#[test]
fn the_record_begins_with_the_present_state_and_holds_changes_only() {
    let mut operator = operator(true);
    operator.handle(at(0), Input::PortSent(80));
    start(&mut operator, at(0));
    drain(&mut operator, at(0));
    for value in [90, 85, 85] {
        operator.handle(at(1), Input::PortSent(value));
        operator.handle(at(1), Input::StateReceived("ESTOP".into()));
    }
    operator.handle(at(1), Input::RobotMoved(Pose { point: [0.005, 0.0], heading: 0.0 }));
    operator.handle(at(2), Input::RobotMoved(Pose { point: [0.011, 0.0], heading: 0.0 }));
    let changes: Vec<_> = operator.record.iter().map(|(_, change)| change.clone()).collect();
    assert_eq!(
        changes,
        [
            Change::Step(Step::Boot),
            Change::Motors(STAND),
            Change::Travelled(0.0),
            Change::State("ESTOP".into()),
            Change::Source("nobody".into()),
            Change::Motors([85, 90]),
            Change::Travelled(0.011),
        ]
    );
}

#[test]
fn only_the_stick_s_commands_have_a_latency() {
    let mut operator = operator(true);
    let sent = Input::CommandSent(Stage::Hindbrain, Stamp { sec: 1, nanosec: 0 });
    operator.handle(at(0), Input::ClockRead(Stamp { sec: 2, nanosec: 0 }.into()));
    operator.handle(at(0), Input::SourceChanged("navigation".into()));
    operator.handle(at(0), sent.clone());
    assert_eq!(operator.traffic(Stage::Hindbrain).latency.quantiles(), None);
    operator.handle(at(0), Input::SourceChanged("joystick".into()));
    operator.handle(at(0), sent);
    // 2 s - 1 s
    assert_eq!(operator.traffic(Stage::Hindbrain).latency.quantiles().map(|q| q.max), Some(1e6));
    assert_eq!(operator.traffic(Stage::VelocityArbiter).states.len(), 2);
}

#[test]
fn stopping_releases_everything_and_ends() {
    let mut operator = operator(false);
    for key in [KeyCode::Char('e'), KeyCode::Char('n'), KeyCode::Char(' '), KeyCode::Up] {
        operator.handle(at(0), Input::KeyPressed(key));
    }
    drain(&mut operator, at(0));
    operator.handle(at(10), Input::Stopping);
    let outputs = drain(&mut operator, at(10));
    let rest =
        [Output::Estop(true), Output::Enable(false), Output::Reset(false), Output::Stick(Some(Stick::REST))];
    assert_eq!(outputs, rest, "stopping does not release a pressed e-stop");
    operator.handle(at(20), Input::KeyPressed(KeyCode::Char('e')));
    assert_eq!((drain(&mut operator, at(1000)), operator.deadline()), (vec![], None));
}
