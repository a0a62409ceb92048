//! How often a thread has allocated, for whoever promises that it does not: tests and the bench.
//!
//! An executable that wants to know says so once:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: allocations::Counting = allocations::Counting;
//!
//! let before = allocations::count();
//! drop(vec![0u8; 10]);
//! assert_eq!(allocations::count() - before, 1);
//! ```
#![allow(unsafe_code)] // an allocator that counts cannot be written without; it costs an addition

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts for each thread by itself: a test's harness allocates on its own.
/// # Source
/// own, with `std::alloc::GlobalAlloc`.
pub struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Allocations of this thread since its start, those that grow or shrink one included.
pub fn count() -> usize {
    COUNT.with(Cell::get)
}

fn add_one() {
    COUNT.with(|count| count.set(count.get().wrapping_add(1)));
}

// SAFETY: every call is handed to the system's allocator as it came; counting allocates nothing, and its thread's
// memory needs no destructor, so that it is there until the thread's last breath.
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
