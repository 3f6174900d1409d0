#!/usr/bin/env python3
"""What fetching costs: PDBs of a Windows trace from a symbol server on loopback.

Wall seconds for 60 modules if each answer takes 50 ms, and CPU seconds of wick for 300 modules
without a delay. Each run has an empty cache; the figures are the least of five runs. To compare two
programs, run it with $WICK set to one and then the other."""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

from common import ROOT, WICK, folder, need, skip

sys.path.insert(0, os.path.join(ROOT, "tests"))
from loopback import Server, missing, whole  # noqa: E402

SHARED = pathlib.Path(os.environ.get("WICK_SHARED", os.path.join(ROOT, "..", "shared")))
FIXTURE = SHARED / "fixtures" / "pdb" / "cpp-O2.pdb"
THEIRS = "694D2048AC5025F34C4C44205044422E"
WRITER = os.environ.get("WICK_MODULES", os.path.join(ROOT, "build/tests/live/windows_modules"))
RUNS = 5


def key(number):
    return f"ABC{number:029X}1"


def in_file(guid):
    raw = bytes.fromhex(guid)
    return raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]


def measure(count, delay, work):
    """The least wall and CPU seconds of `wick fold` with so many modules."""
    body = FIXTURE.read_bytes()
    numbers = range(1, count + 1)
    files = {f"/m{i}.pdb/{key(i)}/m{i}.pdb": body.replace(in_file(THEIRS), in_file(key(i)[:32]))
             for i in numbers}
    trace, cache = os.path.join(work, "x.etl"), os.path.join(work, "cache")
    subprocess.run([WRITER, trace, *(f"m{i}.dll,{key(i)},0,{100 + 10 * i},1" for i in numbers)],
                   check=True)

    def answer(path):
        time.sleep(delay)
        return whole(files[path]) if path in files else missing(path)

    environment = {"PATH": os.environ["PATH"], "WICK_CACHE_DIR": cache}
    walls, costs = [], []
    for _ in range(RUNS):
        shutil.rmtree(cache, True)
        with Server(answer, keeps=True) as server:
            before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run([WICK, "fold", trace, "--symbol-path", server.url],
                                  env=environment, capture_output=True, text=True, check=True)
            walls.append(time.monotonic() - begun)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        if done.stdout.count("geo::total") != count:
            skip(f"not all of {count} modules have names: {done.stderr}")
    return min(walls), min(costs)


def main():
    need()
    for needed in FIXTURE, WRITER:
        if not os.path.exists(needed):
            skip(f"{needed} is not there")
    work = folder()
    print(f"60 modules at 50 ms: {measure(60, 0.05, work)[0]:.2f} s")
    print(f"300 modules without delay: {measure(300, 0, work)[1]:.2f} CPU s")


main()
