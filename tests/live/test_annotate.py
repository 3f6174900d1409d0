#!/usr/bin/env python3
"""Are the instructions of a function, and the samples of each, those of the program?"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

FUNCTIONS = "burn_thirty", "burn_seventy"


def disassembled(program, function):
    """The addresses and mnemonics, by objdump."""
    text = tap.run("objdump", "-d", "-M", "intel", "--no-show-raw-insn", f"--disassemble={function}",
                   program).stdout
    return re.findall(r"^ +([0-9a-f]+):\t(\w+)", text, re.M)


def annotated(t, recording, function):
    done = t.wick("annotate", recording, "--asm", "--all", "--csv", function, check=False)
    if "without capstone" in done.stderr or "libcapstone" in done.stderr:
        raise tap.Skip("wick found no capstone")
    t.equal(done.returncode, 0, f"exit code of annotate ({done.stderr})")
    return t.csv("annotate", recording, "--asm", "--all", function)


@tap.case("a file is found as it is typed, and lines say that they can be late")
def _(t):
    (t.folder / "src").mkdir()
    (t.folder / "src" / "near.c").write_text(
        "int main(int c, char **v)\n{\n\tvolatile long sum = 0;\n"
        "\tfor (long i = 0; i < 200000000; i++)\n\t\tsum += i ^ c;\n\treturn v == 0;\n}\n")
    tap.need("gcc")
    tap.run("gcc", "-g", "-O1", "-o", "near", "src/near.c", cwd=t.folder)
    recording = t.record("--user-only", "--", t.folder / "near")
    for word in "near.c", "src/near.c", "../src/near.c", "near.c:5":
        shown = t.wick("annotate", recording, word).stdout
        t.true("sum += i ^ c;" in shown and "can be a line late" in shown, f"{word}: came {shown}")
    t.true("can be a line late" in t.wick("show", recording, "lines").stdout, "lines")


@tap.case("static functions of one name have the lines of their own files")
def _(t):
    tap.need("gcc")
    for name, line in ("first", 2), ("second", 4):
        (t.folder / f"{name}.c").write_text(
            "\n" * (line - 1) + "static __attribute__((noinline)) void work(void) "
            "{ extern volatile long sum; for (long i = 0; i < 100000000; i++) sum += i; }\n"
            f"void {name}(void) {{ work(); }}\n")
    (t.folder / "main.c").write_text("volatile long sum;\nvoid first(void);\nvoid second(void);\n"
                                     "int main(void) { first(); second(); return 0; }\n")
    tap.run("gcc", "-g", "-O1", "-o", "two", "first.c", "second.c", "main.c", cwd=t.folder)
    recording = t.record("--user-only", "--", t.folder / "two")
    sources = {row["source"].rsplit("/", 1)[-1] for row in t.csv("show", recording, "lines")
               if row["function"] == "work"}
    t.equal(sources, {"first.c:2", "second.c:4"}, "the lines of work")


@tap.case("a line counts a sample once, whatever functions of its stack are on it")
def _(t):
    tap.need("g++")
    (t.folder / "twice.cpp").write_text(
        "static volatile long sum;\n"
        "template<class F> __attribute__((noinline)) void call(F f) { f(); __asm__ volatile(\"\"); }\n"
        "static __attribute__((noinline)) void burn() "
        "{ for (long i = 0; i < 50000000; i++) sum += i; }\n"
        "int main() {\n"
        "\tcall([] { call([] { burn(); }); });\n"
        "\tburn();\n"
        "}\n")
    tap.run("g++", "-g", "-O1", "-fno-optimize-sibling-calls", "-o", "twice", "twice.cpp", cwd=t.folder)
    recording = t.record("--user-only", "--", t.folder / "twice")
    rows = {row["line"]: row for row in t.csv("annotate", recording, "twice.cpp") if row["total_percent"]}
    for line in "2", "5":
        t.within(float(rows[line]["total_percent"]), 35, 65, f"total % of line {line}")
    t.true(float(rows["5"]["total_percent"]) + float(rows["6"]["total_percent"]) <= 100.1,
           f"expected lines of main to add up to 100 %, came {rows}")


@tap.case("each instruction of a function is there once, with the samples that it has")
def _(t):
    tap.need("objdump")
    program = tap.program("live", "burn_30_70")
    recording = t.record("--", program, "500")
    samples = {row["function"]: int(row["self_samples"])
               for row in t.csv("show", recording, "functions", "--details")}
    for function in FUNCTIONS:
        rows = annotated(t, recording, function)
        instructions = [(row["address"], row["text"].split()[0]) for row in rows if row["address"]]
        t.equal(instructions, disassembled(program, function), f"instructions of {function}")
        t.equal(sum(int(row["self_samples"] or 0) for row in rows), samples[function],
                f"samples of the instructions of {function}")


CLOSURE = """
#include <vector>
static unsigned folded(unsigned x)
{
	for (int i = 0; i < 40; i++)
		x = x * 31 + (x >> 7);
	return x;
}
unsigned mix(const std::vector<unsigned> &numbers)
{
	unsigned sum = 0;
	auto each = [&](unsigned x) {
		unsigned y = folded(x); // in the closure
		return y ^ (x << 3);
	};
	for (unsigned x : numbers)
		sum += each(x);
	return sum;
}
int main()
{
	std::vector<unsigned> numbers(1000000, 7);
	unsigned sum = 0;
	for (int i = 0; i < 8; i++)
		sum += mix(numbers);
	return sum == 1;
}
"""


@tap.case("the lines of a function contain those of its closures")
def _(t):
    tap.need("g++")
    (t.folder / "a.cpp").write_text(CLOSURE)
    tap.run("g++", "-O2", "-g", "-o", "a", "a.cpp", cwd=t.folder)
    recording = t.record("--user-only", "--", t.folder / "a")
    rows = [row for row in t.csv("annotate", recording, "mix") if "in the closure" in row["text"]]
    t.equal(len(rows), 1, "lines of the closure")
    t.true(float(rows[0]["total_percent"] or 0) > 30, f"the closure is hot, came {rows[0]}")


@tap.case("why there are no instructions: a program that was rebuilt, and one that is gone")
def _(t):
    tap.need("g++")
    (t.folder / "a.cpp").write_text(CLOSURE)
    tap.run("g++", "-O2", "-g", "-o", "a", "a.cpp", cwd=t.folder)
    recording = t.record("--user-only", "--", t.folder / "a")
    annotated(t, recording, "mix")
    tap.run("g++", "-O1", "-g", "-o", "a", "a.cpp", cwd=t.folder)
    for cause in "is another build than the one recorded", "is not on this machine":
        said = t.wick("annotate", recording, "--asm", "mix", check=False)
        t.equal(said.returncode != 0, True, "it failed")
        t.true(f"{t.folder / 'a'} {cause}" in said.stderr, f"{cause}: came {said.stderr!r}")
        (t.folder / "a").unlink(missing_ok=True)


tap.run_all()
