//! `libhaptix.so`: the six functions of the HAPTIX API's C header (haptix-comm 0.9), over the services of the node `haptix`.
//!
//! | file | idea |
//! |---|---|
//! | `abi` | the structs as C has them |
//! | `connection` | the ROS node of this process, and calls with a time-out |
//! | `convert` | structs and messages |
//! | `functions` | the six functions, and what no caller in C may ever meet: a panic, a NULL, two threads at once |
//! | `last_result` | the text of the last error |
//! | `settings` | what the environment says |

mod abi;
mod connection;
mod convert;
mod functions;
mod last_result;
mod settings;
