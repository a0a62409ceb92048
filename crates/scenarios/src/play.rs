use core::fmt::Display;

use crate::{Dice, Episode, Setup, Vehicle, World};

/// Episodes that are played if nobody asks for more.
const EPISODES: u64 = 400;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Plays the episodes of each of the `seeds`, and of `EPISODES_SEED`, `EPISODES` of each, to a vehicle that `make` makes; those that
/// it cannot have, which `skips` says, are left out.
/// # Errors
/// The first that has not its bound or its way back, with its seed, and what `tells` says of the vehicle then.
pub fn play<V: Vehicle, T: Display>(
    seeds: &[u64],
    setup: Setup,
    make: impl Fn() -> V,
    skips: impl Fn(&Episode) -> bool,
    tells: impl Fn(&V) -> T,
) -> Result<(), String> {
    let episodes = number("EPISODES").unwrap_or(EPISODES) as usize;
    for seed in seeds.iter().copied().chain(number("EPISODES_SEED")) {
        let mut world = World::new(make(), setup);
        world.start()?;
        for (number, episode) in Dice::new(seed, setup).take(episodes).enumerate() {
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
