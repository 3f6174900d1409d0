#!/usr/bin/env python3
"""wick's unwind rules beside those of readelf: every row of every table of several images.

And its reading of x86-64 code, where there are no tables: the lengths of all instructions
beside those of objdump."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

ENTRY = re.compile(r"([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (CIE|FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))")


def tables(text):
    """readelf's entries as (pc, end, columns, rows); those without rows get their CIE's."""
    columns, rows, current = [], [], None
    shared = {}
    entries = []
    for line in text.splitlines():
        head = ENTRY.match(line)
        if head:
            rows, columns = [], []
            current = (head[1], head[3], head[4], head[5], columns, rows)
            if head[2] == "CIE":
                shared[head[1]] = (columns, rows)
            else:
                entries.append(current)
        elif line.strip().startswith("LOC"):
            columns += line.split()[1:]
        elif current and re.match(r"[0-9a-f]{16} ", line):
            rows.append(line)
    for _, cie, start, end, names, lines in entries:
        if not lines and cie in shared:
            names = shared[cie][0]
            lines = [start + row[16:] for row in shared[cie][1]]
        if start != end and lines:
            yield int(start, 16), int(end, 16), names, lines


def rules_of(columns, row):
    """A row as readelf prints it: address, CFA, and the registers that have a rule."""
    words = re.sub(r"\((\w+)\)", "", row).split()
    rules = dict(zip(columns, words[1:]))
    cfa = rules.pop("CFA")
    alias = {"r0": "rax", "r1": "rdx", "r2": "rcx", "r3": "rbx", "r4": "rsi", "r5": "rdi",
             "r6": "rbp", "r7": "rsp", "r16": "ra"}
    rules = {name: alias.get(rule, rule) for name, rule in rules.items()
             if rule not in ("u", "s", "n")}
    return int(words[0], 16), cfa, rules


def wanted_rows(image, section):
    tap.need("readelf")
    # It fails where a separate debug file names sections that it does not hold.
    text = tap.run("readelf", "--debug-dump=frames-interp", image, seconds=300, check=False).stdout
    part = re.split(r"^Contents of the ", text, flags=re.M)
    text = "".join(p for p in part if p.startswith(section))
    for start, end, columns, lines in tables(text):
        rows = [rules_of(columns, line) for line in lines]
        # Of several rows at one address the last one counts; those past the end are not used.
        for i, row in enumerate(rows):
            if row[0] < end and (i + 1 == len(rows) or rows[i + 1][0] > row[0]):
                yield row


def asked(t, lines, *words):
    """Runs a program with the lines as its standard input."""
    questions = t.folder / "questions"
    questions.write_text("".join(line + "\n" for line in lines))
    with open(questions, encoding="ascii") as stdin:
        return tap.run(*words, stdin=stdin)


def our_rows(t, image, addresses):
    done = asked(t, (f"{a:x}" for a in addresses), tap.program("oracle", "unwind_rows"), image)
    for line in done.stdout.splitlines():
        words = line.split()
        rules = dict(word.split("=") for word in words[2:])
        yield int(words[0], 16), words[1], {n: r for n, r in rules.items() if r != "u"}
    print("# " + done.stderr.strip())


def compare(t, image, section=".eh_frame"):
    if not pathlib.Path(image).exists():
        raise tap.Skip(f"{image} is not there")
    wanted = list(wanted_rows(image, section))
    t.true(len(wanted) > 4, f"readelf shows {len(wanted)} rows of {image}")
    came = list(our_rows(t, image, [row[0] for row in wanted]))
    wrong = [(w, c) for w, c in zip(wanted, came) if w != c]
    print(f"# {len(wanted)} rows of readelf, {len(wrong)} differ")
    t.equal(len(came), len(wanted), "rows")
    t.true(not wrong, "".join(f"{w[0]:#x}: readelf {w[1:]}, wick {c[1:]}\n" for w, c in wrong[:20]))


def build(t, compiler, source, *flags):
    tap.need(compiler)
    text = t.folder / ("small." + ("rs" if compiler == "rustc" else "c"))
    text.write_text(source)
    tap.run(compiler, *flags, "-o", t.folder / "small", text)
    return t.folder / "small"


RUST = 'fn main() { let v: Vec<String> = std::env::args().collect(); println!("{:?}", v); }\n'
C = ("#include <stdio.h>\n#include <stdlib.h>\n"
     "int by(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
     "int main(int c, char **v) { int n[99]; for (int i = 0; i < 99; i++) n[i] = rand();\n"
     "qsort(n, 99, sizeof(*n), by); return printf(\"%d %s\\n\", n[c], v[0]); }\n")

for path in ("/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
             "/usr/bin/python3", "/lib64/ld-linux-x86-64.so.2"):
    tap.case("every row of " + path)(lambda t, path=path: compare(t, path))


@tap.case("every row of a Rust program")
def _(t):
    compare(t, build(t, "rustc", RUST, "-O"))


@tap.case("every row of a static musl program, which has no search table")
def _(t):
    compare(t, build(t, "musl-gcc", C, "-O2", "-static"))


@tap.case("every row of a .debug_frame")
def _(t):
    compare(t, build(t, "gcc", C, "-O2", "-g", "-fPIC", "-shared", "-nostdlib",
                     "-fno-asynchronous-unwind-tables"), ".debug_frame")


def lengths(image):
    """(address, bytes in hexadecimal) of each instruction that objdump can read."""
    text = tap.run("objdump", "-dw", "--insn-width=16", image, seconds=300).stdout
    for line in text.splitlines():
        words = line.split("\t")
        if len(words) == 3 and "(bad)" not in words[2] and not words[2].startswith("rex"):
            yield words[0].strip(" :"), words[1].strip()


@tap.case("instruction lengths of the C library")
def _(t):
    tap.need("objdump")
    image = "/lib/x86_64-linux-gnu/libc.so.6"
    if not pathlib.Path(image).exists():
        raise tap.Skip(f"{image} is not there")
    wanted = list(lengths(image))
    t.true(len(wanted) > 100000, f"objdump shows {len(wanted)} instructions")
    done = asked(t, (code for _, code in wanted), tap.program("oracle", "x86_lengths"))
    came = [int(line) for line in done.stdout.split()]
    wrong = [f"{at}: {code}: wick {length}\n" for (at, code), length in zip(wanted, came)
             if length != len(code.split())]
    print(f"# {len(wanted)} instructions, {len(wrong)} differ")
    t.equal(len(came), len(wanted), "instructions")
    t.true(not wrong, "".join(wrong[:20]))


tap.run_all(needs_recording=False)
