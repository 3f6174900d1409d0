#!/usr/bin/env python3
"""Each event that the kernel counts is a sample or a lost sample: for many kinds of events, in
recordings of wick and of perf, as wick and perf read them, with enough buffer and with too little.

The program counts its own events with a counter of the kernel, as `perf stat` does, while it is
recorded. Only what happens while the counter runs is compared, to the record.

    WICK_ALL_EVENTS=1 tests/live/test_every_event.py      more events, in two minutes"""
import functools
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

TRACEFS = pathlib.Path("/sys/kernel/tracing/events")
SOFTWARE, TRACEPOINT = 1, 2

# Event, its number or None, what the program does, how often, and the fewest events of it. What one
# process alone does fast is also recorded with a small buffer.
EVENTS = [
    ("page-faults", 2, "faults", 20000, 20000),
    ("context-switches", 3, "turns", 2000, 2000),
    ("cpu-migrations", 4, "moves", 1000, 0),  # none on a machine with one CPU
    ("syscalls:sys_enter_openat", None, "opens", 20000, 20000),
    ("raw_syscalls:sys_enter", None, "calls", 20000, 20000),
    ("kmem:mm_page_alloc", None, "faults", 20000, 20000),
    ("sched:sched_switch", None, "turns", 2000, 2000),
    ("sched:sched_process_fork", None, "forks", 200, 200),
]
MORE_EVENTS = [
    ("minor-faults", 5, "faults", 20000, 20000),
    ("syscalls:sys_exit_openat", None, "opens", 20000, 20000),
    ("syscalls:sys_enter_getppid", None, "calls", 20000, 20000),
    ("raw_syscalls:sys_exit", None, "calls", 20000, 20000),
    ("exceptions:page_fault_user", None, "faults", 20000, 20000),
    ("kmem:mm_page_free", None, "faults", 20000, 1),
    ("kmem:kmem_cache_alloc", None, "opens", 20000, 1),
    ("kmem:kmem_cache_free", None, "opens", 20000, 1),
    ("kmem:kmalloc", None, "forks", 200, 0),
    ("kmem:rss_stat", None, "faults", 20000, 1),
    ("sched:sched_waking", None, "turns", 2000, 1),
    ("sched:sched_wakeup", None, "turns", 2000, 0),
    ("sched:sched_process_exit", None, "forks", 200, 200),
    ("task:task_newtask", None, "forks", 200, 200),
    ("timer:hrtimer_start", None, "turns", 2000, 0),
    ("rcu:rcu_utilization", None, "forks", 200, 0),
]
if os.environ.get("WICK_ALL_EVENTS"):
    EVENTS += MORE_EVENTS

WICK = ("record", "-q", "-o", "r.data", "-c", "1", "--call-graph", "none")
PERF = ("record", "-q", "-o", "r.data", "-c", "1", "-k", "CLOCK_MONOTONIC")
# perf counts all lost records of an event: those of mappings and of processes get one of their own.
SMALL = {"wick": ("--buffer", "64K"), "perf": ("-m", "16", "-e", "dummy:u")}


def number_of(event, number):
    if number is not None:
        return SOFTWARE, number
    try:
        return TRACEPOINT, int((TRACEFS / event.replace(":", "/") / "id").read_text())
    except OSError as cause:
        raise tap.Skip(f"{event}: {cause.strerror}") from None


def recorded(t, recorder, event, number, work, times, options):
    """Records, and returns the count, its moments, and the recording."""
    program = [tap.program("live", "counted"), "counts", *number_of(event, number), work, times]
    if recorder == "wick":
        t.wick(*WICK, *options, "-e", event, "--", *program)
    else:
        tap.run("perf", *PERF, *options, "-e", event, "--", *program, cwd=t.folder)
        need_counts_of_perf(t)
    count, *moments = map(int, (t.folder / "counts").read_text().split())
    return count, moments


class Reading:
    """What both tools read."""

    def __init__(self, t, moments):
        shown = t.wick("show", "r.data", "--json", check=False).stdout  # there may be no samples
        quality = json.loads(shown)["quality"]
        dump = t.wick("dump", "r.data").stdout
        samples = [(int(time), int(weight)) for time, weight in re.findall(
            r"^sample time=(\d+) .*? weight=(\d+)", dump, re.M)]
        self.lost, self.lost_records = quality["lost_samples"], quality["lost_records"]
        self.total = quality["samples_total"]
        t.equal(len(samples), self.total, "samples of dump and of show")
        self.surely = self.of(samples, moments[1], moments[2])
        self.perhaps = self.of(samples, moments[0], moments[3])
        self.outside = self.total - len(
            [time for time, _ in samples if moments[0] <= time <= moments[3]])

    @staticmethod
    def of(samples, begin, end):
        return sum(weight for time, weight in samples if begin <= time <= end)


def check_perf(t, recorder, reading):
    """perf reads the same."""
    if not shutil.which("perf"):
        return
    lines = tap.run("perf", "script", "-G", "--ns", "-F", "tid,time", "-i", "r.data",
                    cwd=t.folder).stdout.split("\n")[:-1]
    # perf record writes some samples twice.
    t.equal(len(set(lines) if recorder == "perf" else lines), reading.total,
            "samples that perf script prints")
    report = tap.run("perf", "report", "--stdio", "-g", "none", "-s", "comm", "-i", "r.data",
                     cwd=t.folder).stdout
    lost = re.search(r"Total Lost Samples: (\d+)", report)
    # perf reports what it wrote: of records of any kind.
    expected = reading.lost + (reading.lost_records if recorder == "perf" else 0)
    t.equal(int(lost.group(1)) if lost else 0, expected, "lost samples that perf reports")


def check(t, recorder, event, number, work, times, least):
    count, moments = recorded(t, recorder, event, number, work, times, ())
    reading = Reading(t, moments)
    t.true(count >= least, f"expected at least {least} events, came {count}")
    if reading.lost == 0:
        t.within(count, reading.surely, reading.perhaps, "count of the kernel against samples")
    check_perf(t, recorder, reading)
    print(f"# {event}, {recorder} record: counted {count}, sampled {reading.surely}, "
          f"lost {reading.lost}")
    if work not in ("opens", "calls", "faults"):
        return
    outside = reading.outside
    count, moments = recorded(t, recorder, event, number, work, times, SMALL[recorder])
    reading = Reading(t, moments)
    # A busy machine may also lose some of those that come before or after.
    missing = max(outside - reading.outside, 0)
    t.within(count, reading.surely + reading.lost - missing, reading.perhaps + reading.lost,
             "count of the kernel against samples and lost samples")
    check_perf(t, recorder, reading)
    print(f"# {event}, {recorder} record {' '.join(SMALL[recorder])}: counted {count}, sampled "
          f"{reading.surely}, lost {reading.lost}")


@functools.cache
def refusal(event):
    """Why the event cannot be recorded here; empty if it can."""
    done = tap.run(tap.WICK, "record", "-o", "-", "-e", event, "-c", "1", "--", "true",
                   check=False)
    is_less = re.search("not (recorded|sampled):", done.stderr)
    return " ".join(done.stderr.split()) if done.returncode or is_less else ""


def need_counts_of_perf(t):
    if "LOST" not in tap.run("perf", "evlist", "-v", "-i", "r.data", cwd=t.folder).stdout:
        raise tap.Skip("this perf does not store how many samples were lost (6.1 does)")


def need_event(event):
    if int(os.uname().release.split(".")[0]) < 6:
        raise tap.Skip("this kernel does not count lost samples by event (6.0 does)")
    if refusal(event):
        raise tap.Skip(f"{event} cannot be recorded here: {refusal(event)}")


for row in EVENTS:
    @tap.case(f"each event is a sample or a lost sample: {row[0]}")
    def _(t, row=row):
        need_event(row[0])
        check(t, "wick", *row)

    @tap.case(f"and in recordings of perf: {row[0]}")
    def _(t, row=row):
        tap.need("perf")
        need_event(row[0])
        check(t, "perf", *row)


@tap.case("of several events, each has its own losses")
def _(t):
    events = "syscalls:sys_enter_getppid", "syscalls:sys_exit_getppid"
    need_event(events[0])
    times = 20000  # and nobody else asks for its parent
    program = [tap.program("live", "counted"), "counts", SOFTWARE, 2, "calls", times]
    for recorder in ("wick", "perf") if shutil.which("perf") else ("wick",):
        if recorder == "wick":
            t.wick(*WICK, *SMALL["wick"], "-e", ",".join(events), "--", *program)
        else:
            tap.run("perf", *PERF, *SMALL["perf"], "-e", ",".join(events), "--", *program,
                    cwd=t.folder)
            need_counts_of_perf(t)
        for event in events:
            quality = t.json("show", "r.data", "--by", event)["quality"]
            samples, lost = quality["samples_total"], quality["lost_samples"]
            print(f"# {event}, {recorder} record: {samples} samples, {lost} lost")
            t.equal(samples + lost, times, f"samples and lost samples of {event}, {recorder}")


@tap.case("samples of a clock stand for the time that the kernel counts")
def _(t):
    if not os.environ.get("WICK_ALL_EVENTS"):
        raise tap.Skip("a machine that stops at times, as virtual ones do, skips some")
    period = 100000
    for event, number in ("task-clock", 1), ("cpu-clock", 0):
        program = [tap.program("live", "counted"), "counts", SOFTWARE, number, "spins", "200000"]
        t.wick("record", "-q", "-o", "r.data", "-e", event, "-c", period, "--", *program)
        count, *moments = map(int, (t.folder / "counts").read_text().split())
        reading = Reading(t, moments)
        print(f"# {event}: counted {count} ns, sampled {reading.surely} ns")
        t.within(reading.surely, 0.9 * count, 1.1 * count, f"nanoseconds of {event}")


tap.run_all()
