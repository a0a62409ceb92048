//! A sensor and a wheel by themselves, each beside somebody who keeps books of its whole past.
//!
//! The walks show that the machine feeds its sensors and drives its wheels step by step as it should; what becomes of
//! that over time is shown here, for every way that a part can have come.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

use hindbrain::core::{CoreParams, Eye, Reading, Sight, Slopes, Wheel};

use crate::alphabet::{READINGS, T};
use crate::invariants::COUNT;

/// States and edges.
pub type Size = (usize, usize);

/// Walks through all that follows from `first`; an error of `next` ends it.
fn reach<S, I>(first: S, inputs: &[I], next: impl Fn(&S, &I) -> Result<S, String>) -> Size
where
    S: Copy + Eq + Hash + Debug,
    I: Debug,
{
    let (mut all, mut seen, mut index) = (vec![first], HashSet::from([first]), 0);
    while let Some(&before) = all.get(index) {
        for input in inputs {
            match next(&before, input) {
                Ok(after) if seen.insert(after) => all.push(after),
                Ok(_) => {}
                Err(broken) => panic!("{broken}\nfrom {before:?}\nby {input:?}"),
            }
        }
        index += 1;
    }
    (all.len(), all.len() * inputs.len())
}

/// What was heard of a sensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Watch {
    /// The last reading and how long ago it came.
    last: Option<(Reading, u64)>,
    /// For how long nothing but clear, or nothing but not clear, was heard.
    same_for: u64,
    bad: bool,
}

/// A sensor is silent from its time-out on and then bad at once; otherwise it becomes bad when it has not been clear for
/// the debounce time and good when it has been nothing else for the clear-hold.
pub fn eye(sight: &Sight) -> Size {
    let dts = [0, T / 2, T, 3 * T / 2, sight.timeout];
    let inputs: Vec<_> = dts.into_iter().flat_map(|dt| READINGS.map(|reading| (dt, reading))).collect();
    let judge = |watch: &mut Watch| {
        let (clear, needed) = match watch.last {
            Some((Reading::Clear, _)) => (true, sight.clear_hold),
            Some(_) => (false, sight.debounce),
            None => return,
        };
        watch.same_for = watch.same_for.min(needed);
        if watch.same_for == needed {
            watch.bad = !clear;
        }
    };
    let first = (Eye::default(), Watch { last: None, same_for: 0, bad: true });
    reach(first, &inputs, |&(mut eye, mut watch), &(dt, reading)| {
        eye.pass_time(dt, sight);
        if let Some((_, age)) = &mut watch.last {
            *age += dt;
            watch.same_for += dt;
            if *age >= sight.timeout {
                watch = first.1;
            }
        }
        judge(&mut watch);
        if let Some(reading) = reading {
            eye.receive(reading, sight);
            let was_clear = watch.last.map(|(reading, _)| reading == Reading::Clear);
            if was_clear != Some(reading == Reading::Clear) {
                watch.same_for = 0;
            }
            watch.last = Some((reading, 0));
            judge(&mut watch);
        }
        let heard = watch.last.map(|(reading, _)| reading);
        if eye.is_bad() == watch.bad && eye.reading() == heard {
            Ok((eye, watch))
        } else {
            Err(format!("{eye:?} is not what was heard, {watch:?}"))
        }
    })
}

/// What was seen of a wheel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Books {
    /// By how much the level grew and shrank faster than its slopes over that time of the past for which it was most,
    /// in the unit of [`COUNT`].
    excess: [u64; 2],
    /// For how long it stands, at most the rest.
    stands: u64,
}

/// By how much the sum of `counts` was more than `slope` times time, over that time up to now for which it was most, where
/// it was `before` until `dt` ago. A slope is kept over every time where this stays below one [`COUNT`].
pub fn excess(before: u64, counts: i64, slope: u64, dt: u64) -> u64 {
    let there = u64::try_from(counts).unwrap_or(0) * COUNT;
    let back = u64::try_from(-counts).unwrap_or(0) * COUNT;
    (before + there).saturating_sub(slope.saturating_mul(dt).saturating_add(back))
}

/// Over any time a level grows and shrinks by less than slope times time plus one count, both ways, where a late step
/// counts for one tick; it never goes beyond its target, changes its sign through zero and rests there.
pub fn wheel(full: i16, slopes: &Slopes, dts: &[u64]) -> Size {
    let targets: Vec<_> = (-full..=full).map(Some).chain([None]).collect();
    let inputs: Vec<_> = dts.iter().flat_map(|&dt| targets.iter().map(move |&target| (target, dt))).collect();
    let first = (Wheel::default(), Books { excess: [0, 0], stands: 0 });
    reach(first, &inputs, |&(before, books), &(target, dt)| {
        let mut wheel = before;
        match target {
            Some(target) => wheel.advance(target, dt, slopes),
            None => wheel.cut(dt, slopes),
        }
        let (was, is, dt) = (before.level(), wheel.level(), dt.min(slopes.tick));
        let counts = i64::from(is.abs()) - i64::from(was.abs());
        let shrinks = if target.is_some() { -counts } else { 0 }; // a cut is no braking
        let after = Books {
            excess: [
                excess(books.excess[0], counts, slopes.accel, dt),
                excess(books.excess[1], shrinks, slopes.decel, dt),
            ],
            stands: if was == 0 { (books.stands + dt).min(slopes.rest) } else { 0 },
        };
        let toward = target.unwrap_or(0);
        let between = (was.min(toward)..=was.max(toward)).contains(&is);
        let checks = [
            (after.excess[0] < COUNT, "grows too fast"),
            (after.excess[1] < COUNT, "shrinks too fast"),
            (between, "goes beyond its target"),
            (i32::from(was) * i32::from(is) >= 0, "jumps over zero"),
            (was != 0 || is == 0 || after.stands >= slopes.rest, "does not rest"),
            (target.is_some() || is == 0, "is not cut"),
        ];
        match checks.into_iter().find(|(holds, _)| !holds) {
            Some((_, broken)) => Err(format!("it {broken}: {was} to {is}, {after:?}")),
            None => Ok((wheel, Books { stands: if is == 0 { after.stands } else { 0 }, ..after })),
        }
    })
}

/// All parts at a scale: name, what they are, size.
pub fn all(full: i16) -> [(&'static str, &'static str, Size); 3] {
    let params = CoreParams::default();
    // At a small scale also times that leave a fraction of a count from braking.
    let dts: &[u64] = if full < 10 { &[0, T / 8, T / 2, T, 5 * T] } else { &[0, T / 2, T, 5 * T] };
    let wheel = |slopes: &Slopes| wheel(full, slopes, dts);
    let text = "all targets against its whole past";
    [
        ("a sensor", "all readings and times against its whole past", eye(&params.infrared.sight)),
        ("a wheel, strict", text, wheel(&params.slopes)),
        ("a wheel, seed", text, wheel(&params.seed().slopes)),
    ]
}
