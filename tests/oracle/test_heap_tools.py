#!/usr/bin/env python3
"""Heap files of other tools, beside what those tools print of them: heaptrack, Valgrind's massif and
DHAT, jemalloc, tcmalloc and Go's pprof. The program allocates known amounts.

Debian's packages: heaptrack, valgrind (its dh_view runs in node), libjemalloc-dev,
libgoogle-perftools-dev with google-perftools, golang-go."""
import collections
import glob
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

# What is left at the end: 7 * 1000 of keep, 3 * 200 of grow_list, 50000 of load. The pointers go
# where no compiler can follow, so that no call is left out.
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
void *kept[100000];
static int count;
__attribute__((noinline)) void keep(int times)
{
	for (int i = 0; i < times; i++)
		kept[count++] = malloc(1000);
}
__attribute__((noinline)) void drop(int times)
{
	while (times-- > 0)
		free(kept[--count]);
}
__attribute__((noinline)) void throw_away(int times)
{
	for (int i = 0; i < times; i++) {
		void *volatile block = malloc(64 + i % 3);
		free(block);
	}
}
static inline __attribute__((always_inline)) void *grown(void *block, size_t size)
{
	block = realloc(block, size);
	memset(block, 1, size);
	return block;
}
__attribute__((noinline)) void grow(void)
{
	void *volatile block = NULL;
	for (size_t size = 16; size < 300000; size *= 3)
		block = grown(block, size);
	free(block);
}
__attribute__((noinline)) void grow_list(int times)
{
	for (int i = 0; i < times; i++)
		kept[count++] = calloc(2, 100);
}
__attribute__((noinline)) void load(void)
{
	kept[count++] = malloc(50000);
}
static void *thread(void *unused)
{
	throw_away(500);
	grow();
	return unused;
}
int main(void)
{
	pthread_t other;
	keep(5000);
	throw_away(1000);
	grow();
	drop(4993);
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	grow_list(3);
	load();
	return 0;
}
"""
OWN = ("keep", "drop", "throw_away", "grow", "grow_list", "load", "thread", "main")


def program(t, compiler="gcc", *words):
    tap.need(compiler)
    (t.folder / "till.c").write_text(PROGRAM)
    tap.run(compiler, *words, "-g", "-O1", "-pthread", "-o", t.folder / "till", t.folder / "till.c")
    return t.folder / "till"


def folded(text):
    """Weights by the innermost function of the program."""
    sums = collections.Counter()
    for line in text.splitlines():
        stack, weight = line.rsplit(" ", 1)
        names = [re.sub(r" \(\S*\)$", "", frame) for frame in stack.rstrip(";").split(";")]
        own = [name for name in names if name in OWN]
        sums[own[-1] if own else "other"] += int(weight)
    return {name: weight for name, weight in sums.items() if weight}


def wick_folded(t, path, *words):
    return folded(t.wick("fold", "-q", "--by", "heap", *words, path).stdout)


class Replay:
    """The events of `wick dump`, added up without wick's model."""

    def __init__(self, t, path):
        self.stack_frames, self.frames, self.snapshots = {0: []}, {}, {}
        self.live, self.blocks = collections.Counter(), collections.Counter()
        self.total_bytes = self.total_blocks = self.temporary = self.peak = self.now = 0
        self.addresses, self.last = {}, None
        for line in t.wick("dump", path).stdout.splitlines():
            kind, _, rest = line.partition(" ")
            fields = dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', rest))
            if kind == "frame":
                self.frames[fields["frame"]] = fields["name"].strip('"')
            elif kind == "stack":
                self.stack_frames[int(fields["stack"])] = \
                    self.stack_frames[int(fields["parent"])] + [self.frames[fields["frame"]]]
            elif kind == "heap":
                self.change(fields)
            elif kind == "heap-sum":
                self.add(fields)
            elif kind == "snapshot":
                self.snapshots[fields["label"].strip('"')] = (dict(self.live), dict(self.blocks))

    def change(self, fields):
        address = fields["address"]
        if fields["change"] == "allocate":
            size, stack = int(fields.get("size", "0"), 16), int(fields.get("stack", 0))
            self.addresses[address] = size, stack
            self.total_bytes += size
            self.total_blocks += 1
            self.count(stack, size, 1)
            self.last = address
        else:
            size, stack = self.addresses.pop(address)
            self.count(stack, -size, -1)
            self.temporary += address == self.last
            self.last = None

    def add(self, fields):
        pairs = {key: [int(part) for part in fields.get(key, "0/0").split("/")]
                 for key in ("allocated", "freed")}
        stack = int(fields.get("stack", 0))
        self.total_bytes += pairs["allocated"][0]
        self.total_blocks += pairs["allocated"][1]
        self.count(stack, pairs["allocated"][0] - pairs["freed"][0],
                   pairs["allocated"][1] - pairs["freed"][1])

    def count(self, stack, size, blocks):
        self.live[stack] += size
        self.blocks[stack] += blocks
        self.now += size
        self.peak = max(self.peak, self.now)


# --- heaptrack ------------------------------------------------------------------------------

def heaptrack(t):
    tap.need("heaptrack", "heaptrack_print")
    tap.run("heaptrack", "-o", t.folder / "recorded", program(t))
    return next(t.folder.glob("recorded.*"))


def heaptrack_stacks(t, path, cost):
    out = t.folder / "stacks"
    tap.run("heaptrack_print", "--disable-builtin-suppressions", "-t", "0", "-p", "0", "-a", "0",
            "-T", "0", "--flamegraph-cost-type", cost, "-F", out, path)
    return folded(out.read_text())


@tap.case("heaptrack: allocations, bytes, temporary and leaked ones, and the peak")
def _(t):
    path = heaptrack(t)
    expected = {cost: heaptrack_stacks(t, path, cost)
                for cost in ("allocations", "temporary", "leaked", "peak")}
    came = Replay(t, path)
    t.equal(came.total_blocks, sum(expected["allocations"].values()), "allocations")
    t.equal(came.temporary, sum(expected["temporary"].values()), "temporary allocations")
    t.equal(came.peak, sum(expected["peak"].values()), "peak")
    t.equal(came.now, sum(expected["leaked"].values()), "leaked bytes")
    printed = tap.run("heaptrack_print", "--disable-builtin-suppressions", path).stdout
    calls = re.search(r"calls to allocation functions: (\d+)", printed)[1]
    t.equal(came.total_blocks, int(calls), "calls to allocation functions")


@tap.case("heaptrack: what each function leaked, by --outstanding")
def _(t):
    path = heaptrack(t)
    came = wick_folded(t, path, "--outstanding")
    t.equal(came, heaptrack_stacks(t, path, "leaked"), "leaked bytes")
    t.equal({name: came[name] for name in ("keep", "grow_list", "load")},
            {"keep": 7000, "grow_list": 600, "load": 50000}, "what the program left")


@tap.case("heaptrack: the file packed in another way")
def _(t):
    tap.need("zstd", "gzip")
    path = heaptrack(t)
    if path.suffix != ".zst":
        raise tap.Skip("this heaptrack does not write zstd")
    expected = wick_folded(t, path)
    tap.run("zstd", "-dq", path, "-o", t.folder / "plain")
    t.equal(wick_folded(t, t.folder / "plain"), expected, "plain")
    tap.run("gzip", t.folder / "plain")
    t.equal(wick_folded(t, t.folder / "plain.gz"), expected, "gzip")


def compare_raw(t, *words):
    """The same program, raw and as heaptrack interprets it, by function."""
    tap.need("heaptrack", "zstd")
    interpret = glob.glob("/usr/lib/*/libexec/heaptrack_interpret") + \
        glob.glob("/usr/lib/heaptrack/libexec/heaptrack_interpret")
    if not interpret:
        raise tap.Skip("heaptrack_interpret is not there")
    till = program(t, *words)
    tap.run("heaptrack", "--raw", "-o", t.folder / "till", till)
    raw, interpreted = t.folder / "till.raw.zst", t.folder / "interpreted"
    tap.run("sh", "-c", f"zstd -dc < {raw} | {interpret[0]} > {interpreted}")
    for options in (), ("--outstanding",):
        expected = wick_folded(t, interpreted, *options)
        t.true(expected["keep"] > 0, "expected bytes of keep")
        t.equal(wick_folded(t, raw, *options), expected, f"bytes {options}")
    one, other = Replay(t, raw), Replay(t, interpreted)
    t.equal((one.total_blocks, one.total_bytes, one.peak, one.now),
            (other.total_blocks, other.total_bytes, other.peak, other.now), "totals")


@tap.case("heaptrack: a raw recording has the bytes and functions of the interpreted one")
def _(t):
    compare_raw(t)


@tap.case("heaptrack: a raw recording of a program that lld linked")
def _(t):
    tap.need("clang", "ld.lld")
    compare_raw(t, "clang", "-fuse-ld=lld", "-no-pie")
    compare_raw(t, "clang", "-fuse-ld=lld", "-pie", "-fPIE")


# --- Valgrind -------------------------------------------------------------------------------

def valgrind(t, *words):
    tap.need("valgrind")
    return tap.run("valgrind", *words, program(t)).stderr


def massif(t, *words):
    valgrind(t, "--tool=massif", f"--massif-out-file={t.folder}/massif.out", *words)
    return t.folder / "massif.out"


def ms_print(path):
    """Useful bytes of each snapshot, and of the peak those of each function that allocated."""
    text = tap.run("ms_print", "--threshold=0", path).stdout
    numbers = {match[1]: int(match[2].replace(",", ""))
               for match in re.finditer(r"^ +(\d+) +[\d,]+ +[\d,]+ +([\d,]+) +[\d,]+ +[\d,]+$", text,
                                        re.M)}
    detailed = re.search(r"Detailed snapshots: \[(.*?)\]", text, re.S)[1]
    peak = re.search(r"(\d+) \(peak\)", detailed)[1]
    tree = re.search(rf"^ +{peak} +[\d,]+ .*\n((?:.*[%>|].*\n| *\n)+)", text, re.M)[1]
    callers = collections.Counter()
    for match in re.finditer(r"^->[\d.]+% \(([\d,]+)B\) 0x\w+: (\S+)", tree, re.M):
        callers[match[2]] += int(match[1].replace(",", ""))
    return numbers, re.findall(r"\d+", detailed), peak, callers


def compare_massif(t, path):
    numbers, detailed, peak, callers = ms_print(path)
    came = Replay(t, path)
    labels = {label.split()[1]: sum(live.values()) for label, (live, _) in came.snapshots.items()}
    t.true(len(detailed) > 3, "expected several snapshots with stacks")
    t.equal(labels, {number: numbers[number] for number in detailed}, "bytes of the snapshots")
    live = came.snapshots[f"massif {peak} (peak)"][0]
    sums = collections.Counter()
    for stack, size in live.items():
        sums[came.stack_frames[stack][-1]] += size
    for name in OWN:
        t.equal(sums[name], callers[name], f"bytes of {name} at the peak")
    return sums


@tap.case("massif: bytes of each snapshot with stacks, and of functions at the peak")
def _(t):
    sums = compare_massif(t, massif(t, "--detailed-freq=1", "--threshold=0"))
    t.equal(sums["keep"], 5000000, "bytes of keep at the peak")


@tap.case("massif: the same with the defaults, and by time and bytes")
def _(t):
    compare_massif(t, massif(t))
    compare_massif(t, massif(t, "--time-unit=ms", "--stacks=yes"))
    compare_massif(t, massif(t, "--time-unit=B", "--threshold=0"))


@tap.case("massif: what is left, by --outstanding")
def _(t):
    path = massif(t, "--detailed-freq=1", "--threshold=0")
    numbers = ms_print(path)[0]
    came = wick_folded(t, path, "--outstanding")
    t.equal(sum(came.values()), numbers[max(numbers, key=int)], "bytes of the last snapshot")


DH_VIEW = r"""
const fs = require("fs"), vm = require("vm");
const context = vm.createContext({ document: {}, window: {}, console });
vm.runInContext(fs.readFileSync(process.argv[2], "utf8"), context);
console.log(vm.runInContext(`gSelect = { childNodes: [{}], selectedIndex: 0 };
  gData = ${fs.readFileSync(process.argv[3], "utf8")};
  buildTree();
  JSON.stringify([gRoot._totalBytes, gRoot._totalBlocks, gRoot._atTGmaxBytes, gRoot._atTGmaxBlocks,
                  gRoot._atTEndBytes, gRoot._atTEndBlocks])`, context));
"""


def numbers_of(line):
    return [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) (?:bytes|blocks)", line)]


def compare_dhat(t, path, expected, what):
    came = Replay(t, path)
    at_peak, at_end = came.snapshots["t-gmax"], came.snapshots["t-end"]
    t.equal([came.total_bytes, came.total_blocks, sum(at_peak[0].values()),
             sum(at_peak[1].values()), sum(at_end[0].values()), sum(at_end[1].values())],
            expected, what)


@tap.case("DHAT: the totals that it prints, and those of dh_view")
def _(t):
    path = t.folder / "dhat.out"
    printed = valgrind(t, "--tool=dhat", f"--dhat-out-file={path}")
    expected = []
    for words in ("Total:", "At t-gmax:", "At t-end:"):
        expected += numbers_of(re.search(rf"{words} .*", printed)[0])
    compare_dhat(t, path, expected, "totals of valgrind")
    came = wick_folded(t, path, "--outstanding")
    t.equal({name: came[name] for name in ("keep", "grow_list", "load")},
            {"keep": 7000, "grow_list": 600, "load": 50000}, "what the program left")
    t.equal(wick_folded(t, path)["keep"], 5000000, "what keep allocated")
    tap.need("node")
    view = "/usr/libexec/valgrind/dh_view.js"
    if not os.path.exists(view):
        raise tap.Skip("dh_view.js is not there")
    (t.folder / "view.js").write_text(DH_VIEW)
    shown = tap.run("node", t.folder / "view.js", view, path).stdout
    compare_dhat(t, path, json.loads(shown), "totals of dh_view")


# --- Allocators -----------------------------------------------------------------------------

def preload(name):
    found = glob.glob(f"/usr/lib/*/{name}")
    if not found:
        raise tap.Skip(f"{name} is not installed")
    return found[0]


def flat(tool, till, path, *words):
    """Total and flat bytes or blocks by function, as pprof and jeprof print them."""
    tap.need(tool)
    text = tap.run(tool, "--text", "--functions", *words, till, path).stdout
    total = int(re.search(r"Total: (\d+)", text)[1])
    rows = re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% (\S+)", text, re.M)
    return total, {name: int(cumulative) for _, cumulative, name in rows}


def compare_heap(t, expected, came, what, off=0):
    """Numbers that were scaled are rounded once for each stack by wick, and cut off by pprof."""
    total, functions = expected
    t.within(sum(came.values()), total - off, total + off, f"{what}, total")
    for name in ("keep", "grow_list", "load", "throw_away", "grow"):
        t.within(came.get(name, 0), functions.get(name, 0) - off, functions.get(name, 0) + off,
                 f"{what}, {name}")


@tap.case("jemalloc: the bytes that jeprof prints")
def _(t):
    till = program(t)
    env = os.environ | {"LD_PRELOAD": preload("libjemalloc.so.2"),
                        "MALLOC_CONF": f"prof:true,lg_prof_sample:12,prof_final:true,"
                                       f"prof_accum:true,prof_prefix:{t.folder}/je"}
    tap.run(till, env=env)
    path = glob.glob(str(t.folder / "je.*.heap"))[0]
    for words, options in ((("--inuse_space",), ("--outstanding",)), (("--alloc_space",), ())):
        expected = flat("jeprof", till, path, "--show_bytes", *words)
        compare_heap(t, expected, wick_folded(t, path, *options), words[0], off=10)
    blocks = flat("jeprof", till, path, "--inuse_objects")
    came = Replay(t, path)
    t.within(sum(came.blocks.values()), blocks[0] - 10, blocks[0] + 10, "blocks in use")


def tcmalloc(t, till):
    tap.run(till, env=os.environ | {"LD_PRELOAD": preload("libtcmalloc.so.4"),
                                    "HEAPPROFILE": f"{t.folder}/tc"})
    return sorted(t.folder.glob("tc.*.heap"))[-1]


@tap.case("tcmalloc, every allocation: the bytes that pprof prints")
def _(t):
    till = program(t)
    path = tcmalloc(t, till)
    for words, options in ((("--inuse_space",), ("--outstanding",)), (("--alloc_space",), ())):
        expected = flat("google-pprof", till, path, "--show_bytes", *words)
        compare_heap(t, expected, wick_folded(t, path, *options), words[0])
    came = wick_folded(t, path, "--outstanding")
    t.equal({name: came[name] for name in ("keep", "grow_list", "load")},
            {"keep": 7000, "grow_list": 600, "load": 50000}, "what the program left")


# Debian's tcmalloc 2.10 writes no samples, whatever TCMALLOC_SAMPLE_PARAMETER is: the other kind of
# profile with the head of a sampled one.
@tap.case("tcmalloc, sampled: the bytes that pprof estimates")
def _(t):
    till = program(t)
    path = tcmalloc(t, till)
    text = path.read_text(errors="surrogateescape")
    path = t.folder / "sampled.heap"
    path.write_text(text.replace("@ heapprofile", "@ heap_v2/4096", 1), errors="surrogateescape")
    for words, options in ((("--inuse_space",), ("--outstanding",)), (("--alloc_space",), ())):
        expected = flat("google-pprof", till, path, "--show_bytes", *words)
        compare_heap(t, expected, wick_folded(t, path, *options), words[0], off=10)
    t.true(expected[1]["throw_away"] > 6000000, "expected estimates of pprof")


# --- Go -------------------------------------------------------------------------------------

GO = """package main

import ("os"; "runtime"; "runtime/pprof")

var kept [][]byte

//go:noinline
func keep(times int) { for i := 0; i < times; i++ { kept = append(kept, make([]byte, 1000)) } }

//go:noinline
func throw(times int) { for i := 0; i < times; i++ { kept = append(kept[:0], make([]byte, 5000)) } }

func main() {
	runtime.MemProfileRate = 1
	throw(1000)
	keep(2000)
	runtime.GC()
	out, _ := os.Create("heap.pb.gz")
	pprof.Lookup("heap").WriteTo(out, 0)
	out.Close()
}
"""


@tap.case("Go: the four sample types, by heap")
def _(t):
    tap.need("go")
    (t.folder / "till.go").write_text(GO)
    env = os.environ | {"GOCACHE": str(t.folder / "cache"), "GO111MODULE": "off"}
    tap.run("go", "build", "-o", "till", "till.go", cwd=t.folder, env=env, seconds=600)
    tap.run(t.folder / "till", cwd=t.folder)
    path = t.folder / "heap.pb.gz"
    came = Replay(t, path)
    sums = {"inuse_space": sum(came.live.values()), "inuse_objects": sum(came.blocks.values()),
            "alloc_space": came.total_bytes, "alloc_objects": came.total_blocks}
    for kind, total in sums.items():
        raw = tap.run("go", "tool", "pprof", f"-sample_index={kind}", "-top", "-unit=B",
                      "-nodecount=1", path, cwd=t.folder, env=env).stdout
        t.equal(total, int(re.search(r"of (\d+)B? total", raw)[1]), kind)
    t.true(sums["alloc_space"] > sums["inuse_space"] > 2000000, f"sums {sums}")
    for options, key in ((("--outstanding",), "inuse_space"), ((), "alloc_space")):
        t.equal(sum(wick_folded(t, path, *options).values()), sums[key], f"{key} by --by heap")


tap.run_all(needs_recording=False)
