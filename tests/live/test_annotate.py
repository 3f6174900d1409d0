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


tap.run_all()
