/// How long the name of a device's port may be \[bytes].
///
/// # Source
/// joystick-genom3: `string<32>` with its terminating zero.
pub const LONGEST_NAME: usize = 31;

/// The name of the port for a device that SDL calls `name`, if it were the only device; never empty.
///
/// What is not a letter, digit or underscore of ASCII becomes `_`. Runs of `_` are one, none stands at either end,
/// a digit in front gets the prefix `js_`, nothing at all becomes `joystick`, and at most [`LONGEST_NAME`] bytes stay.
///
/// # Source
/// joystick-genom3 1.0 (replacement, length); the rest is own, for a ROS 2 name must not start with a digit, one
/// with `_` in front is hidden, and `__` is not allowed.
pub fn port_name(name: &str) -> String {
    legal_name(name).unwrap_or_else(|| "joystick".into())
}

/// The same for a name that a user wishes; `None` if nothing of it is left.
pub(crate) fn legal_name(name: &str) -> Option<String> {
    let mut port = String::with_capacity(LONGEST_NAME);
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if port.is_empty() && c.is_ascii_digit() {
                port.push_str("js_");
            }
            port.push(c);
        } else if !port.is_empty() && !port.ends_with('_') {
            port.push('_');
        }
        if port.len() >= LONGEST_NAME {
            break;
        }
    }
    shorten(&mut port, LONGEST_NAME);
    (!port.is_empty()).then_some(port)
}

/// The name of the port for a device that SDL calls `name`, other than all that are `taken`: `_1`, `_2`, ... replaces
/// the tail where the name would become too long.
pub(crate) fn free_port_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let port = port_name(name);
    if !taken(&port) {
        return port;
    }
    let mut number = 1_u64;
    loop {
        let suffix = format!("_{number}");
        let mut candidate = port.clone();
        shorten(&mut candidate, LONGEST_NAME.saturating_sub(suffix.len()));
        candidate.push_str(&suffix);
        // Ends: there are more numbers than devices.
        if !taken(&candidate) || number == u64::MAX {
            return candidate;
        }
        number += 1;
    }
}

/// Cuts an ASCII name to `longest` bytes and takes underscores off its end.
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
            assert_eq!(port_name(port), port, "a port's name is its own port's name");
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
