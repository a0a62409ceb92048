//! One axis alone, in plain numbers.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use limiter::{Limiter, Limits, Settings, Stop};
use safety::{Instant, Velocity};

pub fn nanos(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

/// The instant `t` \[s] after the origin.
pub fn at(t: f64) -> Instant {
    Instant::ZERO + Duration::from_secs_f64(t)
}

pub fn velocity(x: f64) -> Velocity {
    Velocity::new([x, 0.0, 0.0], [0.0; 3]).unwrap()
}

/// The axis linear x of a limiter, whose other axes are unlimited and at rest.
#[derive(Clone, Copy)]
pub struct Axis {
    pub limiter: Limiter,
    pub settings: Settings,
}

fn six(settings: &Settings) -> [Limits; 6] {
    let mut limits = [Limits::OFF; 6];
    limits[0] = Limits::new(settings).unwrap();
    limits
}

impl Axis {
    pub fn new(settings: Settings) -> Self {
        Self { limiter: Limiter::new(six(&settings)), settings }
    }

    /// At rest at `v` at `t`.
    pub fn resting_at(v: f64, settings: Settings, t: Instant) -> Self {
        let mut axis = Self::new(Settings::default());
        axis.aim(Instant::ZERO, v);
        axis.configure(Instant::ZERO, settings);
        axis.v(t);
        axis
    }

    pub fn aim(&mut self, now: Instant, x: f64) {
        self.limiter.aim(now, velocity(x));
    }

    pub fn stop(&mut self, now: Instant, how: Stop) {
        self.limiter.stop(now, how);
    }

    pub fn configure(&mut self, now: Instant, settings: Settings) {
        self.settings = settings;
        self.limiter.configure(now, six(&settings));
    }

    pub fn v(&mut self, now: Instant) -> f64 {
        self.limiter.velocity(now).linear()[0]
    }

    pub fn a(&mut self, now: Instant) -> f64 {
        self.limiter.acceleration(now).0[0]
    }

    /// Instants up to `end`, every `step` \[ns] and closely around each planned change.
    pub fn instants(mut self, now: Instant, end: Instant, step: u64) -> Vec<Instant> {
        let mut instants = vec![end];
        let (first, last) = (now.as_nanos(), end.as_nanos());
        instants.extend((first..last).step_by(step as usize).map(nanos));
        self.v(now);
        while let Some(change) = self.limiter.next_change().filter(|change| *change <= end) {
            let close = [-1000, -100, -10, -3, -2, -1, 0, 1, 2, 10, 1000];
            instants.extend(
                close.map(|by| nanos(change.as_nanos().saturating_add_signed(by).clamp(first, last))),
            );
            self.v(change);
        }
        instants.sort();
        instants
    }

    /// The target for `setpoint`.
    pub fn target(&self, setpoint: f64) -> f64 {
        if setpoint.abs() < self.settings.dead_band {
            0.0
        } else {
            setpoint.clamp(self.settings.min, self.settings.max)
        }
    }

    /// A limit as a number: infinite if off.
    pub fn bound(limit: f64) -> f64 {
        if limit == 0.0 { f64::INFINITY } else { limit }
    }
}
