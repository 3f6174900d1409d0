#!/usr/bin/env python3
"""Records programs, deletes them, and looks again: are all names still there?

    bench/deleted_programs.py WICK [COUNT]

Compiles COUNT (100) programs: C, C++ and Rust, optimized, with and without debug information,
stripped, stripped with a debug file, position-independent or not, with and without a build id.
Each is recorded, folded (the first look), deleted with its debug file, and folded again, once from
the recording alone (no symbol cache) and once from the symbol cache alone (`--no-embed`). The
second looks must equal the first. Programs without a build id are not in the cache by design, and
are counted for the recording alone. Languages without a compiler here are left out, aloud."""
import collections
import difflib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

C = """
#include <stdint.h>
static volatile uint64_t sink;
static inline uint64_t mix_@N(uint64_t x) { return x * 6364136223846793005u + (x >> @S); }
static inline uint64_t fold_@N(uint64_t x) { return mix_@N(mix_@N(x)) ^ 1; }
__attribute__((noinline)) static uint64_t work_@N(uint64_t n)
{ uint64_t x = n; while (n--) x = fold_@N(x); return x; }
__attribute__((noinline)) uint64_t divide_@N(uint64_t n)
{ uint64_t x = n; while (n--) x = mix_@N(x) / @S; return x; }
int main(void)
{ for (int i = 0; i < 6; i++) sink = work_@N(4000000 + sink % 2) + divide_@N(2000000 + sink % 2); }
"""
CPP = """
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>
namespace part@N {
template <class T> struct Table {
	std::map<T, std::string> rows;
	void fill(T n) { for (T i = 0; i < n; i++) rows[i * @S % n] = std::to_string(i); }
	std::size_t sum() const { std::size_t s = 0; for (auto &r : rows) s += r.second.size(); return s; }
};
__attribute__((noinline)) std::size_t table(long n) { Table<long> t; t.fill(n); return t.sum(); }
__attribute__((noinline)) long sorted(long n)
{
	std::vector<long> v(n);
	for (long i = 0; i < n; i++) v[i] = (i * 7919 + @S) % n;
	std::sort(v.begin(), v.end(), [](long a, long b) { return a > b; });
	return v[n / 2];
}
}
int main() { volatile long s = 0; for (int i = 0; i < 6; i++) s = s + part@N::table(20000) + part@N::sorted(100000); }
"""
RUST = """
use std::collections::HashMap;
#[inline(never)]
fn count_@N(n: u64) -> usize {
    let mut rows: HashMap<u64, Vec<u64>> = HashMap::new();
    for i in 0..n { rows.entry(i * @S % 1000).or_default().push(i); }
    rows.values().map(|row| row.iter().filter(|x| **x % 3 == 0).count()).sum()
}
#[inline(never)]
fn sort_@N(n: u64) -> u64 {
    let mut v: Vec<u64> = (0..n).map(|i| i.wrapping_mul(6364136223846793005) >> @S).collect();
    v.sort_by(|a, b| b.cmp(a));
    v[n as usize / 2]
}
fn main() {
    let mut sum = 0;
    for i in 0..4 { sum += count_@N(200_000 + i) as u64 + sort_@N(100_000 + i); }
    std::hint::black_box(sum);
}
"""
LANGUAGES = [("c", "cc", C), ("cpp", "g++", CPP), ("rs", "rustc", RUST)]
SHAPES = ["debug", "plain", "debug file", "stripped", "no-pie", "no build id"]


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def compile_one(folder, number, suffix, compiler, text, shape):
    source, program = folder / f"p{number}.{suffix}", folder / f"p{number}"
    shift = random.Random(number).randint(3, 29)
    source.write_text(text.replace("@N", str(number)).replace("@S", str(shift)))
    has_debug = shape != "plain"
    if suffix == "rs":
        line = ["rustc", "-C", "opt-level=3", "-C", f"debuginfo={2 * has_debug}"]
        line += ["-C", "relocation-model=static"] if shape == "no-pie" else []
        line += ["-C", "link-arg=-Wl,--build-id" + "=none" * (shape == "no build id")]
    else:
        line = [compiler, "-O2", "-Wl,--build-id" + "=none" * (shape == "no build id")]
        line += ["-g"] * has_debug + ["-no-pie"] * (shape == "no-pie")
    run(*line, source, "-o", program, cwd=folder)
    if shape == "debug file":
        run("objcopy", "--only-keep-debug", program, f"{program}.debug")
    if shape in ("debug file", "stripped"):
        run("strip", program)
    if shape == "debug file":
        run("objcopy", f"--add-gnu-debuglink={program}.debug", program, cwd=folder)
    return program


def look(wick, data, cache):
    """Stacks with inlined calls, and their samples."""
    return run(wick, "fold", "-q", data, env=os.environ | {"WICK_CACHE_DIR": str(cache)})


def measure(wick, folder, count):
    tally = collections.Counter()
    here = [language for language in LANGUAGES if shutil.which(language[1])]
    print("compilers:", ", ".join(language[1] for language in here))
    for number in range(count):
        suffix, compiler, text = here[number % len(here)]
        shape = SHAPES[number // len(here) % len(SHAPES)]
        program = compile_one(folder, number, suffix, compiler, text, shape)
        cache, none, first = folder / f"cache{number}", "", {}
        for name, option, place in (("recording", [], none), ("cache", ["--no-embed"], cache)):
            data = folder / f"{number}.{name}.data"
            run(wick, "record", "-q", "--user-only", *option, "-o", data, "--", program,
                env=os.environ | {"WICK_CACHE_DIR": str(place)})
            first[name] = look(wick, data, place), data, place
        program.unlink()
        pathlib.Path(f"{program}.debug").unlink(missing_ok=True)
        for name, (expected, data, place) in first.items():
            if name == "cache" and shape == "no build id":
                continue
            came = look(wick, data, place)
            tally[name, came == expected] += 1
            if came != expected:
                print(f"{program.name} ({compiler}, {shape}): other names from the {name} alone")
                print(*difflib.unified_diff(expected.splitlines(), came.splitlines(), "first look",
                                            "second", lineterm="", n=0), sep="\n")
    for name in ("recording", "cache"):
        print(f"from the {name} alone: {tally[name, True]} of "
              f"{tally[name, True] + tally[name, False]} programs as at the first look")
    return not (tally["recording", False] or tally["cache", False])


def main():
    wick = pathlib.Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not measure(wick, pathlib.Path(folder), count))


main()
