#!/usr/bin/env python3
"""How long after the program's end is the picture there?

`wick flame` over a Rust program of about 1,700 samples. The program is started by a shell
that notes the time when it ended; the SVG's own time of change is when it was finished."""
import os
import statistics
import subprocess

from common import WICK, build, folder, need, run


def main():
    need("rustc")
    work = folder()
    program = build("threads.rs", work) + ["1150"]
    ended = os.path.join(work, "ended")
    script = '"$@"; date +%s%N >"$ENDED"'
    environment = dict(os.environ, ENDED=ended)
    seconds = []
    for _ in range(7):
        picture = os.path.join(work, "flame.svg")
        told = subprocess.run([WICK, "flame", "-o", picture, "--", "sh", "-c", script, "sh", *program],
                              cwd=work, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=True)
        with open(ended, encoding="ascii") as file:
            seconds.append((os.stat(picture).st_mtime_ns - int(file.read())) / 1e9)
    print(told.stderr.decode().strip())
    print(f"program's end to finished SVG: median {statistics.median(seconds):.3f} s "
          f"(from {min(seconds):.3f} to {max(seconds):.3f}) over {len(seconds)} runs")
    folded = run([WICK, "fold", os.path.join(work, "wick.data")]).stdout.decode()
    print("samples:", sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()))


main()
