#!/usr/bin/env python3
"""What recording a heap costs, beside heaptrack if that is installed.

bench/programs/churn.c allocates and frees four million blocks about twenty calls deep: the CPU time
that an event adds (an allocation or a release), with frame pointers and without; the wall time with
two threads; bytes of the recording for an event; and memory that is added to the program. Then real
programs: CPU seconds of the command with all it started, the recorder included.

What sampling costs is less than the noise of such a run. So a recorded run and one without share a
processor, in turns of a few milliseconds: what slows the machine down slows both. The figure is the
median of the differences of pairs, and the range that contains it with a probability of 95 %.

    bench/heap.py [ROUNDS [PAIRS]]
    bench/heap.py sampled [SECONDS]     the cost of sampling alone"""
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time

from common import HERE, PYTHON, WICK, Cost, folder, median_range, need, run

ROUNDS = 5
PAIRS = 4000000
SAMPLED_SECONDS = 150
FEWEST_PAIRS = 6

SQL = """create table t(a integer primary key, b text, c text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 600000)
insert into t select i, hex(i * 7919), printf('%040d', i) from n;
create index u on t(b);
select count(*), sum(length(c)) from t where b like '%7%';
select b, count(*) from t group by substr(b, 1, 3) order by 2 desc limit 5;
"""


class Recorder:
    def __init__(self, name, work, arguments, suffix="", reader=None):
        self.name, self.arguments, self.reader = name, arguments, reader
        self.output = os.path.join(work, name.replace(" ", "-"))
        self.suffix = suffix

    def command(self, program):
        return [word.replace("OUTPUT", self.output) for word in self.arguments] + program

    def reading_cost(self, rounds):
        """CPU seconds until the first table."""
        words = [word.replace("OUTPUT", self.output + self.suffix) for word in self.reader]
        return min(Cost(words).cpu for _ in range(rounds))

    def file_bytes(self):
        return os.path.getsize(self.output + self.suffix)


def churn(command):
    """CPU ns and wall ns of a pair, and KiB."""
    found = re.search(r"churn: ([\d.]+) ns CPU, ([\d.]+) ns wall, (\d+) KiB",
                      run(command, stderr=-2).stdout.decode())
    return tuple(float(word) for word in found.groups())


def least(command, rounds):
    """Of each figure: what disturbs a run only adds to it."""
    return tuple(min(figures) for figures in zip(*(churn(command) for _ in range(rounds))))


def two_threads(recorder, command, rounds):
    """The least of each figure; and how many times as long it takes, the median of runs by turns: a
    machine that becomes slower between the first runs and the last ones changes nothing."""
    recorded, times = [], []
    for _ in range(rounds):
        bare = churn(command)
        recorded.append(churn(recorder.command(command)))
        times.append(recorded[-1][1] / bare[1])
    return tuple(min(figures) for figures in zip(*recorded)), statistics.median(times)


def build_churn(work, *options):
    program = os.path.join(work, "churn" + "".join(options))
    run(["gcc", "-O2", "-g", *options, "-o", program, os.path.join(HERE, "programs", "churn.c"),
         "-pthread"])
    return program


def print_churn(recorders, work, rounds, pairs):
    frame_pointers = build_churn(work, "-fno-omit-frame-pointer")
    tables = build_churn(work, "-fomit-frame-pointer")
    one, two = [frame_pointers, "1", str(pairs)], [frame_pointers, "2", str(pairs)]
    bare = {"fp": least(one, rounds), "two": least(two, rounds),
            "tables": least([tables, "1", str(pairs)], rounds)}
    print(f"pair, bare: {bare['fp'][0]:.1f} ns CPU; two threads {bare['two'][1]:.1f} ns wall")
    for recorder in recorders:
        fp = least(recorder.command(one), rounds)
        size, reading = recorder.file_bytes(), recorder.reading_cost(rounds)
        without = least(recorder.command([tables, "1", str(pairs)]), rounds)
        threads, times = two_threads(recorder, two, rounds)
        print(f"{recorder.name}: event, frame pointers: {(fp[0] - bare['fp'][0]) / 2:.1f} ns CPU")
        print(f"{recorder.name}: event, tables: {(without[0] - bare['tables'][0]) / 2:.1f} ns CPU")
        print(f"{recorder.name}: two threads, wall: {times:.2f} times")
        print(f"{recorder.name}: bytes of an event: {size / pairs / 2:.2f}")
        print(f"{recorder.name}: first table: {reading / pairs / 2 * 1e9:.0f} ns CPU for an event, "
              f"{reading / size * (1 << 30):.1f} s for a GiB")
        print(f"{recorder.name}: memory added, one thread: {fp[2] - bare['fp'][2]:.0f} KiB, two: "
              f"{threads[2] - bare['two'][2]:.0f} KiB")


def compiler_itself(source):
    """What g++ starts: it prints that, and does not start it."""
    options = ["-O1", "-std=c++17", "-S", source]
    printed = subprocess.run(["g++", "-###", *options], stderr=subprocess.PIPE, text=True).stderr
    words = shlex.split(next(line for line in printed.splitlines() if "cc1plus" in line))
    return words[:words.index("-o")]


def print_snapshots(work):
    """What a call of malloc or free takes at most, in a program with a million blocks."""
    program = os.path.join(work, "live_blocks")
    run(["gcc", "-O2", "-o", program, os.path.join(HERE, "programs", "live_blocks.c")])
    snapshots = [WICK, "record", "-q", "--heap", "--snapshot-every", "50ms",
                 "-o", os.path.join(work, "snapshots"), "--"]
    exact = [word for word in snapshots if word not in ("--snapshot-every", "50ms")]
    for title, before in ("bare", []), ("recorded", exact), ("snapshots, every 50 ms", snapshots):
        came = run([*before, program, "1000000", "3"]).stdout.decode()
        print(f"a million blocks, {title}: {came.split('longest: ')[1].strip()}")


def programs(work, words=60, blocks=1):
    """Title, what has to be there, and the command: the program itself, since heaptrack does not
    record what a shell, a compiler's driver or rustup starts. How often two of them do their work
    is an argument."""
    def source(name):
        return os.path.join(HERE, "programs", name)

    statements = os.path.join(work, "statements.sql")
    with open(statements, "w") as file:
        file.write(SQL)
    yield "sqlite3", "sqlite3", ["sqlite3", ":memory:", f".read {statements}"]
    yield "CPython", PYTHON, [PYTHON, source("words.py"), str(words)]
    yield "cc1plus", "g++", [
        *compiler_itself(source("shapes.cpp")), "-o", os.path.join(work, "s")]
    if shutil.which("rustc"):
        root = run(["rustc", "--print", "sysroot"]).stdout.decode().strip()
        yield "rustc", "rustc", [os.path.join(root, "bin", "rustc"), "-O", "-o",
                                 os.path.join(work, "again"), source("threads.rs")]
        run(["rustc", "-O", "-o", os.path.join(work, "blocks"), source("blocks.rs")])
    yield "Rust, boxes and maps", "rustc", [os.path.join(work, "blocks"), str(blocks)]


def print_programs(recorders, work, rounds):
    print(f"{'program':<22}{'bare':>9}" + "".join(f"{r.name:>22}" for r in recorders))
    for title, tool, command in programs(work):
        if not shutil.which(tool):
            print(f"{title:<22}{tool} is not installed")
            continue
        costs = {recorder.name: [] for recorder in recorders} | {"bare": []}
        for _ in range(rounds):
            costs["bare"].append(Cost(command).cpu)
            for recorder in recorders:
                costs[recorder.name].append(Cost(recorder.command(command)).cpu)
        bare = statistics.median(costs["bare"])
        print(f"{title:<22}{bare:8.2f} s" + "".join(
            f"{statistics.median(costs[r.name]):13.2f} s {statistics.median(costs[r.name]) / bare:5.2f}x"
            for r in recorders), flush=True)


class Timed:
    """A command that runs: its CPU seconds, and those of what records it."""

    def __init__(self, before, timer, report, command):
        self.report = report
        self.process = subprocess.Popen([*before, timer, report, *command],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait(self):
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode:
            raise subprocess.CalledProcessError(self.process.returncode, self.process.args)
        with open(self.report) as file:
            self.command = float(file.read())
        self.recorder = usage.ru_utime + usage.ru_stime - self.command


def share_processor(first, second):
    """Both at the same time, on one processor: it is given to them in turns."""
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(processors)})
    try:
        running = [Timed(*first), Timed(*second)]
        for one in running:
            one.wait()
    finally:
        os.sched_setaffinity(0, processors)
    return running


def sampled_pairs(work, timer, command, seconds):
    """Without and with the recorder, the first one of them in turns."""
    recorder = [WICK, "record", "-q", "--heap-sample", "512K", "-o", os.path.join(work, "sampled.data"),
                "--"]
    bare = [], timer, os.path.join(work, "bare"), command
    sampled = recorder, timer, os.path.join(work, "sampled"), command
    until, pairs = time.monotonic() + seconds, []
    while len(pairs) < FEWEST_PAIRS or time.monotonic() < until:
        if len(pairs) % 2:
            pairs.append(tuple(reversed(share_processor(sampled, bare))))
        else:
            pairs.append(tuple(share_processor(bare, sampled)))
    return pairs


def print_sampled(work, seconds):
    timer = os.path.join(work, "timed")
    run(["gcc", "-O2", "-o", timer, os.path.join(HERE, "programs", "timed.c")])
    chosen = [one for one in programs(work, 120, 4) if shutil.which(one[1])]
    print(f"{'sampled at 512 KiB':<22}{'bare':>9}{'program':>22}{'recorder':>22}{'both':>22}  pairs")
    for title, _, command in chosen:
        pairs = sampled_pairs(work, timer, command, seconds / len(chosen))
        bare = statistics.median(one.command for one, _ in pairs)
        added = [[100 * (two.command - one.command) / one.command for one, two in pairs],
                 [100 * (two.recorder - one.recorder) / one.command for one, two in pairs]]
        added.append([sum(both) for both in zip(*added)])
        print(f"{title:<22}{bare:8.2f} s" + "".join(
            f"{'%+.1f %% (%+.1f .. %+.1f)' % (statistics.median(one), *median_range(one)):>22}"
            for one in added) + f"{len(pairs):7}", flush=True)


def main():
    need("gcc")
    if sys.argv[1:2] == ["sampled"]:
        print_sampled(folder(), float(sys.argv[2]) if len(sys.argv) > 2 else SAMPLED_SECONDS)
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else PAIRS
    work = folder()
    recorders = [
        Recorder("wick", work, [WICK, "record", "-q", "--heap", "-o", "OUTPUT", "--"],
                 reader=[WICK, "show", "OUTPUT", "heap"]),
        Recorder("wick, 512K", work, [WICK, "record", "-q", "--heap-sample", "512K", "-o", "OUTPUT",
                                      "--"], reader=[WICK, "show", "OUTPUT", "heap"]),
    ]
    if shutil.which("heaptrack"):
        recorders.append(Recorder("heaptrack", work, ["heaptrack", "-o", "OUTPUT"], ".zst",
                                  ["heaptrack_print", "OUTPUT"]))
    else:
        print("heaptrack is not installed: nothing to compare with")
    print_churn(recorders, work, rounds, pairs)
    print_snapshots(work)
    print_programs([one for one in recorders if one.name != "wick, 512K"], work, rounds)
    print_sampled(work, SAMPLED_SECONDS)


if __name__ == "__main__":
    main()
