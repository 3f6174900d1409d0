#!/usr/bin/env python3
"""Programs without symbols: are their functions still functions?"""
import os
import pathlib
import platform
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


def stripped(t, program):
    """A copy of a program without its symbols, and with a name of its own."""
    tap.need("strip", "readelf", "nm")
    copy = t.folder / "bare"
    shutil.copy(program, copy)
    tap.run("strip", "--strip-all", copy)
    return copy


def file_offset(program, vaddr):
    for line in tap.run("readelf", "-lW", program).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, start, _, size = (int(word, 16) for word in words[1:5])
            if start <= vaddr < start + size:
                return offset + vaddr - start
    raise tap.Failure(f"{program}: no segment holds {vaddr:#x}")


def functions(program):
    """The functions of a program by .eh_frame, as ranges of file offsets."""
    frames = tap.run("readelf", "--debug-dump=frames", program).stdout
    ranges = []
    for words in re.findall(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)", frames):
        start, end = (int(word, 16) for word in words)
        offset = file_offset(program, start)
        ranges.append(range(offset, offset + end - start))
    return ranges


def unnamed(t, recording, program):
    """The rows of a program's functions without a name, by the offset that names them."""
    pattern = re.compile(re.escape(program.name) + r"\+0x([0-9a-f]+)")
    rows = {}
    for row in t.csv("show", "--addresses", recording, "functions"):
        match = pattern.fullmatch(row["function"])
        if match:
            rows[int(match.group(1), 16)] = row
    return rows


@tap.case("a hot function of a stripped program is one row, named by where it begins")
def _(t):
    whole = tap.program("live", "burn_30_70")
    bare = stripped(t, whole)
    rows = unnamed(t, t.record("--user-only", "--", bare, "2000"), bare)
    symbols = {words[2]: int(words[0], 16) for words in
               (line.split() for line in tap.run("nm", whole).stdout.splitlines()) if len(words) == 3}
    for name, share in ("burn_thirty", 30), ("burn_seventy", 70):
        offset = file_offset(whole, symbols[name])
        t.true(offset in rows, f"expected {name} at {offset:#x}, came {[hex(at) for at in rows]}")
        t.within(float(rows[offset]["self_percent"]), share - 4, share + 4, f"share of {name}")


@tap.case("a stripped program has no more functions than unwind entries")
def _(t):
    recording = t.record("--user-only", "--", tap.program("live", "burn_30_70"), "500", name="burn.data")
    bare = stripped(t, tap.WICK)
    rows = unnamed(t, t.record("--user-only", "-F", "5000", "--", bare, "show", recording), bare)
    known = functions(bare)
    begins = {function.start for function in known}
    t.true(len(begins & rows.keys()) >= 5, f"expected several functions, came {len(rows)}")
    # What the C runtime adds (_init, frame_dummy) has no entry: nobody knows where it begins.
    strays = [hex(at) for at in rows if at not in begins and any(at in function for function in known)]
    t.equal(strays, [], f"rows of {len(rows)} that are no function's begin")


@tap.case("a debug file beside a program that has ended gives it its names")
def _(t):
    tap.need("objcopy", "strip")
    program = t.folder / "short"
    shutil.copy(tap.program("live", "burn_30_70"), program)
    tap.run("objcopy", "--only-keep-debug", program, t.folder / "short.debug")
    tap.run("strip", "--strip-all", program)
    tap.run("objcopy", "--add-gnu-debuglink=short.debug", program, cwd=t.folder)
    no_cache = os.environ | {"WICK_CACHE_DIR": ""}
    for run in range(8):  # each has ended when its names are looked up, or not quite
        recording = t.record("--user-only", "-F", "2000", "--", program, "20", env=no_cache)
        program.rename(t.folder / "away")  # the recording has to have the names
        shown = t.wick("show", recording, "functions", "--all", env=no_cache).stdout
        (t.folder / "away").rename(program)
        t.true("burn_seventy" in shown, f"run {run}: came {shown}")


@tap.case("a flame graph with many functions without names points to wick symbols, with names it does not")
def _(t):
    whole = tap.program("live", "burn_30_70")
    bare = stripped(t, whole)
    for program, expected in (bare, 1), (whole, 0):
        said = t.wick("flame", "--user-only", "--", program, "300").stderr
        hints = len(re.findall(re.escape(program.name) + r" lacks symbols \(.*\); "
                               r"`wick symbols wick.data` shows", said))
        t.equal(hints, expected, f"hints for {program.name} in {said!r}")


# Code that a program makes itself, as a JIT compiler does: counts rcx down.
MAKES_CODE = """
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	static const unsigned char code[] = { 0xb9, 0, 0, 0, 0x60, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
	void *at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(at, code, sizeof(code));
	((void (*)(void))at)();
	return 0;
}
"""


@tap.case("JIT code is reported as such: no file is named that could be fixed")
def _(t):
    tap.need("gcc")
    if platform.machine() != "x86_64":
        raise tap.Skip("its code is that of x86-64")
    (t.folder / "maker.c").write_text(MAKES_CODE)
    tap.run("gcc", "-O1", "-o", "maker", "maker.c", cwd=t.folder)
    said = t.wick("flame", "--user-only", "-o", "jit.svg", "--", "./maker").stderr
    t.true("JIT code" in said and "wick doctor" not in said, said)


tap.run_all()
