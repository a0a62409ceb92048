//! The tests of `haptix` beside those in its source: one executable, since each further one would have to be linked.
//!
//! The rules of the HAPTIX API, on which programs rely, and the tests of them:
//!
//! | rule | tests |
//! |---|---|
//! | each field of a reading has its unit, order, frame and sign, and zeros beyond the counts | `fields`, `imus`, `contacts`, `directions` |
//! | counts, names and limits are those of the HAPTIX models | `devices` |
//! | a group without its flag keeps its values; a wrong live value refuses the whole command | `node`, `properties`, `src/setpoints` |
//! | the latest command of a tick counts and shows in the next reading; silence leads to a hold | `device_loop`, `node` |
//! | every call is answered once; a device that is silent for 1000 ms is an error | `properties`, `device_faults` |
//! | in an emergency stop of the vehicle nothing moves the hand, and no reset of a program ends it | `vehicle` |
//! | the same for every simulated hand, MuJoCo's too | the crate `hand_conformance` |
//! | the same over the wire, and the functions in C: layout, results, time-outs, threads | `tests/ros/haptix/test_haptix.py`, `test_libhaptix.py` |

mod allocation;
mod common;
mod conformance;
mod contacts;
mod device_faults;
mod device_loop;
mod devices;
mod directions;
mod fields;
mod hand;
mod imus;
mod node;
mod properties;
mod robot;
mod vehicle;
