use crate::markdown::pages;

/// The longest cell of a table in words: what needs more is a list or a section.
const LONGEST_CELL: usize = 60;

/// "Is no zero" for "does not count as a zero": a reader of English reads it twice.
fn denies_a_noun(text: &str) -> bool {
    [" is no ", " are no "].iter().any(|verb| {
        text.match_indices(verb).any(|(at, verb)| {
            let (before, after) = (&text[..at], &text[at + verb.len()..]);
            !before.to_lowercase().ends_with("there") && !after.starts_with("longer ")
        })
    })
}

#[test]
fn sentences_are_plain_and_cells_short() {
    let mut wrong = Vec::new();
    for page in pages() {
        let prose = page.prose();
        for two in prose.windows(2).map(|two| two.join(" ")).filter(|two| denies_a_noun(two)) {
            wrong.push(format!("{}: write `is not a` or `does not count as`: {two}", page.path));
        }
        for cell in prose.iter().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|')) {
            let words = cell.split_whitespace().count();
            if words > LONGEST_CELL {
                wrong.push(format!("{}: a cell of {words} words: {cell}", page.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_a_noun_that_is_denied_is_refused() {
    assert!(denies_a_noun("it is no zero") && denies_a_noun("these are no commands"));
    for plain in ["There is no limit", "it is no longer valid", "it is not a zero", "there are no claims"] {
        assert!(!denies_a_noun(plain), "{plain}");
    }
}
