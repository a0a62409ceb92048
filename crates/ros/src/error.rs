use params::Refusal;

/// Why a node did not start or could not go on: one sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The middleware refused something.
    #[error("could not {what}: {source}")]
    Ros {
        /// The attempted action, worded to follow "could not".
        what: String,
        /// The middleware's error.
        source: r2r::Error,
    },
    /// Parameters were refused; all of them are listed.
    #[error("node '{node}' does not start:{}", lines(.refusals))]
    Parameters {
        /// The node whose parameters they are.
        node: String,
        /// Why each was refused.
        refusals: Vec<Refusal>,
    },
    /// Anything else that a node cannot start without.
    #[error("{0}")]
    Start(String),
}

impl Error {
    /// An error that names what was tried when the middleware refused.
    pub fn ros(what: impl Into<String>) -> impl FnOnce(r2r::Error) -> Self {
        let what = what.into();
        move |source| Self::Ros { what, source }
    }

    /// An error that names the node whose parameter was refused.
    pub(crate) fn refused(node: &r2r::Node) -> impl FnOnce(Refusal) -> Self {
        let node = node.name().unwrap_or_default();
        move |refusal| Self::Parameters { node, refusals: vec![refusal] }
    }
}

/// A line for each, indented.
fn lines(refusals: &[Refusal]) -> String {
    refusals.iter().map(|refusal| format!("\n  {refusal}")).collect()
}
