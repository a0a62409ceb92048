use core::fmt::{self, Write};

/// An untrusted text, such as a device's name or a path, on one line: invisible characters are replaced by their
/// escapes, and letters of all languages are kept.
///
/// Control characters, separators of lines and paragraphs, characters that change the writing direction, and the
/// backslash are escaped, so no text looks like the escape of another.
///
/// # Source
/// own: the name of a device could otherwise write its own lines into the log or to a terminal that shows it.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\\' => f.write_str("\\\\"),
            c if c.is_control() || is_invisible(c) => write!(f, "{}", c.escape_default()),
            c => f.write_char(c),
        })
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_on_its_line() {
        for (text, escaped) in [
            ("Pad", "Pad"),
            ("日本 ü 'x' \"y\"", "日本 ü 'x' \"y\""),
            ("a\nb\r\t", "a\\nb\\r\\t"),
            ("\u{1b}[2J\u{7f}\u{85}", "\\u{1b}[2J\\u{7f}\\u{85}"),
            ("\u{202e}dap\u{2028}", "\\u{202e}dap\\u{2028}"),
            ("a\\nb", "a\\\\nb"),
        ] {
            assert_eq!(Printable(text).to_string(), escaped);
        }
    }
}
