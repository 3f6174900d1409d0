#!/usr/bin/env python3
"""What recording costs: CPU seconds that wick and perf add to twelve programs.

Each program runs bare, under `wick record` and under `perf record --call-graph fp`, in turns, at one
frequency. CPU seconds are those of the command and all it started, the recorder included; what was
added is the difference to the bare run. perf's file has no names and no frames of code without
frame pointers; wick's has both. With the word "dwarf", perf copies stacks (16,384 bytes) instead.

    bench/overhead.py [ROUNDS] [dwarf]"""
import os
import shutil
import statistics
import sys

from common import HERE, PYTHON, Cost, build, folder, need, perf_record, run, wick_record

ROUNDS = 7


def in_shell(script):
    return ["sh", "-c", script]


def programs(work):
    """Title, what has to be there, and the command: about a second each."""
    def source(name):
        return os.path.join(HERE, "programs", name)

    text = os.path.join(work, "text")
    run([PYTHON, os.path.join(HERE, os.pardir, os.pardir, "shared", "bench", "gen_text.py"), "--kind",
         "fresh", "--mb", "24", text], check=False)
    if not os.path.exists(text):
        with open(text, "w") as file:
            file.writelines(f"{i * 2654435761 % 4294967296:x} {i}\n" for i in range(1200000))
    goroutines = os.path.join(work, "goroutines")
    if shutil.which("go"):
        run(["go", "build", "-o", goroutines, source("goroutines.go")],
            env=os.environ | {"GO111MODULE": "off"})
    if shutil.which("javac"):
        run(["javac", "-d", work, source("Words.java")])
    yield "Rust, threads", "rustc", (build("threads.rs", work) or [""]) + ["400"]
    yield "C++ -O2", "g++", (build("shapes.cpp", work) or [""]) + ["900"]
    yield "static musl", "musl-gcc", (build("chains.c", work) or [""]) + ["1500"]
    yield "rustc", "rustc", ["rustc", "-O", "-o", os.path.join(work, "again"), source("threads.rs")]
    yield "cc1plus", "g++", ["g++", "-O2", "-std=c++17", "-c", "-o", os.path.join(work, "shapes.o"),
                             source("shapes.cpp")]
    yield "CPython", PYTHON, [PYTHON, source("words.py"), "400"]
    yield "node", "node", ["node", source("words.js")]
    yield "Java", "java", ["java", "-XX:+PreserveFramePointer", "-cp", work, "Words"]
    yield "Go", "go", [goroutines]
    yield "gzip", "gzip", in_shell(f"gzip -6 <{text}")
    yield "sort", "sort", in_shell(f"LC_ALL=C sort {text}")
    yield "shell of short processes", "sh", in_shell(
        "i=0; while [ $i -lt 600 ]; do /bin/true; i=$((i + 1)); done")


def main():
    need("perf")
    numbers = [word for word in sys.argv[1:] if word.isdigit()]
    rounds = int(numbers[0]) if numbers else ROUNDS
    graph = "dwarf,16384" if "dwarf" in sys.argv else "fp"
    work = folder()
    ours, theirs = os.path.join(work, "wick.data"), os.path.join(work, "perf.data")
    print(f"{'program':26} {'bare':>7} {'wick':>15} {'perf ' + graph:>15}  wick/perf of what was added")
    for title, needed, program in programs(work):
        if not shutil.which(needed):
            print(f"{title}: skipped, {needed} is not here")
            continue
        bare, wick, perf = [], [], []
        for _ in range(rounds):
            bare.append(Cost(program).cpu)
            wick.append(Cost(wick_record(program, ours)).cpu)
            perf.append(Cost(perf_record(program, theirs, "--call-graph", graph)).cpu)
        base = statistics.median(bare)
        added = statistics.median(wick) - base
        perf_added = statistics.median(perf) - base
        ratio = f"{added / perf_added:.2f}" if perf_added > 0 else "-"
        print(f"{title:26} {base:7.3f} {added:+7.3f} {100 * added / base:+5.1f} % "
              f"{perf_added:+7.3f} {100 * perf_added / base:+5.1f} %  {ratio}", flush=True)


main()
