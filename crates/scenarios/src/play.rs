use core::fmt::Display;

use crate::{Dice, Episode, Setup, Vehicle, World};

/// Episodes that are played if nobody asks for more.
const EPISODES: u64 = 400;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The seed of the episodes that are played every time.
const SEED: u64 = 1;

/// What is played before an episode that is played again: some faults are met by what the one before left.
const BEFORE: usize = 3;

/// Plays `EPISODES` episodes of one seed, and as many of `EPISODES_SEED` if there is one, to a vehicle that `make` makes, and those
/// that once `failed`: their seed and number. What a vehicle cannot have, which `skips` says, is left out.
/// # Errors
/// The first that has not its bound or its way back, with its seed, and what `tells` says of the vehicle then.
pub fn play<V: Vehicle, T: Display>(
    failed: &[(u64, usize)],
    setup: Setup,
    make: impl Fn() -> V,
    skips: impl Fn(&Episode) -> bool,
    tells: impl Fn(&V) -> T,
) -> Result<(), String> {
    let episodes = number("EPISODES").unwrap_or(EPISODES) as usize;
    let again = failed.iter().map(|(seed, number)| (*seed, number.saturating_sub(BEFORE)..number + 1));
    let drawn = [Some(SEED), number("EPISODES_SEED")].into_iter().flatten().map(|seed| (seed, 0..episodes));
    for (seed, numbers) in again.chain(drawn) {
        let mut world = World::new(make(), setup);
        world.start()?;
        let dice = Dice::new(seed, setup).enumerate();
        for (number, episode) in dice.take(numbers.end).skip(numbers.start) {
            if skips(&episode) {
                continue;
            }
            world.play(&episode).map_err(|what| {
                format!("seed {seed}, episode {number} ({episode}): {what}; {}", tells(world.vehicle()))
            })?;
        }
    }
    Ok(())
}
