#!/usr/bin/env python3
"""Do stacks reach their root, and are they as deep as those of perf's DWARF unwinder?

Four programs: Rust in default release mode with two threads, a static musl program, C++ at
-O2, and CPython running a script. For each: the share of samples whose user stack reaches a
root as wick says, and the mean depth of the chains in wick's file against those of
`perf record --call-graph dwarf,32768` unwound by `perf script --no-inline`. Both are read by the
same perf. perf 6.1 cannot unwind musl programs without .eh_frame_hdr: no depth there."""
import json
import os

from common import Script, build, folder, need, perf_record, run, wick_record, WICK

PROGRAMS = [
    ("Rust, two threads", "threads.rs", "1200", True),
    ("static musl", "chains.c", "1500", False),
    ("C++ -O2", "shapes.cpp", "700", True),
    ("CPython script", "words.py", "250", True),
]


def reach(recording):
    told = json.loads(run([WICK, "show", recording, "functions", "--json"]).stdout)
    quality = told["quality"]
    return quality["user_stacks_reaching_root"], quality["user_stacks"]


def main():
    need("perf")
    work = folder()
    for title, source, rounds, compare in PROGRAMS:
        program = build(source, work)
        if not program:
            print(f"{title}: skipped, its compiler is not installed")
            continue
        program = program + [rounds]
        ours = os.path.join(work, "wick.data")
        theirs = os.path.join(work, "perf.data")
        run(wick_record(program, ours))
        whole, of = reach(ours)
        print(f"{title}: stacks that reach a root: {whole} of {of} = {100 * whole / of:.2f} %")
        if not compare:
            continue
        run(perf_record(program, theirs, "--call-graph", "dwarf,32768"))
        mine = Script(ours)
        perf = Script(theirs, "--no-inline")
        print(f"{title}: mean depth {mine.mean_depth:.2f}, perf {perf.mean_depth:.2f}: "
              f"{100 * (mine.mean_depth / perf.mean_depth - 1):+.2f} %")


main()
