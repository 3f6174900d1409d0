#!/usr/bin/env python3
"""How fast debug information is read: all units of a file, with names, with lines and without.

Runs build/bench/dwarf (or $DWARF) on the largest files of /usr/lib/debug, on wick itself, and on
programs of this folder that it builds; or on the files named. Seconds are of one processor."""
import os
import re
import shutil
import sys

from common import HERE, ROOT, WICK, folder, run, skip

DWARF = os.environ.get("DWARF", os.path.join(ROOT, "build", "bench", "dwarf"))

BUILDS = [
    ("g++ -O2", "shapes.cpp", ["g++", "-O2", "-g", "-std=c++17"]),
    ("clang++ -O2", "shapes.cpp", ["clang++", "-O2", "-g", "-std=c++17"]),
    ("rustc -O", "threads.rs", ["rustc", "-O", "-g"]),
]


def debug_files():
    """The largest of what -dbg packages have installed."""
    found = []
    for where, _, names in os.walk("/usr/lib/debug"):
        paths = [os.path.join(where, name) for name in names if name.endswith(".debug")]
        found += [(os.path.getsize(path), path) for path in paths if not os.path.islink(path)]
    return [path for size, path in sorted(found, reverse=True)[:3] if size > 1 << 20]


def built(to):
    for title, source, command in BUILDS:
        program = os.path.join(to, re.sub(r"\W+", "-", title))
        path = os.path.join(HERE, "programs", source)
        if not shutil.which(command[0]) or not os.path.exists(path):
            print(f"{title}: skipped, there is no {command[0]}")
            continue
        run([*command, "-o", program, path])
        yield title, program


def measure(title, path):
    for what, options in ("functions", ["-l"]), ("with lines", []):
        told = run([DWARF, "-n", "10", *options, path], check=False)
        print(f"{title}, {what}: {(told.stdout or told.stderr).decode().strip()}")


def main():
    if not os.path.exists(DWARF):
        skip(DWARF + " is not built; run ./do build")
    if sys.argv[1:]:
        for path in sys.argv[1:]:
            measure(os.path.basename(path), path)
        return
    for path in debug_files():
        measure(os.path.basename(path), path)
    measure("wick", WICK)
    for title, program in built(folder()):
        measure(title, program)


main()
