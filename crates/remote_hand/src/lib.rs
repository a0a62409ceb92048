//! A HAPTIX hand in a process of its own: [`RemoteHand`] is the device of the caller, [`serve`] the other process's side.
//!
//! The caller starts the process with one end of a socket as its standard input, and gives it the description of the hand. Requests
//! and answers are frames in the order of their numbers. A step has no answer: the process makes it while the caller goes on, and
//! a step that failed is the answer of the next reading. When the caller ends, however it ends, the socket does, and the process
//! with it.
#![forbid(unsafe_code)]

mod client;
mod codec;
mod frames;
mod server;

pub use client::{ANSWER_TIMEOUT, END_TIMEOUT, RemoteHand, START_TIMEOUT, StartError};
pub use server::{ServeError, Start, serve, socket_of_stdin};
