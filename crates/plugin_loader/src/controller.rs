use core::cell::Cell;
use core::ffi::c_void;

use controller_plugin::abi::{self, JointInfo, Parameter, Slice, Text, kind};
use controller_plugin::glue::text;
use mechanism::Robot;
use mechanism::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, Message, Report, Step,
};
use mechanism::robot::{Joint, JointKind};
use params::Value;
use safety::Instant;

use crate::PluginType;

/// A controller of a library.
struct PluginController {
    of: PluginType,
    instance: *mut c_void,
    /// Whether what was commanded ends before the next update.
    is_stopped: bool,
    /// The joints of a step, as they cross the border.
    joints: Cell<Vec<abi::Joint>>,
}

// SAFETY: a controller of a library may be moved to another thread, and is called by one at a time; `Controller` of
// `controller_plugin` demands it.
unsafe impl Send for PluginController {}

/// A parameter with what its pointers point to.
struct Owned {
    name: String,
    value: Value,
    integers: Vec<i64>,
    texts: Vec<Text>,
}

impl Owned {
    fn new(name: String, value: Value) -> Self {
        let (integers, texts) = match &value {
            Value::Bools(values) => (values.iter().map(|&value| i64::from(value)).collect(), Vec::new()),
            Value::Integers(values) => (values.clone(), Vec::new()),
            Value::Texts(values) => (Vec::new(), values.iter().map(|value| Text::new(value)).collect()),
            _ => (Vec::new(), Vec::new()),
        };
        Self { name, value, integers, texts }
    }

    fn parameter(&self) -> Parameter {
        let (mut integer, mut double, mut string, mut doubles) = (0, 0.0, Text::new(""), Slice::new(&[]));
        let kind = match &self.value {
            Value::Bool(value) => {
                integer = i64::from(*value);
                kind::BOOL
            }
            Value::Integer(value) => {
                integer = *value;
                kind::INTEGER
            }
            Value::Float(value) => {
                double = *value;
                kind::DOUBLE
            }
            Value::Text(value) => {
                string = Text::new(value);
                kind::TEXT
            }
            Value::Bools(_) => kind::BOOLS,
            Value::Integers(_) => kind::INTEGERS,
            Value::Floats(values) => {
                doubles = Slice::new(values);
                kind::DOUBLES
            }
            Value::Texts(_) => kind::TEXTS,
        };
        let (name, integers, texts) =
            (Text::new(&self.name), Slice::new(&self.integers), Slice::new(&self.texts));
        Parameter { name, kind, integer, double, text: string, integers, doubles, texts }
    }
}

/// The constants of `joint`, and why no controller can move it.
fn info(joint: &Joint, obstacle: &str) -> JointInfo {
    let limits = joint.limits.unwrap_or_default();
    let kind = match joint.kind {
        JointKind::Revolute => kind::REVOLUTE,
        JointKind::Continuous => kind::CONTINUOUS,
        JointKind::Prismatic => kind::PRISMATIC,
    };
    JointInfo {
        name: Text::new(&joint.name),
        kind,
        has_limits: u32::from(joint.limits.is_some()),
        lower: limits.lower,
        upper: limits.upper,
        velocity: limits.velocity,
        effort: limits.effort,
        obstacle: Text::new(obstacle),
    }
}

/// Keeps the reason of a failure.
unsafe extern "C" fn keep(context: *mut c_void, reason: Text) {
    // SAFETY: `context` is the string of `PluginType::create`, which waits for the call.
    let kept = unsafe { &mut *context.cast::<String>() };
    text(reason).clone_into(kept);
}

impl PluginType {
    /// A controller of this type for `robot`, with its `parameters` by their names without the controller's.
    /// # Errors
    /// The reason that the library gives.
    pub fn create(
        &self,
        robot: &Robot,
        parameters: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<Box<dyn Controller>, String> {
        let owned: Vec<Owned> = parameters.into_iter().map(|(name, value)| Owned::new(name, value)).collect();
        let parameters: Vec<Parameter> = owned.iter().map(Owned::parameter).collect();
        let obstacles = (0..robot.joints().len()).map(|joint| robot.obstacle(joint).unwrap_or_default());
        let obstacles: Vec<String> = obstacles.collect();
        let joints = robot.joints().iter().zip(&obstacles);
        let joints: Vec<JointInfo> = joints.map(|(joint, obstacle)| info(joint, obstacle)).collect();
        let mut reason = String::new();
        let context = (&raw mut reason).cast();
        let setup = abi::Setup {
            parameters: Slice::new(&parameters),
            joints: Slice::new(&joints),
            fail: keep,
            context,
        };
        // SAFETY: everything that the setup points to outlives the call.
        let instance = unsafe { (self.table.create)(&raw const setup) };
        if instance.is_null() {
            return Err(if reason.is_empty() { "it gives no reason".to_owned() } else { reason });
        }
        let joints = vec![abi::Joint::default(); robot.joints().len()];
        Ok(Box::new(PluginController { of: *self, instance, is_stopped: false, joints: Cell::new(joints) }))
    }
}

impl PluginController {
    /// Calls a function of the library with a step, and takes over the commands.
    fn step<T>(
        &mut self,
        step: &mut Step<'_>,
        call: impl FnOnce(&abi::Type, *mut c_void, *mut abi::Step) -> T,
    ) -> T {
        let joints = self.joints.get_mut();
        look(joints, step.robot);
        let nanos = |nanos: u128| u64::try_from(nanos).unwrap_or(u64::MAX);
        let mut wire = abi::Step {
            now: nanos(step.now.since(Instant::ZERO).as_nanos()),
            period: nanos(step.period.as_nanos()),
            joints: joints.as_mut_ptr(),
            count: joints.len(),
        };
        let outcome = call(self.of.table, self.instance, &raw mut wire);
        for (seen, joint) in joints.iter().zip(step.robot.joints_mut()) {
            joint.commanded_effort = seen.commanded_effort;
        }
        outcome
    }
}

/// Notes the state of the robot's joints.
fn look(joints: &mut [abi::Joint], robot: &Robot) {
    for (seen, joint) in joints.iter_mut().zip(robot.joints()) {
        *seen = abi::Joint {
            position: joint.position,
            velocity: joint.velocity,
            measured_effort: joint.measured_effort,
            commanded_effort: joint.commanded_effort,
            calibrated: u32::from(joint.is_calibrated),
            reserved: 0,
        };
    }
}

fn outcome(reason: Text) -> Result<(), ControllerFailure> {
    let reason = text(reason);
    if reason.is_empty() { Ok(()) } else { Err(ControllerFailure(reason)) }
}

impl Controller for PluginController {
    fn inputs(&self) -> &'static [ControllerInput] {
        self.of.inputs
    }

    fn outputs(&self) -> &'static [ControllerOutput] {
        self.of.outputs
    }

    fn receive(&mut self, input: usize, message: &mut Message, now: Instant) {
        match *message {
            Message::Float(value) => {
                let now = u64::try_from(now.since(Instant::ZERO).as_nanos()).unwrap_or(u64::MAX);
                // SAFETY: the instance is one of this type, and is called by one thread at a time.
                unsafe { (self.of.table.receive)(self.instance, input, value, now) };
            }
            // What was commanded is the library's own matter; a start ends it, and comes before the next update.
            Message::Stop => self.is_stopped = true,
            _ => {}
        }
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        let mut joints = self.joints.take();
        look(&mut joints, robot);
        // SAFETY: as above; the joints are valid during the call.
        let reason = unsafe { (self.of.table.can_start)(self.instance, Slice::new(&joints)) };
        self.joints.set(joints);
        outcome(reason)
    }

    fn starting(&mut self, step: &mut Step<'_>) {
        self.is_stopped = false;
        // SAFETY: as above; the step is valid during the call.
        self.step(step, |table, instance, step| unsafe { (table.starting)(instance, step) });
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        if self.is_stopped {
            self.stopping(step);
            self.starting(step);
        }
        // SAFETY: as above.
        outcome(self.step(step, |table, instance, step| unsafe { (table.update)(instance, step) }))
    }

    fn stopping(&mut self, step: &mut Step<'_>) {
        // SAFETY: as above.
        self.step(step, |table, instance, step| unsafe { (table.stopping)(instance, step) });
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        let (mut output, mut value) = (0, 0.0);
        // SAFETY: as above; both pointers are valid during the call.
        let has_one = unsafe { (self.of.table.report)(self.instance, &raw mut output, &raw mut value) };
        (has_one != 0).then_some((output, Report::Float(value)))
    }
}

impl Drop for PluginController {
    fn drop(&mut self) {
        // SAFETY: the instance is not used afterwards.
        unsafe { (self.of.table.destroy)(self.instance) };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use controller_plugin::{JointInfo, Setup, glue};
    use mechanism::robot::JointLimits;
    use mechanism::robot::transmission::{Coupled, Transmission};
    use safety::Coupling;

    use super::*;

    static ALIVE: AtomicUsize = AtomicUsize::new(0);

    /// It writes its command, and panics on 13.
    struct Echo {
        command: f64,
        reported: usize,
    }

    impl controller_plugin::Controller for Echo {
        const TYPE: &'static str = "test/Echo";
        const INPUTS: &'static [&'static str] = &["a", "b"];
        const OUTPUTS: &'static [&'static str] = &["x"];

        fn new(setup: &Setup<'_>) -> Result<Self, String> {
            assert!(!setup.bool("panics", false)?, "in new");
            assert_eq!(setup.integer("integer", 0, -5..=5)?, 4);
            assert_eq!(
                (setup.float("float", 0.0, -1.0..=1.0)?, setup.float("whole", 0.0, 0.0..=9.0)?),
                (0.5, 7.0)
            );
            assert_eq!(setup.float("missing", 0.25, 0.0..=1.0)?, 0.25);
            assert_eq!(
                (setup.text("text", "")?.as_str(), setup.text("missing", "x")?.as_str()),
                ("größe", "x")
            );
            assert_eq!(setup.floats("floats", 0.0..=9.0)?, [1.0, 2.0]);
            assert_eq!(setup.floats("integers", 0.0..=9.0)?, [3.0, 4.0]);
            assert_eq!(setup.texts("missing")?, Vec::<String>::new());
            assert_eq!(setup.joints("joints")?, [1, 0]);
            let expected = JointInfo {
                name: "tilt",
                kind: controller_plugin::JointKind::Revolute,
                range: Some((-1.0, 2.0)),
                velocity: Some(3.0),
                effort: Some(4.0),
                obstacle: None,
            };
            assert_eq!(setup.info(1), Some(expected));
            assert_eq!(setup.info(0).unwrap().range, None);
            assert_eq!(setup.info(3), None);
            assert_eq!(
                (setup.find_joint("hook"), setup.info(2).unwrap().obstacle),
                (Some(2), Some("it follows 'tilt'"))
            );
            assert_eq!(setup.find_joint("leg"), None);
            ALIVE.fetch_add(1, Ordering::SeqCst);
            Ok(Self { command: 0.0, reported: 0 })
        }

        fn receive(&mut self, input: usize, value: f64, now: Duration) {
            self.command = value + input as f64 * 100.0 + now.as_secs_f64();
        }

        fn can_start(&self, joints: &[controller_plugin::Joint]) -> Result<(), &'static str> {
            if joints[0].is_calibrated() { Ok(()) } else { Err("it is not calibrated") }
        }

        fn update(&mut self, step: &mut controller_plugin::Step<'_>) -> Result<(), &'static str> {
            assert!(self.command.to_bits() != 13.0_f64.to_bits(), "13");
            assert_eq!((step.now, step.period), (Duration::from_secs(2), Duration::from_millis(1)));
            let joint = &mut step.joints[1];
            assert_eq!((joint.position, joint.velocity, joint.measured_effort), (1.0, 2.0, 3.0));
            joint.commanded_effort += self.command;
            self.reported = 2;
            Ok(())
        }

        fn report(&mut self) -> Option<(usize, f64)> {
            self.reported = self.reported.checked_sub(1)?;
            Some((0, self.reported as f64))
        }
    }

    impl Drop for Echo {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Joints `pan`, `tilt`, and `hook`, which follows `tilt`.
    fn robot() -> Robot {
        let mut tilt = Joint::new("tilt", JointKind::Revolute);
        tilt.limits = Some(JointLimits { effort: 4.0, velocity: 3.0, lower: -1.0, upper: 2.0 });
        (tilt.position, tilt.velocity, tilt.measured_effort) = (1.0, 2.0, 3.0);
        tilt.commanded_effort = 0.5;
        let joints = ["pan", "hook"].map(|name| Joint::new(name, JointKind::Continuous));
        let [pan, hook] = joints;
        let (first, followers) = ((1, Coupling::default()), vec![(2, Coupling::default())]);
        let coupled =
            Transmission::Coupled(Box::new(Coupled { actuator: 0, reduction: 1.0, first, followers }));
        Robot::from_parts(vec![pan, tilt, hook], Vec::new(), vec![coupled])
    }

    fn create(more: &[(&str, Value)]) -> Result<Box<dyn Controller>, String> {
        let table = Box::leak(Box::new(glue::table::<Echo>()));
        let mut parameters = vec![
            ("type", Value::Text("test/Echo".into())),
            ("integer", Value::Integer(4)),
            ("float", Value::Float(0.5)),
            ("whole", Value::Integer(7)),
            ("text", Value::Text("größe".into())),
            ("floats", Value::Floats(vec![1.0, 2.0])),
            ("integers", Value::Integers(vec![3, 4])),
            ("joints", Value::Texts(vec!["tilt".into(), "pan".into()])),
        ];
        parameters.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
        parameters.extend_from_slice(more);
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value));
        PluginType::new(table, std::path::Path::new("")).create(&robot(), parameters)
    }

    #[test]
    fn everything_crosses_the_border() {
        glue::silence_panics_in_the_loop(); // as a library does when it is loaded
        let mut controller = create(&[]).unwrap();
        let names: Vec<_> = controller.inputs().iter().map(|input| input.name).collect();
        assert_eq!(names, ["a", "b"]);
        let outputs: Vec<_> = controller.outputs().iter().map(|output| output.name).collect();
        assert_eq!(outputs, ["x"]);
        let mut robot = robot();
        let (now, period) = (Instant::from_millis(2000), Duration::from_millis(1));
        assert_eq!(controller.can_start(&robot), Err(ControllerFailure("it is not calibrated")));
        robot.joints_mut()[0].is_calibrated = true;
        assert_eq!(controller.can_start(&robot), Ok(()));
        let mut step = Step { now, period, robot: &mut robot };
        controller.starting(&mut step);
        controller.receive(1, &mut Message::Float(7.0), now);
        assert_eq!(controller.update(&mut step), Ok(()));
        assert_eq!(step.robot.joints()[1].commanded_effort, 0.5 + 7.0 + 100.0 + 2.0);
        assert_eq!(controller.report(), Some((0, Report::Float(1.0))));
        assert_eq!(controller.report(), Some((0, Report::Float(0.0))));
        assert_eq!(controller.report(), None);
        controller.stopping(&mut step);
        // After a panic it is not called any more.
        controller.receive(0, &mut Message::Float(11.0), now);
        let panicked = controller.update(&mut step).unwrap_err();
        let place = format!("it panicked at {}:", file!());
        let number = panicked.0.strip_prefix(&place).and_then(|rest| rest.split_once(';'));
        assert!(number.is_some_and(|(line, _)| line.parse::<u32>().is_ok()), "{panicked}");
        assert!(panicked.0.ends_with("; unload it and load it again"), "{panicked}");
        controller.starting(&mut step);
        assert_eq!(controller.can_start(step.robot), Err(panicked));
        drop(controller);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0, "it is dropped");
        let error = |name, value| create(&[(name, value)]).map(drop).unwrap_err();
        assert_eq!(error("panics", Value::Bool(true)), "it panicked");
        assert_eq!(error("panics", Value::Integer(1)), "parameter 'panics' must be a boolean");
        assert_eq!(error("float", Value::Float(f64::NAN)), "parameter 'float' is NaN, must be -1 to 1");
        assert_eq!(
            error("floats", Value::Floats(vec![1.0, 10.0])),
            "parameter 'floats' has 10, must be 0 to 9 each"
        );
        assert_eq!(error("integer", Value::Integer(6)), "parameter 'integer' is 6, must be -5 to 5");
        assert_eq!(error("text", Value::Bool(true)), "parameter 'text' must be a string");
        assert!(
            error("txet", Value::Bool(true))
                .starts_with("parameter 'txet' does not exist, there are: type, ")
        );
        let expected = "parameter 'joints' is 'leg', must be a joint with a transmission: pan, tilt, hook";
        assert_eq!(error("joints", Value::Texts(vec!["leg".into()])), expected);
        let expected =
            "parameter 'joints' is 'hook', must be a joint that an actuator moves: it follows 'tilt'";
        assert_eq!(error("joints", Value::Texts(vec!["hook".into()])), expected);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0, "what was made before a refusal is dropped");
    }
}
