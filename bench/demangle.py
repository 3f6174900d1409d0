#!/usr/bin/env python3
"""Demangling beside the expected names, and on names made to be slow.

Runs build/bench/demangle (or $DEMANGLE) on the vectors under $WICK_SHARED (../shared)."""
import os

from common import ROOT, run, skip

DEMANGLE = os.environ.get("DEMANGLE", os.path.join(ROOT, "build", "bench", "demangle"))
SHARED = os.environ.get("WICK_SHARED", os.path.join(ROOT, "..", "shared"))


def main():
    if not os.path.exists(DEMANGLE):
        skip(DEMANGLE + " is not built; run ./do build")
    for kind, name in (("rust", "rust.tsv"), ("hash", "rust-hash.tsv"), ("cxx", "itanium.tsv"),
                       ("msvc", "msvc.tsv"), ("msvc-short", "msvc-short.tsv")):
        path = os.path.join(SHARED, "fixtures", "demangle", name)
        if not os.path.exists(path):
            print(f"{name}: skipped, it is not under WICK_SHARED")
            continue
        print(f"{name}: " + run([DEMANGLE, kind, path], check=False).stdout.decode().strip())
    print(run([DEMANGLE, "hostile"], check=False).stdout.decode().strip())


main()
