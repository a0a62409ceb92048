use limiter::{Limiter, Limits, Stop};
use safety::{Command, Instant};

use crate::Params;

/// How often the velocity is sent while a limit holds it back \[Hz].
const RATE: u32 = 50;

/// Moves the velocity to the command, within the limits.
///
/// With all limits off a command passes bit for bit. Otherwise the velocity of that instant is sent, and again at each instant
/// of a grid until the command is reached. The grid has 50 Hz from the origin of time, independent of the commands.
#[derive(Clone, Debug)]
pub(crate) struct Ramp {
    limits: [Limits; 6],
    limiter: Limiter,
    /// The last command; `None` while no source drives.
    target: Option<Command>,
    /// When the velocity is due again; `None` once it is reached.
    next: Option<Instant>,
}

impl Ramp {
    pub(crate) fn new(params: &Params) -> Self {
        Self { limits: params.limits, limiter: Limiter::new(params.limits), target: None, next: None }
    }

    /// Aims at `command` from the present velocity. Returns the command to send now.
    ///
    /// A neutral one brakes to zero with the emergency deceleration, since a released stick sends zero as well.
    pub(crate) fn aim(&mut self, now: Instant, command: Command) -> Command {
        self.target = Some(command);
        if !self.limits_anything() {
            return command;
        }
        if command.velocity.is_neutral() {
            self.limiter.stop(now, Stop::Emergency);
        } else {
            self.limiter.aim(now, command.velocity);
        }
        self.sample(now, command)
    }

    /// Stops at once, without a ramp.
    pub(crate) fn stop(&mut self, now: Instant) {
        self.limiter.stop(now, Stop::AtOnce);
        (self.target, self.next) = (None, None);
    }

    /// Adopts other limits. Returns the command to send now if they changed.
    pub(crate) fn configure(&mut self, now: Instant, params: &Params) -> Option<Command> {
        let limits = params.limits;
        let same = limits == self.limits;
        if let Some(command) = self.target
            && !self.limits_anything()
        {
            // The limiter was not used while there was nothing to limit.
            self.limiter.aim(now, command.velocity);
        }
        self.limiter.configure(now, limits);
        self.limits = limits;
        let command = self.target?;
        if !self.limits_anything() {
            self.next = None;
            return (!same).then_some(command);
        }
        let sample = self.sample(now, command);
        (!same).then_some(sample)
    }

    /// The present velocity if it is due.
    pub(crate) fn due(&mut self, now: Instant) -> Option<Command> {
        let command = self.target.filter(|_| self.next.is_some_and(|at| at <= now))?;
        Some(self.sample(now, command))
    }

    /// When the velocity is due again.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn sample(&mut self, now: Instant, command: Command) -> Command {
        let velocity = self.limiter.velocity(now);
        self.next = (!self.limiter.is_settled()).then(|| after(now, RATE));
        command.reduced_to(velocity)
    }

    fn limits_anything(&self) -> bool {
        self.limits != [Limits::OFF; 6]
    }
}

/// The first instant after `now` that is a whole number of periods of `rate` \[Hz] from the origin, rounded up to
/// nanoseconds.
fn after(now: Instant, rate: u32) -> Instant {
    const SECOND: u128 = 1_000_000_000;
    let rate = u128::from(rate.max(1));
    // now < 2^64 and rate < 2^32: no product overflows.
    let periods = u128::from(now.as_nanos()) * rate / SECOND + 1;
    Instant::from_nanos(u64::try_from((periods * SECOND).div_ceil(rate)).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_exact_and_lies_ahead() {
        let ms = Instant::from_millis;
        assert_eq!(after(ms(0), 50), ms(20));
        assert_eq!(after(ms(19), 50), ms(20));
        assert_eq!(after(ms(20), 50), ms(40));
        // 1/30 s = 33,333,333.3 ns; three of them are 100 ms again, without drift.
        let mut now = Instant::ZERO;
        let grid = [0; 3].map(|_| {
            now = after(now, 30);
            now.as_nanos()
        });
        assert_eq!(grid, [33_333_334, 66_666_667, 100_000_000]);
        // An hour at 30 Hz: 108,000 periods, the last one at 3600 s.
        let mut now = ms(3_599_900);
        (0..3).for_each(|_| now = after(now, 30));
        assert_eq!(now, ms(3_600_000));
        assert_eq!(after(Instant::from_nanos(u64::MAX), 1000), Instant::from_nanos(u64::MAX));
    }
}
