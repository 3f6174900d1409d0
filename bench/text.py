#!/usr/bin/env python3
"""Text in, folded stacks and pictures out: CPU seconds and memory on inputs of 65 and 200 MB.

The inputs are made by bench/gen_inputs.py of the shared folder from real captures. Each command
runs several times; the least CPU time counts, the most memory. `wc -l` of the same text says how
fast the machine is. Memory is the resident set, of which the mapped input is a part."""
import os
import sys
import time

from common import folder, need, WICK

SHARED = os.environ.get("WICK_SHARED", os.path.join(os.path.dirname(WICK), "..", "..", "shared"))
RUNS = 7


def measure(arguments):
    """Least CPU seconds and least wall seconds of RUNS runs, and the most memory in MB."""
    cpu, wall, memory = [], [], 0
    for _ in range(RUNS):
        null = os.open(os.devnull, os.O_RDWR)
        start = time.monotonic()
        child = os.fork()
        if child == 0:
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            os.execvp(arguments[0], arguments)
        _, status, usage = os.wait4(child, 0)
        os.close(null)
        if status:
            sys.exit(f"{' '.join(arguments)}: failed")
        cpu.append(usage.ru_utime + usage.ru_stime)
        wall.append(time.monotonic() - start)
        memory = max(memory, usage.ru_maxrss / 1024)
    return min(cpu), min(wall), memory


def row(name, arguments, goal):
    cpu, wall, memory = measure(arguments)
    print(f"{name:52} {cpu:6.3f} CPU s {wall:6.3f} s {memory:6.0f} MB   (to reach: {goal})",
          flush=True)
    return cpu, wall


def main():
    need()
    generator = os.path.join(SHARED, "bench", "gen_inputs.py")
    if not os.path.exists(generator):
        print(f"skipped: {generator} is not there", file=sys.stderr)
        sys.exit(77)
    work = folder()
    data = os.environ.get("WICK_BENCH_INPUTS", work)
    if not os.path.exists(os.path.join(data, "big.perf")):
        os.system(f"{sys.executable} {generator} {data} >&2")

    def at(name):
        return os.path.join(data, name)

    picture = os.path.join(work, "out.svg")
    text_mb = os.path.getsize(at("big.perf")) / 1e6
    row("wc -l of the perf script text", ["wc", "-l", at("big.perf")], "0.06 where it was set")
    cpu, one = row("perf script text to folded, one thread",
                   [WICK, "fold", "-q", "--threads", "1", at("big.perf")],
                   "0.25 CPU s, 60 MB beside the 191 mapped")
    print(f"{'':52} {text_mb / cpu:6.0f} MB a CPU second")
    _, two = row("the same, two threads",
                 [WICK, "fold", "-q", "--threads", "2", at("big.perf")], "half the time")
    print(f"{'':52} {one / two:6.2f} times as fast")
    row("the same as stackcollapse-perf.pl",
        [WICK, "as", "stackcollapse-perf.pl", at("big.perf")], "0.25 CPU s")
    row("500,000 distinct folded stacks to SVG",
        [WICK, "flame", "-q", "-o", picture, at("big.folded")], "0.3 CPU s, 120 MB")
    row("differential of two such files, as difffolded.pl",
        [WICK, "as", "difffolded.pl", at("big.folded"), at("big2.folded")], "0.35 CPU s")
    row("the same, wick diff --to folded",
        [WICK, "diff", "-q", "--to", "folded", at("big.folded"), at("big2.folded")],
        "0.35 CPU s")
    hostile(work, picture)


def hostile(work, picture):
    """Twice the input must not cost much more than twice the time."""
    def made(name, lines):
        path = os.path.join(work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        return path

    def deep(stacks):
        return (f"{i};" + ";".join(f"f{(i * 7 + d) % 300}" for d in range(10000)) + " 1\n"
                for i in range(stacks))

    def names(count):
        return (f"main;function_number_{i}_of_many 1\n" for i in range(count))

    def one_line(megabytes):
        return [";".join(f"f{i % 1000}" for i in range(megabytes * 200000)) + " 1\n"]

    for what, lines, size in (("stacks 10,000 deep", deep, 50),
                              ("distinct names", names, 500000), ("MB in one line", one_line, 5)):
        figures = []
        for factor in (1, 2):
            path = made("hostile.folded", lines(size * factor))
            figures.append(measure([WICK, "flame", "-q", "-o", picture, path]))
        print(f"{2 * size:,} {what}: {figures[1][0]:.3f} CPU s, {figures[1][2]:.0f} MB; "
              f"{figures[1][0] / figures[0][0]:.2f} times the half", flush=True)


if __name__ == "__main__":
    main()
