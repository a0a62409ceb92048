use std::iter;

use super::*;
use GoalState::{Aborted, Canceled, Canceling, Executing, Succeeded};

type Book = Goals<&'static str, u32, u32>;

fn stamp(secs: u64) -> Stamp {
    Stamp::of(Duration::from_secs(secs))
}

fn id(number: u8) -> GoalId {
    [number; 16]
}

fn drain(book: &mut Book) -> Vec<Output<&'static str, u32, u32>> {
    iter::from_fn(|| book.poll()).collect()
}

/// A book with the open goals 1 to `count`; goal n was accepted at n seconds.
fn open(count: u8) -> (Book, Vec<Weak<AtomicUsize>>) {
    let mut book = Book::new();
    let counts = (1..=count).map(|number| book.accept(id(number), stamp(number.into())).unwrap()).collect();
    drain(&mut book);
    (book, counts)
}

fn requests(count: &Weak<AtomicUsize>) -> Option<usize> {
    count.upgrade().map(|count| count.load(Ordering::SeqCst))
}

fn ended(secs: u64) -> Instant {
    Instant::from_millis(1000 * secs)
}

#[test]
fn a_goal_executes_and_its_result_is_sent_to_those_that_waited_and_to_those_that_come_later() {
    let mut book = Book::new();
    let count = book.accept(id(1), stamp(5)).unwrap();
    assert_eq!(drain(&mut book), [Output::Status(vec![(id(1), stamp(5), Executing)])]);
    book.ask_result(id(1), 10);
    book.ask_result(id(1), 11);
    assert_eq!(drain(&mut book), []);
    book.end(id(1), Succeeded, "there", ended(0));
    assert_eq!(requests(&count), None);
    let result = |request| Output::Result(request, Some((Succeeded, "there")));
    let status = Output::Status(vec![(id(1), stamp(5), Succeeded)]);
    assert_eq!(drain(&mut book), [status, result(10), result(11)]);
    book.ask_result(id(1), 12);
    assert_eq!(drain(&mut book), [result(12)]);
    book.end(id(1), Aborted, "again", ended(1));
    assert_eq!(drain(&mut book), [], "a goal ends once");
}

#[test]
fn the_result_of_a_goal_that_nobody_knows_is_unknown() {
    let (mut book, _) = open(1);
    book.ask_result(id(9), 1);
    assert_eq!(drain(&mut book), [Output::Result(1, None)]);
}

#[test]
fn a_result_is_kept_for_ten_seconds() {
    let (mut book, _) = open(2);
    book.end(id(1), Succeeded, "there", ended(0));
    drain(&mut book);
    book.forget(Instant::from_millis(9999));
    assert_eq!(drain(&mut book), []);
    book.forget(ended(10));
    book.ask_result(id(1), 1);
    let rest = Output::Status(vec![(id(2), stamp(2), Executing)]);
    assert_eq!(drain(&mut book), [rest, Output::Result(1, None)]);
    book.forget(ended(1_000_000));
    assert_eq!(drain(&mut book), [], "an open goal is kept");
    assert!(book.accept(id(1), stamp(9)).is_ok());
}

#[test]
fn the_results_of_a_hundred_goals_are_kept_and_the_oldest_goes_first() {
    let mut book = Book::new();
    for number in 0..=100 {
        book.accept(id(number), stamp(1)).unwrap();
        book.end(id(number), Succeeded, "there", Instant::from_millis(number.into()));
    }
    drain(&mut book);
    book.ask_result(id(0), 0);
    book.ask_result(id(1), 1);
    assert_eq!(drain(&mut book), [Output::Result(0, None), Output::Result(1, Some((Succeeded, "there")))]);
}

#[test]
fn a_goal_whose_id_is_known_is_not_accepted_and_no_more_than_a_hundred_are_open() {
    let (mut book, _) = open(100);
    assert_eq!(book.accept(id(7), stamp(9)).unwrap_err(), NotAccepted::Known);
    assert_eq!(book.accept(id(200), stamp(9)).unwrap_err(), NotAccepted::Full);
    book.end(id(7), Aborted, "", ended(0));
    assert_eq!(book.accept(id(7), stamp(9)).unwrap_err(), NotAccepted::Known, "its result is kept");
    assert!(book.accept(id(200), stamp(9)).is_ok());
}

#[test]
fn a_cancelled_goal_passes_through_canceling_and_its_requests_are_answered_at_its_end() {
    let (mut book, counts) = open(1);
    book.ask_result(id(1), 10);
    book.ask_cancel(Selection::new(id(1), Stamp::default()), 20);
    book.ask_cancel(Selection::new(id(1), Stamp::default()), 21);
    assert_eq!((drain(&mut book), requests(&counts[0])), (vec![], Some(2)));
    book.end(id(1), Canceled, "held", ended(0));
    let status = |state| Output::Status(vec![(id(1), stamp(1), state)]);
    let cancelled = |request| Output::Cancelled(request, CancelCode::None, vec![(id(1), stamp(1))]);
    let result = Output::Result(10, Some((Canceled, "held")));
    assert_eq!(drain(&mut book), [status(Canceling), cancelled(20), cancelled(21), status(Canceled), result]);
    assert_eq!(requests(&counts[0]), None);
}

#[test]
fn a_goal_that_ends_otherwise_rejects_the_requests_to_cancel_it() {
    for state in [Succeeded, Aborted] {
        let (mut book, _) = open(1);
        book.ask_cancel(Selection::One(id(1)), 20);
        book.end(id(1), state, "", ended(0));
        let status = Output::Status(vec![(id(1), stamp(1), state)]);
        assert_eq!(drain(&mut book), [Output::Cancelled(20, CancelCode::Rejected, vec![]), status]);
    }
}

#[test]
fn goals_are_selected_by_id_by_time_by_both_or_all() {
    let zero = GoalId::default();
    // Goal n was accepted at n seconds.
    for (asked, until, selected) in [
        (zero, Stamp::default(), vec![1, 2, 3]),
        (id(2), Stamp::default(), vec![2]),
        (zero, stamp(2), vec![1, 2]),
        (id(3), stamp(1), vec![1, 3]),
        (id(9), stamp(1), vec![1]),
    ] {
        let (mut book, counts) = open(3);
        book.ask_cancel(Selection::new(asked, until), 7);
        let asked: Vec<usize> = (1..=3).filter(|number| requests(&counts[number - 1]) == Some(1)).collect();
        assert_eq!(asked, selected);
        assert!(!book.has_output());
    }
}

#[test]
fn a_request_for_several_goals_is_answered_with_those_that_were_cancelled() {
    let (mut book, _) = open(3);
    book.ask_cancel(Selection::All, 7);
    book.end(id(1), Canceled, "", ended(0));
    book.end(id(2), Succeeded, "", ended(0));
    assert!(drain(&mut book).iter().all(|output| matches!(output, Output::Status(_))), "goal 3 is open");
    book.end(id(3), Canceled, "", ended(0));
    let cancelled = vec![(id(1), stamp(1)), (id(3), stamp(3))];
    assert_eq!(drain(&mut book)[1], Output::Cancelled(7, CancelCode::None, cancelled));
}

#[test]
fn a_request_that_selects_no_open_goal_is_answered_at_once() {
    let (mut book, _) = open(1);
    book.end(id(1), Succeeded, "", ended(0));
    drain(&mut book);
    for (selection, code) in [
        (Selection::One(id(1)), CancelCode::GoalTerminated),
        (Selection::One(id(9)), CancelCode::UnknownGoal),
        (Selection::All, CancelCode::None),
        (Selection::Until(stamp(9)), CancelCode::None),
        (Selection::UntilAnd(stamp(9), id(1)), CancelCode::None),
    ] {
        book.ask_cancel(selection, 7);
        assert_eq!(drain(&mut book), [Output::Cancelled(7, code, vec![])]);
    }
}

#[test]
fn clients_that_ask_without_end_fill_no_memory_and_are_obeyed_all_the_same() {
    let (mut book, counts) = open(1);
    for request in 0..5000 {
        book.ask_result(id(1), request);
        book.ask_cancel(Selection::All, request);
    }
    assert_eq!(requests(&counts[0]), Some(5000));
    book.end(id(1), Canceled, "", ended(0));
    assert!(drain(&mut book).len() <= 1001, "the answers and a status");
    for request in 0..5000 {
        book.ask_result(id(9), request);
    }
    assert_eq!(drain(&mut book).len(), 1000);
}
