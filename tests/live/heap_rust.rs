// heap_rust LOG: a Rust program, whose allocations its own allocator counts.
//
// All go through two functions in the section that heap_count.h describes.
use std::alloc::{GlobalAlloc, Layout};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void, CString};

extern "C" {
    fn heap_count_begin(path: *const c_char);
    fn heap_count_log();
    fn atexit(work: extern "C" fn()) -> c_int;
    fn heap_malloc(size: usize) -> *mut c_void;
    fn heap_calloc(count: usize, size: usize) -> *mut c_void;
    fn heap_aligned(function: c_int, alignment: usize, size: usize) -> *mut c_void;
    fn heap_realloc(block: *mut c_void, old: usize, size: usize) -> *mut c_void;
    fn heap_free(block: *mut c_void, size: usize);
}

const POSIX_MEMALIGN: c_int = 4;
const SMALL: usize = 16;

struct Counted;

unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= SMALL {
            heap_malloc(layout.size()).cast()
        } else {
            heap_aligned(POSIX_MEMALIGN, layout.align(), layout.size()).cast()
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= SMALL {
            return heap_calloc(1, layout.size()).cast();
        }
        let block = self.alloc(layout);
        std::ptr::write_bytes(block, 0, layout.size());
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        heap_free(block.cast(), layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= SMALL {
            return heap_realloc(block.cast(), layout.size(), size).cast();
        }
        let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        std::ptr::copy_nonoverlapping(block, moved, size.min(layout.size()));
        self.dealloc(block, layout);
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

#[repr(align(256))]
#[derive(Clone)]
struct Wide([u8; 256]);

#[inline(never)]
fn fill_map(count: usize) -> usize {
    let mut words = HashMap::new();
    for i in 0..count {
        words.entry(i % 313).or_insert_with(Vec::new).push(format!("word {i}"));
    }
    words.values().map(|list| list.len()).sum()
}

#[inline(never)]
fn grow_vector() -> usize {
    let mut numbers = Vec::new();
    for i in 0..200_000usize {
        numbers.push(i);
    }
    let wide = vec![Wide([1; 256]); 10];
    let zeros = vec![0u8; 1 << 20];
    numbers.len() + wide.iter().map(|one| one.0[7] as usize).sum::<usize>() + zeros.len()
}

#[inline(never)]
fn panic_inside(depth: usize) -> usize {
    let text = format!("depth {depth}");
    if depth == 0 {
        std::panic::panic_any(text);
    }
    panic_inside(depth - 1) + text.len()
}

/// After what the library of Rust frees at the end.
extern "C" fn log_at_end() {
    unsafe { heap_count_log() };
}

fn main() {
    let path = std::env::args().nth(1).map(|path| CString::new(path).unwrap());
    unsafe {
        heap_count_begin(path.as_ref().map_or(std::ptr::null(), |path| path.as_ptr()));
        atexit(log_at_end);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut sum = fill_map(20_000) + grow_vector();
    for _ in 0..20 {
        let caught = std::panic::catch_unwind(|| panic_inside(50)).unwrap_err();
        sum += caught.downcast_ref::<String>().unwrap().len();
    }
    let threads: Vec<_> = (0..8).map(|i| std::thread::spawn(move || fill_map(1000 * i))).collect();
    sum += threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>();
    println!("{sum}");
    std::mem::forget(vec![1u8; 12345]);
    std::process::exit(7);
}
