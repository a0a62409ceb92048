use std::collections::BTreeSet;

/// A key that is in one mapping of a YAML file for the second time; parsers silently take the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twice {
    /// The keys down to it.
    pub path: Vec<String>,
    /// The line of its second place, from 1.
    pub line: usize,
}

/// All keys that are twice in one mapping of the YAML file `text`, in block or flow style.
///
/// This is no parser: what is not YAML is not found out here, and what it does not understand has no keys.
/// # Source
/// YAML 1.2.2, 3.2.1.3: the keys of a mapping are unique.
pub fn twice(text: &str) -> Vec<Twice> {
    let mut reader = Reader {
        line: 0,
        open: Vec::new(),
        flow: Vec::new(),
        token: String::new(),
        skip: None,
        found: Vec::new(),
        names: BTreeSet::new(),
    };
    for line in text.lines() {
        reader.line += 1;
        reader.read(line);
    }
    reader.found
}

struct Reader {
    line: usize,
    /// The block mappings around, outermost first.
    open: Vec<Mapping>,
    /// The flow collections around, outermost first; a sequence has no keys.
    flow: Vec<Option<Mapping>>,
    /// What was read since the last sign in flow style.
    token: String,
    /// Lines that are deeper than this are text.
    skip: Option<usize>,
    found: Vec<Twice>,
    /// All keys below `ros__parameters` by their whole names, however these are spelt: `a: {b: 1}` is `a.b: 1`.
    names: BTreeSet<String>,
}

#[derive(Default)]
struct Mapping {
    indent: usize,
    /// Whether it is in a block sequence, which holds no parameters by name.
    is_item: bool,
    keys: BTreeSet<String>,
    /// The key whose value is being read.
    last: String,
}

impl Reader {
    fn read(&mut self, line: &str) {
        if !self.flow.is_empty() {
            return self.read_flow(line);
        }
        let mut rest = line.trim_start_matches(' ');
        let mut indent = line.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') || self.skip.is_some_and(|skip| indent > skip) {
            return;
        }
        self.skip = None;
        if rest.starts_with("---") || rest.starts_with("...") {
            self.open.clear();
            self.names.clear();
            return;
        }
        let mut is_item = false;
        while let Some(item) = rest.strip_prefix("- ") {
            is_item = true;
            // Each item of a sequence is a value of its own.
            self.open.retain(|mapping| mapping.indent <= indent);
            let inner = item.trim_start_matches(' ');
            indent += rest.len() - inner.len();
            rest = inner;
        }
        self.open.retain(|mapping| mapping.indent <= indent);
        let Some((key, value)) = split(rest) else { return self.read_value(rest, indent) };
        if self.open.last().is_none_or(|mapping| mapping.indent < indent) {
            self.open.push(Mapping { indent, is_item, ..Mapping::default() });
        }
        self.note(key, false);
        self.read_value(value, indent);
    }

    fn read_value(&mut self, value: &str, indent: usize) {
        match value.bytes().next() {
            Some(b'|' | b'>') => self.skip = Some(indent),
            Some(b'{' | b'[') => self.read_flow(value),
            _ => {}
        }
    }

    fn read_flow(&mut self, text: &str) {
        let mut signs = text.char_indices().peekable();
        let mut quote = None;
        while let Some((at, sign)) = signs.next() {
            let next = signs.peek().map_or(' ', |&(_, next)| next);
            match (quote, sign) {
                (Some(open), _) if sign == open => quote = None,
                (Some(_), _) => self.token.push(sign),
                (None, '"' | '\'') if self.token.trim().is_empty() => quote = Some(sign),
                (None, '#') if at == 0 || text[..at].ends_with(' ') => break,
                (None, '{') => self.enter(Some(Mapping::default())),
                (None, '[') => self.enter(None),
                (None, '}' | ']') => {
                    self.flow.pop();
                    self.token.clear();
                    if self.flow.is_empty() {
                        return;
                    }
                }
                (None, ',') => self.token.clear(),
                (None, ':') if next == ' ' || matches!(next, ',' | '}' | ']') => {
                    let key = std::mem::take(&mut self.token);
                    self.note(key.trim(), true);
                }
                (None, _) => self.token.push(sign),
            }
        }
        self.token.push(' ');
    }

    fn enter(&mut self, mapping: Option<Mapping>) {
        self.token.clear();
        self.flow.push(mapping);
    }

    /// Takes note of a key in the innermost mapping of its style.
    fn note(&mut self, key: &str, in_flow: bool) {
        let innermost =
            if in_flow { self.flow.last_mut().and_then(Option::as_mut) } else { self.open.last_mut() };
        let Some(mapping) = innermost else { return };
        mapping.last = key.to_owned();
        if key == "<<" {
            return;
        }
        let is_twice = !mapping.keys.insert(key.to_owned());
        let all = self.open.iter().chain(self.flow.iter().flatten());
        let path: Vec<String> = all.map(|mapping| mapping.last.clone()).collect();
        let in_sequence = self.open.iter().any(|m| m.is_item) || self.flow.iter().any(Option::is_none);
        let is_parameter = !in_sequence && path.iter().rev().skip(1).any(|key| key == "ros__parameters");
        let name = path.join(".");
        // rcl takes a node's name with and without a slash for the same.
        let is_known = is_parameter && !self.names.insert(name.trim_start_matches('/').to_owned());
        if is_twice || is_known {
            self.found.push(Twice { path, line: self.line });
        }
    }
}

/// The key at the begin of a line in block style, and what is after it.
fn split(line: &str) -> Option<(&str, &str)> {
    let quote = line.chars().next().filter(|first| matches!(first, '"' | '\''));
    if let Some(quote) = quote {
        let (key, rest) = line.get(1..)?.split_once(quote)?;
        return Some((key, rest.trim_start().strip_prefix(':')?.trim_start()));
    }
    if line.starts_with(['{', '[', '#', '&', '*', '!', '|', '>', '%', '@', '`', '?']) {
        return None;
    }
    let end = line.find(": ").or_else(|| line.trim_end().strip_suffix(':').map(str::len))?;
    let (key, rest) = line.split_at(end);
    (!key.contains(" #")).then(|| (key.trim_end(), rest.get(1..).unwrap_or("").trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, usize)> {
        twice(text).into_iter().map(|twice| (twice.path.join("/"), twice.line)).collect()
    }

    #[test]
    fn a_key_may_be_once_in_each_mapping() {
        let text = "\
# a: comment
/**:
  ros__parameters: {a: 1, b: {a: 2}, c: [{a: 1}, {a: 2}]}
node:
  ros__parameters:
    a: 1 # a: 2
    b:
      a: \"a: {a: 1, a: 2}\"
      text: |
        a: 1
        a: 2
      'c': {a: \"x, a: 1\",
        b: 2, # b: 3
        d: 4}
      list:
      - a: 1
        b: 1
      - a: 2
    c:
      a: 1
---
node:
  ros__parameters:
    a: http://a:b
";
        assert_eq!(found(text), []);
    }

    #[test]
    fn a_key_that_is_twice_is_found_in_either_style() {
        let block = "n:\n  s:\n    dock:\n      t: /a\n    other: 1\n    \"dock\":\n      t: /b\n";
        assert_eq!(found(block), [("n/s/dock".into(), 6)]);
        let flow = "n:\n  s:\n    dock: {t: /a}\n    dock: {t: /b, p: 1, t: /c}\n";
        assert_eq!(found(flow), [("n/s/dock".into(), 4), ("n/s/dock/t".into(), 4)]);
        assert_eq!(found("{n: {s: 1,\n 's': 2}}"), [("n/s".into(), 2)]);
        let dotted =
            "n:\n  ros__parameters:\n    s.dock.t: /a\n    s:\n      dock: {p: 1, t: /b}\n      dock.p: 2\n";
        let twice = [("n/ros__parameters/s/dock/t".into(), 5), ("n/ros__parameters/s/dock.p".into(), 6)];
        assert_eq!(found(dotted), twice);
        let slash = "n:\n  ros__parameters: {a: 1, b: 2}\n/n:\n  ros__parameters: {b: 3}\n";
        assert_eq!(found(slash), [("/n/ros__parameters/b".into(), 4)]);
        assert_eq!(found("- a: 1\n  a: 2\n"), [("a".into(), 2)]);
        assert_eq!(found("a.b: 1\nc: 2\na.b: 3\n"), [("a.b".into(), 3)]);
    }

    #[test]
    fn what_is_no_yaml_has_no_keys_and_no_panic() {
        for text in [
            "",
            ":",
            ": :",
            "\"",
            "'a",
            "{",
            "}",
            "{a",
            "{:}",
            "- - -",
            "\u{fffd}: é\n\u{fffd}:",
            "a:\n\t b: 1",
            "[[[]]]]]]",
            "?: ?",
        ] {
            let _ = twice(text);
        }
        assert_eq!(found("é: 1\né: 2"), [("é".into(), 2)]);
    }
}
