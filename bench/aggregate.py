#!/usr/bin/env python3
"""Selections of a recording with five million samples, and of one with as many blocks: the steps that
an analysis page waits for, and a tree of the same samples.

Runs build/bench/aggregate (or $AGGREGATE), which makes the recordings itself."""
import os

from common import ROOT, run, skip

AGGREGATE = os.environ.get("AGGREGATE", os.path.join(ROOT, "build", "bench", "aggregate"))


def main():
    if not os.path.exists(AGGREGATE):
        skip(AGGREGATE + " is not built; run ./do build")
    print(run([AGGREGATE]).stdout.decode(), end="")


main()
