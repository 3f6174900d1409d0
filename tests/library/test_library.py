#!/usr/bin/env python3
"""libwick as it is installed: its ABI, its header, the examples, and Python's ctypes. TAP."""
import collections
import ctypes
import os
import re

import installed
import tap

INLINED = """
#include <stdlib.h>
static inline __attribute__((always_inline)) int twice(int x)
{
	return rand() * x; /* line 5 */
}

__attribute__((noinline)) int hot(int x)
{
	return twice(x) + 1; /* line 10 */
}

int main(int argc, char **argv)
{
	(void)argv;
	return hot(argc) == 0;
}
"""


BURN = """
#include <time.h>
__attribute__((noinline)) unsigned burn(unsigned x)
{
	struct timespec now = { 0 };

	while (now.tv_sec == 0 && now.tv_nsec < 400000000) {
		for (int i = 0; i < 1000000; i++)
			x = x * 1664525 + 1013904223;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	}
	return x;
}

int main(void)
{
	return burn(1) == 1 ? 1 : 7;
}
"""


def expected(name):
    return (installed.tap.ROOT / "tests" / "library" / name).read_text().splitlines()


@tap.case("exactly the functions of exports.txt are exported")
def _(t):
    tap.need("nm")
    lines = tap.run("nm", "-D", "--defined-only", installed.library()).stdout.splitlines()
    names = [line.split()[2].split("@")[0] for line in lines if line.split()[1] in "TDBRVW"]
    t.equal(sorted(names), expected("exports.txt"), "exported symbols")


@tap.case("the header declares exactly the functions of exports.txt")
def _(t):
    header = next(installed.root().rglob("wick/wick.h")).read_text()
    declared = re.findall(r"^WICK_API [^;]*?(wick_\w+)\(", header, re.M)
    t.equal(sorted(declared), expected("exports.txt"), "declared functions")


@tap.case("structs keep their sizes")
def _(t):
    program = installed.compiled(t, tap.ROOT / "tests" / "library" / "abi.c")
    t.equal(installed.ran(program).stdout.splitlines(), expected("abi.txt"), "ABI")


@tap.case("the SONAME is libwick.so.0")
def _(t):
    tap.need("readelf")
    dynamic = tap.run("readelf", "-d", installed.library()).stdout
    t.equal(re.findall(r"SONAME.*\[(.*)\]", dynamic), ["libwick.so.0"], "SONAME")


@tap.case("programs that use the shared library need no other package")
def _(t):
    t.equal(installed.pkg_config("--print-requires", "--print-requires-private"), [], "packages")
    t.equal(len(installed.pkg_config("--cflags")), 1, "flags of the compiler")


@tap.case("headers compile alone as C99 and as C++11, without a warning")
def _(t):
    headers = sorted(installed.root().rglob("wick/*.h"))
    t.equal([header.name for header in headers], ["mark.h", "wick.h"], "headers")
    for header in headers:
        for words in (["cc", "-x", "c", "-std=c99"], ["c++", "-x", "c++", "-std=c++11"]):
            tap.need(words[0])
            tap.run(*words, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", header)


@tap.case("examples have 60 lines at most and include only a public header of wick")
def _(t):
    for example in installed.EXAMPLES.glob("*.c"):
        text = example.read_text()
        t.within(len(text.splitlines()), 1, 60, example.name)
        header = "wick/mark.h" if example.stem == "snapshots" else "wick/wick.h"
        t.equal(re.findall(r'#include ["<](.*wick.*|.*".*)[">]', text), [header],
                f"includes of {example.name}")


@tap.case("a program that marks moments needs no library")
def _(t):
    for compiler in "cc", "c++":
        tap.need(compiler)
        source = t.folder / "marks.c"
        source.write_text("#include <wick/mark.h>\n"
                          "int main() { wick_mark(\"one\"); wick_heap_snapshot(\"two\"); return 0; }\n")
        tap.run(compiler, *installed.pkg_config("--cflags"), source, "-o", t.folder / "marks")
        needed = tap.run("readelf", "-d", t.folder / "marks").stdout
        t.true("wick" not in needed, f"needs wick: {needed}")
        tap.run(t.folder / "marks")


def check_addresses(t, compiler):
    program = installed.compiled(t, installed.EXAMPLES / "addresses.c", compiler)
    source = t.folder / "target.c"
    source.write_text(INLINED)
    tap.need("cc")
    tap.run("cc", "-g", "-O1", source, "-o", t.folder / "target")
    symbols = tap.run("nm", t.folder / "target").stdout
    hot = int(re.search(r"(\w+) T hot", symbols).group(1), 16)
    answers = installed.ran(program, t.folder / "target", *[f"{hot + i:x}" for i in range(12)],
                            "0").stdout
    t.true(f"  twice at {source}:5 (inlined)\n  hot at {source}:10\n" in answers,
           f"no inlined call in {answers}")
    t.true(f"  hot at {source}:9\n" in answers or f"  hot at {source}:10\n" in answers, answers)
    t.equal(answers.splitlines()[-1], "  ??", "address 0")


@tap.case("addresses to lines, in C")
def _(t):
    check_addresses(t, "cc")


@tap.case("addresses to lines, in C++")
def _(t):
    check_addresses(t, "c++")


@tap.case("addresses of a running process")
def _(t):
    wick = installed.loaded()
    context = wick.wick_context_new(None, None)
    symbols = wick.wick_symbols_new(context, None)
    address = ctypes.cast(wick.wick_version, ctypes.c_void_p).value
    names = []
    take = installed.TAKE_FRAME(lambda user, frame: names.append(frame.contents.function) is None)
    t.true(wick.wick_symbols_of_process(symbols, os.getpid(), address, take, None, None), "failed")
    t.equal(names, [b"wick_version"], "functions")
    error = installed.Error()
    t.true(not wick.wick_symbols_of_process(symbols, 2 ** 30, address, take, None,
                                            ctypes.byref(error)), "a process that is not there")
    t.equal((error.code, error.text), (4, b"there is no process 1073741824"), "error")
    wick.wick_symbols_free(symbols)
    wick.wick_context_free(context)


@tap.case("events are those of `wick dump`, and a callback can end them")
def _(t):
    wick = installed.loaded()
    context = wick.wick_context_new(None, None)
    path = str(installed.DATA / "shop.data")
    lines, error = [], installed.Error()
    take = installed.TAKE_EVENT(lambda user, event:
                                lines.append(wick.wick_event_text(event).decode()) is None)
    t.true(wick.wick_read_events(context, path.encode(), None, take, None, ctypes.byref(error)),
           error.text)
    t.equal("\n".join(lines) + "\n", t.wick("dump", path).stdout, "events")
    take = installed.TAKE_EVENT(lambda user, event: False)
    t.true(not wick.wick_read_events(context, path.encode(), None, take, None,
                                     ctypes.byref(error)), "not stopped")
    t.equal(error.code, 12, "code")
    take = installed.TAKE_EVENT(lambda user, event: True)
    t.true(not wick.wick_read_events(context, b"nowhere", None, take, None, ctypes.byref(error)),
           "a file that is not there")
    t.equal((error.code, error.offset, error.text),
            (4, 2 ** 64 - 1, b"cannot open nowhere: No such file or directory"), "error")
    wick.wick_context_free(context)


@tap.case("formats are those of `wick formats`")
def _(t):
    wick = installed.loaded()
    names, listed = [], t.wick("formats").stdout
    while wick.wick_input_format(len(names)):
        names.append(wick.wick_input_format(len(names)).decode())
    t.within(len(names), 30, 100, "formats")
    for name in names:
        t.true(re.search(rf"^\s*{re.escape(name)}\b", listed, re.M), f"no {name} in {listed}")


@tap.case("options of older and newer programs are accepted, and those without a size refused")
def _(t):
    wick = installed.loaded()
    error = installed.Error()
    for size, length in ((8, 8), (40, 40), (4096, 4096)):
        options = ctypes.create_string_buffer(length)
        options[:8] = size.to_bytes(8, "little")
        context = wick.wick_context_new(options, ctypes.byref(error))
        t.true(context, f"size {size}: {error.text}")
        wick.wick_context_free(context)
    t.true(not wick.wick_context_new(ctypes.create_string_buffer(64), ctypes.byref(error)),
           "size 0 was accepted")
    t.equal((error.code, error.text), (6, b"the options do not begin with their size"), "error")


def check_hottest(t, compiler, static=False):
    program = installed.compiled(t, installed.EXAMPLES / "hottest.c", compiler, static=static)
    if static:
        tap.need("readelf")
        dynamic = tap.run("readelf", "-d", program).stdout
        t.true("libwick" not in dynamic, f"libwick.so is in use: {dynamic}")
    t.equal(installed.ran(program, installed.DATA / "shop.data").stdout,
            " 84.9 %  count_coins\n 15.1 %  weigh_flour\n", "functions")
    failed = installed.ran(program, "nowhere", check=False)
    t.equal((failed.returncode, failed.stderr),
            (1, "hottest: cannot open nowhere: No such file or directory\n"), "a missing file")


@tap.case("hottest functions of a file, in C")
def _(t):
    check_hottest(t, "cc")


@tap.case("hottest functions of a file, in C++")
def _(t):
    check_hottest(t, "c++")


@tap.case("hottest functions of a file, with the static library")
def _(t):
    check_hottest(t, "cc", static=True)


def check_record(t, compiler):
    program = installed.compiled(t, installed.EXAMPLES / "record.c", compiler)
    source = t.folder / "burn.c"
    source.write_text(BURN)
    tap.run("cc", "-g", "-O1", "-fno-inline", source, "-o", t.folder / "burn")
    done = installed.ran(program, t.folder / "burn", cwd=t.folder, check=False)
    if done.returncode and "samples" not in done.stderr:
        raise tap.Skip(done.stderr.strip())
    samples, lost, code = map(int, re.search(r"(\d+) samples, (\d+) lost; the command returned "
                                             r"(\d+)", done.stderr).groups())
    t.equal(code, 7, "exit code")
    counts = [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1]))
              for line in done.stdout.splitlines()]
    burning = sum(count for stack, count in counts if stack[-1] == "burn")
    through = sum(count for stack, count in counts if stack[0] == "burn" and "main" in stack
                  and stack[-1] == "burn")
    t.equal(sum(count for stack, count in counts), samples, "samples in the stacks")
    t.within(burning / samples, 0.8, 1, "share of the function that burns")
    t.equal(through, burning, "stacks that go through main")


@tap.case("record a child and print its flame graph, in C")
def _(t):
    check_record(t, "cc")


@tap.case("record a child and print its flame graph, in C++")
def _(t):
    check_record(t, "c++")


def called(t, recording):
    """The names of functions that a recording contains, whether or not its files are there."""
    return re.findall(r'^calls .* function="(\w+)"', t.wick("dump", recording).stdout, re.MULTILINE)


@tap.case("record a child without names, which are in the file otherwise")
def _(t):
    check_record(t, "cc")
    t.true("burn" in called(t, t.folder / "record.data"), "names by default")
    program = installed.compiled(t, tap.ROOT / "tests/library/no_embed.c", "cc")
    done = installed.ran(program, t.folder / "bare.data", t.folder / "burn", check=False)
    if done.returncode == 77:
        raise tap.Skip(done.stderr.strip())
    t.equal(done.returncode, 0, "exit code")
    t.equal(called(t, t.folder / "bare.data"), [], "names with no_embed")


@tap.case("memory that runs out while recording leaves nothing behind")
def _(t):
    folder = tap.ROOT / "tests"
    program = installed.compiled(t, folder / "library" / "record_memory.c", "cc",
                                 "-I", str(folder / "unit"), "-D_DEFAULT_SOURCE")
    done = installed.ran(program, t.folder / "wick.data", check=False)
    if done.returncode == 77:
        raise tap.Skip(done.stderr.strip())
    t.equal((done.returncode, done.stderr), (0, ""), "the attempts")
    t.within(int(done.stdout), 40, 1000, "attempts that ran out of memory")


@tap.case("samples, stacks and pictures, from Python")
def _(t):
    wick = installed.loaded()
    context = wick.wick_context_new(None, None)
    path = str(installed.DATA / "shop.data")
    profile = wick.wick_open(context, path.encode(), None, None)
    sample, frame = installed.Sample(), installed.Frame()
    sample.size, frame.size = ctypes.sizeof(sample), ctypes.sizeof(frame)
    stacks, index = collections.Counter(), 0
    while wick.wick_sample_at(profile, index, ctypes.byref(sample)):
        names, stack = [], sample.stack
        while stack:
            stack = wick.wick_frame_at(profile, stack, ctypes.byref(frame))
            names.append(frame.function)
        stacks[b";".join([sample.process, *reversed(names)])] += sample.count
        index += 1
    folded = b"".join(b"%s %d\n" % row for row in sorted(stacks.items()))
    t.equal(folded.decode(), t.wick("fold", "-q", path).stdout, "stacks")
    t.equal(installed.rendered(wick, profile, "folded"), folded, "folded text")
    for form, words in (("speedscope", ["export", "-q", "--to", "speedscope"]),
                        ("firefox", ["export", "-q", "--to", "firefox"]),
                        ("csv", ["show", "--csv"]), ("json", ["show", "--json"])):
        t.equal(installed.rendered(wick, profile, form).decode(), t.wick(*words, path).stdout, form)
    t.true(installed.rendered(wick, profile, "svg").startswith(b"<?xml"), "svg")
    t.true(len(installed.rendered(wick, profile, "pprof")) > 200, "pprof")
    formats = [form.decode() for form in
               iter(lambda n=iter(range(99)): wick.wick_output_format(next(n)), None)]
    t.equal(formats, ["svg", "folded", "text", "csv", "json", "firefox", "pprof", "speedscope"],
            "formats")
    wick.wick_close(profile)
    wick.wick_context_free(context)


@tap.case("numbers have a decimal point in every locale")
def _(t):
    tap.need("localedef")
    locales = t.folder / "locales"
    locales.mkdir()
    tap.run("localedef", "-i", "de_DE", "-f", "UTF-8", locales / "de_DE.UTF-8", check=False)
    if not (locales / "de_DE.UTF-8" / "LC_NUMERIC").exists():
        raise tap.Skip("localedef cannot make de_DE.UTF-8 here")
    program = installed.compiled(t, tap.ROOT / "tests" / "library" / "locale.c")
    pictures = [tap.run(program, installed.DATA / "shop.data", seconds=60,
                        env=installed.environment() | {"LOCPATH": str(locales), "LC_ALL": name})
                .stdout for name in ("C", "de_DE.UTF-8")]
    t.equal([picture.splitlines()[0] for picture in pictures], ["1.5", "1,5"], "locale")
    t.equal(*[picture.splitlines()[1:] for picture in pictures], "pictures")


tap.run_all(needs_recording=False)
