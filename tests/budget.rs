//! How large the repository may be: words of Markdown, and lines with code.
//!
//! A line with code is not blank, not a comment and not a test. Who exceeds a limit raises it in the same commit and writes there what
//! the addition replaces.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tests::{files, root};

/// Of all Markdown files. Robots, pads and switches as people have them need pages that nothing replaces: 1,050 words. Speeds per
/// coordinate, as teleop_twist_joy has them, replace computed accelerations: 130. Every parameter of joy, teleop_twist_joy and twist_mux needs its
/// translation, or the sentence that there is none: 290. A pad elsewhere, and what is below one count: 400.
/// Why a vehicle stands, with its tool: 280. The page of what is not offered: 400. An e-stop's first message: 100.
/// Approaches and their leaders, sources that do not fit, parts that cannot be driven, and starts of hindbrain: 445. Launch files: 57.
const WORDS: usize = 44_818;
/// Of robots and tools together, in any language. Robots, pads and switches as people have them need code that nothing replaces: 800. Speeds per
/// coordinate and parameters that may be unset: 96. Files of joy, teleop_twist_joy and twist_mux as they are, refused: 45. Fractions of a count,
/// a pad elsewhere, triggers as buttons, and the manager's reasons in the tool: 402. Why a vehicle stands, as one sentence with the next act, on
/// a topic and by a tool: 1,555. What commands which joint, in the tool: 131. Approaches that end with their stream, and conflicts as inputs of
/// the loop: 140. Sources that do not fit, and parts that cannot be driven, as sentences: 90.
const LINES: usize = 61_235;

/// Folders that hold nothing but tests.
const TESTS: [&str; 6] = ["tests", "test", "benches", "examples", "fuzz", "testing"];

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folders = path.parent().into_iter().flat_map(Path::iter);
    folders.into_iter().any(|folder| TESTS.iter().any(|known| folder == *known))
        || ["tests", "test"].contains(&name.as_str())
        || ["_tests", "_test"].iter().any(|end| name.ends_with(end))
        || name.starts_with("test_")
}

/// The length of the comment or literal that `text` begins with, and what stands for each of its lines.
fn token(text: &str) -> Option<(usize, &'static str)> {
    let until = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |at| from + at);
    if text.starts_with("//") {
        return Some((until("\n", 0), ""));
    }
    if text.starts_with("/*") {
        let (mut depth, mut at) = (1, 2);
        while depth > 0 && at < text.len() {
            let (open, close) = (until("/*", at), until("*/", at));
            depth = if open < close { depth + 1 } else { depth - 1 };
            at = (open.min(close) + 2).min(text.len());
        }
        return Some((at, ""));
    }
    if let Some(raw) = text.strip_prefix('r') {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        if raw[marks..].starts_with('"') {
            let end = format!("\"{}", &raw[..marks]);
            return Some(((until(&end, marks + 2) + end.len()).min(text.len()), "s"));
        }
    }
    let mut chars = text.char_indices();
    match (chars.next()?.1, chars.next(), chars.next()) {
        ('"', ..) => {
            let mut is_escaped = false;
            let end = text.char_indices().skip(1).find(|&(_, c)| {
                let ends = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                ends
            });
            Some((end.map_or(text.len(), |(at, _)| at + 1), "s"))
        }
        ('\'', Some((_, '\\')), Some((at, escaped))) => Some((until("'", at + escaped.len_utf8()) + 1, "s")),
        ('\'', Some(_), Some((at, '\''))) => Some((at + 1, "s")),
        _ => None,
    }
}

/// Rust or C without comments and with an `s` for each line of a literal.
fn blanked(mut text: &str) -> String {
    let mut out = String::new();
    while let Some(first) = text.chars().next() {
        let length = match token(text) {
            Some((length, sign)) => {
                out += &text[..length].split('\n').map(|_| sign).collect::<Vec<_>>().join("\n");
                length
            }
            None => {
                out.push(first);
                first.len_utf8()
            }
        };
        text = &text[length..];
    }
    out
}

/// Blanked Rust without the items that only tests have.
fn without_tests(mut text: &str) -> String {
    let mut out = String::new();
    while let Some(at) = ["#[cfg(test)]", "#[cfg(all(test,"].iter().filter_map(|mark| text.find(mark)).min() {
        out += &text[..at];
        text = &text[at..];
        let mut depth = 0;
        let end = text.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0 && (c == ';' || c == '}')
        });
        text = end.map_or("", |end| &text[end + 1..]);
    }
    out + text
}

fn lines_with_code(path: &Path, text: &str) -> usize {
    let is_filled = |line: &&str| !line.trim().is_empty();
    if path.extension().is_some_and(|extension| extension == "py") {
        let code: String = text.split("\"\"\"").step_by(2).collect();
        return code.lines().filter(is_filled).filter(|line| !line.trim_start().starts_with('#')).count();
    }
    without_tests(&blanked(text)).lines().filter(is_filled).count()
}

#[test]
fn documents_are_within_their_budget() {
    let pages = files(&root(), &["md"]);
    let count = |path: &std::path::PathBuf| fs::read_to_string(path).unwrap().split_whitespace().count();
    let words: usize = pages.iter().map(count).sum();
    assert!(words <= WORDS, "{words} words of Markdown, at most {WORDS} are allowed");
}

#[test]
fn code_is_within_its_budget() {
    let mut crates = BTreeMap::<String, usize>::new();
    for path in files(&root(), &["rs", "py", "c", "h"]) {
        let inner = path.strip_prefix(root()).unwrap();
        if !is_test(inner) {
            let name = inner.iter().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            *crates.entry(name).or_default() += lines_with_code(inner, &fs::read_to_string(&path).unwrap());
        }
    }
    let lines: usize = crates.values().sum();
    assert!(lines <= LINES, "{lines} lines with code, at most {LINES} are allowed: {crates:#?}");
}

#[test]
fn only_lines_with_code_count() {
    let rust = "//! Text.\n\nfn a() { // one\n    \"/*\n     two\"\n}\n/* /* no */ no\n*/ 'a: loop { '\"' }\n\
                #[cfg(test)]\nmod tests {\n    const A: &str = r#\"}\"#;\n}\n#[cfg(test)]\nuse b;\nfn c() {}\n";
    assert_eq!(lines_with_code(Path::new("a.rs"), rust), 6);
    let python =
        "\"\"\"Text.\n\nMore.\"\"\"\n# no\nimport a\n\n\ndef b():\n    \"\"\"Text.\"\"\"\n    return a\n";
    assert_eq!(lines_with_code(Path::new("a.py"), python), 3);
}
