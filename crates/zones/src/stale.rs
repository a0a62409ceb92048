use safety::Stale;

/// Explains why a command is stale, as words that follow "the last one".
pub fn explain(stale: Stale) -> String {
    match stale {
        Stale::Late => "was stamped earlier than the one before".into(),
        Stale::Old { age } => format!("was {:.3} s old", age.as_secs_f64()),
        Stale::NoTime => "was stamped, and the time is not known".into(),
        Stale::Ahead { by } => format!("was stamped {:.3} s ahead of this clock", by.as_secs_f64()),
        Stale::Repeated { age } => format!("had the stamp of one that is {:.3} s old", age.as_secs_f64()),
    }
}
