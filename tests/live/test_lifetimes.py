#!/usr/bin/env python3
"""Processes that come and go, recorders that are stopped and killed: is anything lost?"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


def start(t, *words):
    return subprocess.Popen([tap.WICK, "record", "-q", "-o", "wick.data", *map(str, words)],
                            cwd=t.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def wait_for(test, what, seconds=20):
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise tap.Failure(f"waited {seconds} s for {what}")
        time.sleep(0.05)


def spent(pid):
    """Seconds of CPU time that a process has had so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def work(t, pid, seconds):
    """Waits until a process that is being recorded has had so much CPU time, which takes longer on
    a busy machine, and returns how much it was."""
    path = t.folder / "wick.data"
    wait_for(lambda: path.exists() and path.stat().st_size > 10000, "the file to grow")
    before = spent(pid)
    wait_for(lambda: spent(pid) - before >= seconds, f"{seconds} s of CPU time", 60)
    return spent(pid) - before


def samples(t, name="wick.data"):
    return sum(int(row["samples"]) for row in t.csv("show", name, "processes"))


@tap.case("a thousand short children are a thousand processes with names")
def _(t):
    recording = t.record("--", tap.program("live", "forks"), "1000", seconds=300)
    rows = t.csv("show", recording, "processes")
    children = [row for row in rows if row["name"] == "forks"]
    t.equal(len(children), 1001, "processes called forks")
    worked = t.csv("show", recording, "functions")
    t.true(any(row["function"] == "work_of_child" for row in worked), "expected work_of_child")


@tap.case("a program that forks and execs in a loop loses no process, no name and no end")
def _(t):
    recording = t.record("--", tap.program("live", "fork_exec"), "300", seconds=300)
    rows = t.csv("show", recording, "processes")
    t.equal(len(rows), 301, "processes")
    # Kernels differ in what they call a program that was started as /proc/self/exe.
    names = {row["name"] for row in rows}
    t.true(names <= {"fork_exec", "exe"}, f"expected fork_exec or exe, came {names}")
    t.equal(len([row for row in rows if row["end_ns"]]), 301, "processes with an end")


@tap.case("times count from the start of the command, also if it waits first")
def _(t):
    burn = tap.program("live", "burn_30_70")
    recording = t.record("--", "sh", "-c", f"sleep 0.3; exec {burn} 300", seconds=60)
    # It may be sampled in its last moments as a copy of the recorder: then its own start is unknown.
    first, begins = {}, {}
    for line in t.wick("dump", recording).stdout.splitlines():
        found = re.match(r"(sample|process) time=(\d+) pid=(\d+) ", line)
        if found:
            first.setdefault(found[1], int(found[2]))
        if found and found[1] == "process":
            begins.setdefault(found[3], int(found[2]))
    counted = {begins[row["pid"]] - int(row["start_ns"])
               for row in t.csv("show", recording, "processes") if row["start_ns"]}
    t.equal(counted, {min(first.values())}, "what times count from")

    def of_burn(*words):
        return sum(int(row["self_samples"]) for row in t.csv("show", recording, "functions", *words)
                   if row["image"] == "burn_30_70")

    t.true(of_burn() > 0, "expected samples of burn_30_70")
    t.equal(of_burn("--time", "290ms-"), of_burn(), "its samples after 290 ms")


@tap.case("a program that is deleted while it runs keeps its names")
def _(t):
    program = t.folder / "burn"
    program.write_bytes(pathlib.Path(tap.program("live", "burn_30_70")).read_bytes())
    program.chmod(0o755)
    # Late enough that the recorder has opened the file by its path.
    recording = t.record("--", "sh", "-c", f"{program} 2000 & sleep 1; rm {program}; wait")
    rows = t.percents(recording)
    t.true(rows.get("burn_seventy", 0) > 50, f"expected burn_seventy, came {rows}")


@tap.case("a program that only another mount namespace shows is named and unwound")
def _(t):
    tap.need("unshare", "mount")
    probe = subprocess.run(["unshare", "-m", "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        raise tap.Skip(f"no mount namespace can be made here: {probe.stderr.strip()}")
    place = t.folder / "place"
    place.mkdir()
    copy = f"mount -t tmpfs none {place} && cp {tap.program('live', 'burn_30_70')} {place}/burn"
    recording = t.record("--", "unshare", "-m", "sh", "-c", f"{copy} && {place}/burn 1500")
    t.true(not (place / "burn").exists(), "expected the program to be out of sight here")
    rows = t.percents(recording, "--process", "^burn$")
    t.true(rows.get("burn_seventy", 0) > 50, f"expected burn_seventy, came {rows}")
    t.true(rows.get("_start", 0) > 90, f"expected stacks down to _start, came {rows}")


@tap.case("-p sees threads that are born later")
def _(t):
    target = subprocess.Popen([tap.program("live", "threads"), "3", "1500", "1000"],
                              stdout=subprocess.DEVNULL)
    try:
        done = t.wick("record", "-o", "wick.data", "-p", target.pid, "--duration", "4", check=False)
    finally:
        target.kill()
        target.wait()
    t.equal(done.returncode, 0, f"exit code ({done.stderr})")
    names = {row["thread"] for row in t.csv("show", "wick.data", "threads") if int(row["samples"])}
    t.true({"worker-1", "worker-2"} <= names, f"expected the later workers, came {names}")


@tap.case("-p with a process named twice counts it once")
def _(t):
    target = subprocess.Popen([tap.program("live", "burn_30_70"), "60000"])
    try:
        t.wick("record", "-q", "-p", f"{target.pid},{target.pid}", "--duration", "1")
    finally:
        target.kill()
        target.wait()
    t.within(samples(t), 1, 1400, "samples of 1 s of one thread at 997 a second")


@tap.case("a recording without samples says so, whatever is asked of it")
def _(t):
    target = subprocess.Popen(["sleep", "60"])
    try:
        t.wick("record", "-p", target.pid, "--duration", "0.2", check=False)
    finally:
        target.kill()
        target.wait()
    if samples(t):
        raise tap.Skip("the sleeping process ran")
    for words in ("show", "lines"), ("show", "callers", "main"), ("annotate", "main"):
        done = t.wick(*words, check=False)
        t.equal(done.stderr, "wick: no samples were recorded\n", f"{words}")


@tap.case("-p ends when the process does")
def _(t):
    target = subprocess.Popen([tap.program("live", "burn_30_70"), "1000"])
    recorder = start(t, "-p", target.pid)
    target.wait()
    try:
        recorder.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        recorder.kill()
        recorder.communicate()
        raise tap.Failure("the recorder still ran 20 s after the process ended") from None
    t.equal(recorder.returncode, 0, "exit code")
    t.true(samples(t) > 0, "expected samples")


@tap.case("Ctrl-C ends a recording of a process, and the file is whole")
def _(t):
    target = subprocess.Popen([tap.program("live", "burn_30_70"), "60000"])
    try:
        recorder = start(t, "-p", target.pid)
        worked = work(t, target.pid, 0.5)
        recorder.send_signal(signal.SIGINT)
        _, said = recorder.communicate(timeout=20)
        t.true(target.poll() is None, "the process must go on when its recorder is stopped")
        whole = spent(target.pid)
    finally:
        target.kill()
        target.wait()
    t.equal(recorder.returncode, 0, f"exit code ({said})")
    t.within(samples(t), 800 * worked, 1200 * whole, "samples at 997 a second")


@tap.case("Ctrl-C reaches the recorded command, and its end is its own")
def _(t):
    script = "trap 'echo caught; exit 9' INT; echo $$ > ready; while :; do :; done"
    recorder = subprocess.Popen([tap.WICK, "record", "-q", "-o", "wick.data", "--", "sh", "-c", script],
                                cwd=t.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)
    ready = t.folder / "ready"
    try:
        wait_for(lambda: ready.exists() and ready.read_text(), "the command to be ready")
        work(t, int(ready.read_text()), 0.2)
        os.killpg(recorder.pid, signal.SIGINT)
        out, said = recorder.communicate(timeout=20)
    finally:
        if recorder.poll() is None:  # the command would go on for ever
            os.killpg(recorder.pid, signal.SIGKILL)
    t.equal(out, "caught\n", f"what the command printed ({said})")
    t.equal(recorder.returncode, 9, "exit code")
    t.true(samples(t) > 0, "expected samples")


@tap.case("kill -9 of the recorder leaves a file that opens, at most a second short")
def _(t):
    target = subprocess.Popen([tap.program("live", "burn_30_70"), "60000"])
    try:
        recorder = start(t, "-p", target.pid)
        worked = work(t, target.pid, 3)
        recorder.kill()
        recorder.communicate()
        t.true(target.poll() is None, "the process must go on when its recorder is killed")
    finally:
        target.kill()
        target.wait()
    rows = t.csv("show", "wick.data", "functions")
    names = {row["function"] for row in rows}
    t.true("burn_seventy" in names, f"expected named functions, came {sorted(names)[:8]}")
    seconds = sum(int(row["weight_ns"]) for row in t.csv("show", "wick.data", "processes")) / 1e9
    t.true(seconds > worked - 1.2, f"expected most of {worked} s, came {seconds} s")
    t.wick("flame", "-q", "wick.data")


@tap.case("the file can be opened while it is being written")
def _(t):
    recorder = start(t, "--", tap.program("live", "burn_30_70"), "4000")
    try:
        path = t.folder / "wick.data"
        wait_for(lambda: path.exists() and path.stat().st_size > 10000, "the file to grow")
        t.true(recorder.poll() is None, "the recording ended too early to be a test")
        t.wick("show", "wick.data")
    finally:
        recorder.communicate(timeout=60)
    t.equal(recorder.returncode, 0, "exit code")


@tap.case("the whole system: -a sees a process that it did not start")
def _(t):
    target = subprocess.Popen([tap.program("live", "burn_30_70"), "60000"])
    try:
        recorder = start(t, "-a")
        wait_for(lambda: recorder.poll() is not None or (t.folder / "wick.data").exists(), "a file")
        worked = work(t, target.pid, 0.5) if recorder.poll() is None else 0
        recorder.send_signal(signal.SIGINT)
        _, said = recorder.communicate(timeout=20)
        whole = spent(target.pid)
    finally:
        target.kill()
        target.wait()
    if recorder.returncode and "perf_event_paranoid" in said:
        raise tap.Skip(said.strip())
    t.equal(recorder.returncode, 0, f"exit code ({said})")
    rows = {row["pid"]: row for row in t.csv("show", "wick.data", "processes")}
    t.true(str(target.pid) in rows, "expected the other process")
    # The clock of a processor misses ticks where the machine shares that with others.
    t.true(worked > 0, "expected the other process to run")
    t.within(int(rows[str(target.pid)]["samples"]), 1, 1200 * whole, "samples at 997 a second")


@tap.case("--duration ends the recording and not the command")
def _(t):
    begun = time.monotonic()
    done = t.wick("record", "-q", "--duration", "0.5", "--", "sh", "-c", "sleep 2; echo end; exit 6",
                  check=False)
    t.within(time.monotonic() - begun, 1.9, 10, "seconds until wick ended")
    t.equal((done.stdout, done.returncode), ("end\n", 6), "what the command did")


@tap.case("an ordinary user under paranoid 2 records user code, and is told")
def _(t):
    if os.getuid() != 0:
        raise tap.Skip("needs root, to become an ordinary user")
    with open("/proc/sys/kernel/perf_event_paranoid") as setting:
        paranoid = int(setting.read())
    if paranoid != 2:
        raise tap.Skip(f"perf_event_paranoid is {paranoid}, the case is about 2")
    tap.need("setpriv")
    for name in ("wick", "burn_30_70"):
        source = tap.WICK if name == "wick" else tap.program("live", "burn_30_70")
        (t.folder / name).write_bytes(pathlib.Path(source).read_bytes())
        (t.folder / name).chmod(0o755)
    t.folder.chmod(0o777)
    done = tap.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                   "--inh-caps=-all", "--bounding-set=-all", t.folder / "wick", "record", "-o",
                   "wick.data", "--", t.folder / "burn_30_70", "500", cwd=t.folder)
    t.true("perf_event_paranoid" in done.stderr, f"expected the setting's name in: {done.stderr}")
    names = {row["function"] for row in t.csv("show", "wick.data", "functions")}
    t.true("burn_seventy" in names, f"expected user code, came {sorted(names)[:8]}")


tap.run_all()
