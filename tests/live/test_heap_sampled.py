#!/usr/bin/env python3
"""Sampled heaps: are the estimates right on average, and as close as they say?"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

LEFT = {"keep_small": 400000 * 48, "keep_medium": 20000 * 1000,
        "keep_mixed": sum(16 + i * 7919 % 4000 * 4 for i in range(4000)),
        "keep_few": 100 * 40000, "keep_large": 200 * 200000, "keep_huge": 8 * 10000000}
SEEDS = 100


def left(t, *options):
    """What `wick show heap` says is outstanding: bytes, and how far they may be off."""
    t.record("--heap", *options, "--", tap.program("live", "heap_sampled"))
    return {row["function"]: (row["outstanding_bytes"], row.get("outstanding_margin_bytes"))
            for row in t.json("show", "wick.data", "heap", "--all")["rows"]}


@tap.case("exact recordings have no margins")
def _(t):
    shown = left(t)
    t.equal({name: shown[name] for name in LEFT}, {name: (LEFT[name], None) for name in LEFT},
            "bytes and margins")


@tap.case(f"{SEEDS} seeds: on average the truth, and 19 of 20 within what is said")
def _(t):
    shown = [left(t, "--heap-sample", "512K", "--heap-seed", str(seed + 1))
             for seed in range(SEEDS)]
    hits = {}
    for name, truth in LEFT.items():
        came = [one.get(name, (0, 0)) for one in shown]
        hits[name] = sum(abs(size - truth) <= margin + 1 for size, margin in came)
        mean = statistics.mean(size for size, _ in came)
        error = statistics.pstdev(size for size, _ in came) / len(came) ** 0.5
        t.true(abs(mean - truth) <= 4 * error + 1, f"{name}: {mean:.0f} on average, not {truth}")
    for name, count in hits.items():
        print(f"# {name}: {count} of {SEEDS} within the margin")
    # That it is 93 by luck instead of 95 happens once in a thousand times.
    t.true(sum(hits.values()) >= 0.93 * SEEDS * len(hits), str(hits))


tap.run_all()
