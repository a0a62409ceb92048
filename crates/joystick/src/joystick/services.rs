use crate::{Dynamics, Exception, Input, Joystick, Mappings, Report, RequestedMappings};

/// Answers of services. They change nothing: a change is returned as an input, which must be given to the same
/// machine before any other.
impl Joystick {
    /// The ports of the connected devices in the order of connection.
    ///
    /// # Source
    /// joystick-genom3 `device_list`.
    pub fn device_list(&self) -> Vec<String> {
        self.devices.names().map(str::to_owned).collect()
    }

    /// The input that renames the device with the port `name` to `newname`; `None` if it already has that name.
    ///
    /// Any character of `newname` other than an ASCII letter, digit or underscore is replaced, as in
    /// [`port_name`](crate::port_name).
    /// # Errors
    /// [`Exception::NoEntry`] if no device has that name; [`Exception::Sdl`] if no legal character of `newname` is
    /// left, or if another device has it.
    /// # Source
    /// joystick-genom3 `rename`; own: renaming a device to its own name is allowed.
    pub fn rename(&self, name: &str, newname: &str) -> Result<Option<Input>, Exception> {
        let renaming = self.devices.renaming(name, newname)?;
        Ok(renaming.map(|(id, name)| Input::DeviceRenamed { id, name }))
    }

    /// The dynamics in force.
    pub fn dynamics(&self) -> Dynamics {
        self.filter.dynamics()
    }

    /// The devices that may not drive since they lack inputs that parameters name.
    pub fn refused(&self) -> &[Report] {
        &self.refused
    }

    /// The mappings in force as numbers.
    ///
    /// # Errors
    /// [`Exception::Value`] if a parameter gives a name and no device drove yet: with -1 for a dead-man button, a client
    /// that writes back what it read would remove it.
    /// # Source
    /// joystick-genom3 `get_mappings`; its inputs have numbers only.
    pub fn numbered_mappings(&self) -> Result<RequestedMappings, Exception> {
        let mappings = self.mappings();
        match self.devices.mapped_names().given().next() {
            Some((parameter, name)) if mappings.has_unknown() => {
                let what = format!("'{name}' ({parameter}) has no number until a device drives");
                Err(Exception::Value { what })
            }
            _ => Ok(RequestedMappings::from(mappings)),
        }
    }

    /// The mappings in force.
    pub fn mappings(&self) -> &Mappings {
        self.filter.mappings()
    }
}
