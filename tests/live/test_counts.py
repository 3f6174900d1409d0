#!/usr/bin/env python3
"""Does a recording count what happened: lost samples, short processes, threads, and nothing at all?

Nothing here depends on how fast the machine is: events are counted by the kernel, CPU time by
wait4."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

PAGES = 20000
FEW = 2000  # page faults of a program's start and end


def counts(t):
    shown = t.wick("show", "wick.data", "--json", check=False).stdout  # there may be no samples
    quality = json.loads(shown)["quality"]
    return quality["samples_total"], quality["lost_samples"]


def faults(t, *options):
    return t.wick("record", "-e", "page-faults:u", "-c", "1", *options, "--",
                  tap.program("live", "pages"), str(PAGES))


@tap.case("each page fault is a sample or a lost sample, whatever the buffer holds")
def _(t):
    for options in (), ("--buffer", "64K", "--stack-size", "8K"):
        done = faults(t, *options)
        samples, lost = counts(t)
        t.within(samples + lost, PAGES, PAGES + FEW, f"samples and lost samples with {options}")
        t.equal("lost because they came faster" in done.stderr, lost > 0, "losses are reported")


@tap.case("samples that do not fit into the buffer are lost samples, and the advice is --buffer")
def _(t):
    done = faults(t, "--buffer", "64K", "--stack-size", "64K")
    samples, lost = counts(t)
    t.within(samples + lost, PAGES, PAGES + FEW, "samples and lost samples")
    t.true(lost > PAGES / 2, f"expected most samples to be lost, came {lost}")
    t.true(re.search(r"[\d,]+ samples( and .*)? were lost .*larger --buffer", done.stderr),
           f"came {done.stderr}")


def sampled_seconds(t):
    weights = re.findall(r"^sample .*? weight=(\d+)", t.wick("dump", "wick.data").stdout, re.M)
    return sum(int(weight) for weight in weights) / 1e9


@tap.case("processes shorter than the interval between samples are sampled if rights allow")
def _(t):
    if "from their first moment" not in t.wick("doctor", check=False).stdout:
        raise tap.Skip("no right to filter the samples of whole CPUs")
    for command in (["sh", "-c", "i=0; while [ $i -lt 3000 ]; do (:); i=$((i + 1)); done"],
                    ["sh", "-c", "for i in 1 2 3 4; do " + " | ".join([":"] * 500) + "; done"]):
        # The recorder is a child as well: its own time must not count.
        script = "import os, sys, subprocess, resource\n" \
                 "subprocess.run(sys.argv[2:])\n" \
                 "own, all = (resource.getrusage(w) for w in (0, resource.RUSAGE_CHILDREN))\n" \
                 "open(sys.argv[1], 'w').write(str(own.ru_utime + own.ru_stime +\n" \
                 "                                 all.ru_utime + all.ru_stime))\n"
        t.wick("record", "-e", "cpu-clock", "--", sys.executable, "-c", script, "used", *command)
        used = float((t.folder / "used").read_text())
        t.true(sampled_seconds(t) >= 0.9 * used,
               f"expected 90 % of {used} s in samples, came {sampled_seconds(t)} s")


@tap.case("what others run is in neither the samples nor the lost ones")
def _(t):
    others = [subprocess.Popen([tap.program("live", "forks"), "1000000"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
              for _ in range(3)]
    try:
        script = "import sys, time\nwhile time.process_time() < 1: pass\n" \
                 "open(sys.argv[1], 'w').write(str(time.process_time()))\n"
        t.wick("record", "-e", "cpu-clock", "-F", "10000", "--buffer", "64K", "--stack-size",
               "16K", "--", sys.executable, "-c", script, "used")
    finally:
        for other in others:
            other.kill()
            other.wait()
    used = float((t.folder / "used").read_text())
    samples, lost = counts(t)
    t.true(samples + lost < 12000 * used + 1000,
           f"expected 10,000 samples for a second, came {samples} and {lost} lost in {used} s")


@tap.case("CPU time that is in no sample is reported")
def _(t):
    if os.geteuid() == 0:
        done = tap.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tap.WICK,
                       "record", "-F", "10", "-o", "-", "--", tap.program("live", "forks"), "300",
                       cwd="/", check=False)
    else:
        done = t.wick("record", "-F", "10", "--", tap.program("live", "forks"), "300")
    if "samples" not in done.stderr:
        raise tap.Skip(f"an ordinary user cannot record here: {done.stderr}")
    t.true(re.search("used .* of CPU time in processes|of CPU time are in no sample", done.stderr),
           f"came {done.stderr}")


@tap.case("the number of any thread records its process")
def _(t):
    program = subprocess.Popen([tap.program("live", "threads"), "2", "3000"],
                               stdout=subprocess.DEVNULL)
    try:
        tasks = pathlib.Path(f"/proc/{program.pid}/task")
        while len(list(tasks.iterdir())) < 3:
            time.sleep(0.01)
        other = max(int(task.name) for task in tasks.iterdir())
        t.wick("record", "-p", str(other), "--duration", "0.5")
    finally:
        program.kill()
        program.wait()
    rows = t.csv("show", "wick.data", "processes")
    t.equal([int(row["pid"]) for row in rows], [program.pid], "processes")
    functions = [row["function"] for row in t.csv("show", "wick.data", "functions")]
    t.true("work" in functions, f"expected the threads' function, came {functions}")


@tap.case("a recorder that is killed at once leaves a recording")
def _(t):
    recorder = subprocess.Popen([tap.WICK, "record", "-q", "--", "sh", "-c", "echo; exec sleep 60"],
                                cwd=t.folder, stdout=subprocess.PIPE)
    recorder.stdout.read(1)
    command = next(int(line.split()[0]) for line in tap.run(
        "ps", "-o", "pid=", "--ppid", str(recorder.pid)).stdout.splitlines())
    os.kill(recorder.pid, signal.SIGKILL)
    recorder.wait()
    os.kill(command, signal.SIGKILL)
    t.true("recorder was killed" in t.wick("show", "wick.data", "system").stdout +
           t.wick("show", "wick.data", "processes", check=False).stderr, "expected a recording")


@tap.case("a period of an event counts as many of them")
def _(t):
    tap.need("taskset")
    # Each CPU counts up to the period by itself.
    t.wick("record", "-e", "page-faults:u", "-c", "1000", "--", "taskset", "-c",
           min(os.sched_getaffinity(0)), tap.program("live", "pages"), PAGES)
    t.within(counts(t)[0], PAGES // 1000, (PAGES + FEW) // 1000, "samples")
    weights = re.findall(r"^sample .*? weight=(\d+)", t.wick("dump", "wick.data").stdout, re.M)
    t.equal(set(weights), {"1000"}, "weights")


@tap.case("without samples of an event, the reason is the event and not CPU time")
def _(t):
    done = t.wick("record", "-e", "context-switches:u", "--", "sleep", "0.1")
    t.true("the command had no such event" in done.stderr, f"came {done.stderr}")
    t.true("CPU time" not in done.stderr, f"came {done.stderr}")
    done = t.wick("record", "-e", "page-faults:u", "-c", "1000000", "--", "true")
    t.true("fewer than the 1000000 events" in done.stderr, f"came {done.stderr}")


@tap.case("a command that crashes: its signal is told, and the exit code is the shell's")
def _(t):
    done = t.wick("record", "--", "sh", "-c", "kill -SEGV $$", check=False)
    t.equal(done.returncode, 128 + signal.SIGSEGV, "exit code")
    t.true("the command was ended by signal 11" in done.stderr, f"came {done.stderr}")


tap.run_all()
