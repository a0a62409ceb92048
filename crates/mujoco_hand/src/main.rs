//! The process of MuJoCo's hand. The node `haptix` starts it; `mujoco_hand --bench` measures it.

use std::process::ExitCode;

use haptix::Model;
use mujoco_hand::{Measured, MujocoHand, measure};
use remote_hand::{Start, serve, socket_of_stdin};

const USAGE: &str =
    "mujoco_hand is started by the node haptix, whose parameter `device` is then mujoco:<device>.
By hand: mujoco_hand --bench measures a step of MuJoCo's hand beside mj_step alone.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => socket_of_stdin()
            .and_then(|socket| socket.peer_addr().map(|_| socket))
            .map_err(|_| USAGE.to_owned())
            .and_then(|socket| serve(socket, make).map_err(|error| format!("mujoco_hand: {error}"))),
        ["--bench"] => bench(),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn make(start: &Start) -> Result<MujocoHand, String> {
    let model = Model::parse(&start.description).map_err(|error| error.to_string())?;
    MujocoHand::new(model, start.seed)
}

/// One line for each device, without and with something to touch: names and numbers \[µs\].
fn bench() -> Result<(), String> {
    for name in ["mpl", "two_finger"] {
        for (what, is_touching) in [("free", false), ("ball", true)] {
            let Measured { step, bare, read } = measure(name, is_touching)?;
            let values = [("step", step), ("mj_step", bare), ("read", read)];
            let micros = |nanos: u128| nanos as f64 / 1000.0;
            let values = values.map(|(name, [p50, p99])| {
                format!("{name}_p50_us={:.2} {name}_p99_us={:.2}", micros(p50), micros(p99))
            });
            println!("device={name} objects={what} {}", values.join(" "));
        }
    }
    Ok(())
}
