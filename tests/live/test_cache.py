#!/usr/bin/env python3
"""Many processes share one symbol cache, and some are killed: is every read a miss or right?"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


def start(folder, seed, seconds, most_bytes):
    return subprocess.Popen([tap.program("live", "cache_driver"), folder, str(seed),
                             str(seconds), str(most_bytes)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def finish(t, process):
    """What the driver says that it did."""
    said, _ = process.communicate(timeout=60)
    t.equal(process.returncode, 0, f"exit code, after saying {said!r}")
    words = said.split()
    return dict(zip(words[::2], map(int, words[1::2])))


def kept(folder):
    return [path for path in pathlib.Path(folder).iterdir() if path.suffix == ".wick"]


def drafts(folder):
    return [path for path in pathlib.Path(folder).iterdir() if path.name.startswith(".draft-")]


@tap.case("processes that write and read at once, some killed in between, read nothing wrong")
def _(t):
    cache = t.folder / "cache"
    rng = random.Random(4)
    living = [start(cache, seed, 5, 1 << 30) for seed in range(3)]
    end = time.monotonic() + 4
    killed = 0
    while time.monotonic() < end:
        doomed = start(cache, 100 + killed, 20, 1 << 30)
        time.sleep(rng.uniform(0.002, 0.08))
        doomed.send_signal(signal.SIGKILL)
        doomed.communicate()
        killed += 1
    did = [finish(t, process) for process in living]
    t.true(killed > 10, f"expected more than 10 killed, came {killed}")
    t.true(sum(one["hits"] for one in did) > 50, f"expected reads that hit, came {did}")
    t.true(sum(one["writes"] for one in did) > 50, f"expected writes, came {did}")
    t.equal(sum(one["failures"] for one in did), 0, "writes that failed")
    time.sleep(2.1)  # a draft is left behind when nobody has had it for two seconds
    finish(t, start(cache, 999, 1, 1 << 30))
    t.equal(drafts(cache), [], "drafts that were left behind")


@tap.case("a bound is kept by processes that write at once")
def _(t):
    cache = t.folder / "cache"
    bound = 300000
    for one in [start(cache, seed, 2, bound) for seed in range(3)]:
        t.true(finish(t, one)["writes"] > 0, "expected writes")
    finish(t, start(cache, 9, 1, bound))
    total = sum(path.stat().st_size for path in kept(cache))
    t.true(0 < total <= bound, f"expected up to {bound} bytes, came {total}")


@tap.case("where nothing can be written, nothing is kept and nothing fails")
def _(t):
    if os.geteuid() == 0:
        folder = pathlib.Path("/proc/cache")  # where not even root makes a folder
    else:
        (t.folder / "locked").mkdir(mode=0o500)
        folder = t.folder / "locked" / "cache"
    did = finish(t, start(folder, 1, 1, 1 << 30))
    t.equal(did["hits"] + did["writes"], 0, "hits and writes")
    t.true(did["failures"] > 0, "expected writes that fail")


@tap.case("a full disk leaves what was there")
def _(t):
    # A limit on file sizes stands in for the disk: the system then refuses in the same place.
    cache = t.folder / "cache"
    finish(t, start(cache, 1, 1, 1 << 30))
    before = {path.name: path.read_bytes() for path in kept(cache)}
    t.true(before, "expected files")
    tap.need("sh")
    small = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh",
                            tap.program("live", "cache_driver"), cache, "2", "1",
                            str(1 << 30)], stdout=subprocess.PIPE, text=True, check=False)
    t.equal(small.returncode, 0, "exit code")
    t.true("writes 0" in small.stdout, f"expected no writes, came {small.stdout!r}")
    t.equal({path.name: path.read_bytes() for path in kept(cache)}, before, "files")
    t.equal(drafts(cache), [], "drafts")


tap.run_all(needs_recording=False)
