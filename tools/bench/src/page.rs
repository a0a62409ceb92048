//! The tables in a document.
//!
//! The document chooses the tables, rows and columns that it shows, by their names, and the bench renews their cells. Text around
//! them stays as it is. A cell that was not measured becomes `–`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::ValueEnum as _;

use crate::arguments::Subject;
use crate::stage::Result;

/// Renews the cells of the tables of `subject` in the document `page` from its `report`.
/// # Errors
/// The document cannot be read or written, or has no place for the subject.
pub fn renew(page: &Path, subject: Subject, report: &str) -> Result<()> {
    let text = fs::read_to_string(page).map_err(|error| format!("'{}': {error}", page.display()))?;
    let name = subject.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let renewed = with(&text, &name, report).map_err(|error| format!("'{}': {error}", page.display()))?;
    Ok(fs::write(page, renewed)?)
}

fn with(text: &str, name: &str, report: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- bench: {name} -->\n"), "<!-- end -->");
    let parts = text.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?)));
    let (before, (tables, after)) = parts.ok_or_else(|| format!("it has no tables of {name}"))?;
    let mut measured = BTreeMap::new();
    each_cell(report, |place, value| {
        measured.insert(place.map(str::to_owned), value.to_owned());
        String::new()
    });
    let renewed = each_cell(tables, |place, _| {
        measured.get(&place.map(str::to_owned)).cloned().unwrap_or_else(|| "–".into())
    });
    Ok(format!("{before}{begin}{renewed}{end}{after}"))
}

/// The text with each cell of its tables in Markdown replaced. The place of a cell is the first header of its table, the first cell
/// of its row, and the header of its column.
fn each_cell(text: &str, mut replace: impl FnMut([&str; 3], &str) -> String) -> String {
    let (mut renewed, mut header) = (String::new(), None::<Vec<&str>>);
    for line in text.lines() {
        let cells = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
        let cells = cells.map(|cells| cells.split(" | ").collect::<Vec<_>>());
        match (&header, cells) {
            (Some(names), Some(cells)) => {
                renewed += &format!("| {} |", cells[0]);
                for (name, cell) in names.iter().zip(&cells).skip(1) {
                    renewed += &format!(" {} |", replace([names[0], cells[0], name], cell));
                }
            }
            (None, Some(cells)) => {
                header = Some(cells);
                renewed += line;
            }
            (_, None) => {
                header = header.filter(|_| line.starts_with('|'));
                renewed += line;
            }
        }
        renewed.push('\n');
    }
    renewed
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Page\n<!-- bench: idle -->\n\n| at rest | CPU |\n|---|--:|\n| b | 1 |\n\n<!-- end -->\n\
                        <!-- bench: chain -->\n<!-- end -->\n";
    const REPORT: &str = "| other | CPU |\n|---|---|\n| b | 9 |\n\n| at rest | goal | CPU |\n|---|---|---|\n| a | 2 | 3 |\n| b | 4 | 5 |\n\nText.";

    #[test]
    fn a_cell_is_found_by_table_row_and_column() {
        let once = with(PAGE, "idle", REPORT).unwrap();
        assert_eq!(once, PAGE.replace("| b | 1 |", "| b | 5 |"));
        assert_eq!(with(&once, "idle", REPORT).unwrap(), once);
        assert_eq!(with(PAGE, "hand", REPORT).unwrap_err().to_string(), "it has no tables of hand");
        let lost = with(PAGE, "idle", &REPORT.replace("| b | 4", "| c | 4")).unwrap();
        assert_eq!(lost, PAGE.replace("| b | 1 |", "| b | – |"));
    }

    /// The page of this repository names no table and no column that the bench does not print.
    #[test]
    fn the_document_has_a_place_for_each() {
        let page = include_str!("../../../docs/performance.md");
        for subject in Subject::value_variants() {
            let name = subject.to_possible_value().unwrap();
            assert_ne!(with(page, name.get_name(), "").unwrap(), page, "{}", name.get_name());
        }
        let sources = sources(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").as_path());
        each_cell(page, |[table, _, column], cell| {
            for name in [table, column] {
                assert!(sources.contains(&format!("| {name} |")), "the bench prints no column '{name}'");
            }
            cell.into()
        });
    }

    /// All sources with strings over several lines joined.
    fn sources(folder: &Path) -> String {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let text = paths.map(|path| match path.extension() {
            None => sources(&path),
            Some(_) => fs::read_to_string(path).unwrap(),
        });
        text.flat_map(|text| text.split("\\\n").map(|part| part.trim_start().to_owned()).collect::<Vec<_>>())
            .collect()
    }
}
