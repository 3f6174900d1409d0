#!/usr/bin/env python3
"""Random addresses of a program to functions, inlined calls and lines: wick symbolize beside
addr2line and llvm-symbolizer. CPU seconds, ratios, and how far the answers agree.

    bench/symbolize.py [IMAGE [COUNT]]    IMAGE: a large program with debug information (wick
                                          itself), COUNT: addresses (100000)
    SHOW=3 bench/symbolize.py ...         so many examples of each kind of difference"""
import os
import random
import shutil
import subprocess
import sys

from common import ROOT, WICK, answers_cost, first_answer, folder, need
sys.path.insert(0, os.path.join(ROOT, "tests", "oracle"))
import answers  # noqa: E402


def show(image, found, address, ours, theirs, other):
    print(f"      {address:#x} of {os.path.basename(image)}: {found}")
    for who, answer in ("wick", ours), ("tool", theirs), ("other tool", other or {}):
        print(f"        {who}: {answer.get(address)}")


def agreement(image, addresses, ours, said):
    functions = answers.functions_of(image)
    examples = int(os.environ.get("SHOW", "0"))
    explained = set()
    for tool, theirs in said.items():
        other = next((text for name, text in said.items() if name != tool), None)
        same, reasons = answers.compare(ours, theirs, other, functions)
        print(f"answers as {tool}'s: {100 * same / len(theirs):.3f} %")
        for why, where in sorted(reasons.items(), key=lambda row: -len(row[1])):
            print(f"    {len(where)} {why}")
            for address in where[:examples]:
                show(image, why, address, ours, theirs, other)
        explained |= {address for address in theirs if ours.get(address) == theirs[address]}
    if said:
        print(f"answers as one of the tools has them: {100 * len(explained) / len(addresses):.3f} %")


def main():
    need("readelf")
    image = sys.argv[1] if len(sys.argv) > 1 else WICK
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    place = folder()
    asked = os.path.join(place, "addresses")
    chance = random.Random(4)
    code = answers.code_of(image)
    addresses = sorted({chance.randrange(*chance.choice(code)) for _ in range(count)},
                       key=lambda address: chance.random())
    with open(asked, "w") as file:
        file.writelines(f"{address:#x}\n" for address in addresses)

    cache = os.path.join(place, "cache")
    environment = dict(os.environ, WICK_CACHE_DIR=cache)
    wick = [WICK, "symbolize", "-a", "-e"]
    print(f"image: {image}, {os.path.getsize(image)} bytes; {len(addresses)} addresses")
    cold = answers_cost([*wick, image], asked, environment, 3, cache)
    warm = answers_cost([*wick, image], asked, environment, 5)
    print(f"wick, cold cache: {cold:.3f} CPU s\nwick, warm cache: {warm:.3f} CPU s")
    for what, forget in ("warm", None), ("cold", cache):
        soonest = first_answer([*wick, image], addresses[0], environment, 1, forget)
        print(f"first answer, {what}: {soonest:.1f} ms")
    ours = answers.ask([WICK, *answers.WICK_SAYS], image, addresses, env=environment)
    fastest, said = None, {}
    for tool, command in answers.TOOLS.items():
        if not shutil.which(tool):
            print(f"{tool}: skipped, it is not installed")
            continue
        readable = [word for word in command if word != "--no-demangle"]
        seconds = answers_cost([*readable[:-1], "-C", "-e", image], asked, environment,
                               1 if tool == "addr2line" else 2)
        print(f"{tool}: {seconds:.3f} CPU s")
        fastest = seconds if fastest is None else min(fastest, seconds)
        said[tool] = answers.ask(command, image, addresses)
    if fastest:
        print(f"times as fast as the faster one, cold: {fastest / cold:.1f}")
        print(f"times as fast as the faster one, warm: {fastest / warm:.1f}")
    agreement(image, addresses, ours, said)


main()
