use core::fmt::Write;

use crate::{Act, Actor, Code, Name, Row};

/// A reason with the names in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Its row in the table.
    pub code: Code,
    /// The names for the places of its text, in order; empty ones are missing.
    pub names: [Name; 3],
}

impl Reason {
    /// The most characters of a sentence.
    pub const LONGEST: usize = 160;

    /// A reason without names.
    pub const fn new(code: Code) -> Self {
        Self { code, names: [Name::NONE; 3] }
    }

    /// A reason with names; those beyond the third are left out.
    pub fn of<'a>(code: Code, names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut reason = Self::new(code);
        for (place, name) in reason.names.iter_mut().zip(names) {
            *place = name.into();
        }
        reason
    }

    /// The table's row.
    pub const fn row(&self) -> Row {
        self.code.row()
    }

    /// The rank, 1 to 11: the least is shown.
    pub const fn rank(&self) -> u8 {
        self.row().rank
    }

    /// The next act, as one word.
    pub const fn act(&self) -> Act {
        self.row().act
    }

    /// Who has to do it.
    pub const fn actor(&self) -> Actor {
        self.row().actor
    }

    /// The sentence, `What is. What to do next.`, of at most [`Reason::LONGEST`] characters.
    pub fn sentence(&self) -> String {
        let Row { text, without, .. } = self.row();
        let is_whole =
            (0..self.names.len()).all(|index| !text.contains(PLACES[index]) || !self.names[index].is_empty());
        let mut sentence = String::with_capacity(Self::LONGEST);
        let mut rest = if is_whole { text } else { without };
        while let Some((before, behind)) = rest.split_once('{') {
            sentence += before;
            let place = behind.bytes().next().unwrap_or(b'0').wrapping_sub(b'0');
            let name = self.names.get(usize::from(place)).unwrap_or(&Name::NONE);
            let _ = write!(sentence, "{name}");
            rest = behind.split_once('}').map_or("", |(_, rest)| rest);
        }
        sentence + rest
    }
}

const PLACES: [&str; 3] = ["{0}", "{1}", "{2}"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_filled_in_or_left_out_together() {
        let sentence = |names: &[&str]| Reason::of(Code::CmdConflict, names.iter().copied()).sentence();
        assert_eq!(
            sentence(&["cmd_vel", "smoother", "zone_scaler"]),
            "Two nodes publish cmd_vel: smoother and zone_scaler. End one, or wait 20 s if it was killed."
        );
        assert_eq!(
            sentence(&["cmd_vel", "smoother"]),
            "cmd_vel has not one publisher that fits. Leave one, of the right type, reliable, or wait 20 s if one was killed."
        );
    }

    /// Every place holds a name of the greatest length here.
    #[test]
    fn no_sentence_is_longer_than_160_characters() {
        let long = "x".repeat(99);
        for &code in Code::ALL {
            for names in [vec![], vec![long.as_str()], vec![long.as_str(); 3]] {
                let sentence = Reason::of(code, names).sentence();
                assert!(sentence.chars().count() <= Reason::LONGEST, "{sentence}");
            }
        }
    }
}
