#!/usr/bin/env python3
"""Do large recordings cost memory, and how fast are they read?

A frame-pointer recording of the C++ program, its samples repeated to 100, 300 and 1,200 MB
(big_perf_data.py): CPU seconds, MB a second of CPU and peak memory of `wick fold`."""
import os
import sys

from common import HERE, WICK, folder, need, run

SIZES = [100, 300, 1200]


def cost(arguments):
    """CPU seconds and peak kilobytes of one run."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(arguments[0], arguments)
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(" ".join(arguments) + " failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def main():
    need("perf", "g++")
    work = folder()
    program = os.path.join(work, "shapes")
    run(["g++", "-O1", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer", "-o", program,
         os.path.join(HERE, "programs", "shapes.cpp")])
    small = os.path.join(work, "small.data")
    run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "9000", "-g", "-o", small, program,
         "500"])
    for size in SIZES:
        big = os.path.join(work, "big.data")
        run([os.path.join(HERE, "big_perf_data.py"), small, big, str(size)])
        megabytes = os.path.getsize(big) / 1e6
        for command in (["fold"], ["show"], ["flame", "-o", os.path.join(work, "big.svg")]):
            seconds, peak = cost([os.path.abspath(WICK), *command, big])
            print(f"{megabytes:.0f} MB, {command[0]}: {seconds:.2f} s of CPU, "
                  f"{megabytes / seconds:.0f} MB/s, peak {peak / 1000:.0f} MB")
        os.remove(big)


if __name__ == "__main__":
    main()
