//! What is walked through: each model lets some parts of the machine run with their times and the others freely.
//!
//! The e-stop's silence, the command's age, the lease, each sensor and each wheel do not see one another; the rest of the
//! machine sees a bit of each: pressed, stale, lapsed, blocked, rolling. A part is **free** where its times are so short
//! and its inputs so many that the bit may be anything in any step. A free part does all that it would do with its times,
//! and more, so what holds with it free holds with its times. Every two of the parts have their times together somewhere.

use hindbrain::core::{CoreParams, Infrared, Sight, Slopes, SoftStop, Wish};

use crate::alphabet::{
    ALWAYS, Alphabet, LEVELS, NO_COMMAND, READINGS, SIGHTED, T, all_around, front_and_back, front_or_back,
};
use crate::walker::Model;

/// The constants of a walk.
pub struct Scale {
    full: i16,
    slopes: Slopes,
    command_timeout: u64,
    estop_timeout: u64,
    overrun_limit: u64,
    lease: u64,
    sight: Sight,
    /// The slope of the seed where it is not the real one.
    seed: Option<u64>,
    /// The times between steps, a tick among them and one beyond the overrun limit.
    dt: &'static [u64],
    /// For everything at once: the commands, the level of full speed, the sensors.
    everything: (&'static [(i16, i16)], i16, [bool; 4]),
    /// Far more states than any model has.
    pub most: usize,
}

/// Times of a few ticks and three counts of speed: the same comparisons in less than a second each.
pub const SMALL: Scale = Scale {
    full: 3,
    slopes: Slopes { accel: 25_000, decel: 100_000, tick: T, rest: T },
    command_timeout: 2 * T,
    estop_timeout: 2 * T,
    overrun_limit: 2 * T,
    lease: 2 * T,
    sight: Sight { timeout: 2 * T, debounce: T, clear_hold: T },
    seed: Some(25_000),
    dt: &[0, T, 3 * T],
    everything: (&[AHEAD], 1, [true, false, false, false]),
    most: 1_000_000,
};

/// The real constants, which are the parameters' defaults, and a lease of 0.3 s.
pub const FULL: Scale = Scale {
    full: 66,
    slopes: Slopes { accel: 20_000, decel: 200_000, tick: T, rest: T },
    command_timeout: 25 * T,
    estop_timeout: 250_000_000,
    overrun_limit: 25 * T,
    lease: 15 * T,
    sight: Sight { timeout: 25 * T, debounce: 2 * T, clear_hold: 3 * T },
    seed: None,
    dt: &[T, 25 * T + 1],
    everything: (&[AHEAD, BACK], 1, [true, false, false, true]),
    most: 50_000_000,
};

/// A sensor that is believed at once.
const FREE_SIGHT: Sight = Sight { timeout: T + 1, debounce: 0, clear_hold: 0 };
/// Wheels that get everywhere within a tick.
const QUICK: Slopes = Slopes { accel: 6_600_000, decel: 6_600_000, tick: T, rest: T };

const STILL: (i16, i16) = (0, 0);
const AHEAD: (i16, i16) = (1000, 0);
const BACK: (i16, i16) = (-1000, 0);
const LEFT: (i16, i16) = (0, 1000);

/// All models of a scale, the longest first.
pub fn all(scale: &Scale) -> Vec<Model> {
    use Profile::{Seed, Strict};
    vec![
        scale.stops(Seed),
        scale.wheels(Seed),
        scale.everything(Strict),
        scale.everything(Seed),
        scale.ways("strict ways, ramp", "both pairs free, both wheels; a soft stop brakes", |p| {
            p.soft_stop = SoftStop::Ramp
        }),
        scale.stops(Strict),
        scale.silence(Seed),
        scale.connections(Seed),
        scale.lease(),
        scale.sensors(Strict),
        scale.sensors(Seed),
        scale.ways("strict ways", "both pairs free, both wheels; direction policy", |_| {}),
        scale.ways("strict ways, rearm", "both pairs free, both wheels; a sensor's stop disarms", |p| {
            p.infrared.rearm = true
        }),
        scale.ways("strict ways, blind", "both pairs free, both wheels; no direction policy", |p| {
            p.infrared.direction_policy = false
        }),
        scale.wheels(Strict),
        scale.silence(Strict),
        scale.impatient(),
        scale.connections(Strict),
        scale.four(),
    ]
}

#[derive(Clone, Copy, PartialEq)]
enum Profile {
    Strict,
    Seed,
}

impl Profile {
    fn pick<V>(self, strict: V, seed: V) -> V {
        if self == Self::Strict { strict } else { seed }
    }
}

impl Scale {
    fn params(&self, profile: Profile) -> CoreParams {
        let params = CoreParams {
            full: self.full,
            slopes: self.slopes,
            command_timeout: self.command_timeout,
            estop_timeout: self.estop_timeout,
            overrun_limit: self.overrun_limit,
            infrared: Infrared { sight: self.sight, ..CoreParams::default().infrared },
            ..CoreParams::default()
        };
        let mut seed = params.seed();
        if let Some(slope) = self.seed {
            seed.slopes = Slopes { accel: slope, decel: slope, ..seed.slopes };
        }
        profile.pick(params, seed)
    }

    /// The same with free commands: every step brings one or it is stale.
    fn free(&self, profile: Profile) -> CoreParams {
        CoreParams { command_timeout: T, ..self.params(profile) }
    }

    /// The levels of these parts of full speed.
    fn levels(&self, parts: &[[i16; 2]]) -> Vec<[i16; 2]> {
        parts.iter().map(|sides| sides.map(|side| side * self.full)).collect()
    }

    /// E-stop and command with their times, both wheels alike, reset, enable, overrun.
    fn stops(&self, profile: Profile) -> Model {
        let mut alphabet = Alphabet::new(&[STILL, AHEAD, BACK]);
        alphabet.command.push(NO_COMMAND);
        alphabet.dt = self.dt.to_vec();
        (alphabet.estop, alphabet.reset, alphabet.enable) = (LEVELS.into(), LEVELS.into(), LEVELS.into());
        if profile == Profile::Seed {
            alphabet.reset = vec![None]; // nothing is latched
            alphabet.command.pop(); // silence has it
        }
        Model {
            name: profile.pick("strict stops", "seed stops"),
            text: "e-stop and command with their times, reset, enable, overrun",
            params: CoreParams { estop_required: true, ..self.params(profile) },
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1]]),
        }
    }

    /// Both wheels by themselves, free commands, enable.
    fn wheels(&self, profile: Profile) -> Model {
        // The seed neither turns in place nor in reverse, and waits for no zero.
        let strict: &[_] = &[STILL, AHEAD, BACK, LEFT, (0, -1000), (1000, 1000), (-1000, 500)];
        let mut alphabet = Alphabet::new(profile.pick(strict, &[AHEAD, BACK, (1000, 1000)]));
        alphabet.enable = ALWAYS.into();
        Model {
            name: profile.pick("strict wheels", "seed wheels"),
            text: "both wheels by themselves, free commands, enable",
            params: self.free(profile),
            inputs: alphabet.snapshots(),
            reaches: self
                .levels(profile.pick(&[[1, 1], [-1, 1], [1, -1], [0, 1]], &[[1, 1], [-1, -1], [1, 0]])),
        }
    }

    /// The command with its time, no e-stop: how long it takes until silence ends motion.
    fn silence(&self, profile: Profile) -> Model {
        let mut alphabet = Alphabet::new(&[STILL, AHEAD, BACK, (500, 0)]);
        alphabet.command.push(NO_COMMAND);
        alphabet.dt = self.dt.iter().copied().chain([0, 2 * T]).collect();
        alphabet.enable = LEVELS.into();
        alphabet.age = vec![0, self.command_timeout - T, self.command_timeout];
        Model {
            name: profile.pick("strict silence", "seed silence"),
            text: "command with its time, old and too old ones, enable, overrun, no e-stop",
            params: self.params(profile),
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1]]),
        }
    }

    /// Both pairs with their times, quick wheels, free commands.
    fn sensors(&self, profile: Profile) -> Model {
        let mut alphabet = Alphabet::new(&[STILL, AHEAD, BACK, LEFT]);
        alphabet.enable = LEVELS.into();
        alphabet.infrared = front_and_back(&READINGS);
        let mut params = CoreParams { slopes: QUICK, ..self.free(profile) };
        params.infrared.fitted = [true, false, false, true];
        Model {
            name: profile.pick("strict sensors", "seed sensors"),
            text: "both pairs with their times, free commands, enable, quick wheels",
            params,
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1]]),
        }
    }

    /// Motor controller, rivals, the supervising thread, free e-stop and commands.
    fn connections(&self, profile: Profile) -> Model {
        let mut alphabet = Alphabet::new(&[STILL, AHEAD, BACK]);
        (alphabet.device, alphabet.rivals, alphabet.unwatched) =
            (LEVELS.into(), ALWAYS.into(), vec![false, true]);
        (alphabet.estop, alphabet.reset, alphabet.enable) = (ALWAYS.into(), LEVELS.into(), ALWAYS.into());
        Model {
            name: profile.pick("strict connections", "seed connections"),
            text: "motor controller, rivals, supervising thread, free e-stop, reset, enable",
            params: CoreParams { device_required: true, ..self.free(profile) },
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1]]),
        }
    }

    /// Everything at once, one thing per step, at a small scale.
    fn everything(&self, profile: Profile) -> Model {
        let (commands, full, fitted) = self.everything;
        let mut alphabet = Alphabet::new(commands);
        alphabet.command.extend([Some(Ok(Wish::ZERO)), NO_COMMAND]);
        alphabet.dt = SMALL.dt.to_vec();
        (alphabet.device, alphabet.rivals, alphabet.unwatched) =
            (LEVELS.into(), LEVELS.into(), vec![false, true]);
        (alphabet.estop, alphabet.reset, alphabet.enable) = (LEVELS.into(), LEVELS.into(), LEVELS.into());
        alphabet.infrared = front_or_back(&READINGS);
        let mut params = CoreParams { full, device_required: true, ..SMALL.params(profile) };
        params.infrared.fitted = fitted;
        params.slopes = Slopes { accel: 50_000, decel: 50_000, ..params.slopes };
        Model {
            name: profile.pick("strict everything", "seed everything"),
            text: "everything at once, one thing per step, at a small scale",
            params,
            inputs: alphabet.events(),
            reaches: vec![[full, full]],
        }
    }

    /// Free pairs and commands, both wheels.
    fn ways(&self, name: &'static str, text: &'static str, change: fn(&mut CoreParams)) -> Model {
        let mut alphabet = Alphabet::new(&[STILL, AHEAD, BACK, LEFT]);
        alphabet.enable = ALWAYS.into();
        alphabet.infrared = front_and_back(&SIGHTED);
        let mut params = self.free(Profile::Strict);
        params.infrared.fitted = [true, false, false, true];
        params.infrared.sight = FREE_SIGHT;
        change(&mut params);
        Model {
            name,
            text,
            params,
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1], [-1, 1]]),
        }
    }

    /// All four sensors free.
    fn four(&self) -> Model {
        let mut alphabet = Alphabet::new(&[STILL, AHEAD, BACK, (-1000, 500)]);
        alphabet.enable = ALWAYS.into();
        alphabet.infrared = all_around(&SIGHTED);
        let mut params = CoreParams { slopes: QUICK, ..self.free(Profile::Strict) };
        params.infrared.fitted = [true; 4];
        params.infrared.sight = FREE_SIGHT;
        Model {
            name: "strict four sensors",
            text: "all four sensors free, quick wheels",
            params,
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1]]),
        }
    }

    /// Lease and command with their times.
    fn lease(&self) -> Model {
        let mut alphabet = Alphabet::new(&[STILL, AHEAD, BACK]);
        alphabet.dt = self.dt.to_vec();
        (alphabet.enable, alphabet.estop) = (LEVELS.into(), ALWAYS.into());
        alphabet.reset = LEVELS.into();
        Model {
            name: "strict lease",
            text: "lease and command with their times, free e-stop, reset",
            params: CoreParams { lease: self.lease, ..self.params(Profile::Strict) },
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1]]),
        }
    }

    /// Without zero-first, where a soft stop brakes, perhaps unwatched, and rivals only warn.
    fn impatient(&self) -> Model {
        let mut alphabet = Alphabet::new(&[AHEAD, BACK, (300, 0)]);
        (alphabet.enable, alphabet.rivals, alphabet.reset) = (LEVELS.into(), ALWAYS.into(), LEVELS.into());
        (alphabet.dt, alphabet.unwatched) = (self.dt.to_vec(), vec![false, true]);
        let soft_stop = SoftStop::Ramp;
        let params = self.params(Profile::Strict);
        Model {
            name: "strict impatient",
            text: "command with its time, no zero-first, ramp, overrun, reset, rivals only warn",
            params: CoreParams { zero_first: false, soft_stop, single_publisher: false, ..params },
            inputs: alphabet.snapshots(),
            reaches: self.levels(&[[1, 1], [-1, -1]]),
        }
    }
}
