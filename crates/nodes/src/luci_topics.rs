//! LUCI's topics that several nodes use, as LUCI names them.

/// The scaling of the eight zones, `luci_messages/LuciZoneScaling`.
pub const SCALING: &str = "luci/scaling";
/// The stick after the chair's own scaling, `luci_messages/LuciJoystickScaling`.
pub const JOYSTICK_SCALING: &str = "luci/joystick_scaling";
/// The chair's own stick, `luci_messages/LuciJoystick`.
pub const JOYSTICK_POSITION: &str = "luci/joystick_position";
/// The number of the chair's profile, `std_msgs/Int32`.
pub const PROFILE: &str = "luci/chair_profile";
