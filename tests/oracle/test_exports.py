#!/usr/bin/env python3
"""What `wick export` writes, against what the formats' own authors publish: required keys and
columns (Firefox Profiler), the JSON schema (speedscope, with ajv from npm), `go tool pprof`."""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

SHOP = tap.ROOT / "tests" / "data" / "shop.data"

INLINED = """\
app 12/13 1.000001: 250000 cycles:
\t            11aa leaf (inlined)
\t            11aa middle<int> (inlined)
\t            11aa outer+0x1a (/opt/app)
\t            10f0 main+0x10 (/opt/app)

app 12/12 1.000002: 250000 cycles:
\tffffffff8100 do_syscall_64+0x4 ([kernel.kallsyms])
\t            10f0 main+0x10 (/opt/app)

other 14/14 1.5: 750000 cycles:
\t            20f0 [unknown] (/opt/other)
"""


def inputs(folder):
    """Recordings to export: our own, text with inlined calls, text that tells no threads, and the
    fixtures where they are."""
    (folder / "inlined.txt").write_text(INLINED)
    (folder / "plain.folded").write_text("main;a;b 3\nmain;a 4\nmain;\"quoted\\;c 5\n")
    found = [SHOP, folder / "inlined.txt", folder / "plain.folded"]
    fixtures = tap.SHARED / "fixtures" / "perf-data"
    for name in ("own/own-dwarf.perf.data", "perf_data_converter/perf.data.callgraph-3.4",
                 "perf_data_converter/perf.data.systemwide.1-3.8"):
        if (fixtures / name).exists():
            found.append(fixtures / name)
    return found


# --- Firefox Profiler ------------------------------------------------------------------------

# Columns of version 58 as its published types have them, and what each may hold: None is null,
# a table's name an index into it.
TABLES = {
    "stackTable": {"frame": ("frameTable",), "prefix": ("stackTable", None)},
    "frameTable": {"address": (int,), "inlineDepth": (int,), "category": ("categories", None),
                   "subcategory": (int, None), "func": ("funcTable",),
                   "nativeSymbol": ("nativeSymbols", None), "innerWindowID": (int, None),
                   "line": (int, None), "column": (int, None)},
    "funcTable": {"name": ("stringArray",), "isJS": (bool,), "relevantForJS": (bool,),
                  "resource": ("resourceTable", -1), "source": ("sources", None),
                  "lineNumber": (int, None), "columnNumber": (int, None)},
    "resourceTable": {"lib": ("libs", None), "name": ("stringArray",),
                      "host": ("stringArray", None), "type": (int,)},
    "nativeSymbols": {"libIndex": ("libs",), "address": (int,), "name": ("stringArray",),
                      "functionSize": (int, None)},
    "markers": {"data": (dict, None), "name": ("stringArray",), "startTime": (float, None),
                "endTime": (float, None), "phase": (int,), "category": ("categories",)},
    "samples": {"stack": ("stackTable", None), "time": (float,)},
}
THREAD_KEYS = {"processType": str, "processStartupTime": (int, float),
               "processShutdownTime": (int, float, type(None)), "registerTime": (int, float),
               "unregisterTime": (int, float, type(None)), "pausedRanges": list, "name": str,
               "isMainThread": bool, "processName": str, "pid": str, "tid": int}
META_KEYS = {"interval": (int, float), "startTime": (int, float), "processType": int,
             "categories": list, "product": str, "stackwalk": int, "version": int,
             "preprocessedProfileVersion": int, "markerSchema": list, "sampleUnits": dict,
             "symbolicated": bool}
LIB_KEYS = {"arch": str, "name": str, "path": str, "debugName": str, "debugPath": str,
            "breakpadId": str, "codeId": (str, type(None))}
COLOURS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown",
           "magenta", "red", "lightred", "darkgrey", "grey"}


def has_keys(t, where, thing, keys):
    for key, kind in keys.items():
        t.true(key in thing, f"{where}: no {key}")
        t.true(isinstance(thing[key], kind), f"{where}: {key} is {thing[key]!r}")


def value_fits(value, allowed, lengths):
    for kind in allowed:
        if kind is None and value is None or kind == -1 and value == -1:
            return True
        if isinstance(kind, str) and type(value) is int and 0 <= value < lengths[kind]:
            return True
        if kind is float and type(value) in (int, float) or type(value) is kind:
            return True
    return False


def check_table(t, where, table, columns, lengths):
    length = table["length"]
    for name, allowed in columns.items():
        t.true(name in table, f"{where}: no column {name}")
        t.equal(len(table[name]), length, f"{where}.{name}: rows")
        for row, value in enumerate(table[name]):
            t.true(value_fits(value, allowed, lengths), f"{where}.{name}[{row}] is {value!r}")


def check_thread(t, profile, number):
    thread = profile["threads"][number]
    where = f"threads[{number}]"
    has_keys(t, where, thread, THREAD_KEYS)
    lengths = {name: thread[name]["length"] for name in TABLES}
    lengths |= {"stringArray": len(profile["shared"]["stringArray"]), "libs": len(profile["libs"]),
                "sources": profile["shared"]["sources"]["length"],
                "categories": len(profile["meta"]["categories"])}
    for name, columns in TABLES.items():
        check_table(t, f"{where}.{name}", thread[name], columns, lengths)
    for row, prefix in enumerate(thread["stackTable"]["prefix"]):
        t.true(prefix is None or prefix < row, f"{where}: stack {row} stands before its prefix")
    samples = thread["samples"]
    t.true(samples["weightType"] in ("samples", "tracing-ms", "bytes"), "weightType")
    for name in ("weight", "threadCPUDelta"):
        if samples.get(name) is not None:
            t.equal(len(samples[name]), samples["length"], f"{where}.samples.{name}: rows")
    t.equal(sorted(samples["time"]), samples["time"], f"{where}: times in order")


def check_inlining(t, thread):
    """The calls inlined at one address are one behind the other, each a step deeper."""
    stacks, frames = thread["stackTable"], thread["frameTable"]
    for row in range(stacks["length"]):
        frame, prefix = stacks["frame"][row], stacks["prefix"][row]
        depth = frames["inlineDepth"][frame]
        if depth:
            t.true(prefix is not None, "an inlined call has a caller")
            caller = stacks["frame"][prefix]
            t.equal(frames["inlineDepth"][caller], depth - 1, "depth of the caller")
            t.equal(frames["address"][caller], frames["address"][frame], "address of the caller")


def check_profile(t, profile):
    has_keys(t, "meta", profile["meta"], META_KEYS)
    t.equal(profile["meta"]["preprocessedProfileVersion"], 58, "version")
    for category in profile["meta"]["categories"]:
        t.true(category["color"] in COLOURS, f"colour {category['color']}")
        t.equal(category["subcategories"][0], "Other", "first subcategory")
    t.true(any(c["color"] == "grey" for c in profile["meta"]["categories"]), "a grey category")
    for lib in profile["libs"]:
        has_keys(t, "libs", lib, LIB_KEYS)
    sources = profile["shared"]["sources"]
    check_table(t, "sources", sources, {"uuid": (str, None), "filename": ("stringArray",)},
                {"stringArray": len(profile["shared"]["stringArray"])})
    for number, thread in enumerate(profile["threads"]):
        check_thread(t, profile, number)
        check_inlining(t, thread)


@tap.case("a profile for the Firefox Profiler has the tables that its types tell")
def _(t):
    for recording in inputs(t.folder):
        t.wick("export", "-q", "--to", "firefox", "-o", "out.json", recording)
        check_profile(t, json.loads((t.folder / "out.json").read_text()))


@tap.case("an inlined call is a frame at the address of its caller")
def _(t):
    inputs(t.folder)
    text = t.wick("export", "-q", "--to", "firefox", t.folder / "inlined.txt").stdout
    profile = json.loads(text)
    names = profile["shared"]["stringArray"]
    depths = {}
    for thread in profile["threads"]:
        for func, depth in zip(thread["frameTable"]["func"], thread["frameTable"]["inlineDepth"]):
            depths[names[thread["funcTable"]["name"][func]]] = depth
    t.equal([depths[name] for name in ("main", "outer", "leaf")], [0, 0, 2], "depths")


def stacks_of(t, recording):
    """By weight; where nothing tells whose samples they are, a process must be made up."""
    lines = t.wick("fold", "-q", "--weights", recording).stdout.splitlines()
    return sorted(line.removeprefix("all samples;") for line in lines)


# --- pprof -----------------------------------------------------------------------------------

def pprof(t, *words):
    tap.need("go")
    return tap.run("go", "tool", "pprof", "-symbolize=none", *words, "out.pb.gz",
                   cwd=t.folder).stdout


def raw_samples(text):
    """Each column of the samples of `pprof -raw`, added up."""
    table = text.split("\nLocations")[0]
    rows = [row.split() for row in re.findall(r"^ +(\d+(?: +\d+)?): ", table, re.M)]
    return [sum(int(row[i]) for row in rows) for i in range(len(rows[0]))]


def told_samples(t, recording):
    rows = t.csv("show", recording, "processes") or t.csv("show", recording, "functions")
    columns = [name for name in ("samples", "self_samples") if name in rows[0]]
    columns += [name for name in rows[0] if name.startswith("weight_")]
    return [sum(int(row[name]) for row in rows) for name in columns]


@tap.case("go tool pprof counts the samples and weights of the recording")
def _(t):
    for recording in inputs(t.folder):
        t.wick("export", "-q", "--to", "pprof", "-o", "out.pb.gz", recording)
        t.equal(raw_samples(pprof(t, "-raw")), told_samples(t, recording),
                f"samples and weights of {recording.name}")


@tap.case("go tool pprof shows inlined calls as lines of one location")
def _(t):
    inputs(t.folder)
    t.wick("export", "-q", "--to", "pprof", "-o", "out.pb.gz", t.folder / "inlined.txt")
    text = pprof(t, "-raw")
    location = re.search(r"^ +\d+: 0x\S* (?:M=\d )?leaf .*\n +middle<int> .*\n +outer ", text, re.M)
    t.true(location, f"expected leaf, middle and outer in one location of {text}")
    top = pprof(t, "-top")
    t.true(re.search(r"500000 .*leaf|250000 .*leaf", top), f"expected leaf in {top}")


@tap.case("go tool pprof tells when the recording was made")
def _(t):
    t.wick("export", "-q", "--to", "pprof", "-o", "out.pb.gz", SHOP)
    text = pprof(t, "-raw")
    t.true("Time: 2026-11-21 21:24:29" in text, f"expected the time of the first sample in {text}")


@tap.case("go tool pprof leaves what stands in brackets in names")
def _(t):
    names = ["main::{lambda(int)#1}::operator()(int) const", "shop::(anonymous namespace)::pay"]
    (t.folder / "names.folded").write_text("main;" + ";".join(names) + " 3\n")
    t.wick("export", "-q", "--to", "pprof", "-o", "out.pb.gz", t.folder / "names.folded")
    top = pprof(t, "-top")
    for name in names:
        t.true(name in top, f"expected {name} in {top}")


PROGRAM = """\
#include <stdint.h>
volatile uint64_t sink;
static inline __attribute__((always_inline)) uint64_t innermost(uint64_t x)
{
	for (int i = 0; i < 100; i++)
		x = x * 6364136223846793005u + 1; /* line 6 */
	return x;
}
static inline __attribute__((always_inline)) uint64_t middle(uint64_t x)
{
	return innermost(x) + 1; /* line 11 */
}
__attribute__((noinline)) uint64_t outer(uint64_t x)
{
	return middle(x) ^ 3; /* line 15 */
}
int main(void)
{
	for (int i = 0; i < 4000000; i++)
		sink = outer(sink + i);
	return 0;
}
"""


@tap.case("a recorded program's inlined calls reach pprof and the Firefox Profiler with their lines")
def _(t):
    tap.need("gcc")
    (t.folder / "program.c").write_text(PROGRAM)
    tap.run("gcc", "-O2", "-g", "-o", "program", "program.c", cwd=t.folder)
    done = t.wick("record", "-q", "--user-only", "-o", "wick.data", "--", "./program", check=False)
    if done.returncode:
        raise tap.Skip(f"wick cannot record here: {done.stderr.strip()}")
    t.wick("export", "-q", "--to", "firefox", "-o", "out.json", "wick.data")
    profile = json.loads((t.folder / "out.json").read_text())
    check_profile(t, profile)
    names, told = profile["shared"]["stringArray"], set()
    for thread in profile["threads"]:
        frames, funcs = thread["frameTable"], thread["funcTable"]
        told |= {(names[funcs["name"][func]], depth, line) for func, depth, line
                 in zip(frames["func"], frames["inlineDepth"], frames["line"])}
    for frame in (("outer", 0, 15), ("middle", 1, 11), ("innermost", 2, 6)):
        t.true(frame in told, f"expected {frame} in {sorted(told, key=str)}")
    t.wick("export", "-q", "--to", "pprof", "-o", "out.pb.gz", "wick.data")
    text = pprof(t, "-raw")
    t.true(re.search(r"innermost \S*program.c:6 .*\n +middle \S*program.c:11 .*\n +outer \S*program.c:15 ",
                     text), f"expected the three calls with their lines in {text}")


@tap.case("go tool pprof reads back what it wrote itself")
def _(t):
    t.wick("export", "-q", "--to", "pprof", "-o", "out.pb.gz", SHOP)
    pprof(t, "-proto", "-output=again.pb.gz")
    t.equal(stacks_of(t, "again.pb.gz"), stacks_of(t, SHOP), "stacks of pprof's own copy")


@tap.case("stacks of an exported profile are those of the recording")
def _(t):
    for recording in inputs(t.folder):
        for form, name in (("firefox", "out.json"), ("firefox", "out.json.gz"),
                           ("pprof", "out.pb.gz")):
            t.wick("export", "-q", "--to", form, "-o", name, recording)
            t.equal(stacks_of(t, name), stacks_of(t, recording),
                    f"stacks of {recording.name} from {name}")


tap.run_all(needs_recording=False)
