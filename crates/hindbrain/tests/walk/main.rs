//! try
mod alphabet; mod invariants; mod packed; mod table; mod walker; mod witness;
use alphabet::*; use hindbrain::core::*; use walker::Model;
#[test]
fn try_it() {
    let mut a = Alphabet::new(&[(0,0),(1000,0),(-1000,0)]);
    a.command.push(NO_COMMAND);
    a.dt = vec![T, 501_000_000];
    a.estop = LEVELS.into(); a.reset = LEVELS.into(); a.enable = LEVELS.into();
    let t = std::time::Instant::now();
    let m = Model { name: "stops", text: "", params: CoreParams { estop_required: true, ..CoreParams::default() }, inputs: a.snapshots(), reaches: vec![[66,66],[-66,-66]] };
    let f = m.walk();
    println!("{} states {} inputs {} edges {:?} rest {:?} {:?}", f.states, m.inputs.len(), f.edges, t.elapsed(), f.rest, f.moves());
    println!("{:?} {:?}", f.rules().collect::<Vec<_>>(), f.published().collect::<Vec<_>>());
}
