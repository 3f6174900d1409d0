#!/usr/bin/env python3
"""The recorder, alone, on programs of known behaviour: does it say of them what they do?

    record.py DRIVER PROGRAMS_FOLDER [TEST]

Prints TAP. What the kernel or the user's rights forbid is skipped by name."""
import collections
import ctypes
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

# A shell starts what goes to the background with Ctrl-C ignored, and whatever is started here would
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

DRIVER = os.path.abspath(sys.argv[1])
PROGRAMS = os.path.abspath(sys.argv[2])
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S*)')


class Skip(Exception):
    pass


def program(name):
    return os.path.join(PROGRAMS, name)


class Event:
    def __init__(self, line):
        self.kind, _, rest = line.partition(" ")
        self.line = line
        for key, value in FIELD.findall(rest):
            setattr(self, key, value.strip('"'))

    def __getattr__(self, name):
        return None


class Recording:
    """A finished run of the driver: its events, result and words."""

    def __init__(self, stdout, stderr, code):
        self.code = code
        self.words = stderr
        self.lines = stdout.splitlines()
        first = "system source process thread image symbol sample lost note".split()
        self.events = [Event(l) for l in self.lines if l.split(" ")[0] in first and " time=" in l]
        self.result = dict(re.findall(r"(\w+)=(\S+)", self.words.splitlines()[-1])) \
            if "samples=" in self.words.splitlines()[-1:].__str__() else {}
        for line in self.words.splitlines():
            if line.startswith("samples="):
                self.result = dict(re.findall(r"(\w+)=(\S+)", line))

    def of(self, kind, **fields):
        return [e for e in self.events if e.kind == kind and
                all(getattr(e, k) == str(v) for k, v in fields.items())]

    def samples(self):
        return self.of("sample")


def record(*args, **options):
    run = subprocess.run([DRIVER, *map(str, args)], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, errors="replace", timeout=120,
                         stdin=options.pop("stdin", subprocess.DEVNULL), **options)
    if "perf_event_open" in run.stderr and "seccomp" in run.stderr \
            and "preexec_fn" not in options:
        raise Skip("this system forbids perf_event_open: " + run.stderr.strip())
    return Recording(run.stdout, run.stderr, run.returncode)


def check(condition, words):
    if not condition:
        raise AssertionError(words)


def equal(got, expected, what):
    check(got == expected, "%s: expected %r, came %r" % (what, expected, got))


def near(got, expected, part, what):
    check(abs(got - expected) <= part * expected,
          "%s: expected %g within %g %%, came %g" % (what, expected, part * 100, got))


def weight(samples):
    return sum(int(s.weight) for s in samples)


def times_in(file):
    """What each thread of the program `threads` says of its own CPU time, in ns by tid."""
    return {line.split()[0]: int(line.split()[1]) for line in file}


def is_clock(recording):
    return any(s.unit == "ns" for s in recording.of("source"))


# --- What runs under the recorder ---------------------------------------------------------

def test_two_functions_share_the_time_as_they_did():
    with tempfile.TemporaryDirectory() as folder:
        places = os.path.join(folder, "places")
        # Of 2,000 samples three tenths are off by 3 % as a rule, and by 10 % now and then.
        r = record("-F", 2000, "--", program("burn_30_70"), 3000, places)
        ranges = {}
        for line in open(places):
            name, start, end = line.split()
            ranges[name] = range(int(start, 16), int(end, 16))
    equal(r.code, 0, "exit code")
    hits = {name: weight(s for s in r.samples() if int(s.address, 16) in where)
            for name, where in ranges.items()}
    total = sum(hits.values())
    check(total > 0, "no samples in either function")
    near(hits["burn_thirty"] / total, 0.3, 0.1, "share of burn_thirty")


def test_weights_add_up_to_the_cpu_time():
    with tempfile.NamedTemporaryFile("r") as times:
        r = record("-F", 2000, "--", program("threads"), 2, 400, 0, times.name)
        spent = times_in(times)
    if not is_clock(r):
        raise Skip("weights are not times on this machine")
    equal(len(spent), 2, "threads that told their time")
    for tid, ns in spent.items():
        near(weight(s for s in r.samples() if s.tid == tid), ns, 0.15, "time of thread " + tid)


def test_every_thread_is_told_with_its_name():
    r = record("--", program("threads"), 7, 30)
    pid = r.of("process", change="exec")[0].pid
    equal(len(r.of("thread", change="start", pid=pid)), 7, "threads started")
    names = sorted(e.name for e in r.of("thread", change="name"))
    equal(names, ["worker-%d" % i for i in range(7)], "names")
    equal(len(r.of("thread", change="exit", pid=pid)), 8, "threads ended")
    equal(len(r.of("process", change="exit", pid=pid)), 1, "ends of the process")


def test_samples_carry_a_copy_of_the_stack():
    r = record("-F", 2000, "--", program("threads"), 2, 200)
    with_stack = [s for s in r.samples() if s.stack_bytes and int(s.stack_bytes) > 0]
    check(len(with_stack) >= 0.99 * len(r.samples()) > 0,
          "%d of %d samples have a stack" % (len(with_stack), len(r.samples())))


def test_frame_pointers_give_chains_and_none_gives_places():
    r = record("-g", "fp", "-F", 2000, "--", program("burn_30_70"), 200)
    check(r.samples() and all(s.user or s.kernel for s in r.samples()), "chains are there")
    check(not any(s.stack_bytes for s in r.samples()), "no stacks are copied")
    r = record("-g", "none", "-F", 2000, "--", program("burn_30_70"), 200)
    check(r.samples() and all((s.user or s.kernel) == s.address for s in r.samples()),
          "each sample has its place alone")


def test_events_come_in_order_of_time():
    r = record("-F", 5000, "--", program("threads"), 8, 100)
    equal(r.result["disorders"], "0", "events out of order")
    times = [int(e.time) for e in r.events]
    equal(times, sorted(times), "times")
    equal([n.text for n in r.of("note") if "later than" in n.text], [], "late records")


def test_children_keep_their_names():
    r = record("--", "sh", "-c", "/bin/true; (/bin/echo one | /bin/cat); /bin/false; exit 4")
    equal(r.code, 4, "exit code")
    check("one" in r.lines, "the command's own output came through")
    names = collections.Counter(e.name for e in r.of("process", change="exec"))
    for name in "true", "cat", "false":
        equal(names[name], 1, "execs of " + name)
    last = r.of("process", change="exit")[-1]
    equal(last.exit_code, "4", "exit code of the command")


def test_a_thousand_short_children_are_all_told():
    r = record("--", program("fork_exec"), 1000)
    equal(r.code, 0, "exit code")
    equal(len(r.of("process", change="fork")), 1000, "forks")
    equal(len(r.of("process", change="exec", name="fork_exec")), 1001, "execs")
    equal(len(r.of("process", change="exit")), 1001, "ends")
    equal(r.result["lost_records"], "0", "lost records")


def test_a_program_that_ends_at_once_is_told_whole():
    for _ in range(20):
        r = record("--", "/bin/true")
        equal(r.code, 0, "exit code")
        pid = r.of("process", change="exec", name="true")[0].pid
        paths = [e.path for e in r.of("image", pid=pid)]
        check(any(p.endswith("/true") for p in paths), "its image is told: %r" % paths)
        check("[vdso]" in paths and any("libc" in p for p in paths), "libraries: %r" % paths)
        equal(r.of("process", change="exit", pid=pid)[0].exit_code, "0", "exit code told")


# --- How commands fail, and what they inherit ---------------------------------------------

def test_a_command_that_is_not_there_gives_127():
    for name in "no-such-command-here", "/no/such/file", "/etc/passwd/x":
        r = record("--", name)
        equal(r.code, 127, "exit code for " + name)
        check(name in r.words and "not found" in r.words, r.words)
        equal(r.events, [], "events")


def test_a_command_that_may_not_be_run_gives_126():
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain")
        open(plain, "w").write("text\n")
        for name in plain, folder:
            r = record("--", name)
            equal(r.code, 126, "exit code for " + name)
            equal(r.events, [], "events")


def test_a_script_without_its_interpreter_gives_126():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script")
        open(script, "w").write("#!/no/such/interpreter\n")
        os.chmod(script, 0o755)
        r = record("--", script)
        equal(r.code, 126, "exit code")
        check("interpreter" in r.words, r.words)


def test_a_command_killed_by_a_signal_says_so():
    r = record("--", "sh", "-c", "kill -SEGV $$")
    equal(r.code, 128 + signal.SIGSEGV, "exit code")
    equal(r.of("process", change="exit")[-1].exit_code, str(128 + signal.SIGSEGV),
          "exit code told")


def test_streams_signals_group_and_limits_are_the_commands_own():
    words = "cat /proc/self/status | grep -E 'Sig(Ign|Blk)'; ulimit -n; " \
            "cut -d' ' -f5,6 /proc/self/stat; ls /proc/self/fd | wc -l; cat"

    def unusual():
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])

    def output(*command):
        run = subprocess.run([*command, "sh", "-c", words], input="typed\n", text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             preexec_fn=unusual, check=True)
        return run.stdout

    equal(output(DRIVER, "-q", "--"), output(), "what the command sees")


# --- Ends that are not the command's ------------------------------------------------------

def start(*args):
    return subprocess.Popen([DRIVER, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def finish(process):
    out, words = process.communicate(timeout=60)
    return Recording(out, words, process.returncode)


def test_a_duration_ends_the_recording_and_leaves_the_command():
    process = start("-d", 300000000, "--", "sh", "-c", "echo $$; exec sleep 30 2>&-")
    r = finish_early(process)
    equal(r.result["running"], "1", "command running")
    # The command would go on for 30 s.
    check(300 <= int(r.result["elapsed_ms"]) < 10000, "elapsed ms: " + r.result["elapsed_ms"])


def finish_early(process):
    """Of a command that outlives the driver: it is ended here by its own number."""
    words = process.stderr.read()
    process.wait(timeout=60)
    os.set_blocking(process.stdout.fileno(), False)
    out = process.stdout.read() or ""
    r = Recording(out, words, process.returncode)
    os.kill(int(r.lines[0]) if r.lines[0].isdigit() else
            int(r.of("process", change="exec")[0].pid), signal.SIGKILL)
    return r


def wait_for_number(path):
    for _ in range(200):
        if os.path.exists(path):
            with open(path) as file:
                text = file.read()
            if text:
                return int(text)
        time.sleep(0.1)
    raise AssertionError("the command did not come to write its number")


def test_an_interrupted_command_is_drained_to_its_end():
    with tempfile.TemporaryDirectory() as folder:
        up = os.path.join(folder, "up")
        process = start("--", "sh", "-c", "trap 'echo caught; exit 9' INT; echo $$ > %s; "
                        "while :; do sleep 0.05; done" % up)
        for pid in wait_for_number(up), process.pid:
            os.kill(pid, signal.SIGINT)
        r = finish(process)
    equal(r.code, 9, "exit code")
    check("caught" in r.lines, "the command's own handler ran")


def test_a_sink_that_fails_does_not_harm_the_command():
    with tempfile.TemporaryDirectory() as folder:
        mark = os.path.join(folder, "mark")
        r = record("-x", 30, "--", "sh", "-c",
                   "exec >/dev/null 2>&1; %s 500; echo done > %s" % (program("burn_30_70"), mark))
        equal(r.code, 1, "exit code")
        check("the sink is full" in r.words, r.words)
        for _ in range(100):
            if os.path.exists(mark):
                return
            time.sleep(0.1)
        raise AssertionError("the command did not come to its end")


def test_what_a_slow_sink_loses_is_told():
    r = record("-F", 20000, "-S", 3000000, "-d", 1500000000, "--", program("threads"), 2, 3000)
    told = sum(int(e.count) for e in r.of("lost"))
    check(told > 0, "losses are told")
    equal(told, int(r.result["lost_samples"]) + int(r.result["lost_records"]), "sum of LOST events")


# --- Programs that already run -------------------------------------------------------------

def attached(count, milliseconds, pause_ms, delay, *args):
    """The program `threads`, attached to `delay` seconds after its start."""
    with tempfile.NamedTemporaryFile("r") as times:
        target = subprocess.Popen([program("threads"), str(count), str(milliseconds),
                                   str(pause_ms), times.name])
        time.sleep(delay)
        process = start(*args, "-p", target.pid)
        r = finish(process)
        target.wait()
        return r, str(target.pid), times_in(times)


def test_attaching_sees_threads_born_later():
    r, pid, spent = attached(10, 200, 100, 0.25, "-F", 2000)
    equal(r.code, 0, "exit code")
    equal(len(r.of("process", change="seen", pid=pid)), 1, "the process was seen")
    check(any(e.path.endswith("/threads") for e in r.of("image", time=0)), "its image was seen")
    born = [e.tid for e in r.of("thread", change="start", pid=pid)]
    check(len(born) >= 5, "threads born later: %d" % len(born))
    equal(len(r.of("process", change="exit", pid=pid)), 1, "end of the process")
    if is_clock(r):
        for tid in born:
            near(weight(s for s in r.samples() if s.tid == tid), spent[tid], 0.15,
                 "time of thread " + tid)


def samples_of_births(pause_ms):
    """The times of the samples of each of 250 threads that are born while a recorder attaches."""
    r, _, spent = attached(250, 8, pause_ms, 0.1, "-F", 4000)
    times = collections.defaultdict(list)
    if r.code != 0 and "no process" in r.words:
        return times
    equal(r.code, 0, "exit code (%s)" % r.words)
    if not is_clock(r):
        raise Skip("weights are not times on this machine")
    for s in r.samples():
        if s.tid in spent:
            times[s.tid].append(int(s.time))
    return times


def test_threads_born_while_attaching_are_counted_once():
    pause_ms, rounds = 1, 0
    while rounds < 3:
        times = samples_of_births(pause_ms)
        if len(times) <= 50:
            # Attached when most had ended, as a busy machine does: they are born more slowly.
            check(pause_ms < 32, "few threads: %d" % len(times))
            pause_ms *= 2
            continue
        rounds += 1
        for tid in times:
            got = sorted(times[tid])
            gaps = [b - a for a, b in zip(got, got[1:])]
            # Of two clocks in turn, every second sample follows the other's too soon. One clock is
            # late at times, and its next sample then comes early.
            early = sum(gap < 1e9 / 4000 / 2 for gap in gaps)
            check(early <= 3 + len(gaps) / 4,
                  "thread %s has %d of %d samples too soon" % (tid, early, len(gaps)))


def test_no_such_process_is_said():
    r = record("-p", 999999999)
    equal(r.code, 1, "exit code")
    check("no process 999999999" in r.words, r.words)


def test_the_whole_system_is_seen():
    target = subprocess.Popen([program("threads"), "1", "700"], stdout=subprocess.DEVNULL)
    r = record("-a", "-d", 500000000)
    target.wait()
    if "not allowed" in r.words:
        raise Skip(r.words.strip())
    check([s for s in r.samples() if s.pid == str(target.pid)], "samples of another program")
    check(r.of("process", change="seen", pid=str(os.getpid())), "this process was seen")
    check(r.of("process", change="seen", pid="0"), "the idle tasks were seen")


# --- Rights ---------------------------------------------------------------------------------

class Paranoid:
    """The setting at a level, and back again."""

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        if os.geteuid() != 0:
            raise Skip("only root may change " + PARANOID)
        self.before = open(PARANOID).read()
        open(PARANOID, "w").write(str(self.level))

    def __exit__(self, *_):
        open(PARANOID, "w").write(self.before)


def as_nobody(*args):
    """The driver as an ordinary user, who must be able to reach it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copies = [shutil.copy(path, folder) for path in (DRIVER, program("burn_30_70"))]
        words = [copies[1] if a == "BURN" else str(a) for a in args]
        run = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                              copies[0], *words], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=60, cwd="/")
        return Recording(run.stdout, run.stderr, run.returncode)


def test_an_ordinary_user_records_user_code_at_paranoid_2():
    with Paranoid(2):
        r = as_nobody("-F", 2000, "--", "BURN", 300)
    equal(r.code, 0, "exit code")
    check(len(r.samples()) > 100, "%d samples" % len(r.samples()))
    check(all(s.mode == "user" for s in r.samples()), "user code only")
    equal(r.words.count("kernel code is not sampled"), 1, "times it is said: " + r.words)
    check("perf_event_paranoid is 2" in r.words and "sysctl" in r.words, r.words)


def test_an_ordinary_user_records_all_of_it_at_paranoid_1():
    with Paranoid(1):
        r = as_nobody("-F", 2000, "--", "BURN", 300)
    equal(r.code, 0, "exit code")
    check("not sampled" not in r.words, r.words)


def test_an_ordinary_user_is_told_why_not_the_whole_system():
    with Paranoid(2):
        r = as_nobody("-a", "-d", 100000000)
    equal(r.code, 1, "exit code")
    check("perf_event_paranoid is 2" in r.words and "setcap" in r.words, r.words)


def test_an_ordinary_user_is_told_why_not_another_users_process():
    with Paranoid(2):
        r = as_nobody("-p", os.getpid(), "-d", 100000000)
    equal(r.code, 1, "exit code")
    check("belongs to another user" in r.words, r.words)


def test_an_ordinary_user_is_told_about_kernel_only_events():
    with Paranoid(2):
        r = as_nobody("-e", "cpu-clock:k", "--", "BURN", 50)
    equal(r.code, 1, "exit code")
    check("sampling kernel code is not allowed" in r.words, r.words)


def test_a_seccomp_filter_is_recognised():
    if os.uname().machine != "x86_64":
        raise Skip("the filter is written for x86-64")

    def forbid():
        def op(code, jt, jf, k):
            return struct.pack("HBBI", code, jt, jf, k)
        ops = op(0x20, 0, 0, 0) + op(0x15, 0, 1, 298) + op(6, 0, 0, 0x50001) + \
            op(6, 0, 0, 0x7fff0000)
        code = ctypes.create_string_buffer(ops)
        head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(code)))
        libc = ctypes.CDLL(None)
        libc.prctl(38, 1, 0, 0, 0)
        if libc.prctl(22, 2, ctypes.byref(head), 0, 0) != 0:
            os._exit(99)

    r = record("--", "/bin/true", preexec_fn=forbid)
    equal(r.code, 1, "exit code")
    check("seccomp" in r.words, r.words)


# --- Events ---------------------------------------------------------------------------------

def test_several_events_are_told_apart():
    r = record("-e", "cpu-clock", "-e", "page-faults", "--", program("threads"), 4, 50)
    names = {e.source: e.name for e in r.of("source")}
    equal(sorted(names.values()), ["cpu-clock", "page-faults"], "sources")
    seen = {names[s.source] for s in r.samples()}
    equal(seen, {"cpu-clock", "page-faults"}, "sources of samples")


def test_a_period_counts_every_so_many():
    r = record("-e", "page-faults", "-c", 1, "--", "/bin/true")
    check(len(r.samples()) > 10, "%d page faults" % len(r.samples()))
    equal({s.weight for s in r.samples()}, {"1"}, "weights")


def test_an_unknown_event_is_told_with_the_nearest():
    r = record("-e", "cpu-clokc", "--", "/bin/true")
    equal(r.code, 1, "exit code")
    check('did you mean "cpu-clock"' in r.words, r.words)


def test_a_tracepoint_is_recorded():
    r = record("-e", "sched:sched_process_exit", "--", program("fork_exec"), 5)
    if "tracepoints" in r.words or "trace file system" in r.words:
        raise Skip(r.words.strip())
    equal(r.code, 0, "exit code: " + r.words)
    equal(len(r.samples()), 6, "ends of processes")


# --- Cost -----------------------------------------------------------------------------------

def test_memory_stays_small_over_a_thousand_processes():
    r = record("-q", "-F", 5000, "-s", 16384, "--", program("fork_exec"), 1000)
    peak = int(r.result["peak_kib"])
    check(0 < peak < 60 * 1024, "%d KiB resident" % peak)


def run_all(names):
    tests = [(n, f) for n, f in globals().items() if n.startswith("test_") and
             (not names or any(name in n for name in names))]
    print("1..%d" % len(tests), flush=True)
    failed = 0
    for number, (name, function) in enumerate(tests, 1):
        words = name[len("test_"):].replace("_", " ")
        try:
            function()
            print("ok %d - %s" % (number, words), flush=True)
        except Skip as reason:
            print("ok %d - %s # SKIP %s" % (number, words, reason), flush=True)
        except Exception as fault:
            failed += 1
            print("not ok %d - %s" % (number, words))
            for line in ("%s: %s" % (type(fault).__name__, fault)).splitlines():
                print("# " + line)
            print("# alone: %s %s %s %s" % (sys.argv[0], DRIVER, PROGRAMS, name),
                  flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if run_all(sys.argv[3:]) else 0)
