//! What may come in one step: every combination of what is listed, or one thing at a time.

use hindbrain::core::{Inputs, InvalidCommand, Reading, Wish};

/// The tick \[ns\].
pub const T: u64 = 20_000_000;

/// What may come of each kind; "nothing" is listed as well where it may be left out.
#[derive(Clone)]
pub struct Alphabet {
    pub dt: Vec<u64>,
    pub unwatched: Vec<bool>,
    pub estop: Vec<Option<bool>>,
    pub reset: Vec<Option<bool>>,
    pub enable: Vec<Option<bool>>,
    pub rivals: Vec<Option<bool>>,
    pub device: Vec<Option<bool>>,
    pub infrared: Vec<[Option<Reading>; 4]>,
    pub command: Vec<Option<Result<Wish, InvalidCommand>>>,
    /// How old a command is when it comes \[ns\].
    pub age: Vec<u64>,
}

/// Nothing, false, true.
pub const LEVELS: [Option<bool>; 3] = [None, Some(false), Some(true)];
/// False, true: a source that always says something.
pub const ALWAYS: [Option<bool>; 2] = [Some(false), Some(true)];
/// Nothing, and all that a sensor can say.
pub const READINGS: [Option<Reading>; 4] =
    [None, Some(Reading::Clear), Some(Reading::Blocked), Some(Reading::Invalid)];
/// A sensor that always says something.
pub const SIGHTED: [Option<Reading>; 2] = [Some(Reading::Clear), Some(Reading::Blocked)];
/// One sensor in front and one at the back, every combination of what they say.
pub fn front_and_back(readings: &[Option<Reading>]) -> Vec<[Option<Reading>; 4]> {
    let pairs =
        readings.iter().flat_map(|&front| readings.iter().map(move |&back| [front, None, None, back]));
    pairs.collect()
}

/// All four sensors, every combination of what they say.
pub fn all_around(readings: &[Option<Reading>]) -> Vec<[Option<Reading>; 4]> {
    let [front, back] = [front_and_back(readings), front_and_back(readings)];
    let four = front.iter().flat_map(|f| back.iter().map(move |b| [f[0], f[3], b[0], b[3]]));
    four.collect()
}

/// One sensor in front and one at the back, of which only one speaks at a time.
pub fn front_or_back(readings: &[Option<Reading>]) -> Vec<[Option<Reading>; 4]> {
    front_and_back(readings).into_iter().filter(|all| all[0].is_none() || all[3].is_none()).collect()
}

/// What is no command.
pub const NO_COMMAND: Option<Result<Wish, InvalidCommand>> = Some(Err(InvalidCommand));

impl Alphabet {
    /// Only time passes, and these commands come or none.
    pub fn new(wishes: &[(i16, i16)]) -> Self {
        let command = wishes.iter().map(|&(linear, angular)| Some(Ok(Wish::new(linear, angular))));
        Self {
            dt: vec![T],
            unwatched: vec![false],
            estop: vec![None],
            reset: vec![None],
            enable: vec![None],
            rivals: vec![None],
            device: vec![None],
            infrared: vec![[None; 4]],
            command: [None].into_iter().chain(command).collect(),
            age: vec![0],
        }
    }

    /// Every combination.
    pub fn snapshots(&self) -> Vec<Inputs> {
        let mut all = vec![Inputs::default()];
        vary(&mut all, &self.dt, |i, &dt| i.dt = dt);
        vary(&mut all, &self.unwatched, |i, &unwatched| i.unwatched = unwatched);
        vary(&mut all, &self.estop, |i, &estop| i.estop = estop);
        vary(&mut all, &self.reset, |i, &reset| i.reset = reset);
        vary(&mut all, &self.enable, |i, &enable| i.enable = enable);
        vary(&mut all, &self.rivals, |i, &rivals| i.rivals = rivals);
        vary(&mut all, &self.device, |i, &device| i.device = device);
        vary(&mut all, &self.infrared, |i, &infrared| i.infrared = infrared);
        vary(&mut all, &self.command, |i, &command| i.command = command);
        vary(&mut all, &self.age, |i, &age| i.command_age = age);
        all.retain(|i| i.command_age == 0 || matches!(i.command, Some(Ok(_))));
        all
    }

    /// One thing at a time after each of the times, which is how [`Hindbrain`](hindbrain::Hindbrain) calls the core.
    pub fn events(&self) -> Vec<Inputs> {
        let only = |part: &dyn Fn(&mut Self)| {
            let mut alone = Self { dt: self.dt.clone(), command: vec![None], ..Self::new(&[]) };
            part(&mut alone);
            alone.snapshots()
        };
        let parts: [&dyn Fn(&mut Self); 8] = [
            &|a| a.unwatched = self.unwatched.clone(),
            &|a| a.estop = self.estop.clone(),
            &|a| a.reset = self.reset.clone(),
            &|a| a.enable = self.enable.clone(),
            &|a| a.rivals = self.rivals.clone(),
            &|a| a.device = self.device.clone(),
            &|a| a.infrared = self.infrared.clone(),
            &|a| a.command = self.command.clone(),
        ];
        let mut all: Vec<Inputs> = Vec::new();
        for input in parts.into_iter().flat_map(only) {
            if !all.contains(&input) {
                all.push(input);
            }
        }
        all
    }
}

/// Multiplies `all` by `values`.
fn vary<V>(all: &mut Vec<Inputs>, values: &[V], set: impl Fn(&mut Inputs, &V)) {
    let with = |inputs: &Inputs, value: &V| {
        let mut inputs = *inputs;
        set(&mut inputs, value);
        inputs
    };
    *all = all.iter().flat_map(|inputs| values.iter().map(move |value| with(inputs, value))).collect();
}
