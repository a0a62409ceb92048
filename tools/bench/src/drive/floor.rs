//! The least that any program has to do with a command, or with a stick event.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;

use hindbrain::Motors;
use safety::{Command, Instant, Stamp, Velocity};
use zones::Stick;

/// Whether every source was received within its timeout.
pub fn fresh(received: &[(Instant, Duration)], now: Instant) -> bool {
    received.iter().all(|(at, timeout)| now.since(*at) <= *timeout)
}

/// The command into a queue and out of it.
pub fn through(queue: &mut VecDeque<Command>, command: Command) -> Option<Command> {
    black_box(&mut *queue).push_back(command);
    black_box(queue).pop_front()
}

/// Each axis a bounded step nearer to the command.
pub fn limited(held: &mut [f64; 6], command: Command) -> Command {
    const STEP: f64 = 0.005;
    let wanted = parts(command.velocity);
    for (held, wanted) in held.iter_mut().zip(wanted) {
        *held += (wanted - *held).clamp(-STEP, STEP);
    }
    let [x, y, z, ax, ay, az] = *held;
    match Velocity::new([x, y, z], [ax, ay, az]) {
        Ok(velocity) => Command { velocity, ..command },
        Err(_) => command,
    }
}

/// The count of an axis as the values of both motors: a velocity, its direction, what is allowed in that, a command.
pub fn motors(queue: &mut VecDeque<Command>, count: i16, allowed: f64, stamp: Stamp) -> Motors {
    let forward = f64::from(count) / -32767.0;
    let stick = Stick::new(100.0 * forward, 0.0);
    let left = stick.direction().min(allowed) - stick.direction();
    let command = Velocity::planar(forward.min(allowed), left.min(allowed))
        .ok()
        .and_then(|velocity| through(queue, Command::new(velocity, stamp)));
    let Some(command) = command else { return Motors::stop(stamp) };
    let [forward, _, _, _, _, turn] = parts(command.velocity);
    Motors::from_levels([forward - turn, forward + turn].map(|level| (66.0 * level) as i16), command.stamp)
}

fn parts(velocity: Velocity) -> [f64; 6] {
    let ([x, y, z], [ax, ay, az]) = (velocity.linear(), velocity.angular());
    [x, y, z, ax, ay, az]
}
