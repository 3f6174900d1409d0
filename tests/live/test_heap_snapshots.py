#!/usr/bin/env python3
"""Heap snapshots: are they the heap of their moment, whoever takes them?"""
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

INCLUDE = tap.ROOT / "include"
EXAMPLES = tap.ROOT / "examples"
MIB = 1 << 20
LABELS = ["start"] + [f"{size} MiB, {which}" for size in (1, 10, 100)
                      for which in ("first", "second", "third")]


def compiled(t, source, *flags, compiler="gcc"):
    tap.need(compiler)
    program = t.folder / "program"
    tap.run(compiler, "-g", "-O1", "-Wall", "-Werror", "-I", INCLUDE, *flags, source, "-o", program)
    return program


def written(t, text, *flags, **options):
    """A program of this text."""
    source = t.folder / "program.c"
    source.write_text(text)
    return compiled(t, source, *flags, **options)


class Event(dict):
    """A line of `wick dump`."""

    def __init__(self, line):
        self.kind, _, rest = line.partition(" ")
        super().__init__(re.findall(r'(\w+)=("[^"]*"|\S+)', rest))
        for name in "label", "made_by", "path":
            if name in self:
                self[name] = self[name].strip('"')

    def number(self, name):
        return int(self.get(name, "0"), 0)


def events(t, recording):
    return [Event(line) for line in t.wick("dump", recording).stdout.splitlines()]


def of_kind(listed, kind):
    return [event for event in listed if event.kind == kind]


def live_at(listed, number):
    """The blocks of each snapshot's process that are allocated at snapshot `number`, by replay."""
    blocks = {}
    for event in listed:
        if event.kind == "snapshot":
            number -= 1
            if number == 0:
                return [block for pid, block in ((key[0], value) for key, value in blocks.items())
                        if event.get("pid", pid) == pid]
        elif event.kind == "heap" and event["change"] == "allocate":
            blocks[event["pid"], event["address"]] = event
        elif event.kind == "heap" and event["change"] == "free":
            blocks.pop((event["pid"], event["address"]), None)
    raise tap.Failure("there are fewer snapshots")


def main_range(listed, program, symbol):
    """The addresses of the function whose symbol matches, in the recorded process."""
    tap.need("nm", "readelf")
    found = re.search(rf"^(\w+) (\w+) \w {symbol}$", tap.run("nm", "-S", program).stdout, re.M)
    image = next(event for event in of_kind(listed, "image") if event["path"] == str(program))
    for line in tap.run("readelf", "-lW", program).stdout.splitlines():
        fields = line.split()
        if fields[:1] == ["LOAD"] and int(fields[1], 16) & ~4095 == image.number("offset"):
            start = image.number("start") - image.number("offset") + int(fields[1], 16)
            start += int(found[1], 16) - int(fields[2], 16)
            return range(start, start + int(found[2], 16))
    raise tap.Failure(f"no segment of {program} at {image}")


def check_demonstration(t, program, symbol):
    """The ten snapshots of examples/snapshots.c and examples/rust-snapshots."""
    recording = t.record("--heap", "--", program)
    listed = events(t, recording)
    snapshots = of_kind(listed, "snapshot")
    t.equal([event["label"] for event in snapshots], LABELS, "labels")
    t.equal({event["cause"] for event in snapshots}, {"program"}, "causes")
    times = [event.number("time") for event in listed if event.kind in ("snapshot", "heap", "mark")]
    t.equal(times, sorted(times), "order of events")
    t.equal([event["label"] for event in of_kind(listed, "mark")], ["larger buffers"] * 3, "marks")
    addresses = main_range(listed, program, symbol)
    sizes = collections.Counter(
        block.number("size") for block in live_at(listed, 9)
        if any(int(pc, 16) in addresses for pc in block["user"].split(",")))
    t.equal(sizes, {100 * MIB: 2, 10 * MIB: 3, MIB: 3}, "blocks under main at snapshot 9")
    rows = t.csv("show", recording, "snapshots")
    t.equal([row["label"] for row in rows], LABELS, "labels of the table")
    t.equal(sum(block.number("size") for block in live_at(listed, 9)),
            int(rows[8]["outstanding_bytes"]), "bytes at snapshot 9")


@tap.case("C: snapshot 9 of 10 has exactly what the program keeps")
def _(t):
    check_demonstration(t, compiled(t, EXAMPLES / "snapshots.c"), "main")


@tap.case("Rust: snapshot 9 of 10 has exactly what the program keeps")
def _(t):
    tap.need("cargo")
    tap.run("cargo", "build", "--release", "--offline", "--target-dir", t.folder / "target",
            "--manifest-path", EXAMPLES / "rust-snapshots" / "Cargo.toml", seconds=300)
    program = t.folder / "target" / "release" / "rust-snapshots"
    tap.run(program)
    check_demonstration(t, program, r"_ZN14rust_snapshots4main\w+|_R\w*14rust_snapshots4main")


SMALL = """
#include <errno.h>
#include <stdio.h>
#include <wick/mark.h>
int main(void)
{
	errno = 42;
	wick_heap_snapshot("one");
	wick_mark("two");
	wick_heap_snapshot(NULL);
	return errno == 42 ? 0 : 1;
}
"""

BUILDS = {
    "position-independent": ["-fPIE", "-pie"],
    "at a fixed address": ["-fno-pie", "-no-pie"],
    "without optimization": ["-O0"],
    "all at once": ["-flto", "-O2"],
    "every symbol found": ["-Wl,-z,defs", "-Wl,-z,now"],
    "the large model": ["-mcmodel=large"],
}


@tap.case("mark.h works however a program is linked, and changes no errno")
def _(t):
    for compiler in "gcc", "clang":
        for what, flags in BUILDS.items():
            if compiler == "clang" and "-flto" in flags:
                continue  # it needs a plugin that is not everywhere
            program = written(t, SMALL, *flags, compiler=compiler)
            tap.run(program)
            listed = events(t, t.record("--heap", "--", program))
            t.equal([(event.kind, event.get("label")) for event in listed
                     if event.kind in ("snapshot", "mark")],
                    [("snapshot", "one"), ("mark", "two"), ("snapshot", None)],
                    f"{compiler}, {what}")


@tap.case("mark.h does nothing in a program that is linked statically")
def _(t):
    program = written(t, SMALL, "-static")
    tap.run(program)


@tap.case("a long text is cut at a whole character")
def _(t):
    text = "x" * 199 + "\u00e4" + "y" * 5000
    program = written(t, "#include <wick/mark.h>\n"
                      f'int main(void) {{ wick_mark("{text}"); wick_heap_snapshot("{text[1:]}"); return 0; }}')
    listed = events(t, t.record("--heap", "--", program))
    t.equal([event["label"] for event in of_kind(listed, "mark")], ["x" * 199], "a mark")
    t.equal([event["label"] for event in of_kind(listed, "snapshot")], ["x" * 198 + "\u00e4"],
            "a snapshot")


MANY = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <wick/mark.h>
static void *work(void *context)
{
	static __thread void *kept[1000];
	char text[300];
	for (int i = 0; i < 1000; i++) {
		kept[i] = malloc(24);
		free(malloc(100));
		snprintf(text, sizeof(text), "%d-%d-%0*d", *(int *)context, i, i % 180 + 1, 7);
		wick_mark(text);
	}
	for (int i = 0; i < 1000; i++)
		free(kept[i]);
	return NULL;
}
int main(void)
{
	pthread_t threads[4];
	int names[4];
	for (int i = 0; i < 4; i++) {
		names[i] = i;
		pthread_create(&threads[i], NULL, work, &names[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
"""


@tap.case("marks of a program that allocates nothing count from its start")
def _(t):
    program = written(t, "#include <wick/mark.h>\n"
                         "int main(void) { wick_mark(\"here\"); return 0; }\n")
    recording = t.record("--heap", "--", program)
    shown = t.wick("show", recording, "marks", "--csv").stdout.splitlines()
    times = dict(zip(shown[0].split(","), shown[1].split(",")))
    t.within(int(times["time_ns"]), 0, 60 * 10**9, "time of the mark")


@tap.case("marks of four threads are all there, with their whole texts")
def _(t):
    listed = events(t, t.record("--heap", "--", written(t, MANY, "-pthread")))
    expected = {f"{thread}-{i}-{7:0{i % 180 + 1}d}" for thread in range(4) for i in range(1000)}
    marks = [event["label"] for event in of_kind(listed, "mark")]
    t.equal(len(marks), 4000, "marks")
    t.equal(set(marks), expected, "texts")
    t.equal([event for event in of_kind(listed, "note") if "damaged" in str(event)], [], "notes")


STEPS = """
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	static char *kept[100];
	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0, c = 0; c != EOF && i < 100; i++) {
		free(malloc(5000));
		kept[i] = malloc(1000);
		printf("%d\\n", i);
		do
			c = getchar();
		while (c != '\\n' && c != EOF);
	}
	for (int i = 0; i < 100; i++)
		free(kept[i]);
	return 0;
}
"""


class Recorded:
    """A program that is recorded while this runs; it allocates 1000 bytes for each line."""

    def __init__(self, t, *options):
        self.t = t
        self.program = written(t, STEPS)
        self.recorder = subprocess.Popen(
            [tap.WICK, "record", "-q", "--heap", *options, "-o", "wick.data", "--", self.program],
            cwd=t.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.recorder.stdout.readline()
        children = pathlib.Path(f"/proc/{self.recorder.pid}/task/{self.recorder.pid}/children")
        self.pid = int(children.read_text().split()[0])

    def step(self):
        self.recorder.stdin.write("\n")
        self.recorder.stdin.flush()
        self.recorder.stdout.readline()

    def end(self):
        self.recorder.stdin.close()
        self.recorder.wait(30)
        return events(self.t, "wick.data")


@tap.case("a user's snapshots have what was allocated when they were taken")
def _(t):
    recorded = Recorded(t)
    said = [t.wick("snapshot", recorded.pid, "at first").stdout]
    recorded.step()
    said.append(t.wick("snapshot", recorded.pid).stdout)
    recorded.step()
    recorded.step()
    said.append(t.wick("snapshot", "-q", recorded.pid, "\u00e4 label").stdout)
    listed = recorded.end()
    who = f"process {recorded.pid} (program)"
    t.equal(said, [f"snapshot 1 of {who}: at first\n", f"snapshot 2 of {who}\n", ""], "words")
    t.equal([(event["cause"], event.get("label"), event["pid"])
             for event in of_kind(listed, "snapshot")],
            [("user", label, str(recorded.pid)) for label in ("at first", None, "\u00e4 label")],
            "snapshots")
    for number, blocks in (1, 1), (2, 2), (3, 4):
        sizes = collections.Counter(block.number("size") for block in live_at(listed, number))
        t.equal((sizes[1000], sizes[5000]), (blocks, 0), f"blocks at snapshot {number}")


@tap.case("a snapshot is refused, with the reason")
def _(t):
    recorded = Recorded(t)
    done = t.wick("snapshot", os.getpid(), check=False)
    t.equal(done.returncode, 1, "exit code")
    t.true("is not recorded; to record it" in done.stderr, done.stderr)
    if os.geteuid() == 0:
        tap.need("setpriv")
        done = tap.run("setpriv", "--reuid=65534", "--clear-groups", tap.WICK, "snapshot",
                       recorded.pid, check=False, cwd="/")
        t.equal(done.returncode, 1, "exit code of another user")
        t.true("belongs to another user" in done.stderr or done.stderr == "", done.stderr)
    t.equal(of_kind(recorded.end(), "snapshot"), [], "snapshots")
    done = t.wick("snapshot", recorded.pid, check=False)
    t.equal((done.returncode, done.stderr), (1, f"wick: no process {recorded.pid}\n"), "later")


@tap.case("a program without the heap library has no snapshots, and one that outlives its recorder")
def _(t):
    tap.need("gcc")
    source = t.folder / "sleeper.c"
    source.write_text("#include <stdio.h>\n#include <unistd.h>\n"
                      "int main(void) { puts(\"ready\"); fflush(stdout); sleep(60); return 0; }\n")
    for flag, options, why in (("-static", [], "linked statically"),
                               ("-pie", ["--duration", "0.2"], "has ended")):
        program = compiled(t, source, flag)
        recorder = subprocess.Popen(
            [tap.WICK, "record", "-q", "--heap", *options, "-o", "x.data", "--", program],
            cwd=t.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        recorder.stdout.readline()
        children = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text()
        pid = int(children.split()[0])
        try:
            end = time.monotonic() + 20
            said = ""
            while why not in said and time.monotonic() < end:
                said = t.wick("snapshot", pid, check=False).stderr
            t.true(why in said, f"expected {why}, came {said}")
        finally:
            os.kill(pid, signal.SIGKILL)
            recorder.stdout.close()
            recorder.wait(30)


@tap.case("a stranger on the recorder's socket changes nothing")
def _(t):
    import socket  # pylint: disable=import-outside-toplevel
    recorded = Recorded(t)
    environment = pathlib.Path(f"/proc/{recorded.pid}/environ").read_bytes()
    name = re.search(rb"WICK_HEAP=([^\0]*)", environment)[1]
    for message in (b"", b"\1", b"\1\0\1\0", b"\2\0\1\0" + b"\0" * 212, b"\1\0\1\0" + b"\xff" * 212,
                    b"\1\0\1\0\1\0\0\0" + b"\0" * 4 + b"\xff" * 204, os.urandom(60000)):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
            stranger.connect(b"\0" + name)
            stranger.send(message)
            stranger.settimeout(10)
            answer = stranger.recv(100)
            t.true(len(answer) in (0, 12) and answer[4:8] != b"\0" * 4, f"{message}: {answer}")
    t.equal(t.wick("snapshot", recorded.pid).stdout.split()[:2], ["snapshot", "1"], "words")
    t.equal(len(of_kind(recorded.end(), "snapshot")), 1, "snapshots")


@tap.case("--snapshot-every takes them at their times, of all processes")
def _(t):
    recorded = Recorded(t, "--snapshot-every", "100ms")
    end = time.monotonic() + 1
    while time.monotonic() < end:
        recorded.step()
        time.sleep(0.05)
    listed = recorded.end()
    snapshots = of_kind(listed, "snapshot")
    t.true(len(snapshots) >= 3, f"expected several snapshots, came {len(snapshots)}")
    t.equal({(event["cause"], event.get("pid"), event.get("label")) for event in snapshots},
            {("interval", None, None)}, "causes")
    first = snapshots[0].number("time")
    for event in snapshots:
        late = (event.number("time") - first) / 1e8
        t.within(abs(late - round(late)), 0, 0.49, "distance from a multiple of 100 ms")
    t.true(len(live_at(listed, len(snapshots))) > len(live_at(listed, 1)), "no growth")


GROWING = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
void *kept[8];
static void grow(size_t mib)
{
	for (size_t i = 0; i < mib; i++)
		kept[i] = malloc(1 << 20);
	for (size_t i = 0; i < mib; i++)
		free(kept[i]);
}
int main(int argc, char **argv)
{
	(void)argv;
	kept[7] = malloc(1000);
	grow(6);
	grow(7);
	kept[6] = malloc(5 << 20);
	kept[5] = malloc(3000);
	if (argc == 1 && fork() == 0) {
		kept[4] = malloc(70000);
		_exit(0);
	}
	wait(NULL);
	free(kept[6]);
	return 0;
}
"""


def taken(t, *options, program=GROWING, words=()):
    """Snapshots of causes other than the user's: cause, bytes, blocks."""
    path = written(t, program)
    recording = t.record("--heap", *options, "--", path, *words)
    if "no snapshots" in t.wick("show", recording, "snapshots", check=False).stderr:
        return []
    return [(row["cause"], int(row["outstanding_bytes"]), int(row["outstanding_blocks"]))
            for row in t.csv("show", recording, "snapshots")]


@tap.case("--snapshot-at-exit has what each process did not free")
def _(t):
    t.equal(taken(t, "--snapshot-at-exit"),
            [("exit", 70000, 1), ("exit", 4000, 2)], "snapshots")
    for number, size in ("1", 70000), ("2", 4000):
        rows = t.csv("show", "wick.data", "heap", "--snapshot", number)
        t.equal(sum(int(row["outstanding_bytes"]) for row in rows), size, f"bytes of {number}")
    came = t.wick("show", "wick.data", "heap", "--snapshot", "exit", check=False)
    t.equal(came.returncode, 2, "exit code for a name that two processes have")
    t.true('several processes have snapshots "exit", such as 1 and 2' in came.stderr, came.stderr)


@tap.case("--snapshot-at-exit is of processes that signals end, and not of those that run on")
def _(t):
    ends = "#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\n" \
        "void *volatile kept;\nint main(void) { kept = malloc(777); %s; return 0; }\n"
    path = written(t, ends % "raise(SIGKILL)")
    t.wick("record", "-q", "--heap", "--snapshot-at-exit", "-o", "wick.data", "--", path, check=False)
    rows = t.csv("show", "wick.data", "snapshots")
    t.equal([(row["cause"], row["outstanding_bytes"]) for row in rows], [("exit", "777")], "killed")
    t.equal(taken(t, "--snapshot-at-exit", program=ends % 'execl("/bin/true", "true", NULL)'),
            [], "a program that runs one that allocates nothing")


@tap.case("--snapshot-at-peak is the moment with the most bytes")
def _(t):
    MOST = 1000 + (7 << 20)
    t.equal(taken(t, "--snapshot-at-peak", words=["alone"]), [("peak", MOST, 8)], "snapshots")
    for name in "peak", "1":
        rows = t.csv("show", "wick.data", "heap", "--snapshot", name)
        t.equal(sum(int(row["outstanding_bytes"]) for row in rows), MOST, "bytes in the table")
    rows = t.csv("show", "wick.data", "snapshots")
    t.equal(rows[0]["new_bytes"], str(MOST), "new bytes")
    folded = t.wick("fold", "wick.data", "--by", "heap", "--snapshot", "peak").stdout.splitlines()
    t.equal(sum(int(line.rsplit(" ", 1)[1]) for line in folded), MOST, "bytes in folded stacks")


@tap.case("--snapshot-at-peak is of each process, with other snapshots among them")
def _(t):
    came = taken(t, "--snapshot-at-peak", "--snapshot-at-exit")
    t.equal(came, [("peak", 1000 + (7 << 20), 8), ("peak", 70000, 1), ("exit", 70000, 1),
                   ("exit", 4000, 2)], "snapshots")
    rows = t.csv("show", "wick.data", "heap", "--between", "1", "4")
    t.equal(sum(int(row["new_bytes"]) for row in rows), 3000, "new since the peak")


@tap.case("what is gone is listed even if nothing is new")
def _(t):
    frees = "#include <stdlib.h>\nint main(void) { void *volatile a = malloc(5000); free(a); return 0; }\n"
    taken(t, "--snapshot-at-peak", "--snapshot-at-exit", program=frees)
    rows = t.csv("show", "wick.data", "heap", "--between", "1", "2")
    t.equal([(row["new_bytes"], row["gone_bytes"]) for row in rows], [("0", "5000")], "new and gone")
    came = t.wick("show", "wick.data", "heap", "--between", "1", "2", "--function", "none", check=False)
    t.equal((came.returncode, came.stdout), (1, ""), "without rows")


@tap.case("--snapshot-over is where a process first has more, and at each doubling")
def _(t):
    block = 1 << 20
    t.equal(taken(t, "--snapshot-over", "1M", words=["alone"]),
            [("size", 1000 + block, 2), ("size", 1000 + 2 * block, 3), ("size", 1000 + 4 * block, 5)],
            "over 1 MiB")
    t.equal(taken(t, "--snapshot-over", "1000", words=["alone"]),
            [("size", 1000 + n * block, n + 1) for n in (1, 2, 4)], "exactly 1000 bytes are not more")
    t.equal(taken(t, "--snapshot-over", "8M", words=["alone"]), [], "more than there ever is")
    t.equal(taken(t, "--snapshot-over", "60000"),
            [("size", 1000 + block, 2), ("size", 1000 + 2 * block, 3), ("size", 1000 + 4 * block, 5),
             ("size", 70000, 1)], "each process")


@tap.case("a user's snapshot gets its number when the recording is read, if others may precede it")
def _(t):
    recorded = Recorded(t, "--snapshot-at-peak", "--snapshot-at-exit")
    recorded.step()
    said = t.wick("snapshot", recorded.pid, "here").stdout
    recorded.end()
    t.equal(said, f"snapshot of process {recorded.pid} (program): here\n", "words")
    rows = t.csv("show", "wick.data", "snapshots")
    t.equal([row["cause"] for row in rows], ["peak", "user", "exit"], "causes")
    t.equal(rows[1]["label"], "here", "label")


BURSTS = r"""
#include <stdlib.h>
#include <unistd.h>

static char *volatile block;

int main(void)
{
	for (int burst = 0; burst < 3; burst++) {
		usleep(20000);
		for (int i = 0; i < 5000; i++) {
			block = malloc(100);
			free(block);
		}
	}
	return 0;
}
"""


@tap.case("--time of a heap that was recorded from its command on ends where it says")
def _(t):
    recording = t.record("--heap", "--", written(t, BURSTS))
    listed = events(t, recording)
    begin = (min(event.number("time") for event in of_kind(listed, "process"))
             - min(int(row["start_ns"]) for row in t.csv("show", recording, "processes")
                   if row["start_ns"]))
    heap = [event for event in of_kind(listed, "heap") if event["change"] in ("allocate", "free")]
    # In the middle of each burst, and of all.
    middles = [heap[len(heap) * part // 6].number("time") - begin for part in (1, 3, 5)]
    for start, end in zip([0, *middles], middles):
        inside = [event["change"] for event in heap
                  if start <= event.number("time") - begin <= end]
        rows = t.csv("show", recording, "heap", "--time", f"{start}ns-{end}ns")
        t.equal(sum(int(row["allocations"]) for row in rows), inside.count("allocate"),
                f"allocations from {start} to {end} ns")
        t.equal(sum(int(row["frees"]) for row in rows), inside.count("free"), "releases")


tap.run_all()
