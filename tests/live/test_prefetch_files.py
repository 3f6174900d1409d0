#!/usr/bin/env python3
"""Programs and debug files from debuginfod servers and symbol stores on loopback: several at once,
the heaviest first, and that it makes no difference to what is shown who answers first."""
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402
from loopback import Endless, Server, environment, missing, whole  # noqa: E402

NAMED = "burn_thirty"


def identity(number):
    return f"abcd{number:04x}" + "0123456789abcdef" * 2


class Bodies:
    """A program whose build id is that of whichever module it is to be: whole, and as it is when its
    names were taken out into a debug file."""

    def __init__(self, folder):
        tap.need("objcopy", "strip", "readelf", "nm")
        self.folder = folder
        for name in "whole", "stripped", "debug":
            shutil.copy(tap.program("live", "burn_30_70"), folder / name)
        tap.run("strip", folder / "stripped")
        tap.run("objcopy", "--only-keep-debug", folder / "whole", folder / "debug")
        said = tap.run("readelf", "-n", folder / "whole").stdout
        self.own = re.search(r"Build ID: ([0-9a-f]+)", said)[1]
        names = tap.run("nm", folder / "whole").stdout
        self.offset = int(re.search(rf"^([0-9a-f]+) . {NAMED}$", names, re.M)[1], 16) + 4

    def __call__(self, kind, number):
        body = (self.folder / kind).read_bytes()
        return body.replace(bytes.fromhex(self.own), bytes.fromhex(identity(number)))


class Module:
    def __init__(self, number, samples):
        self.number, self.samples, self.name = number, samples, f"m{number}"

    @property
    def word(self):
        return f"/gone/{self.name},{identity(self.number)},{100 + self.number},{self.samples}"

    @property
    def asks(self):
        return f"/buildid/{identity(self.number)}/executable"

    @property
    def asks_debug(self):
        return f"/buildid/{identity(self.number)}/debuginfo"


def recording(t, modules):
    bodies, path = Bodies(t.folder), t.folder / "x.data"
    tap.run(tap.program("live", "linux_modules"), path, f"{bodies.offset:x}",
            *(module.word for module in modules))
    return bodies, path


def fold(t, path, *words, **more):
    return t.wick("fold", path, *words, env=environment(t, **more))


def named(text):
    """Modules of which a function has its name."""
    return {line.split(";")[0] for line in text.splitlines() if NAMED in line}


def asked_for(server):
    """The modules that were asked for, in the order of the first questions."""
    found = [int(match[1], 16) for path in server.asked
             if (match := re.search(r"abcd([0-9a-f]{4})0123", path))]
    return list(dict.fromkeys(found))


class Together:
    """An answer that is given when so many have asked, and how many waited at most."""

    def __init__(self, answer, count):
        self.answer, self.gate = answer, threading.Barrier(count)

    def __call__(self, path):
        self.gate.wait(60)
        return self.answer(path)


def serves(files):
    return lambda path: whole(files[path]) if path in files else missing(path)


@tap.case("eight programs are asked for at a time, and then their debug files")
def _(t):
    modules = [Module(i, 20 - i) for i in range(16)]
    bodies, path = recording(t, modules)
    files = {module.asks: bodies("stripped", module.number) for module in modules}
    files |= {module.asks_debug: bodies("debug", module.number) for module in modules}
    # Nobody gets an answer before eight have asked: one at a time would wait for ever.
    with Server(Together(serves(files), 8), keeps=True) as server:
        done = fold(t, path, "--symbol-server", server.url)
        t.equal(named(done.stdout), {module.name for module in modules}, "programs with names")
        t.equal(sorted(server.asked), sorted(files), "questions")
        t.equal(server.asked[:16], sorted(server.asked[:16], key=lambda asked: "debug" in asked),
                "programs before debug files")
        t.within(server.connections, 1, 16, "connections")
        count = len(server.asked)
        again = fold(t, path, "--symbol-server", server.url)
        t.equal(again.stdout, done.stdout, "the next run")
        t.equal(server.asked[count:], [], "its questions")


@tap.case("files for which the cache is too small are used all the same, before room is made")
def _(t):
    modules = [Module(i, 20 - i) for i in range(16)]
    bodies, path = recording(t, modules)
    files = {module.asks: bodies("whole", module.number) for module in modules}
    most = 4 * len(bodies("whole", 0))
    with Server(serves(files), keeps=True) as server:
        done = fold(t, path, "--symbol-server", server.url, WICK_CACHE_SIZE=most)
    t.equal(named(done.stdout), {module.name for module in modules}, "programs with names")
    kept = sum(file.stat().st_size for file in (t.folder / "cache" / "remote").iterdir())
    t.within(kept, 1, most + len(bodies("whole", 0)), "bytes that are kept")


@tap.case("those with most samples come first, and nobody is asked for what is not shown")
def _(t):
    counts = [3, 50, 7, 90, 1, 20, 60, 30, 10, 40, 70, 80, 2]
    modules = [Module(i, count) for i, count in enumerate(counts)]
    _, path = recording(t, modules)
    with Server(missing) as server:
        fold(t, path, "--symbol-server", server.url)
    order, wanted = asked_for(server), sorted(range(len(counts)), key=lambda i: -counts[i])
    t.equal(sorted(order), sorted(wanted), "who was asked for")
    late = [i for place, i in enumerate(order) if wanted.index(i) > place + 7]
    t.equal(late, [], f"asked too early, in {order} instead of {wanted}")
    with Server(missing) as server:
        fold(t, path, "--symbol-server", server.url, "--process", "103",
             WICK_CACHE_DIR=t.folder / "other")
    t.equal(asked_for(server), [3], "who was asked for with --process")


@tap.case("whoever answers first, names, reasons and complaints are the same")
def _(t):
    modules = [Module(i, 40 - i) for i in range(16)]
    bodies, path = recording(t, modules)
    files = {module.asks: bodies("whole", module.number) for module in modules
             if module.number % 3 == 0}
    files[modules[4].asks] = bodies("whole", 5)         # of another build
    files[modules[7].asks] = bodies("whole", 7)[:5000]  # cut
    failing = {modules[10].asks: 500, modules[13].asks: 403, modules[11].asks: 503}
    seen = []
    for run in range(6):
        order, lock = random.Random(run), threading.Condition()
        waiting = []

        def answer(asked):
            """Of those that ask at the same time, any may be answered first."""
            with lock:
                waiting.append((order.random(), asked))
                lock.wait_for(lambda: min(waiting)[1] == asked, 0.2)
                waiting[:] = [one for one in waiting if one[1] != asked]
                lock.notify_all()
            if asked in failing:
                return failing[asked], {"Content-Length": "0"}, []
            return whole(files[asked]) if asked in files else missing(asked)
        with Server(answer) as server:
            done = t.wick("symbols", path, "--all", "--symbol-server", server.url,
                          env=environment(t, WICK_CACHE_DIR=t.folder / f"cache{run}"))
            said = (done.stdout + done.stderr).replace(server.url, "URL")
            seen.append(said.replace(f"cache{run}", "cache"))
    t.equal(len(set(seen)), 1, f"different outputs: {set(seen)}")
    t.true("HTTP status 500" in seen[0] and "its build id is" in seen[0], seen[0])
    t.equal(seen[0].count("wick: symbol server URL:"), 1, "complaints")


@tap.case("a store is asked at its places, also for several at once")
def _(t):
    modules = [Module(i, 20 - i) for i in range(9)]
    bodies, path = recording(t, modules)
    files = {f"/s/{module.name}/{identity(module.number)}/{module.name}":
             bodies("whole", module.number) for module in modules}
    with Server(serves(files)) as server:
        done = fold(t, path, "--symbol-server", f"store:{server.url}/s")
        t.equal(named(done.stdout), {module.name for module in modules}, "programs with names")
        t.equal(len(server.asked), 18, "questions")


@tap.case("a line tells how far it is, and Ctrl-C stops all that comes at once")
def _(t):
    tap.need("script")
    modules = [Module(i, 100 - i) for i in range(1, 31)]
    bodies, path = recording(t, modules)
    quick = {module.asks: bodies("whole", module.number) for module in modules[:3]}
    stopped, begun = threading.Event(), threading.Semaphore(0)

    def answer(asked):
        if asked in quick:
            return whole(quick[asked])

        def pieces():
            yield b"x"
            begun.release()
            while not stopped.wait(0.05):
                yield b"x"
        return 200, {"Content-Length": "100000000"}, pieces()

    with Server(answer) as server:
        words = f"exec {tap.WICK} fold {path} --symbol-server {server.url} > {t.folder}/out"
        process = subprocess.Popen(["script", "-qefc", words, "/dev/null"], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env=environment(t, SHELL="/bin/sh"))
        for _ in range(8):
            t.true(begun.acquire(timeout=60), "eight come at once")
        said = ""
        while "MiB ..." not in said:
            piece = process.stdout.read(1)
            t.true(piece, f"a line with the first that comes: {said}")
            said += piece
        process.stdin.write("\x03")
        process.stdin.flush()
        said += process.communicate(timeout=60)[0]
        stopped.set()
    t.equal(process.returncode, 0, f"exit code: {said}")
    t.true(re.search(r"symbols: 3 of 30 modules, m4 \d+ B of 95\.4 MiB \.\.\.", said), said)
    t.true("fetching was stopped" in said, said)
    t.true("fetching was interrupted; the next run continues it" in said, said)
    t.true("srv*" not in said, f"no advice to do what was stopped: {said}")
    t.equal(named((t.folder / "out").read_text()), {"m1", "m2", "m3"}, "names")
    t.equal(len(asked_for(server)), 11, "modules asked for")


@tap.case("who drips a page of what it does not have is left alone, and says so once")
def _(t):
    modules = [Module(i, 40 - i) for i in range(30)]
    (_, path), gone = recording(t, modules), threading.Event()

    def drips(_asked):
        def pieces():
            while not gone.wait(0.05):
                yield b"x"
        return 404, {}, pieces()
    with Server(drips) as server:
        said = fold(t, path, "--symbol-server", server.url).stderr
        gone.set()
    t.equal(said.count("did not end within 2 seconds, so it is not asked again"), 1, said)
    t.true(set(asked_for(server)) <= set(range(8)), f"more than eight: {server.asked}")
    t.within(len(server.asked), 1, 8, "questions")


def with_files(t, count, *words, **more):
    """wick, where it may have only so many files open."""
    limit = (count, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    return t.wick(*words, env=environment(t, **more),
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit))


@tap.case("with few files open fewer are fetched at a time, and nobody else is blamed for it")
def _(t):
    modules = [Module(i, 20 - i) for i in range(12)]
    bodies, path = recording(t, modules)
    files = {module.asks: bodies("whole", module.number) for module in modules}
    for count in 6, 7, 8, 10, 12, 16, 20, 30, 40:
        with Server(serves(files)) as server:
            done = with_files(t, count, "fold", path, "--symbol-server", server.url,
                              WICK_CACHE_DIR=t.folder / f"cache{count}")
        said, found = done.stderr, named(done.stdout)
        t.true("Failed" not in said and "Too many" not in said, f"{count}: {said}")
        t.equal(said.count("`ulimit -n`"), "`ulimit -n`" in said, f"{count}: once in {said}")
        t.true(len(found) == 12 or not found and "not asked, since this process may have only "
               f"{count} files open at once" in said, f"{count}: {found}, {said}")
        if count in (20, 40):
            t.equal(len(found), 12, f"programs with names, with {count} files")
            t.true("at a time, because this process may have only "
                   f"{count} open files" in said, said)


@tap.case("answers without an end that come at once may have twice the limit together")
def _(t):
    modules = [Module(i, 40 - i) for i in range(20)]
    _, path = recording(t, modules)
    endless, most = Endless(), 64 << 20
    with Server(endless) as server:
        said = fold(t, path, "--symbol-server", server.url, DEBUGINFOD_MAXSIZE=most).stderr
    t.true("it sent more than 64.0 MiB without an end, so it is not asked again" in said, said)
    t.true(len(asked_for(server)) <= 8, f"asked for after that: {server.asked}")
    # Twice the limit, and what was under way to us.
    t.within(endless.sent, most, 4 * most, "bytes sent, of 512 MiB that eight could have written")


tap.run_all(needs_recording=False)
