#!/usr/bin/env python3
"""What recording costs: CPU seconds added to the target and spent by the recorder, and bytes.

The same Rust program bare, under `wick record` and under
`perf record --call-graph dwarf,16384`, in turns, at one frequency. CPU seconds are those of
the command and all it started; what was added is the difference to the bare run."""
import os
import statistics
import sys

from common import Cost, build, folder, need, perf_record, wick_record


def main():
    need("perf", "rustc")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    work = folder()
    program = build("threads.rs", work) + ["1500"]
    ours = os.path.join(work, "wick.data")
    theirs = os.path.join(work, "perf.data")
    bare, wick, perf = [], [], []
    for _ in range(rounds):
        bare.append(Cost(program).cpu)
        wick.append(Cost(wick_record(program, ours)).cpu)
        perf.append(Cost(perf_record(program, theirs, "--call-graph", "dwarf,16384")).cpu)
    base = statistics.median(bare)
    wick_added = statistics.median(wick) - base
    perf_added = statistics.median(perf) - base
    print(f"bare program: {base:.3f} CPU s (from {min(bare):.3f} to {max(bare):.3f})")
    print(f"added by wick record: {wick_added:.3f} CPU s = {100 * wick_added / base:.1f} %")
    print(f"added by perf record: {perf_added:.3f} CPU s = {100 * perf_added / base:.1f} %")
    print(f"wick against perf: {wick_added / perf_added:.2f}")
    size, perf_size = os.path.getsize(ours), os.path.getsize(theirs)
    print(f"file: wick {size} B, perf {perf_size} B: 1/{perf_size / size:.0f}")


main()
