#!/usr/bin/env python3
"""A gigabyte of Windows trace, unpacked and packed: CPU seconds, megabytes of decoded data a second of
CPU, and peak memory of a table of processes and of folded stacks; of the packed one also what a
second thread, which unpacks ahead, makes of the time.

The trace is that of ../shared/fixtures/etl with its buffers repeated at later times
(repeat_etl.c); its symbols are nobody's here, as with any trace from another machine."""
import os
import re
import sys
import zipfile

from common import ROOT, WICK, Cost, folder, need, run, skip
from volume import cost

SHARED = os.environ.get("WICK_SHARED", os.path.join(ROOT, "..", "shared"))
TRACE = os.path.join(SHARED, "fixtures", "etl", "net.4.5.2.x64.etl.zip")
REPEAT = os.path.join(os.path.dirname(os.path.abspath(WICK)), "bench", "repeat_etl")
RUNS = 5  # of each number of threads, in turn; the least counts


def print_ratio(name, command):
    """Time and CPU seconds with two threads, as parts of those with one."""
    costs = {"1": [], "2": []}
    for _ in range(RUNS):
        for threads, those in costs.items():
            those.append(Cost([os.path.abspath(WICK), *command, "--threads", threads]))
    wall, cpu = (min(getattr(cost, what) for cost in costs["2"]) /
                 min(getattr(cost, what) for cost in costs["1"]) for what in ("wall", "cpu"))
    print(f"{name}, {command[0]}: two threads need {wall:.2f} of the time of one, "
          f"{cpu:.2f} of its CPU seconds")


def main():
    need()
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for path in (TRACE, REPEAT):
        if not os.path.exists(path):
            skip(path + " is not there")
    work = folder()
    with zipfile.ZipFile(TRACE) as archive:
        member = next(n for n in archive.namelist() if n.endswith(".etl"))
        small = archive.extract(member, work)
    big = os.path.join(work, "big.etl")
    for form in ([], ["-p"]):
        said = run([REPEAT, *form, small, big, str(megabytes)]).stdout.decode()
        decoded = int(re.match(r"\d+", said).group()) / 1e6
        name = "packed" if form else "unpacked"
        print(f"{name}: {decoded:.0f} MB of records in a file of {os.path.getsize(big) / 1e6:.0f} MB")
        for command in (["show", big, "processes"], ["fold", big]):
            seconds, peak = cost([os.path.abspath(WICK), *command, "--threads", "1"])
            print(f"{name}, {command[0]}: {seconds:.2f} s of CPU, {decoded / seconds:.0f} MB/s, "
                  f"peak {peak / 1000:.0f} MB")
            if form:
                print_ratio(name, command)
        os.remove(big)


if __name__ == "__main__":
    main()
