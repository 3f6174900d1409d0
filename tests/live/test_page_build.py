#!/usr/bin/env python3
"""The analysis page of a real `cargo build` of a workspace: compilers, linkers and build scripts, with
CPU time and commits. Equal to `wick show`, and to what /proc said while it ran."""
import collections
import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import page  # noqa: E402
import tap  # noqa: E402

LIBRARY = """
pub fn sum_%d(list: &[u64]) -> u64 {
    let mut map = std::collections::BTreeMap::new();
    for (i, n) in list.iter().enumerate() { map.entry(n %% 17).or_insert_with(Vec::new).push(i as u64 + n); }
    map.values().flatten().map(|n| n.rotate_left(%d)).sum()
}
"""

FILES = {
    "Cargo.toml": '[workspace]\nmembers = ["app", "lib"]\nresolver = "2"\n',
    "app/Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'
                      '[dependencies]\nlib = { path = "../lib" }\n',
    "app/build.rs": 'fn main() { let mut v: Vec<u64> = (0..3_000_000).map(|i| i * 2654435761 % 1000003).collect(); '
                    'v.sort(); println!("cargo:rustc-env=SUM={}", v[v.len() / 2]); }\n',
    "app/src/main.rs": 'fn main() { println!("{} {}", env!("SUM"), lib::sum_1(&[1, 2, 3])); }\n',
    "lib/Cargo.toml": '[package]\nname = "lib"\nversion = "0.1.0"\nedition = "2021"\n',
    "lib/src/lib.rs": "".join(LIBRARY % (i, i % 63) for i in range(60)),
}

Seen = collections.namedtuple("Seen", "parent command")


class Watch(threading.Thread):
    """What /proc says of the descendants of a process, again and again. A program that was started a
    moment ago has the command line of what started it, so the last one counts."""

    def __init__(self, root):
        super().__init__()
        self.root, self.seen, self.is_over = root, {}, False

    def run(self):
        while not self.is_over:
            for entry in pathlib.Path("/proc").iterdir():
                if entry.name.isdigit():
                    self.look(int(entry.name), entry)
            time.sleep(0.003)

    def look(self, pid, entry):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes()
        except (OSError, IndexError):
            return
        if command and (parent == self.root or parent in self.seen):
            self.seen[pid] = Seen(parent, command.rstrip(b"\0").replace(b"\0", b" ").decode())


def record(t):
    tap.need("cargo")
    for name, text in FILES.items():
        (t.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (t.folder / name).write_text(text)
    recorder = subprocess.Popen([tap.WICK, "record", "-q", "--memory", "--cpu", "-o", t.folder / "build.data", "--",
                                 "cargo", "build", "--release", "--offline"], cwd=t.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    watch = Watch(recorder.pid)
    watch.start()
    said = recorder.communicate(timeout=300)[1]
    watch.is_over = True
    watch.join()
    t.equal(recorder.returncode, 0, "exit code (" + said[-500:] + ")")
    t.wick("report", "-q", "build.data", "-o", "build.html")
    return page.Page(t.folder / "build.html"), watch.seen, recorder.pid


def rows_of(t, table, *words):
    import json
    return json.loads(t.wick("show", "-q", "--json", *words, "build.data", table).stdout)["rows"]


@tap.case("a cargo build: processes, tree, commands, times and commit stacks")
def _(t):
    built, seen, recorder = record(t)
    head = built.json("head")
    processes = {process["pid"]: process for process in head["processes"] if process}

    t.true(len(seen) >= 6, "/proc showed %d processes" % len(seen))
    programs = {seen_one.command.split()[0].rsplit("/", 1)[-1] for seen_one in seen.values()}
    for program in "cargo", "rustc", "build-script-build":
        t.true(program in programs, "%s is among %s" % (program, sorted(programs)))
    compared = 0
    for pid, (parent, command) in seen.items():
        t.true(pid in processes, "process %d (%s) is in the page" % (pid, command[:80]))
        one = processes[pid]
        # The recorder itself is not in the recording.
        t.equal(one["parent"], 0 if parent == recorder else parent, "parent of " + command[:80])
        # What ended before anything else was seen of it may have been looked at before its exec.
        if one["command"].split()[:1] == command.split()[:1]:
            t.equal(one["command"], command, "command line of %d" % pid)
            compared += 1
    t.true(compared >= len(seen) * 3 // 4, "%d of %d command lines were compared" % (compared, len(seen)))

    for table in "processes", "process-tree":
        t.equal([tuple(row.get(key) for key in ("pid", "name", "parent_pid", "self_ns", "start_ns", "end_ns", "command_line"))
                 for row in built.json("table-" + table)["rows"]],
                [tuple(row.get(key) for key in ("pid", "name", "parent_pid", "self_ns", "start_ns", "end_ns", "command_line"))
                 for row in rows_of(t, table)], table)

    event = [one and one["name"] for one in head["events"]].index("commit")
    samples = built.samples(event)
    ends = built.columns("ends-%d" % event)
    names, left = collections.Counter(), collections.Counter()
    owner = [head["processes"][head["threads"][thread]["process"]]["name"] for thread in samples["thread"]]
    for name, weight in zip(owner, samples["weight"]):
        names[name] += weight
        left[name] += weight
    for row, weight, is_left in zip(ends["row"], ends["weight"], ends["left"]):
        if not is_left:
            left[owner[row]] -= weight
    shown, shown_left = collections.Counter(), collections.Counter()
    for row in rows_of(t, "memory"):
        shown[row["process"]] += row["committed_bytes"]
        shown_left[row["process"]] += row["outstanding_bytes"]
    t.equal({k: v for k, v in names.items() if v}, {k: v for k, v in shown.items() if v}, "committed by process")
    t.equal({k: v for k, v in left.items() if v}, {k: v for k, v in shown_left.items() if v}, "outstanding by process")
    t.true(names["rustc"] > 10 << 20, "rustc committed %d bytes" % names["rustc"])


tap.run_all()
