#!/usr/bin/env python3
"""Are the frames of DWARF recordings, inlined calls and all, those that `perf script` prints?

Three programs recorded with `perf record --call-graph dwarf,16384`: Rust in release mode with
debug information and two threads, C++ at -O2 -g, and CPython running a script. Each recording is
printed by perf and by `wick export --to perf-script`, both with names as they are linked, and
compared sample by sample: the share whose lists of functions are equal, and what differs in the
others, by kind, with the first of each kind.

    bench/frames.py                 records and compares
    bench/frames.py FILE...         compares recordings that are there
    bench/frames.py --no-inline ... only the functions that the machine ran"""
import collections
import os
import re
import sys

from common import WICK, folder, need, perf_record, run

PROGRAMS = [
    ("Rust, two threads", "threads.rs", ["rustc", "-O", "-C", "debuginfo=2", "-o"], "500"),
    ("C++ -O2 -g", "shapes.cpp", ["g++", "-O2", "-g", "-std=c++17", "-o"], "300"),
    ("CPython script", "words.py", None, "20"),
]
PYTHONS = ("/usr/bin/python3.11-dbg", "/usr/bin/python3")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))?(?: \((inlined)\)| \(([^()]*(?:\(deleted\))?)\))?$")


# perf shows the versions that the linker wrote behind some names.
VERSION = re.compile(r"@+[A-Z]+_[0-9.]+$")


SAME_SYMBOL = "another name of the same symbol"
MISNAMED = "perf names a call without linkage name after the symbol it lies in"


class Frame:
    """A line of a chain; `start` is where its symbol begins."""

    def __init__(self, line):
        match = FRAME.match(line)
        self.address = match[1]
        self.name = VERSION.sub("", match[2])
        self.start = int(match[1], 16) - int(match[3] or "0", 16)
        self.inlined = match[4] is not None
        self.file = match[5] or ""


def samples(text):
    """Head and frames of each."""
    found, head, frames = [], None, []
    for line in text.splitlines():
        if not line:
            if head is not None:
                found.append((head, frames))
            head, frames = None, []
        elif line.startswith("\t"):
            frames.append(Frame(line))
        else:
            head = line
    return found


def by_address(frames):
    """The lines of each place: inlined calls and the function they were inlined into."""
    groups = []
    for frame in frames:
        last = groups[-1] if groups else None
        if last and last[0].address == frame.address and \
                (last[-1].inlined or (frame.inlined and len(last) == 1)):
            last.append(frame)
        else:
            groups.append([frame])
    return groups


def is_other_name(theirs, ours, may_be_symbol):
    return theirs.name != ours.name and not (may_be_symbol and theirs.name.startswith("_Z"))


def kind_of(theirs, ours):
    """What differs between two lists of one place's lines."""
    if theirs[0].address != ours[0].address:
        return "other addresses: the unwinders differ"
    if [frame.name for frame in theirs] == [frame.name for frame in ours]:
        return None
    if len(theirs) == len(ours) == 1:
        if theirs[0].name != "[unknown]" != ours[0].name and theirs[0].start == ours[0].start:
            return SAME_SYMBOL
        return "another symbol"
    # addr2line takes the name of the symbol for the innermost call where the debug information
    # has none as linked, even if that call was inlined into the symbol's function.
    # From then on it also calls that function so where it is the outermost of inlined calls.
    if len(theirs) == len(ours) and not any(is_other_name(left, right, number in (0, len(ours) - 1))
                                            for number, (left, right) in
                                            enumerate(zip(theirs, ours))):
        return MISNAMED
    if len(theirs) == len(ours):
        return "as many inlined calls, another name"
    return "perf has more inlined calls" if len(theirs) > len(ours) else "wick has more inlined calls"


def differences(theirs, ours):
    first, second = by_address(theirs), by_address(ours)
    for left, right in zip(first, second):
        kind = kind_of(left, right)
        if kind:
            yield kind, left, right
            if kind.startswith("other addresses"):
                return
    if len(first) > len(second):
        yield "perf goes on towards the root", first[len(second)], None
    elif len(second) > len(first):
        yield "wick goes on towards the root", None, second[len(first)]


def words(frames):
    return "nothing" if frames is None else " < ".join(
        f"{frame.address} {frame.name}" for frame in frames)


def compare(title, recording, options):
    perf = samples(run(["perf", "script", "--no-demangle", "-i", recording, *options])
                   .stdout.decode("utf-8", "replace"))
    wick = samples(run([WICK, "export", "--to", "perf-script", "--no-demangle", *options, recording])
                   .stdout.decode("utf-8", "replace"))
    kinds, examples, equal, alike = collections.Counter(), {}, 0, 0
    for (head, theirs), (_, ours) in zip(perf, wick):
        found = list(differences(theirs, ours))
        equal += not found
        alike += all(kind in (MISNAMED, SAME_SYMBOL) for kind, _, _ in found)
        for kind in {kind for kind, _, _ in found}:
            kinds[kind] += 1
        for kind, left, right in found:
            examples.setdefault(kind, (head, left, right))
    print(f"{title}: equal: {equal} of {len(perf)} samples = {100 * equal / max(len(perf), 1):.2f} %"
          f" (wick has {len(wick)})")
    print(f"{title}: equal but for other names of one symbol, and what perf misnames: {100 * alike / max(len(perf), 1):.2f} %")
    for kind, count in kinds.most_common():
        head, left, right = examples[kind]
        print(f"{title}: {kind}: {count} samples, as in {head.strip()}\n"
              f"    perf: {words(left)}\n    wick: {words(right)}")


def build(source, command, work):
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", source)
    if command is None:
        return [next(python for python in PYTHONS if os.path.exists(python)), here]
    program = os.path.join(work, source.split(".")[0])
    need(command[0])
    run([*command, program, here])
    return [program]


def main():
    need("perf")
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    files = [word for word in sys.argv[1:] if not word.startswith("--")]
    for path in files:
        compare(os.path.basename(path), path, options)
    if files:
        return
    work = folder()
    for title, source, command, rounds in PROGRAMS:
        recording = os.path.join(work, "perf.data")
        run(perf_record(build(source, command, work) + [rounds], recording,
                        "--call-graph", "dwarf,16384"))
        compare(title, recording, options)


main()
