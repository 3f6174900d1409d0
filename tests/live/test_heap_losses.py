#!/usr/bin/env python3
"""Heaps that cannot be recorded to the end: is what was recorded there, and is the rest counted?

No case depends on how fast the machine is: each waits for what the other side has done."""
import contextlib
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heap_totals  # noqa: E402
import tap  # noqa: E402

PR_SET_CHILD_SUBREAPER = 36

# Reads numbers; allocates and frees that many blocks for each, keeps one, and prints the number.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
void *block, *kept[100];
int main(void)
{
	char line[32];
	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int step = 0; fgets(line, sizeof(line), stdin); step++) {
		for (long i = atol(line); i > 0; i--) {
			block = malloc(24);
			free(block);
		}
		kept[step] = malloc(1000);
		printf("%s", line);
	}
	return 7;
}
"""
# The same in eight threads at a time, which end.
THREADS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *allocate(void *count)
{
	for (long i = *(long *)count; i > 0; i--) {
		void *volatile block = malloc(24);
		free(block);
	}
	return NULL;
}
int main(void)
{
	char line[32];
	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IONBF, 0);
	free(malloc(1));
	while (fgets(line, sizeof(line), stdin)) {
		pthread_t ids[8];
		long count = atol(line);
		for (int i = 0; i < 8; i++)
			pthread_create(&ids[i], NULL, allocate, &count);
		for (int i = 0; i < 8; i++)
			pthread_join(ids[i], NULL);
		printf("%s", line);
	}
	return 7;
}
"""
MANY = 400000  # far more than rings and pool hold


def compiled(t, text):
    tap.need("gcc")
    source, program = t.folder / "program.c", t.folder / "program"
    source.write_text(text)
    tap.run("gcc", "-g", "-O1", "-Wall", "-Werror", source, "-o", program, "-pthread")
    return program


class Recorded:
    """The program under a recorder, step by step."""

    def __init__(self, t, *options, output="wick.data", text=PROGRAM, **how):
        self.recorder = subprocess.Popen(
            [tap.WICK, "record", "--heap", *options, "-o", output, "--", compiled(t, text)],
            cwd=t.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, **how)
        self.step(1)
        children = pathlib.Path(f"/proc/{self.recorder.pid}/task/{self.recorder.pid}/children")
        self.pid = int(children.read_text().split()[0])
        self.allocations = 2

    def begin_step(self, blocks):
        self.recorder.stdin.write(f"{blocks}\n")
        self.recorder.stdin.flush()

    def end_step(self, blocks):
        came = self.recorder.stdout.readline()
        if came != f"{blocks}\n":
            raise tap.Failure(f"the program printed {came!r} instead of {blocks}")

    def step(self, blocks):
        self.begin_step(blocks)
        self.end_step(blocks)

    def end(self):
        """The recorder's exit code, and what it printed."""
        self.recorder.stdin.close()
        said = self.recorder.stderr.read()
        return self.recorder.wait(), said


def events(t, recording="wick.data"):
    """Allocations, releases, notes."""
    lines = t.wick("dump", recording).stdout.splitlines()
    heap = [line for line in lines if line.startswith("heap ")]
    allocations = sum(" change=allocate" in line for line in heap)
    notes = [line for line in lines if line.startswith("note ")]
    return allocations, len(heap) - allocations, notes


def lost(notes):
    found = re.search(r'"([\d,]+) allocations? or releases? w\w+ lost', "\n".join(notes))
    return int(found[1].replace(",", "")) if found else 0


def expect_whole(t, steps):
    """All that the program did in so many blocks for each step."""
    allocations, releases, notes = events(t)
    t.equal((allocations, releases, notes), (sum(steps) + len(steps), sum(steps), []), "events")


def expect_counted(t, steps):
    """What is not there was counted, one by one, and `show heap` reports it."""
    allocations, releases, notes = events(t)
    t.true(lost(notes) > 0, f"nothing was lost: {notes}")
    t.equal(allocations + releases + lost(notes), 2 * sum(steps) + len(steps),
            "recorded and lost events")
    t.true("were lost: the recorder did not keep up" in t.wick("show", "wick.data", "heap").stderr +
           t.wick("show", "wick.data", "heap").stdout, "show heap says nothing of the loss")


@tap.case("--heap-full spill keeps what cannot be written yet, and the program runs on")
def _(t):
    blocks = 6000000  # 80 MB, where 32 MiB are kept otherwise
    recorded = subprocess.Popen(
        [tap.WICK, "record", "--heap", "--heap-full", "spill", "-o", "-", "--",
         compiled(t, PROGRAM)], cwd=t.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    recorded.stdin.write(f"{blocks}\n".encode())
    recorded.stdin.flush()
    t.equal(recorded.stderr.readline(), f"{blocks}\n".encode(), "step while nothing is written")
    recorded.stdin.close()
    with open(t.folder / "wick.data", "wb") as file:
        shutil.copyfileobj(recorded.stdout, file)
    _, status, usage = os.wait4(recorded.pid, 0)
    recorded.returncode = os.waitstatus_to_exitcode(status)
    t.equal(recorded.returncode, 7, f"exit code: {recorded.stderr.read()}")
    if b"__asan_init" not in pathlib.Path(tap.WICK).read_bytes():
        t.within(usage.ru_maxrss << 10, 32 << 20, 2 * (t.folder / "wick.data").stat().st_size + (32 << 20),
                 "memory of wick, not several copies of what it keeps")
    t.equal(heap_totals.summed(t, "wick.data"), (blocks + 1, False, []), "what was recorded")


@tap.case("--heap-full drop leaves out what finds no space, and counts it")
def _(t):
    recorded = Recorded(t, "--heap-full", "drop")
    os.kill(recorded.recorder.pid, signal.SIGSTOP)
    recorded.step(MANY)
    os.kill(recorded.recorder.pid, signal.SIGCONT)
    t.equal(recorded.end()[0], 7, "exit code")
    expect_counted(t, [1, MANY])


@tap.case("a program does not wait for ever for a recorder that is stopped: what it loses is counted")
def _(t):
    recorded = Recorded(t)
    os.kill(recorded.recorder.pid, signal.SIGSTOP)
    recorded.step(MANY)
    os.kill(recorded.recorder.pid, signal.SIGCONT)
    t.equal(recorded.end()[0], 7, "exit code")
    expect_counted(t, [1, MANY])


@tap.case("a program waits if its ring is full, and nothing is lost")
def _(t):
    recorded = Recorded(t)
    for _ in range(5):
        recorded.step(MANY)
    t.equal(recorded.end()[0], 7, "exit code")
    expect_whole(t, [1] + [MANY] * 5)


@tap.case("threads neither wait for a recorder that is late for a moment nor lose anything when they end")
def _(t):
    steps = [1, 12000, 100, 12001, 12002]  # the pool holds what eight threads do in a step
    recorded = Recorded(t, "--heap-full", "drop", text=THREADS)
    for blocks in steps[1:]:
        os.kill(recorded.recorder.pid, signal.SIGSTOP)
        recorded.step(blocks)
        os.kill(recorded.recorder.pid, signal.SIGCONT)
        time.sleep(0.2)
    t.equal(recorded.end()[0], 7, "exit code")
    lines = t.wick("dump", "wick.data").stdout.splitlines()
    t.equal(sum(line.startswith("heap ") and " size=0x18 " in line for line in lines),
            8 * sum(steps), "allocations")
    t.equal([line for line in lines if line.startswith("note ")], [], "notes")


@tap.case("all that a killed program has done is recorded")
def _(t):
    recorded = Recorded(t)
    recorded.step(MANY)
    recorded.step(3)
    os.kill(recorded.pid, signal.SIGKILL)
    code, said = recorded.end()
    t.equal(code, 128 + signal.SIGKILL, "exit code")
    t.true("the command was ended by signal 9" in said, said)
    expect_whole(t, [1, MANY, 3])


def wait_for(t, allocations):
    """Until the file has so many, which is being written."""
    for _ in range(600):
        shown = t.wick("dump", "wick.data", check=False)
        came = sum(line.startswith("heap ") and " change=allocate" in line
                   for line in shown.stdout.splitlines())
        if came >= allocations:
            return came
        time.sleep(0.05)
    raise tap.Failure(f"expected {allocations} allocations in the file, came {came}")


@tap.case("what a killed recorder had received is in the file, and the program runs on")
def _(t):
    libc = ctypes.CDLL(None)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise tap.Skip("the program cannot be waited for")
    recorded = Recorded(t)
    recorded.step(5000)
    # The program sleeps now: nothing but time makes the recorder write.
    before = wait_for(t, 5003)
    t.equal(before, 5003, "allocations in the file before")
    recorded.recorder.kill()
    recorded.recorder.wait()
    recorded.step(MANY)  # it notices that no recorder empties its ring
    recorded.step(MANY)
    recorded.recorder.stdin.close()
    t.equal(os.waitstatus_to_exitcode(os.waitpid(recorded.pid, 0)[1]), 7, "exit code")
    allocations, releases, _ = events(t)
    t.equal((allocations, releases), (5003, 5001), "events in the file")
    shown = t.wick("show", "wick.data", "heap", check=False)
    t.equal(shown.returncode, 0, f"exit code of show ({shown.stderr})")


@contextlib.contextmanager
def small_disk(t):
    tap.need("mount", "umount")
    if os.geteuid() != 0:
        raise tap.Skip("only root may mount a small disk")
    place = t.folder / "disk"
    place.mkdir()
    made = tap.run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place, check=False)
    if made.returncode:
        raise tap.Skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    try:
        yield "disk/a.data"
    finally:
        tap.run("umount", place)


def expect_broken_off(t, recorded, output, why):
    """The recording ends, the program does not; what fitted is the beginning of what it did."""
    for _ in range(3):
        recorded.step(MANY)
    code, said = recorded.end()
    t.equal(code, 1, f"exit code ({said})")
    t.true(why in said and f"kept in {output}" in said, said)
    allocations, releases, _ = events(t, output)
    t.true(1000 < allocations < 3 * MANY, f"{allocations} allocations in the file")
    t.true(allocations - 3 <= releases <= allocations, f"{releases} releases in the file")
    shown = t.wick("show", output, "system").stdout
    t.true("the recording broke off: " in shown, shown)


@tap.case("a full disk ends the recording and not the program; what fitted is there")
def _(t):
    with small_disk(t) as output:
        expect_broken_off(t, Recorded(t, output=output), output, "the disk is full")


@tap.case("what fitted has names, however soon the disk is full")
def _(t):
    with small_disk(t) as output:
        t.wick("record", "--heap", "-o", output, "--", tap.program("live", "heap_sampled"),
               check=False)
        shown = t.wick("show", output, "heap").stdout
        t.true("keep_small" in shown, shown)


@tap.case("so does a limit of the size of files")
def _(t):
    limit = 256 << 10
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    recorded = Recorded(t, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                 (limit, hard)))
    expect_broken_off(t, recorded, "wick.data", "File too large")


@tap.case("a hard limit of the size of files is an error, with the limit")
def _(t):
    limit = 256 << 10
    done = t.wick("record", "--heap", "--", "touch", "ran", check=False,
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    t.equal(done.returncode, 1, "exit code")
    t.true("files are limited to 256 KiB" in done.stderr, done.stderr)
    t.true(not (t.folder / "ran").exists(), "expected the command not to run")


tap.run_all()
