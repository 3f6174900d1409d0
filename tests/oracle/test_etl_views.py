#!/usr/bin/env python3
"""Filters, groupings and presets on a real trace of Windows: numbers agree with each other and with
what the fixtures' README has measured."""
import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

NET = tap.SHARED / "fixtures" / "etl" / "net.4.5.2.x64.etl.zip"
LOOKS = pathlib.Path(__file__).resolve().parent.parent / "data" / "looks.wpaProfile"
NON_IDLE = 6320


def trace():
    if not NET.exists():
        raise tap.Skip(f"{NET} is not there")
    return NET


def folded(t, *words):
    stacks = collections.Counter()
    for line in t.wick("fold", "-q", *words, trace()).stdout.splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[stack] += int(count)
    return stacks


def in_view(t, *words):
    answer = json.loads(t.wick("show", "--json", "--top", "1", *words, trace(), "functions").stdout)
    return answer["quality"]["samples_in_view"]


@tap.case("a process is found by its name in any case, by its number, and has its samples")
def _(t):
    for who in ("Test.x64.exe", "test.X64.EXE", "3676"):
        t.equal(in_view(t, "--process", who), 5129, f"samples of --process {who}")
    t.equal(in_view(t, "--process", "3676,3988"), 5129 + 356, "samples of two processes")


@tap.case("a thread is found by its number")
def _(t):
    rows = t.csv("show", "--all", trace(), "threads")
    busiest = max((row for row in rows if row["samples"]), key=lambda row: int(row["samples"]))
    t.equal(in_view(t, "--thread", busiest["tid"]), int(busiest["samples"]), "samples of a thread")


@tap.case("an image is found by its path in any case")
def _(t):
    rows = t.csv("show", "--all", trace(), "images")
    clr = [row for row in rows if row["image"].lower() == "clrjit.dll" and row["samples"] not in ("", "0")]
    t.equal(len(clr), 1, "images called clrjit.dll with samples")
    for pattern in ("clrjit", "CLRJIT.DLL", r"Framework64.*\\CLRJIT"):
        t.equal(in_view(t, "--image", pattern), int(clr[0]["samples"]), f"samples of --image {pattern}")


@tap.case("times add up, and a process has no samples before it began")
def _(t):
    t.equal(in_view(t, "--time", "0-5") + in_view(t, "--time", "5.0000001-"), NON_IDLE, "two halves")
    t.equal(in_view(t, "--process", "3676", "--time", "2.7331-8.21"), 5129, "while it ran")
    early = tap.run(tap.WICK, "fold", "--process", "3676", "--time", "0-2.7331", trace(), check=False)
    t.equal((early.returncode, early.stdout), (1, ""), "before it began")


@tap.case("levels are those of the tables")
def _(t):
    by_pid = collections.Counter()
    for stack, count in folded(t, "--group", "pid,module").items():
        by_pid[stack.split(";")[0]] += count
    t.equal(by_pid["Test.x64.exe (3676)"], 5129, "samples of a process")
    t.equal(by_pid["svchost.exe (1104)"], 104, "samples of one of several of a name")
    t.equal(sum(by_pid.values()), NON_IDLE, "samples of all processes")
    leaves = folded(t, "--process", "3676", "--group", "module,function")
    t.equal(leaves["[jit];System.DateTime.GetDatePart"], 1856, "samples in a method")
    t.equal(leaves["[jit];System.TimeZoneInfo.TransitionTimeToDateTime"], 566, "and in another")
    modules = collections.Counter()
    for stack, count in leaves.items():
        modules[stack.split(";")[0]] += count
    t.equal(modules["clr.dll"], 315, "samples in clr.dll")
    cpus = folded(t, "--group", "cpu,module")
    t.equal(len({stack.split(";")[0] for stack in cpus}), 8, "processors")
    t.equal(sum(cpus.values()), NON_IDLE, "samples of all processors")


@tap.case("stacks by files are those of the expected file, but for names of methods")
def _(t):
    def joined(process, frames):
        out = [process]
        for frame in frames:
            name = "[jit]" if frame.startswith("[jit]") else frame.lower()
            name = "[unknown]" if name.startswith("[unknown") else name
            if len(out) == 1 or out[-1] != name:
                out.append(name)
        return tuple(out)

    found, expected = collections.Counter(), collections.Counter()
    for stack, count in folded(t, "--group", "pid,module").items():
        process, *frames = stack.split(";")
        found[joined(process.replace(" (", "("), frames)] += count
    path = NET.parent / "net.4.5.2.x64.expected-modules.folded"
    for line in path.read_text().splitlines():
        stack, count = line.rsplit(" ", 1)
        process, *frames = stack.split(";")
        expected[joined(process, frames)] += int(count)
    same = sum((found & expected).values())
    print(f"# {same} of {sum(expected.values())} samples have the expected stack")
    t.true(same >= 0.99 * sum(expected.values()), f"expected 99 %, found {same}")


@tap.case("a preset of a profile groups and filters as its columns and filter say")
def _(t):
    preset = t.folder / "one.wpaProfile"
    preset.write_text(LOOKS.read_text().replace("[Function]:~=&quot;flour&quot;",
                                                "[Process]:~=&quot;perfview&quot;"))
    stacks = folded(t, "--preset", f"{preset}:1")
    t.equal(sum(stacks.values()), NON_IDLE - 356, "samples of all but one process")
    t.true(all(" (" in stack.split(";")[0] for stack in stacks), "processes have their numbers")
    rows = t.csv("show", "--all", trace(), "--preset", f"{preset}:Lifetimes")
    t.equal(next(row["name"] for row in rows if row["pid"] == "3676"), "Test.x64.exe",
            "the table of processes")


tap.run_all(needs_recording=False)
