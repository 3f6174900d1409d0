#!/usr/bin/env python3
"""Random addresses of an sqlite with a PDB to functions, inlined calls and lines: wick symbolize
beside llvm-symbolizer. CPU seconds, milliseconds to the first answer, and how the answers agree.

    bench/pdb.py [SQLITE.c [COUNT]]    SQLITE.c: sqlite in one file (SQLITE names it, too; without
                                       both npm is asked for its better-sqlite3), COUNT: addresses
                                       (10000)

clang builds the program for Windows once, with CodeView and with DWARF, and lld-link makes of it one
image with a PDB and one with DWARF. Where the two programs differ on the PDB, what llvm-symbolizer says
of the DWARF is the judge: before version 16 it shows inlined lines of PDBs a row late."""
import os
import random
import struct
import subprocess
import sys

from common import ROOT, WICK, answers_cost, first_answer, folder, need, run, skip
sys.path.insert(0, os.path.join(ROOT, "tests", "oracle"))
import answers  # noqa: E402

SAYS = ["llvm-symbolizer", "--output-style=GNU", "--relative-address", "-a", "-f", "-i",
        "--no-demangle", "-e"]
LIBRARIES = ("mingwex", "msvcrt", "kernel32", "gcc")


def source(place):
    if len(sys.argv) > 1 or "SQLITE" in os.environ:
        return sys.argv[1] if len(sys.argv) > 1 else os.environ["SQLITE"]
    if run(["npm", "pack", "better-sqlite3"], cwd=place, check=False).returncode:
        skip("there is no sqlite in one file: say where, and npm has no better-sqlite3")
    run("tar xzf better-sqlite3-*.tgz", cwd=place, shell=True)
    return os.path.join(place, "package", "deps", "sqlite3", "sqlite3.c")


def library(name):
    return run(["x86_64-w64-mingw32-gcc", f"-print-file-name=lib{name}.a"]).stdout.decode().strip()


def build(place):
    """An image with a PDB, and the same code with DWARF."""
    run(["clang", "--target=x86_64-w64-windows-gnu", "-O2", "-g", "-gcodeview", "-gdwarf",
         "-DSQLITE_THREADSAFE=0", "-c", source(place), "-o", "sqlite3.obj"], cwd=place)
    made = []
    for name, how in ("sqlite3", "/debug"), ("dwarf", "/debug:dwarf"):
        run(["lld-link", "/nologo", "/lldmingw", "/nodefaultlib", "/dll", "/noentry", "/opt:noref",
             "/Brepro", how, "/pdbaltpath:%_PDB%", f"/out:{name}.dll", "sqlite3.obj",
             *map(library, LIBRARIES)], cwd=place)
        made.append(os.path.join(place, name + ".dll"))
    run(["llvm-objcopy", "--strip-debug", made[0]])
    return made


def code_of(image):
    """Begin and end of .text, counted from where the image is loaded."""
    with open(image, "rb") as file:
        data = file.read()
    head, = struct.unpack_from("<I", data, 0x3c)
    count, = struct.unpack_from("<H", data, head + 6)
    optional, = struct.unpack_from("<H", data, head + 20)
    for i in range(count):
        at = head + 24 + optional + 40 * i
        if data[at:at + 8].rstrip(b"\0") == b".text":
            size, begin = struct.unpack_from("<II", data, at + 8)
            return begin, begin + size
    raise SystemExit(f"{image} has no .text")


def kind_of(mine, answer, judge):
    if mine == answer:
        return "the same"
    if mine == judge:
        return "other lines; DWARF has wick's"
    if not any(answers.names(mine)) and answers.lines(answer) == [("", 0)]:
        return "nothing; llvm-symbolizer has the public in front, whose function ends before"
    if not answers.are_same_names(mine, answer):
        return "other functions"
    if len(judge) == len(mine) and all(map(lambda *of: of[0] in of[1:], mine, answer, judge)):
        return "other lines; each as the PDB or DWARF has it"
    if any(line == 0 for _, line in answers.lines(judge)):
        return "other lines, the same functions; DWARF has no line"
    return "other lines, the same functions"


def agreement(ours, theirs, judge):
    """How many answers are the same, and whose the others are."""
    kinds = {}
    for address, answer in theirs.items():
        kind = kind_of(ours.get(address), answer, judge.get(address))
        kinds.setdefault(kind, []).append(address)
    for kind, found in sorted(kinds.items(), key=lambda row: -len(row[1])):
        print(f"answers: {len(found)} {kind}")
        for address in found[:int(os.environ.get("SHOW", "0")) if kind != "the same" else 0]:
            print(f"    {address:#x}: wick {ours.get(address)}\n      PDB {theirs[address]}\n"
                  f"      DWARF {judge.get(address)}")


def main():
    need("clang", "lld-link", "llvm-symbolizer", "llvm-objcopy", "x86_64-w64-mingw32-gcc")
    place = folder()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    image, dwarf = build(place)
    begin, end = code_of(image)
    chance = random.Random(5)
    addresses = [chance.randrange(begin, end) for _ in range(count)]
    asked = os.path.join(place, "addresses")
    with open(asked, "w", encoding="ascii") as file:
        file.writelines(f"{address:#x}\n" for address in addresses)
    print(f"image: {os.path.getsize(image)} bytes, PDB: {os.path.getsize(image[:-3] + 'pdb')} "
          f"bytes, code: {end - begin} bytes; {count} addresses")

    cache = os.path.join(place, "cache")
    environment = dict(os.environ, WICK_CACHE_DIR=cache)
    wick = [WICK, "symbolize", "-a", "-e", image]
    cold = answers_cost(wick, asked, environment, 9, cache)
    print(f"wick, cold cache: {cold:.3f} CPU s")
    print(f"wick, warm cache: {answers_cost(wick, asked, environment, 9):.3f} CPU s")
    for what, forget in ("cold", cache), ("warm", None):
        print(f"first answer, {what}: least of 40: "
              f"{first_answer(wick, addresses[0], environment, 40, forget):.1f} ms")
    theirs = answers_cost([*SAYS, image], asked, environment, 1)
    print(f"llvm-symbolizer: {theirs:.3f} CPU s\ntimes as fast, cold: {theirs / cold:.0f}")
    agreement(answers.ask([WICK, *answers.WICK_SAYS], image, addresses, env=environment),
              answers.ask(SAYS, image, addresses), answers.ask(SAYS, dwarf, addresses))


main()
