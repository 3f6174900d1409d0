#!/usr/bin/env python3
"""A recording beside what hotspot's parser makes of it: the same samples, and the same stacks of
programs whose debug information both read.

Debian's package hotspot has the parser, and brings 96 packages of Qt and KDE: without it the cases
are skipped. WICK_HOTSPOT_PARSER names one that is elsewhere."""
import glob
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402
from inlined_calls import CALLS  # noqa: E402

FIXTURES = tap.SHARED / "fixtures" / "perf-data"

# Recordings, and whether hotspot names their events as the recording does: of a pipe it makes its
# own names. It cannot read compressed recordings, and stops at hardware traces.
RECORDINGS = {
    "own/own-dwarf.perf.data": True, "own/own-fp.perf.data": True, "own/own-switch.perf.data": True,
    "own/own-tracepoint.perf.data": True,
    "perf_data_converter/perf.data.armv7-3.4": True,
    "perf_data_converter/perf.data.branch-4.14": True,
    "perf_data_converter/perf.data.busy.0-3.4": True,
    "perf_data_converter/perf.data.callgraph-3.4": True,
    "perf_data_converter/perf.data.callgraph_and_branch-3.4": True,
    "perf_data_converter/perf.data.group_desc-4.14": True,
    "perf_data_converter/perf.data.hybrid_topology": True,
    "perf_data_converter/perf.data.lost_samples-4.4": True,
    "perf_data_converter/perf.data.piped.header_features_aligned-6.12": False,
    "perf_data_converter/perf.data.piped.hw_and_sw-3.4": False,
    "perf_data_converter/perf.data.piped.target.throttled-3.4": False,
    "perf_data_converter/perf.data.raw-3.4": True,
    "perf_data_converter/perf.data.systemwide.1-3.8": True,
    "perf_data_converter/perf.data.throttle-3.8": True,
    "perfparser/contentsize.data": True, "perfparser/probe.data.file": True,
    "perfparser/vector_static_clang.perf.data": True,
    "perfparser/vector_static_gcc.perf.data": True,
}

# C, because hotspot 1.3 writes names of C++ with the wrong scopes.
PROGRAM = CALLS + r"""
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) void *thread(void *count)
{
	static volatile double sum;
	for (int i = 0; i < *(int *)count; i++)
		sum += work(400000 + i);
	return NULL;
}
int main(void)
{
	int count = 150;
	pthread_t other;
	pthread_create(&other, NULL, thread, &count);
	thread(&count);
	pthread_join(other, NULL);
	return 0;
}
"""


def parser():
    places = [os.environ.get("WICK_HOTSPOT_PARSER"), shutil.which("hotspot-perfparser")]
    for folder in "/usr/lib/*/libexec", "/usr/lib/libexec", "/usr/libexec":
        places += glob.glob(folder + "/hotspot-perfparser")
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    raise tap.Skip("hotspot-perfparser is not installed (package hotspot)")


def convert(t, recording, name):
    stream = t.folder / f"{name}.perfparser"
    tap.run(parser(), "--max-frames", "1024", "--input", recording, "--output", stream)
    return stream


def samples(t, path, has_names):
    """Time, process, thread, event and weight of each sample."""
    names, rows = {}, []
    for line in t.wick("dump", path).stdout.splitlines():
        source = re.match(r'source .* source=(\d+) name="(.*?)"', line)
        if source:
            names[source[1]] = source[2] if has_names else ""
        row = re.match(r"sample time=(\d+) pid=(\S+) tid=(\S+)(?: cpu=\d+)? source=(\d+) weight=(\d+)",
                       line)
        if row:
            rows.append((row[1], row[2], row[3], names[row[4]], row[5]))
    return rows


for recording, has_names in RECORDINGS.items():
    @tap.case(f"{recording}: the same samples")
    def _(t, recording=recording, has_names=has_names):
        path = FIXTURES / recording
        if not path.exists():
            raise tap.Skip(f"{recording} is not there")
        stream = convert(t, path, path.name)
        expected, came = samples(t, path, has_names), samples(t, stream, has_names)
        t.true(len(expected) > 0, "expected samples")
        t.equal(len(came), len(expected), "samples")
        for one, other in zip(came, expected):
            t.equal(one, other, "sample")


def stacks(t, path, has_call_lines):
    """Folded stacks of the program's own functions with their lines. hotspot puts the names of
    the callers in front of inlined functions: "work::twice::step", or even "work::twicestep"."""
    own = r"[\w:]*?(step|twice|work|thread|main) \((?:.*/)?(shop\.c:\d+)\)"
    counts = {}
    for line in t.wick("fold", "--all-inline", "--lines", path).stdout.splitlines():
        stack, count = line.rsplit(" ", 1)
        found = [re.fullmatch(own, frame) for frame in stack.split(";")]
        key = ";".join(frame[1] if frame[1] in ("thread", "main") and not has_call_lines
                       else f"{frame[1]} {frame[2]}" for frame in found if frame)
        counts[key] = counts.get(key, 0) + int(count)
    return counts


def record(t, *words):
    tap.need("perf", "gcc")
    (t.folder / "shop.c").write_text(PROGRAM)
    tap.run("gcc", "-g", "-O2", "-fno-omit-frame-pointer", "-pthread", "-o", t.folder / "shop",
            t.folder / "shop.c")
    done = tap.run("perf", "record", "-q", "-o", t.folder / "perf.data", "-e", "cpu-clock:u", *words,
                   t.folder / "shop", check=False)
    if done.returncode:
        raise tap.Skip(f"perf does not record here: {done.stderr.strip()}")
    return t.folder / "perf.data"


def compare_stacks(t, has_call_lines, *words):
    path = record(t, *words)
    stream = convert(t, path, "perf")
    expected, came = stacks(t, path, has_call_lines), stacks(t, stream, has_call_lines)
    total = sum(expected.values())
    t.true(total > 100, "expected more than 100 samples")
    t.equal(sum(came.values()), total, "samples")
    same = sum(min(count, came.get(stack, 0)) for stack, count in expected.items())
    t.within(100 * same / total, 95, 100, f"percent of equal stacks, {expected} and {came}")
    inlined = sum(count for stack, count in came.items() if "twice" in stack)
    t.within(100 * inlined / total, 50, 100, "percent of samples with inlined functions")


# hotspot looks up return addresses of the kernel's chains as they are: the line may be the next.
@tap.case("frame pointers: the same functions, inlined functions and lines")
def _(t):
    compare_stacks(t, False, "-F", "997", "-g")


@tap.case("copies of stacks: the same functions, inlined functions and lines")
def _(t):
    compare_stacks(t, True, "-F", "299", "--call-graph", "dwarf,4096")


tap.run_all(needs_recording=False)
