#!/usr/bin/env python3
"""The unwinder alone, on stacks taken from running programs by ptrace: how many reach a root,
how deep they are, how many frames a second it walks when warm.

Runs build/bench/unwind (or $UNWIND). No recording, no perf: registers and stacks are copied
from stopped threads, so this also works where perf_event_open is forbidden."""
import os

from common import ROOT, build, folder, run, skip

UNWIND = os.environ.get("UNWIND", os.path.join(ROOT, "build", "bench", "unwind"))

PROGRAMS = [
    ("Rust, two threads", "threads.rs"),
    ("static musl", "chains.c"),
    ("C++ -O2 with exceptions", "shapes.cpp"),
    ("CPython script", "words.py"),
]


def main():
    if not os.path.exists(UNWIND):
        skip(UNWIND + " is not built; run ./do build")
    work = folder()
    for title, source in PROGRAMS:
        program = build(source, work)
        if not program:
            print(f"{title}: skipped, its compiler is not installed")
            continue
        told = run([UNWIND, "-n", "2000", *program, "1000000"]).stdout.decode()
        for line in told.splitlines():
            print(f"{title}, {line}")


main()
