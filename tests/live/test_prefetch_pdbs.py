#!/usr/bin/env python3
"""Which PDBs are fetched from servers on loopback, in which order, how many at once, and that it makes
no difference to what is shown who answers first."""
import collections
import gzip
import pathlib
import random
import re
import resource
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402
from loopback import Endless, Server, environment, missing, whole  # noqa: E402

FIXTURE = tap.SHARED / "fixtures" / "pdb" / "cpp-O2.pdb"
NAMED = "geo::total(struct geo::Shape *const *, int)"
DELAY = 0.3


def key(number):
    return f"ABC{number:029X}1"


def pdb(number):
    """The fixture as the PDB of module `number`."""
    if not FIXTURE.is_file():
        raise tap.Skip(f"there is no {FIXTURE}")
    body, theirs = FIXTURE.read_bytes(), "694D2048AC5025F34C4C44205044422E"
    return body.replace(as_it_lies(theirs), as_it_lies(key(number)[:32]))


def as_it_lies(guid):
    raw = bytes.fromhex(guid)
    return raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]


class Module:
    def __init__(self, number, samples, pid=100, suffix="dll", stamp=0, known=True):
        self.number, self.samples, self.pid, self.stamp = number, samples, pid, stamp
        self.name, self.known = f"m{number}.{suffix}", known

    @property
    def word(self):
        told = key(self.number) if self.known else "-"
        return f"{self.name},{told},{self.stamp:x},{self.pid},{self.samples}"

    @property
    def asks(self):
        return f"/m{self.number}.pdb/{key(self.number)}/m{self.number}.pdb"


def trace(t, modules):
    path = t.folder / "x.etl"
    tap.run(tap.program("live", "windows_modules"), path, *(module.word for module in modules))
    return path


def fold(t, path, *words, **more):
    return t.wick("fold", path, *words, env=environment(t, **more))


def named(text):
    """Modules of which a function has its name."""
    return {line.split(";")[0] for line in text.splitlines() if NAMED in line}


def asked_for(server):
    """The modules whose PDBs were asked for, in the order of the first questions."""
    found = [int(match[1]) for path in server.asked if (match := re.match(r"/m(\d+)\.pdb/", path))]
    return list(dict.fromkeys(found))


def serves(modules, delay=0):
    files = {module.asks: pdb(module.number) for module in modules}

    def answer(path):
        time.sleep(delay)
        return whole(files[path]) if path in files else missing(path)
    return answer


@tap.case("twenty modules at 0.3 seconds each take well under six, over few connections")
def _(t):
    modules = [Module(i, i, pid=100 + 10 * i) for i in range(1, 21)]
    path = trace(t, modules)
    with Server(serves(modules, DELAY), keeps=True) as server:
        begun = time.monotonic()
        done = fold(t, path, "--symbol-path", server.url)
        seconds = time.monotonic() - begun
    t.equal(len(named(done.stdout)), 20, "processes with names")
    t.equal(len(server.asked), 21, "questions")
    t.within(server.connections, 1, 9, "connections")
    t.within(seconds, DELAY, 20 * DELAY * 0.6, "seconds")


@tap.case("those with most samples come first, and nobody is asked for modules without any")
def _(t):
    counts = [3, 50, 7, 0, 90, 1, 0, 20, 60, 30, 10, 40, 70, 80, 2]
    modules = [Module(i, count, pid=100 + 10 * i) for i, count in enumerate(counts)]
    path = trace(t, modules)
    with Server(serves(modules, 0.1)) as server:
        fold(t, path, "--symbol-path", server.url)
    order = asked_for(server)
    wanted = sorted((i for i, count in enumerate(counts) if count), key=lambda i: -counts[i])
    t.equal(sorted(order), sorted(wanted), "who was asked for")
    # Eight at once: nobody is earlier than his place by more than that.
    late = [i for place, i in enumerate(order) if wanted.index(i) > place + 7]
    t.equal(late, [], f"asked too early, in {order} instead of {wanted}")
    t.equal(set(order[:8]), set(wanted[:8]), "the first eight")


@tap.case("what a filter leaves out is not asked for, unless it asks for names")
def _(t):
    modules = [Module(1, 10, pid=100), Module(2, 10, pid=200), Module(3, 10, pid=300)]
    path = trace(t, modules)
    for words, wanted in ((["--process", "200"], [2]), (["--process", "p[23]00"], [2, 3]),
                          (["--thread", "301"], [3]), (["--image", "m1.dll"], [1]),
                          (["--time", "10.5ms-20.5ms"], [2]),
                          (["--function", "nothing"], [1, 2, 3]),
                          (["--process", "100", "--function", "nothing"], [1]),
                          (["--process", "["], []), (["--by", "nonsense"], [])):
        with Server(missing) as server:
            t.wick("fold", path, *words, "--symbol-path", server.url, check=False,
                   env=environment(t, WICK_CACHE_DIR=t.folder / f"cache{len(words)}{words}"))
            t.equal(sorted(asked_for(server)), wanted, f"asked for with {words}")
            if not wanted:
                t.equal(server.asked, [], f"questions with {words}")


@tap.case("whoever answers first, names, reasons and complaints are the same")
def _(t):
    modules = [Module(i, 40 - i, pid=100 + 10 * i) for i in range(16)]
    path, seen = trace(t, modules), []
    files = {module.asks: pdb(module.number) for module in modules if module.number % 3 == 0}
    files[modules[4].asks] = pdb(5)           # of another build
    files[modules[7].asks] = pdb(7)[:5000]    # cut
    failing = {modules[10].asks: 500, modules[13].asks: 403, modules[11].asks: 503}

    for run in range(6):
        def answer(asked, order=random.Random(run)):
            time.sleep(order.random() * 0.1)
            if asked in failing:
                return failing[asked], {"Content-Length": "0"}, []
            return whole(files[asked]) if asked in files else missing(asked)
        with Server(answer) as server:
            words = "symbols", path, "--all", "--symbol-path", server.url
            done = t.wick(*words, env=environment(t, WICK_CACHE_DIR=t.folder / f"cache{run}"))
            seen.append((done.stdout + done.stderr).replace(server.url, "URL"))
    t.equal(len(set(seen)), 1, f"different outputs: {set(seen)}")
    t.true("HTTP status 500" in seen[0] and "of another build" in seen[0], seen[0])
    t.equal(seen[0].count("wick: symbol path URL:"), 1, "complaints")


@tap.case("what came is used also where only a cache of the path takes it, and is kept in the next run")
def _(t):
    modules = [Module(i, i, pid=100 + 10 * i) for i in range(1, 5)]
    path = trace(t, modules)
    with Server(serves(modules)) as server:
        words = "--symbol-path", f"srv*{t.folder}/c*{server.url}"
        t.equal(len(named(fold(t, path, *words, WICK_CACHE_DIR="").stdout)), 4, "names")
        t.equal(len(server.asked), 5, "questions")
        t.equal(len(named(fold(t, path, *words, WICK_CACHE_DIR="").stdout)), 4, "names again")
        t.equal(len(server.asked), 5, "questions of the next run")
    with Server(missing) as server:
        for _ in range(2):
            fold(t, path, "--symbol-path", server.url)
            t.equal(len(asked_for(server)), 4, "modules asked for")
            t.equal(len(server.asked), 1 + 4 * 4, "questions, also after the next run")


@tap.case("Ctrl-C stops all that comes at once, and leaves what is there by then")
def _(t):
    tap.need("script")
    modules = [Module(i, 100 - i, pid=100 + 10 * i) for i in range(1, 31)]
    path, quick = trace(t, modules), {module.asks: pdb(module.number) for module in modules[:3]}

    def answer(asked):
        if asked in quick:
            return whole(quick[asked])
        if asked == "/index2.txt":
            return missing(asked)

        def pieces():
            while True:
                yield b"x"
                time.sleep(0.05)
        return 200, {"Content-Length": "100000000"}, pieces()

    with Server(answer) as server:
        words = f"exec {tap.WICK} fold {path} --symbol-path {server.url} > {t.folder}/out"
        process = subprocess.Popen(["script", "-qefc", words, "/dev/null"], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env=environment(t, SHELL="/bin/sh"))
        for _ in range(200):
            if len(asked_for(server)) >= 11:
                break
            time.sleep(0.05)
        time.sleep(1)
        begun = time.monotonic()
        process.stdin.write("\x03")
        process.stdin.flush()
        said = process.communicate(timeout=30)[0]
        seconds = time.monotonic() - begun
    t.equal(process.returncode, 0, f"exit code: {said}")
    t.true(re.search(r"symbols: 3 of 30 modules, m4\.pdb \d+ B of 95\.4 MiB \.\.\.", said), said)
    t.true("fetching was stopped" in said, said)
    t.true("fetching was interrupted; the next run continues it" in said, said)
    t.true("srv*" not in said, f"no advice to do what was stopped: {said}")
    t.within(seconds, 0, 5, "seconds until the end")
    t.equal(named((t.folder / "out").read_text()), {"p110.exe", "p120.exe", "p130.exe"}, "names")
    t.equal(len(asked_for(server)), 11, "modules asked for")


@tap.case("without a terminal nothing is told, but to those who ask for it")
def _(t):
    modules = [Module(i, i, pid=100 + 10 * i) for i in range(1, 4)]
    path = trace(t, modules)
    with Server(missing) as server:
        said = fold(t, path, "--symbol-path", server.url).stderr
        t.true("symbols:" not in said and "asked" not in said, said)
    with Server(missing) as server:
        said = fold(t, path, "--symbol-path", server.url, DEBUGINFOD_PROGRESS=1).stderr
        t.equal(said.count("wick: asked http"), len(server.asked), said)


@tap.case("the image is not asked of servers where the PDB is known, and is where it is not")
def _(t):
    modules = [Module(1, 5, stamp=0xA0001), Module(2, 3, stamp=0xA0002, known=False),
               Module(3, 4, suffix="sys", stamp=0xA0003)]
    path = trace(t, modules)
    with Server(missing) as server:
        fold(t, path, "--symbol-path", server.url)
    by_name = collections.Counter(asked.split("/")[1].lower() for asked in server.asked)
    t.equal(by_name, {"index2.txt": 1, "m1.pdb": 4, "m2.dll": 3, "m3.pdb": 2}, "questions")


@tap.case("a page that unpacks to far more than it is fills no disk, and its server is left alone")
def _(t):
    modules = [Module(1, 5)]
    path = trace(t, modules)
    packed = gzip.compress(bytes(1 << 30), 9)

    def bomb(asked):
        if asked != modules[0].asks:
            return missing(asked)
        return 200, {"Content-Length": str(len(packed)), "Content-Encoding": "gzip"}, [packed]
    with Server(bomb) as server:
        done = fold(t, path, "--symbol-path", server.url)
    t.true("unpacks to hundreds of times its size, so it is not asked again" in done.stderr,
           done.stderr)
    t.equal(server.asked, ["/index2.txt", modules[0].asks], "questions")


@tap.case("what is packed in proportion is unpacked")
def _(t):
    modules = [Module(1, 5)]
    path, packed = trace(t, modules), gzip.compress(pdb(1))
    with Server(lambda asked: (200, {"Content-Encoding": "gzip"}, [packed])
                if asked == modules[0].asks else missing(asked)) as server:
        t.equal(len(named(fold(t, path, "--symbol-path", server.url).stdout)), 1, "names")


@tap.case("who sent a file without an end is not asked for the image, nor for anything else")
def _(t):
    modules = [Module(1, 5, stamp=0x50001, known=False)]
    path = trace(t, modules)

    def endless(asked):
        def pieces():
            while True:
                yield b"x" * 65536
        return (200, {}, pieces()) if asked.startswith("/m1") else missing(asked)
    with Server(endless) as server:
        said = fold(t, path, "--symbol-path", server.url, DEBUGINFOD_MAXSIZE=100000).stderr
    t.true("without an end, so it is not asked again" in said, said)
    t.equal(len(server.asked), 2, f"questions: {server.asked}")


@tap.case("what stands behind a ? in an address is told to its server and to nobody else")
def _(t):
    modules = [Module(1, 5)]
    path = trace(t, modules)
    with Server(missing) as server:
        url = f"{server.url}/get?sig=hushhush&path="
        seen = [fold(t, path, "--symbol-path", url, DEBUGINFOD_PROGRESS=1).stderr]
        t.true("sig=hushhush" in server.asked[0], f"{server.asked}")
        done = t.wick("symbols", path, "--symbol-path", url, env=environment(t))
        seen += [done.stdout, done.stderr]
        seen += [file.read_text() for file in (t.folder / "cache/remote").glob("*.asked")]
        count = len(server.asked)
        other = url.replace("hushhush", "another")
        fold(t, path, "--symbol-path", other)
        t.true(len(server.asked) > count, "another secret is another server")
    with Server(lambda _path: (500, {"Content-Length": "0"}, [])) as server:
        seen.append(fold(t, path, "--symbol-path", f"{server.url}/get?sig=hushhush").stderr)
        t.true(f"{server.url}/get?\u2026: it answered with HTTP status 500" in seen[-1], seen[-1])
    wrong = t.wick("fold", path, "--symbol-path", "srv*c*https://h/x?sig=hushhush b", check=False,
                   env=environment(t))
    seen.append(wrong.stderr)
    t.true("https://h/x?\u2026" in wrong.stderr, wrong.stderr)
    t.true(len(seen) > 5 and not any("hush" in text for text in seen), f"{seen}")


@tap.case("who drips a page of what it does not have is left alone, and says so once")
def _(t):
    modules = [Module(i, i, pid=100 + 10 * i) for i in range(1, 31)]
    path, gone = trace(t, modules), threading.Event()

    def drips(asked):
        def pieces():
            while not gone.wait(0.05):
                yield b"x"
        return missing(asked) if asked == "/index2.txt" else (404, {}, pieces())
    with Server(drips) as server:
        said = fold(t, path, "--symbol-path", server.url).stderr
        gone.set()
    t.equal(said.count("did not end within 2 seconds, so it is not asked again"), 1, said)
    t.true(set(asked_for(server)) <= set(range(23, 31)), f"more than eight: {server.asked}")
    t.within(len(server.asked), 2, 1 + 8, "questions")


@tap.case("with few files open fewer are fetched at a time, and nobody else is blamed for it")
def _(t):
    modules = [Module(i, i, pid=100 + 10 * i) for i in range(1, 13)]
    path = trace(t, modules)
    for count in 6, 8, 10, 12, 16, 20, 40:
        limit = (count, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        with Server(serves(modules)) as server:
            done = t.wick("fold", path, "--threads", "1", "--symbol-path", server.url,
                          env=environment(t, WICK_CACHE_DIR=t.folder / f"cache{count}"),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit))
        said, found = done.stderr, named(done.stdout)
        t.true("Failed" not in said and "Too many" not in said, f"{count}: {said}")
        t.equal(said.count("`ulimit -n`"), "`ulimit -n`" in said, f"{count}: once in {said}")
        t.true(len(found) == 12 or "`ulimit -n`" in said, f"{count}: {found}, {said}")
        if count in (20, 40):
            t.equal(len(found), 12, f"processes with names, with {count} files")


@tap.case("answers without an end that come at once are written by one at a time")
def _(t):
    modules = [Module(i, 40 - i, pid=100 + 10 * i) for i in range(20)]
    path = trace(t, modules)
    endless, most = Endless(), 64 << 20
    with Server(endless) as server:
        said = fold(t, path, "--symbol-path", server.url, DEBUGINFOD_MAXSIZE=most).stderr
    t.true("it sent more than 64.0 MiB without an end, so it is not asked again" in said, said)
    t.true(len(asked_for(server)) <= 8, f"asked for after that: {server.asked}")
    # One whole file, an eighth of it seven times, and what was under way to us.
    t.within(endless.sent, most, 4 * most, "bytes sent, of 512 MiB that eight could have written")


@tap.case("nobody is asked where no server is named, or with --offline whatever is named")
def _(t):
    path = trace(t, [Module(1, 5, stamp=0x50001), Module(2, 3, stamp=0x50002, known=False)])
    with Server(missing) as proxy:
        # Whoever is asked by mistake is asked here, and no name of another machine is looked up.
        proxies = {name: proxy.url for name in ("http_proxy", "https_proxy", "all_proxy")}
        for words in ([], ["--symbol-path", ""], ["--symbol-path", "srv**"],
                      ["--symbol-path", f"srv*{t.folder}/a*{t.folder}/b;cache*;{t.folder}"],
                      ["--symbol-path", "srv*", "--offline"],
                      ["--symbol-path", proxy.url, "--offline"]):
            fold(t, path, *words, **proxies)
            t.equal(proxy.connections, 0, f"connections with {words}")
        for names in "", "srv**;cache*":
            fold(t, path, _NT_SYMBOL_PATH=names, **proxies)
            t.equal(proxy.connections, 0, f"connections with _NT_SYMBOL_PATH={names}")
        fold(t, path, "--symbol-path", "http://127.0.0.1:9/x", no_proxy="", **proxies)
        t.true(proxy.connections > 0, "the proxy is asked in place of a server that is named")


tap.run_all(needs_recording=False)
