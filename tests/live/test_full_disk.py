#!/usr/bin/env python3
"""A disk that fills up while wick records: is what fitted there, readable and counted?

A small file system in memory is the disk, which takes root."""
import contextlib
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

BURN = ("sh", "-c", "end=$(($(date +%s) + 3)); while [ $(date +%s) -lt $end ]; do :; done")


@contextlib.contextmanager
def disk(t, size):
    tap.need("mount", "umount")
    place = t.folder / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        raise tap.Skip("only root may mount a small disk")
    made = tap.run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place, check=False)
    if made.returncode:
        raise tap.Skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    try:
        yield place
    finally:
        tap.run("umount", place)


def fill(place):
    """Nothing more fits."""
    with contextlib.suppress(OSError), open(place / "other", "wb", buffering=0) as other:
        while True:
            other.write(bytes(4096))


def record(t, *command):
    return t.wick("record", "-F", "5000", "-o", "disk/a.data", "--", *command, check=False)


def samples(t):
    return sum(int(row["samples"]) for row in t.csv("show", "disk/a.data", "processes"))


@tap.case("a recording that fills its disk keeps what fits, opens, and says how much it is")
def _(t):
    with disk(t, "64k") as place:
        done = record(t, *BURN)
        t.equal(done.returncode, 1, "exit code")
        said = re.search(r"the disk is full: ([\d,]+) samples were kept in disk/a.data", done.stderr)
        t.true(said, f"expected how many samples were kept, came {done.stderr}")
        t.equal(samples(t), int(said[1].replace(",", "")), "samples in the file")
        t.true(samples(t) > 100, f"expected more than 100 samples, came {samples(t)}")
        t.true((place / "a.data").stat().st_size > 60000, "expected the disk to be used")
        shown = t.wick("show", "disk/a.data", "system").stdout
        t.true("the recording broke off: the disk is full" in shown, f"came {shown}")
        t.true("command line" in shown, f"expected the facts of the end, came {shown}")


@tap.case("flame says that a recording that broke off was not drawn")
def _(t):
    with disk(t, "64k"):
        done = t.wick("flame", "-F", "5000", "--data", "disk/a.data", "--", *BURN, check=False)
        t.equal(done.returncode, 1, "exit code")
        t.true(re.search("samples were kept in disk/a.data; no picture was drawn", done.stderr),
               f"came {done.stderr}")
        t.true(not (t.folder / "flame.svg").exists(), "expected no picture")


@tap.case("on a disk that is full already nothing runs, and what was recorded before is left")
def _(t):
    with disk(t, "256k") as place:
        good = t.record("--", tap.program("live", "burn_30_70"), "200", name="disk/a.data")
        before = good.read_bytes()
        fill(place)
        done = record(t, "touch", t.folder / "ran")
        t.equal(done.returncode, 1, "exit code")
        t.true("the disk is full: nothing was kept; disk/a.data is as it was before; "
               "the command was not run" in done.stderr, f"came {done.stderr}")
        t.equal(good.read_bytes() == before, True, "the recording from before is there")
        t.true(not (t.folder / "ran").exists(), "expected the command not to run")
        t.equal(sorted(os.listdir(place)), ["a.data", "other"], "files")


@tap.case("and without one before, no file is left")
def _(t):
    with disk(t, "64k") as place:
        fill(place)
        done = record(t, "true")
        t.true("the disk is full: nothing was kept, and there is no disk/a.data" in done.stderr,
               f"came {done.stderr}")
        t.equal(os.listdir(place), ["other"], "files")


tap.run_all()
