#!/usr/bin/env python3
"""Debug files from servers on loopback: those that answer well, and those that do not."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402
from loopback import Server, environment, missing, whole  # noqa: E402

NAMES = {"burn_thirty", "burn_seventy"}


class App:
    """A recording of a program that has lost its names since, and where they are."""

    def __init__(self):
        tap.need("objcopy", "strip", "readelf")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wick-app-"))
        self.path, self.recording = self.folder / "app", self.folder / "app.data"
        shutil.copy(tap.program("live", "burn_30_70"), self.path)
        tap.run(tap.WICK, "record", "--no-embed", "-q", "--user-only", "-o", self.recording, "--", self.path,
                "300")
        self.debug, self.full = self.folder / "app.debug", self.folder / "full"
        shutil.copy(self.path, self.full)
        tap.run("objcopy", "--only-keep-debug", self.path, self.debug)
        tap.run("strip", self.path)
        self.id = build_id(self.full)

    @property
    def asks_debug(self):
        return f"/buildid/{self.id}/debuginfo"


def build_id(path):
    return re.search(r"Build ID: ([0-9a-f]+)", tap.run("readelf", "-n", path).stdout)[1]


_app = []


def app():
    if not _app:
        _app.append(App())
    return _app[0]


def show(t, what, *words, **more):
    done = t.wick("show", app().recording, what, "--csv", *words, env=environment(t, **more),
                  check=False)
    if done.returncode:
        raise tap.Failure(f"exit code {done.returncode}: {done.stderr}")
    return done


def names(t, *words, **more):
    """Whether the program's functions have their names."""
    out = show(t, "functions", *words, **more).stdout
    found = {name for name in NAMES if name in out}
    if found not in (set(), NAMES):
        raise tap.Failure(f"only some names are there: {found}")
    return found == NAMES


def reason(t, *words, **more):
    for line in show(t, "images", *words, **more).stdout.splitlines():
        if str(app().path) in line:
            return line
    raise tap.Failure("the program is not among the images")


def left(t):
    """All files in the cache of what was fetched."""
    return sorted(path.name for path in (t.folder / "cache" / "remote").rglob("*")
                  if path.is_file())


def serves(body, asked=None):
    """An answer: `body` for the path `asked` (the program's debug file), else 404."""
    return lambda path: whole(body) if path == (asked or app().asks_debug) else missing(path)


@tap.case("a debug file is fetched once, and the next run finds it in the cache")
def _(t):
    body = app().debug.read_bytes()
    with Server(serves(body)) as server:
        t.true(not names(t), "without a server there are no names")
        t.true(names(t, "--symbol-server", server.url), "the server's file gives the names")
        t.equal(server.asked.count(app().asks_debug), 1, "requests")
        count = len(server.asked)
        t.true(names(t, "--symbol-server", server.url), "the second run has the names")
        t.equal(server.asked[count:], [], "requests of the second run")
        t.true(names(t), "and so has one that names no server")
        t.true(names(t, "--offline"), "or none at all")
        t.equal(server.asked[count:], [], "requests of these")
    t.equal((t.folder / "cache/remote" / f"{app().id}.debuginfo").read_bytes(), body, "the copy")


@tap.case("what was not used for long makes room for a file that comes")
def _(t):
    body = app().debug.read_bytes()
    kept = t.folder / "cache/remote"
    with Server(serves(body)) as server:
        t.true(names(t, "--symbol-server", server.url), "the first file")
        old = kept / "abcdef01.debuginfo"
        old.write_bytes(body)
        os.utime(old, (1000000000, 1000000000))
        other = kept / "notes.txt"
        other.write_bytes(body)
        for file in kept / f"{app().id}.debuginfo", *kept.parent.glob("*.wick"):
            file.unlink()
        t.true(names(t, "--symbol-server", server.url, WICK_CACHE_SIZE=len(body) + 100),
               "the file again, where there is no room for two")
    t.true(not old.exists(), "the old one goes")
    t.true(other.exists() and (kept / f"{app().id}.debuginfo").exists(), "the new one and another's stay")


@tap.case("a file that came stays, though what others lack is written down after it")
def _(t):
    programs = {name: t.folder / name for name in ("burn_30_70", "recursion")}
    bodies = {}
    for name, path in programs.items():
        shutil.copy(tap.program("live", name), path)
        bodies[build_id(path)] = path.read_bytes()
        tap.run("strip", path)
    recording = t.record("--user-only", "--", "sh", "-c", "./burn_30_70 300; ./recursion")
    for identity, body in bodies.items():  # one of the two is asked for before the other
        with Server(serves(body, f"/buildid/{identity}/debuginfo")) as server:
            t.wick("show", recording, "--symbol-server", server.url,
                   env=environment(t, WICK_CACHE_SIZE=len(body) + 100))
        t.true(f"{identity}.debuginfo" in left(t), f"{left(t)}")
        shutil.rmtree(t.folder / "cache")


@tap.case("DEBUGINFOD_URLS is used only by who asks for it")
def _(t):
    with Server(serves(app().debug.read_bytes())) as server:
        urls = f"ima:ignore {server.url}/"
        t.true(not names(t, DEBUGINFOD_URLS=urls), "not asked for")
        t.true(not names(t, "--offline", "--debuginfod", DEBUGINFOD_URLS=urls), "--offline")
        t.true(not names(t, "--offline", WICK_SYMBOL_SERVERS=server.url), "--offline")
        t.equal(server.asked, [], "requests")
        t.true(names(t, "--debuginfod", DEBUGINFOD_URLS=urls), "--debuginfod")
    for more in ({"WICK_DEBUGINFOD": 1, "DEBUGINFOD_URLS": "URL"}, {"WICK_SYMBOL_SERVERS": "URL"}):
        with Server(serves(app().debug.read_bytes())) as server:
            shutil.rmtree(t.folder / "cache")
            more = {key: server.url if value == "URL" else value for key, value in more.items()}
            t.true(names(t, **more), f"{more}")


@tap.case("what a server does not have is not asked for again")
def _(t):
    with Server(missing) as server:
        said = reason(t, "--symbol-server", server.url)
        t.true("does not have it" in said, said)
        t.equal(server.asked.count(app().asks_debug), 1, "requests")
        count = len(server.asked)
        said = reason(t, "--symbol-server", server.url)
        t.true(re.search(r"did not have it \d+ seconds? ago, and is asked again in 2[34] hours", said),
               said)
        t.equal(server.asked[count:], [], "requests of the second run")
    with Server(serves(app().debug.read_bytes())) as other:
        t.true(names(t, "--symbol-server", server.url, "--symbol-server", other.url),
               "another server is asked")


@tap.case("a debug file of another build is not used, whatever the server says")
def _(t):
    other = t.folder / "other"
    shutil.copy(tap.program("live", "recursion"), other)
    with Server(serves(other.read_bytes())) as server:
        said = reason(t, "--symbol-server", server.url)
        t.true(f"its build id is {build_id(other)}" in said, said)
        t.true(not names(t, "--symbol-server", server.url), "no names")
    t.equal([name for name in left(t) if not name.endswith(".asked")], [], "files kept")


@tap.case("what is no ELF file is not used")
def _(t):
    with Server(serves(b"<html>welcome to the network</html>")) as server:
        said = reason(t, "--symbol-server", server.url)
        t.true("it is not an ELF file" in said, said)


def stalls(path):
    def pieces():
        yield b"\x7fELF"
        time.sleep(30)
    return (200, {"Content-Length": "100000"}, pieces()) if path == app().asks_debug \
        else missing(path)


def silent(path):
    if path == app().asks_debug:
        time.sleep(30)
    return missing(path)


def trickles(path):
    def pieces():
        while True:
            yield b"x"
            time.sleep(0.1)
    return (200, {}, pieces()) if path == app().asks_debug else missing(path)


@tap.case("a server that stalls, is silent or trickles is given up in time")
def _(t):
    for answer, words in ((stalls, "sent almost nothing for 2 seconds"),
                          (silent, "sent nothing for 2 seconds"),
                          (trickles, "sent almost nothing for 2 seconds")):
        with Server(answer) as server:
            begun = time.monotonic()
            said = reason(t, "--symbol-server", server.url, DEBUGINFOD_TIMEOUT=2)
            t.within(time.monotonic() - begun, 1.9, 10, f"seconds until {answer.__name__} ended")
            t.true(words in said, said)
            count = len(server.asked)
            said = reason(t, "--symbol-server", server.url, DEBUGINFOD_TIMEOUT=2)
            t.true(re.search(r"it failed \d+ seconds? ago, and is asked again in [45] minutes", said),
                   said)
            t.equal(server.asked[count:].count(app().asks_debug), 0, "requests soon after")
    t.equal([name for name in left(t) if not name.endswith(".asked")], [], "files kept")


@tap.case("one file may take only so long")
def _(t):
    def slow(path):
        def pieces():
            while True:
                yield b"x" * 1000
                time.sleep(0.05)
        return (200, {}, pieces()) if path == app().asks_debug else missing(path)

    with Server(slow) as server:
        said = reason(t, "--symbol-server", server.url, DEBUGINFOD_MAXTIME=2)
        t.true("it took longer than 2 seconds" in said, said)


@tap.case("a Content-Length that lies does no harm either way")
def _(t):
    body = app().debug.read_bytes()
    for claim, words in ((10 ** 15, "it is larger than 2.0 GiB"),
                         (len(body) + 1000, ""),
                         (len(body) - 100, "it ends early"),
                         (len(body) // 2, "it ends early")):
        with Server(lambda path, claim=claim: (200, {"Content-Length": str(claim)}, [body])
                    if path == app().asks_debug else missing(path)) as server:
            said = reason(t, "--symbol-server", server.url)
            t.true(words in said and "only exported names" in said, f"{claim}: {said}")
            t.true(not names(t, "--symbol-server", server.url), f"{claim}: no names")
    t.equal([name for name in left(t) if not name.endswith(".asked")], [], "files kept")


@tap.case("a body that is cut is not used, also where nobody said how long it is")
def _(t):
    body = app().debug.read_bytes()
    for keep in (10, len(body) // 3, len(body) - 1):
        with Server(lambda path, keep=keep: (200, {}, [body[:keep]])
                    if path == app().asks_debug else missing(path)) as server:
            t.true(not names(t, "--symbol-server", server.url), f"{keep} bytes")


@tap.case("a body without an end stops at the limit")
def _(t):
    def endless(path):
        def pieces():
            while True:
                yield b"\x7fELF" * 16384
        return (200, {}, pieces()) if path == app().asks_debug else missing(path)

    with Server(endless) as server:
        said = reason(t, "--symbol-server", server.url, DEBUGINFOD_MAXSIZE=5 << 20)
        t.true("it sent more than 5.0 MiB without an end" in said, said)
    t.equal([name for name in left(t) if not name.endswith(".asked")], [], "files kept")


def redirects(to):
    return lambda path: (302, {"Location": to, "Content-Length": "0"}, []) \
        if path == app().asks_debug else missing(path)


@tap.case("a server may send us on to http, but not to a file or round in circles")
def _(t):
    with Server(serves(app().debug.read_bytes(), "/elsewhere")) as other:
        with Server(redirects(f"file://{app().debug}")) as server:
            t.true(not names(t, "--symbol-server", server.url), "file:// gives no names")
        with Server(lambda path: redirects(path)(path)) as server:
            t.true(not names(t, "--symbol-server", server.url), "circles end")
            t.within(len(server.asked), 1, 30, "requests")
        with Server(redirects(other.url + "/elsewhere")) as server:
            t.true(names(t, "--symbol-server", server.url), "http:// does")
    done = t.wick("show", app().recording, "--symbol-server", f"store:file://{app().folder}",
                  env=environment(t), check=False)
    t.equal(done.returncode, 2, "exit code for a server that is file://")


@tap.case("a server that is not there is tried once a run, and the others are asked")
def _(t):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        gone = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with Server(serves(app().debug.read_bytes())) as server:
            t.true(names(t, "--symbol-server", gone, "--symbol-server", server.url),
                   "the second server gives the names")
        shutil.rmtree(t.folder / "cache")
        said = reason(t, "--symbol-server", gone)
        t.true(f"{gone}: Failed to connect" in said and "only exported names" in said, said)
    shutil.rmtree(t.folder / "cache")
    for run, words in ("first", "Failed to connect"), ("next", "it failed "):
        said = show(t, "functions", "--symbol-server", gone).stderr
        t.true(f"wick: symbol server {gone}: {words}" in said, f"{run} run: {said}")
    said = show(t, "functions", "--symbol-server", t.folder / "none").stderr
    t.true("/none: there is no such folder" in said, said)


@tap.case("a server that merely does not have a file is no reason to complain")
def _(t):
    with Server(missing) as server:
        said = show(t, "functions", "--symbol-server", server.url).stderr
        t.true("symbol server" not in said, said)


@tap.case("a password in a URL is used but neither shown nor kept")
def _(t):
    with Server(missing) as server:
        url = server.url.replace("http://", "http://me:secret@")
        done = show(t, "images", "--symbol-server", url, DEBUGINFOD_PROGRESS=1)
        t.true("secret" not in done.stdout + done.stderr, done.stdout + done.stderr)
        t.true(f"asked {server.url}{app().asks_debug}" in done.stderr, done.stderr)
    for path in (t.folder / "cache").rglob("*.asked"):
        t.true("secret" not in path.read_text(), str(path))


@tap.case("a program that is gone is fetched as well")
def _(t):
    aside = app().folder / "aside"
    app().path.rename(aside)
    try:
        asked = f"/buildid/{app().id}/executable"
        with Server(serves(app().full.read_bytes(), asked)) as server:
            t.true(not names(t), "it is gone")
            t.true(names(t, "--symbol-server", server.url), "its copy gives the names")
            t.equal(server.asked.count(asked), 1, "requests")
    finally:
        aside.rename(app().path)


def place(folder, path, file):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, folder / path)


@tap.case("symbol stores are read in every layout, as folders and over http")
def _(t):
    identity = app().id
    layouts = {f".build-id/{identity[:2]}/{identity[2:]}.debug": "store",
               f"app.debug/{identity}/app.debug": "store",
               f"ap/app.debug/{identity}/app.debug": "store",
               f"_.debug/elf-buildid-sym-{identity}/_.debug": "ssqp"}
    for number, (path, kind) in enumerate(layouts.items()):
        store = t.folder / f"store{number}"
        place(store, path, app().debug)
        cache = t.folder / f"cache{number}"
        t.true(names(t, "--symbol-server", f"{kind}:{store}", WICK_CACHE_DIR=cache), path)
        t.true(not (cache / "remote").exists(), "a folder's files are used where they lie")
        with Server(lambda asked, path=path: whole(app().debug.read_bytes())
                    if asked == "/sub/" + path else missing(asked)) as server:
            t.true(names(t, "--symbol-server", f"{kind}:{server.url}/sub/", WICK_CACHE_DIR=cache),
                   f"{path} over http")


@tap.case("an interrupt leaves nothing half, with a cache or without")
def _(t):
    body, scratch = app().debug.read_bytes(), t.folder / "scratch"
    begun = threading.Event()
    scratch.mkdir()

    def hangs(path):
        def pieces():
            yield body[:len(body) // 2]
            begun.set()
            time.sleep(30)
        return (200, {"Content-Length": str(len(body))}, pieces()) if path == app().asks_debug \
            else missing(path)

    with Server(hangs) as server:
        for number, cache in ((signal.SIGINT, t.folder / "cache"), (signal.SIGINT, ""),
                              (signal.SIGKILL, t.folder / "cache"), (signal.SIGKILL, "")):
            begun.clear()
            wick = subprocess.Popen([tap.WICK, "show", app().recording, "--symbol-server",
                                     server.url], stdin=subprocess.DEVNULL,
                                    env=environment(t, WICK_CACHE_DIR=cache, TMPDIR=scratch),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            t.true(begun.wait(20), "the download began")
            time.sleep(0.2)
            wick.send_signal(number)
            t.equal(wick.wait(10), -number, "how it ended")
            t.equal([name for name in left(t) if not name.endswith(".asked")], [], "files kept")
            t.equal(list(scratch.iterdir()), [], "files in the temporary folder")


@tap.case("a broken copy in the cache is fetched again")
def _(t):
    body = app().debug.read_bytes()
    copy = t.folder / "cache/remote" / f"{app().id}.debuginfo"
    copy.parent.mkdir(parents=True, mode=0o700)
    copy.parent.parent.chmod(0o700)
    copy.write_bytes(body[:1000])
    with Server(serves(body)) as server:
        t.true(names(t, "--symbol-server", server.url), "names")
    t.equal(copy.read_bytes(), body, "the copy")


@tap.case("a cache folder that others can write is not used: what comes is for this run alone")
def _(t):
    folder = t.folder / "cache/remote"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    with Server(serves(app().debug.read_bytes())) as server:
        done = show(t, "functions", "--symbol-server", server.url)
        t.true(NAMES <= set(re.findall(r"\w+", done.stdout)), done.stdout)
        t.true("its files are temporary, since there is no cache" in done.stderr, done.stderr)
    t.equal(list(folder.iterdir()), [], "files there")


@tap.case("without a cache what comes is for one run alone, is told so, and leaves nothing")
def _(t):
    body, scratch = app().debug.read_bytes(), t.folder / "scratch"
    scratch.mkdir()
    with Server(serves(body)) as server:
        for _ in range(2):
            done = show(t, "functions", "--symbol-server", server.url, WICK_CACHE_DIR="",
                        TMPDIR=scratch)
            t.true(NAMES <= set(re.findall(r"\w+", done.stdout)), done.stdout)
            t.equal(done.stderr.count("its files are temporary, since there is no "
                                      "cache (WICK_CACHE_DIR is empty)"), 1, done.stderr)
        said = reason(t, "--symbol-server", server.url, WICK_CACHE_DIR="", TMPDIR=scratch)
        t.true(f"{server.url}{app().asks_debug}" in said, f"where the names are from: {said}")
        t.equal(server.asked.count(app().asks_debug), 3, "requests: one a run")
        done = show(t, "functions", "--symbol-server", server.url, WICK_CACHE_DIR="",
                    TMPDIR=t.folder / "none")
        t.true("neither a cache nor TMPDIR" in done.stderr, done.stderr)
        t.equal(server.asked.count(app().asks_debug), 3, "requests without any folder")
    t.equal(list(scratch.iterdir()), [], "files left")


@contextlib.contextmanager
def debuginfod(t):
    """The real server over a folder; what it listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(["debuginfod", "-d", ":memory:", "-p", str(port), "-F", str(t.folder)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=environment(t))
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@tap.case("elfutils' own debuginfod gives the names")
def _(t):
    tap.need("debuginfod")
    shutil.copy(app().debug, t.folder / "app.debug")
    with debuginfod(t) as url:
        for _ in range(60):
            if names(t, "--symbol-server", url):
                return
            shutil.rmtree(t.folder / "cache", ignore_errors=True)
            time.sleep(0.5)
    raise tap.Failure("no names within half a minute")


try:
    tap.run_all()
finally:
    for one in _app:
        shutil.rmtree(one.folder, ignore_errors=True)
