use std::collections::VecDeque;

use units::Stamp;

use crate::device::{BeyondLimits, Device};
use crate::filter::Stick;
use crate::name::{free_port_name, port_name};
use crate::{DeviceId, DeviceState, Hat, JoyState, Output};

/// The publish task: the connected devices in the order they came, and which of them drives.
///
/// A device gets to drive only at the moment it is connected, or when parameters name it: pulling one out never hands
/// its vehicle to another that lies somewhere with a stick held down. With no name given, the first device to connect
/// drives, and after that only one of its model (its GUID), until the parameter `control_device` changes.
///
/// # Source
/// joystick-genom3 1.0 (batches, caps, names); own: which device the mappings read, of which the component says
/// nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Devices {
    list: Vec<Device>,
    /// Pulled out, but their ports are still to be closed.
    gone: Vec<Device>,
    /// The port of the device that shall drive; empty: none is named.
    wanted: String,
    /// The model that drove, where none is named.
    model: Option<String>,
    driver: Option<DeviceId>,
    /// How often the drive was given or taken: tells a handover also where the id stays.
    handovers: u64,
    /// Whether something happened to the device that drives, or another drives.
    driver_dirty: bool,
    /// `joy` last told of a device that drives no more.
    joy_lost: Option<JoyState>,
}

/// Why an event changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    UnknownDevice,
    BeyondLimits,
}

impl From<BeyondLimits> for Ignored {
    fn from(_: BeyondLimits) -> Self {
        Self::BeyondLimits
    }
}

impl Devices {
    pub(crate) fn new(control_device: &str) -> Self {
        Self { wanted: wanted(control_device), ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn contains(&self, id: DeviceId) -> bool {
        self.list.iter().any(|device| device.id == id)
    }

    /// The port of the device that drives.
    pub(crate) fn driver(&self) -> Option<&str> {
        self.driving().map(|device| device.name.as_str())
    }

    /// A number that changes whenever another device drives, or none.
    pub(crate) fn handovers(&self) -> u64 {
        self.handovers
    }

    /// The device that drives, for the filter; without one no axes and no buttons.
    pub(crate) fn stick(&self) -> Stick<'_> {
        self.driving().map_or(Stick::default(), |device| {
            let DeviceState { axes, buttons, .. } = device.state();
            Stick { axes, buttons }
        })
    }

    /// The device that is waited for.
    pub(crate) fn awaited(&self) -> Option<&str> {
        if self.driver.is_some() {
            None
        } else if self.wanted.is_empty() {
            self.model.as_deref()
        } else {
            Some(&self.wanted)
        }
    }

    fn driving(&self) -> Option<&Device> {
        self.list.iter().find(|device| Some(device.id) == self.driver)
    }

    fn find(&mut self, id: DeviceId) -> Result<&mut Device, Ignored> {
        self.list.iter_mut().find(|device| device.id == id).ok_or(Ignored::UnknownDevice)
    }

    /// Adds a device and gives the name of its port. The id must be new.
    pub(crate) fn connect(
        &mut self,
        id: DeviceId,
        name: &str,
        guid: String,
        axes: &[i16],
        buttons: &[bool],
        hats: &[Hat],
    ) -> String {
        let port = free_port_name(name, |name| self.list.iter().any(|device| device.name == name));
        let device = Device::new(id, port.clone(), guid, axes, buttons, hats);
        let elected = self.driver.is_none() && self.may_drive(&device);
        self.list.push(device);
        if elected {
            self.elect(id);
        }
        port
    }

    fn may_drive(&self, device: &Device) -> bool {
        if self.wanted.is_empty() {
            self.model.as_ref().is_none_or(|model| *model == device.guid)
        } else {
            self.wanted == device.name
        }
    }

    /// Lets the connected device `id` drive.
    fn elect(&mut self, id: DeviceId) {
        let model = self.list.iter().find(|device| device.id == id).map(|device| device.guid.clone());
        self.model = model.filter(|_| self.wanted.is_empty());
        if self.driver != Some(id) {
            self.driver = Some(id);
            self.driver_dirty = true;
            self.handovers = self.handovers.wrapping_add(1);
        }
    }

    /// Removes a device and gives the name of its port.
    pub(crate) fn disconnect(&mut self, id: DeviceId) -> Result<String, Ignored> {
        let index = self.list.iter().position(|device| device.id == id).ok_or(Ignored::UnknownDevice)?;
        let device = self.list.remove(index);
        let name = device.name.clone();
        if self.driver == Some(id) {
            self.dismiss(device.joy());
        }
        self.gone.push(device);
        Ok(name)
    }

    /// Takes the drive from the device that `joy` last told of.
    fn dismiss(&mut self, joy: JoyState) {
        self.driver = None;
        self.driver_dirty = true;
        self.handovers = self.handovers.wrapping_add(1);
        self.joy_lost = Some(neutral(joy));
    }

    /// Lets the first connected device drive that `control_device` allows, if that name is another than before.
    pub(crate) fn want(&mut self, control_device: &str) {
        let wanted = wanted(control_device);
        if wanted == self.wanted {
            return;
        }
        self.wanted = wanted;
        self.model = None;
        let next = self.list.iter().find(|device| self.may_drive(device)).map(|device| device.id);
        if next != self.driver
            && let Some(joy) = self.driving().map(Device::joy)
        {
            self.dismiss(joy);
        }
        if let Some(id) = next {
            self.elect(id);
        }
    }

    pub(crate) fn axis(&mut self, id: DeviceId, axis: usize, value: i16) -> Result<(), Ignored> {
        self.find(id)?.axis(axis, value)?;
        self.touched(id);
        Ok(())
    }

    /// Says whether a button of the device that drives went down just now.
    pub(crate) fn button(&mut self, id: DeviceId, button: usize, pressed: bool) -> Result<bool, Ignored> {
        let went_down = self.find(id)?.button(button, pressed)?;
        self.touched(id);
        Ok(went_down && self.driver == Some(id))
    }

    pub(crate) fn hat(&mut self, id: DeviceId, hat: usize, to: Hat) -> Result<(), Ignored> {
        self.find(id)?.hat(hat, to)?;
        self.touched(id);
        Ok(())
    }

    fn touched(&mut self, id: DeviceId) {
        self.driver_dirty |= self.driver == Some(id);
    }

    /// Whether the batch that ends has something to do with the device that drives, or drove.
    pub(crate) fn driver_dirty(&self) -> bool {
        self.driver_dirty
    }

    /// Publishes what changed, each device once: first what is gone, so that its name is free for a replug.
    pub(crate) fn publish(&mut self, stamp: Stamp, out: &mut VecDeque<Output>) {
        for mut device in self.gone.drain(..) {
            // Who came and went within one batch was never seen.
            if device.open {
                device.release();
                device.stamp(stamp);
                let name = device.name.clone();
                out.push_back(Output::PublishDevice { name, state: device.state().clone() });
                out.push_back(Output::CloseDevice { name: device.name });
            }
        }
        for device in self.list.iter_mut().filter(|device| device.dirty) {
            if !device.open {
                device.open = true;
                out.push_back(Output::OpenDevice { name: device.name.clone() });
            }
            device.dirty = false;
            device.stamp(stamp);
            out.push_back(Output::PublishDevice { name: device.name.clone(), state: device.state().clone() });
        }
        self.publish_joy(stamp, out);
    }

    /// Publishes `joy`, if the device that drives changed or is another; a lost one is told as let go.
    pub(crate) fn publish_joy(&mut self, stamp: Stamp, out: &mut VecDeque<Output>) {
        if let Some(joy) = self.joy_lost.take() {
            out.push_back(Output::PublishJoy(JoyState { stamp, ..joy }));
        }
        if core::mem::take(&mut self.driver_dirty)
            && let Some(device) = self.driving()
        {
            out.push_back(Output::PublishJoy(JoyState { stamp, ..device.joy() }));
        }
    }

    /// Lets go of what `joy` last told, for the end.
    pub(crate) fn release_joy(&mut self, stamp: Stamp, out: &mut VecDeque<Output>) {
        let last = self.joy_lost.take().or_else(|| self.driving().map(Device::joy));
        out.extend(last.map(|joy| Output::PublishJoy(JoyState { stamp, ..neutral(joy) })));
    }
}

/// The port that a user means who writes either the port or what SDL calls the device.
fn wanted(control_device: &str) -> String {
    if control_device.is_empty() { String::new() } else { port_name(control_device) }
}

fn neutral(mut joy: JoyState) -> JoyState {
    joy.axes.fill(0.0);
    joy.buttons.fill(0);
    joy
}
