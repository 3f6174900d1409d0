//! Takes ten snapshots of its own heap, which grows by a buffer from one to the next:
//!
//!     cargo build --release
//!     wick record --heap -- target/release/rust-snapshots
//!     wick dump | grep snapshot
//!
//! Snapshot 9 has three buffers of 1 MiB, three of 10 MiB and two of 100 MiB, and nothing of what
//! was released.
mod wick;

use std::ffi::CStr;
use std::hint::black_box;

const MIB: usize = 1 << 20;

const STEPS: [(usize, [&CStr; 3]); 3] = [
    (MIB, [c"1 MiB, first", c"1 MiB, second", c"1 MiB, third"]),
    (10 * MIB, [c"10 MiB, first", c"10 MiB, second", c"10 MiB, third"]),
    (100 * MIB, [c"100 MiB, first", c"100 MiB, second", c"100 MiB, third"]),
];

fn filled(bytes: usize) -> Vec<u8> {
    black_box(vec![1; bytes])
}

fn main() {
    let mut kept: [[Vec<u8>; 3]; 3] = Default::default();

    wick::heap_snapshot(c"start");
    for (buffers, (bytes, labels)) in kept.iter_mut().zip(STEPS) {
        wick::mark(c"larger buffers");
        for (buffer, label) in buffers.iter_mut().zip(labels) {
            let scratch = filled(bytes);
            *buffer = filled(bytes);
            drop(scratch);
            wick::heap_snapshot(label);
        }
    }
    black_box(kept);
}
