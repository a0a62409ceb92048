/// The servo value that turns a wheel of the base at `speed`, where `full` is its speed at full servo value \[m/s\].
///
/// value = 90 - 66 · speed / full, rounded; 24 is full forward, 90 stop, 156 full reverse. NaN stops.
/// # Source
/// hindbrain's motor topics, as the node `simulator` reads them.
pub fn servo(speed: f64, full: f64) -> i16 {
    let part = (speed / full).clamp(-1.0, 1.0);
    // Within 24 to 156; `as` converts NaN to 0.
    90 - (66.0 * part).round() as i16
}

#[cfg(test)]
mod tests {
    use super::servo;

    #[test]
    fn servo_values_are_those_of_the_simulator() {
        assert_eq!([0.0, 1.2, -1.2, 0.6, -9.0].map(|speed| servo(speed, 1.2)), [90, 24, 156, 57, 156]);
        assert_eq!(servo(f64::NAN, 1.2), 90);
        // One count is 1.2 / 66 = 0.01818 m/s; half of it is the smallest speed that moves.
        assert_eq!([servo(0.009, 1.2), servo(0.0092, 1.2)], [90, 89]);
    }
}
