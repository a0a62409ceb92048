use core::fmt::Display;

use crate::{Episode, Episodes, Setup, Vehicle, World};

/// The number of episodes if the environment sets none.
const EPISODES: u64 = 400;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The seed of the episodes that are played every time.
const SEED: u64 = 1;

/// How many earlier episodes are played before a repeated one: some failures depend on the state that the previous episode
/// left.
const EPISODES_BEFORE: usize = 3;

/// Plays `EPISODES` episodes of one seed, and as many of the seed `EPISODES_SEED` if it is set, to a vehicle that `make`
/// creates, and those that once `failed`: their seed and number. Episodes that the vehicle does not support are left out;
/// `skips` selects them.
/// # Errors
/// The first episode that violates its bound or its recovery, with its seed and the vehicle's description by `describe`.
pub fn play<V: Vehicle, T: Display>(
    failed: &[(u64, usize)],
    setup: Setup,
    make: impl Fn() -> V,
    skips: impl Fn(&Episode) -> bool,
    describe: impl Fn(&V) -> T,
) -> Result<(), String> {
    let episodes = number("EPISODES").unwrap_or(EPISODES) as usize;
    let again =
        failed.iter().map(|(seed, number)| (*seed, number.saturating_sub(EPISODES_BEFORE)..number + 1));
    let new = [Some(SEED), number("EPISODES_SEED")].into_iter().flatten().map(|seed| (seed, 0..episodes));
    for (seed, numbers) in again.chain(new) {
        let mut world = World::new(make(), setup);
        world.start()?;
        let all = Episodes::new(seed, setup).enumerate();
        for (number, episode) in all.take(numbers.end).skip(numbers.start) {
            if skips(&episode) {
                continue;
            }
            world.play(&episode).map_err(|what| {
                format!("seed {seed}, episode {number} ({episode}): {what}; {}", describe(world.vehicle()))
            })?;
        }
    }
    Ok(())
}
