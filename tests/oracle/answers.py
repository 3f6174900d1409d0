"""Answers of addr2line, llvm-symbolizer and wick symbolize, and how they compare.

An answer is a list of (function, file, line), the innermost inlined call first. Names are compared
as they are linked: how they are made readable has tests of its own. Files are compared without "."
and "..", which each tool leaves as it found them, and without discriminators, which wick does not
print."""
import os
import re
import subprocess

TOOLS = {
    "addr2line": ["addr2line", "-a", "-f", "-i", "-e"],
    "llvm-symbolizer": ["llvm-symbolizer", "--output-style=GNU", "-a", "-f", "-i", "--no-demangle",
                        "-e"],
}
WICK_SAYS = ["symbolize", "--no-demangle", "-a", "-e"]
PART = re.compile(r"(\.(cold|part|constprop|isra|lto_priv)(\.\d+)?)+$")
ADDRESS = re.compile(r"0x[0-9a-f]+$")
BEHIND = re.compile(r" \(discriminator \d+\)$")


def place(text):
    text = BEHIND.sub("", text)
    path, _, line = text.rpartition(":")
    return ("" if path in ("??", "") else os.path.normpath(path), int(line) if line.isdigit() else 0)


def parse(text):
    """From the text that -a prints: an address, then pairs of lines."""
    answers = {}
    lines = iter(text.splitlines())
    current = None
    for line in lines:
        if ADDRESS.match(line):
            current = answers.setdefault(int(line, 16), [])
        elif line:
            function = "" if line == "??" else line
            current.append((function, *place(next(lines, ""))))
    return answers


def ask(command, image, addresses, **options):
    said = "".join(f"{address:#x}\n" for address in addresses)
    done = subprocess.run([*command, image], input=said, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace", check=True,
                          **options)
    return parse(done.stdout)


def code_of(image):
    """The executable sections of an image, as (begin, end)."""
    text = subprocess.run(["readelf", "-SW", image], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    sections = re.findall(r"^ *\[ *\d+\] (\S+) +PROGBITS +(\w+) \w+ (\w+) \w+ +A?X", text, re.M)
    return [(int(at, 16), int(at, 16) + int(size, 16)) for name, at, size in sections
            if name == ".text"]


def functions_of(*images):
    """Where functions are by the tables of symbols, as sorted (begin, end)."""
    found = set()
    for image in images:
        text = subprocess.run(["readelf", "-sW", image], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace").stdout
        for at, size in re.findall(r"^ *\d+: (\w+) +(\d+|0x\w+) +(?:FUNC|IFUNC|NOTYPE) ", text, re.M):
            found.add((int(at, 16), int(at, 16) + int(size, 0)))
    return sorted(found)


FULLER = "the same functions, with their scope or without what the compiler added (x.cold)"


def names(answer):
    return [entry[0] for entry in answer]


def lines(answer):
    return [entry[1:] for entry in answer]


def is_same_name(ours, theirs):
    """The tools name a part that the compiler split off (x.cold), wick the function; wick says in
    which scope a function is that has no linked name, the tools do not."""
    ours, theirs = PART.sub("", ours), PART.sub("", theirs)
    return ours == theirs or ours.endswith("::" + theirs)


def are_same_names(ours, theirs):
    return len(ours) == len(theirs) and all(map(is_same_name, names(ours), names(theirs)))


def reason(ours, theirs, other, is_between):
    """Why two answers differ, as far as it can be told; `other` is another tool's."""
    if is_between:
        return "between two functions, where there is only padding"
    if lines(ours) == lines(theirs) and are_same_names(ours, theirs):
        return FULLER
    if other is not None and ours == other:
        return "the tools disagree; as the other one has it"
    if len(ours) == len(theirs) and lines(ours) == lines(theirs):
        return "other names, the same lines"
    if names(ours) == names(theirs):
        return "other lines, the same names"
    if other is not None and other != theirs:
        return "three answers"
    return "another chain of calls"


def is_between(address, functions):
    """False where a function covers it; `functions` is sorted by where they begin."""
    import bisect
    at = bisect.bisect_right(functions, (address, 1 << 64))
    return not any(begin <= address < end for begin, end in functions[max(0, at - 8):at])


def compare(ours, theirs, other, functions):
    """How many are the same, and the others as {reason: [address]}."""
    same, reasons = 0, {}
    for address, answer in theirs.items():
        mine = ours.get(address)
        if mine == answer:
            same += 1
            continue
        why = reason(mine or [], answer, other.get(address) if other else None,
                     is_between(address, functions))
        reasons.setdefault(why, []).append(address)
    return same, reasons
