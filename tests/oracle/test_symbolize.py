#!/usr/bin/env python3
"""wick symbolize beside addr2line and llvm-symbolizer at 2,000 addresses of each image: wick
itself, and a C++ program built here in several ways. Prints TAP; what differs is listed with the
reason, and a difference from every tool that nothing explains is a failure.

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


def check(name, image, tools):
    chance = random.Random(7)
    code = answers.code_of(image)
    addresses = {chance.randrange(*chance.choice(code)) for _ in range(COUNT)}
    ours = answers.ask([WICK, *answers.WICK_SAYS], image, addresses)
    said = {tool: answers.ask(command, image, addresses) for tool, command in tools.items()}
    functions = answers.functions_of(image)
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
    odd = sorted(addresses - known)
    for address in odd[:10]:
        print(f"# {address:#x}: wick {ours.get(address)}"[:400])
        for tool, theirs in said.items():
            print(f"#   {tool} {theirs.get(address)}"[:400])
    return len(odd) <= MOST_UNEXPLAINED * len(addresses)


def main():
    tools = {tool: command for tool, command in answers.TOOLS.items() if shutil.which(tool)}
    for tool in ("readelf", *tools):
        if not shutil.which(tool):
            print(f"1..0 # SKIP {tool} is not installed")
            return 0
    if not tools:
        print("1..0 # SKIP neither addr2line nor llvm-symbolizer is installed")
        return 0
    os.environ["WICK_CACHE_DIR"] = ""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="wick-oracle-") as place:
        images = [(path, path) for path in sys.argv[1:]] or list(programs(place))
        print(f"1..{len(images)}")
        for number, (name, image) in enumerate(images, 1):
            ok = check(name, image, tools)
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {number} - {name}")
    return 1 if failed else 0


sys.exit(main())
