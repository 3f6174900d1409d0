#!/usr/bin/env python3
"""Calls that the compiler inlined: named while the files are there, and on another machine."""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

CHAIN = "main;work_hard;fold_in;mix"


def recorded(t, *options):
    """A copy of the program in the case's folder, and a recording of it."""
    program = t.folder / "inlined"
    shutil.copy(tap.program("live", "inlined"), program)
    return program, t.record("--user-only", *options, "--", program, "400")


def folded(t, recording, *options, **more):
    lines = t.wick("fold", "-q", *options, recording, **more).stdout.splitlines()
    return {stack: int(count) for stack, count in (line.rsplit(" ", 1) for line in lines)}


def share(stacks, part):
    return 100 * sum(count for stack, count in stacks.items() if part in stack) / sum(stacks.values())


@tap.case("inlined calls are frames of their own, outermost first")
def _(t):
    _, recording = recorded(t)
    t.within(share(folded(t, recording), CHAIN), 90, 100, f"share of {CHAIN}")


@tap.case("--no-inline shows only the functions that the machine ran")
def _(t):
    _, recording = recorded(t)
    stacks = folded(t, recording, "--no-inline")
    t.within(share(stacks, "main;work_hard"), 90, 100, "share of work_hard")
    t.equal([stack for stack in stacks if "fold_in" in stack], [], "stacks with an inlined call")


@tap.case("a chain by frame pointers has its inlined calls, too")
def _(t):
    _, recording = recorded(t, "--call-graph", "fp")
    t.within(share(folded(t, recording), "work_hard;fold_in;mix"), 90, 100, "share of mix")


# Each is inlined once, and called by a pointer once; nothing of them is linked by name.
TWICE = """\
static volatile unsigned long sink;
static unsigned long part(unsigned long n)
{
	unsigned long s = 0;
	for (unsigned long i = 0; i < n; i++)
		s += (i * i) ^ (s >> 3);
	return s;
}
namespace {
struct Shape {
	unsigned long area(unsigned long n) const
	{
		unsigned long s = 1;
		for (unsigned long i = 0; i < n; i++)
			s = s * 31 + i;
		return s;
	}
};
}
int main(int argc, char **)
{
	Shape shape;
	unsigned long (*volatile by_pointer)(unsigned long) = part;
	unsigned long (Shape::*volatile by_member)(unsigned long) const = &Shape::area;
	for (int i = 0; i < 2; i++) {
		sink = part(100000000 + argc);
		sink = by_pointer(100000000);
		sink = shape.area(100000000 + argc);
		sink = (shape.*by_member)(100000000);
	}
}
"""


@tap.case("a function that is inlined here and called there is one function")
def _(t):
    tap.need("g++")
    (t.folder / "twice.cpp").write_text(TWICE)
    tap.run("g++", "-O2", "-g", "-o", t.folder / "twice", t.folder / "twice.cpp")
    recording = t.record("--user-only", "--", t.folder / "twice")
    for name in (recording, t.record("--no-embed", "--user-only", "--", t.folder / "twice", name="own.data")):
        own = t.percents(name, column="self_percent")
        named = [name for name in own if "part" in name or "area" in name]
        t.equal(sorted(named), ["(anonymous namespace)::Shape::area(unsigned long) const", "part(unsigned long)"],
                "functions")
        t.true(all(own[name] > 30 for name in named), f"expected both halves of both, came {own}")
    said = tap.run(tap.WICK, "fold", "-q", "--no-inline", recording, cwd=t.folder).stdout
    t.true("main;part(unsigned long)" in said, f"expected calls by the pointer, came {said}")


@tap.case("a second look comes from the cache and is the same")
def _(t):
    _, recording = recorded(t)
    kept = os.environ | {"WICK_CACHE_DIR": str(t.folder / "kept")}
    first = folded(t, recording, env=kept)
    entries = list((t.folder / "kept").glob("*.wick"))
    t.true(entries, "nothing was kept in the cache")
    t.equal(folded(t, recording, env=kept), first, "stacks of the second look")
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-100] + bytes(100))
    t.equal(folded(t, recording, env=kept), first, "stacks after the cache was damaged")


@tap.case("pack makes a recording that needs none of the files any more")
def _(t):
    program, recording = recorded(t, "--no-embed")
    before = folded(t, recording)
    t.wick("pack", "-q", recording, "-o", "packed.data")
    program.unlink()
    t.equal(folded(t, "packed.data"), before, "stacks without the program")
    t.true(any("inlined+0x" in stack for stack in folded(t, recording)),
           "the recording that was not packed still has its names: is the program really gone?")
    t.equal(share(folded(t, "packed.data", "--no-inline"), "fold_in"), 0, "share with --no-inline")


@tap.case("record makes such a recording at once")
def _(t):
    program, recording = recorded(t)
    program.unlink()
    t.within(share(folded(t, recording), CHAIN), 90, 100, f"share of {CHAIN}")
    calls = [line for line in t.wick("dump", recording).stdout.splitlines()
             if line.startswith("calls ") and 'function="mix"' in line]
    t.true(calls and "inlined.c" in calls[0] and "line=" in calls[0], f"calls told: {calls[:1]}")


@tap.case("a packed recording is one of perf's still")
def _(t):
    tap.need("perf")
    _, recording = recorded(t)
    t.wick("pack", "-q", recording, "-o", "packed.data")
    count = [len(tap.run("perf", "script", "-i", file, "-F", "time", cwd=t.folder).stdout.splitlines())
             for file in (recording, "packed.data")]
    t.true(count[0] > 100, f"only {count[0]} samples")
    t.equal(count[1], count[0], "samples that perf finds")


@tap.case("stackcollapse-perf.pl --inline finds what perf script does not print")
def _(t):
    tap.need("perf")
    program, recording = recorded(t, "--call-graph", "fp")
    text = tap.run("perf", "script", "-i", recording, cwd=t.folder).stdout
    (t.folder / "script.txt").write_text(text)
    plain = t.wick("as", "stackcollapse-perf.pl", "script.txt").stdout
    inlined = t.wick("as", "stackcollapse-perf.pl", "--inline", "--context", "script.txt").stdout
    t.true("fold_in" not in plain, "perf script printed the inlined calls by itself")
    t.true("work_hard:inlined.c:" in inlined and ";fold_in:inlined.c:" in inlined and
           ";mix:inlined.c:" in inlined, f"came {inlined[:300]!r}")


@tap.case("packing the recording of another machine changes none of its stacks")
def _(t):
    folder = tap.SHARED / "fixtures" / "perf-data"
    if not folder.exists():
        raise tap.Skip("$WICK_SHARED/fixtures/perf-data is not here")
    for name in ("own/own-dwarf.perf.data", "own/own-tracepoint.perf.data", "own/own-fp.perf.data",
                 "perf_data_converter/perf.data.callgraph-3.4"):
        before = folded(t, folder / name)
        t.wick("pack", "-q", folder / name, "-o", "packed.data")
        t.equal(folded(t, "packed.data"), before, f"stacks of {name}")


tap.run_all()
