#!/usr/bin/env python3
"""Programs of all kinds while their heap is recorded: they print and end as ever."""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heap_totals  # noqa: E402
import tap  # noqa: E402

LIVE = tap.ROOT / "tests" / "live"
HELLO = '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n' \
    'int main(void) { char *a = malloc(100); strcpy(a, "hello"); a = realloc(a, 5000); puts(a);' \
    ' free(a); return 3; }\n'


def unharmed(name, *words, least=1, programs=None, files=None):
    """The program prints and returns the same; at least so many allocations are recorded."""
    def run(t):
        tap.need(*(programs or [words[0]]))
        for path, text in (files or {}).items():
            (t.folder / path).write_text(text)
        heap_totals.compare_run(t, words, "wick.data", seconds=300)
        allocations, has_missed, notes = heap_totals.summed(t, "wick.data")
        t.true(allocations >= least, f"expected {least} allocations, came {allocations}")
        t.true(not has_missed, "releases were missed")
        t.equal(notes, [], "notes")
    tap.case(f"{name} is unharmed")(run)


unharmed("Python", "/usr/bin/python3", "-c",
         "import json, threading\nd = {str(i): [i] * 10 for i in range(20000)}\n"
         "t = threading.Thread(target=lambda: print(len(json.dumps(d))))\nt.start()\nt.join()",
         least=1000, programs=["/usr/bin/python3"])
unharmed("node", "node", "-e", "let a = []; for (let i = 0; i < 1e5; i++) a.push({i});"
         "console.log(JSON.stringify(a).length); process.exitCode = 4", least=1000)
unharmed("java", "java", "T.java", least=1000, files={
    "T.java": "public class T { public static void main(String[] a) { StringBuilder s = new "
              "StringBuilder(); for (int i = 0; i < 200000; i++) s.append(i); "
              "System.out.println(s.length()); System.exit(5); } }"})
unharmed("bash", "bash", "-c", "exec 3>three 4>four; for i in 1 2 3; do echo $(echo $i | sed s/1/x/);"
         " (echo $i >&3; echo $i >&4) & done; wait; sort three four; exit 6", least=100)
unharmed("sqlite3", "sqlite3", ":memory:",
         "create table t(a, b); with recursive c(i) as (select 1 union all select i + 1 from c where "
         "i < 20000) insert into t select i, hex(i) || i from c; select count(*), sum(a) from t; "
         "select b from t order by b limit 3;", least=1000)
unharmed("cc1", "gcc", "-O2", "-S", "-o", "-", "hello.c", least=1000, files={"hello.c": HELLO})
unharmed("rustc", "rustc", "-O", "--emit=obj", "-o", "h.o", "h.rs", least=1000, files={
    "h.rs": "use std::collections::HashMap;\nfn main() { let mut m = HashMap::new(); for i in "
            "0..9 { m.insert(i, i); } println!(\"{}\", m.len()); }\n"})
unharmed("git", "git", "--no-pager", "-C", str(tap.ROOT), "diff", "--no-index", "--stat",
         "README.md", "CONTRIBUTING.md", least=10)
unharmed("perl", "perl", "-e", 'my %h; $h{$_} = "x" x $_ for 1..1000; print scalar(keys %h), "\\n"',
         least=100)
unharmed("a program without its environment", "env", "-i", "/bin/echo", "hello")


def compiled(t, *options, text=HELLO, compiler="cc"):
    tap.need(compiler)
    (t.folder / "hello.c").write_text(text)
    done = tap.run(compiler, "-O1", "-o", "hello", "hello.c", *options, cwd=t.folder, check=False)
    if done.returncode:
        raise tap.Skip(f"{compiler} {' '.join(options)}: {done.stderr.splitlines()[0]}")
    return t.folder / "hello"


def expect_named(t, words, *sentences):
    """The program is unharmed, and these are what wick says of programs that it did not record."""
    said = heap_totals.compare_run(t, words, "wick.data")
    came = [line for line in said.splitlines() if "not recorded" in line or "not sampled" in line]
    expected = [f"wick: {sentence}" if RIGHTS in sentence or "-F 997" in sentence else
                f"wick: {sentence}, or use --memory{'' if ' allocates with ' in sentence else ' as root'}, which records "
                "what it maps" for sentence in sentences]
    t.equal(came, expected, "what is not recorded")


def unrecorded(program, reason):
    return f"the heap of {program} was not recorded: {reason}"


def as_root(program):
    root = "" if os.geteuid() == 0 else " as root"
    return f"record it{root}, if it is not stripped, with --heap-symbols={program}"


def static(program):
    return unrecorded(program, f"it is linked statically; link it dynamically, {as_root(program)}")


RIGHTS = "it runs with more rights than its user (setuid, setgid or capabilities); record a copy " \
    "without them"


@tap.case("a static program is unharmed, and named")
def _(t):
    for options in ["-static"], ["-static-pie"]:
        program = compiled(t, *options)
        expect_named(t, ["env", program], static(program))


@tap.case("a static program that runs often is named once, what runs it is recorded")
def _(t):
    program = compiled(t, "-static")
    expect_named(t, ["bash", "-c", f"{program}; {program}; exit 5"], static(program))
    t.true(heap_totals.summed(t, "wick.data")[0] > 10, "the shell was not recorded")


@tap.case("a recording without any allocation says that programs may not have been recorded")
def _(t):
    t.wick("record", "-q", "--heap", "-o", "wick.data", "--", compiled(t, "-static", "-s"), check=False)
    came = t.wick("show", "wick.data", "heap", check=False)
    t.equal(came.returncode, 1, "exit code")
    t.true("if a program could not be, `wick record` named it" in came.stderr, came.stderr)
    facts = {row["key"]: row["value"] for row in t.csv("show", "wick.data", "system")}
    t.equal(facts.get("heap"), "each block", "what was asked for")


@tap.case("many programs that are not recorded are counted")
def _(t):
    program = compiled(t, "-static")
    copies = [t.folder / f"copy{i}" for i in range(11)]
    for copy in copies:
        copy.write_bytes(program.read_bytes())
        copy.chmod(0o755)
    said = heap_totals.compare_run(t, ["bash", "-c", ";".join(map(str, copies))], "wick.data")
    t.equal(said.count("is linked statically"), 8, "sentences")
    t.true("wick: 3 more programs were not recorded" in said, said)


@tap.case("a program of musl is unharmed, and recorded")
def _(t):
    program = compiled(t, compiler="musl-gcc")
    expect_named(t, [program])
    t.true(heap_totals.summed(t, "wick.data")[0] >= 2, "nothing was recorded")


@tap.case("a static program of musl is named")
def _(t):
    program = compiled(t, "-static", compiler="musl-gcc")
    expect_named(t, ["env", program], static(program))


@tap.case("a program of another C library is named")
def _(t):
    program = compiled(t)
    tap.need("ldd")
    loader = next(word for word in tap.run("ldd", program).stdout.split() if "/ld-linux" in word)
    other = t.folder / "other-libc.so.1"
    other.symlink_to(loader)
    program = compiled(t, f"-Wl,-dynamic-linker,{other}")
    expect_named(t, ["env", "-u", "LD_PRELOAD", program], unrecorded(
        program, "its C library is not glibc (other-libc.so.1); link it with glibc"))


@tap.case("a program of 32 bits is unharmed")
def _(t):
    said = heap_totals.compare_run(t, [compiled(t, "-m32")], "wick.data")
    t.true("hello" not in said.splitlines(), said)
    t.equal(said.count("it is a 32-bit program"), 1, f"sentences in {said}")


@tap.case("a program of 32 bits is named")
def _(t):
    text = 'void _start(void) { __asm__ volatile("mov $1,%eax; mov $7,%ebx; int $0x80"); }\n'
    program = compiled(t, "-m32", "-nostdlib", "-static", text=text)
    if tap.run(program, check=False).returncode != 7:
        raise tap.Skip("no programs of 32 bits run here")
    expect_named(t, [program], unrecorded(program,
                                          "it is a 32-bit program; build it for 64 bits, "
                                          "or use -F 997 without --heap"))


@tap.case("a program that becomes another user's or group's is unharmed, and named")
def _(t):
    program = compiled(t)
    if os.geteuid() != 0:
        raise tap.Skip("only root can make such a program")
    os.chown(program, 65534, 65534)
    t.folder.chmod(0o755)
    for mode in 0o6755, 0o4755, 0o2755:
        program.chmod(mode)
        expect_named(t, [program], unrecorded("hello", RIGHTS))


@tap.case("a program with capabilities is unharmed, and named")
def _(t):
    setcap = shutil.which("setcap", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    tap.need(setcap or "setcap", "setpriv")
    program = compiled(t)
    if os.geteuid() != 0 or tap.run(setcap, "cap_net_raw+ep", program, check=False).returncode:
        raise tap.Skip("no such program can be made here")
    t.folder.chmod(0o777)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if tap.run(*user, tap.WICK, "--version", check=False).returncode:
        raise tap.Skip("another user may not run wick here")
    done = tap.run(*user, tap.WICK, "record", "--heap", "-o", "x.data", "--", program, check=False,
                   cwd=t.folder)
    t.equal((done.stdout, done.returncode), ("hello\n", 3), "what the program prints")
    t.equal(done.stderr.count(unrecorded("hello", RIGHTS)), 1, f"sentences in {done.stderr}")


ALLOCATING = '#include <stdio.h>\nstatic char pool[1 << 20];\nstatic unsigned long used;\n' \
    '__attribute__((noinline)) void *NAME(unsigned long n) { used += (n + 15) / 16 * 16; return pool' \
    ' + used - (n + 15) / 16 * 16; }\nint main(void) { char *a = NAME(100); sprintf(a, "hello"); ' \
    'puts(a); return 3; }\n'


@tap.case("stacks are whole in a program with holes between its segments")
def _(t):
    text = ("#include <stdlib.h>\n__attribute__((noinline)) void *inner(int n)"
            " { char *volatile p = malloc(n); return p + 1; }\n"
            "int main(void) { char *p = inner(1000); return *p * 0 + 3; }\n")
    for options in (["-Wl,-z,max-page-size=2097152"],
                    ["-no-pie", "-Wl,-z,max-page-size=2097152"]):
        program = compiled(t, "-fomit-frame-pointer", *options, text=text)
        heap_totals.compare_run(t, [program], "wick.data")
        t.equal(t.share_of_whole_stacks("wick.data"), 100.0, f"whole stacks with {options}")


@tap.case("a program with an allocator inside is unharmed, and named")
def _(t):
    for name, what in (("mi_malloc", "mimalloc (mi_malloc)"), ("tc_malloc", "tcmalloc (tc_malloc)"),
                       ("_rjem_malloc", "jemalloc (_rjem_malloc)"),
                       ("je_malloc", "jemalloc (je_malloc)"), ("malloc", "a malloc of its own")):
        program = compiled(t, "-fno-builtin", text=ALLOCATING.replace("NAME", name))
        expect_named(t, [program], f"{program} allocates with {what}, which is not recorded; "
                     f"{as_root(program)}, build it with the malloc of the C library")


@tap.case("jemalloc is named if it is in the program, and recorded if it is a library")
def _(t):
    program = compiled(t, "-l:libjemalloc.a", "-lpthread", "-ldl", "-lm", "-lstdc++")
    said = heap_totals.compare_run(t, [program], "wick.data")
    t.equal(said.count(f"{program} allocates with "), 1, f"sentences in {said}")
    program = compiled(t, "-Wl,--no-as-needed", "-ljemalloc")
    expect_named(t, [program])
    t.true(heap_totals.summed(t, "wick.data")[0] >= 2, "nothing was recorded")


@tap.case("a program that is started without its environment is named")
def _(t):
    program = compiled(t)
    expect_named(t, ["env", "-i", program], unrecorded(
        program, "it was started without LD_PRELOAD (as by `env -i`) or in another network namespace; "
        "start it without that"))
    expect_named(t, [program])


@tap.case("a program under the address sanitizer is unharmed, and its report is there")
def _(t):
    os.environ.pop("ASAN_OPTIONS", None)
    # Its own library wants to be the first.
    heap_totals.compare_run(t, [compiled(t, "-fsanitize=address")], "wick.data")
    faulty = HELLO.replace("return 3", "return a[0]")
    said = heap_totals.compare_run(t, [compiled(t, "-fsanitize=address", text=faulty)], "wick.data")
    t.true("heap-use-after-free" in said, f"expected the sanitizer's report, came {said[:300]}")


ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4",
              "mimalloc": "libmimalloc.so.2"}


def preloaded(name, library):
    @tap.case(f"{name} in front of the C library: programs are unharmed, and the totals are theirs")
    def _(t):
        found = next((path for path in (pathlib.Path("/usr/lib/x86_64-linux-gnu") / library,
                                        pathlib.Path("/usr/lib") / library) if path.exists()), None)
        if not found:
            raise tap.Skip(f"{library} is not installed")
        os.environ["LD_PRELOAD"] = str(found)
        try:
            for program, case in (("heap_calls", "moves"), ("heap_threads", "reuse"),
                                  ("heap_threads", "elsewhere"), ("heap_threads", "short"),
                                  ("heap_processes", "generations")):
                (t.folder / "log").unlink(missing_ok=True)
                heap_totals.compare(t, program, case, roots=["main", "allocate_a_little", "take_and_give"])
        finally:
            del os.environ["LD_PRELOAD"]


for _name, _library in ALLOCATORS.items():
    preloaded(_name, _library)

VARIABLE_FRAMES = r"""
#include <alloca.h>
#include <stdlib.h>

#define APART  __attribute__((noinline))
#define KEEP(pointer) __asm__ volatile("" ::"r"(pointer))
#define NOT_LAST      __asm__ volatile("")

APART void allocates(int size)
{
	void *block = malloc(size);
	KEEP(block);
}

APART void inner(int size)
{
	allocates(size);
	NOT_LAST;
}

APART void variable(int room, int size)
{
	char *some = alloca(room);
	KEEP(some);
	inner(size);
	NOT_LAST;
}

APART void between(int room, int size)
{
	volatile char some[96];
	some[0] = 1;
	variable(room, size);
	NOT_LAST;
}

APART void outer(int is_between, int room, int next, int size)
{
	char *some = alloca(room);
	KEEP(some);
	if (is_between)
		between(next, size);
	else
		variable(next, size);
	NOT_LAST;
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		for (int j = 0; j < 16; j++)
			for (int k = 0; k < 16; k++)
				for (int way = 0; way < 2; way++)
					outer(!way, way ? 16 + 16 * j : 16, way ? 160 + 16 * k : 160,
					      way ? 3 : 1000);
	return 0;
}
"""


@tap.case("stacks of functions whose frames vary in size, where older return addresses still lie")
def _(t):
    for compiler, option in ("gcc", "-O0"), ("clang", "-O0"), ("gcc", "-fno-omit-frame-pointer"):
        if not shutil.which(compiler):
            continue
        program = compiled(t, "-fno-builtin", "-fno-optimize-sibling-calls", option,
                           text=VARIABLE_FRAMES, compiler=compiler)
        recording = t.record("--heap", "--", program)
        bytes_of = {}
        for line in t.wick("fold", recording, "--by", "heap").stdout.splitlines():
            stack, weight = line.rsplit(" ", 1)
            if stack.endswith(";allocates"):
                bytes_of["between" in stack.split(";")] = int(weight)
        t.equal(bytes_of, {True: 25600 * 1000, False: 25600 * 3}, f"bytes, {compiler} {option}")


MAPS_MUCH = """
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	size_t bytes = (size_t)atoi(argv[1]) << 20, some = 1 << 20;
	char *pages = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *block = malloc(some);
	memset(pages, argc, bytes);
	memset(block, argc, some);
	return pages[argc] - block[argc];
}
"""


@tap.case("a heap that is a small part of a program's memory is called that")
def _(t):
    program = compiled(t, text=MAPS_MUCH)
    words = "the largest process had"
    shown = t.wick("show", t.record("--heap", "--", program, "200"), "heap").stdout
    t.true(words in shown and "`wick record --memory -- COMMAND`" in shown, shown)
    recording = t.record("--heap", "--memory", "--", program, "200")
    t.true(f"`wick show {recording} memory`" in t.wick("show", recording, "heap").stdout, "command")
    fact, = [row["value"] for row in t.csv("show", recording, "system")
             if row["key"] == "largest process"]
    t.within(int(fact.split("(")[1].split()[0]), 200 << 20, 240 << 20, "largest process")
    shown = t.wick("show", t.record("--heap", "--", program, "2"), "heap").stdout
    t.true(words not in shown, shown)


tap.run_all()
