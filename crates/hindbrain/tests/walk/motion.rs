//! The motor values of both wheels against time: independent and coupled.
//!
//! In any state but OK they are stop, at once, and the snapshot in which the state becomes OK does not move them. In OK the level of each wheel
//! moves toward its setpoint (zero if a cause brakes). Levels are exact. The published count stays until the exact level is a whole
//! count away from it, and then is the nearest one to it that is not. Braking begins at the published count.
//!
//! 1. Toward zero a level moves by `decel`, for all the time that has passed. Away from zero it moves by `accel`, in one snapshot for 20 ms
//!    at most. Its sign changes only after it was zero for 20 ms, in which nothing moves it.
//! 2. If both levels have to move away from zero, the one that is farther from its setpoint does so by `accel`, the other one in proportion.
//! 3. The *forward part* is the sum of the two levels, the *turn part* starboard less port. While a wheel moves away from zero, a part
//!    that is larger than its setpoint or has the other sign shrinks by `decel` at least (per second, in counts of the sum), for all the
//!    time that has passed. If rules 1 and 2 do less, since a wheel would have to reverse or to speed up, each wheel contributes half
//!    of the rest. (While both move toward zero, or stay, rule 1 is enough.) Only the 20 ms at zero have precedence.
//!
//! Where both wheels have the whole counts of a command that lies beyond them, one count more is sent for part of the time; not by a wheel at
//! zero, and at the same times for equal commands. It is judged as the whole count. That the mean is the command is tested elsewhere.
//!
//! So over any time a level moves away from zero by less than `accel` plus half of `decel`, times the time, plus one count; by less than
//! `accel` times the time plus one count while no part has to shrink; toward zero by less than `decel` plus half of `accel`, times the time, plus one
//! count. In `seed` each wheel follows rule 1 alone, with slopes of 20 counts/s both ways and without the 20 ms at zero.
//!
//! # What is checked
//! No level is predicted. A stop is stop at once, the snapshot in which the state becomes OK moves nothing, nothing is beyond full, and the
//! sign changes through zero, with a rest in `strict`. Besides, over any time:
//!
//! | situation | checked |
//! |---|---|
//! | a wheel certainly follows rule 1 or 2: in `seed`; straight ahead; on a curve that began from zero; no part has to shrink, or no wheel moves away from zero | no level exceeds its own slope by more than a count, grows except toward its target, or shrinks if it is commanded; a braking level follows its slope to within a count |
//! | elsewhere | the same with half of the other slope added |
//! | a wheel certainly moves away from zero, no wheel is at zero, and the target stays | a part that is too large or of the other sign shrinks as fast as a wheel brakes, to within four counts |
//! | two wheels have rested and have equal targets | equal levels |
//! | two wheels begin a curve from rest, and the targets stay | the proportion of the targets, each up to a count behind |
//!
//! So a curve that begins during motion is checked only against the slopes and the shrinking part, and the rise of a level only for one
//! wheel against the other.

use std::hash::{Hash, Hasher};

use crate::books::Ns;
use crate::wheel::{Aim, COUNT, Slopes, Turn, Wheel};

/// The largest difference between exact and whole parts: one count for each of two wheels, before and after.
const UNSEEN: i64 = 4 * COUNT;

/// The parts of the motion, forward and turn, of port and starboard.
fn parts([port, starboard]: [i16; 2]) -> [i16; 2] {
    [port + starboard, starboard - port]
}

/// A part that has to shrink while a wheel moves away from zero: the target meanwhile, and how far each part is behind.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
struct Due {
    wanted: [i16; 2],
    owed: [i64; 2],
}

/// Both wheels, as observed so far.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    wheels: [Wheel; 2],
    /// Since both rested their targets have been equal: the turn part is exactly zero.
    straight: bool,
    /// Since when both are certainly at zero.
    still_since: Option<Ns>,
    /// The target since both rested, so neither has to rest before it.
    curve: Option<[i16; 2]>,
    due: Option<Due>,
}

impl Motion {
    pub const STILL: Self =
        Self { wheels: [Wheel::STILL; 2], straight: true, still_since: Some(0), curve: None, due: None };

    pub fn levels(&self) -> [i16; 2] {
        self.wheels.map(|wheel| wheel.level)
    }

    /// Checks the levels that are `sent` at `now`; `together` if the wheels are coupled.
    /// # Errors
    /// A description of what is wrong.
    pub fn follow(
        &mut self,
        sent: [i16; 2],
        now: Ns,
        driving: bool,
        slopes: Slopes,
        aims: [Aim; 2],
        together: bool,
    ) -> Result<(), String> {
        let next = if driving { [0, 1].map(|i| aims[i].meant(self.wheels[i].level, sent[i])) } else { sent };
        let wanted = match aims.map(Aim::sure) {
            [Some(port), Some(starboard)] if driving && together => Some([port, starboard]),
            _ => None,
        };
        let rested = self.still_since.is_some_and(|since| now - since >= slopes.rest);
        let same = !driving || wanted.is_some_and(|[port, starboard]| port == starboard);
        self.straight = same && (self.straight || rested);
        self.curve = wanted.filter(|&wanted| rested || self.curve == Some(wanted));
        let alone = wanted.is_none_or(|wanted| self.follows_rule_1(wanted, aims));
        let before = self.levels();
        self.due = wanted.filter(|_| !alone).and_then(|wanted| self.due(wanted, aims, next, slopes, now));
        if self.due.is_some_and(|due| due.owed.iter().any(|&owed| owed >= UNSEEN)) {
            return Err(format!("a part shrinks too slowly: {before:?} -> {next:?}, {:?}", self.due));
        }
        let alike = if aims[0].rest == aims[1].rest { sent } else { next };
        if self.straight && alike[0] != alike[1] {
            return Err(format!("not straight: {before:?} -> {sent:?}, {aims:?}"));
        }
        let turn = Turn { now, driving, slopes, alone };
        for ((wheel, level), aim) in self.wheels.iter_mut().zip(next).zip(aims) {
            wheel.follow(level, &turn, aim)?;
        }
        if let Some(wanted) = self.curve
            && !keeps_the_curve(next, wanted)
        {
            return Err(format!("not the commanded curve: {before:?} -> {next:?}, {wanted:?}"));
        }
        let still = self.wheels.iter().all(|wheel| wheel.level == 0 && wheel.settled);
        self.still_since = still.then(|| self.still_since.unwrap_or(now));
        Ok(())
    }

    /// Whether certainly no part has to shrink, or no wheel moves away from zero.
    fn follows_rule_1(&self, wanted: [i16; 2], aims: [Aim; 2]) -> bool {
        if self.straight || self.curve.is_some() {
            return true;
        }
        let unsure: i16 = self.wheels.iter().map(|wheel| i16::from(!wheel.settled)).sum();
        let within = |(part, wanted): (i16, i16)| {
            let part = part * if wanted < 0 { -1 } else { 1 };
            part >= unsure && part + unsure <= wanted.abs()
        };
        self.wheels.iter().zip(aims).all(|(wheel, aim)| wheel.never_goes_away(aim))
            || parts(self.levels()).into_iter().zip(parts(wanted)).all(within)
    }

    /// How far the shrinking parts are behind, if a wheel certainly moves away from zero and none is at zero.
    fn due(&self, wanted: [i16; 2], aims: [Aim; 2], next: [i16; 2], slopes: Slopes, now: Ns) -> Option<Due> {
        let away = self.wheels.iter().zip(aims).any(|(wheel, aim)| wheel.goes_away(aim));
        if !away || next.contains(&0) || self.levels().contains(&0) {
            return None;
        }
        let [before, after, wants] = [self.levels(), next, wanted].map(parts);
        let last = self.due.filter(|due| due.wanted == wanted);
        let owed = [0, 1].map(|i| {
            let sign = before[i].signum();
            // By at least two counts, the possible difference of both wheels from the published values.
            let beyond = |part: i16| sign * part - 2 >= (sign * wants[i]).max(0);
            let last = last.filter(|_| sign != 0 && beyond(before[i]) && beyond(after[i]));
            let shrunk = i64::from(sign * (before[i] - after[i])) * COUNT;
            last.map_or(0, |due| (due.owed[i] + slopes.toward * self.wheels[0].spent(now) - shrunk).max(0))
        });
        Some(Due { wanted, owed })
    }

    pub fn feed(&self, now: Ns, rest: Ns, together: bool, into: &mut impl Hasher) {
        for wheel in &self.wheels {
            wheel.feed(now, rest, into);
        }
        if together {
            let stood = self.still_since.map(|since| (now - since).min(rest));
            // After a rest a new curve begins, independent of the motion before.
            let moves = (stood != Some(rest)).then_some((self.straight, self.curve));
            (self.wheels.map(|wheel| wheel.settled), stood, moves, self.due).hash(into);
        }
    }
}

/// Whether the levels are in the commanded proportion, each up to a count behind it.
fn keeps_the_curve(levels: [i16; 2], wanted: [i16; 2]) -> bool {
    let [port, starboard] = levels.map(|level| i32::from(level.abs()));
    let [to_port, to_starboard] = wanted.map(|level| i32::from(level.abs()));
    (-to_starboard..=to_port).contains(&(port * to_starboard - starboard * to_port))
}
