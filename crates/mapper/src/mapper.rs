//! The questions, as a machine: what the device does and what the user types go in, sentences and at last a mapping
//! come out. It knows neither SDL nor a clock.

use std::collections::VecDeque;
use std::time::Duration;

use crate::calibration::AxisMap;
use crate::mapping::Mapping;
use crate::questions::{Input, Needed, Output, QUESTIONS, Question};
use crate::stick::{Stick, Throw};

/// Asks for one axis or button after the other.
pub struct Mapper {
    stick: Stick,
    buttons: usize,
    mapping: Mapping,
    patience: Duration,
    /// Whether lines may come before they are asked for, as from a pipe.
    keep_lines: bool,
    kept_lines: usize,
    question: usize,
    step: Step,
    /// When the question was asked, or asked again.
    asked: Duration,
    output: VecDeque<Output>,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Measures the rest of all axes since then.
    Rest(Duration),
    /// Waits for the first end of an axis, or, with what it was, for the other one.
    Move(Option<Throw>),
    /// Waits until the axis lies still, let go since then; afterwards goes on with the step.
    Settle {
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

/// How long axes are watched at rest.
const REST: Duration = Duration::from_secs(2);
/// How long an axis gets to come to rest after it was let go.
const STILL: Duration = Duration::from_millis(400);
/// An axis counts as moved on purpose beyond this part of its way, and as let go below the other.
const ON_PURPOSE: f64 = 0.6;
const LET_GO: f64 = 0.2;
/// Two axes that moved nearly as far as each other cannot be told apart.
const ALIKE: f64 = 0.8;
/// A dead zone beyond this is worth a remark.
const NOISY: f64 = 0.2;
/// The node reads no more axes and buttons than these.
const MOST: usize = 16;

impl Mapper {
    /// With the device's positions at the plug, its buttons, how long a question waits, and whether lines may come before
    /// their question.
    pub fn new(stick: Stick, buttons: usize, now: Duration, patience: Duration, keep_lines: bool) -> Self {
        let mut mapper = Self {
            stick,
            buttons,
            mapping: Mapping::default(),
            patience,
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
            mapper.say("Let go of everything, and do not touch the device for two seconds.");
            mapper.stick.look();
        }
        mapper
    }

    /// Takes what happened.
    pub fn handle(&mut self, now: Duration, input: Input) {
        match input {
            _ if matches!(self.step, Step::Over) => {}
            Input::Gone => self.fail("The device was pulled out.".into()),
            Input::Quit => self.fail("Ended by you.".into()),
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

    /// Takes that time passes; call it ten times a second or so.
    pub fn tick(&mut self, now: Duration) {
        match self.step {
            Step::Over => {}
            Step::Rest(since) if now.saturating_sub(since) >= REST => match self.stick.rests() {
                Ok(()) => self.ask(now),
                Err(_) if now.saturating_sub(self.asked) >= self.patience => {
                    self.fail("The device does not come to rest.".into());
                }
                Err(axis) => {
                    self.say(format!("Axis {axis} moved. Let go of everything, once more for two seconds."));
                    self.stick.look();
                    self.step = Step::Rest(now);
                }
            },
            Step::Settle { axis, since, then } if now.saturating_sub(since) >= STILL => {
                self.settled(now, axis, then);
            }
            _ if now.saturating_sub(self.asked) < self.patience => {}
            Step::Move(None) | Step::Press(None) if self.needed() == Needed::No => {
                self.say("Nothing came: skipped.");
                self.next(now);
            }
            _ => self.fail(format!("Nothing came for {} s.", self.patience.as_secs())),
        }
    }

    /// The next output, until there is none.
    pub fn poll(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    fn needed(&self) -> Needed {
        QUESTIONS.get(self.question).map_or(Needed::No, |(_, needed)| *needed)
    }

    /// Asks the question that it is the turn of, or ends.
    fn ask(&mut self, now: Duration) {
        self.asked = now;
        self.stick.look();
        let Some((question, needed)) = QUESTIONS.get(self.question) else {
            self.step = Step::Over;
            self.output.push_back(Output::Done(std::mem::take(&mut self.mapping)));
            return;
        };
        let pointless = match question {
            Question::Axis(_) => self.mapping.axes.len() >= self.stick.len(),
            Question::Button(_) => self.mapping.buttons.len() >= self.buttons,
        };
        if *needed == Needed::No && (pointless || self.take_kept_line()) {
            self.next(now);
            return;
        }
        let or_skip = if *needed == Needed::No { " (or press Enter for none)" } else { "" };
        match question {
            Question::Axis(motion) => {
                let [end, _] = motion.ends();
                let verb = motion.verb();
                self.say(format!(
                    "To {verb} {end}: move the stick for it all the way, then let go{or_skip}."
                ));
                self.step = Step::Move(None);
            }
            Question::Button(switch) => {
                self.say(format!("Press and let go {}{or_skip}.", switch.name()));
                self.step = Step::Press(None);
            }
        }
    }

    fn next(&mut self, now: Duration) {
        self.question += 1;
        self.ask(now);
    }

    /// Says why an answer does not count, and waits for another.
    fn again(&mut self, now: Duration, why: impl Into<String>) {
        self.say(why);
        self.asked = now;
        self.stick.look();
    }

    fn take_kept_line(&mut self) -> bool {
        let is_there = self.kept_lines > 0;
        self.kept_lines = self.kept_lines.saturating_sub(1);
        is_there
    }

    fn enter(&mut self, now: Duration) {
        match self.step {
            Step::Move(None) | Step::Press(None) if self.needed() == Needed::No => {
                self.say("None.");
                self.next(now);
            }
            _ if self.keep_lines => self.kept_lines += 1,
            Step::Move(_) | Step::Press(_) => {
                self.say("This one is needed. (q and Enter ends, and writes nothing.)")
            }
            _ => {}
        }
    }

    fn moved(&mut self, now: Duration) {
        match self.step {
            Step::Move(first) => self.look_at_throws(now, first),
            // A trembling axis lies still, one that is held again does not.
            Step::Settle { axis, then, .. } if self.stick.part(axis) > LET_GO => {
                self.step = Step::Settle { axis, since: now, then };
            }
            _ => {}
        }
    }

    /// Whether an axis was moved all the way and let go.
    fn look_at_throws(&mut self, now: Duration, first: Option<Throw>) {
        let throws = self.stick.throws();
        let Some(throw) = throws.first().copied() else { return };
        if throw.part < ON_PURPOSE || self.stick.part(throw.axis) > LET_GO {
            return;
        }
        if let Some(other) = throws.get(1)
            && other.part >= ALIKE * throw.part
        {
            // Of the other one it is not known whether it was let go, so that the next look begins with both at rest.
            if self.stick.part(other.axis) <= LET_GO {
                self.again(now, format!("Axes {} and {} both moved; move one only.", throw.axis, other.axis));
            }
            return;
        }
        if let Err(why) = self.may_be(throw, first) {
            self.again(now, why);
            return;
        }
        let then = match first {
            Some(first) => Then::Next(first, Some(throw)),
            None if self.stick.has_way(throw.axis, throw.value < self.stick.center(throw.axis)) => {
                Then::OtherEnd(throw)
            }
            None => Then::Next(throw, None),
        };
        self.step = Step::Settle { axis: throw.axis, since: now, then };
    }

    /// Whether the axis can be the answer; otherwise why not.
    fn may_be(&self, throw: Throw, first: Option<Throw>) -> Result<(), String> {
        let Throw { axis, value, .. } = throw;
        if axis >= MOST {
            return Err(format!("That is axis {axis}; the node reads the first {MOST} only. Take another."));
        }
        if let Some((motion, _)) = self.mapping.axes.iter().find(|(_, map)| map.axis == axis) {
            let [end, _] = motion.ends();
            let verb = motion.verb();
            return Err(format!("Axis {axis} is there to {verb} {end} already. Take another."));
        }
        let Some(first) = first else { return Ok(()) };
        let center = self.stick.center(axis);
        if axis != first.axis {
            Err(format!("That is axis {axis}, the other end was axis {}. Take the same.", first.axis))
        } else if (value > center) == (first.value > center) {
            Err("That is the same end once more. Move it the other way.".into())
        } else {
            Ok(())
        }
    }

    fn settled(&mut self, now: Duration, axis: usize, then: Then) {
        self.stick.rests_here_too(axis);
        match (then, QUESTIONS.get(self.question)) {
            (Then::OtherEnd(first), Some((Question::Axis(motion), _))) => {
                let [_, end] = motion.ends();
                let verb = motion.verb();
                self.say(format!("Axis {axis}. Now to {verb} {end}: all the way, then let go."));
                self.asked = now;
                self.stick.look();
                self.step = Step::Move(Some(first));
            }
            (Then::Next(positive, negative), Some((Question::Axis(motion), _))) => {
                let map = AxisMap::measured(&self.stick, positive, negative);
                let one_way =
                    if negative.is_none() { ", one way only since it rests at its end" } else { "" };
                self.say(format!(
                    "Axis {axis}{one_way}: {} to {}, at rest {}, dead zone {:.0} %.",
                    map.min,
                    map.max,
                    map.center,
                    100.0 * map.dead_zone
                ));
                if map.dead_zone > NOISY {
                    self.say(
                        "It does not come back to the same place: a worn stick, or one that has no spring.",
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
                self.again(now, format!("Buttons {held} and {button} went down together; press one only."));
            }
            (Some(held), false) if held == button => self.took_button(now, button),
            _ => {}
        }
    }

    fn took_button(&mut self, now: Duration, button: usize) {
        let taken = self.mapping.buttons.iter().find(|(_, taken)| *taken == button);
        let why = if let Some((switch, _)) = taken {
            Some(format!("Button {button} is {} already. Take another.", switch.name()))
        } else if button >= MOST {
            Some(format!("That is button {button}; the node reads the first {MOST} only. Take another."))
        } else {
            None
        };
        match (why, QUESTIONS.get(self.question)) {
            (None, Some((Question::Button(switch), _))) => {
                self.say(format!("Button {button}."));
                self.mapping.buttons.push((*switch, button));
                self.next(now);
            }
            (why, _) => {
                self.step = Step::Press(None);
                self.again(now, why.unwrap_or_default());
            }
        }
    }

    fn say(&mut self, text: impl Into<String>) {
        self.output.push_back(Output::Say(text.into()));
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
