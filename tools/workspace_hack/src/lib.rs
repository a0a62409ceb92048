//! Nothing but its `Cargo.toml`, which explains it.
