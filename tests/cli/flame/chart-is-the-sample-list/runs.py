"""Runs of a flame chart against the list of samples: same functions, same order, same numbers.

    runs.py RECORDING

RECORDING is the text of `perf script` (.txt) or a perf.data file. A run is a function's samples that
follow each other in a thread; gaps end none. Compared are all functions, each at its depth, of
every thread."""
import json
import re
import subprocess
import sys

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def numbers(text, step=1):
    values, value, unit = [], 0, 1
    for letter in text:
        digit = DIGITS.index(letter)
        value += (digit & 31) * unit
        unit *= 32
        if digit < 32:
            values.append(value * step)
            value, unit = 0, 1
    return values


def names_of(svg):
    names, last = [], ""
    lines = "".join(json.loads(part) for part in re.findall(r'class="names">(".*?")</script>', svg, re.S))
    for line in lines.split("\n")[:-1]:
        at = 0
        while DIGITS.index(line[at]) > 31:
            at += 1
        last = last[:numbers(line[:at + 1])[0]] + line[at + 1:]
        names.append(last)
    return names


def chart_runs(path):
    """{(thread, depth): [(function, samples)]}"""
    svg = open(path, encoding="utf-8").read()
    data = json.loads(re.search(r'class="data">(.*?)</script>', svg, re.S).group(1))
    names = names_of(svg)
    up = numbers(data["up"])
    name, own = numbers(data["name"]), numbers(data["samples"] if "samples" in data else data["self"])
    begin = numbers(data["from"], data["fromStep"])
    lanes, at = set(), 0
    for distance in numbers(data["lanes"]):
        at += distance
        lanes.add(at)
    depth, path, parent = [0], [0], [0]
    for i in range(1, data["count"]):
        depth.append(depth[-1] + 1 - up[i - 1])
        path[depth[i]:] = [i]
        parent.append(path[depth[i] - 1])
    total = own[:]
    for i in range(data["count"] - 1, 0, -1):
        total[parent[i]] += total[i]
    runs, last = {}, {}
    for i in range(1, data["count"]):
        lane = i
        while lane and lane not in lanes:
            lane = parent[lane]
        if i in lanes or lane not in lanes:
            continue
        key = (names[name[lane]], depth[i] - depth[lane])
        assert begin[i] >= last.get(key, 0), "not in order of time"
        last[key] = begin[i]
        add(runs, key, names[name[i]], total[i])
    return runs


def add(runs, key, function, samples):
    list_of = runs.setdefault(key, [])
    if list_of and list_of[-1][0] == function:
        samples += list_of.pop()[1]
    list_of.append((function, samples))


def script_of(recording):
    """The text of `perf script`, one sample after the other."""
    if recording.endswith(".txt"):
        return open(recording, encoding="utf-8").read()
    return subprocess.run(["wick", "export", "-q", "--to", "perf-script", recording],
                          stdout=subprocess.PIPE, text=True, check=True).stdout


def sample_runs(recording):
    text = script_of(recording)
    samples = []
    for block in text.strip().split("\n\n"):
        head, *frames = block.split("\n")
        comm, tid, time = re.match(r"\s*(.*?)\s+(\d+) +(?:\[\d+\] +)?([\d.]+):", head).groups()
        stack = [re.sub(r"(\+0x[0-9a-f]+)? \([^)]*\)$", "", frame.split(None, 1)[1]) for frame in frames]
        samples.append((float(time), "%s (%s)" % (comm, tid), stack[::-1]))
    runs = {}
    for _, thread, stack in sorted(samples, key=lambda sample: sample[0]):
        for depth, function in enumerate(stack, 1):
            add(runs, (thread, depth), function, 1)
    return runs, len(samples)


subprocess.run(["wick", "flame", "-q", "--flamechart", "--most-frames", "0", "-o", "chart.svg", sys.argv[1]],
               check=True)
drawn, (listed, samples) = chart_runs("chart.svg"), sample_runs(sys.argv[1])
print(samples, "samples,", len({thread for thread, _ in listed}), "threads,",
      sum(map(len, listed.values())), "runs in the list,", sum(map(len, drawn.values())), "in the chart")
for key in sorted(set(drawn) | set(listed)):
    if drawn.get(key) != listed.get(key):
        print("different in", key, drawn.get(key, [])[:5], listed.get(key, [])[:5])
