#!/usr/bin/env python3
"""How long does it take to read back recordings with copies of stacks, inlined calls and all?

Three recordings by `perf record --call-graph dwarf`: a Rust program in release mode with debug
information (copies of 16 KiB), CPython running a script (16 KiB), and rustc compiling (32 KiB).
Each is read by `wick fold`, with an empty symbol cache and with the one that this filled, and by
`perf script`. Prints CPU seconds (the least of several runs), and the most memory resident.

    bench/readback.py             records and measures
    bench/readback.py --no-perf   without `perf script`, which may take a minute for rustc"""
import os
import shutil
import subprocess
import sys

from common import PYTHON, WICK, folder, need, run

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 7


def many_types(path):
    """A crate that keeps rustc busy for some seconds: many types, each with derived code."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("use std::collections::HashMap;\n")
        for i in range(18):
            out.write(f"""#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct S{i} {{ a: Vec<u32>, b: String, c: Option<Box<S{max(i - i % 30, i - 1)}>> }}
impl S{i} {{
    pub fn names(&self, m: &HashMap<String, S{i}>) -> Vec<String> {{
        let mut v: Vec<String> = m.iter().filter(|(_, s)| s.a.len() > {i})
            .map(|(k, s)| format!("{{}}{{:?}}", k, s)).collect();
        v.sort();
        v
    }}
}}
""")
        out.write("fn main() {\n")
        for i in range(18):
            out.write(f"    let m: HashMap<String, S{i}> = HashMap::new();\n"
                      f"    let s = S{i} {{ a: vec![1], b: String::new(), c: None }};\n"
                      "    println!(\"{:?}\", s.names(&m));\n")
        out.write("}\n")


def programs(place):
    threads = os.path.join(place, "threads")
    run(["rustc", "-O", "-C", "debuginfo=2", "-o", threads,
         os.path.join(HERE, "programs", "threads.rs")])
    yield "Rust, 16K", [threads, "600"], 16384
    yield "CPython, 16K", [PYTHON, os.path.join(HERE, "programs", "words.py"), "600"], 16384
    crate = os.path.join(place, "many.rs")
    many_types(crate)
    yield "rustc, 32K", ["rustc", "-O", "-g", "--edition", "2021", "-o",
                         os.path.join(place, "many"), crate], 32768


class Cost:
    """CPU seconds and the most memory of one run."""

    def __init__(self, words, **options):
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        if status:
            sys.exit(f"{' '.join(words)}: ended with {status}")
        self.cpu = usage.ru_utime + usage.ru_stime
        self.kilobytes = usage.ru_maxrss


def least(costs):
    return min(cost.cpu for cost in costs), max(cost.kilobytes for cost in costs) / 1024


def read_back(recording, cache):
    """Cold and warm."""
    environment = os.environ | {"WICK_CACHE_DIR": cache}
    words = [WICK, "fold", "-q", "--debug-dir", "/usr/lib/debug", recording]
    cold = []
    for _ in range(ROUNDS):
        shutil.rmtree(cache, ignore_errors=True)
        cold.append(Cost(words, env=environment))
    return least(cold), least([Cost(words, env=environment) for _ in range(ROUNDS)])


def main():
    need("perf", "rustc")
    place = folder()
    for name, program, stack_bytes in programs(place):
        recording = os.path.join(place, "perf.data")
        run(["perf", "record", "-q", "-F", "997", "--call-graph", f"dwarf,{stack_bytes}", "-o",
             recording, "--", *program])
        samples = run([WICK, "dump", recording]).stdout.count(b"\nsample ")
        (cold, cold_mb), (warm, warm_mb) = read_back(recording, os.path.join(place, "cache"))
        print(f"{name}: {samples} samples, {os.path.getsize(recording) / 1e6:.0f} MB")
        print(f"  wick, empty cache: {cold:.3f} CPU s, {cold_mb:.0f} MB")
        print(f"  wick, filled cache: {warm:.3f} CPU s, {warm_mb:.0f} MB")
        if "--no-perf" not in sys.argv:
            theirs = Cost(["perf", "script", "-i", recording])
            print(f"  perf script: {theirs.cpu:.2f} CPU s, {theirs.kilobytes / 1024:.0f} MB")
        sys.stdout.flush()


main()
