use core::fmt;

/// Names for a sentence.
pub fn words<T: fmt::Display>(names: &[T]) -> String {
    let names: Vec<String> = names.iter().map(T::to_string).collect();
    match names.split_last() {
        None => "none".into(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// A number with so many decimals; one that is rounded to zero has no sign.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|letter| matches!(letter, '0' | '.')) => rest.into(),
        _ => text,
    }
}

/// Lines of `count` columns of this width, which are filled from top to bottom.
pub fn columns(items: &[String], count: usize, width: usize) -> Vec<String> {
    let rows = items.len().div_ceil(count);
    let line =
        |row: usize| items.iter().skip(row).step_by(rows).map(|item| format!("{item:<width$}")).collect();
    (0..rows).map(line).map(|line: String| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_as_in_a_sentence() {
        assert_eq!(words::<&str>(&[]), "none");
        assert_eq!(words(&["a"]), "a");
        assert_eq!(words(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn a_rounded_zero_has_no_sign() {
        assert_eq!(
            [-0.004, 0.0, -0.0, -0.005_1, 12.0].map(|value| number(value, 2)),
            ["0.00", "0.00", "0.00", "-0.01", "12.00"]
        );
        assert_eq!(number(-0.3, 0), "0");
    }

    #[test]
    fn columns_are_filled_from_top_to_bottom() {
        assert_eq!(columns(&["a", "b", "c"].map(String::from), 2, 3), ["a  c", "b"]);
        assert!(columns(&[], 2, 3).is_empty());
    }
}
