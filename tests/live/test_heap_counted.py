#!/usr/bin/env python3
"""Programs that count what they allocate, recorded: the same totals, to the byte, and whole stacks."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heap_totals  # noqa: E402
import tap  # noqa: E402

# Meson's: malloc would write to all of a block, and blocks of 5 GiB take minutes.
os.environ.pop("MALLOC_PERTURB_", None)

LIVE = tap.ROOT / "tests" / "live"
PLUGINS = tap.BUILD / "tests" / "live"


def counted(program, case, title, *words, **options):
    def run(t):
        heap_totals.compare(t, program, case, *words, **options)
    tap.case(f"{case}: {title}")(run)


counted("heap_calls", "aligned", "each function that aligns", through=["aligned", "heap_aligned"])
counted("heap_calls", "aligned-fail", "what cannot be aligned is nothing")
counted("heap_calls", "moves", "realloc of NULL, up, down, and reallocarray",
        through=["moves", "heap_realloc", "heap_reallocarray"])
counted("heap_calls", "move-to-nothing", "realloc to no bytes is a release",
        through=["move_to_nothing"])
counted("heap_calls", "moves-fail", "a realloc that fails leaves the block", through=["moves_fail"])
counted("heap_calls", "zeros", "malloc(0), free(NULL), calloc that overflows",
        through=["zeros", "heap_calloc"])
counted("heap_calls", "large", "blocks of more than 4 GiB", through=["large"])
counted("heap_calls", "errors", "errno is the program's", through=["errors"])
counted("heap_calls", "usable", "malloc_usable_size", through=["usable"])

counted("heap_threads", "elsewhere", "blocks are freed by another thread", through=["elsewhere"])
counted("heap_threads", "reuse", "two threads reuse addresses", roots=["take_and_give"])
counted("heap_threads", "short", "a thousand threads", roots=["allocate_a_little"])
counted("heap_threads", "destructors", "destructors of threads allocate",
        through=["destroy", "destroy_again"], roots=["have_destructors", "destroy", "destroy_again"])
counted("heap_threads", "late", "libc frees after the destructors of 6000 threads",
        roots=["ask_for_text"])
counted("heap_threads", "locked", "libc allocates while it has a lock", roots=["ask_for_stack"])
counted("heap_threads", "cancelled", "threads are cancelled", roots=["allocate_and_wait"])
counted("heap_threads", "end-busy", "exit while other threads allocate", is_logged=False)
counted("heap_threads", "end-at-once", "_exit", through=["end_at_once"])
counted("heap_threads", "end-killed", "SIGKILL", through=["end_killed"])
counted("heap_threads", "end-aborted", "abort", through=["end_aborted"])
counted("heap_threads", "end-by-fault", "a fault", through=["end_by_fault"])
counted("heap_threads", "end-with-handlers", "a handler of exit allocates",
        through=["end_with_handlers", "at_the_end"])
counted("heap_threads", "end-of-first", "the first thread ends before others", roots=["outlive"])

counted("heap_stacks", "recursion", "stacks of up to 100,000 frames",
        through=["descend", "climb", "recursion"], cut=2, has_notes=True)
counted("heap_stacks", "sort", "a callback of qsort", through=["compare", "sort"])
counted("heap_stacks", "frames", "frames whose size is not known before",
        through=["in_dynamic_frame", "in_aligned_frame", "frames"])
counted("heap_stacks", "signals", "a handler of a signal",
        through=["handle", "raise_some", "signals"])
counted("heap_stacks", "signals-elsewhere", "a handler on a stack of its own",
        through=["handle", "raise_some", "signals_elsewhere"])
counted("heap_stacks", "timer", "signals come at any time", through=["timer"])
counted("heap_stacks", "jumps", "setjmp and longjmp, also out of handlers",
        through=["jump", "jump_out", "jumps"])
counted("heap_stacks", "coroutines", "coroutines that take turns",
        through=["descend", "in_routine"], roots=["main", "routine"])
counted("heap_stacks", "stacks-that-go", "stacks that are unmapped",
        through=["handle"], roots=["main", "signal_in_routine"])
counted("heap_stacks", "coroutines-in-threads", "coroutines of several threads, on the heap",
        roots=["run_on_heap", "descend"])

counted("heap_processes", "fork-busy", "threads fork while others allocate",
        through=["work_of_child"], roots=["fork_some", "allocate_until_over"])
counted("heap_processes", "generations", "children of children", through=["generation"])
counted("heap_processes", "fork-in-handler", "a handler forks", through=["fork_in_handler"])
counted("heap_processes", "go-on-in-child", "an interrupted call goes on in a child",
        interrupted=30)


@tap.case("allocate-in-handler: what a child does in a handler is recorded or counted")
def _(t):
    recording = t.record("--heap", "--", tap.program("live", "heap_processes"),
                         "allocate-in-handler", "/dev/null", check=False)
    recorded = uncounted = 0
    for kind, fields in heap_totals.events(t, recording):
        recorded += kind == "heap" and fields.get("size") == hex(552)
        if kind == "note":
            text = fields["text"]
            t.true("before the heap library could begin" in text, text)
            uncounted = int(text.split()[0])
    # Each of 30 children allocates and frees ten; one may be under way when it is forked.
    t.within(2 * recorded + uncounted, 600, 660, "calls of handlers")


counted("heap_processes", "look-on-in-child", "a stack is being found when a handler forks",
        roots=["allocate_in_routine"], interrupted=30)
counted("heap_processes", "read-on-in-child", "the same on an older system",
        roots=["allocate_in_routine"], interrupted=30)
counted("heap_processes", "programs", "vfork, posix_spawn and fork, then exec",
        through=["programs", "a_little"])
counted("heap_processes", "bare-program", "a program without its environment is not followed",
        through=["bare_program"])
counted("heap_processes", "vfork-and-allocate", "a child in its parent's memory",
        through=["vfork_and_allocate"])
counted("heap_processes", "replaced", "exec in the same process", roots=["main", ""])
counted("heap_processes", "descriptors", "descriptors are the program's", roots=["allocate_once"])
counted("heap_processes", "small-files", "no large files may be written")
counted("heap_processes", "few-descriptors", "no more descriptors", roots=["allocate_once"])
counted("heap_processes", "little-memory", "no more than 400 MiB of addresses")
counted("heap_processes", "no-environment", "a child of a program that cleared its environment",
        through=["no_environment"])
counted("heap_processes", "many", "200 children at once", through=["work_of_child", "many"])

counted("heap_loaded", "of-other-size", "libraries in turn, of different sizes",
        PLUGINS, through=["load_in_turn"])
counted("heap_loaded", "of-same-size", "libraries in turn, at the same addresses",
        PLUGINS, through=["load_in_turn"])
counted("heap_loaded", "deep-bound", "RTLD_DEEPBIND",
        PLUGINS, through=["deep_bound"])


def built(t, name, *command):
    """A program of another language, linked to what counts."""
    tap.run("cc", "-std=c17", "-O1", "-c", "-o", t.folder / "heap_count.o", LIVE / "heap_count.c")
    tap.run(*command, "-o", t.folder / name, cwd=t.folder, seconds=300)
    return t.folder / name


@tap.case("by-runpath: a library that only its caller's path leads to")
def _(t):
    tap.need("cc")
    (t.folder / "inner").mkdir()
    tap.run("cc", "-shared", "-fPIC", "-DHEAP_PLUGIN=3", "-o", t.folder / "inner/libheap_inner.so",
            LIVE / "heap_plugin.c")
    tap.run("cc", "-shared", "-o", t.folder / "heap_runpath.so", "-L" + str(t.folder / "inner"),
            "-Wl,--no-as-needed", "-lheap_inner", "-Wl,-rpath,$ORIGIN/inner",
            "-Wl,--enable-new-dtags")
    heap_totals.compare(t, "heap_loaded", "by-runpath", t.folder, through=["by_runpath"])


@tap.case("C++: exceptions through 50 frames, operators, thread_local objects, containers")
def _(t):
    tap.need("cc", "g++", "nm")
    program = built(t, "heap_throw", "g++", "-std=c++17", "-O1", "-fno-optimize-sibling-calls",
                    LIVE / "heap_throw.cpp", "heap_count.o", "-I", LIVE, "-pthread")
    for case in "exceptions", "operators", "locals", "containers":
        (t.folder / "log").unlink(missing_ok=True)
        heap_totals.compare(t, program, case, roots=["main", "heap_malloc", ""])


@tap.case("Rust: vectors, maps, threads, panics")
def _(t):
    tap.need("cc", "rustc", "nm")
    program = built(t, "heap_rust", "rustc", "--edition", "2021", "-O", "-C", "debuginfo=1",
                    "-C", "link-arg=heap_count.o", LIVE / "heap_rust.rs")
    log_path = t.folder / "log"
    heap_totals.compare_run(t, [program, "/dev/null"], "wick.data", [program, log_path])
    log = heap_totals.Log(log_path)
    heap = heap_totals.Heap(t, "wick.data", log)
    t.equal((heap.missed, heap.foreign, heap.backward, heap.notes), (0, 0, 0, []), "faults")
    for pid, sums in log.counted.items():
        t.equal(dict(heap.counted[pid]), dict(sums), "times and bytes")
        t.true(sums["free"][0] > 50000, "expected many calls")


tap.run_all()
