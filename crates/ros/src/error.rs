use core::fmt;

use params::Refusal;

/// Why a node did not start or could not go on: one sentence for the user.
#[derive(Debug)]
pub enum Error {
    /// The middleware refused something.
    Ros {
        /// What was tried.
        what: String,
        /// The middleware's error.
        source: r2r::Error,
    },
    /// Parameters were refused; all of them are listed.
    Parameters {
        /// The node whose parameters they are.
        node: String,
        /// Why each was refused.
        refusals: Vec<Refusal>,
    },
    /// Anything else that a node cannot start without.
    Start(String),
}

impl Error {
    /// An error that names what was tried when the middleware refused.
    pub fn ros(what: impl Into<String>) -> impl FnOnce(r2r::Error) -> Self {
        let what = what.into();
        move |source| Self::Ros { what, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ros { what, source } => write!(f, "could not {what}: {source}"),
            Self::Parameters { node, refusals } => {
                write!(f, "node '{node}' does not start:")?;
                refusals.iter().try_for_each(|refusal| write!(f, "\n  {refusal}"))
            }
            Self::Start(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Error {}
