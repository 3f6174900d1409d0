#!/usr/bin/env python3
"""`wick export --to perf-script` beside `perf script`, line by line: the shared recordings with the
usual columns and with some of -F, and tracepoints recorded here.

What may differ is told in docs/formats/perf-script.md; each recording has its own share of lines
that must be equal. Run alone it prints the share of each."""
import collections
import functools
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402
from inlined_calls import CALLS  # noqa: E402

FIXTURES = tap.SHARED / "fixtures" / "perf-data"

# Lines that must be equal, in percent. Under 100: another machine's kernel or libraries, which perf
# names by this machine's where the recording has no build ids (then wick names nothing), and
# hardware traces, of which perf makes events.
RECORDINGS = {
    "own/own-dwarf.perf.data": 100, "own/own-dwarf-zstd.perf.data": 100, "own/own-fp.perf.data": 100,
    "own/own-switch.perf.data": 100, "own/own-tracepoint.perf.data": 100,
    "perf_data_converter/perf.data.armv7-3.4": 100,
    "perf_data_converter/perf.data.branch-4.14": 100,
    "perf_data_converter/perf.data.branch_stack_hw_index": 100,
    "perf_data_converter/perf.data.busy.0-3.4": 100,
    "perf_data_converter/perf.data.callgraph-3.4": 100,
    "perf_data_converter/perf.data.callgraph_and_branch-3.4": 100,
    "perf_data_converter/perf.data.ctx_switch_namespaces-4.14": 100,
    "perf_data_converter/perf.data.group_desc-4.14": 100,
    "perf_data_converter/perf.data.hybrid_topology": 100,
    "perf_data_converter/perf.data.i686-3.4": 100,
    "perf_data_converter/perf.data.lost_samples-4.4": 100,
    "perf_data_converter/perf.data.proc.map.timeout-3.18": 100,
    "perf_data_converter/perf.data.raw-3.4": 100,
    "perf_data_converter/perf.data.singleprocess-3.4": 100,
    "perf_data_converter/perf.data.systemwide.1-3.8": 100,
    "perf_data_converter/perf.data.throttle-3.8": 100,
    "perfparser/probe.data.file": 100,
}
COLUMNS = ["comm,pid,tid,time,event,ip,sym,dso", "event,ip,sym", "+pid,-comm", "ip"]
BRANCHES = ["comm,ip,sym,dso,brstack", "comm,ip,brstack"]


C_PROGRAM = CALLS + r"""
#include <stdio.h>
int main(void)
{
	double s = 0;
	for (int i = 0; i < 100; i++)
		s += work(400000 + i); /* another number each, or gcc calls it once */
	printf("%f\\n", s);
	return 0;
}
"""

CXX_PROGRAM = r"""
#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>
namespace {
struct Shelf {
	std::map<std::string, std::vector<int>> books;
	void add(const std::string &name, int n) { books[name].push_back(n); }
};
}
template <class T, class... Rest> __attribute__((noinline)) T count(const std::vector<T> &all, Rest...)
{
	T sum = 0;
	for (int i = 0; i < 40; i++)
		for (T each : all)
			sum += each % (i + 1);
	return sum;
}
int main(void)
{
	Shelf shelf;
	long total = 0;
	for (int i = 0; i < 150000; i++)
		shelf.add("name" + std::to_string(i * 7919 % 1009), i);
	for (auto &[name, list] : shelf.books) {
		std::sort(list.begin(), list.end(), [](auto a, auto b) { return a % 97 < b % 97; });
		total += count(list, list, nullptr);
		std::ostringstream out;
		for (int each : list)
			out << each << ' ';
		total += out.str().size();
	}
	std::function<long(long)> twice = [&](long n) {
		std::vector<long> all(200, n);
		return count(all);
	};
	for (int i = 0; i < 2000; i++)
		total += twice(i);
	return total & 1;
}
"""

RUST_PROGRAM = r"""
use std::collections::BTreeMap;
fn count(words: &[String]) -> BTreeMap<&str, usize> {
    let mut seen = BTreeMap::new();
    for word in words { *seen.entry(word.as_str()).or_insert(0) += 1; }
    seen
}
fn main() {
    let words: Vec<String> = (0..60000u32).map(|i| format!("w{}", i * 7919 % 1009)).collect();
    let mut total = 0;
    for _ in 0..12 {
        let mut sorted: Vec<&String> = words.iter().collect();
        sorted.sort();
        total += count(&words).values().filter(|n| **n > 3).count() + sorted.len();
    }
    println!("{}", total);
}
"""


VDSO_LINE = re.compile(r" \S+\+0x[0-9a-f]+ \(\[vdso\]\)")
VDSO_BRANCH = re.compile(r"__vdso_\w+\+0x[0-9a-f]+")
MAPPED = re.compile(r" PERF_RECORD_MMAP2 .* (\d+) \d+\]: \S+ (/.*)$", re.M)
FRAME = re.compile(r"(\s+[0-9a-f]+) .* \((/.*)\)$")

# Where a return address lies beyond the copy of the stack, perf goes on with the 0 that it got for
# it: an address below 0 ends the chain. wick ends it there.
LOST_CALLER = re.compile(r"^\tffffffffffffffff \[unknown\](?: \(\[unknown\]\))?\n(?=\n)", re.M)
# What the linker puts in front of and behind a program's own code. No table says who called these:
# perf ends the chain or takes what lies on the stack for a caller; wick looks at the instructions.
WITHOUT_TABLES = re.compile(
    r"^(\s+[0-9a-f]+ (?:_init|_fini|frame_dummy|(?:de)?register_tm_clones|__do_global_dtors_aux)"
    r"\+0x[0-9a-f]+ .*\n)(?:.+\n)+", re.M)
KERNEL_FRAME = re.compile(r"^(\s+([0-9a-f]+) )(\w+)\+(0x[0-9a-f]+)( \(\[kernel\.kallsyms\]\))", re.M)


@functools.lru_cache(maxsize=None)
def replaced_here(recording):
    """Files of which the recording tells no build id and another inode than this machine has. perf
    takes them for the recorded ones, wick does not."""
    ids = tap.run("perf", "buildid-list", "-i", recording).stdout.splitlines()
    mapped = tap.run("perf", "script", "--show-mmap-events", "-i", recording).stdout
    return {path for inode, path in MAPPED.findall(mapped)
            if os.path.exists(path) and os.stat(path).st_ino != int(inode)} - \
        {line.split(None, 1)[-1] for line in ids}


@functools.lru_cache(maxsize=None)
def has_stack_copies(recording):
    return "STACK_USER" in tap.run("perf", "evlist", "-v", "-i", recording).stdout


def without_replaced(text, replaced, is_unwound):
    """Without the names that perf takes from such files, and, where perf unwound copies of stacks,
    without what it found by their tables: the callers."""
    lines, is_cut = [], False
    for line in text.split("\n"):
        frame = FRAME.match(line)
        if not line:
            is_cut = False
        if is_cut and frame:
            continue
        if frame and frame[2] in replaced:
            line = f"{frame[1]} [unknown] ({frame[2]})"
            is_cut = is_unwound
        lines.append(line)
    return "\n".join(lines)


def of_another_machine(text, recording):
    """What perf prints, without what it takes from files that are not the recorded ones: the vDSO
    of the kernel that runs here has other functions at those places, and a library may."""
    text = VDSO_BRANCH.sub("[unknown]", VDSO_LINE.sub(" [unknown] ([vdso])", text))
    replaced = replaced_here(recording)
    return without_replaced(text, replaced, has_stack_copies(recording)) if replaced else text


@functools.lru_cache(maxsize=None)
def kernel_names():
    """By address all names that the kernel has for it: perf takes the last, wick the plainest."""
    names = collections.defaultdict(set)
    for line in pathlib.Path("/proc/kallsyms").read_text().splitlines():
        address, _, name = line.split()[:3]
        names[int(address, 16)].add(name)
    return names


def one_name_each(text):
    """Functions of this kernel by the first of all names that they have."""
    def first(frame):
        names = kernel_names().get(int(frame[2], 16) - int(frame[4], 16), ())
        name = min(names) if frame[3] in names else frame[3]
        return f"{frame[1]}{name}+{frame[4]}{frame[5]}"
    return KERNEL_FRAME.sub(first, text)


def of_this_machine(perf, wick, recording):
    """Both texts without what perf may say of a recording that was made here and wick need not."""
    perf, wick = one_name_each(perf), one_name_each(wick)
    if has_stack_copies(recording):
        perf = LOST_CALLER.sub("", perf)
        perf, wick = WITHOUT_TABLES.sub(r"\1", perf), WITHOUT_TABLES.sub(r"\1", wick)
    return perf, wick


def share(recording, *options, instead=None):
    """Of perf's lines those that wick has too, in percent; and the first that differs. wick gets
    the options `instead`, if it calls them otherwise."""
    if "--inline" in options:  # perf's default, and wick's
        options = [option for option in options if option != "--inline"]
    else:
        options = ["--no-inline", *options]
    perf = tap.run("perf", "script", "-i", recording, *options).stdout
    wick = tap.run(tap.WICK, "export", "--to", "perf-script", recording,
                   *(options if instead is None else ["--no-inline", *instead])).stdout
    if FIXTURES in pathlib.Path(recording).parents:
        perf = of_another_machine(perf, recording)
    else:
        perf, wick = of_this_machine(perf, wick, recording)
    perf, wick = perf.split("\n"), wick.split("\n")
    if len(perf) < 2:
        raise tap.Failure(f"perf printed nothing of {recording} {' '.join(options)}")
    if len(perf) == len(wick):
        wrong = [(left, right) for left, right in zip(perf, wick) if left != right]
        return 100 * (1 - len(wrong) / len(perf)), wrong[:1]
    both = collections.Counter(perf) & collections.Counter(wick)
    return 100 * sum(both.values()) / len(perf), [(f"{len(perf)} lines", f"{len(wick)} lines")]


def fixture(name):
    tap.need("perf")
    if not (FIXTURES / name).exists():
        raise tap.Skip(f"{FIXTURES / name} is not there; WICK_SHARED says where fixtures are")
    return FIXTURES / name


def record(recording, *words):
    done = tap.run("perf", "record", "-q", "-o", recording, *words, check=False,
                   cwd=recording.parent)  # where node leaves a log
    if done.returncode:
        raise tap.Skip("perf cannot record this here: " + done.stderr.strip()[-100:])


def expect(recording, least, *options, instead=None):
    equal, first = share(recording, *options, instead=instead)
    print(f"# {recording.name} {' '.join(options)}: {equal:.2f} % of perf's lines")
    if equal < least:
        raise tap.Failure(f"{recording}: {equal:.2f} % of perf's lines, expected {least} %: "
                          f"{first}")


@tap.case("the usual columns of recordings that perf can read")
def _(t):
    for name, least in RECORDINGS.items():
        expect(fixture(name), least)


@tap.case("columns that -F asks for")
def _(t):
    for columns in COLUMNS:
        for name in ("own/own-fp.perf.data", "own/own-switch.perf.data",
                     "perf_data_converter/perf.data.systemwide.1-3.8"):
            expect(fixture(name), 100, "-F", columns)
    expect(fixture("own/own-fp.perf.data"), 100, "--ns")
    expect(fixture("own/own-fp.perf.data"), 100, "--max-stack", "5")


@tap.case("branches")
def _(t):
    for columns in BRANCHES:
        for name in ("branch-4.14", "branch_stack_hw_index", "callgraph_and_branch-3.4"):
            expect(fixture(f"perf_data_converter/perf.data.{name}"), 99.7, "-F", columns)


@tap.case("columns that samples do not have are refused by both")
def _(t):
    recording = fixture("own/own-fp.perf.data")
    for columns in ("addr", "comm,cpu,ip", "symoff,ip", "nonsense"):
        for words in (["perf", "script", "-i", recording], [tap.WICK, "export", "--to",
                                                            "perf-script", recording]):
            done = tap.run(*words, "-F", columns, check=False)
            if done.returncode == 0 or done.stdout:
                raise tap.Failure(f"{words[0]} printed columns {columns}")


@tap.case("lines of processes and mappings")
def _(t):
    expect(fixture("own/own-fp.perf.data"), 100, "--show-task-events", "--show-mmap-events")


def compare_with_inlines(folder, compiler, name, text, *words):
    tap.need(compiler)
    source, program = folder / name, folder / "program"
    source.write_text(text)
    tap.run(compiler, "-g", *words, "-o", program, source)
    recording = folder / f"{name}.data"
    record(recording, "-F", "1500", "--call-graph", "dwarf,16384", "--", program)
    expect(recording, 99, "--inline")
    # addr2line takes another file for the line in libc that called main: a line a sample.
    expect(recording, 93, "--inline", "-F", "+srcline")


@tap.case("inlined calls and lines of a program in C")
def _(t):
    compare_with_inlines(t.folder, "gcc", "program.c", C_PROGRAM, "-O2")


@tap.case("inlined calls and lines of a program in Rust")
def _(t):
    compare_with_inlines(t.folder, "rustc", "program.rs", RUST_PROGRAM, "-O")


TIMES = ["0%-20%", "10%-20%", "50%-100%", "0%-100%"]


@tap.case("names of a program in C++")
def _(t):
    tap.need("g++")
    source, program, recording = t.folder / "shelf.cpp", t.folder / "shelf", t.folder / "x.data"
    source.write_text(CXX_PROGRAM)
    tap.run("g++", "-std=c++17", "-O0", "-fno-omit-frame-pointer", "-o", program, source)
    record(recording, "-e", "cpu-clock", "-F", "4000", "-g", "--", program)
    expect(recording, 99, "-G", "--dsos", str(program), "-F", "+symoff",  # all but some @plt
           instead=["-G", "--filter", f'image == "{program}"', "-F", "+symoff"])
    expect(recording, 99.8)
    expect(recording, 99.8, "--no-demangle")


NODE_PROGRAM = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const seen = new Map();
let total = 0;
for (let i = 0; i < 12; i++) {
	total += fib(24);
	for (let j = 0; j < 20000; j++) {
		const key = "k" + (j * 7919 % 1009);
		seen.set(key, (seen.get(key) || 0) + 1);
	}
}
console.log(total, seen.size);
"""

PYTHON_PROGRAM = """
def inner(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total
def outer(n):
    return sum(inner(500) for _ in range(n))
print(sum(outer(60) for _ in range(100)))
"""


def expect_lines_of_maps(recording, least):
    """That many lines of perf's bear a name from a perf map, and wick has the same."""
    perf = tap.run("perf", "script", "-i", recording).stdout
    try:
        expect(recording, 99.9)
        expect_names_of_maps(recording, perf, least)
    finally:
        for path in set(re.findall(r"\((/tmp/perf-\d+\.map)\)", perf)):
            pathlib.Path(path).unlink(missing_ok=True)


def expect_names_of_maps(recording, perf, least):
    names = [line for line in perf.split("\n") if ".map)" in line and "[unknown]" not in line]
    if len(names) < least:
        raise tap.Failure(f"perf named only {len(names)} frames from a perf map")
    wick = tap.run(tap.WICK, "export", "--to", "perf-script", recording).stdout.split("\n")
    missing = collections.Counter(names) - collections.Counter(wick)
    if missing:
        raise tap.Failure(f"{missing.total()} of {len(names)}: {list(missing)[:2]}")


@tap.case("names that node wrote of its code")
def _(t):
    tap.need("node")
    program, recording = t.folder / "program.js", t.folder / "node.data"
    program.write_text(NODE_PROGRAM)
    record(recording, "-e", "cpu-clock", "-F", "2999", "-g", "--", "node", "--perf-basic-prof",
           "--interpreted-frames-native-stack", program)
    expect_lines_of_maps(recording, 100)


@tap.case("names that Python wrote of its trampolines")
def _(t):
    python = tap.perf_python(12, "perf")
    program, recording = t.folder / "program.py", t.folder / "python.data"
    program.write_text(PYTHON_PROGRAM)
    record(recording, "-e", "cpu-clock", "-F", "1999", "--call-graph", "dwarf,8192", "--",
           python, "-X", "perf", program)
    expect_lines_of_maps(recording, 50)


@tap.case("of several names of an address perf's")
def _(t):
    recording = t.folder / "libc.data"
    record(recording, "-e", "cpu-clock:u", "-F", "9999", "-g", "--", "sh", "-c",
           "ls -R /usr/lib >/dev/null; ls -lR /usr/share/doc | sort >/dev/null")
    expect(recording, 99.5, "-F", "comm,tid,time,ip,sym,symoff,dso")
    expect(recording, 98, "-G", "--dsos", "libc.so.6",  # "@plt" has no name there
           instead=["-G", "--filter", 'image =~ "/libc.so.6$"'])


@tap.case("samples of some threads, CPUs, functions and files")
def _(t):
    recording = fixture("own/own-switch.perf.data")
    for perf, wick in ((["-C", "1"], ["--filter", "cpu == 1"]),
                       (["--tid", "22367"], ["--thread", "22367"]),
                       (["--pid", "22365"], ["--process", "22365"]),
                       (["--comms", "fx-fp"], ["--thread", "^fx-fp$"]),
                       (["--tid", "22367,22368", "-C", "0,1"],
                        ["--thread", "22367,22368", "--filter", "cpu in 0-1"])):
        expect(recording, 100, *perf, instead=wick)
    tap.need("gcc")
    source, program, recording = t.folder / "work.c", t.folder / "work", t.folder / "work.data"
    source.write_text(C_PROGRAM)
    tap.run("gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", program, source)
    record(recording, "-e", "cpu-clock", "-F", "4000", "-g", "--", "sh", "-c",
           f"{program}; ls -R /usr/lib/python3")
    columns = ["-G", "-F", "comm,tid,time,event,ip,dso"]
    for perf, wick in ((["--dsos", str(program)], f'image == "{program}"'),
                       (["--dsos", str(program), "-S", "work"],
                        f'image == "{program}" and function in (work, twice, step)'),
                       (["--dsos", "[kernel.kallsyms]"], 'kind == kernel')):
        expect(recording, 100, *columns, *perf, instead=[*columns, "--filter", wick])
    expect(fixture("own/own-fp.perf.data"), 100, "-G")


@tap.case("samples of some time")
def _(t):
    for name in ("own-fp", "own-switch", "own-dwarf"):
        for words in TIMES:
            expect(fixture(f"own/{name}.perf.data"), 100, "-F", "comm,tid,time,event", "--time",
                   words)
    expect(fixture("own/own-fp.perf.data"), 100, "--time", "20%-60%", "--show-task-events",
           "--show-mmap-events")


@tap.case("events of pipes, which have no names")
def _(t):
    for name in ("header_features-4.16", "header_features_aligned-6.12", "hw_and_sw-3.4",
                 "lost_samples-4.4", "no_attr_ids-4.14", "target.throttled-3.4"):
        expect(fixture(f"perf_data_converter/perf.data.piped.{name}"), 100, "-F",
               "comm,tid,pid,time,period,event,ip")


@tap.case("tracepoints of this kernel")
def _(t):
    tap.need("perf")
    recording = t.folder / "trace.data"
    record(recording, "-e", "sched:*,syscalls:*,irq:*,signal:*,task:*", "--", "sh", "-c",
           "ls /usr/lib | wc -l")
    expect(recording, 99)


tap.run_all()
