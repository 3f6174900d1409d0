"""What the measuring scripts share: programs to look at, runs with their cost, wick and perf.

Every script prints its figures as lines "name: value" and can be run alone:
    bench/NAME.py            measures build/wick (or $WICK)
Scripts need python3; those that compare need perf. What is missing is named and skipped
with exit code 77."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
WICK = os.environ.get("WICK", os.path.join(ROOT, "build", "wick"))
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            skip(tool + " is not installed")
    if not os.path.exists(WICK):
        skip(WICK + " is not built; run ./do build")


def folder():
    path = tempfile.mkdtemp(prefix="wick-bench-")
    import atexit
    atexit.register(shutil.rmtree, path, True)
    return path


def run(arguments, **options):
    options.setdefault("check", True)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run(arguments, **options)


def build(name, to):
    """Builds one of bench/programs and gives its command line, or None without its compiler."""
    source = os.path.join(HERE, "programs", name)
    program = os.path.join(to, name.split(".")[0])
    if name.endswith(".py"):
        return [PYTHON, source]
    command = {
        ".rs": ["rustc", "-O", "-o", program, source],
        ".c": ["musl-gcc", "-O2", "-static", "-o", program, source],
        ".cpp": ["g++", "-O2", "-std=c++17", "-o", program, source],
    }[os.path.splitext(name)[1]]
    if not shutil.which(command[0]):
        return None
    run(command)
    return [program]


class Cost:
    """CPU seconds of a command and all its children, and its wall seconds."""

    def __init__(self, arguments):
        before = os.times()
        started = time.monotonic()
        subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        after = os.times()
        self.wall = time.monotonic() - started
        self.cpu = (after.children_user - before.children_user
                    + after.children_system - before.children_system)


def answers_cost(command, asked, environment, times, cache=None):
    """The least CPU seconds for the answers to a file of questions; with a cache that is removed
    before each time, without what earlier times have kept."""
    least = None
    for _ in range(times):
        if cache:
            shutil.rmtree(cache, True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(asked, "rb") as questions:
            subprocess.run(command, stdin=questions, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=environment, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        least = seconds if least is None else min(least, seconds)
    return least


def first_answer(command, address, environment, times, cache=None):
    """The least milliseconds from the start of a program to its first line; `cache` as above."""
    least = None
    for _ in range(times):
        if cache:
            shutil.rmtree(cache, True)
        started = time.monotonic()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=environment) as program:
            program.stdin.write(b"%#x\n" % address)
            program.stdin.flush()
            program.stdout.readline()
            took = 1000 * (time.monotonic() - started)
            program.stdin.close()
        least = took if least is None else min(least, took)
    return least


def perf_record(program, output, *options):
    return ["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", *options, "-o", output, "--",
            *program]


def wick_record(program, output, *options):
    return [WICK, "record", "-q", "-e", "cpu-clock", "-F", "997", *options, "-o", output, "--",
            *program]


FRAME = re.compile(r"^\s+[0-9a-f]+ ")


class Script:
    """What `perf script` says of a recording: samples, their depths and innermost symbols."""

    def __init__(self, recording, *options):
        text = run(["perf", "script", "-i", recording, *options]).stdout.decode("utf-8", "replace")
        self.depths = []
        self.leaves = {}
        depth = 0
        for line in text.splitlines() + [""]:
            if FRAME.match(line):
                if depth == 0:
                    leaf = line.split(None, 1)[1].rsplit(" (", 1)[0]
                    leaf = re.sub(r"\+0x[0-9a-f]+$", "", leaf)
                    self.leaves[leaf] = self.leaves.get(leaf, 0) + 1
                depth += 1
            elif not line.strip() and depth:
                self.depths.append(depth)
                depth = 0

    @property
    def count(self):
        return len(self.depths)

    @property
    def mean_depth(self):
        return statistics.fmean(self.depths) if self.depths else 0.0


def median_range(values):
    """What contains the median of all such values with a probability of 95 %: by their order."""
    ordered = sorted(values)
    outside = max(0, int((len(ordered) - 1.96 * len(ordered) ** 0.5) / 2))
    return ordered[outside], ordered[-1 - outside]


def median_ratio(ours, theirs):
    return statistics.median(ours) / statistics.median(theirs)
