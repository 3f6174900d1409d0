//! Marks and heap snapshots in a recording by wick: what `wick/mark.h` is for C.
//!
//! `wick record --heap` loads a library into the program; this module finds its function by name.
//! In a program that is not recorded the functions do nothing, at the cost of a load and a branch.
use std::ffi::{c_char, c_int, c_void, CStr};
use std::sync::OnceLock;

type Mark = unsafe extern "C" fn(kind: c_int, text: *const c_char);

extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn library() -> Option<Mark> {
    static FOUND: OnceLock<Option<Mark>> = OnceLock::new();

    *FOUND.get_or_init(|| {
        let everywhere = std::ptr::null_mut(); // RTLD_DEFAULT
        // SAFETY: the name ends with a NUL, and what has it is a function of this type.
        unsafe {
            let found = dlsym(everywhere, c"wick_heap_library_mark_1".as_ptr());
            std::mem::transmute::<*mut c_void, Option<Mark>>(found)
        }
    })
}

fn send(kind: c_int, text: &CStr) {
    if let Some(mark) = library() {
        // SAFETY: the library reads the text up to its NUL and keeps no pointer to it.
        unsafe { mark(kind, text.as_ptr()) }
    }
}

/// A snapshot of this process's heap as of now.
pub fn heap_snapshot(label: &CStr) {
    send(1, label);
}

/// A moment with a name.
pub fn mark(text: &CStr) {
    send(2, text);
}
