//! The questions, as a machine: inputs from device and user go in; sentences and finally a mapping come out. It knows
//! neither SDL nor a clock.

use std::collections::VecDeque;
use std::time::Duration;

use crate::calibration::AxisMap;
use crate::mapping::Mapping;
use crate::questions::{Input, Needed, Output, QUESTIONS, Question};
use crate::stick::{Stick, Throw};

/// Asks for one axis or button at a time.
pub struct Mapper {
    stick: Stick,
    buttons: usize,
    mapping: Mapping,
    timeout: Duration,
    /// Whether lines may arrive before their question, as from a pipe.
    keep_lines: bool,
    kept_lines: usize,
    question: usize,
    step: Step,
    /// When the question was last asked.
    asked: Duration,
    output: VecDeque<Output>,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Measures all axes at rest since this time.
    Rest(Duration),
    /// Waits for the first end of an axis or, with the first throw, for the other end.
    Move(Option<Throw>),
    /// Waits until the axis, released at `since`, is at rest; then continues with `then`.
    WaitForRest {
        axis: usize,
        since: Duration,
        then: Then,
    },
    /// Waits for a button, or for its release.
    Press(Option<usize>),
    Over,
}

#[derive(Debug, Clone, Copy)]
enum Then {
    OtherEnd(Throw),
    Next(Throw, Option<Throw>),
}

/// How long axes are measured at rest.
const REST: Duration = Duration::from_secs(2);
/// How long an axis may take to come to rest after its release.
const REST_TIME: Duration = Duration::from_millis(400);
/// An axis counts as moved beyond this part of its range, and as released below the other.
const FULL_THROW: f64 = 0.6;
const RELEASED: f64 = 0.2;
/// Two axes that moved by similar distances cannot be distinguished.
const SIMILAR: f64 = 0.8;
/// A larger dead zone is reported.
const LARGE_DEAD_ZONE: f64 = 0.2;
/// The maximum number of axes and of buttons that the node reads.
const MOST: usize = 16;

impl Mapper {
    /// Starts with the device's positions at the connection, its number of buttons, the timeout of a question, and
    /// whether lines may arrive before their question.
    pub fn new(stick: Stick, buttons: usize, now: Duration, timeout: Duration, keep_lines: bool) -> Self {
        let mut mapper = Self {
            stick,
            buttons,
            mapping: Mapping::default(),
            timeout,
            keep_lines,
            kept_lines: 0,
            question: 0,
            step: Step::Rest(now),
            asked: now,
            output: VecDeque::new(),
        };
        if mapper.stick.len() < 2 {
            let axes = mapper.stick.len();
            mapper.fail(format!("The device has {axes} axes; driving takes two."));
        } else if buttons == 0 {
            mapper.fail("The device has no button that could be the dead-man button.".into());
        } else {
            mapper.print("Release everything, and do not touch the device for two seconds.");
            mapper.stick.reset_range();
        }
        mapper
    }

    /// Handles one input.
    pub fn handle(&mut self, now: Duration, input: Input) {
        match input {
            _ if matches!(self.step, Step::Over) => {}
            Input::Gone => self.fail("The device was unplugged.".into()),
            Input::Quit => self.fail("Ended by the user.".into()),
            Input::Enter => self.enter(now),
            Input::Axis(axis, value) => {
                self.stick.axis(axis, value);
                self.moved(now);
            }
            Input::Hat(hat, state) => {
                self.stick.hat(hat, state);
                self.moved(now);
            }
            Input::Button(button, pressed) => self.pressed(now, button, pressed),
        }
    }

    /// Advances the time; to be called about ten times a second.
    pub fn tick(&mut self, now: Duration) {
        match self.step {
            Step::Over => {}
            Step::Rest(since) if now.saturating_sub(since) >= REST => match self.stick.rests() {
                Ok(()) => self.ask(now),
                Err(_) if now.saturating_sub(self.asked) >= self.timeout => {
                    self.fail("The device does not come to rest.".into());
                }
                Err(axis) => {
                    self.print(format!("Axis {axis} moved. Release everything for another two seconds."));
                    self.stick.reset_range();
                    self.step = Step::Rest(now);
                }
            },
            Step::WaitForRest { axis, since, then } if now.saturating_sub(since) >= REST_TIME => {
                self.came_to_rest(now, axis, then);
            }
            _ if now.saturating_sub(self.asked) < self.timeout => {}
            Step::Move(None) | Step::Press(None) if self.needed() == Needed::No => {
                self.print("No answer: skipped.");
                self.next(now);
            }
            _ => self.fail(format!("No answer for {} s.", self.timeout.as_secs())),
        }
    }

    /// The next output, until there is none.
    pub fn poll(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    fn needed(&self) -> Needed {
        QUESTIONS.get(self.question).map_or(Needed::No, |(_, needed)| *needed)
    }

    /// Asks the current question, or ends.
    fn ask(&mut self, now: Duration) {
        self.asked = now;
        self.stick.reset_range();
        let Some((question, needed)) = QUESTIONS.get(self.question) else {
            self.step = Step::Over;
            self.output.push_back(Output::Done(std::mem::take(&mut self.mapping)));
            return;
        };
        let pointless = match question {
            Question::Axis(_) => self.mapping.axes.len() >= self.stick.len(),
            Question::Button(_) => self.mapping.buttons.len() >= self.buttons,
        };
        if *needed == Needed::No && (pointless || self.use_kept_line()) {
            self.next(now);
            return;
        }
        let or_skip = if *needed == Needed::No { " (or press Enter for none)" } else { "" };
        match question {
            Question::Axis(motion) => {
                let [end, _] = motion.ends();
                let verb = motion.verb();
                self.print(format!(
                    "To {verb} {end}: move the stick for it all the way, then release it{or_skip}."
                ));
                self.step = Step::Move(None);
            }
            Question::Button(switch) => {
                self.print(format!("Press and release {}{or_skip}.", switch.name()));
                self.step = Step::Press(None);
            }
        }
    }

    fn next(&mut self, now: Duration) {
        self.question += 1;
        self.ask(now);
    }

    /// Prints why an answer does not count, and waits for another.
    fn repeat(&mut self, now: Duration, why: impl Into<String>) {
        self.print(why);
        self.asked = now;
        self.stick.reset_range();
    }

    fn use_kept_line(&mut self) -> bool {
        let is_there = self.kept_lines > 0;
        self.kept_lines = self.kept_lines.saturating_sub(1);
        is_there
    }

    fn enter(&mut self, now: Duration) {
        match self.step {
            Step::Move(None) | Step::Press(None) if self.needed() == Needed::No => {
                self.print("None.");
                self.next(now);
            }
            _ if self.keep_lines => self.kept_lines += 1,
            Step::Move(_) | Step::Press(_) => {
                self.print("This one is needed. (q and Enter ends, and writes nothing.)")
            }
            _ => {}
        }
    }

    fn moved(&mut self, now: Duration) {
        match self.step {
            Step::Move(first) => self.check_throws(now, first),
            // Noise counts as rest; an axis that is moved again does not.
            Step::WaitForRest { axis, then, .. } if self.stick.part(axis) > RELEASED => {
                self.step = Step::WaitForRest { axis, since: now, then };
            }
            _ => {}
        }
    }

    /// Checks whether an axis was moved all the way and released.
    fn check_throws(&mut self, now: Duration, first: Option<Throw>) {
        let throws = self.stick.throws();
        let Some(throw) = throws.first().copied() else { return };
        if throw.part < FULL_THROW || self.stick.part(throw.axis) > RELEASED {
            return;
        }
        if let Some(other) = throws.get(1)
            && other.part >= SIMILAR * throw.part
        {
            // The other axis may not be released yet; the next measurement must start with both at rest.
            if self.stick.part(other.axis) <= RELEASED {
                self.repeat(
                    now,
                    format!("Axes {} and {} both moved; move one only.", throw.axis, other.axis),
                );
            }
            return;
        }
        if let Err(why) = self.check_axis(throw, first) {
            self.repeat(now, why);
            return;
        }
        let then = match first {
            Some(first) => Then::Next(first, Some(throw)),
            None if self.stick.has_range(throw.axis, throw.value < self.stick.center(throw.axis)) => {
                Then::OtherEnd(throw)
            }
            None => Then::Next(throw, None),
        };
        self.step = Step::WaitForRest { axis: throw.axis, since: now, then };
    }

    /// Checks whether the axis can be the answer.
    fn check_axis(&self, throw: Throw, first: Option<Throw>) -> Result<(), String> {
        let Throw { axis, value, .. } = throw;
        if axis >= MOST {
            return Err(format!("That is axis {axis}; the node reads the first {MOST} only. Use another."));
        }
        if let Some((motion, _)) = self.mapping.axes.iter().find(|(_, map)| map.axis == axis) {
            let [end, _] = motion.ends();
            let verb = motion.verb();
            return Err(format!("Axis {axis} is already used to {verb} {end}. Use another."));
        }
        let Some(first) = first else { return Ok(()) };
        let center = self.stick.center(axis);
        if axis != first.axis {
            Err(format!("That is axis {axis}, the other end was axis {}. Use the same.", first.axis))
        } else if (value > center) == (first.value > center) {
            Err("That is the same end once more. Move it the other way.".into())
        } else {
            Ok(())
        }
    }

    fn came_to_rest(&mut self, now: Duration, axis: usize, then: Then) {
        self.stick.widen_rest(axis);
        match (then, QUESTIONS.get(self.question)) {
            (Then::OtherEnd(first), Some((Question::Axis(motion), _))) => {
                let [_, end] = motion.ends();
                let verb = motion.verb();
                self.print(format!("Axis {axis}. Now to {verb} {end}: all the way, then release it."));
                self.asked = now;
                self.stick.reset_range();
                self.step = Step::Move(Some(first));
            }
            (Then::Next(positive, negative), Some((Question::Axis(motion), _))) => {
                let map = AxisMap::measured(&self.stick, positive, negative);
                let one_way =
                    if negative.is_none() { ", one way only since it rests at its end" } else { "" };
                self.print(format!(
                    "Axis {axis}{one_way}: {} to {}, at rest {}, dead zone {:.0} %.",
                    map.min,
                    map.max,
                    map.center,
                    100.0 * map.dead_zone
                ));
                if map.dead_zone > LARGE_DEAD_ZONE {
                    self.print(
                        "It does not return to the same position: a worn stick, or one without a spring.",
                    );
                }
                self.mapping.axes.push((*motion, map));
                self.next(now);
            }
            _ => self.next(now),
        }
    }

    fn pressed(&mut self, now: Duration, button: usize, pressed: bool) {
        let Step::Press(held) = self.step else { return };
        match (held, pressed) {
            (None, true) => self.step = Step::Press(Some(button)),
            (Some(held), true) if held != button => {
                self.step = Step::Press(None);
                self.repeat(now, format!("Buttons {held} and {button} went down together; press one only."));
            }
            (Some(held), false) if held == button => self.accept_button(now, button),
            _ => {}
        }
    }

    fn accept_button(&mut self, now: Duration, button: usize) {
        let taken = self.mapping.buttons.iter().find(|(_, taken)| *taken == button);
        let why = if let Some((switch, _)) = taken {
            Some(format!("Button {button} is {} already. Use another.", switch.name()))
        } else if button >= MOST {
            Some(format!("That is button {button}; the node reads the first {MOST} only. Use another."))
        } else {
            None
        };
        match (why, QUESTIONS.get(self.question)) {
            (None, Some((Question::Button(switch), _))) => {
                self.print(format!("Button {button}."));
                self.mapping.buttons.push((*switch, button));
                self.next(now);
            }
            (why, _) => {
                self.step = Step::Press(None);
                self.repeat(now, why.unwrap_or_default());
            }
        }
    }

    fn print(&mut self, text: impl Into<String>) {
        self.output.push_back(Output::Print(text.into()));
    }

    fn fail(&mut self, why: String) {
        self.step = Step::Over;
        self.output.push_back(Output::Failed(why));
    }
}

#[cfg(test)]
mod hand;
#[cfg(test)]
mod tests;
