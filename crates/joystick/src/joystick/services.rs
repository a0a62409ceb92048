use crate::{Exception, Input, Joystick, Mappings};

/// What services ask. Nothing is changed here: what is to be done comes out as an input, for the same machine and before
/// anything else happens to it.
impl Joystick {
    /// The ports of the connected devices in the order of connection.
    ///
    /// # Source
    /// joystick-genom3 `device_list`.
    pub fn device_list(&self) -> Vec<String> {
        self.devices.names().map(str::to_owned).collect()
    }

    /// How the device with the port `name` gets `newname`; `None` if that is its name already.
    ///
    /// What is no letter, digit or underscore of ASCII in `newname` is replaced, as in [`port_name`](crate::port_name).
    /// # Errors
    /// [`Exception::NoEntry`] if no device has that name; [`Exception::Sdl`] if nothing of `newname` is left, or if
    /// another device has it.
    /// # Source
    /// joystick-genom3 `rename`; own: a device may be given the name that it has.
    pub fn rename(&self, name: &str, newname: &str) -> Result<Option<Input>, Exception> {
        let renaming = self.devices.renaming(name, newname)?;
        Ok(renaming.map(|(id, name)| Input::DeviceRenamed { id, name }))
    }

    /// The mappings in force.
    ///
    /// # Source
    /// joystick-genom3 `get_mappings`.
    pub fn mappings(&self) -> &Mappings {
        self.filter.mappings()
    }
}
