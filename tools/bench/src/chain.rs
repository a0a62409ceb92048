use processes::Folder;
use ros::{Error, Stop};

use crate::arguments::Arguments;
use crate::chain_table::Table;
use crate::child;
use crate::evdev;
use crate::hand::Hand;
use crate::round::Stage;
use crate::subject::SUBJECTS;

/// Measures all rounds, one subject alive at a time, and the mocked pad.
/// # Errors
/// A process does not start, ends, or nothing arrives; the output of the processes is shown.
pub fn measure(
    context: &r2r::Context,
    arguments: &Arguments,
    folder: &Folder,
    stop: &Stop,
) -> Result<Table, Error> {
    let mut node =
        r2r::Node::create(context.clone(), "bench", "").map_err(Error::ros("make the node 'bench'"))?;
    let (hand, control) = Hand::new(&mut node)?;
    let parameters = include_str!("stack.yaml");
    let stage = Stage {
        context,
        stop,
        hand: control,
        folder,
        parameters: &folder.put("stack.yaml", parameters).map_err(child::failed)?,
        window: arguments.window(),
    };
    std::thread::scope(|scope| {
        scope.spawn(move || hand.run());
        let mut table = rounds(&stage, arguments.rounds)?;
        eprintln!("bench: a mocked pad of evdev");
        let no_virtual: Vec<&str> = parameters.lines().filter(|line| !line.contains("_device:")).collect();
        let parameters = &folder.put("evdev.yaml", &no_virtual.join("\n")).map_err(child::failed)?;
        table.evdev = evdev::measure(&Stage { parameters, ..stage }, arguments.rounds)?;
        Ok(table)
    })
}

fn rounds(stage: &Stage<'_>, rounds: u32) -> Result<Table, Error> {
    let mut table = Table::new(stage.window);
    for round in 1..=rounds {
        for (number, pair) in SUBJECTS.chunks_exact(2).enumerate() {
            let [subject, bare] = pair else { continue };
            eprintln!("bench: round {round} of {rounds}: {} and {}", subject.name, bare.name);
            let figures = stage.measure(subject, bare);
            if stage.stop.is_set() {
                return Err(Error::Start("interrupted".into()));
            }
            table.add(2 * number, figures?);
        }
    }
    Ok(table)
}
