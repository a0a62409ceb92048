use std::time::Duration;

use ros::{Latency, Shell, Stop, clock};
use simulator::Params;

use crate::children::Children;
use crate::error::Error;
use crate::screen;
use crate::vehicle::machine::{Input, Operator};
use crate::vehicle::stages::Stage;
use crate::vehicle::view::{self, Figures, Picture};

/// Time from figures to figures: sorting thousands of latencies is not for every frame.
const FIGURES: Duration = Duration::from_millis(500);

/// Draws the screen and passes keys on until the user quits.
/// # Errors
/// A node ended, or the terminal cannot be used.
pub fn run(
    shell: &Shell<Operator>,
    children: &mut Children,
    stop: &Stop,
    gamepad: Option<&str>,
    domain: u8,
) -> Result<(), Error> {
    let world = Params::default();
    let mut figures = [Figures::default(); 4];
    let mut figures_due = clock::now();
    let draw = |frame: &mut ratatui::Frame<'_>, now| {
        if now >= figures_due {
            figures_due = now + FIGURES;
            figures = measure(shell);
        }
        let (observed, operator_input, pilot, step, missing) = shell.inspect(|operator| {
            let (observed, input) = (operator.observed.clone(), operator.operator_input());
            (observed, input, operator.pilot, operator.step(), operator.missing())
        });
        let picture = Picture {
            observed: &observed,
            operator_input,
            pilot,
            step,
            missing: &missing,
            figures: &figures,
            world: &world,
            gamepad,
            domain,
            now,
        };
        view::draw(frame, &picture);
    };
    screen::run(children, stop, draw, |key| shell.deliver(Input::KeyPressed(key)))
}

/// Copies under the lock and sorts outside it, so no message waits for a figure.
fn measure(shell: &Shell<Operator>) -> [Figures; 4] {
    Stage::ALL.map(|stage| {
        let (rate, latency): (Option<f64>, Latency) = shell.inspect(|operator| {
            let traffic = operator.traffic(stage);
            (traffic.rate(), traffic.latency.clone())
        });
        Figures { rate, latency: latency.quantiles() }
    })
}
