//! The subset of Markdown that the documents use.

use std::fs;

use tests::{files, root};

/// A document.
pub struct Page {
    /// Relative to the root of the repository.
    pub path: String,
    pub text: String,
}

/// A fenced block.
pub struct Fence<'a> {
    pub language: &'a str,
    /// The line of its first line, from 1.
    pub line: usize,
    pub text: String,
}

/// Every document.
pub fn pages() -> Vec<Page> {
    let root = root();
    let paths = files(&root, &["md"]);
    let page = |path: std::path::PathBuf| Page {
        path: path.strip_prefix(&root).expect("a path in the repository").display().to_string(),
        text: fs::read_to_string(&path).expect("a document"),
    };
    paths.into_iter().map(page).collect()
}

/// The pages of the nodes.
pub fn node_pages() -> Vec<Page> {
    pages().into_iter().filter(|page| page.path.starts_with("docs/nodes/")).collect()
}

impl Page {
    /// The blocks between fences.
    pub fn fences(&self) -> Vec<Fence<'_>> {
        let mut found: Vec<Fence<'_>> = Vec::new();
        let mut is_open = false;
        for (number, line) in self.text.lines().enumerate() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                is_open = !is_open;
                if is_open {
                    found.push(Fence { language, line: number + 2, text: String::new() });
                }
            } else if is_open && let Some(fence) = found.last_mut() {
                fence.text.push_str(line);
                fence.text.push('\n');
            }
        }
        assert!(!is_open, "{} has a fence without an end", self.path);
        found
    }

    /// The lines outside of fences.
    pub fn prose(&self) -> Vec<&str> {
        let mut is_open = false;
        let is_prose = |line: &&str| {
            let is_fence = line.trim_start().starts_with("```");
            is_open ^= is_fence;
            !is_open && !is_fence
        };
        self.text.lines().filter(is_prose).collect()
    }

    /// The anchors of the page: those that GitHub derives from the headings, and `<a id="...">`.
    pub fn anchors(&self) -> Vec<String> {
        let lines = self.prose();
        let ids = lines.iter().flat_map(|line| line.split("<a id=\"").skip(1));
        let ids = ids.filter_map(|rest| rest.split('"').next()).map(str::to_owned);
        let headings = lines.iter().filter(|line| line.starts_with('#'));
        let anchor = |line: &str| {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(|line| anchor(line)).chain(ids).collect()
    }

    /// The cells of each row of the tables below the heading `## heading`, without the rows of the head.
    pub fn rows(&self, heading: &str) -> Vec<Vec<String>> {
        let lines = self.prose();
        let below = lines.iter().skip_while(|line| **line != format!("## {heading}")).skip(1);
        let below: Vec<&str> = below.take_while(|line| !line.starts_with("## ")).copied().collect();
        rows(&below)
    }
}

/// The cells of each row of the tables in `lines`, without the rows of the head.
pub fn rows(lines: &[&str]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let is_head = lines.get(number + 1).is_some_and(|next| next.starts_with("|--"));
        if line.starts_with('|') && !line.starts_with("|--") && !is_head {
            let cells = line.trim_matches('|').split('|');
            found.push(cells.map(|cell| cell.trim().to_owned()).collect());
        }
    }
    found
}

/// The texts between backticks in `text`.
pub fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}
