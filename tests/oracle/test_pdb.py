#!/usr/bin/env python3
"""`wick symbolize` of programs with a PDB beside them, at every instruction, against what llvm-symbolizer
made of them (the truth files of the fixtures; their other column is as good)."""
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

FIXTURES = tap.SHARED / "fixtures" / "pdb"
PROGRAMS = ("c-O0", "c-O2", "c-O2-page16k", "cpp-O0", "cpp-O2", "cpp-O2-arm64", "cpp-mingw-O2",
            "rust-v0", "rust-legacy")


def frames_of(text):
    """A chain of a truth file as (names that will do, file and line), the innermost first."""
    frames = []
    for frame in text.removeprefix("ALT ").split(" <- "):
        *names, place = frame.split("|")
        frames.append((set(names), place))
    return frames


def chains_of(row):
    """What will do. The other column has one name a frame, linked or readable."""
    chains = [frames_of(text) for text in row[1:] if text]
    for chain in chains[1:]:
        if len(chain) == len(chains[0]):
            chain[:] = [(names | first, place)
                        for (names, place), (first, _) in zip(chain, chains[0])]
    return chains


def is_padding(chain):
    return len(chain) == 1 and chain[0][1] in (":0", "")


def answers(text):
    """What wick printed: by address, pairs of name and place."""
    found, address = {}, None
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("0x"):
            address = int(line, 16)
            found[address] = []
        else:
            found[address].append((line, next(lines)))
    return found


def is_same(answer, chain):
    return len(answer) == len(chain) and all(
        name in names and place == expected
        for (name, place), (names, expected) in zip(answer, chain))


for program in PROGRAMS:
    @tap.case(f"{program}: functions, inlined calls and lines at every instruction")
    def _(t, program=program):
        truth = FIXTURES / (program + ".truth.tsv")
        if not truth.exists():
            raise tap.Skip(f"{truth} is not there")
        rows = [line.split("\t") for line in truth.read_text().splitlines()
                if not line.startswith("#")]
        asked = "".join(f"0x{row[0]}\n" for row in rows)
        found = answers(t.wick("symbolize", "-e", FIXTURES / (program + ".exe"), "-a", "-f", "-i",
                               input=asked).stdout)
        other = []
        for row in rows:
            chains = chains_of(row)
            answer = found[int(row[0], 16)]
            if not is_padding(chains[0]) and not any(is_same(answer, chain) for chain in chains):
                other.append((row[0], answer, row[1]))
        print(f"# {len(rows) - len(other)} of {len(rows)} as expected")
        t.equal(other[:3], [], "answers that differ")


@tap.case("c-publics: names of public functions at every instruction")
def _(t):
    truth = FIXTURES / "c-publics.truth.tsv"
    if not truth.exists():
        raise tap.Skip(f"{truth} is not there")
    rows = [line.split("\t") for line in truth.read_text().splitlines()
            if not line.startswith("#")]
    found = answers(t.wick("symbolize", "-e", FIXTURES / "c-publics.exe", "-a",
                           input="".join(f"0x{row[0]}\n" for row in rows)).stdout)
    other = [(row[0], found[int(row[0], 16)], row[1]) for row in rows
             if [name for name, _ in found[int(row[0], 16)]] != [row[1].split("|")[0]]]
    print(f"# {len(rows) - len(other)} of {len(rows)} as expected")
    t.equal(other[:3], [], "answers that differ")


PROGRAM = """
static __attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
static __attribute__((noinline)) int hidden(int *a, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += leaf(a[i]) ^ s;
	return s;
}
__declspec(dllexport) int visible(int *a, int n)
{
	int b[64];

	for (int i = 0; i < 64; i++)
		b[i] = a[i % n] + hidden(a, n);
	return hidden(b, 64);
}
int __stdcall standard(int a, int b) { return leaf(a) + leaf(b); }
int __fastcall fast(int a, int b) { return leaf(a) * leaf(b); }
int start(void)
{
	int v[3] = { 4, 1, 2 };

	return visible(v, 3) + standard(v[0], 2) + fast(v[1], 3);
}
"""


def program_for(machine, place):
    """Without a C library, and its PDB beside it."""
    source, image = place / "program.c", place / "program.exe"
    source.write_text(PROGRAM)
    tap.run("clang", f"--target={machine}-pc-windows-msvc", "-O1", "-g", "-gcodeview",
            "-fno-inline", "-ffreestanding", "-fno-builtin", "-mno-stack-arg-probe",
            "-fasynchronous-unwind-tables", "-c", source, "-o", place / "program.obj")
    tap.run("lld-link", "/nologo", "/nodefaultlib", "/entry:start", "/subsystem:console", "/debug",
            "/opt:noref", "/safeseh:no", f"/out:{image}", place / "program.obj")
    return image


def code_of(image):
    """Where instructions are, counted from where the image is loaded."""
    head = tap.run("llvm-readobj", "--file-headers", image).stdout
    base = int(re.search(r"ImageBase: (0x\w+)", head).group(1), 16)
    listing = tap.run("llvm-objdump", "-d", "--no-show-raw-insn", image).stdout
    return [int(at, 16) - base for at in re.findall(r"^ *(\w+): ", listing, re.M)]


for machine in ("i686", "x86_64", "aarch64"):
    @tap.case(f"a program for {machine} with a PDB: functions and lines as llvm-symbolizer")
    def _(t, machine=machine):
        tap.need("clang", "lld-link", "llvm-objdump", "llvm-readobj", "llvm-symbolizer")
        with tempfile.TemporaryDirectory() as place:
            image = program_for(machine, pathlib.Path(place))
            asked = "".join(f"{at:#x}\n" for at in code_of(image))
            ours = answers(t.wick("symbolize", "-a", "-e", image, input=asked).stdout)
            theirs = answers(tap.run("llvm-symbolizer", "--output-style=GNU", "-a", "-f", "-C",
                                     "--relative-address", "-e", image,
                                     input=asked).stdout)
        # Padding has no line, and the symbolizer then says whatever public is in front of it.
        other = [(hex(at), ours[at], answer) for at, answer in theirs.items()
                 if ours[at] != answer and not (ours[at][0][0] == "??" and answer[0][1][:2] == "??")
                 and not (ours[at][0][0] == answer[0][0] and answer[0][1] == "??:0")]
        t.true(len(theirs) > 40, f"{len(theirs)} instructions were asked for")
        t.equal(other[:3], [], "answers that differ")


@tap.case("a PDB of another build is named, although exports name the address")
def _(t):
    with tempfile.TemporaryDirectory() as place:
        for name, taken in ("c-O2.exe", "c-O2.exe"), ("c-O2.pdb", "c-O0.pdb"):
            if not (FIXTURES / taken).exists():
                raise tap.Skip(f"{FIXTURES / taken} is not there")
            shutil.copy(FIXTURES / taken, pathlib.Path(place) / name)
        said = t.wick("symbolize", "-e", pathlib.Path(place) / "c-O2.exe", "0x1100")
    t.equal(said.stdout, "run_once\n??:?\n", "the answer")
    t.true("c-O2.pdb: it is of another build" in said.stderr, said.stderr)


tap.run_all(needs_recording=False)
