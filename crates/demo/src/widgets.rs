use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};

/// The keys and what they do, in as many lines as they need.
pub fn keys(keys: &[(&'static str, &'static str)], width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    for &(key, text) in keys {
        let item = [Span::from(key).fg(Color::Cyan), Span::from(format!(" {text}  "))];
        let long = item.iter().map(Span::width).sum::<usize>();
        if lines.last().is_some_and(|line| line.width() + long > usize::from(width) + 2) {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            line.extend(item);
        }
    }
    lines
}

/// The name of a value, in its column.
pub fn label(text: &str) -> Span<'static> {
    Span::styled(format!("{text:<10}"), Style::new().fg(Color::Gray))
}

/// A number with so many decimals; one that is rounded to zero has no sign.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|letter| matches!(letter, '0' | '.')) => rest.into(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_zero_has_no_sign() {
        assert_eq!(
            [-0.004, 0.0, -0.0, -0.005_1, 12.0].map(|value| number(value, 2)),
            ["0.00", "0.00", "0.00", "-0.01", "12.00"]
        );
        assert_eq!(number(-0.3, 0), "0");
    }

    #[test]
    fn keys_take_the_lines_that_they_need() {
        let list = [("a", "first"), ("b", "second"), ("q", "quit")];
        let lines = |width| keys(&list, width).iter().map(Line::to_string).collect::<Vec<_>>();
        // 9 and 10 cells, of which the last two are blank
        assert_eq!(lines(17), ["a first  b second  ", "q quit  "]);
        assert_eq!(lines(16), ["a first  ", "b second  q quit  "]);
    }
}
