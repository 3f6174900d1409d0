#!/usr/bin/env python3
"""What the symbol cache keeps of a program: is it taken back for that build alone, and as it is now?"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

SOURCE = "int %s(int a)\n{\n\treturn a * %d;\n}\nint main(int c, char **v)\n{\n\treturn %s(c) + !v;\n}\n"
ID = "-Wl,--build-id=0xdeadbeefcafe0123456789abcdef0123456789ab"


def build(t, name, function, *options, factor=3):
    tap.need("gcc", "nm", "readelf", "strip")
    (t.folder / f"{function}.c").write_text(SOURCE % (function, factor, function))
    tap.run("gcc", "-O0", "-g", "-fno-inline", ID, *options, "-o", name, f"{function}.c", cwd=t.folder)
    return t.folder / name


def address(program, function):
    for line in tap.run("nm", program).stdout.splitlines():
        words = line.split()
        if words[-1] == function:
            return "0x" + words[0]
    raise tap.Failure(f"{program} has no {function}")


def symbolized(t, program, at):
    env = os.environ | {"WICK_CACHE_DIR": str(t.folder / "kept")}
    return tap.run(tap.WICK, "symbolize", "-f", "-e", program, at, env=env, check=False).stdout


def asked(t, program, at, expected, what):
    said = symbolized(t, program, at)
    t.true(expected in said, f"{what}: expected {expected!r}, came {said!r}")


@tap.case("two builds with one build id each have their own names")
def _(t):
    one, two = build(t, "one", "first"), build(t, "two", "second_of_them", factor=70000)
    for _ in range(2):
        asked(t, one, address(one, "first"), "first", "one")
        asked(t, two, address(two, "second_of_them"), "second_of_them", "two")


@tap.case("a stripped twin has the names of the whole one, also where it is stripped in its place")
def _(t):
    whole = build(t, "whole", "named")
    at = address(whole, "named")
    asked(t, whole, at, "named.c:2", "whole")
    bare = t.folder / "bare"
    shutil.copy(whole, bare)
    tap.run("strip", "--strip-all", bare)
    asked(t, bare, at, "named.c:2", "a twin")
    tap.run("strip", "--strip-all", whole)
    asked(t, whole, at, "named.c:2", "stripped in its place")


@tap.case("the whole program has its names, although its stripped twin was seen first")
def _(t):
    whole = build(t, "whole", "named", "-g0", "-Wl,--export-dynamic-symbol=main")
    bare = t.folder / "bare"
    shutil.copy(whole, bare)
    tap.run("strip", "--strip-all", bare)
    at = address(whole, "named")
    asked(t, bare, address(whole, "main"), "main", "what the twin has")
    t.true("named" not in symbolized(t, bare, at), "the twin has the name")
    asked(t, whole, at, "named", "whole")
    asked(t, bare, at, "named", "the twin")


@tap.case("a program without a build id has an entry until it is built anew")
def _(t):
    plain = "-Wl,--build-id=none"
    program = build(t, "program", "earlier", plain)
    at = address(program, "earlier")
    asked(t, program, at, "earlier", "first")
    kept = list((t.folder / "kept").glob("*.wick"))
    t.equal(len(kept), 1, "entries")
    entry = kept[0].stat().st_ino
    asked(t, program, at, "earlier", "again")
    t.equal(kept[0].stat().st_ino, entry, "the entry that was found again")
    # In its place, with as many bytes.
    size = program.stat().st_size
    other = build(t, "other", "another", plain)
    t.equal(other.stat().st_size, size, "size of the other program")
    os.utime(program, ns=(1, 1))
    asked(t, program, at, "earlier", "with another time")
    program.write_bytes(other.read_bytes())
    os.utime(program, ns=(1, 1))  # as builds do that are to be equal byte by byte
    asked(t, program, address(program, "another"), "another", "built anew")


def damaged(program, good, section):
    """The program's bytes with zeros in the place of one section, as in a file that is half copied."""
    for line in tap.run("readelf", "-SW", program).stdout.splitlines():
        words = line.replace("[ ", "[").split()
        if words[1:2] == [section]:
            at, size = int(words[4], 16), int(words[5], 16)
            return good[:at] + bytes(size) + good[at + size:]
    raise tap.Failure(f"{program} has no {section}")


@tap.case("debug information that was broken and is mended is read again")
def _(t):
    program = build(t, "program", "mended")
    at = address(program, "mended")
    good = program.read_bytes()
    for section in ".debug_line", ".debug_info", ".debug_abbrev", ".debug_str":
        shutil.rmtree(t.folder / "kept", ignore_errors=True)
        program.write_bytes(damaged(program, good, section))
        symbolized(t, program, at)
        program.write_bytes(good)
        asked(t, program, at, "mended.c:2", f"{section} mended")
        asked(t, program, at, "mended.c:2", f"{section} kept")


tap.run_all(needs_recording=False)
