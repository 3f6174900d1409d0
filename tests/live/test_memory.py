#!/usr/bin/env python3
"""Memory calls and counters: do they say what the system says of the same moment?"""
import csv
import io
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

PAGE = 4096
MIB = 1 << 20
FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


def need_tracepoints(t):
    """Only some users may record them."""
    came = t.wick("record", "--memory", "-o", "probe.data", "--", "true")
    if "memory calls are recorded by libwick-heap.so" in came.stderr:
        raise tap.Skip("tracepoints may not be recorded here")


def as_user(t):
    """What runs a command as a user who cannot read the tracepoints."""
    if os.geteuid() != 0:
        if t.wick("record", "--memory", "-o", "probe.data", "--", "true").stderr.count("libwick-heap"):
            return ()
        raise tap.Skip("not root, but tracepoints may be recorded here")
    tap.need("setpriv")
    t.folder.chmod(0o777)
    return "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"


def recorded(t, case, *options, by=()):
    if not by:
        need_tracepoints(t)
    came = tap.run(*by, tap.WICK, "record", "--memory", *options, "-o", t.folder / "memory.data", "--",
                   tap.program("live", "memory_calls"), case, t.folder / "smaps", check=False,
                   cwd=t.folder)
    t.equal(came.returncode, 7, "exit code (" + came.stderr[-300:] + ")")
    t.true("lost" not in came.stderr, "nothing is lost (" + came.stderr[-300:] + ")")
    return came.stderr


def events(t):
    for line in t.wick("dump", "memory.data").stdout.splitlines():
        kind, _, rest = line.partition(" ")
        yield kind, dict(FIELD.findall(rest))


def pages_of(fields):
    start, size = int(fields["start"], 16), int(fields["size"], 16)
    return range(start // PAGE, (start + size) // PAGE)


class Space:
    """The pages of a process that are mapped, and those that are committed."""

    def __init__(self, parent=None):
        self.mapped = set(parent.mapped) if parent else set()
        self.committed = set(parent.committed) if parent else set()

    def apply(self, fields):
        changes, pages = fields["change"].split(","), pages_of(fields)
        if "release" in changes:
            self.mapped.difference_update(pages)
        if "release" in changes or "decommit" in changes:
            self.committed.difference_update(pages)
        if "reserve" in changes:
            self.mapped.update(pages)
        if "commit" in changes:
            self.committed.update(pages)


def replayed(t):
    """The space of the process that began last, of those that did anything."""
    spaces, active = {}, set()
    for kind, fields in events(t):
        pid = fields.get("pid")
        if kind == "process" and fields["change"] == "fork":
            spaces[pid] = Space(spaces.get(fields["parent_pid"]))
        elif kind == "process" and fields["change"] == "exec":
            spaces[pid] = Space()
        elif kind == "memory":
            spaces[pid].apply(fields)
            active.add(pid)
    return [space for pid, space in spaces.items() if pid in active][-1]


def of_system(t):
    """What smaps says: the pages that calls mapped, and which of them are committed."""
    mapped, committed, of_exec = set(), set(), set()
    program = str(tap.program("live", "memory_calls"))
    for line in (t.folder / "smaps").read_text().splitlines():
        words = line.split()
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            low, high = (int(at, 16) // PAGE for at in words[0].split("-"))
            rights, path = words[1], " ".join(words[5:])
            pages = range(low, high)
            mapped.update(pages)
            # The kernel maps these itself when the program begins.
            if path == program or "/ld-linux" in path or (path.startswith("[") and
                                                          path != "[heap]"):
                of_exec.update(pages)
            shared_memory = rights[3] == "s" and path.startswith("/dev/zero")
            if rights[3] == "p" and "w" in rights or shared_memory:
                committed.update(pages)
        elif words[0] == "VmFlags:" and "ac" in words and rights[0:2] == "r-":
            committed.update(pages)  # it was writable
    return mapped - of_exec, committed - of_exec


def shown(pages):
    runs = []
    for page in sorted(pages):
        if runs and runs[-1][1] == page:
            runs[-1][1] = page + 1
        else:
            runs.append([page, page + 1])
    return " ".join(f"{low:x}-{high:x}" for low, high in runs[:8])


def matches(case):
    @tap.case(f"{case}: what is mapped and committed is what smaps lists")
    def _(t):
        recorded(t, case)
        space, (mapped, committed) = replayed(t), of_system(t)
        # The start of the heap is where the kernel put it; calls only move its end.
        t.equal(shown(space.mapped ^ mapped), "", "mapped in one of the two")
        t.equal(shown(space.committed ^ committed), "", "committed in one of the two")


for name in "split", "grow", "move", "replace", "fail", "threads", "forked":
    matches(name)


def seen_by_library(t):
    """What smaps lists, but for what the kernel has of its own and for the library's rings."""
    mapped, committed = set(), set()
    for line in (t.folder / "smaps").read_text().splitlines():
        words = line.split()
        if not re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            continue
        low, high = (int(at, 16) // PAGE for at in words[0].split("-"))
        rights, path = words[1], " ".join(words[5:])
        if path.startswith(("[v", "/memfd:wick-heap")):
            continue
        mapped.update(range(low, high))
        if rights[3] == "p" and "w" in rights or rights[3] == "s" and path.startswith("/dev/zero"):
            committed.update(range(low, high))
    return mapped, committed

# The library maps 3 MiB and 20 KiB for each thread, which nothing sees before the next look.
OWN = 4 * MIB // PAGE


def matches_for_users(case):
    @tap.case(f"{case}: the same for an ordinary user, by the library")
    def _(t):
        said = recorded(t, case, by=as_user(t))
        t.true("memory calls are recorded by libwick-heap.so" in said, "a notice (" + said + ")")
        t.true("kernel code" not in said, "nothing is sampled in the kernel anyway (" + said + ")")
        space, (mapped, committed) = replayed(t), seen_by_library(t)
        t.true(len(mapped - space.mapped) < OWN,
               "mapped in smaps alone: " + shown(mapped - space.mapped))
        t.true(len(committed - space.committed) < OWN,
               "committed in smaps alone: " + shown(committed - space.committed))
        t.true(len(space.mapped - mapped) < OWN // 8,
               "mapped in the recording alone: " + shown(space.mapped - mapped))
        # What was made read-only after it was writable is committed still, which maps do not say.
        rest = space.committed & mapped - committed
        t.true(len(rest) in (0, 5 * MIB // PAGE), "read-only and committed: " + shown(rest))


for name in "split", "grow", "move", "replace", "fail", "threads", "forked":
    matches_for_users(name)


@tap.case("what malloc commits inside has the stacks of its callers, also for ordinary users")
def _(t):
    by = as_user(t)

    def committed(by):
        # Arenas grow by pages: 60,000 calls a second, whose stacks are copied if they are traced.
        recorded(t, "malloc", "-F", "99", *([] if by else ["--stack-size", "4096"]), by=by)
        return {row["function"]: int(row["total_bytes"]) for row in
                t.csv("show", "memory.data", "functions", "--by", "commit")}
    seen = committed(by)
    t.true(50 * MIB <= seen["malloc_large"] < 51 * MIB, f"large: {seen['malloc_large']}")
    t.true(20 * MIB <= seen["malloc_small"] < 22 * MIB, f"small: {seen['malloc_small']}")
    t.true(20 * MIB <= seen["malloc_in_thread"] < 24 * MIB, f"thread: {seen['malloc_in_thread']}")
    t.true(50 * MIB <= seen["realloc_large"], f"realloc: {seen['realloc_large']}")
    if not by:
        return
    need_tracepoints(t)
    traced = committed(())
    for function in "malloc_large", "malloc_small", "malloc_in_thread":
        t.true(abs(seen[function] - traced[function]) <= MIB,
               f"{function}: {seen[function]}, by tracepoints {traced[function]}")


@tap.case("an ordinary user's recordings of heap and memory together have both")
def _(t):
    recorded(t, "malloc", "--heap", by=as_user(t))
    blocks = {row["function"]: int(row["allocated_bytes"]) for row in
              t.csv("show", "memory.data", "allocations", "--all")}
    t.equal(blocks["malloc_large"], 50 * MIB, "blocks of malloc_large")
    committed = {row["function"]: int(row["total_bytes"]) for row in
                 t.csv("show", "memory.data", "functions", "--by", "commit")}
    t.true(50 * MIB <= committed["malloc_large"] < 51 * MIB, "committed there")


@tap.case("the tables count what was committed, by process and stack")
def _(t):
    recorded(t, "grow")
    row, = t.csv("show", "memory.data", "memory")
    t.equal(row["process"], "memory_calls", "process")
    committed = sum(int(r["total_bytes"]) for r in
                    t.csv("show", "memory.data", "functions", "--by", "commit")
                    if r["function"] == "grow")
    t.equal(committed, (110 + 3) * MIB, "bytes committed in grow")
    t.equal(sum(int(r["total_bytes"]) for r in
                t.csv("show", "memory.data", "functions", "--by", "reserve")
                if r["function"] == "reserve"), 200 * MIB, "bytes reserved")


@tap.case("the peak is drawn as the note says")
def _(t):
    recorded(t, "fill")
    said = t.wick("show", "memory.data", "memory").stdout
    command = re.search(r"`wick (flame memory.data --by commit --outstanding --time \S+)`", said)
    t.true(command, "a command in " + said)
    folded = t.wick("fold", *command[1].split()[1:]).stdout
    weight = sum(int(line.rpartition(" ")[2]) for line in folded.splitlines()
                 if ";map_writable" in line)
    t.equal(weight, 300 * MIB, "bytes at the peak")


@tap.case("counters follow resident memory, with its peak, and CPU samples are in the same file")
def _(t):
    recorded(t, "fill", "-F", "997")
    rows = t.csv("show", "memory.data", "counters", "--all")
    t.true(len(rows) > 2, f"{len(rows)} moments")
    resident = [int(row["working_set_bytes"]) for row in rows]
    t.true(300 * MIB <= int(rows[-1]["peak_working_set_bytes"]) < 306 * MIB,
           f"peak {rows[-1]['peak_working_set_bytes']}")
    t.true(100 * MIB <= resident[-1] < 106 * MIB, f"resident at the end {resident[-1]}")
    row, = t.csv("show", "memory.data", "processes")
    t.equal(row["peak_working_set_bytes"], rows[-1]["peak_working_set_bytes"], "peak of the process")
    t.true(t.percents("memory.data").get("fill", 0) > 50, "CPU samples in fill")
    t.true(t.percents("memory.data", "--by", "page-faults").get("fill", 0) > 50,
           "page faults in fill")


@tap.case("perf's own recordings of these calls have the same tables")
def _(t):
    need_tracepoints(t)
    tap.need("perf")
    calls = "mmap", "munmap", "mremap", "mprotect", "madvise", "brk"
    words = [word for call in calls for way in ("enter", "exit")
             for word in ("-e", f"syscalls:sys_{way}_{call}")]
    came = tap.run("perf", "record", "-q", "-g", "-o", t.folder / "memory.data", *words, "--",
                   tap.program("live", "memory_calls"), "move", t.folder / "smaps", check=False,
                   cwd=t.folder)
    t.equal(came.returncode, 7, "exit code (" + came.stderr[-300:] + ")")
    space, (mapped, committed) = replayed(t), of_system(t)
    t.equal(shown(space.mapped ^ mapped), "", "mapped in one of the two")
    t.equal(shown(space.committed ^ committed), "", "committed in one of the two")


@tap.case("a recorder that is killed leaves what it has recorded")
def _(t):
    need_tracepoints(t)
    recorder = subprocess.Popen([tap.WICK, "record", "--memory", "-q", "-o", "memory.data", "--",
                                 tap.program("live", "memory_calls"), "forever", "/dev/null"],
                                cwd=t.folder, stdout=subprocess.PIPE, text=True)
    child = int(recorder.stdout.readline())

    def committed():
        shown = t.wick("show", "memory.data", "functions", "--by", "commit", "--csv", check=False)
        return sum(int(row["total_bytes"]) for row in csv.DictReader(io.StringIO(shown.stdout))
                   if row["function"] == "map_writable")
    try:
        for _ in range(600):
            if committed() == 5 * MIB:
                break
            time.sleep(0.1)
        recorder.kill()
        recorder.wait(timeout=60)
        t.equal(committed(), 5 * MIB, "bytes of map_writable")
        t.true(t.csv("show", "memory.data", "counters", "--all"), "counters")
    finally:
        recorder.kill()
        os.kill(child, signal.SIGKILL)


@tap.case("counters are of each process that runs for some time, and of those that are selected")
def _(t):
    t.record("--memory", "--", "sh", "-c", "sleep 2; sleep 2; true")
    rows = t.csv("show", "wick.data", "counters", "--process", "sleep")
    t.equal({row["process"] for row in rows}, {"sleep"}, "processes")
    t.equal(len({row["pid"] for row in rows}), 2, "how many there are")


@tap.case("page faults of an ordinary user have addresses, and counters have kinds of memory")
def _(t):
    recorded(t, "fill", by=as_user(t))
    faults = [int(fields["data_address"], 16) for kind, fields in events(t)
              if kind == "sample" and "data_address" in fields]
    mapping, = [pages_of(fields) for kind, fields in events(t)
                if kind == "memory" and int(fields["size"], 16) == 300 * MIB and
                "reserve" in fields["change"]]
    t.true(sum(at // PAGE in mapping for at in faults) > len(faults) / 2 > 10,
           f"{len(faults)} addresses")
    rows = t.csv("show", "memory.data", "counters", "--all")
    t.true(300 * MIB <= int(rows[-1]["peak_working_set_bytes"]) < 306 * MIB,
           f"peak {rows[-1]['peak_working_set_bytes']}")
    t.true(all(int(row["anonymous_bytes"]) + int(row["file_bytes"]) + int(row["shared_bytes"]) ==
               int(row["working_set_bytes"]) for row in rows), "kinds add up to resident memory")
    t.true(int(rows[-1]["anonymous_bytes"]) > 100 * MIB, "anonymous memory")
    t.true("anonymous" in t.wick("show", "memory.data", "memory").stdout, "a note of the peak")
    t.true(t.percents("memory.data", "--by", "page-faults").get("fill", 0) > 50, "faults in fill")


MAPPING = "#include <sys/mman.h>\nint main(void) { return mmap(0, 1 << 26, 3, 0x22, -1, 0) == MAP_FAILED; }\n"


def compiled(t, *options):
    tap.need("cc")
    (t.folder / "mapping.c").write_text(MAPPING)
    came = tap.run("cc", *options, "-o", t.folder / "mapping", t.folder / "mapping.c", check=False)
    if came.returncode:
        raise tap.Skip(f"cc {' '.join(options)} does not work here")
    return t.folder / "mapping"


@tap.case("programs whose calls are not seen are unharmed, and named")
def _(t):
    for by, option, reason in (
            (as_user(t), "-static", "it is linked statically"),
            (as_user(t), "-m32", "it is a 32-bit program"), ((), "-m32", "it is a 32-bit program")):
        program = compiled(t, option)
        came = tap.run(*by, tap.WICK, "record", "--memory", "-o", t.folder / f"{len(by)}.data", "--",
                       program, check=False, cwd=t.folder)
        t.equal(came.returncode, 0, "exit code (" + came.stderr + ")")
        t.true(f"memory calls of {program} were not recorded: {reason}" in came.stderr, came.stderr)


@tap.case("without the library, or without space for it, ordinary users have page faults")
def _(t):
    said = tap.run(*as_user(t), "sh", "-c", 'ulimit -f 1000; exec "$@"', "sh", tap.WICK, "record",
                   "--memory", "-o", t.folder / "memory.data", "--",
                   tap.program("live", "memory_calls"), "fill", check=False, cwd=t.folder).stderr
    t.true("calls that map memory are not recorded" in said, "a notice (" + said + ")")
    t.true(t.percents("memory.data").get("fill", 0) > 50, "page faults in fill")


MAPS_AGAIN = """
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) static void *take(void)
{
	return mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int main(void)
{
	for (;;) {
		munmap(take(), 1 << 20);
		usleep(1000);
	}
}
"""


def attached(t, *options):
    """What wick prints while it records a process of an ordinary user that runs already."""
    by = as_user(t)
    tap.need("cc")
    (t.folder / "again.c").write_text(MAPS_AGAIN)
    if tap.run("cc", "-g", *options, "-o", t.folder / "again", t.folder / "again.c",
               check=False).returncode:
        raise tap.Skip(f"cc {' '.join(options)} does not work here")
    target = subprocess.Popen([*by, t.folder / "again"])
    try:
        time.sleep(0.2)
        return tap.run(*by, tap.WICK, "record", "--memory", "-o", t.folder / "memory.data",
                       "--duration", "300ms", "-p", str(target.pid), check=False,
                       cwd=t.folder).stderr
    finally:
        target.kill()
        target.wait()


@tap.case("calls of a process that runs already are recorded for its user")
def _(t):
    if platform.machine() != "x86_64":
        raise tap.Skip("the library is loaded into running processes on x86-64 only")
    said = attached(t)
    t.true("memory calls are recorded by" in said, said)
    rows = t.csv("show", "memory.data", "functions", "--by", "commit")
    t.true(any(row["function"] == "take" for row in rows), f"{rows} ({said})")


@tap.case("of a static process, page faults and counters are recorded, and users are told why")
def _(t):
    said = attached(t, "-static")
    t.true("calls that map memory are not recorded" in said and "statically" in said, said)
    t.true(t.csv("show", "memory.data", "counters", "--all"), "counters")


if __name__ == "__main__":
    tap.run_all()
