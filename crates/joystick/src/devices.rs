use std::collections::VecDeque;

use safety::{Likeness, Stamp};

use crate::choice::Choice;
use crate::device::{BeyondLimits, Device, Identity};
use crate::name::{free_port_name, legal_name};
use crate::names::{Bindings, Names, Unnamed};
use crate::stick::Stick;
use crate::virtual_device::ID as VIRTUAL;
use crate::{DeviceId, Hat, Mappings, Output, Params, RenameRefused};

/// The publish task: the connected devices in order of connection, and which of them drives.
///
/// One rule selects the driver whenever a device connects, disconnects, is renamed or pressed:
///
/// 1. A device may drive if [`Choice`] allows it, it has every input that the mappings name, and it is the latest appearance of its identity: the last of those with its GUID
///    and its serial number to connect or to be pressed. The others are frozen, and count as lost. While a device may drive, one
///    drives.
/// 2. A device that `control_device` names exactly precedes one whose port or model it names.
/// 3. Among equals the past decides. The device that drives stays. After a loss the one that connected or was pressed last gets
///    to drive, until a button of the driving one is pressed, or the lost one comes back.
///
/// A device that gets to drive commands nothing before its axes were at rest and a button was pressed after that: the filter's rule.
/// So a loss never hands motion to a device that happens to lie somewhere with its stick deflected.
///
/// # Source
/// joystick-genom3 1.0 (batches, caps, names); own: which device the mappings read, which the component does not
/// specify; what a device is, as in [`safety::identity`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Devices {
    list: Vec<Device>,
    /// Disconnected devices whose ports are still to be closed.
    disconnected: Vec<Device>,
    choice: Choice,
    /// The mappings as the parameters give them, and the names among them.
    mappings: (Mappings, Names),
    /// The names of the device that drives or drove last.
    bindings: Bindings,
    driver: Option<DeviceId>,
    /// The device that drives or drove last.
    former: Option<(DeviceId, Identity)>,
    /// The driving device that was lost, until it is back or a button of its successor was pressed.
    lost: Option<Identity>,
    /// The number of connections and presses so far.
    signs: u64,
    /// Whether the driving device is not the one that drove before.
    new_driver: bool,
    /// Counts how often the driving device changed; detects a handover even if the id stays the same.
    handovers: u64,
    /// Whether the driving device changed its state, or another device drives.
    driver_dirty: bool,
}

/// Why an event was ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    UnknownDevice,
    BeyondLimits,
    Name,
}

impl From<BeyondLimits> for Ignored {
    fn from(_: BeyondLimits) -> Self {
        Self::BeyondLimits
    }
}

impl Devices {
    pub(crate) fn new(params: &Params) -> Self {
        let mappings = (params.mappings, params.names);
        Self { choice: Choice::new(&params.control_device), mappings, ..Self::default() }
    }

    /// The mappings with the numbers that their names have on the device that drives or drove last. Without one a name
    /// has a number that no device has.
    pub(crate) fn mappings(&self) -> Mappings {
        let (mappings, names) = &self.mappings;
        names.resolve(mappings, &self.bindings).unwrap_or(*mappings)
    }

    /// The names that the parameters give.
    pub(crate) fn mapped_names(&self) -> &Names {
        &self.mappings.1
    }

    /// Applies new mappings: the driving device stops driving if it lacks an input that they name, and another one may
    /// begin to.
    pub(crate) fn remap(&mut self, mappings: Mappings, names: Names) {
        self.mappings = (mappings, names);
        let mut is_news = false;
        for device in &mut self.list {
            let unnamed = names.unnamed(&mappings, &device.bindings);
            is_news |= unnamed.is_empty() != device.unnamed.is_empty();
            device.unnamed = unnamed;
        }
        if self.driving().is_some_and(|device| !device.unnamed.is_empty()) {
            self.hand_over(None);
        }
        if is_news {
            self.select_driver();
        }
    }

    /// The devices that may not drive because of names, with the parameters that give them.
    pub(crate) fn unnamed(&self) -> impl Iterator<Item = (&str, &[Unnamed])> {
        let refused =
            self.list.iter().filter(|device| self.choice.allows(device) && !device.unnamed.is_empty());
        refused.map(|device| (device.name.as_str(), device.unnamed.as_slice()))
    }

    fn may_drive(&self, device: &Device) -> bool {
        self.choice.allows(device) && device.unnamed.is_empty() && self.is_live(device)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn contains(&self, id: DeviceId) -> bool {
        self.list.iter().any(|device| device.id == id)
    }

    /// SDL's instance id of the device that drives.
    pub(crate) fn driver_id(&self) -> Option<DeviceId> {
        self.driver
    }

    /// Whether the virtual device drives.
    pub(crate) fn is_virtual(&self) -> bool {
        self.driver == Some(VIRTUAL)
    }

    /// The port of the device that drives.
    pub(crate) fn driver(&self) -> Option<&str> {
        self.driving().map(|device| device.name.as_str())
    }

    /// A number that changes whenever another device, or none, starts to drive.
    pub(crate) fn handovers(&self) -> u64 {
        self.handovers
    }

    /// Whether a device began to drive, since the last call, that is not the one that drove before it.
    ///
    /// A device counts as the same if it stayed connected, or if it came back: see [`safety::identity`].
    pub(crate) fn take_new_driver(&mut self) -> bool {
        core::mem::take(&mut self.new_driver)
    }

    /// The driving device for the filter.
    pub(crate) fn stick(&self) -> Stick<'_> {
        Stick(self.driving())
    }

    /// Whether the driving device is being read.
    pub(crate) fn is_read(&self) -> bool {
        self.driving().is_none_or(|device| device.is_read)
    }

    /// Whether a button of the driving device is down but does not count, because it was pressed before it had a
    /// meaning.
    pub(crate) fn must_be_released(&self, button: usize) -> bool {
        self.stick().must_be_released(button)
    }

    /// Whether a connected device is not being read.
    pub(crate) fn has_unread(&self) -> bool {
        self.list.iter().any(|device| !device.is_read)
    }

    /// The awaited device.
    pub(crate) fn awaited(&self) -> Option<&str> {
        if self.driver.is_some() { None } else { self.choice.awaited() }
    }

    pub(crate) fn driving(&self) -> Option<&Device> {
        self.list.iter().find(|device| Some(device.id) == self.driver)
    }

    /// The ports in the order of connection.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|device| device.name.as_str())
    }

    fn find(&mut self, id: DeviceId) -> Result<&mut Device, Ignored> {
        self.list.iter_mut().find(|device| device.id == id).ok_or(Ignored::UnknownDevice)
    }

    /// Adds a device. Returns the name of its port, and that of the device whose identity it has and which is frozen from now
    /// on. The id must be new.
    pub(crate) fn connect(
        &mut self,
        id: DeviceId,
        identity: Identity,
        bindings: Bindings,
        axes: &[i16],
        buttons: &[bool],
        hats: &[Hat],
    ) -> (String, Option<String>) {
        let port = free_port_name(&identity.label, |name| self.list.iter().any(|device| device.name == name));
        let mut device = Device::new(id, port.clone(), identity, axes, buttons, hats);
        device.name_inputs(bindings.within(axes.len(), buttons.len()));
        let (mappings, names) = &self.mappings;
        device.unnamed = names.unnamed(mappings, &device.bindings);
        let same = |other: &&Device| other.identity.likeness(&device.identity) == Likeness::Same;
        let frozen = self.list.iter().filter(same).max_by_key(|other| other.last_sign);
        let frozen = frozen.map(|other| other.name.clone());
        device.last_sign = self.next_sign();
        let is_back =
            self.lost.as_ref().is_some_and(|lost| lost.likeness(&device.identity) == Likeness::Same);
        self.list.push(device);
        self.select_driver();
        if is_back && self.driver == Some(id) {
            self.lost = None;
        }
        (port, frozen)
    }

    fn next_sign(&mut self) -> u64 {
        self.signs = self.signs.saturating_add(1);
        self.signs
    }

    /// Whether no device of the same identity connected or was pressed after this one.
    fn is_live(&self, device: &Device) -> bool {
        let later = |other: &Device| {
            other.last_sign > device.last_sign && other.identity.likeness(&device.identity) == Likeness::Same
        };
        !self.list.iter().any(later)
    }

    /// Makes the device drive that the rule of [`Devices`] selects.
    fn select_driver(&mut self) {
        if let Some(frozen) = self.driving().filter(|device| !self.is_live(device)) {
            let identity = frozen.identity.clone();
            self.lose_driver(identity);
        }
        let allowed = self.list.iter().filter(|device| self.may_drive(device));
        let best = allowed.max_by_key(|device| (self.choice.is_exact(device), device.last_sign));
        let next = match (self.driving(), best) {
            (Some(driver), Some(best)) if self.lost.is_none() => {
                let is_better = self.choice.is_exact(best) && !self.choice.is_exact(driver);
                is_better.then_some(best.id)
            }
            (_, best) => best.map(|device| device.id),
        };
        if let Some(id) = next.filter(|_| next != self.driver) {
            self.elect(id);
        }
    }

    fn lose_driver(&mut self, identity: Identity) {
        self.hand_over(None);
        self.lost.get_or_insert(identity);
    }

    /// Makes the connected device `id` the driving device.
    fn elect(&mut self, id: DeviceId) {
        let former = self.former.take().map(|(before, identity)| (before, self.contains(before), identity));
        let Some(device) = self.list.iter_mut().find(|device| device.id == id) else { return };
        self.choice.record_driver(device);
        self.former = Some((id, device.identity.clone()));
        self.bindings = device.bindings.clone();
        if self.driver != Some(id) {
            // Buttons held now were pressed before they had a meaning.
            device.forget_presses();
            let other = core::mem::take(&mut device.is_other);
            let new_driver =
                former.is_some_and(|(before, there, identity)| match identity.likeness(&device.identity) {
                    Likeness::Same => false,
                    Likeness::Indistinguishable => other || (there && before != id),
                    Likeness::Other => true,
                });
            self.hand_over(Some(id));
            // Nothing says which pad moves the virtual device: whenever it connects, it is another one.
            self.new_driver |= new_driver || id == VIRTUAL;
        }
    }

    fn hand_over(&mut self, to: Option<DeviceId>) {
        self.driver = to;
        self.driver_dirty = true;
        self.handovers = self.handovers.wrapping_add(1);
    }

    /// Removes a device and returns the name of its port.
    pub(crate) fn disconnect(&mut self, id: DeviceId) -> Result<String, Ignored> {
        let name = self.remove(id)?;
        self.select_driver();
        Ok(name)
    }

    /// Removes a device that another one of the same id replaces: that one is connected before another driver is selected.
    pub(crate) fn remove(&mut self, id: DeviceId) -> Result<String, Ignored> {
        let index = self.list.iter().position(|device| device.id == id).ok_or(Ignored::UnknownDevice)?;
        let device = self.list.remove(index);
        let name = device.name.clone();
        if self.driver == Some(id) {
            self.lose_driver(device.identity.clone());
        }
        if self.former.as_ref().is_some_and(|(former, _)| *former == id) {
            // Devices connected at the same time cannot be the same device plugged in again.
            self.list.iter_mut().for_each(|device| device.is_other = true);
        }
        self.disconnected.push(device);
        Ok(name)
    }

    /// Applies a new `control_device`: an allowed device drives, the first to connect unless one already drives.
    pub(crate) fn set_control_device(&mut self, control_device: &str) {
        if self.choice.is(control_device) {
            return;
        }
        self.choice = Choice::new(control_device);
        self.lost = None;
        // The driving device stays unless another one matches better.
        let live = self.driving().into_iter().chain(&self.list).filter(|device| self.may_drive(device));
        let next = self.choice.best(live).map(|device| device.id);
        if self.driver.is_some() && next != self.driver {
            self.hand_over(None);
        }
        if let Some(id) = next {
            self.elect(id);
        }
    }

    /// Resolves a rename request to the device and its new port, or `None` if the device already has that name.
    pub(crate) fn renaming(
        &self,
        name: &str,
        newname: &str,
    ) -> Result<Option<(DeviceId, String)>, RenameRefused> {
        let device =
            self.list.iter().find(|device| device.name == name).ok_or(RenameRefused::UnknownDevice)?;
        let port = legal_name(newname).ok_or_else(|| RenameRefused::NothingLeft { name: newname.into() })?;
        if port == device.name {
            return Ok(None);
        }
        if self.is_taken(&port) {
            return Err(RenameRefused::Taken { name: port });
        }
        Ok(Some((device.id, port)))
    }

    /// Whether a port name is in use; a disconnected device holds its name until its topic is closed.
    fn is_taken(&self, port: &str) -> bool {
        self.list.iter().chain(&self.disconnected).any(|device| device.name == port)
    }

    /// The devices are no longer read, except the virtual one, which has its own input. Returns whether the driving
    /// device is affected.
    pub(crate) fn lose_reading(&mut self) -> bool {
        self.list.iter_mut().filter(|device| device.id != VIRTUAL).for_each(Device::lose);
        let is_lost = self.driver.is_some_and(|id| id != VIRTUAL);
        self.driver_dirty |= is_lost;
        is_lost
    }

    /// Releases all devices and marks them for publication; called when the node ends.
    pub(crate) fn release_all(&mut self) {
        for device in self.list.iter_mut().filter(|device| device.open) {
            device.release();
            device.dirty = true;
        }
    }

    /// A device is read again.
    pub(crate) fn read(
        &mut self,
        id: DeviceId,
        axes: &[i16],
        buttons: &[bool],
        hats: &[Hat],
    ) -> Result<(), Ignored> {
        self.find(id)?.read(axes, buttons, hats);
        self.touched(id);
        Ok(())
    }

    /// No button of the driving device counts as held until its next press.
    pub(crate) fn forget_presses(&mut self) {
        let driver = self.driver;
        self.list.iter_mut().filter(|device| Some(device.id) == driver).for_each(Device::forget_presses);
    }

    /// Sets which axes of a device are triggers.
    pub(crate) fn set_triggers(&mut self, id: DeviceId, triggers: &[usize]) -> Result<(), Ignored> {
        self.find(id)?.set_triggers(triggers);
        Ok(())
    }

    /// Moves the device to another port and publishes its last published state there, stamp included. If
    /// `control_device` awaits the new name, the device starts to drive.
    pub(crate) fn rename(
        &mut self,
        id: DeviceId,
        port: String,
        out: &mut VecDeque<Output>,
    ) -> Result<(), Ignored> {
        let index = self.list.iter().position(|device| device.id == id).ok_or(Ignored::UnknownDevice)?;
        if self.is_taken(&port) || legal_name(&port).as_ref() != Some(&port) {
            return Err(Ignored::Name);
        }
        let device = self.list.get_mut(index).ok_or(Ignored::UnknownDevice)?;
        let before = core::mem::replace(&mut device.name, port);
        // A port that is not open yet will be opened under the new name.
        if device.open {
            let name = device.name.clone();
            out.push_back(Output::OpenDevice { name: name.clone() });
            out.push_back(Output::PublishDevice { name, state: device.published() });
            out.push_back(Output::CloseDevice { name: before });
        }
        self.select_driver();
        Ok(())
    }

    /// Sets an axis and returns the button that it is, if it is a trigger of the driving device that was just pressed.
    pub(crate) fn axis(&mut self, id: DeviceId, axis: usize, value: i16) -> Result<Option<usize>, Ignored> {
        let pressed = self.find(id)?.axis(axis, value)?;
        self.touched(id);
        pressed.map_or(Ok(None), |trigger| Ok(self.sign(id)?.then_some(trigger)))
    }

    /// Sets a button and returns whether a button of the driving device was just pressed. A press by which a device gets to
    /// drive does not count as one of the driving device.
    pub(crate) fn button(&mut self, id: DeviceId, button: usize, pressed: bool) -> Result<bool, Ignored> {
        let went_down = self.find(id)?.button(button, pressed)?;
        self.touched(id);
        Ok(went_down && self.sign(id)?)
    }

    /// A button or trigger of a device was pressed, which is a sign of a person. Returns whether the device drove before.
    fn sign(&mut self, id: DeviceId) -> Result<bool, Ignored> {
        let drove = self.driver == Some(id);
        let sign = self.next_sign();
        self.find(id)?.last_sign = sign;
        if !drove {
            self.select_driver();
        }
        if self.driver == Some(id) {
            self.lost = None;
        }
        Ok(drove)
    }

    pub(crate) fn hat(&mut self, id: DeviceId, hat: usize, to: Hat) -> Result<(), Ignored> {
        self.find(id)?.hat(hat, to)?;
        self.touched(id);
        Ok(())
    }

    fn touched(&mut self, id: DeviceId) {
        self.driver_dirty |= self.driver == Some(id);
    }

    /// Whether the driving device, current or former, changed since the last call.
    pub(crate) fn take_driver_dirty(&mut self) -> bool {
        core::mem::take(&mut self.driver_dirty)
    }

    /// Publishes each changed device once. Disconnected devices come first, which frees their names for a replug.
    pub(crate) fn publish(&mut self, stamp: Stamp, out: &mut VecDeque<Output>) {
        for mut device in self.disconnected.drain(..) {
            // A device that connected and disconnected within one batch was never published.
            if device.open {
                device.release();
                device.stamp(stamp);
                let name = device.name.clone();
                out.push_back(Output::PublishDevice { name, state: device.published() });
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
            out.push_back(Output::PublishDevice { name: device.name.clone(), state: device.published() });
        }
    }
}
