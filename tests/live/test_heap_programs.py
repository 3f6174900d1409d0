#!/usr/bin/env python3
"""Programs of all kinds while their heap is recorded: they print and end as ever."""
import os
import pathlib
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


@tap.case("a static program is unharmed")
def _(t):
    heap_totals.compare_run(t, [compiled(t, "-static")], "wick.data")


@tap.case("a program of musl is unharmed")
def _(t):
    heap_totals.compare_run(t, [compiled(t, compiler="musl-gcc")], "wick.data")


@tap.case("a program of 32 bits is unharmed")
def _(t):
    said = heap_totals.compare_run(t, [compiled(t, "-m32")], "wick.data")
    t.true("hello" not in said, said)


@tap.case("a program that becomes another user's is unharmed")
def _(t):
    program = compiled(t)
    if os.geteuid() != 0:
        raise tap.Skip("only root can make such a program")
    os.chown(program, 65534, 65534)
    program.chmod(0o6755)
    t.folder.chmod(0o755)
    heap_totals.compare_run(t, [program], "wick.data")


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

tap.run_all()
