#!/usr/bin/env python3
"""Do stacks reach their root, and are they as deep as those of perf's DWARF unwinder?

Four programs: Rust in default release mode with two threads, a static musl program, C++ at
-O2, and CPython running a script. For each: the share of samples whose user stack reaches a
root as wick says, and the mean depth of the chains in wick's file against those of
`perf record --call-graph dwarf,32768` unwound by `perf script --no-inline`. Both are read by the
same perf. perf 6.1 cannot unwind musl programs without .eh_frame_hdr: no depth there.

Then the share of whole stacks of programs that are harder: a cargo build, cc1, Go, node, Java with
its options, and buffers of 64 KiB."""
import json
import os
import shutil

from common import HERE, ROOT, Script, build, folder, need, perf_record, run, wick_record, WICK

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


def program(name):
    return os.path.join(HERE, "programs", name)


def hard_programs(work):
    """Title, what to run first, the command."""
    crate = os.path.join(work, "crate")
    os.makedirs(os.path.join(crate, "src"))
    shutil.copy(program("threads.rs"), os.path.join(crate, "src", "main.rs"))
    with open(os.path.join(crate, "Cargo.toml"), "w") as file:
        file.write('[package]\nname = "crate"\nversion = "0.1.0"\nedition = "2021"\n')
    goroutines = os.path.join(work, "goroutines")
    return [
        ("cargo build", [], ["cargo", "build", "-q", "--release", "--manifest-path",
                             os.path.join(crate, "Cargo.toml")]),
        ("cc1plus", [], ["g++", "-O2", "-std=c++17", "-c", "-o", os.path.join(work, "shapes.o"),
                         program("shapes.cpp")]),
        ("Go", ["go", "build", "-o", goroutines, program("goroutines.go")], [goroutines]),
        ("node", [], ["node", program("words.js")]),
        ("Java", ["javac", "-d", work, program("Words.java")],
         ["java", "-XX:+PreserveFramePointer", "-cp", work, "Words"]),
        ("64 KiB buffers", [], [os.path.join(ROOT, "build", "tests", "live", "stacks"), "buffer",
                                "2"]),
    ]


def compare_hard_programs(work):
    for title, first, command in hard_programs(work):
        if not shutil.which((first or command)[0]):
            print(f"{title}: skipped, {(first or command)[0]} is not here")
            continue
        if first:
            run(first, env=os.environ | {"GO111MODULE": "off"})
        recording = os.path.join(work, "hard.data")
        run(wick_record(command, recording))
        whole, of = reach(recording)
        print(f"{title}: stacks that reach a root: {whole} of {of} = {100 * whole / of:.2f} %")


def main():
    need("perf")
    work = folder()
    compare_hard_programs(work)
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
