use std::collections::BTreeMap;

use joystick::{DeviceId, Hat, Input};

/// What the connected devices look like at rest, to let all of them go when nobody reads them any more.
#[derive(Debug, Default)]
pub struct Held {
    devices: BTreeMap<u32, Rest>,
}

#[derive(Debug)]
struct Rest {
    axes: Vec<i16>,
    buttons: usize,
    hats: usize,
}

impl Held {
    /// Notes devices that come and go.
    pub fn see(&mut self, input: &Input) {
        match input {
            Input::DeviceConnected { id, axes, buttons, hats, .. } => {
                let rest = Rest { axes: axes.clone(), buttons: buttons.len(), hats: hats.len() };
                self.devices.insert(id.0, rest);
            }
            Input::TriggersKnown { id, axes } => {
                let sticks =
                    self.devices.get_mut(&id.0).into_iter().flat_map(|rest| rest.axes.iter_mut().enumerate());
                sticks.filter(|(axis, _)| !axes.contains(axis)).for_each(|(_, value)| *value = 0);
            }
            Input::DeviceDisconnected { id } => drop(self.devices.remove(&id.0)),
            _ => {}
        }
    }

    /// The events that bring every device to rest: buttons first, a dead-man among them.
    pub fn let_go(&self) -> Vec<Input> {
        let mut inputs = Vec::new();
        for (&id, rest) in &self.devices {
            let id = DeviceId(id);
            inputs.extend((0..rest.buttons).map(|button| Input::ButtonChanged {
                id,
                button,
                pressed: false,
            }));
            let axes = rest.axes.iter().enumerate();
            inputs.extend(axes.map(|(axis, &value)| Input::AxisMoved { id, axis, value }));
            inputs.extend((0..rest.hats).map(|hat| Input::HatMoved { id, hat, state: Hat::default() }));
        }
        inputs.push(Input::BatchEnded);
        inputs
    }
}

#[cfg(test)]
mod tests {
    use joystick::{Joystick, Output, Params};
    use units::{Instant, Machine};

    use super::*;

    #[test]
    fn letting_go_brings_every_device_to_rest() {
        let id = DeviceId(3);
        let connected = Input::DeviceConnected {
            id,
            name: "Pad".into(),
            guid: String::new(),
            serial: String::new(),
            path: String::new(),
            links: vec![],
            axes: vec![0, -32768],
            buttons: vec![false, false],
            hats: vec![Hat::default()],
        };
        let mut held = Held::default();
        held.see(&connected);
        let mut machine = Joystick::new(Params::default());
        let moved = [
            connected,
            Input::AxisMoved { id, axis: 1, value: 32767 },
            Input::ButtonChanged { id, button: 1, pressed: true },
            Input::HatMoved { id, hat: 0, state: Hat { up: true, ..Hat::default() } },
            Input::BatchEnded,
        ];
        for input in moved.into_iter().chain(held.let_go()) {
            machine.handle(Instant::from_millis(1), input);
        }
        let mut last = None;
        while let Some(output) = machine.poll(Instant::from_millis(1)) {
            if let Output::PublishDevice { state, .. } = output {
                last = Some((state.axes, state.buttons));
            }
        }
        // Two axes at their rest, then vertical and horizontal of the hat.
        assert_eq!(last, Some((vec![0, -32768, 0, 0], vec![false, false])));
    }

    #[test]
    fn a_stick_that_was_held_at_the_plug_is_let_go_to_its_middle() {
        let id = DeviceId(3);
        let (name, guid, serial, path) = Default::default();
        let (axes, links) = (vec![-32768, -32768], vec![]);
        let (buttons, hats) = (vec![], vec![]);
        let mut held = Held::default();
        held.see(&Input::DeviceConnected { id, name, guid, serial, path, links, axes, buttons, hats });
        held.see(&Input::TriggersKnown { id, axes: vec![1] });
        let axis = |axis, value| Input::AxisMoved { id, axis, value };
        let rest = [axis(0, 0), axis(1, -32768), Input::BatchEnded];
        assert_eq!(format!("{:?}", held.let_go()), format!("{rest:?}"));
    }

    #[test]
    fn a_device_that_went_is_forgotten() {
        let mut held = Held::default();
        held.see(&Input::DeviceDisconnected { id: DeviceId(1) });
        assert_eq!(held.let_go().len(), 1, "only the end of the batch");
    }
}
