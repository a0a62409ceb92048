//! The figures in the README are those of `docs/performance.md`, whose tables the bench writes.

use std::fs;

use tests::root;

/// The numbers in `text`, each with its number of decimals. A comma separates thousands.
fn numbers(text: &str) -> Vec<(f64, usize)> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
        .filter_map(|word| {
            let word = word.trim_matches(['.', ',']).replace(',', "");
            let decimals = word.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            Some((word.parse().ok()?, decimals))
        })
        .collect()
}

#[test]
fn the_figures_of_the_readme_are_measured_ones() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a document");
    let measured = numbers(&read("docs/performance.md"));
    let readme = read("README.md");
    let section =
        readme.split("\n## ").find(|section| section.starts_with("Performance")).expect("a section");
    let (_, list) = section.split_once("\n- ").expect("a list of figures");
    let figures = numbers(list);
    assert!(figures.len() > 10, "only {} figures were found", figures.len());
    for (figure, decimals) in figures {
        let unit = 10_f64.powi(i32::try_from(decimals).expect("few decimals"));
        let is_rounded = |&(number, _): &(f64, usize)| ((number - figure) * unit).abs() <= 0.500_001;
        assert!(measured.iter().any(is_rounded), "no figure of docs/performance.md is {figure}");
    }
}

#[test]
fn thousands_and_decimals_are_read() {
    assert_eq!(numbers("24,000 points in 0.64 ms, 43 MB."), [(24_000.0, 0), (0.64, 2), (43.0, 0)]);
}
