#!/usr/bin/env python3
"""Does wick say of programs what they are? Shares of time, threads, depths."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


def by_name(rows, key="function"):
    return {row[key]: row for row in rows}


@tap.case("30 and 70 percent of the time are 30 and 70 percent of the samples")
def _(t):
    recording = t.record("--", tap.program("live", "burn_30_70"), "2000")
    rows = by_name(t.csv("show", recording, "functions"))
    for name, share in ("burn_thirty", 30), ("burn_seventy", 70):
        t.true(name in rows, f"expected the function {name}, came {sorted(rows)}")
        t.within(float(rows[name]["total_percent"]), share - 4, share + 4, f"total of {name}")


@tap.case("weights add up to the CPU time that was spent")
def _(t):
    recording = t.record("--user-only", "--", tap.program("live", "burn_30_70"), "1000")
    whole = sum(int(row["weight_ns"]) for row in t.csv("show", recording, "processes"))
    t.within(whole / 1e9, 0.9, 1.1, "seconds of CPU time")


@tap.case("each thread is a row with its name and its share")
def _(t):
    recording = t.record("--", tap.program("live", "threads"), "5", "300")
    rows = by_name(t.csv("show", recording, "threads"), "thread")
    workers = sorted(name for name in rows if name.startswith("worker-"))
    t.equal(workers, [f"worker-{i}" for i in range(5)], "names of threads")
    for name in workers:
        t.within(float(rows[name]["percent"]), 14, 26, f"share of {name}")


@tap.case("a thread filter keeps one thread's samples")
def _(t):
    recording = t.record("--", tap.program("live", "threads"), "2", "500")
    folded = t.wick("fold", "-q", "--by-thread", "--thread", "worker-1", recording).stdout
    t.true("worker-1" in folded and "worker-0" not in folded, f"expected one thread in {folded}")


@tap.case("a recursion 300 deep is 300 frames deep")
def _(t):
    recording = t.record("--user-only", "--stack-size", "65528", "--",
                         tap.program("live", "recursion"), "300", "0.5")
    depths = {line.count(";go_deeper") for line in
              t.wick("fold", "-q", "--function", "at_the_bottom", recording).stdout.splitlines()}
    t.equal(depths, {300}, "frames of go_deeper in each stack")


@tap.case("a stack that is too deep for its copy is completed from the living process")
def _(t):
    recording = t.record("--user-only", "--stack-size", "4096", "--",
                         tap.program("live", "recursion"), "5000", "1.5")
    # What was sampled just before the end is looked at when the process is gone.
    t.within(t.share_of_whole_stacks(recording), 50, 100, "share of whole stacks")
    folded = t.wick("fold", "-q", "--function", "^_start$", recording).stdout.splitlines()
    depths = {line.count(";go_deeper") for line in folded if "at_the_bottom" in line}
    t.equal(depths, {5000}, "frames of go_deeper in each whole stack")


@tap.case("a stack that is too deep for its copy, of a process long gone, is cut and said to be")
def _(t):
    tap.need("perf")
    recording = t.folder / "perf.data"
    tap.run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "500", "--call-graph", "dwarf,4096",
            "-o", recording, tap.program("live", "recursion"), "5000", "0.3")
    t.within(t.share_of_whole_stacks(recording), 0, 10, "share of whole stacks")


@tap.case("stacks of a program without frame pointers reach their root")
def _(t):
    recording = t.record("--user-only", "--", tap.program("live", "burn_30_70"), "1000")
    said = t.wick("show", recording).stdout.splitlines()[-1]
    reach = re.search(r"([\d.]+) % of user stacks reach a root", said)
    t.true(reach is not None, f"expected the share of whole stacks, came {said}")
    t.within(float(reach.group(1)), 99.5, 100, "share of whole stacks")


@tap.case("--freq asks for so many samples a second of CPU time")
def _(t):
    recording = t.record("--user-only", "-F", "200", "--", tap.program("live", "burn_30_70"), "1000")
    samples = sum(int(row["samples"]) for row in t.csv("show", recording, "processes"))
    t.within(samples, 150, 250, "samples in one second at 200 a second")


@tap.case("a clock leaves the program time to run")
def _(t):
    done = t.wick("record", "-e", "cpu-clock", "-F", "100000", "--", "true")
    limit = re.search(r"sampling (\d+) times a second instead of 100000", done.stderr)  # a sysctl may be lower
    t.true(limit and int(limit.group(1)) <= 25000, f"expected the limit in: {done.stderr}")


@tap.case("a tracepoint or software event counts its events")
def _(t):
    recording = t.record("-e", "page-faults", "-c", "1", "--call-graph", "none", "--", "python3", "-c",
                         "x = bytearray(40 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1")
    said = t.wick("show", recording, "system").stdout
    count = re.search(r"page-faults: ([\d,]+) samples", said)
    t.true(count is not None, f"expected a line on page-faults in {said}")
    # Where the kernel hands out huge pages, one fault brings 2 MiB.
    t.true(int(count.group(1).replace(",", "")) >= 1000, f"expected thousands of faults: {said}")


tap.run_all()
