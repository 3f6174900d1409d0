#!/usr/bin/env python3
"""Heaps of programs that run already: recorded from then on, again and again, and left as they were."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heap_totals  # noqa: E402
import tap  # noqa: E402

PROGRAM = tap.program("live", "heap_attach")
FIXED = tap.program("live", "heap_attach_fixed")


def case(title):
    """A case that ends what it has started."""
    def keep(function):
        @tap.case(title)
        def _(t):
            with contextlib.ExitStack() as stack:
                t.cleanup = stack.callback
                function(t)
    return keep


class Running:
    """heap_attach, or another program, with the library loaded and no recorder."""

    def __init__(self, t, *words, program=PROGRAM, has_library=True, recorder=None):
        self._folder, self._rounds = t.folder, 0
        environment = dict(os.environ)
        environment.pop("WICK_HEAP", None)
        if recorder:
            environment["WICK_HEAP"] = recorder
        if has_library:
            environment["LD_PRELOAD"] = t.wick("doctor", "--heap-library").stdout.strip()
        self.process = subprocess.Popen([program, *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment,
                                        cwd=t.folder)
        t.cleanup(self.end)
        self.pid = str(self.process.pid)
        if program in (PROGRAM, FIXED):
            t.equal(self.process.stdout.readline(), "ready\n", "what it prints first")

    def round(self, before=""):
        """What it has counted; and the number of older blocks it has freed."""
        self._rounds += 1
        path = self._folder / f"log{self.pid}.{self._rounds}"
        self.process.stdin.write(f"{before}{path}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()), heap_totals.Log(path)

    def leave(self):
        """Its exit code, once it ends by itself."""
        self.process.stdin.close()
        return self.process.wait(timeout=30)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Recorder:
    """`wick record --heap -p`; it records once this returns."""

    def __init__(self, t, running, *words, name="wick.data"):
        self.path = t.folder / name
        self.process = subprocess.Popen(
            [tap.WICK, "record", "--heap", "-p", running.pid, "-o", self.path, *words],
            stderr=subprocess.PIPE, text=True)
        t.cleanup(self._end)
        for _ in range(100):
            if t.wick("snapshot", running.pid, "here", check=False).returncode == 0:
                return
            if self.process.poll() is not None:
                raise tap.Failure(f"the recorder ended: {self.process.stderr.read()}")
            time.sleep(0.1)
        raise tap.Failure("the recorder does not begin")

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        said = self.process.communicate(timeout=60)[1]
        return self.process.returncode, said

    def _end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def compare(t, recorder, log, foreign):
    heap = heap_totals.Heap(t, recorder.path, log)
    t.equal((heap.missed, heap.backward, heap.notes), (0, 0, []), "faults")
    if foreign is not None:
        t.equal(heap.foreign, foreign, "releases of older blocks")
    for pid, counted in log.counted.items():
        expected = {name: sums for name, sums in counted.items() if sums[0]}
        t.equal(dict(heap.counted[pid]), expected, f"times and bytes of process {pid}")


def record_round(t, running, name, before=""):
    recorder = Recorder(t, running, name=name)
    foreign, log = running.round(before)
    code, said = recorder.stop()
    t.equal(code, 0, f"exit code ({said})")
    return recorder, foreign, log


@case("a program that runs already: its own totals, again and again")
def _(t):
    running = Running(t)
    for i in range(5):
        recorder, foreign, log = record_round(t, running, f"wick{i}.data")
        compare(t, recorder, log, foreign)
        running.round()  # without a recorder
    shown = t.wick("show", "wick0.data", "heap").stdout
    t.true("1 process ran before the recording: blocks allocated before then are missing" in shown,
           shown)
    t.true("400 releases of unknown blocks" in shown, shown)
    shown = t.wick("show", "wick0.data", "snapshots").stdout
    t.true("blocks allocated before then are missing" in shown, shown)
    t.equal(running.leave(), 7, "exit code of the program")


@case("a child that is forked while its parent is recorded")
def _(t):
    running = Running(t)
    recorder, foreign, log = record_round(t, running, "wick.data", "fork ")
    t.equal(len(log.counted), 2, "processes that counted")
    compare(t, recorder, log, foreign)


@case("busy threads: their program's own totals, and no harm in many recordings")
def _(t):
    running = Running(t, "busy")
    for i in range(3):
        recorder, _, log = record_round(t, running, f"wick{i}.data")
        compare(t, recorder, log, None)
    status = pathlib.Path("/proc", running.pid, "status")
    for i in range(25):
        came = t.wick("record", "--heap", "-p", running.pid, "--duration", "20ms", "-o", "w.data",
                      check=False)
        t.equal(came.returncode, 0, f"exit code {i} ({came.stderr})")
    kib = int(re.search(r"VmRSS:\s*(\d+)", status.read_text())[1])
    t.within(kib, 0, 20000, "KiB of the program after 28 recordings")
    running.round()
    t.equal(running.leave(), 7, "exit code of the program")


@case("a recorder that is killed, and one after it")
def _(t):
    running = Running(t, "busy")
    for i in range(3):
        recorder = Recorder(t, running, name=f"killed{i}.data")
        recorder.stop(signal.SIGKILL)
    recorder, _, log = record_round(t, running, "wick.data")
    compare(t, recorder, log, None)


@case("a second recorder is refused, and leaves the first one alone")
def _(t):
    running = Running(t)
    recorder = Recorder(t, running, name="first.data")
    came = t.wick("record", "--heap", "-p", running.pid, "-o", "second.data", check=False)
    t.equal(came.returncode, 1, "exit code of the second one")
    t.true("is already being recorded" in came.stderr, came.stderr)
    foreign, log = running.round()
    recorder.stop()
    compare(t, recorder, log, foreign)


@case("several processes, with samples")
def _(t):
    one, other = Running(t, "busy"), Running(t, "busy")
    came = t.wick("record", "--heap", "-F", "500", "-p", f"{one.pid},{other.pid}", "--duration",
                  "1s", "-o", "wick.data")
    t.true("the heap of 2 processes" in came.stderr and "samples in" in came.stderr, came.stderr)
    shown = t.wick("show", "wick.data", "heap", "--group", "pid").stdout
    t.true(one.pid in shown and other.pid in shown, shown)
    t.true("be_busy" in t.wick("show", "wick.data", "functions").stdout, "no samples of be_busy")


@case("only some blocks, then all")
def _(t):
    running = Running(t, "busy")
    recorder = Recorder(t, running, "--heap-sample", "4K", name="some.data")
    running.round()
    t.equal(recorder.stop()[0], 0, "exit code")
    t.true("estimates" in t.wick("show", "some.data", "heap").stdout, "no estimates")
    recorder, _, log = record_round(t, running, "all.data")
    compare(t, recorder, log, None)


@case("a program that allocates little, recorded in one way after the other")
def _(t):
    running = Running(t)
    for options in [], ["--heap-sample", "512K"], [], ["--heap-sample", "10G"], []:
        recorder = Recorder(t, running, *options)
        _, log = running.round()
        t.equal(recorder.stop()[0], 0, f"exit code {options}")
        if not options:
            compare(t, recorder, log, None)


@case("a program whose recorder was gone when it began")
def _(t):
    running = Running(t, recorder="wick-that-is-gone")
    recorder, _, log = record_round(t, running, "wick.data")
    compare(t, recorder, log, None)


@case("a program without the library: its own totals, again and again")
def _(t):
    running = Running(t, has_library=False)
    for i in range(3):
        recorder, foreign, log = record_round(t, running, f"wick{i}.data")
        compare(t, recorder, log, foreign)
        running.round()
    t.equal(running.leave(), 7, "exit code of the program")


@case("a program at fixed addresses, with the library and without it")
def _(t):
    for has_library in True, False:
        running = Running(t, program=FIXED, has_library=has_library)
        for i in range(2):
            recorder, foreign, log = record_round(t, running, f"wick{i}.data")
            compare(t, recorder, log, foreign)
        t.equal(running.leave(), 7, "exit code of the program")


@case("busy programs without the library, one after the other")
def _(t):
    for i in range(15):
        running = Running(t, "busy", has_library=False)
        recorder, _, log = record_round(t, running, "wick.data")
        if i % 5 == 0:
            compare(t, recorder, log, None)
        running.round()
        t.equal(running.leave(), 7, "exit code of the program")


def has_library(pid):
    return "libwick-heap.so" in pathlib.Path("/proc", pid, "maps").read_text()


def is_traced(pid):
    """Is a thread stopped by a recorder?"""
    return any("TracerPid:\t0" not in (task / "status").read_text()
               for task in pathlib.Path("/proc", pid, "task").iterdir())


@case("recorders that are killed while they load the library")
def _(t):
    loaded = 0
    for i in range(30):
        running = Running(t, *["busy"] * (i % 2), has_library=False)
        recorder = subprocess.Popen([tap.WICK, "record", "--heap", "-p", running.pid, "-o",
                                     t.folder / "wick.data"], stderr=subprocess.DEVNULL)
        while not is_traced(running.pid) and not has_library(running.pid):
            if recorder.poll() is not None:
                raise tap.Failure("the recorder ended")
        time.sleep(i % 10 / 2500)
        recorder.kill()
        recorder.wait()
        running.round()
        loaded += has_library(running.pid)
        for _ in range(200):  # the C library blocks them for a moment, to start a thread for example
            blocked = re.findall(r"SigBlk:\t(\w+)", "".join(
                (task / "status").read_text() for task in
                pathlib.Path("/proc", running.pid, "task").iterdir()))
            if set(blocked) == {"0" * 16}:
                break
            time.sleep(0.01)
        t.equal(set(blocked), {"0" * 16}, "blocked signals")
        t.equal(running.leave(), 7, "exit code of the program")
    print(f"# {loaded} of 30 programs have the library all the same")


@case("calls in which a program waits go on")
def _(t):
    for call in "sleep", "poll", "epoll", "read", "select":
        running = Running(t, call, has_library=False)
        came = t.wick("record", "--heap", "-p", running.pid, "--duration", "100ms", "-o",
                      "wick.data", check=False)
        t.true("did not call their allocators" in came.stderr, came.stderr)
        t.true(has_library(running.pid), "the library is not loaded")
        if call == "read":
            running.process.stdin.write("x")
            running.process.stdin.flush()
        t.equal(running.process.stdout.readline(), f"{int(call == 'read')} 0\n", call)
        t.equal(running.leave(), 7, "exit code of the program")


@case("programs that cannot load the library are left as they were")
def _(t):
    stopped = Running(t, "busy", has_library=False)
    stopped.process.send_signal(signal.SIGSTOP)
    came = t.wick("record", "--heap", "-p", stopped.pid, "-o", "wick.data", check=False)
    t.equal(came.returncode, 1, "exit code")
    t.true("none of its threads came to a place" in came.stderr, came.stderr)
    stopped.process.send_signal(signal.SIGCONT)
    stopped.round()
    t.equal(stopped.leave(), 7, "exit code of the program")
    tap.need("cc")
    source = t.folder / "static.c"
    source.write_text("#include <unistd.h>\nint main(void) { return sleep(60); }\n")
    tap.run("cc", "-static", "-o", t.folder / "static", source)
    static = Running(t, program=t.folder / "static", has_library=False)
    # Uprobes record one, but not one of several.
    came = t.wick("record", "--heap", "-p", f"{static.pid},{static.pid}", "-o", "wick.data",
                  check=False)
    t.equal(came.returncode, 1, "exit code")
    t.true("it is linked statically" in came.stderr, came.stderr)
    t.equal(static.process.poll(), None, "the static program's end")


STACKS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define BYTES (1 << 20)
#define SMALL 16384

static ucontext_t outside, inside;
static char *block;

static void wait_some(void)
{
	struct timespec time = { 0, 1000000 };

	puts("ready");
	fflush(stdout);
	while (getchar() == '.')
		nanosleep(&time, NULL);
}

static void run(void) { wait_some(); }
static void handle(int number) { wait_some(); }
static void *run_thread(void *none) { wait_some(); return NULL; }
static void *fork_child(void *none)
{
	pid_t child = fork();

	if (child == 0) {
		wait_some();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return NULL;
}
static void *idle(void *none) { for (;;) nanosleep(&(struct timespec){ 1, 0 }, NULL); }

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;
	int from = BYTES / 2;

	block = malloc(BYTES);
	memset(block, 0xaa, BYTES);
	if (argc > 2)
		pthread_create(&thread, NULL, idle, NULL);
	if (!strcmp(argv[1], "coroutine")) {
		getcontext(&inside);
		inside.uc_stack.ss_sp = block + from;
		inside.uc_stack.ss_size = SMALL;
		inside.uc_link = &outside;
		makecontext(&inside, run, 0);
		swapcontext(&outside, &inside);
	} else if (!strcmp(argv[1], "signal")) {
		stack_t stack = { .ss_sp = block + from, .ss_size = SMALL };
		struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

		sigaltstack(&stack, NULL);
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
	} else if (!strcmp(argv[1], "forked")) {
		pthread_create(&thread, NULL, fork_child, NULL);
		pthread_join(thread, NULL);
	} else {
		pthread_attr_init(&attr);
		block += 4096 - (size_t)block % 4096;
		pthread_attr_setstack(&attr, block + from, SMALL);
		pthread_create(&thread, &attr, run_thread, NULL);
		while (pthread_tryjoin_np(thread, NULL) != 0)
			nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
	}
	for (int i = 0; i < from - 4096; i++)
		if (block[i] != (char)0xaa)
			return printf("changed %d bytes below\n", from - i), 1;
	return 7;
}
"""


def compile_program(t, name, text):
    tap.need("cc")
    (t.folder / f"{name}.c").write_text(text)
    tap.run("cc", "-w", "-pthread", "-o", t.folder / name, t.folder / f"{name}.c")
    return t.folder / name


@case("stacks that a program made are not used")
def _(t):
    program = compile_program(t, "stacks", STACKS)
    for words in ("coroutine",), ("signal",), ("coroutine", "thread"), ("signal", "thread"), \
            ("small",), ("forked",):
        running = Running(t, *words, program=program, has_library=False)
        t.equal(running.process.stdout.readline(), "ready\n", "what it prints first")
        pid = running.pid
        if words[0] == "forked":
            tasks = pathlib.Path("/proc", pid, "task")
            pid = "".join(path.read_text() for path in tasks.glob("*/children")).strip()
        came = t.wick("record", "--heap", "-p", pid, "--duration", "100ms", "-o", "wick.data",
                      check=False)
        is_loaded = "libwick-heap.so" in pathlib.Path("/proc", pid, "maps").read_text()
        t.equal(is_loaded, len(words) > 1 or words[0] in ("small", "forked"),
                f"loaded: {words} ({came.stderr})")
        if not is_loaded:
            t.true("run on stacks that the program made" in came.stderr, came.stderr)
            t.equal(came.returncode, 1, "exit code of wick")
        t.equal(running.leave(), 7, f"exit code of the program: {words}")


LOADING = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *run(void *path) { return dlopen(path, RTLD_NOW); }

int main(int argc, char **argv)
{
	pthread_t thread;
	void *result;
	char byte;

	free(malloc(10));
	pthread_create(&thread, NULL, run, argv[1]);
	while (read(0, &byte, 1) == 1)
		;
	pthread_join(thread, &result);
	return result ? 7 : 1;
}
"""

SLOW = r"""
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void be_slow(void)
{
	puts("ready");
	fflush(stdout);
	sleep(4);
}
"""


@case("a program that is loading a library for long")
def _(t):
    program = compile_program(t, "loading", LOADING)
    (t.folder / "slow.c").write_text(SLOW)
    tap.run("cc", "-shared", "-fPIC", "-o", t.folder / "slow.so", t.folder / "slow.c")
    running = Running(t, t.folder / "slow.so", program=program, has_library=False)
    t.equal(running.process.stdout.readline(), "ready\n", "what its constructor prints")
    came = t.wick("record", "--heap", "-p", running.pid, "--duration", "100ms", "-o", "wick.data",
                  check=False)
    t.equal(came.returncode, 1, f"exit code of wick ({came.stderr})")
    t.true("one of its threads is loading a library" in came.stderr, came.stderr)
    t.equal(running.leave(), 7, "exit code of the program")


RESTRICTED = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *run(void *filters)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	free(malloc(10));
	if (filters) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		prctl(PR_SET_SECCOMP, 2, &program, 0, 0);
	} else {
		prctl(PR_SET_SECCOMP, 1, 0, 0, 0);
	}
	write(1, "ready\n", 6);
	for (;;) {
		free(malloc(10));
		if (filters)
			usleep(1000);
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char byte;

	pthread_create(&thread, NULL, run, strcmp(argv[1], "strict") ? argv : NULL);
	while (read(0, &byte, 1) == 1)
		;
	_exit(7);
}
"""


@case("programs with a thread whose system calls are restricted")
def _(t):
    program = compile_program(t, "restricted", RESTRICTED)
    for word in "strict", "filter":
        for has_library in False, True:
            running = Running(t, word, program=program, has_library=has_library)
            t.equal(running.process.stdout.readline(), "ready\n", "what it prints first")
            came = t.wick("record", "--heap", "-p", running.pid, "--duration", "100ms", "-o",
                          "wick.data", check=False)
            t.equal(came.returncode, 1, f"exit code of wick ({came.stderr})")
            t.true("are restricted (seccomp)" in came.stderr, came.stderr)
            t.equal(running.leave(), 7, f"exit code of the program: {word} {has_library}")


@case("programs that do nothing, and that are not there")
def _(t):
    idle = Running(t, "30", program="/bin/sleep")
    came = t.wick("record", "--heap", "-p", idle.pid, "--duration", "1s", "-o", "wick.data",
                  check=False)
    t.equal(came.returncode, 1, "exit code")
    t.true("did not call their allocators" in came.stderr, came.stderr)
    came = t.wick("record", "--heap", "-p", "999999999", "-o", "wick.data", check=False)
    t.true("no process 999999999" in came.stderr, came.stderr)


tap.run_all()
