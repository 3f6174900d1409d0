#!/usr/bin/env python3
"""Does perf see in wick's file what wick sees: as many samples, with the same innermost symbols?

Four programs are recorded by wick; `perf script` and `wick show` read the same file. Samples are
counted by innermost symbol in both. Names are compared without blanks and without the hashes of
legacy Rust; the library's inner aliases (perf prefers __GI___libc_write, wick write) are
the same function where both names stand at one address of the image's symbol table."""
import csv
import io
import os
import re
import shutil
import subprocess

from common import build, folder, need, run, wick_record, WICK

PROGRAMS = [("Rust, two threads", "threads.rs", "600"), ("static musl", "chains.c", "800"),
            ("C++ -O2", "shapes.cpp", "400"), ("CPython script", "words.py", "120")]


def plain(name):
    name = re.sub(r"::h[0-9a-f]{16}$", "", name.strip())
    return re.sub(r"\s+", "", re.sub(r"@+[A-Z].*", "", name))


def perf_names(recording, *options):
    """The innermost symbol and image of each sample."""
    text = run(["perf", "script", *options, "-F", "ip,sym,dso", "-i", recording]).stdout
    names = []
    for block in text.decode("utf-8", "replace").split("\n\n"):
        line = block.strip().split("\n")[0].strip()
        if line:
            name, image = line.split(None, 1)[1].rsplit(" (", 1)
            names.append((plain(name), image.rstrip(")")))
    return names


def perf_leaves(recording):
    """How often each (readable name, linked name, image) was innermost."""
    leaves = {}
    for (readable, image), (linked, _) in zip(perf_names(recording),
                                              perf_names(recording, "--no-demangle")):
        leaves[readable, linked, image] = leaves.get((readable, linked, image), 0) + 1
    return leaves


def wick_leaves(recording):
    text = run([WICK, "show", recording, "functions", "--addresses", "--csv"]).stdout.decode("utf-8", "replace")
    leaves = {}
    for row in csv.DictReader(io.StringIO(text)):
        if int(row["self_samples"]):
            unnamed = row["function"].startswith(row["image"] + "+0x")
            readable = "[unknown]" if unnamed else plain(row["function"])
            linked = plain(row["linked_name"]) + ("@plt" if readable.endswith("@plt") else "")
            key = (readable, linked, row["image"])
            leaves[key] = leaves.get(key, 0) + int(row["self_samples"])
    return leaves


def aliases(image):
    """Which names stand at the same address of a file; debug files of Debian included."""
    names = {}
    build_id = re.search(r"Build ID: ([0-9a-f]+)",
                         run(["readelf", "-n", image], check=False).stdout.decode("utf-8", "replace"))
    files = [image]
    if build_id:
        files.append(f"/usr/lib/debug/.build-id/{build_id[1][:2]}/{build_id[1][2:]}.debug")
    for file in files:
        for table in ([], ["-D"]):
            out = run(["nm", *table, file], check=False).stdout.decode("utf-8", "replace")
            for line in out.splitlines():
                parts = line.split(None, 2)
                if len(parts) == 3:
                    names.setdefault(plain(parts[2]), set()).add(parts[0])
    return names


def main():
    need("perf", "nm", "readelf")
    work = folder()
    for title, source, rounds in PROGRAMS:
        program = build(source, work)
        if not program:
            print(f"{title}: skipped, its compiler is not installed")
            continue
        recording = os.path.join(work, "wick.data")
        run(wick_record(program + [rounds], recording))
        theirs = perf_leaves(recording)
        total = sum(theirs.values())
        rest = wick_leaves(recording)
        ours = sum(rest.values())
        same, alias, different = 0, 0, []
        for (readable, linked, image), count in theirs.items():
            table = None
            for key in list(rest):
                if key[2] != os.path.basename(image) or not count or not rest[key]:
                    continue
                match = min(count, rest[key])
                if key[0] == readable or (linked and key[1] == linked):
                    same += match
                else:
                    if table is None:
                        table = aliases(image) if os.path.exists(image) else {}
                    if not table.get(linked, set()) & table.get(key[1], set()):
                        continue
                    alias += match
                rest[key] -= match
                count -= match
            if count:
                different.append((count, linked, os.path.basename(image)))
        print(f"{title}: samples {ours}, perf {total}; same innermost symbol {same}, "
              f"an alias of it {alias}, different {sum(d[0] for d in different)}")
        for count, name, image in sorted(different, reverse=True)[:8]:
            print(f"    perf: {count} x {name} ({image})")
        if different:
            for (_, linked, image), count in sorted(rest.items(), key=lambda item: -item[1])[:8]:
                if count:
                    print(f"    wick: {count} x {linked} ({image})")


main()
