//! hindbrain.
