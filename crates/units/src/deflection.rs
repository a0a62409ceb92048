use crate::{NEUTRAL_ANGULAR, NEUTRAL_LINEAR};

/// A stick that accelerates from zero beyond what is neutral within this time is deflected, and does not drift \[s].
const SOON: f64 = 0.2;

/// Whether the linear \[m/s²] and angular \[rad/s²] accelerations of a state are those of a deflected stick: beyond 0.1 or 0.25, or not
/// numbers. A stick that is pushed or reversed passes a velocity of zero, and was not released there.
/// # Source
/// own
pub fn is_deflected(linear: Option<[f64; 3]>, angular: Option<[f64; 3]>) -> bool {
    let is_still = |parts: Option<[f64; 3]>, limit: f64| {
        parts.unwrap_or_default().iter().all(|part| part.abs() <= limit / SOON)
    };
    !is_still(linear, NEUTRAL_LINEAR) || !is_still(angular, NEUTRAL_ANGULAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_beyond_its_limit_is_deflection() {
        assert!(!is_deflected(None, None));
        assert!(!is_deflected(Some([0.09, -0.09, 0.0]), Some([0.0, 0.24, -0.24])));
        for at in 0..3 {
            for (linear, angular) in
                [(0.11, 0.0), (-0.11, 0.0), (0.0, 0.26), (0.0, -0.26), (f64::NAN, 0.0), (0.0, f64::NAN)]
            {
                let [mut acc, mut aacc] = [[0.0; 3]; 2];
                (acc[at], aacc[at]) = (linear, angular);
                assert!(is_deflected(Some(acc), Some(aacc)), "{acc:?} {aacc:?}");
            }
        }
    }
}
