/// The maximum length of a port's name \[bytes].
///
/// # Source
/// joystick-genom3: `string<32>` with its terminating zero.
pub const MAX_NAME_LENGTH: usize = 31;

/// The port name of a device with the SDL name `name`, if it is the only device; never empty.
///
/// Characters other than ASCII letters, digits and underscores become `_`. Runs of `_` are merged and removed at both
/// ends, a leading digit gets the prefix `js_`, an empty result becomes `joystick`, and at most [`MAX_NAME_LENGTH`]
/// bytes are kept.
///
/// # Source
/// joystick-genom3 1.0 (replacement, length); the rest is own, because a ROS 2 name must not start with a digit, a
/// name with a leading `_` is hidden, and `__` is not allowed.
pub fn port_name(name: &str) -> String {
    legal_name(name).unwrap_or_else(|| "joystick".into())
}

/// The port name for the requested name `name`, by the rules of [`port_name`]; `None` if no legal character is left.
pub(crate) fn legal_name(name: &str) -> Option<String> {
    let mut port = String::with_capacity(MAX_NAME_LENGTH);
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if port.is_empty() && c.is_ascii_digit() {
                port.push_str("js_");
            }
            port.push(c);
        } else if !port.is_empty() && !port.ends_with('_') {
            port.push('_');
        }
        if port.len() >= MAX_NAME_LENGTH {
            break;
        }
    }
    shorten(&mut port, MAX_NAME_LENGTH);
    (!port.is_empty()).then_some(port)
}

/// The port name of a device with the SDL name `name`, different from all that are `taken`: `_1`, `_2`, ... replaces
/// the end where the name would become too long.
pub(crate) fn free_port_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let port = port_name(name);
    if !taken(&port) {
        return port;
    }
    let mut number = 1_u64;
    loop {
        let suffix = format!("_{number}");
        let mut candidate = port.clone();
        shorten(&mut candidate, MAX_NAME_LENGTH.saturating_sub(suffix.len()));
        candidate.push_str(&suffix);
        // Terminates, since there are more numbers than devices.
        if !taken(&candidate) || number == u64::MAX {
            return candidate;
        }
        number += 1;
    }
}

/// Cuts an ASCII name to `longest` bytes and removes trailing underscores.
fn shorten(name: &mut String, longest: usize) {
    name.truncate(longest);
    name.truncate(name.trim_end_matches('_').len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_a_ros_token() {
        let table = [
            ("Logitech Gamepad F710", "Logitech_Gamepad_F710"),
            ("Xbox 360 Controller", "Xbox_360_Controller"),
            ("8BitDo Pro 2", "js_8BitDo_Pro_2"),
            ("_hidden", "hidden"),
            ("a - b", "a_b"),
            ("a__b", "a_b"),
            ("pad (v2)", "pad_v2"),
            ("Präzision", "Pr_zision"),
            ("-7up", "js_7up"),
            ("", "joystick"),
            ("***", "joystick"),
            ("日本", "joystick"),
            // 31 bytes stay: 26 letters and 12345
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZ1234567", "ABCDEFGHIJKLMNOPQRSTUVWXYZ12345"),
            // the 31st byte would be an underscore at the end
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZ1234 67", "ABCDEFGHIJKLMNOPQRSTUVWXYZ1234"),
        ];
        for (sdl, port) in table {
            assert_eq!(port_name(sdl), port, "{sdl}");
            assert_eq!(port_name(port), port, "a port's name is left unchanged");
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let taken = ["pad", "pad_1", "ABCDEFGHIJKLMNOPQRSTUVWXYZ12345", "ABCDEFGHIJKLMNOPQRSTUVWXYZ_1234"];
        let free = |name| free_port_name(name, |n| taken.contains(&n));
        assert_eq!(free("mouse"), "mouse");
        assert_eq!(free("pad"), "pad_2");
        // the suffix takes the place of the last two bytes: 29 + 2 = 31
        assert_eq!(free("ABCDEFGHIJKLMNOPQRSTUVWXYZ12345"), "ABCDEFGHIJKLMNOPQRSTUVWXYZ123_1");
        // 29 bytes stay, ABC...Z_12, then _1
        assert_eq!(free("ABCDEFGHIJKLMNOPQRSTUVWXYZ_1234"), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_12_1");
    }
}
