#!/usr/bin/env python3
"""wick symbolize beside addr2line and llvm-symbolizer at 2,000 addresses of each image: wick
itself, and a C++ program built here in several ways. Prints TAP; what differs is listed with the
reason, and a difference from every tool that nothing explains is a failure. That needs both tools:
either errs at places (addr2line 2.40 in the names of inlined calls, and in files of programs that
are not optimised). What addr2line alone is right about is asked for exactly: how many calls were
inlined, the number of each line, and the function around them.

By hand: WICK=build/wick tests/oracle/test_symbolize.py [IMAGE...]"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import answers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WICK = os.environ.get("WICK") or os.path.join(os.environ.get("WICK_BUILD_ROOT", "build"), "wick")
COUNT = 2000
MOST_UNEXPLAINED = 0.001  # of the answers may differ from every tool's

PROGRAM = """
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
struct item { std::string name; int price; };
static bool cheaper(const item &a, const item &b) { return a.price < b.price; }
int main(int argc, char **argv)
{
	std::vector<item> items;
	std::map<std::string, int> sums;
	for (int i = 0; i < 1000 * argc; i++)
		items.push_back({ "item " + std::to_string(i % 17), i * 31 % 101 });
	std::sort(items.begin(), items.end(), cheaper);
	std::for_each(items.begin(), items.end(), [&](const item &i) { sums[i.name] += i.price; });
	for (auto &sum : sums)
		std::printf("%s %d %s\\n", sum.first.c_str(), sum.second, argv[0]);
}
"""
WAYS = {
    "version 5": ["-gdwarf-5"],
    "version 4": ["-gdwarf-4"],
    "version 3": ["-gdwarf-3", "-gstrict-dwarf"],
    "packed with zlib": ["-g", "-gz"],
    "a section for each function": ["-g", "-ffunction-sections", "-Wl,--gc-sections"],
    "not optimised": ["-g", "-O0"],
}


def programs(place):
    """(name, path) of each image."""
    yield "wick", WICK
    if not shutil.which("g++"):
        return
    source = os.path.join(place, "a.cpp")
    with open(source, "w") as file:
        file.write(PROGRAM)
    for way, options in WAYS.items():
        path = os.path.join(place, way.replace(" ", "-"))
        subprocess.run(["g++", "-O2", *options, source, "-o", path], check=True)
        yield "C++, " + way, path


def ask_all(image, tools):
    """What wick says, {tool: what it says}, and where functions are."""
    chance = random.Random(7)
    code = answers.code_of(image)
    addresses = {chance.randrange(*chance.choice(code)) for _ in range(COUNT)}
    ours = answers.ask([WICK, *answers.WICK_SAYS], image, addresses)
    said = {tool: answers.ask(command, image, addresses) for tool, command in tools.items()}
    return ours, said, answers.functions_of(image)


def show(odd, ours, said):
    for address in odd[:10]:
        print(f"# {address:#x}: wick {ours.get(address)}"[:400])
        for tool, theirs in said.items():
            print(f"#   {tool} {theirs.get(address)}"[:400])


def is_as_either(name, ours, said, functions):
    """Whether each answer is one tool's, but for what is known to differ."""
    known = set()
    for tool, theirs in said.items():
        other = next((text for key, text in said.items() if key != tool), None)
        same, reasons = answers.compare(ours, theirs, other, functions)
        print(f"# {name}: {100 * same / len(theirs):.2f} % as {tool}")
        for why, where in reasons.items():
            print(f"#   {len(where)} {why} (such as {where[0]:#x})")
            if why == answers.FULLER or why.startswith("between"):
                known.update(where)
        known.update(address for address in theirs if ours.get(address) == theirs[address])
    odd = sorted(set(ours) - known)
    show(odd, ours, said)
    return len(odd) <= MOST_UNEXPLAINED * len(ours)


def is_same_outline(ours, theirs):
    numbers = [[line for _, line in answers.lines(answer)] for answer in (ours, theirs)]
    return numbers[0] == numbers[1] and answers.are_same_names(ours[-1:], theirs[-1:])


def has_outline(ours, theirs, functions):
    """Whether calls, numbers of lines and outermost functions are those of addr2line."""
    inside = [address for address in theirs if not answers.is_between(address, functions)]
    odd = [address for address in inside
           if not is_same_outline(ours.get(address, []), theirs[address])]
    show(odd, ours, {"addr2line": theirs})
    return len(inside) > COUNT / 4 and not odd


def points(name, image, tools):
    """(title, whether it holds, why it is not asked)."""
    ours, said, functions = ask_all(image, tools)
    missing = [tool for tool in answers.TOOLS if tool not in tools]
    title = f"{name}: as one of the tools"
    if missing:
        yield title, True, f"{missing[0]} is not installed"
    else:
        yield title, is_as_either(name, ours, said, functions), ""
    title = f"{name}: calls, numbers of lines and outermost functions as addr2line"
    if "addr2line" in tools:
        yield title, has_outline(ours, said["addr2line"], functions), ""
    else:
        yield title, True, "addr2line is not installed"


def main():
    tools = {tool: command for tool, command in answers.TOOLS.items() if shutil.which(tool)}
    if not shutil.which("readelf"):
        print("1..0 # SKIP readelf is not installed")
        return 0
    os.environ["WICK_CACHE_DIR"] = ""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="wick-oracle-") as place:
        images = [(path, path) for path in sys.argv[1:]] or list(programs(place))
        print(f"1..{2 * len(images)}")
        number = 0
        for name, image in images:
            for title, ok, reason in points(name, image, tools):
                number += 1
                failed += not ok
                skip = f" # SKIP {reason}" if reason else ""
                print(f"{'ok' if ok else 'not ok'} {number} - {title}{skip}")
    return 1 if failed else 0


sys.exit(main())
