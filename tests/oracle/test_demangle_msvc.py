#!/usr/bin/env python3
"""Names that clang links for Windows (x86, x64 and ARM64), demangled beside llvm-undname, in full
and short. Prints TAP.

By hand: WICK_BUILD_ROOT=build tests/oracle/test_demangle_msvc.py"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DEMANGLE = os.path.join(os.environ.get("WICK_BUILD_ROOT", "build"), "tests", "oracle",
                        "demangle_msvc")
TARGETS = ("x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "aarch64-pc-windows-msvc")
SHORT = ["--no-access-specifier", "--no-calling-convention", "--no-member-type",
         "--no-return-type", "--no-variable-type"]
ENOUGH = 300  # fewer names would mean that they were not found


def names_for(target, folder):
    """The names in what clang makes of msvc_names.cpp: symbols, and types' names in data."""
    made = os.path.join(folder, target + ".ll")
    subprocess.run(["clang", "-w", "-target", target, "-std=c++17", "-fms-extensions",
                    "-fcxx-exceptions", "-fexceptions", "-S", "-emit-llvm", "-o", made,
                    os.path.join(HERE, "msvc_names.cpp")], check=True, capture_output=True)
    with open(made, encoding="utf-8", errors="replace") as lines:
        text = lines.read()
    names = set(re.findall(r'@"(?:\\01)?(\?[^"\\]+)"', text))
    return names | set(re.findall(r'c"(\.\?A[^"\\]+)\\00"', text))


def undname(names, options):
    """llvm-undname's answers; those it refuses are left out. It answers with the name, what it
    means if it knows, and an empty line."""
    ran = subprocess.run(["llvm-undname", *options], input="\n".join(names) + "\n",
                         capture_output=True, text=True, check=False)
    blocks = [block.split("\n") for block in ran.stdout.rstrip("\n").split("\n\n")]
    return {block[0]: block[1] for block in blocks if len(block) == 2}


def is_broken(text):
    """Before version 23 the short form has only half of what a pointer to a function returns."""
    plain = text.replace("operator(", "").replace("operator)", "")
    return plain.count("(") != plain.count(")")


def compare(number, form, options, names):
    """One line of TAP: do all answers agree?"""
    expected = undname(names, options)
    came = subprocess.run([DEMANGLE, form], input="\n".join(names) + "\n", capture_output=True,
                          text=True, check=True).stdout.split("\n")
    broken = differing = 0
    for name, text in zip(names, came):
        if name not in expected or text == expected[name]:
            continue
        if form == "short" and is_broken(expected[name]) and not is_broken(text):
            broken += 1
            continue
        differing += 1
        print(f"# {name}\n#   llvm-undname {expected[name]}\n#   came         {text}")
    print(f"# {form}: {len(expected)} names, {differing} differ, {broken} that llvm-undname "
          f"breaks, {len(names) - len(expected)} it refuses")
    is_ok = differing == 0 and len(expected) >= ENOUGH
    print(("ok" if is_ok else "not ok"), number, f"- {form} names agree with llvm-undname")
    return is_ok


def main():
    """Makes the names, and compares both forms."""
    for tool in "clang", "llvm-undname":
        if not shutil.which(tool):
            print(f"1..0 # SKIP {tool} is not here")
            return 0
    names = set()
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            names |= names_for(target, folder)
    names = sorted(names)
    full = compare(1, "full", [], names)
    short = compare(2, "short", SHORT, names)
    print("1..2")
    return 0 if full and short else 1


sys.exit(main())
