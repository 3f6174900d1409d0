#!/usr/bin/env python3
"""Functions, inlined calls and lines beside addr2line and llvm-symbolizer, for one program as
compilers and tools leave it: every version of DWARF, split, packaged, packed, shared by dwz.

The two tools disagree with each other here and there, so an answer is right if either gives it.
Where debug information has no linkage name wick puts scopes before the name and they do not;
and llvm-symbolizer takes the outermost name from the symbol table, with its suffixes."""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / "inlined.cpp"
PLACES = tap.BUILD / "bench" / "dwarf"
STEP = 3


def code(program):
    """Addresses all over .text."""
    listing = tap.run("readelf", "-SW", program).stdout
    found = re.search(r"\] \.text +\S+ +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+)", listing)
    start, size = int(found[1], 16), int(found[2], 16)
    return [f"0x{address:x}" for address in range(start, start + size, STEP)]


def blocks(text, split_line):
    """A list of places for each address, which stands in a line of its own."""
    answers, lines = [], iter(text.splitlines())
    for line in lines:
        if re.fullmatch("0x[0-9a-f]+", line):
            answers.append([])
        elif line:
            answers[-1].append(split_line(line, lines))
    return answers


def of_wick(line, _):
    function, place = line.split("\t")
    return function, place.rsplit(":", 2)[0], place.rsplit(":", 2)[1]


def of_addr2line(line, lines):
    file, number = re.sub(r" \(discriminator \d+\)", "", next(lines)).rsplit(":", 1)
    return line, file, number


def of_llvm(line, lines):
    file, number, _ = next(lines).rsplit(":", 2)
    return line, file, number


def plain_name(name):
    """Without what the tools add (.cold, .isra.0) and the kind of constructor."""
    name = re.sub(r"(\.(constprop|isra|part|cold|lto_priv|[0-9]+))+$", "", name)
    return re.sub(r"([CD])[1234](E)", r"\1\2", name)


def is_same(ours, theirs):
    if len(ours) != len(theirs):
        return False
    for (name, file, line), (other, other_file, other_line) in zip(ours, theirs):
        if other_line.replace("?", "0") != line:
            return False
        if line != "0" and os.path.basename(file) != os.path.basename(other_file):
            return False
        name, other = plain_name(name), plain_name(other.replace("??", ""))
        if name != other and not name.endswith("::" + other) and \
                not (other.startswith("_Z") and not name.startswith("_Z")):
            return False
    return True


def known(places):
    return [place for place in places if place[0] not in ("", "??") or place[2] not in "0?"]


def compare(t, program, *options, at_least=0.999, calls=50):
    tap.need("addr2line", "llvm-symbolizer", "readelf")
    if not PLACES.exists():
        raise tap.Skip("bench/dwarf was not built")
    asked = "\n".join(code(program)) + "\n"
    ours = blocks(tap.run(PLACES, "-q", *options, program, input=asked).stdout, of_wick)
    gnu = blocks(tap.run("addr2line", "-afi", "-e", program, input=asked).stdout.replace(
        "0x" + "0" * 8, "0x"), of_addr2line)
    llvm = blocks(tap.run("llvm-symbolizer", "--no-demangle", "-a", "--obj=" + str(program),
                          input=asked).stdout, of_llvm)
    t.equal((len(gnu), len(llvm)), (len(ours), len(ours)), "answers of the tools")
    wrong = []
    inlined = 0
    counted = 0
    for address, mine, *others in zip(asked.split(), ours, gnu, llvm):
        mine = known(mine)
        # Start-up code has a symbol and no debug information.
        others = [known(other) for other in others]
        if not mine and any(all(place[2] in "0?" for place in other) for other in others):
            continue
        counted += 1
        inlined += len(mine) > 1
        if not any(is_same(mine, other) for other in others):
            wrong.append((address, mine, *others))
    t.true(counted > 200 and inlined >= calls, f"only {counted} answers, {inlined} of inlined calls")
    t.true(1 - len(wrong) / counted >= at_least,
           f"{len(wrong)} of {counted} answers differ; the first: {wrong[:1]}")


def build(t, compiler, *flags):
    tap.need(compiler)
    tap.run(compiler, "-std=c++17", *flags, "-o", "program", SOURCE, cwd=t.folder)
    return t.folder / "program"


def add_case(title, compiler, *flags):
    @tap.case(title)
    def _(t):
        compare(t, build(t, compiler, *flags))


for version in "2345":
    add_case(f"g++ -O2, DWARF {version}", "g++", "-O2", "-gdwarf-" + version)
    add_case(f"clang++ -O2, DWARF {version}", "clang++", "-O2", "-gdwarf-" + version)


@tap.case("g++ -O0")
def _(t):
    compare(t, build(t, "g++", "-O0", "-g"), calls=0)


add_case("g++ -O2 -flto", "g++", "-O2", "-g", "-flto", "-flto-partition=one")
add_case("g++, the 64-bit form", "g++", "-O2", "-gdwarf-5", "-gdwarf64")
add_case("g++, packed sections", "g++", "-O2", "-g", "-gz")
add_case("g++, functions thrown away by the linker", "g++", "-O2", "-g", "-ffunction-sections",
         "-Wl,--gc-sections")
add_case("clang++ and lld, functions thrown away and folded", "clang++", "-O2", "-g",
         "-ffunction-sections", "-fuse-ld=lld", "-Wl,--gc-sections", "-Wl,--icf=all")


def add_split(title, compiler, version):
    @tap.case(title)
    def _(t):
        compare(t, build(t, compiler, "-O2", "-gdwarf-" + version, "-gsplit-dwarf"))

    @tap.case(title + ", in a package")
    def _(t):
        tap.need("llvm-dwp")
        program = build(t, compiler, "-O2", "-gdwarf-" + version, "-gsplit-dwarf")
        tap.run("llvm-dwp", "-e", program, "-o", t.folder / "program.dwp", cwd=t.folder)
        for split in t.folder.glob("*.dwo"):
            split.unlink()
        compare(t, program, "-p", t.folder / "program.dwp")


for version in "45":
    add_split(f"g++, split DWARF {version}", "g++", version)
    add_split(f"clang++, split DWARF {version}", "clang++", version)


@tap.case("what dwz shares between two programs")
def _(t):
    tap.need("dwz")
    program = build(t, "g++", "-O2", "-g")
    other = t.folder / "other"
    other.write_bytes(program.read_bytes())
    tap.run("dwz", "-m", "shared", "program", "other", cwd=t.folder)
    # Names of inlined calls lie in the shared file, and llvm-symbolizer does not look there.
    compare(t, program, "-a", t.folder / "shared", at_least=0.99)


tap.run_all(needs_recording=False)
