#!/usr/bin/env python3
"""Allocators that only uprobes see: in static programs, and under names of their own."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heap_totals  # noqa: E402
import tap  # noqa: E402

os.environ.pop("MALLOC_PERTURB_", None)

LIVE = tap.ROOT / "tests" / "live"
SAME = {"aligned_alloc": "memalign"}  # one function of two names
OWN = {"malloc": "my_alloc", "calloc": "my_zalloc", "realloc": "my_resize"}
OWN_LIST = "my_alloc=malloc,my_zalloc=calloc,my_resize=realloc,my_release=free"


def need_uprobes():
    if not heap_totals.has_uprobes():
        raise tap.Skip("uprobes may not be used here")


def compiled(t, name, *options, files=(), compiler="cc"):
    need_uprobes()
    tap.need(compiler)
    program = t.folder / name
    done = tap.run(compiler, "-O1", "-fno-optimize-sibling-calls", "-DHEAP_FEW", "-o", program, LIVE / f"{name}.c",
                   LIVE / "heap_count.c", *(LIVE / file for file in files), *options, "-lpthread",
                   check=False, cwd=t.folder)
    if done.returncode:
        raise tap.Skip(f"{compiler} {' '.join(options)}: {done.stderr.splitlines()[0]}")
    return program


def static(name, case, title, *options, compiler="cc", same=(), **how):
    @tap.case(f"{case}: {title}")
    def _(t):
        heap_totals.compare(t, compiled(t, name, "-static", *options, compiler=compiler), case,
                            same=same or SAME, **how)


def own(name, case, title, *options, **how):
    """Calls of malloc are those of another allocator."""
    @tap.case(f"{case}: {title}, by an allocator with its own names")
    def _(t):
        names = ["-Dfree=my_release"] + [f"-D{old}={new}" for old, new in OWN.items()]
        program = compiled(t, name, *names, *options, files=["own_allocator.c"])
        heap_totals.compare(t, program, case, same=OWN,
                            record=[f"--heap-symbols={OWN_LIST}"], **how)


def jemalloc(name, case, title, **how):
    @tap.case(f"{case}: {title}, by jemalloc in the program")
    def _(t):
        program = compiled(t, name, "-fno-builtin", "-l:libjemalloc.a", "-ldl", "-lm", "-lstdc++")
        heap_totals.compare(t, program, case, record=["--heap-symbols"],
                            same={"reallocarray": "realloc"}, **how)


@tap.case("a static C++ program catches std::bad_alloc")
def _(t):
    need_uprobes()
    tap.need("g++")
    (t.folder / "throw.cpp").write_text("""#include <cstdlib>
#include <new>
int main(int count, char **words)
{
	try {
		char *volatile block = new char[strtoul(words[1], 0, 10)];
		delete[] block;
	} catch (std::bad_alloc &) {
		return 3;
	}
}
""")
    if tap.run("g++", "-static", "-o", "throw", "throw.cpp", cwd=t.folder, check=False).returncode:
        raise tap.Skip("g++ -static does not work here")
    for size, code in ("4000000000000000", 3), ("4000", 0):
        came = t.wick("record", "--heap", "-o", "wick.data", "--", "./throw", size, check=False)
        t.equal(came.returncode, code, f"exit code of the program ({came.stderr})")
    t.true("3.9 KiB" in t.wick("show", "wick.data", "heap").stdout, "the block is missing")


static("heap_calls", "aligned", "each function that aligns", through=["aligned", "heap_aligned"])
static("heap_calls", "aligned-fail", "what cannot be aligned is nothing")
static("heap_calls", "moves", "realloc of NULL, up, down, and reallocarray",
       through=["moves", "heap_realloc", "heap_reallocarray"])
static("heap_calls", "move-to-nothing", "realloc to no bytes is a release")
static("heap_calls", "moves-fail", "a realloc that fails leaves the block")
static("heap_calls", "zeros", "malloc(0), free(NULL), calloc that overflows")
static("heap_threads", "elsewhere", "blocks are freed by another thread", through=["elsewhere"])
static("heap_threads", "reuse", "two threads reuse addresses", roots=["take_and_give"])
static("heap_processes", "generations", "children of children", through=["generation"])
static("heap_stacks", "sort", "a callback of qsort", through=["compare", "sort"])
static("heap_stacks", "jumps", "setjmp and longjmp, also out of handlers",
       through=["jump", "jump_out", "jumps"])

own("heap_calls", "move-to-nothing", "realloc to no bytes is a release")
own("heap_threads", "elsewhere", "blocks are freed by another thread", through=["elsewhere"])
own("heap_threads", "reuse", "two threads reuse addresses", roots=["take_and_give"])
own("heap_threads", "reuse", "two threads of a static program", "-static", roots=["take_and_give"])

jemalloc("heap_calls", "moves", "realloc of NULL, up, down, and reallocarray", through=["moves"])
jemalloc("heap_threads", "reuse", "two threads reuse addresses", roots=["take_and_give"])


@tap.case("a packed recording has the same blocks")
def _(t):
    program = compiled(t, "heap_calls", "-static")
    t.wick("record", "--heap", "--snapshot-at-exit", "-o", "wick.data", "--", program, "moves", check=False)
    t.wick("pack", "wick.data", "-o", "packed.data")
    shown = [t.csv("show", name, "heap", "--all") for name in ("wick.data", "packed.data")]
    t.equal(shown[1], shown[0], "the table")
    t.true(len(shown[0]) > 1, "there is one")
    t.equal(t.csv("show", "wick.data", "snapshots")[0]["cause"], "exit", "a snapshot")


@tap.case("a process that runs already")
def _(t):
    need_uprobes()
    tap.need("cc")
    source, program = t.folder / "loop.c", t.folder / "loop"
    source.write_text("#include <stdlib.h>\n#include <unistd.h>\nint main(void) { for (;;) { "
                      "void *volatile p = malloc(1234); usleep(1000); free(p); } }\n")
    tap.run("cc", "-O1", "-static", "-o", program, source)
    with subprocess.Popen([program]) as running:
        try:
            t.wick("record", "--heap", "--duration", "300ms", "-p", running.pid, "-o", "wick.data")
        finally:
            running.kill()
    allocations, _, notes = heap_totals.summed(t, "wick.data")
    t.true(allocations > 10, f"{allocations} allocations")
    t.equal(notes, [], "notes")


@tap.case("what cannot be recorded is an error")
def _(t):
    for words, sentence in ((["--heap-symbols", "--", "true"], "has no functions of an allocator"),
                            (["--heap-symbols=x=", "--", "true"], "must be a prefix"),
                            (["--heap-symbols=./none", "--", "true"], "is not a program or library"),
                            (["--heap-symbols", "--heap-sample=1M", "--", "true"], "excludes")):
        if not heap_totals.has_uprobes() and "excludes" not in sentence:
            sentence = "uprobes"
        came = t.wick("record", *words, check=False)
        t.true(came.returncode != 0 and sentence in came.stderr, f"{words}: {came.stderr}")


tap.run_all()
