//! The samples equal their reviewed files.

#[path = "../examples/draw/samples.rs"]
mod samples;
#[path = "../examples/draw/svg.rs"]
mod svg;

/// The file that the example wrote and a person reviewed.
fn golden(name: &str) -> &'static str {
    match name {
        "front_limited" => include_str!("golden/front_limited.svg"),
        "way_out" => include_str!("golden/way_out.svg"),
        "held" => include_str!("golden/held.svg"),
        "stale" => include_str!("golden/stale.svg"),
        _ => "",
    }
}

#[test]
fn samples_are_drawn_as_in_their_files() {
    for (name, snapshot) in samples::all() {
        assert!(
            svg::svg(&snapshot) == golden(name),
            "{name}.svg differs from the drawing; review it after `cargo run -p pictures --example draw -- \
             crates/pictures/tests/golden`"
        );
    }
}
