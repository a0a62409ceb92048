// The only crate that C calls. Each use is argued.
#![allow(unsafe_code)]

use core::ffi::{c_char, c_int};
use core::time::Duration;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::thread;
use std::time::Instant;

use ros::panics::lock;
use ros::{clock, print_line};

use crate::abi::{Command, ERROR, OK, RobotInfo, Sensor};
use crate::connection::{CONNECT_TIME, Connection, Failure, TIMEOUT};
use crate::{convert, last_result};

/// The connection of this process, and the calls that wait for it. They go one after the other, in the order in which they came.
static LINE: Mutex<Line> =
    Mutex::new(Line { connection: None, is_busy: false, next: 0, waiting: VecDeque::new() });
/// A call has ended, or waits no longer.
static MOVED: Condvar = Condvar::new();

struct Line {
    /// None also while a call has it.
    connection: Option<Connection>,
    is_busy: bool,
    /// The number of the next call.
    next: u64,
    waiting: VecDeque<u64>,
}

/// The turn of a call, which ends when this is dropped.
struct Turn;

impl Drop for Turn {
    fn drop(&mut self) {
        lock(&LINE).is_busy = false;
        MOVED.notify_all();
    }
}

// SAFETY of the declaration: this is the function of the C standard library, with its type.
unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// Ends the connection when the program ends without `hx_close`: the middleware's threads must not outlive its library's data.
extern "C" fn close_at_exit() {
    // A call keeps the connection, and `exit` must not wait for it.
    let _ = catch_unwind(|| {
        let connection = lock(&LINE).connection.take();
        drop(connection);
    });
}

/// Waits for the turn of this call, for `limit` at most.
fn turn(limit: Duration) -> Result<Turn, Failure> {
    let end = clock::now() + limit;
    let mut line = lock(&LINE);
    let call = line.next;
    line.next += 1;
    line.waiting.push_back(call);
    while line.is_busy || line.waiting.front() != Some(&call) {
        let left = end.since(clock::now());
        if left.is_zero() {
            line.waiting.retain(|waiting| *waiting != call);
            MOVED.notify_all();
            return Err(Failure::TimedOut("Calls of other threads took too long.".into()));
        }
        line = MOVED.wait_timeout(line, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    line.waiting.pop_front();
    line.is_busy = true;
    Ok(Turn)
}

/// Calls `call` with the connection, which is made if there is none, and with what is left of `limit`. The first call of a connection
/// has the time of a connect: the node must be found.
fn connected<T>(
    limit: Duration,
    call: impl FnOnce(&mut Connection, Duration) -> Result<T, Failure>,
) -> Result<T, Failure> {
    static AT_EXIT: Once = Once::new();
    let start = clock::now();
    let turn = turn(limit)?;
    // Taken out: a call that panics loses the connection, and the next one makes another.
    let known = lock(&LINE).connection.take();
    let (mut connection, limit) = match known {
        Some(connection) => (connection, limit),
        None => {
            let connection = Connection::new()?;
            // After the libraries of the middleware were loaded, so that it runs before their own ends.
            AT_EXIT.call_once(|| {
                // SAFETY: `close_at_exit` takes nothing and does not unwind; glibc calls it at the exit, or before it unloads this
                // library.
                let _ = unsafe { atexit(close_at_exit) };
            });
            (connection, limit.max(CONNECT_TIME))
        }
    };
    let outcome = call(&mut connection, (start + limit).since(clock::now()));
    let pause = match &outcome {
        Err(Failure::Refused(_)) => connection.pause().min((start + TIMEOUT).since(clock::now())),
        _ => Duration::ZERO,
    };
    lock(&LINE).connection = Some(connection);
    drop(turn); // other threads go on
    // Programs that go on at once after an error have no other pace.
    #[allow(clippy::disallowed_methods)] // the caller's own thread waits
    thread::sleep(pause);
    outcome
}

/// The result of `body` for C. An error, or a panic, becomes the text of `hx_last_result` and a line on stderr, the
/// same line once a second at most.
fn answered(name: &str, body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let text = match outcome {
        Ok(Ok(())) => return OK,
        Ok(Err(failure)) => format!("{name}() {failure}"),
        Err(_) => format!("{name}() failed: a bug in this library; its message is printed above"),
    };
    // Neither may panic, but a caller in C has no defence if one did.
    let _ = catch_unwind(|| {
        #[allow(clippy::disallowed_methods)] // here is where the clock is read
        if last_result::is_news(&text, Instant::now()) {
            print_line(format_args!("{text}"));
        }
        last_result::set(text);
    });
    ERROR
}

fn null(what: &str) -> Failure {
    Failure::Ros(format!("got NULL for its {what}."))
}

/// Makes the connection and waits for the node, for 5 s at most. Without a node it succeeds all the same, as in haptix-comm, with a
/// line on stderr. Host and port have no meaning: ROS finds the node.
#[unsafe(no_mangle)]
pub extern "C" fn hx_connect(_host: *const c_char, _port: c_int) -> c_int {
    answered("hx_connect", || {
        connected(CONNECT_TIME, |connection, left| {
            if let Err(failure) = connection.find(left) {
                print_line(format_args!("hx_connect() goes on without a hand: {failure}"));
            }
            Ok(())
        })
    })
}

/// Ends the connection; the next call makes another. An error if calls of other threads last longer than 1 s.
#[unsafe(no_mangle)]
pub extern "C" fn hx_close() -> c_int {
    answered("hx_close", || {
        let _turn = turn(TIMEOUT)?;
        let connection = lock(&LINE).connection.take();
        drop(connection);
        Ok(())
    })
}

/// Reads the counts and ranges of the hand's parts, and its update rate; all zero on an error.
/// # Safety
/// `out` is NULL or points to a `hxRobotInfo` that nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hx_robot_info(out: *mut RobotInfo) -> c_int {
    answered("hx_robot_info", || {
        if out.is_null() {
            return Err(null("hxRobotInfo"));
        }
        // SAFETY: it is not NULL, so by the contract it may be written; C need not have aligned it.
        unsafe { out.write_unaligned(RobotInfo::default()) };
        let info = connected(TIMEOUT, Connection::robot_info)?;
        // SAFETY: as above.
        unsafe { out.write_unaligned(convert::robot_info(&info)) };
        Ok(())
    })
}

/// Gives a command and reads; the reading is all zero on an error.
/// # Safety
/// Each pointer is NULL or points to such a struct, which nothing else uses meanwhile. Entries of the command that are not used need not
/// be initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hx_update(command: *const Command, out: *mut Sensor) -> c_int {
    answered("hx_update", || {
        if out.is_null() {
            return Err(null("hxSensor"));
        }
        // SAFETY: it is not NULL, so by the contract it may be written; C need not have aligned it.
        unsafe { out.write_unaligned(Sensor::default()) };
        if command.is_null() {
            return Err(null("hxCommand"));
        }
        // SAFETY: it is not NULL, so by the contract it may be read; integers and floats have no invalid values. Bytes that C left
        // uninitialised have some value, since this memory is C's.
        let command = unsafe { command.read_unaligned() };
        let command = convert::command(&command);
        let sensor = connected(TIMEOUT, |connection, left| connection.update(command, left))?;
        // SAFETY: as above.
        unsafe { out.write_unaligned(convert::sensor(&sensor)) };
        Ok(())
    })
}

/// Reads; nothing is written on an error.
/// # Safety
/// `out` is NULL or points to a `hxSensor` that nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hx_read_sensors(out: *mut Sensor) -> c_int {
    answered("hx_read_sensors", || {
        if out.is_null() {
            return Err(null("hxSensor"));
        }
        let sensor = connected(TIMEOUT, Connection::read)?;
        // SAFETY: it is not NULL, so by the contract it may be written; C need not have aligned it.
        unsafe { out.write_unaligned(convert::sensor(&sensor)) };
        Ok(())
    })
}

/// The text of the last error, which a success does not clear; empty before the first error. It stays until this thread asks again.
#[unsafe(no_mangle)]
pub extern "C" fn hx_last_result() -> *const c_char {
    catch_unwind(last_result::get).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use core::ffi::CStr;

    use super::*;

    fn last() -> String {
        // SAFETY: it points to a text of this library that stays until this thread asks again.
        unsafe { CStr::from_ptr(hx_last_result()) }.to_str().unwrap().to_owned()
    }

    /// One test, since there is one line.
    #[test]
    fn calls_take_turns_in_their_order_and_wait_no_longer_than_they_may() {
        let limit = Duration::from_millis(50);
        let first = turn(limit).unwrap();
        let start = clock::now();
        let failure = turn(limit).err();
        let took = clock::now().since(start);
        assert!(matches!(failure, Some(Failure::TimedOut(_))) && took >= limit, "{failure:?} after {took:?}");
        assert!(took < Duration::from_secs(2), "{took:?}");
        let order = &Mutex::new(Vec::new());
        thread::scope(|scope| {
            for place in 0..20 {
                let call = move || {
                    let _turn = turn(Duration::from_secs(20)).unwrap();
                    lock(order).push(place);
                };
                scope.spawn(call);
                while lock(&LINE).waiting.len() <= place {
                    thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(*lock(order), (0..20).collect::<Vec<_>>());
        assert!(turn(limit).is_ok());
    }

    /// One test, since there is one last result.
    #[test]
    fn a_panic_is_an_error_and_no_panic_of_the_program() {
        assert_eq!(last(), "");
        assert_eq!(answered("hx_fine", || Ok(())), OK);
        assert_eq!(answered("hx_odd", || panic!("a fault of this library")), ERROR);
        assert_eq!(last(), "hx_odd() failed: a bug in this library; its message is printed above");
        assert_eq!(answered("hx_late", || Err(Failure::TimedOut("Nobody.".into()))), ERROR);
        assert_eq!(last(), "hx_late() Service call timed out. Nobody.");
        assert_eq!(answered("hx_fine", || Ok(())), OK);
        assert_eq!(last(), "hx_late() Service call timed out. Nobody.", "a success does not clear it");
        // The text that a thread has stays, whatever others do.
        let mine = hx_last_result();
        std::thread::scope(|scope| {
            scope.spawn(|| answered("hx_other", || Err(Failure::Refused("No.\0".into())))).join().unwrap();
            scope.spawn(|| assert_eq!(last(), "hx_other() Service call failed. No.")).join().unwrap();
        });
        // SAFETY: as above.
        let kept = unsafe { CStr::from_ptr(mine) };
        assert_eq!(kept.to_str(), Ok("hx_late() Service call timed out. Nobody."));
    }
}
