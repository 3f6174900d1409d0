#!/usr/bin/env python3
"""The text of perf script in, folded stacks out: CPU time against gzip, and memory; and a comparison.

Five kinds of text: 13 real captures repeated (gen_inputs.py of the shared folder), a cargo build by
perf script, and stacks that are drawn by weight, all new, and with all addresses new (gen_text.py).
wick and `gzip -1` of the same bytes run in turns, on one thread; medians count. Memory is the most
resident (VmHWM) beyond the mapped file, and all of it from a pipe.

    bench/text.py              with $PERL naming stackcollapse-perf.pl, also against that
    WICK_BENCH_INPUTS=FOLDER   keeps the inputs there"""
import os
import shutil
import statistics
import subprocess
import sys
import time

from common import HERE, ROOT, WICK, folder, need, run

SHARED = os.environ.get("WICK_SHARED", os.path.join(ROOT, "..", "shared"))
ROUNDS = 7
MEGABYTES = 50


def cpu(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        sys.exit(f"{' '.join(command)}: ended with {status}")
    return usage.ru_utime + usage.ru_stime


def in_turns(ours, theirs):
    """The medians of both."""
    pairs = [(cpu(ours), cpu(theirs)) for _ in range(ROUNDS)]
    return [statistics.median(side) for side in zip(*pairs)]


def peak_mb(command, pipe=None):
    """Polled: what getrusage says of a child includes the memory of this process."""
    feeder = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) if pipe else None
    child = subprocess.Popen(command, stdin=feeder.stdout if feeder else None,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status", encoding="ascii") as status:
                most = max([most] + [int(line.split()[1]) for line in status
                                     if line.startswith("VmHWM")])
        except OSError:
            pass
        time.sleep(0.001)
    if feeder:
        feeder.stdout.close()
        feeder.wait()
    return most / 1024


def cargo_text(path, work):
    """A cargo build by perf script, without inlined calls, which would take it minutes."""
    crate, recording = os.path.join(work, "crate"), os.path.join(work, "cargo.data")
    os.makedirs(os.path.join(crate, "src"))
    shutil.copy(os.path.join(HERE, "programs", "threads.rs"), os.path.join(crate, "src", "main.rs"))
    with open(os.path.join(crate, "Cargo.toml"), "w", encoding="ascii") as file:
        file.write('[package]\nname = "crate"\nversion = "0.1.0"\nedition = "2021"\n')
    run(["perf", "record", "-q", "-F", "4000", "--call-graph", "dwarf,16384", "-o", recording, "--",
         "sh", "-c", "cargo build -q --release; cargo build -q; touch src/main.rs; "
         "cargo build -q --release"], cwd=crate)
    with open(path, "wb") as file:
        run(["perf", "script", "--no-inline", "-i", recording], stdout=file)
    os.remove(recording)


def inputs(work):
    data = os.environ.get("WICK_BENCH_INPUTS", work)
    os.makedirs(data, exist_ok=True)

    def at(name):
        return os.path.join(data, name)

    if not os.path.exists(at("big.perf")):
        run([sys.executable, os.path.join(SHARED, "bench", "gen_inputs.py"), data])
    if shutil.which("perf") and shutil.which("cargo") and not os.path.exists(at("cargo.txt")):
        cargo_text(at("cargo.txt"), work)
    kinds = {"captures": at("big.perf"), "cargo build": at("cargo.txt")}
    for kind in "hot", "fresh", "spread":
        kinds[kind] = at(kind + ".txt")
        if not os.path.exists(kinds[kind]):
            run([sys.executable, os.path.join(SHARED, "bench", "gen_text.py"), kinds[kind],
                 "--kind", kind, "--mb", str(MEGABYTES)])
    return {kind: path for kind, path in kinds.items() if os.path.exists(path)}, \
        (at("big.folded"), at("big2.folded"))


def measure_text(kinds):
    print(f"{'text':12} {'MB':>4} {'fold':>7} {'gzip -1':>8} {'ratio':>6}   {'as perf.pl':>10} "
          f"{'ratio':>6}   {'mapped +':>8} {'pipe':>7}")
    for kind, path in kinds.items():
        fold = [WICK, "fold", "-q", "--threads", "1"]
        collapse = [WICK, "as", "stackcollapse-perf.pl", path]
        ours, gzip = in_turns([*fold, path], ["gzip", "-1", "-c", path])
        older, gzip_again = in_turns(collapse, ["gzip", "-1", "-c", path])
        size = os.path.getsize(path) / (1 << 20)
        print(f"{kind:12} {size:4.0f} {ours:7.3f} {gzip:8.3f} {ours / gzip:6.2f}   {older:10.3f} "
              f"{older / gzip_again:6.2f}   {max(0, peak_mb([*fold, path]) - size):5.0f} MB "
              f"{peak_mb([*fold, '-'], pipe=path):4.0f} MB", flush=True)
        if os.environ.get("PERL"):
            perl = cpu(["perl", os.environ["PERL"], path])
            print(f"{'':12} the Perl tool: {perl:.2f} CPU s, {perl / older:.0f} times as much")


def measure_diff(before, after):
    command = [WICK, "diff", "-q", before, after]
    ours, gzip = in_turns(command, ["gzip", "-1", "-c", before])
    print(f"diff of 500,000 and 490,000 stacks, table: {ours:.3f} CPU s (gzip -1 of the first: "
          f"{gzip:.3f}), peak {peak_mb(command):.0f} MB")


def hostile(work):
    """Twice the input must not cost much more than twice the time."""
    def made(lines):
        path = os.path.join(work, "hostile.folded")
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

    picture = os.path.join(work, "out.svg")
    for what, lines, size in (("stacks 10,000 deep", deep, 50),
                              ("distinct names", names, 500000), ("MB in one line", one_line, 5)):
        figures = [cpu([WICK, "flame", "-q", "-o", picture, made(lines(size * factor))])
                   for factor in (1, 2)]
        print(f"{2 * size:,} {what}: {figures[1]:.3f} CPU s, "
              f"{figures[1] / figures[0]:.2f} times the half", flush=True)


def main():
    need("gzip")
    if not os.path.exists(os.path.join(SHARED, "bench", "gen_text.py")):
        print("skipped: the shared folder has no bench/gen_text.py", file=sys.stderr)
        sys.exit(77)
    work = folder()
    kinds, folded = inputs(work)
    measure_text(kinds)
    measure_diff(*folded)
    hostile(work)


if __name__ == "__main__":
    main()
