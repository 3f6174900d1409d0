#!/usr/bin/env python3
"""Tracepoints: their fields in recordings, as perf and wick print them.

Each event of a tracepoint is a sample, so that programs which do one thing N times have N of them,
and the lines of both tools can be compared."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

TRACEFS = pathlib.Path("/sys/kernel/tracing")
CHILDREN = 20


def need_tracepoints(t, *events):
    """Recorded without samples, they say whether this user may record them."""
    words = [word for event in events for word in ("-e", event)]
    done = t.wick("record", "-o", "tried.data", *words, "--", "true", check=False)
    if done.returncode or re.search("not (recorded|sampled):", done.stderr):
        raise tap.Skip(f"tracepoints cannot be recorded here: {' '.join(done.stderr.split())}")


def record(t, *words):
    return t.record(*words, "--", tap.program("live", "fork_exec"), str(CHILDREN))


def perf_lines(t, *words, **options):
    """What `perf script` prints of tracepoints, a line each."""
    tap.need("perf")
    done = tap.run("perf", "script", "-f", "-G", *words, cwd=t.folder, **options)
    t.true("incompatible" not in done.stderr and "broken" not in done.stderr, done.stderr)
    return [line.split(": ", 2)[2] for line in done.stdout.splitlines() if ": sched:" in line
            or ": syscalls:" in line]


def wick_lines(t, name="wick.data"):
    return re.findall(r' trace="(.*)"$', t.wick("dump", name).stdout, re.M)


@tap.case("the fields of a tracepoint are in the recording, and perf script prints them")
def _(t):
    need_tracepoints(t, "sched:sched_process_exit")
    record(t, "-e", "sched:sched_process_exit")
    ours = wick_lines(t)
    t.equal(len(ours), CHILDREN + 1, "ends of processes")
    for line in ours:
        t.true(re.match(r"comm=fork_exec pid=\d+ prio=\d+", line), f"came {line!r}")
    t.equal(perf_lines(t, "-i", "wick.data"), ours, "what perf prints")
    exported = t.wick("export", "--to", "perf-script", "wick.data").stdout
    t.equal(re.findall(r"sched:sched_process_exit: (.*)$", exported, re.M), ours, "text of export")


@tap.case("a recording in a pipe has them as well")
def _(t):
    need_tracepoints(t, "sched:sched_process_exit")
    tap.need("perf")
    script = '"$0" record -q -o - -e sched:sched_process_exit -- "$1" "$2" | cat > piped.data'
    tap.run("sh", "-c", script, tap.WICK, tap.program("live", "fork_exec"), CHILDREN,
            cwd=t.folder)
    ours = wick_lines(t, "piped.data")
    t.equal(len(ours), CHILDREN + 1, "ends of processes")
    with open(t.folder / "piped.data") as piped:
        t.equal(perf_lines(t, "-i", "-", stdin=subprocess_cat(piped)), ours, "what perf prints")


def subprocess_cat(file):
    """perf takes a file for a recording of the other layout."""
    return subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE).stdout


@tap.case("events with and without fields are in one recording, with whole stacks")
def _(t):
    need_tracepoints(t, "sched:sched_process_fork", "sched:sched_process_exit")
    record(t, "-e", "sched:sched_process_fork,page-faults:u,sched:sched_process_exit", "-c", "1",
           "--stack-size", "8K")
    ours = wick_lines(t)
    t.equal(len(ours), 2 * CHILDREN + 1, "forks and ends of processes")
    t.equal(sorted(perf_lines(t, "-i", "wick.data")), sorted(ours), "what perf prints")
    t.equal(t.json("show", "wick.data")["quality"]["lost_samples"], 0, "lost samples")
    for event in "page-faults:u", "sched:sched_process_fork":
        quality = t.json("show", "wick.data", "--by", event)["quality"]
        share = quality["user_stacks_reaching_root"] / quality["user_stacks"]
        t.true(share > 0.95, f"{event}: {share} of stacks reach a root")


@tap.case("perf reads a recording whose recorder was killed")
def _(t):
    need_tracepoints(t, "sched:sched_process_exit")
    tap.need("perf")
    recorder = subprocess.Popen([tap.WICK, "record", "-q", "-e", "sched:sched_process_exit", "--",
                                 "sh", "-c", "(:); (:); sleep 1; echo; exec sleep 60"],
                                cwd=t.folder, stdout=subprocess.PIPE)
    recorder.stdout.read(1)
    command = next(int(line.split()[0]) for line in tap.run(
        "ps", "-o", "pid=", "--ppid", str(recorder.pid)).stdout.splitlines())
    recorder.kill()
    recorder.wait()
    os.kill(command, 9)
    done = tap.run("perf", "script", "-G", "-i", "wick.data", "-F", "comm,event", cwd=t.folder)
    t.true("sched:sched_process_exit" in done.stdout, f"came {done.stdout}{done.stderr}")
    t.true("sched:sched_process_exit" in t.wick("dump", "wick.data").stdout, "expected the event")


@tap.case("wick pack keeps the fields, of its own recordings and of perf's")
def _(t):
    need_tracepoints(t, "sched:sched_process_exit")
    tap.need("perf")
    record(t, "-e", "sched:sched_process_exit")
    tap.run("perf", "record", "-q", "-o", "perf.data", "-e", "sched:sched_process_exit", "--",
            tap.program("live", "fork_exec"), CHILDREN, cwd=t.folder)
    for name in "wick.data", "perf.data":
        t.wick("pack", name, "-o", "packed.data")
        before = wick_lines(t, name)
        t.equal(len(before), CHILDREN + 1, f"ends of processes in {name}")
        t.equal(wick_lines(t, "packed.data"), before, f"fields of {name}, packed")
        t.equal(perf_lines(t, "-i", "packed.data"), before, "what perf prints")


def private_tracefs(t, *events):
    """A copy of the descriptions that everybody may read."""
    for event in events:
        for name in "id", "format":
            place = t.folder / "tracing/events" / event.replace(":", "/") / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(TRACEFS / "events" / event.replace(":", "/") / name, place)
    for name in "header_page", "header_event":
        shutil.copyfile(TRACEFS / "events" / name, t.folder / "tracing/events" / name)
    t.folder.chmod(0o755)


@tap.case("who may not have the fields still records the events")
def _(t):
    if os.geteuid() != 0:
        raise tap.Skip("only root may become another user")
    need_tracepoints(t, "syscalls:sys_enter_openat", "sched:sched_switch")
    paranoid = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    if not 0 <= paranoid <= 2:
        raise tap.Skip(f"ordinary users have other rights at perf_event_paranoid {paranoid}")
    private_tracefs(t, "syscalls:sys_enter_openat", "sched:sched_switch")
    (t.folder / "out").mkdir()
    (t.folder / "out").chmod(0o777)
    shutil.copy(tap.WICK, t.folder / "wick")
    script = 'mount --bind tracing /sys/kernel/tracing && cd out && ' \
             'exec setpriv --reuid=65534 --regid=65534 --clear-groups ../wick record ' \
             '-e syscalls:sys_enter_openat:u,sched:sched_switch:u -- sh -c "cat /dev/null"'
    done = tap.run("unshare", "-m", "sh", "-c", script, cwd=t.folder, check=False)
    if "mount" in done.stderr or "unshare" in done.stderr:
        raise tap.Skip(f"no mount of its own: {done.stderr}")
    t.equal(done.returncode, 0, f"exit code: {done.stderr}")
    t.true("the fields of sched:sched_switch:u are not recorded" in done.stderr,
           f"came {done.stderr}")
    t.true("fields of syscalls" not in done.stderr, f"came {done.stderr}")
    ours = wick_lines(t, "out/wick.data")
    t.true(len(ours) > 2 and all("filename:" in line for line in ours), f"came {ours}")
    t.equal(perf_lines(t, "-i", "out/wick.data"), ours, "what perf prints")


tap.run_all()
