#!/usr/bin/env python3
"""Allocators in static programs, which uprobes record, and under names of their own, which are patched."""
import collections
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heap_totals  # noqa: E402
import tap  # noqa: E402

os.environ.pop("MALLOC_PERTURB_", None)

LIVE = tap.ROOT / "tests" / "live"
SAME = {"aligned_alloc": "memalign"}  # one function of two names
OWN = {"malloc": "my_alloc", "calloc": "my_zalloc", "realloc": "my_resize"}
ENTRIES = ("jump", "short_jump", "branch", "call", "indirect", "relative", "or_jump", "nested", "nine")
OWN_LIST = "my_alloc=malloc,my_zalloc=calloc,my_resize=realloc,my_release=free"


def need_uprobes():
    if not heap_totals.has_uprobes():
        raise tap.Skip("uprobes may not be used here")


def need_patches():
    if os.uname().machine != "x86_64":
        raise tap.Skip("functions are patched on x86-64 only")


def users(t):
    """Functions are patched for root as for others."""
    need_patches()
    yield heap_totals.as_user(t)
    if os.geteuid() == 0:
        yield ()


def recorded(t, by, *words, code=0):
    came = tap.run(*by, tap.WICK, "record", "-o", "wick.data", *words, check=False, cwd=t.folder)
    t.equal(came.returncode, code, f"exit code ({came.stderr})")
    t.true("uprobes" not in came.stderr and "not recorded" not in came.stderr, came.stderr)
    return came.stderr


def sizes(t):
    """How many blocks of each size."""
    found = collections.Counter()
    for kind, fields in heap_totals.events(t, "wick.data"):
        if kind == "heap" and fields["change"] == "allocate":
            found[int(fields.get("size", "0"), 16)] += 1
    return found


def compiled(t, name, *options, files=(), compiler="cc"):
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
        need_uprobes()
        heap_totals.compare(t, compiled(t, name, "-static", *options, compiler=compiler), case,
                            same=same or SAME, **how)


def own(name, case, title, *options, **how):
    """Calls of malloc are those of another allocator."""
    @tap.case(f"{case}: {title}, by an allocator with its own names")
    def _(t):
        names = ["-Dfree=my_release"] + [f"-D{old}={new}" for old, new in OWN.items()]
        is_static = "-static" in options
        if is_static:
            need_uprobes()
        program = compiled(t, name, *names, *options, files=["own_allocator.c"])
        for by in [()] if is_static else users(t):
            heap_totals.compare(t, program, case, same=OWN if is_static else (), by=by,
                                record=[f"--heap-symbols={OWN_LIST}"], **how)


def jemalloc(name, case, title, **how):
    @tap.case(f"{case}: {title}, by jemalloc in the program")
    def _(t):
        program = compiled(t, name, "-fno-builtin", "-l:libjemalloc.a", "-ldl", "-lm", "-lstdc++")
        for by in users(t):
            heap_totals.compare(t, program, case, record=["--heap-symbols"], by=by,
                                same={**SAME, "aligned_alloc": "malloc", "memalign": "malloc",
                                      "reallocarray": "realloc"}, **how)


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

own("heap_processes", "generations", "children of children", through=["generation"])

jemalloc("heap_processes", "generations", "children of children", through=["generation"])
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


@tap.case("functions that begin with jumps, calls and operands near them")
def _(t):
    tap.need("cc")
    tap.run("cc", "-O2", "-o", "entries", LIVE / "heap_entries.c", cwd=t.folder)
    names = ["alloc_" + name for name in ENTRIES]
    for by in users(t):
        recorded(t, by, f"--heap-symbols={','.join(f'{name}=malloc' for name in names)},give=free",
                 "--", "./entries", 1000)
        found = sizes(t)
        t.equal({size: found[size] for size in range(10, 100, 10)}, {size: 1000 for size in range(10, 100, 10)},
                "blocks by size")
        t.equal(found[100], 0, "what malloc gave inside")


@tap.case("functions that cannot be patched are named")
def _(t):
    need_patches()
    tap.need("cc")
    tap.run("cc", "-O2", "-o", "entries", LIVE / "heap_entries.c", cwd=t.folder)
    for name, reason in (("alloc_loop", "it has a branch into its first instructions"),
                         ("alloc_tiny", "it is too short"),
                         ("alloc_leaf", "it calls no other functions")):
        words = "record", "-o", "wick.data", f"--heap-symbols={name}=malloc", "--", "./entries", "10"
        said = f"{name} of {t.folder.resolve()}/entries cannot be patched: {reason}"
        user = heap_totals.as_user(t)
        came = tap.run(*user, tap.WICK, *words, check=False, cwd=t.folder)
        if user:
            t.true(came.returncode and said in came.stderr, came.stderr)
            t.true("; uprobes may be used by root only" in came.stderr, came.stderr)
        if heap_totals.has_uprobes():
            t.true(said in t.wick(*words).stderr, "the reason for uprobes")


@tap.case("a function returns two words")
def _(t):
    tap.need("cc")
    (t.folder / "pair.c").write_text("""#include <stdlib.h>
struct pair { void *at; size_t size; };
__attribute__((noinline)) struct pair my_alloc(size_t size) { return (struct pair){ malloc(size), size + 8 }; }
__attribute__((noinline)) void my_release(void *block) { free(block); }
int main(void)
{
	for (int i = 0; i < 100; i++) {
		struct pair pair = my_alloc(40);
		if (pair.size != 48)
			return 1;
		my_release(pair.at);
	}
}
""")
    tap.run("cc", "-O1", "-fno-optimize-sibling-calls", "-o", "pair", "pair.c", cwd=t.folder)
    for by in users(t):
        recorded(t, by, "--heap-symbols=my_alloc=malloc,my_release=free", "--", "./pair")
        t.equal(sizes(t)[40], 100, "blocks")


# `long_alloc` begins with an instruction that a jump fits in.
SHARED = """#include <unistd.h>
static char pool[64];
__asm__(".pushsection .text\\n.balign 16\\n.globl long_alloc\\n.type long_alloc, @function\\n"
	"long_alloc: movabs $1, %rax\\njmp my_alloc@PLT\\n.size long_alloc, . - long_alloc\\n.popsection");
__attribute__((noinline)) void *my_alloc(size_t size)
{
	if (size > 4000)
		write(2, "x", 1);
	return pool;
}
__attribute__((noinline)) void my_release(void *block)
{
	if (block != pool)
		write(2, "y", 1);
}
"""

SHARES = """#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static void *(*my_alloc)(size_t), *(*long_alloc)(size_t);
static void (*my_release)(void *);
static atomic_int is_over;
static void *call(void *unused)
{
	while (!is_over) {
		my_release(my_alloc(3331));
		my_release(long_alloc(3332));
	}
	return unused;
}
int main(void)
{
	pthread_t threads[16];
	void *library = dlopen("./loaded.so", RTLD_NOW);
	my_alloc = dlsym(library, "my_alloc");
	long_alloc = dlsym(library, "long_alloc");
	my_release = dlsym(library, "my_release");
	for (int i = 0; i < 16; i++)
		pthread_create(&threads[i], NULL, call, NULL);
	usleep(20000);
	for (int i = 0; i < 6000; i++) {
		if (i == 3000)
			dlopen("libm.so.6", RTLD_NOW);
		void *volatile block = malloc(100);
		free(block);
	}
	my_release(long_alloc(3333));
	is_over = 1;
	for (int i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
}
"""


def loading(t, name, text):
    """A program that loads the library of SHARED later."""
    need_patches()
    tap.need("cc")
    (t.folder / "loaded.c").write_text(SHARED)
    (t.folder / f"{name}.c").write_text(text)
    tap.run("cc", "-O0", "-fPIC", "-shared", "-o", "loaded.so", "loaded.c", cwd=t.folder)
    tap.run("cc", "-O1", "-o", name, f"{name}.c", "-lpthread", "-ldl", cwd=t.folder)


@tap.case("threads run a library's functions while it is noticed")
def _(t):
    loading(t, "loads", SHARES)
    names = "my_alloc=malloc,long_alloc=malloc,my_release=free"
    for _ in range(3):
        came = tap.run(tap.WICK, "record", "-o", "wick.data", f"--heap-symbols=./loaded.so,{names}", "--", "./loads",
                       check=False, cwd=t.folder)
        t.equal(came.returncode, 0, f"exit code ({came.stderr})")
        t.true("2 functions of the allocator were not recorded" in came.stderr, came.stderr)
        t.true(sizes(t)[3333] == 1 and not sizes(t)[3331], "what is recorded")


AGAIN = """#include <dlfcn.h>
#include <stdlib.h>
int main(void)
{
	for (int i = 0; i < 20; i++) {
		void *library = dlopen("./loaded.so", RTLD_NOW);
		void *(*my_alloc)(size_t) = (void *(*)(size_t))dlsym(library, "my_alloc");
		void (*my_release)(void *) = (void (*)(void *))dlsym(library, "my_release");
		for (int k = 0; k < 2000; k++) {
			void *volatile block = malloc(100);
			free(block);
		}
		my_release(my_alloc(3331));
		dlclose(library);
	}
}
"""


@tap.case("a library is loaded again and again")
def _(t):
    loading(t, "again", AGAIN)
    recorded(t, (), "--heap-symbols=./loaded.so,my_alloc=malloc,my_release=free", "--", "./again")
    t.equal(sizes(t)[3331], 20, "blocks")


@tap.case("a library that was loaded just before the end is not recorded, with a reason")
def _(t):
    loading(t, "late", """#include <dlfcn.h>
int main(void) { return !dlopen("./loaded.so", RTLD_NOW); }
""")
    came = t.wick("record", "-o", "wick.data", "--heap-symbols=./loaded.so,my_alloc=malloc,my_release=free", "--",
                  "./late")
    t.true("too few events of malloc followed" in came.stderr, came.stderr)


@tap.case("an operator new of the program's own throws")
def _(t):
    tap.need("g++")
    (t.folder / "own.cpp").write_text("""#include <cstdlib>
#include <new>
void *operator new(std::size_t size)
{
	if (size > 1000000)
		throw std::bad_alloc();
	return std::malloc(size);
}
void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }
int main()
{
	int caught = 0;
	for (int i = 0; i < 100; i++) {
		try {
			delete[] new char[2000000];
		} catch (std::bad_alloc &) {
			caught++;
		}
		caught += !new (std::nothrow) char[3000000];
		delete new long;
		delete[] new char[16];
		free(malloc(24));
	}
	return caught == 200 ? 3 : 4;
}
""")
    tap.run("g++", "-fno-builtin", "-O0", "-o", "own", "own.cpp", cwd=t.folder)
    for by in users(t):
        recorded(t, by, "--heap-symbols", "--", "./own", code=3)
        found = sizes(t)
        t.equal([found[size] for size in (8, 16, 24, 2000000, 3000000)], [100, 100, 100, 0, 0], "blocks by size")


@tap.case("an allocator that is a library, with names of its own and operators of C++")
def _(t):
    tap.need("g++")
    (t.folder / "calls.cpp").write_text("""#include <cstdlib>
extern "C" void *tc_malloc(std::size_t);
extern "C" void tc_free(void *);
struct large { char at[333]; };
int main()
{
	for (int i = 0; i < 100; i++) {
		large *volatile by_operator = new large;
		delete by_operator;
		void *volatile by_malloc = malloc(444);
		free(by_malloc);
		void *volatile by_name = tc_malloc(555);
		tc_free(by_name);
	}
}
""")
    library = next(pathlib.Path("/usr/lib").glob("*/libtcmalloc_minimal.so.4"), None)
    if not library:
        raise tap.Skip("libtcmalloc_minimal.so.4 is not here")
    tap.run("g++", "-o", "calls", "calls.cpp", library, cwd=t.folder)
    for by in users(t):
        for names in "", "tc_,":
            said = recorded(t, by, f"--heap-symbols={names}{library}", "--", "./calls")
            t.true("allocates with" not in said, said)
            found = sizes(t)
            t.equal([found[333], found[444], found[555]], [100, 100, 100], f"blocks by size ({names})")


LOADED = """#include <dlfcn.h>
#include <stdlib.h>
int main(void)
{
	void *library;
	void *(*allocate)(size_t size);
	void (*release)(void *block);

	free(malloc(1));
	library = dlopen("./own.so", RTLD_NOW);
	if (!library)
		return 9;
	for (int i = 0; i < 1000; i++)
		free(malloc(2));
	allocate = (void *(*)(size_t))dlsym(library, "my_alloc");
	release = (void (*)(void *))dlsym(library, "my_release");
	for (int i = 0; i < 100; i++)
		release(allocate(777));
	return 3;
}
"""


@tap.case("an allocator in a library that is loaded later")
def _(t):
    tap.need("cc")
    (t.folder / "later.c").write_text(LOADED)
    tap.run("cc", "-O1", "-fno-builtin", "-o", "later", "later.c", "-ldl", cwd=t.folder)
    tap.run("cc", "-O2", "-fPIC", "-shared", "-o", "own.so", LIVE / "own_allocator.c", cwd=t.folder)
    for by in users(t):
        recorded(t, by, f"--heap-symbols={OWN_LIST},./own.so", "--", "./later", code=3)
        t.equal(sizes(t)[777], 100, "blocks")


@tap.case("a Rust program with an allocator written in C")
def _(t):
    tap.need("cc", "rustc")
    tap.run("cc", "-O2", "-c", "-o", "own.o", LIVE / "own_allocator.c", cwd=t.folder)
    (t.folder / "own.rs").write_text("""use std::alloc::{GlobalAlloc, Layout};
extern "C" {
    fn my_alloc(size: usize) -> *mut u8;
    fn my_release(block: *mut u8);
}
struct Own;
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 { my_alloc(layout.size()) }
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) { my_release(block) }
}
#[global_allocator]
static OWN: Own = Own;
fn main() {
    for _ in 0..500 { std::hint::black_box(Box::new([1u8; 3333])); }
}
""")
    tap.run("rustc", "-O", "-C", "link-arg=own.o", "own.rs", cwd=t.folder)
    for by in users(t):
        recorded(t, by, "--heap-symbols=my_alloc=malloc,my_release=free", "--", "./own")
        t.equal(sizes(t)[3333], 500, "blocks")
        recorded(t, by, "--heap-symbols=my_alloc=malloc,my_release=free", "--heap-sample=64K", "--", "./own")
        t.within(sizes(t)[3333], 1, 100, "blocks of a sample")


@tap.case("running processes need uprobes")
def _(t):
    tap.need("cc")
    user = heap_totals.as_user(t)
    if not user and heap_totals.has_uprobes():
        raise tap.Skip("this user may use uprobes")
    (t.folder / "wait.c").write_text("#include <unistd.h>\nint main(void) { return (int)sleep(60); }\n")
    tap.run("cc", "-o", "wait", "wait.c", cwd=t.folder)
    with subprocess.Popen([*user, "./wait"], cwd=t.folder) as running:
        try:
            time.sleep(0.5)  # setpriv runs it
            came = tap.run(*user, tap.WICK, "record", "--heap-symbols=main=malloc", "-p", running.pid, check=False,
                           cwd=t.folder)
        finally:
            running.kill()
    t.true(came.returncode and "running processes need uprobes; uprobes may be used by root only" in came.stderr,
           came.stderr)


@tap.case("what cannot be recorded is an error")
def _(t):
    for words, sentence in ((["--heap-symbols", "--", "true"], "has no functions of an allocator"),
                            (["--heap-symbols=x=", "--", "true"], "must be a prefix"),
                            (["--heap-symbols=./none", "--", "true"], "is not a program or library")):
        came = t.wick("record", *words, check=False)
        t.true(came.returncode != 0 and sentence in came.stderr, f"{words}: {came.stderr}")


tap.run_all()
