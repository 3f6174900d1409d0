#!/usr/bin/env python3
"""wick beside perf: does perf open what wick records, and does wick open what perf records?"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


def dumped_samples(t, recording):
    lines = t.wick("dump", recording).stdout.splitlines()
    return [line for line in lines if line.startswith("sample ")]


def leaves_of_perf(recording):
    """The innermost symbol of each sample as `perf script` names it, without offsets."""
    text = tap.run("perf", "script", "--no-inline", "-F", "ip,sym", "-i", recording,
                   check=False).stdout
    leaves = []
    for block in text.split("\n\n"):
        lines = [line.split(None, 1) for line in block.strip().splitlines()]
        if lines and lines[0]:
            leaves.append(lines[0][1].strip() if len(lines[0]) > 1 else "")
    return leaves


@tap.case("perf script counts the samples that wick counts")
def _(t):
    tap.need("perf")
    recording = t.record("--", tap.program("live", "threads"), "3", "400")
    ours = len(dumped_samples(t, recording))
    theirs = len(tap.run("perf", "script", "-F", "time", "-G", "-i", recording,
                         check=False).stdout.split("\n")) - 1
    t.true(ours > 0, "expected samples")
    t.equal(theirs, ours, "samples that perf script lists")


@tap.case("perf report opens a recording of wick without a complaint")
def _(t):
    tap.need("perf")
    recording = t.record("--", tap.program("live", "burn_30_70"), "500")
    done = tap.run("perf", "report", "--stdio", "-g", "none", "-i", recording)
    t.true("burn_seventy" in done.stdout, f"expected burn_seventy in {done.stdout[-1500:]}")
    for word in ("corrupt", "invalid", "unknown", "failed"):
        t.true(word not in done.stderr.lower(), f"perf report said: {done.stderr[-1500:]}")


@tap.case("innermost functions are those that perf script names")
def _(t):
    tap.need("perf")
    recording = t.record("--user-only", "--", tap.program("live", "burn_30_70"), "1000")
    theirs = {}
    for name in leaves_of_perf(recording):
        theirs[name] = theirs.get(name, 0) + 1
    ours = {row["function"]: int(row["self_samples"])
            for row in t.csv("show", recording, "functions") if int(row["self_samples"])}
    for name in ("burn_thirty", "burn_seventy"):
        t.true(ours.get(name, 0) > 0, f"expected {name} in {ours}")
        t.equal(ours[name], theirs.get(name), f"samples of {name}")


@tap.case("wick opens what perf records with frame pointers")
def _(t):
    tap.need("perf")
    recording = t.folder / "perf.data"
    tap.run("perf", "record", "-q", "-e", "cpu-clock", "-F", "500", "-g", "-o", recording,
            tap.program("live", "burn_30_70"), "1000")
    theirs = tap.run("perf", "report", "--stdio", "-g", "none", "-i", recording).stdout
    count = re.search(r"# Samples: (\d+)(K?)", theirs)
    ours = len(dumped_samples(t, recording))
    t.true(count is not None and ours > 0, "expected samples in both")
    if not count.group(2):
        t.equal(ours, int(count.group(1)), "samples")
    t.within(t.percents(recording).get("burn_seventy", 0), 60, 80, "share of burn_seventy")


@tap.case("wick unwinds the stack copies of perf record --call-graph dwarf")
def _(t):
    tap.need("perf")
    recording = t.folder / "perf.data"
    tap.run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "200", "--call-graph", "dwarf,65528",
            "-o", recording, tap.program("live", "recursion"), "60", "1")
    folded = t.wick("fold", "-q", "--function", "at_the_bottom", recording).stdout.splitlines()
    t.true(len(folded) > 0, "expected stacks with at_the_bottom")
    depths = {line.count(";go_deeper") for line in folded}
    t.equal(depths, {60}, "frames of go_deeper in each stack")


tap.run_all()
