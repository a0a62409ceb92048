//! Counts the allocations of a thread, for code that must not allocate: tests and the bench.
//!
//! An executable installs it once:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: allocations::Counting = allocations::Counting;
//!
//! let before = allocations::count();
//! drop(vec![0u8; 10]);
//! assert_eq!(allocations::count() - before, 1);
//! ```
#![allow(unsafe_code)] // `GlobalAlloc` is an unsafe trait; counting costs an addition

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts for each thread separately, since a test's harness allocates too.
/// # Source
/// own, with `std::alloc::GlobalAlloc`.
pub struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Allocations of this thread since its start, including those that grow or shrink one.
pub fn count() -> usize {
    COUNT.with(Cell::get)
}

fn add_one() {
    COUNT.with(|count| count.set(count.get().wrapping_add(1)));
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting allocates nothing, and the thread-local counter
// needs no destructor, so it exists until the thread ends.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add_one();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add_one();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add_one();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    #[test]
    fn every_allocation_counts() {
        let before = count();
        let mut numbers: Vec<u8> = black_box(Vec::with_capacity(1));
        assert_eq!(count() - before, 1);
        numbers.reserve_exact(black_box(1000));
        black_box(vec![0u8; black_box(1000)]);
        assert_eq!(count() - before, 3);
    }
}
