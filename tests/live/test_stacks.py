#!/usr/bin/env python3
"""Are stacks whole in programs that make it hard: untouched buffers, stacks of their own, libraries
in memory, Go, programs of 32 bits?"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

SECONDS = "1"

GO = """
package main

import "strconv"

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func words(count int) int {
	seen := map[string]int{}
	for i := 0; i < count; i++ {
		seen["word"+strconv.Itoa(i)]++
	}
	return len(seen)
}

func deep(levels int) int {
	var room [64]int
	if levels == 0 {
		return room[3]
	}
	return deep(levels-1) + room[levels%64]
}

func main() {
	done := make(chan int)
	for i := 0; i < 4; i++ {
		go func() {
			for round := 0; round < 40; round++ {
				tree(14)
				done <- words(20000)
				go func() { done <- deep(60) }()
			}
		}()
	}
	for i := 0; i < 320; i++ {
		<-done
	}
}
"""


def record(t, kind, *words):
    return t.record("-F", "2000", "--", tap.program("live", "stacks"), kind, SECONDS, *words)


def folded(t, recording):
    """Each stack with its samples."""
    lines = t.wick("fold", "-q", recording).stdout.splitlines()
    return [(stack, int(count)) for stack, _, count in (line.rpartition(" ") for line in lines)]


def share(t, recording, inner, *outer):
    """Of the samples in `inner`, how many percent have all of `outer` as callers."""
    inside = [(stack, count) for stack, count in folded(t, recording) if f";{inner}" in stack]
    whole = sum(count for stack, count in inside
                if all(f";{name};" in f";{stack};" for name in outer))
    t.true(inside, f"expected samples in {inner}")
    return 100 * whole / sum(count for _, count in inside)


@tap.case("a buffer that was never touched does not end the stack")
def _(t):
    recording = record(t, "buffer")
    t.within(t.share_of_whole_stacks(recording), 98, 100, "share of whole stacks")
    t.within(share(t, recording, "spin", "with_buffer", "call_with_buffer"), 98, 100,
             "percent of spin with its callers")


@tap.case("nor that of the function that has it")
def _(t):
    recording = record(t, "leaf")
    t.within(share(t, recording, "spin_with_buffer", "run_leaf", "main", "_start"), 98, 100,
             "percent of spin_with_buffer with its callers")


@tap.case("below a handler on a stack of its own is the stack it interrupted")
def _(t):
    recording = record(t, "handler")
    t.within(share(t, recording, "spin", "handle", "__restore_rt", "middle", "main", "_start"), 98,
             100, "percent of spin with its callers")


@tap.case("the stack of a coroutine ends where it began")
def _(t):
    recording = record(t, "coroutine")
    t.within(t.share_of_whole_stacks(recording), 98, 100, "share of whole stacks")
    t.within(share(t, recording, "spin", "coroutine_body"), 98, 100, "percent of spin")


@tap.case("a library loaded from memory has names and callers")
def _(t):
    if os.geteuid() != 0:
        raise tap.Skip("only root can read files that other processes have mapped")
    library = tap.program("live", "plugin.so")
    recording = record(t, "memfd", library)
    t.within(share(t, recording, "spin", "call_back", "run_memfd", "main", "_start"), 98, 100,
             "percent of spin with its callers")


@tap.case("stacks of Go lead from its runtime's stacks to the goroutines")
def _(t):
    tap.need("go")
    (t.folder / "busy.go").write_text(GO)
    tap.run("go", "build", "-o", t.folder / "busy", t.folder / "busy.go", seconds=600,
            env=os.environ | {"GOCACHE": str(t.folder / "cache"), "GO111MODULE": "off"})
    recording = t.record("-F", "2000", "--", t.folder / "busy")
    t.within(t.share_of_whole_stacks(recording), 98, 100, "share of whole stacks")


@tap.case("stacks of 32-bit programs reach their root")
def _(t):
    program = t.folder / "stacks32"
    source = pathlib.Path(__file__).with_name("stacks.c")
    if tap.run("gcc", "-m32", "-O1", "-o", program, source, "-lpthread", check=False).returncode:
        raise tap.Skip("this compiler makes no 32-bit programs (libc6-dev-i386, lib32gcc-12-dev)")
    try:
        tap.run(program, "buffer", "0")
    except OSError as error:
        raise tap.Skip(f"this kernel runs no 32-bit programs: {error.strerror}") from error
    recording = t.record("--", program, "buffer", SECONDS)
    t.within(t.share_of_whole_stacks(recording), 98, 100, "share of whole stacks")
    t.within(share(t, recording, "spin", "with_buffer", "call_with_buffer"), 98, 100,
             "percent of spin with its callers")


tap.run_all()
