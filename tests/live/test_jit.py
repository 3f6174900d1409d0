#!/usr/bin/env python3
"""Code made at run time: does every sample get the name that was true at its moment?"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

# By CPU time or by work, not by the clock: on a busy machine a second of the clock may hold less
# of the loop than of the start.
JS = """
function hotFibonacci(n) { return n < 2 ? n : hotFibonacci(n - 1) + hotFibonacci(n - 2); }
function callerOfHot(end) { while (process.cpuUsage().user < end) hotFibonacci(20); }
callerOfHot(process.cpuUsage().user + 3000000); // a busy machine starts Node in 0.4 s
"""

JAVA = """
public class Hot {
    static double sum;
    static double burnHot(int n) {
        double x = 0;
        for (int i = 1; i < n; i++) x += Math.sqrt(i) / (i + x);
        return x;
    }
    public static void main(String[] words) {
        for (int i = 0; i < 20000; i++) sum += burnHot(10000);
        System.out.println(sum);
    }
}
"""

PYTHON = """
import time
def inner_work(n):
    s = 0
    for i in range(n): s += i * i
    return s
def outer_work(end):
    while time.process_time() < end: inner_work(20000)
outer_work(time.process_time() + 1)
"""


def shares(t, *words):
    return t.percents(*words, column="self_percent")


def remove_maps(t):
    """What the programs that were recorded left behind; other maps there may be wanted yet."""
    for recording in t.folder.glob("*.data*"):
        for row in t.csv("show", recording, "processes"):
            for path in f"/tmp/perf-{row['pid']}.map", f"/tmp/jit-{row['pid']}.dump":
                pathlib.Path(path).unlink(missing_ok=True)


def check_thirty_seventy(t, *words):
    came = shares(t, *words)
    thirty, seventy = came.get("jit_thirty(int, char const*)", 0), came.get("jit_seventy", 0)
    t.true(thirty + seventy > 60, f"expected most of the time in both, came {came}")
    # Of both: a machine that is busy spends more of the rest in the kernel.
    t.within(100 * seventy / (thirty + seventy), 64, 76, "share of jit_seventy")


def check_dump(t, *words):
    came = shares(t, *words)
    t.within(came.get("jit_first", 0), 15, 25, "share of jit_first")
    t.within(came.get("jit_second", 0), 34, 46, "share of jit_second, before and after its move")
    t.within(came.get("jit_third", 0), 34, 46, "share of jit_third")


@tap.case("a perf map names what was made at run time, and the recording keeps the names")
def _(t):
    recording = t.record("--", tap.program("live", "jit"), "map", 600)
    remove_maps(t)
    check_thirty_seventy(t, recording)


@tap.case("lines of a perf map that make no sense are counted, and wick symbols tells of them")
def _(t):
    spoil = f"{tap.program('live', 'jit')} map 900 & sleep 0.4; echo no code here >>/tmp/perf-$!.map; wait"
    recording = t.record("--", "sh", "-c", spoil)
    remove_maps(t)
    check_thirty_seventy(t, recording)
    told = t.wick("symbols", recording)
    t.true('.map: 1 line cannot be parsed and was skipped (the first: "no code here")'
           in told.stdout + told.stderr, f"came {told.stdout}{told.stderr}")


@tap.case("a jitdump names an address by the moment, through reuse and move, without the dump")
def _(t):
    (t.folder / "dumps").mkdir()
    recording = t.record("--", tap.program("live", "jit"), "dump", 1000, "dumps")
    shutil.rmtree(t.folder / "dumps")
    check_dump(t, recording)


@tap.case("a recording keeps the lines that a jitdump has of its code")
def _(t):
    (t.folder / "dumps").mkdir()
    recording = t.record("--", tap.program("live", "jit"), "dump", 400, "dumps")
    shutil.rmtree(t.folder / "dumps")
    told = tap.run(tap.WICK, "dump", recording, cwd=t.folder).stdout
    for name, line in ("jit_first", 101), ("jit_second", 102), ("jit_third", 103):
        t.true(re.search(f'symbol .*name="{name}" file="made.jit" line\\+0x0={line}\n', told),
               f"{name} is of line {line}")
    tap.run(tap.WICK, "export", recording, "--to", "firefox", "-o", "page.json", cwd=t.folder)
    frames = json.loads((t.folder / "page.json").read_text())["threads"][0]["frameTable"]
    t.true({101, 102, 103} <= set(frames["line"]), "the lines are in the export")


@tap.case("a child runs on with the code and the names of its parent")
def _(t):
    recording = t.record("--", tap.program("live", "jit"), "fork", 600)
    remove_maps(t)
    check_thirty_seventy(t, recording)


@tap.case("names are found in another mount and pid namespace")
def _(t):
    tap.need("unshare")
    if tap.run("unshare", "-m", "-p", "-f", "mount", "-t", "tmpfs", "none", "/mnt",
               check=False).returncode:
        raise tap.Skip("no right to make namespaces")
    shutil.copy(tap.program("live", "jit"), "/dev/shm/wick-test-jit")
    words = "mount -t tmpfs none /tmp && exec /dev/shm/wick-test-jit map 600"
    recording = t.record("--", "unshare", "-m", "-p", "-f", "sh", "-c", words)
    os.remove("/dev/shm/wick-test-jit")
    check_thirty_seventy(t, recording)


@tap.case("recordings of perf find maps and dumps where they are, whatever its clock")
def _(t):
    tap.need("perf")
    for clock in [[], ["-k", "mono"]]:
        for mode, check in [("map", check_thirty_seventy), ("dump", check_dump)]:
            more = ["."] if mode == "dump" else []
            tap.run("perf", "record", "-q", "-g", *clock, "-o", "perf.data",
                    tap.program("live", "jit"), mode, 600, *more, cwd=t.folder)
            check(t, "perf.data")
    remove_maps(t)


def check_bare(t, *words):
    """Whole stacks, and each half with the caller that lay there by then."""
    came = t.percents(*words)
    t.within(came.get("bare_inner", 0), 95, 100, "stacks in bare_inner")
    t.within(came.get("bare_outer", 0), 45, 55, "stacks through bare_outer")
    t.within(came.get("bare_wider", 0), 45, 55, "stacks through bare_wider, which came in its place")
    t.within(came.get("run_bare", 0), 99, 100, "stacks that reach the code that called")
    t.within(came.get("main", 0), 99, 100, "stacks that reach main")


def need_bare(t):
    if os.uname().machine != "x86_64":
        raise tap.Skip("the program makes such code for x86-64 alone")


@tap.case("code without frame pointers is unwound by the tables of its jitdump")
def _(t):
    need_bare(t)
    blind = t.record("--", tap.program("live", "jit"), "blind", 600, ".")
    came = t.percents(blind)
    t.true(came.get("main", 0) < 20, f"without tables {came.get('main')} % of stacks reach main")
    said = tap.run(tap.WICK, "fold", blind, cwd=t.folder).stderr
    t.true("of stacks end in JIT code" in said, f"the cause is printed: {said}")
    check_bare(t, t.record("--", tap.program("live", "jit"), "bare", 1000, "."))


@tap.case("stack copies of perf are unwound by the tables of a jitdump")
def _(t):
    tap.need("perf")
    need_bare(t)
    for clock in [[], ["-k", "mono"]]:
        tap.run("perf", "record", "-q", "--call-graph", "dwarf,8192", *clock, "-o", "perf.data",
                tap.program("live", "jit"), "bare", 1000, ".", cwd=t.folder)
        check_bare(t, "perf.data")


@tap.case("Node's functions have their names by perf map and by jitdump")
def _(t):
    tap.need("node")
    (t.folder / "hot.js").write_text(JS)
    for option in "--perf-basic-prof", "--perf-prof":
        recording = t.record("--", "node", option, "--interpreted-frames-native-stack", "hot.js")
        for path in t.folder.glob("jit-*.dump"):
            path.unlink()
        remove_maps(t)
        came = shares(t, recording)
        hot = sum(share for name, share in came.items() if "hotFibonacci" in name)
        t.true(hot > 70, f"{option}: hotFibonacci has {hot} %")
        callers = t.percents(recording)
        caller = sum(share for name, share in callers.items() if "callerOfHot" in name)
        t.true(caller > 60, f"{option}: callerOfHot has {caller} % in total")
        # From V8's own code, which has no tables, back to C++.
        started = sum(share for name, share in callers.items() if name.startswith("node::Start("))
        t.true(started > 80, f"{option}: {started} % of stacks reach node::Start")


@tap.case("where Node tells no names, the words that make it are told")
def _(t):
    tap.need("node")
    (t.folder / "hot.js").write_text(JS)
    recording = t.record("--", "node", "hot.js")
    said = tap.run(tap.WICK, "fold", recording, cwd=t.folder).stderr
    t.true("`node --perf-basic-prof" in said, said)
    page = tap.run(tap.WICK, "symbols", recording, cwd=t.folder).stdout
    t.true("node --perf-basic-prof" in page, page)


@tap.case("wick pack puts the names of code made at run time into a recording of perf")
def _(t):
    tap.need("perf")
    (t.folder / "dumps").mkdir()
    tap.run("perf", "record", "-q", "-g", "-k", "mono", "-o", "perf.data",
            tap.program("live", "jit"), "dump", 600, "dumps", cwd=t.folder)
    tap.run(tap.WICK, "pack", "perf.data", "-o", "packed.data", cwd=t.folder)
    shutil.rmtree(t.folder / "dumps")
    check_dump(t, "packed.data")


@tap.case("Java's methods have their names where it dumps a map at its end")
def _(t):
    tap.need("java", "javac")
    options = ["-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions",
               "-XX:+DumpPerfMapAtExit"]
    if tap.run("java", *options, "-version", check=False).returncode:
        raise tap.Skip("this java knows no DumpPerfMapAtExit (17 does)")
    (t.folder / "Hot.java").write_text(JAVA)
    tap.run("javac", "Hot.java", cwd=t.folder)
    recording = t.record("--", "java", *options, "Hot")
    remove_maps(t)
    hot = sum(share for name, share in shares(t, recording).items() if "Hot.burnHot" in name)
    t.true(hot > 70, f"Hot.burnHot has {hot} %")


@tap.case("Python's functions have their names by its trampolines")
def _(t):
    python = tap.perf_python(12, "perf")
    (t.folder / "hot.py").write_text(PYTHON)
    recording = t.record("--", python, "-X", "perf", "hot.py")
    remove_maps(t)
    came = t.percents(recording)
    inner = sum(share for name, share in came.items() if name.startswith("py::inner_work:"))
    t.true(inner > 70, f"py::inner_work has {inner} % in total")
    if os.uname().machine == "x86_64":
        # Trampolines keep no frame pointer: their own code tells the way out.
        outer = sum(share for name, share in came.items() if name.startswith("py::outer_work:"))
        t.true(outer > 70, f"py::outer_work has {outer} % in total")
        t.true(came.get("Py_BytesMain", 0) > 70, "stacks reach Python's main function")


@tap.case("stack copies of Python are whole by the tables of its jitdump")
def _(t):
    tap.need("perf")
    python = tap.perf_python(13, "perf_jit")
    (t.folder / "hot.py").write_text(PYTHON)
    tap.run("perf", "record", "-q", "--call-graph", "dwarf,16384", "-k", "mono", "-F", 300,
            "-o", "perf.data", python, "-X", "perf_jit", "hot.py", cwd=t.folder)
    came = t.percents("perf.data")
    remove_maps(t)
    for function in "inner_work", "outer_work":
        share = sum(share for name, share in came.items() if name.startswith(f"py::{function}:"))
        t.true(share > 70, f"py::{function} has {share} % in total")
    t.true(came.get("Py_BytesMain", 0) > 90, "stacks reach Python's main function")


tap.run_all()
