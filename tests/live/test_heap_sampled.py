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


@tap.case("what differs between recordings of the same program is within the margin of the change")
def _(t):
    pairs, hits = 12, 0
    for seed in range(pairs + 1):
        t.record("--heap-sample", "512K", "--heap-seed", str(seed + 1), "-o", f"{seed}.data", "--",
                 tap.program("live", "heap_sampled"))
    for seed in range(pairs):
        files = f"{seed}.data", f"{seed + 1}.data"
        rows = t.json("diff", *files, "--outstanding", "--json", "--all")["rows"]
        shown = {row["function"]: row for row in rows}
        hits += sum(abs(shown[name]["self_change_bytes"]) <= shown[name]["margin_bytes"]
                    for name in LEFT if name in shown)
        hits += sum(name not in shown for name in LEFT)
    print(f"# {hits} of {pairs * len(LEFT)} within the margin")
    t.true(hits >= 0.88 * pairs * len(LEFT), str(hits))
    shown = t.wick("diff", "0.data", "1.data", "--all").stdout
    t.true("both are estimated from one block per 512.0 KiB" in shown, shown)


tap.run_all()
