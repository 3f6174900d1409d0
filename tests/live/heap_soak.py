#!/usr/bin/env python3
"""Forks, threads and signals while the heap is recorded, many times over: does anything hang, crash
or get lost? `./do soak` runs it; an argument is the number of rounds, a second one the case."""
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heap_totals  # noqa: E402
import tap  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
SECONDS = 60

# What each may take of the rounds: those with few threads and forks are of less interest.
CASES = [
    ("heap_processes", "fork-busy", 1.0, ["fork_some", "allocate_until_over"]),
    ("heap_processes", "many", 0.5, ["main"]),
    ("heap_processes", "generations", 0.5, ["main"]),
    ("heap_processes", "descriptors", 0.25, ["allocate_once"]),
    ("heap_processes", "go-on-in-child", 0.5, ["main"]),
    ("heap_processes", "look-on-in-child", 0.25, ["allocate_in_routine"]),
    ("heap_processes", "read-on-in-child", 0.5, ["allocate_in_routine"]),
    ("heap_processes", "fork-in-handler", 0.1, ["main"]),
    ("heap_threads", "short", 0.25, ["allocate_a_little"]),
    ("heap_threads", "destructors", 0.25, ["have_destructors", "destroy", "destroy_again"]),
    ("heap_threads", "locked", 0.5, ["ask_for_stack"]),
    ("heap_threads", "end-busy", 0.5, ["main"]),
    ("heap_stacks", "stacks-that-go", 0.25, ["main", "signal_in_routine"]),
    ("heap_loaded", "of-same-size", 0.25, ["main"]),
]


def one_round(program, case, roots):
    words = [tap.BUILD / "tests" / "live"] if program == "heap_loaded" else []
    with tempfile.TemporaryDirectory(prefix="wick-soak-") as folder:
        heap_totals.compare(tap.Case(folder), program, case, *words, roots=roots,
                            is_logged=case != "end-busy", seconds=SECONDS,
                            interrupted=30 if case.endswith("-on-in-child") else 0)


def main():
    faults = 0
    for program, case, share, roots in CASES:
        if sys.argv[2:] and case not in sys.argv[2:]:
            continue
        began, rounds = time.monotonic(), max(1, int(ROUNDS * share))
        for number in range(rounds):
            try:
                one_round(program, case, roots)
            except tap.Failure as failure:
                faults += 1
                print(f"{case}, round {number + 1}: {str(failure)[:2000]}", flush=True)
        print(f"{case}: {rounds} rounds in {time.monotonic() - began:.0f} s", flush=True)
    print(f"{faults} faults")
    return 1 if faults else 0


sys.exit(main())
