use std::fs;
use std::path::Path;

use clap::ValueEnum as _;
use ros::Error;

use crate::arguments::Subject;

/// Puts `table` in place of that of `subject` in the document `page`.
/// # Errors
/// The document cannot be read or written, or has no place for it.
pub fn replace(page: &Path, subject: Subject, table: &str) -> Result<(), Error> {
    let failed = |why: &dyn core::fmt::Display| Error::Start(format!("'{}': {why}", page.display()));
    let text = fs::read_to_string(page).map_err(|error| failed(&error))?;
    let name = subject.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let replaced = with(&text, &name, table).ok_or_else(|| failed(&format!("it has no table of {name}")))?;
    fs::write(page, replaced).map_err(|error| failed(&error))
}

fn with(text: &str, name: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(&format!("<!-- bench: {name} -->\n"))?;
    let (_, after) = rest.split_once("<!-- end -->")?;
    Some(format!("{before}<!-- bench: {name} -->\n\n{}\n\n<!-- end -->{after}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# Page\n<!-- bench: idle -->\nold\n<!-- end -->\ntext\n<!-- bench: chain -->\n<!-- end -->\n";

    #[test]
    fn a_table_replaces_its_own() {
        let once = with(PAGE, "idle", "new\n").unwrap();
        assert_eq!(once, PAGE.replace("old", "\nnew\n"));
        assert_eq!(with(&once, "idle", "new").unwrap(), once);
        assert_eq!(with(PAGE, "pads", "new"), None);
    }

    #[test]
    fn the_document_has_a_place_for_each() {
        let page = include_str!("../../../docs/performance.md");
        for subject in Subject::value_variants() {
            let name = subject.to_possible_value().unwrap();
            assert!(with(page, name.get_name(), "").is_some(), "{}", name.get_name());
        }
    }
}
