//! The proof of the stop machine: every state that events can reach, against an oracle written from the document alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod act;
mod books;
mod models;
mod oracle;
mod pair;
mod walker;
mod wheel;

use models::{Model, Part, Scale};
use pair::Pair;
use walker::{Visitor, walk};

struct Blind;

impl Visitor for Blind {
    fn edge(&mut self, _: &Pair, _: &Pair) -> Result<(), String> {
        Ok(())
    }
    fn state(&mut self, _: &Pair, _: u128) -> Result<(), String> {
        Ok(())
    }
    fn again(&mut self, _: &Pair, _: u128) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn singles() {
    for strict in [true, false] {
        for part in Part::ALL.into_iter().filter(|p| std::env::var("PART").is_ok_and(|v| v.contains(&format!("{p:?}")))) {
            let model = Model::new(&[part], strict, Scale::Small);
            match walk(&model, 300_000, &mut Blind) {
                Ok(walk) => println!("{}: {walk:?}", model.name),
                Err(what) => println!("{what}\n"),
            }
        }
    }
}

#[test]
fn probe() {
    use act::{*, Wait::*};
    let m = Model::new(&[Part::Overrun], true, Scale::Small);
    for (f, t) in [(0, 60), (20, 60), (40, 60), (60, 60), (60,80), (40,80), (0,40), (-1, 60), (-1, 40)] {
        let mut p = Pair::new(m.params, m.cap).unwrap();
        const MS: i64 = 1_000_000;
        if f < 0 { let _ = p.go(Edge(Alone(0), Act::Enable(false)), &[]); }
        let _ = p.go(Edge(Alone(260 * MS), Act::Nothing), &[]);
        if f >= 0 { let _ = p.go(Edge(Served(f * MS), Act::Enable(false)), &[]); }
        let _ = p.go(Edge(Served((t - f.max(0)) * MS), Act::Enable(true)), &[]);
        println!("{f} {t}: {}", p.causes());
    }
    for part in [Part::Overrun, Part::FrontPort, Part::Stamps] {
    let m = Model::new(&[part], true, Scale::Small);
    struct Spy(std::collections::BTreeMap<&'static str, std::collections::BTreeMap<String, usize>>);
    impl Visitor for Spy {
        fn edge(&mut self, _: &Pair, _: &Pair) -> Result<(), String> { Ok(()) }
        fn state(&mut self, p: &Pair, _: u128) -> Result<(), String> {
            let k = format!("{:?}", p.machine.key());
            let mut n = |name: &'static str, from: &str| if let Some(at) = k.find(from) { 
                let s: String = k[at..].chars().take(260).take_while(|&c| c != '}').collect();
                *self.0.entry(name).or_default().entry(s).or_default() += 1; };
            n("command", "command: "); n("enable", "enable: "); n("sensor", "sensors: ["); n("commands", "commands: "); n("meas", "measurements: "); n("tick", "unstepped: ");
            Ok(())
        }
        fn again(&mut self, _: &Pair, _: u128) -> Result<(), String> { Ok(()) }
    }
    let mut spy = Spy(Default::default());
    let _ = walk(&m, 20_000, &mut spy);
    for (n, m) in spy.0 { println!("{n} {}: {:?}", m.len(), m.into_iter().rev().take(6).collect::<Vec<_>>()); }
    }
    let p = Pair::new(m.params, m.cap).unwrap();
    println!("{:?}", p.machine.key());
}
