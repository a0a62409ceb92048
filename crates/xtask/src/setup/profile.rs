//! The Fast DDS profile that keeps everything on this machine.
//!
//! No shared memory: a process's publishers stand still while others come and go.
//! `ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST` alone still binds every interface, so the transports are named here.

use crate::report::Outcome;
use crate::root::{Root, write};

const PROFILE: &str = r#"<?xml version="1.0" encoding="UTF-8" ?>
<profiles xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles">
    <transport_descriptors>
        <transport_descriptor>
            <transport_id>loopback</transport_id>
            <type>UDPv4</type>
            <interfaceWhiteList>
                <address>127.0.0.1</address>
            </interfaceWhiteList>
        </transport_descriptor>
    </transport_descriptors>
    <participant profile_name="this_machine_only" is_default_profile="true">
        <rtps>
            <userTransports>
                <transport_id>loopback</transport_id>
            </userTransports>
            <useBuiltinTransports>false</useBuiltinTransports>
        </rtps>
    </participant>
</profiles>
"#;

/// Writes `.ros2/fastdds.xml`.
///
/// # Errors
/// When it cannot be written.
pub fn write_to(root: &Root) -> Outcome<()> {
    write(&root.made("fastdds.xml"), PROFILE)
}
