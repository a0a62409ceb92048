/// Whether two SDL GUIDs, 32 hexadecimal digits each, identify the same model read by the same driver.
///
/// | bytes | | counts |
/// |---|---|---|
/// | 0, 1 | bus: USB, Bluetooth | yes: the numbering of axes may differ |
/// | 2, 3 | SDL's checksum of the name; 0 in the community's database and before SDL 2.24 | no |
/// | 4 to 7, 8 to 11 | vendor and product, two bytes each and two zeros | yes |
/// | 12, 13 | version; a kernel may change it | no |
/// | 14, 15 | SDL's driver, and its data on the kind of device | yes |
///
/// The GUID of a device without a vendor has the start of its name from byte 4 on. There all bytes count, and the
/// checksum too if both have one. A text that is no GUID equals only itself, ignoring case.
///
/// # Source
/// SDL 2 `SDL_joystick.c`, `SDL_CreateJoystickGUID` and `SDL_GetJoystickGUIDInfo`; own: which bytes count.
pub fn is_same_model(one: &str, other: &str) -> bool {
    let (Some(a), Some(b)) = (bytes(one), bytes(other)) else { return one.eq_ignore_ascii_case(other) };
    let parts = |guid: [u8; 16]| {
        let [bus0, bus1, sum0, sum1, rest @ ..] = guid;
        ([bus0, bus1], [sum0, sum1], rest)
    };
    let ((bus, sum, rest), (other_bus, other_sum, other_rest)) = (parts(a), parts(b));
    let named = |rest: [u8; 12]| {
        let [v0, v1, z0, z1, p0, p1, z2, z3, _, _, d0, d1] = rest;
        ([z0, z1, z2, z3] == [0; 4] && [v0, v1] != [0; 2]).then_some([v0, v1, p0, p1, d0, d1])
    };
    bus == other_bus
        && match (named(rest), named(other_rest)) {
            (Some(model), Some(other)) => model == other,
            (None, None) => rest == other_rest && (sum == other_sum || sum == [0; 2] || other_sum == [0; 2]),
            _ => false,
        }
}

fn bytes(guid: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    if guid.len() != 32 || !guid.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(guid.as_bytes().chunks(2)) {
        let digits = core::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SDL's GUID of an Xbox 360 pad with the kernel's driver, with its checksum.
    const XBOX: &str = "0300509d5e0400008e02000010010000";

    #[test]
    fn neither_the_checksum_nor_the_version_counts() {
        for same in [
            "030000005e0400008e02000010010000", // gamecontrollerdb
            "030000005E0400008E02000014010000", // another kernel
            "0300ffff5e0400008e02000000000000",
        ] {
            assert!(is_same_model(XBOX, same) && is_same_model(same, XBOX), "{same}");
        }
    }

    #[test]
    fn bus_vendor_product_and_driver_count() {
        for other in [
            "0500509d5e0400008e02000010010000",
            "0300509d5f0400008e02000010010000",
            "0300509d5e0400008f02000010010000",
            "0300509d5e0400008e02000010016800",
            "0300509d5e0400008e02000010010001",
        ] {
            assert!(!is_same_model(XBOX, other), "{other}");
        }
    }

    #[test]
    fn without_a_vendor_the_name_counts() {
        let named = |sum: &str, name: &str| format!("ff00{sum}{name}7600");
        let (a, b) = (named("1111", "56697274756c20706164"), named("2222", "56697274756c20706164"));
        assert!(
            is_same_model(&a, &a) && !is_same_model(&a, &b),
            "the names differ after byte 15, so only the checksum differs"
        );
        assert!(is_same_model(&a, &named("0000", "56697274756c20706164")));
        assert!(!is_same_model(&a, &named("1111", "56697274756c20706165")));
    }

    #[test]
    fn an_invalid_guid_is_compared_as_text() {
        for text in
            ["guid", "", "030000005e0400008e0200001001000", "+30000005e0400008e02000010010000", "日本"]
        {
            assert!(is_same_model(text, text) && !is_same_model(text, XBOX), "{text}");
        }
        assert!(is_same_model("GUID", "guid"));
    }
}
