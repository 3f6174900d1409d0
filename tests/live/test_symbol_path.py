#!/usr/bin/env python3
"""Names of a Windows program that is not here: by its PDB, from folders, stores and servers on
loopback that a symbol path names. The PDBs are those of the shared fixtures."""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402
from loopback import Server, environment, missing, whole  # noqa: E402

FIXTURES = tap.SHARED / "fixtures" / "pdb"
# What stores keep them by.
KEYS = {"c-O2": "83FA1D6E2C1E837C4C4C44205044422E1", "cpp-O2": "694D2048AC5025F34C4C44205044422E1"}
STORE = f"/cpp-O2.pdb/{KEYS['cpp-O2']}/cpp-O2.pdb"


def fixture(name):
    path = FIXTURES / name
    if not path.is_file():
        raise tap.Skip(f"there is no {path}")
    return path


def pdb():
    return fixture("cpp-O2.pdb").read_bytes()


def truth(name):
    """What each RVA is: the chains that are right, innermost first, of (function, file:line)."""
    rows = {}
    for line in fixture(f"{name}.truth.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        rva, *chains = line.split("\t")
        rows[int(rva, 16)] = [
            [tuple(frame.split("|")[-2:]) for frame in chain.removeprefix("ALT ").split(" <- ")]
            for chain in chains if chain]
    return rows


def trace(t, rvas, name="cpp-O2", key=None, stamp=0, size=0, pdb_path=None, to="x.etl"):
    path = t.folder / to
    key = KEYS.get(name, "-") if key is None else key
    tap.run(tap.program("live", "windows_trace"), path, pdb_path or f"c:\\out\\{name}.pdb", key,
            f"{stamp:x}", f"{size:x}", *(f"{rva:x}" for rva in rvas))
    return path


def functions(t, path, *words, **more):
    """The functions that samples were in, innermost."""
    done = t.wick("fold", path, *words, env=environment(t, **more))
    return {line.rsplit(" ", 1)[0].split(";")[-1] for line in done.stdout.splitlines()}, done.stderr


def is_named(t, path, *words, **more):
    found, said = functions(t, path, *words, **more)
    if not (named := "geo::total(struct geo::Shape *const *, int)" in found) and \
            any("+0x" not in name for name in found):
        raise tap.Failure(f"only some names are there: {found}")
    return named


def reason(t, path, *words, **more):
    """What `wick symbols` says of the program, on one line."""
    done = t.wick("symbols", path, *words, env=environment(t, **more))
    return re.sub(r"\s+", " ", done.stdout)


def words(t, path, *options):
    done = t.wick("symbols", path, "--json", *options, env=environment(t))
    row = json.loads(done.stdout)["rows"][0]
    return [row[key] for key in ("names", "lines", "names_from", "lines_from")]


def kept(t):
    """Files in wick's own folder, but for what it remembers of servers."""
    return sorted(path.name for path in (t.folder / "cache/remote").glob("*")
                  if not path.name.endswith(".asked"))


def small(t):
    """A trace with a few samples in functions that have names."""
    return trace(t, [0x1090, 0x1095, 0x10b0])


def serves(files, other=missing):
    return lambda path: whole(files[path]) if path in files else other(path)


def chains(t, path, *words):
    """What wick says of each RVA, as truth() has it."""
    profile = json.loads(t.wick("export", path, "--to", "firefox", *words,
                                env=environment(t)).stdout)
    text, found = profile["shared"]["stringArray"], {}
    sources = profile["shared"].get("sources", {}).get("filename", [])
    for thread in profile["threads"]:
        frames, stacks, funcs = thread["frameTable"], thread["stackTable"], thread["funcTable"]
        for leaf in thread["samples"]["stack"]:
            chain, stack, address = [], leaf, frames["address"][stacks["frame"][leaf]]
            while stack is not None:
                frame = stacks["frame"][stack]
                if frames["address"][frame] != address:
                    break
                func = frames["func"][frame]
                source = funcs["source"][func]
                chain.append((text[funcs["name"][func]],
                              text[sources[source]] if source is not None else "",
                              frames["line"][frame] or 0))
                stack = stacks["prefix"][stack]
            found[address] = chain
    return found


def is_right(came, expected):
    """The same functions and lines; padding, of which nothing is known, may be anything."""
    if len(came) == 1 and expected[0][1] == ":0":
        return True
    return len(came) == len(expected) and all(
        function in (name, name.split("(")[0]) and f"{file}:{line}" == place
        for (name, file, line), (function, place) in zip(came, expected))


def compare(t, name, *words):
    rows = truth(name)
    came = chains(t, trace(t, rows, name), *words)
    wrong = [f"{rva:x}: {came.get(rva)} instead of {expected[0]}" for rva, expected in rows.items()
             if not any(is_right(came.get(rva, []), chain) for chain in expected)]
    t.equal(wrong[:5], [], f"of {len(rows)} addresses {len(wrong)}")


@tap.case("functions, inlined calls, files and lines are those of the truth file, without the image")
def _(t):
    for name in "c-O2", "cpp-O2":
        compare(t, name, "--symbol-path", FIXTURES / "symstore")


@tap.case("and so they are from a PDB as it lies in a folder, and from what was kept of it")
def _(t):
    folder = t.folder / "plain"
    folder.mkdir()
    shutil.copy(fixture("cpp-O2.pdb"), folder)
    compare(t, "cpp-O2", "--symbol-path", folder)
    (folder / "cpp-O2.pdb").unlink()
    compare(t, "cpp-O2")


@tap.case("`wick symbols` says the same of a PDB that it reads and of one that the cache knows")
def _(t):
    folder = t.folder / "plain"
    folder.mkdir()
    file = pathlib.Path(shutil.copy(fixture("cpp-O2.pdb"), folder))
    path = small(t)
    for time in "first", "second":
        t.equal(words(t, path, "--symbol-path", folder), ["all", "all", str(file), str(file)], time)
    file.unlink()
    kept = f"{file}, from the symbol cache"
    t.equal(words(t, path, "--symbol-path", folder), ["all", "all", kept, kept], "without the file")


@tap.case("a PDB beside the trace is found without a word, and so is one in what WPR leaves there")
def _(t):
    path = small(t)
    for name in "cpp-O2.pdb", f"x.etl.NGENPDB/cpp-O2.pdb/{KEYS['cpp-O2']}/cpp-O2.pdb":
        file = t.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pdb())
        t.true(is_named(t, path), name)
        t.true(is_named(t, path.name), f"{name}, from its folder")
        file.unlink()
        shutil.rmtree(t.folder / "cache")
    t.true("was looked for" not in reason(t, path), "nothing is said of a folder nobody named")
    (t.folder / "cpp-O2.pdb").write_bytes(fixture("c-O2.pdb").read_bytes())
    t.true("it is of another build" in reason(t, path), "what lies there and is wrong is named")


@tap.case("symbolize says whom it asked in vain, and what was of another build")
def _(t):
    shutil.copy(fixture("c-O2.exe"), t.folder)
    other = t.folder / "other"
    other.mkdir()
    shutil.copy(fixture("c-O0.pdb"), other / "c-O2.pdb")
    for folder, why in ("other", "it is of another build"), ("none", "there is no such folder"):
        said = t.wick("symbolize", "-e", "c-O2.exe", "--symbol-path", folder, "0x1010").stderr
        t.true("c-O2.pdb" in said and why in said, said)
    said = t.wick("symbolize", "-e", "c-O2.exe", "0x1010").stderr
    t.true("was looked for" not in said, said)


@tap.case("a PDB with public names only, as Microsoft gives them away, is opened once, too")
def _(t):
    body = fixture("c-publics.pdb").read_bytes()
    exe = fixture("c-publics.exe").read_bytes()
    at = exe.index(b"RSDS") + 4
    key = uuid.UUID(bytes_le=exe[at:at + 16]).hex.upper() + \
        f"{int.from_bytes(exe[at + 16:at + 20], 'little'):X}"
    rows = truth("c-publics")
    path, asks = trace(t, rows, "c-publics", key), f"/c-publics.pdb/{key}/c-publics.pdb"
    with Server(serves({asks: body})) as server:
        words = "--symbol-path", f"srv*{t.folder}/c*{server.url}"
        first, _said = functions(t, path, *words)
        t.true(not any("+0x" in name for name in first), f"{first}")
        shutil.rmtree(t.folder / "c")
        count = len(server.asked)
        t.equal(functions(t, path, *words)[0], first, "names of the second time")
        t.true("has public names only" in reason(t, path, *words), "why there are no lines")
        t.equal(len(server.asked), count, "requests")


@tap.case("a store of each form has it: two tiers, three tiers, a cabinet, a pointer, Breakpad's text")
def _(t):
    path = small(t)
    plain, key = pdb(), KEYS["cpp-O2"]
    forms = {
        "two": {f"cpp-O2.pdb/{key}/cpp-O2.pdb": plain},
        "three": {"index2.txt": b"", f"cp/cpp-O2.pdb/{key}/cpp-O2.pdb": plain},
        "cabinet": {f"cpp-O2.pdb/{key}/cpp-O2.pd_":
                    fixture(f"symstore/cpp-O2.pdb/{key}/cpp-O2.pd_").read_bytes()},
        "pointer": {f"cpp-O2.pdb/{key}/file.ptr": f"PATH:{t.folder}/elsewhere.pdb".encode(),
                    "../elsewhere.pdb": plain},
        "breakpad": {f"cpp-O2.pdb/{key}/cpp-O2.sym": breakpad(key)},
    }
    for form, files in forms.items():
        for name, body in files.items():
            file = t.folder / form / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        found, _said = functions(t, path, "--symbol-path", f"srv*{t.folder / form}")
        t.equal(found, {"geo::total(struct geo::Shape *const *, int)", "start"}, form)
        shutil.rmtree(t.folder / "cache")
        with Server(serves({f"/{name}": body for name, body in files.items()})) as server:
            named = is_named(t, path, "--symbol-path", f"srv*{t.folder}/c{form}*{server.url}")
            t.equal(named, form != "pointer", f"{form} over http")
            if named:
                copies = [str(file.relative_to(t.folder / f"c{form}"))
                          for file in (t.folder / f"c{form}").rglob("*") if file.is_file()]
                ending = "sym" if form == "breakpad" else "pdb"
                t.equal(copies, [f"cpp-O2.pdb/{key}/cpp-O2.{ending}"], f"copies of {form}")
        shutil.rmtree(t.folder / "cache")


def breakpad(key):
    return (f"MODULE windows x86_64 {key} cpp-O2.pdb\n"
            "FILE 0 C:\\src\\wickfix\\shapes.cpp\n"
            "FUNC 1070 3c 0 geo::total(struct geo::Shape *const *, int)\n"
            "1070 3c 70 0\n"
            "PUBLIC 10b0 0 start\n").encode()


@tap.case("a name as long as no name is, is the same from the file and from what was kept of it")
def _(t):
    folder, path = t.folder / "syms", small(t)
    folder.mkdir()
    long = "f" * (1 << 21)
    text = breakpad(KEYS["cpp-O2"]).replace(b"start", f"p{long}".encode())
    (folder / "cpp-O2.sym").write_bytes(text.replace(b"geo::total", long.encode()))
    first, second = (functions(t, path, "--symbol-path", folder)[0] for _ in range(2))
    t.true(first == second, f"lengths: {sorted(map(len, first))}, then {sorted(map(len, second))}")
    t.equal(sorted(map(len, first)), [1 << 20] * 2, "lengths")


@tap.case("_NT_SYMBOL_PATH is asked behind what was typed, and --offline asks no server of either")
def _(t):
    path = small(t)
    with Server(serves({STORE: pdb()})) as server:
        for words in ((), ("--symbol-path", f"srv*{server.url}")):
            t.true(not is_named(t, path, "--offline", *words, _NT_SYMBOL_PATH=server.url), "offline")
        t.equal(server.asked, [], "requests of --offline")
        t.true(is_named(t, path, "--symbol-path", FIXTURES / "symstore",
                        _NT_SYMBOL_PATH=f"srv*{server.url}"), "the typed folder")
        t.equal(server.asked, [], "requests")
        shutil.rmtree(t.folder / "cache")
        t.true(is_named(t, path, "--symbol-path", t.folder / "nowhere",
                        _NT_SYMBOL_PATH=f"srv*{server.url}"), "the variable's server")
        t.true(STORE in server.asked, f"{server.asked}")


@tap.case("what was fetched is kept, and the next time nobody is asked and no PDB is opened")
def _(t):
    path, cache = small(t), t.folder / "syms"
    with Server(serves({STORE: pdb()})) as server:
        words = "--symbol-path", f"srv*{cache}*{server.url}"
        t.true(is_named(t, path, *words), "the first time")
        t.equal(server.asked, ["/index2.txt", STORE], "requests")
        t.equal((cache / STORE[1:]).read_bytes(), pdb(), "the copy")
        t.equal(oct((cache / STORE[1:]).stat().st_mode & 0o777), "0o600", "its rights")
        t.equal(kept(t), [], "copies where none were asked for")
        for file in cache, *(t.folder / "cache").glob("*.wick"):
            shutil.rmtree(file) if file.is_dir() else None
        t.true(is_named(t, path, *words), "by what is kept of it, without the PDB")
        t.equal(len(server.asked), 2, "requests")
        t.true(str(cache / STORE[1:]) in
               t.wick("show", path, "images", "--csv", env=environment(t)).stdout, "where from")


@tap.case("without a cache in the path, wick's own has it, and shows and clears it")
def _(t):
    path, identity = small(t), "48204d6950acf3254c4c44205044422e01000000"
    with Server(serves({STORE: pdb()})) as server:
        t.true(is_named(t, path, "--symbol-path", server.url), "the first time")
        t.equal(kept(t), [f"{identity}.pdb"], "the copy")
        for file in (t.folder / "cache").glob("*.wick"):
            file.unlink()
        count = len(server.asked)
        t.true(is_named(t, path), "without any path")
        t.equal(len(server.asked), count, "requests")
    t.true(f"{identity}.pdb" in t.wick("symbols", "--cache", "list", env=environment(t)).stdout, "list")
    t.wick("symbols", "--cache", "clear", env=environment(t))
    t.equal(kept(t), [], "after clear")


@tap.case("a cache that this system cannot have, or that takes no file, is stood in for by wick's own")
def _(t):
    path, closed = small(t), t.folder / "closed"
    closed.write_text("no folder")
    for cache in "C:\\syms", closed:
        with Server(serves({STORE: pdb()})) as server:
            t.true(is_named(t, path, "--symbol-path", f"srv*{cache}*{server.url}"), f"{cache}")
        t.equal(len(kept(t)), 1, f"copies beside {cache}")
        shutil.rmtree(t.folder / "cache")
    t.equal([name.name for name in t.folder.glob("C:*")], [], "strange files")
    with Server(serves({STORE: pdb()})) as server:
        words = "--symbol-path", f"srv*{t.folder}/c*{server.url}"
        t.true(is_named(t, path, *words, WICK_CACHE_DIR=""), "without wick's own")
        t.equal((t.folder / "c" / STORE[1:]).read_bytes(), pdb(), "the copy")
        t.equal(sorted(file.name for file in (t.folder / "c").glob("*")), ["cpp-O2.pdb"], "nothing else")


@tap.case("without any cache what comes is for one run alone, is told so, and leaves nothing")
def _(t):
    path, scratch = small(t), t.folder / "scratch"
    scratch.mkdir()
    with Server(serves({STORE: pdb()})) as server:
        words = "--symbol-path", server.url
        for run in range(1, 3):
            t.true(is_named(t, path, *words, WICK_CACHE_DIR="", TMPDIR=scratch), "names")
            t.equal(server.asked.count(STORE), run, "requests: one a run")
        said = functions(t, path, *words, WICK_CACHE_DIR="", TMPDIR=scratch)[1]
        t.equal(said.count("its files are temporary, since there is no cache "
                           "(WICK_CACHE_DIR is empty)"), 1, said)
        said = functions(t, path, *words, WICK_CACHE_DIR="", TMPDIR=t.folder / "none")[1]
        t.true("neither a cache nor TMPDIR" in said, said)
        home = {"HOME": t.folder / "nobody", "XDG_CACHE_HOME": t.folder / "x.etl/cache"}
        keep = {name: value for name, value in environment(t, TMPDIR=scratch, **home).items()
                if name != "WICK_CACHE_DIR"}
        done = t.wick("fold", path, *words, env=keep)
        t.true("geo::total" in done.stdout and "files are temporary" in done.stderr, "a folder "
               f"that cannot be made: {done.stderr}")
    t.equal(list(scratch.iterdir()), [], "files left")


@tap.case("what a server does not have is asked for once, in all its spots, and not again for a day")
def _(t):
    path = small(t)
    with Server(missing) as server:
        words = "--symbol-path", f"srv*{t.folder}/c*{server.url}"
        t.true(f"{server.url}: it does not have it" in reason(t, path, *words), "the first time")
        base = STORE.rsplit("/", 1)[0]
        t.equal(server.asked, ["/index2.txt"] + [f"{base}/{name}" for name in (
            "cpp-O2.pdb", "cpp-O2.pd_", "cpp-O2.sym")] + [STORE.lower()], "requests")
        count = len(server.asked)
        t.true(re.search(r"it did not have it \d+ seconds? ago", reason(t, path, *words)), "again")
        t.equal(len(server.asked), count, "requests of the second run")
    t.true(not any(file.is_file() for file in t.folder.glob("c/**/*")), "files in the cache")


@tap.case("a PDB of another build, a cut one, and what is none are named and never used")
def _(t):
    path, body = small(t), pdb()
    for other, words in ((fixture("c-O2.pdb").read_bytes(),
                          f"it is of another build: GUID {KEYS['c-O2']}, wanted {KEYS['cpp-O2']}"),
                         (body[:-4096], "is not in the file"),
                         (body[:3000], "is not in the file"),
                         (b"<html>log in, please</html>", ""),
                         (breakpad("0" * 33), "it is of another build")):
        with Server(serves({STORE: other})) as server:
            said = reason(t, path, "--symbol-path", f"srv*{t.folder}/c*{server.url}")
            t.true("names none" not in said and words in said, said)
            t.true(not is_named(t, path, "--symbol-path", f"srv*{t.folder}/c*{server.url}"), words)
        folder = t.folder / "plain"
        folder.mkdir(exist_ok=True)
        (folder / "cpp-O2.pdb").write_bytes(other)
        said = reason(t, path, "--symbol-path", folder)
        t.true(words in said and f"{folder}/cpp-O2.pdb" in said.replace(" ", "").replace(
            str(folder).replace(" ", ""), str(folder)), said)
    t.true(not any(file.is_file() for file in t.folder.glob("c/**/*")), "files in the cache")
    t.equal(kept(t), [], "files kept")


@tap.case("a server that refuses, fails, is not there or sends too much hurts nobody")
def _(t):
    path = small(t)

    def endless(_path):
        def pieces():
            while True:
                yield b"x" * 65536
        return 200, {}, pieces()

    with Server(lambda _path: (403, {"Content-Length": "0"}, [])) as server:
        t.true("HTTP status 403" in reason(t, path, "--symbol-path", server.url), "403")
        t.true(any(asked.endswith(".pd_") for asked in server.asked), "other spots are tried")
    with Server(lambda _path: (500, {"Content-Length": "0"}, [])) as server:
        said = functions(t, path, "--symbol-path", server.url)[1]
        t.true(f"symbol path {server.url}: it answered with HTTP status 500" in said, said)
    with Server(endless) as server:
        said = reason(t, path, "--symbol-path", server.url, DEBUGINFOD_MAXSIZE=100000)
        t.true("it sent more than 64.0 KiB without an end, so it is not asked again" in said, said)
        t.equal(server.asked, ["/index2.txt"], "requests")
    gone = server.url
    begun = time.monotonic()
    t.true(not is_named(t, path, "--symbol-path", gone), "nobody there")
    t.within(time.monotonic() - begun, 0, 10, "seconds")
    t.equal(kept(t), [], "files kept")


@tap.case("a slow server is given up in time, and is not asked for the next image")
def _(t):
    path = small(t)

    def silent(_path):
        time.sleep(30)
        return missing(_path)

    with Server(silent) as server:
        begun = time.monotonic()
        said = reason(t, path, "--symbol-path", server.url, DEBUGINFOD_TIMEOUT=2)
        t.within(time.monotonic() - begun, 1.9, 10, "seconds")
        t.true("sent nothing for 2 seconds" in said, said)
        t.equal(server.asked, ["/index2.txt"], "requests")


@tap.case("a server may send on to another, and a password is told to neither people nor that one")
def _(t):
    path, seen = small(t), []
    with Server(serves({STORE: pdb()})) as other:
        def sends_on(asked):
            return 302, {"Location": f"{other.url}{asked}", "Content-Length": "0"}, []

        class Watching(Server):
            pass

        with Watching(sends_on) as server:
            url = server.url.replace("http://", "http://me:secret@")
            words = "--symbol-path", f"srv*{t.folder}/c*{url}"
            t.true(is_named(t, path, *words), "names")
            seen.append(reason(t, path, *words))
    shutil.rmtree(t.folder / "cache")
    shutil.rmtree(t.folder / "c")
    done = t.wick("symbols", path, "--details", *words, env=environment(t))
    seen += [done.stdout, done.stderr]
    done = t.wick("symbols", path, "--symbol-path", f"{url}/a b", env=environment(t), check=False)
    t.equal(done.returncode, 2, "exit code of a word that makes no sense")
    seen += [done.stderr]
    seen += [file.read_text() for file in (t.folder / "cache/remote").glob("*.asked")]
    t.true(seen[-1] and not any("secret" in text or "me:" in text for text in seen), f"{seen}")


@tap.case("the image is looked for where there is no PDB, and its exports name what they can")
def _(t):
    exe = fixture("c-O2.exe").read_bytes()
    at = int.from_bytes(exe[0x3c:0x40], "little")
    stamp = int.from_bytes(exe[at + 8:at + 12], "little")
    size = int.from_bytes(exe[at + 24 + 56:at + 24 + 60], "little")
    path = trace(t, [0x1000], "c-O2", key="-", stamp=stamp, size=size)
    asks = f"/app.exe/{stamp:08X}{size:x}/app.exe"
    with Server(serves({asks: exe, f"/c-O2.pdb/{KEYS['c-O2']}/c-O2.pdb":
                        fixture("c-O2.pdb").read_bytes()})) as server:
        found, _said = functions(t, path, "--symbol-path", server.url)
        t.true(asks in server.asked, f"{server.asked}")
        t.true(not any("+0x" in name for name in found), f"the PDB that the image tells of: {found}")
        t.equal(kept(t)[1], f"{stamp:08x}{size:08x}.image", "the copy")
    wrong = trace(t, [0x1000], "c-O2", key="-", stamp=stamp + 1, size=size, to="y.etl")
    folder = t.folder / "images"
    folder.mkdir()
    (folder / "app.exe").write_bytes(exe)
    said = reason(t, wrong, "--symbol-path", folder)
    t.true("it is of another build: time and size" in said, said)


def on_terminal(t, words, stdin=subprocess.DEVNULL):
    """wick on a terminal of its own. Ctrl-C there goes to all that run on it: a shell that waits
    for wick (dash does, others become it) would end by the signal and say 130, whatever wick says.
    So there is none left."""
    return subprocess.Popen(["script", "-qefc", f"exec {tap.WICK} {words}", "/dev/null"],
                            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env=environment(t, SHELL="/bin/sh"), start_new_session=True)


@tap.case("Ctrl-C on a terminal stops what is fetched, and the command goes on without it")
def _(t):
    tap.need("script")
    path = small(t)

    def slow(asked):
        def pieces():
            while True:
                yield b"x"
                time.sleep(0.05)
        return (200, {}, pieces()) if asked == STORE else missing(asked)

    with Server(slow) as server:
        process = on_terminal(t, f"fold {path} --symbol-path {server.url} > {t.folder}/out",
                              stdin=subprocess.PIPE)
        for _ in range(100):
            if STORE in server.asked:
                break
            time.sleep(0.05)
        time.sleep(1)
        process.stdin.write("\x03")
        process.stdin.flush()
        said = process.communicate(timeout=20)[0]
    t.equal(process.returncode, 0, f"exit code: {said}")
    t.true("symbols: 0 of 1 modules, cpp-O2.pdb" in said and "fetching was stopped" in said, said)
    t.true("app.exe+0x" in (t.folder / "out").read_text(), "what was shown without it")


@tap.case("on a terminal a server that has nothing, and says so slowly, is seen to be asked")
def _(t):
    tap.need("script")
    path = small(t)

    def slowly(asked):
        time.sleep(0.3)
        return missing(asked)

    with Server(slowly) as server:
        process = on_terminal(t, f"fold {path} --symbol-path {server.url} > {t.folder}/out")
        said = process.communicate(timeout=60)[0]
    t.equal(process.returncode, 0, f"exit code: {said}")
    t.true("symbols: 0 of 1 modules, cpp-O2.pdb ..." in said, said)


tap.run_all(needs_recording=False)
