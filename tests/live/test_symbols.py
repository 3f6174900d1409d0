#!/usr/bin/env python3
"""What `wick symbols` says of programs that lack something, and what would fix it."""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


def recorded(t, prepare):
    """A recording of a program of ours that `prepare` has changed."""
    program = t.folder / "app"
    shutil.copy(tap.program("live", "burn_30_70"), program)
    prepare(program)
    return program, t.record("--no-embed", "--user-only", "--", program, "300")


def row(t, recording, program, **options):
    """The program's row of the table."""
    options.setdefault("env", plain())
    lines = t.wick("symbols", recording, "--json", **options).stdout
    for one in tap.json.loads(lines)["rows"]:
        if one["path"] == str(program):
            return one
    raise tap.Failure(f"{program} is not among the images")


def plain(**more):
    keep = {key: value for key, value in os.environ.items()
            if not key.startswith(("DEBUGINFOD", "WICK_SYMBOL", "WICK_DEBUGINFOD"))}
    return keep | more


def strip(*words):
    tap.need("strip")
    return lambda program: tap.run("strip", *words, program)


@tap.case("a program with debug information lacks nothing")
def _(t):
    program, recording = recorded(t, lambda program: None)
    came = row(t, recording, program)
    t.equal((came["names"], came["lines"], came["unwind"], came["lacks"], came["fix"]),
            ("all", "all", "eh_frame", "", ""), "the row")


@tap.case("one without debug information lacks lines, and is to be built with -g")
def _(t):
    program, recording = recorded(t, strip("--strip-debug"))
    came = row(t, recording, program)
    t.equal((came["names"], came["lines"], came["lacks"]), ("all", "none", "lines"), "the row")
    t.equal(came["fix"].splitlines(), [
        "# rebuild with -g",
        "# and record again: names of a new build do not fit this recording"], "fix")


@tap.case("a stripped one lacks names, too")
def _(t):
    program, recording = recorded(t, strip())
    came = row(t, recording, program)
    t.equal(came["lacks"], "names, lines", "lacks")
    t.true("without strip" in came["fix"], came["fix"])
    text = t.wick("symbols", recording, env=plain()).stdout
    t.true("missing names, lines: only exported names from" in " ".join(text.split()), text)


@tap.case("one that is gone may be had from a server")
def _(t):
    program, recording = recorded(t, lambda program: None)
    program.unlink()
    came = row(t, recording, program)
    t.equal(came["lacks"], "file, lines" if came["names"] == "recorded" else "file, names, lines",
            "lacks")
    t.equal(came["fix"].splitlines(), [
        "# if the recorded build was moved:",
        f"wick symbols {recording} --symbol-server ./FOLDER   # which has it, or URL of a server",
        "# otherwise record again: `wick record` stores the names in the recording"],
        "fix")
    came = row(t, recording, program, env=plain(DEBUGINFOD_URLS="http://127.0.0.1:1"))
    t.true(came["fix"].startswith(f"wick symbols {recording} --debuginfod "), came["fix"])


@tap.case("what fixes several of them is printed once")
def _(t):
    tap.need("cc")
    (t.folder / "work.c").write_text(
        "int work(int); int work(int n) { volatile int x = 0; while (n--) x += n; return x; }\n")
    (t.folder / "main.c").write_text(
        "int work(int); int main(void) { for (int i = 0; i < 300; i++) work(1000000); }\n")
    tap.run("cc", "-shared", "-fPIC", "work.c", "-o", "libwork.so", cwd=t.folder)
    tap.run("cc", "main.c", "./libwork.so", "-o", "app", cwd=t.folder)
    recording = t.record("--no-embed", "--user-only", "--", "./app")
    text = words(t, recording)
    t.equal(text.count("# rebuild with -g"), 1, "how often it is told how")
    t.true("; the fix is also for " in text, text)


def package_tools(t, package, known):
    """dpkg and apt-cache that know one package of the program, and `known` by name."""
    folder = t.folder / "tools"
    folder.mkdir()
    (folder / "dpkg").write_text(f"#!/bin/sh\necho '{package}: {t.folder}/app'\n")
    (folder / "apt-cache").write_text(f"#!/bin/sh\nprintf '%s\\n' {known}\n")
    for tool in folder.iterdir():
        tool.chmod(0o755)
    return plain(PATH=f"{folder}:{os.environ['PATH']}")


@tap.case("one of a package is mended by the package that holds its debug information")
def _(t):
    if not os.access("/usr/bin/dpkg", os.X_OK):
        raise tap.Skip("this is no Debian")
    program, recording = recorded(t, strip())
    for package, known, fix in (
            ("shop:amd64", "shop-dbg shop-dbgsym", "sudo apt install shop-dbg"),
            ("shop3-minimal", "shop3-dbg", "sudo apt install shop3-dbg"),
            ("shop, shop-too", "shop-dbgsym", "sudo apt install shop-dbgsym"),
            ("shop", "other-dbgsym", None)):
        came = row(t, recording, program, env=package_tools(t, package, known))["fix"]
        if fix:
            t.equal(came, fix, "fix")
        else:
            t.true(came.startswith("# packages that end in -dbgsym are in the distribution's debug "
                                   "archive") and
                   came.endswith("\nsudo apt install shop-dbgsym"), came)
        shutil.rmtree(t.folder / "tools")


@tap.case("what never was a file has nothing to be mended")
def _(t):
    program, recording = recorded(t, lambda program: None)
    path = str(program).encode()
    data = pathlib.Path(recording).read_bytes()
    t.true(path in data, "the recording has no plain path in it")
    pathlib.Path(recording).write_bytes(data.replace(path, b"app".ljust(len(path), b"\0")))
    program.unlink()
    for form in ("--csv", "--json", "--details"):
        t.equal(t.wick("symbols", recording, form, env=plain()).returncode, 0, form)
    came = row(t, recording, "app")
    t.equal((came["unwind"], came["fix"]), ("", ""), "the row")


def inlined(t, *flags):
    """A program whose functions are inlined ones, in a folder of its own, and a recording of it."""
    tap.need("cc")
    source = pathlib.Path(__file__).resolve().parent / "inlined.c"
    tap.run("cc", "-O2", "-g", *flags, "-c", source, "-o", "app.o", cwd=t.folder)
    tap.run("cc", "app.o", "-o", "app", cwd=t.folder)
    program = t.folder / "app"
    return program, t.record("--no-embed", "--user-only", "--", program, "300")


def words(t, recording, **options):
    return " ".join(t.wick("symbols", recording, env=plain(), **options).stdout.split())


@tap.case("one whose split file is gone is told which, and where it is looked for")
def _(t):
    program, recording = inlined(t, "-gsplit-dwarf")
    t.equal(row(t, recording, program)["lines"], "all", "lines while it is there")
    (split,) = t.folder.glob("*.dwo")
    split.rename(t.folder / "kept")
    came = row(t, recording, program)
    t.equal((came["lines"], came["lacks"]), ("some", "lines"), "the row")
    t.true(f'put "{split.name}" back' in came["fix"] and
           came["fix"].endswith(f"dwp -e {program} -o {program}.dwp"), came["fix"])
    t.true(f"inlined calls are unknown: the split file {split} is missing"
           in words(t, recording), "the sentence")
    (t.folder / "kept").rename(split)
    t.equal(row(t, recording, program)["lacks"], "", "lacks when it is back")


@tap.case("one whose shared debug information is gone is told of dwz's file")
def _(t):
    tap.need("dwz")
    program, _ = inlined(t)
    shutil.copy(program, t.folder / "other")
    tap.run("dwz", "-m", "shared.dwz", "app", "other", cwd=t.folder)
    recording = t.record("--no-embed", "--user-only", "--", program, "300")
    t.equal(row(t, recording, program)["lacks"], "", "lacks while it is there")
    (t.folder / "shared.dwz").unlink()
    came = row(t, recording, program)
    t.equal((came["lines"], came["lacks"]), ("some", "lines"), "the row")
    t.true('restore "shared.dwz"' in came["fix"], came["fix"])


@tap.case("what the symbol cache knows of a stripped program is not missing")
def _(t):
    tap.need("strip")
    program, recording = recorded(t, lambda program: None)
    cached = plain(WICK_CACHE_DIR=str(t.folder / "cache"))
    t.equal(row(t, recording, program, env=cached)["lacks"], "", "lacks with all in it")
    tap.run("strip", program)
    came = row(t, recording, program, env=cached)
    t.equal((came["names"], came["lines"], came["lacks"]), ("all", "all", ""), "the row")
    kept = f"{program}, from the symbol cache"
    t.equal((came["names_from"], came["lines_from"]), (kept, kept), "where they came from")
    t.equal(row(t, recording, program)["lacks"], "names, lines", "lacks without a cache")


def half_told(t, rough, quiet):
    """A recording of a program with debug information for `rough` and `main`, not for `quiet`."""
    tap.need("cc")
    (t.folder / "with.c").write_text(
        "int quiet(int); int rough(int);\n"
        "int rough(int n) { volatile int x = 0; while (n--) x += n; return x; }\n"
        f"int main(void) {{ for (int i = 0; i < 400; i++) {{ rough({rough}); quiet({quiet}); }}\n"
        "return 0; }\n")
    (t.folder / "without.c").write_text(
        "int quiet(int);\n"
        "int quiet(int n) { volatile int x = 0; while (n--) x += n; return x; }\n")
    tap.run("cc", "-O1", "-g", "-c", "with.c", cwd=t.folder)
    tap.run("cc", "-O1", "-c", "without.c", cwd=t.folder)
    tap.run("cc", "with.o", "without.o", "-o", "app", cwd=t.folder)
    return t.folder / "app", t.record("--no-embed", "--user-only", "--", t.folder / "app")


@tap.case("one with debug information for a few of its functions has some lines")
def _(t):
    program, recording = half_told(t, 400000, 800000)
    came = row(t, recording, program)
    t.equal((came["names"], came["lines"], came["lacks"]), ("all", "some", "lines"), "the row")
    t.true("debug information covers only" in words(t, recording), "the sentence")
    t.true("# rebuild with -g" in came["fix"], "what would fix it")


@tap.case("a main without lines, as rustc writes it, is no loss where its callees have theirs")
def _(t):
    tap.need("cc")
    (t.folder / "with.c").write_text(
        "int work(int); "
        "int work(int n) { volatile int x = 0; while (n--) x += n; return x; }\n")
    (t.folder / "main.c").write_text(
        "int work(int); "
        "int main(void) { for (int i = 0; i < 400; i++) work(1000000); return 0; }\n")
    tap.run("cc", "-O1", "-g", "-c", "with.c", cwd=t.folder)
    tap.run("cc", "-O1", "-c", "main.c", cwd=t.folder)
    tap.run("cc", "with.o", "main.o", "-o", "app", cwd=t.folder)
    program, recording = t.folder / "app", t.record("--no-embed", "--user-only", "--", t.folder / "app")
    came = row(t, recording, program)
    t.equal((came["names"], came["lines"], came["lacks"]), ("all", "all", ""), "the row")


@tap.case("functions that hardly ran do not count, however many addresses of theirs were sampled")
def _(t):
    program, recording = half_told(t, 1000000, 40000)
    came = row(t, recording, program)
    t.equal((came["names"], came["lines"], came["lacks"]), ("all", "all", ""), "the row")


@tap.case("a folder may hold the file by its name, or with its folders")
def _(t):
    program, recording = recorded(t, lambda program: None)
    store = t.folder / "store"
    below = store / str(program.parent)[1:]
    below.mkdir(parents=True)
    program.rename(store / "app")
    folder = ("--symbol-server", store)

    def asked(*words):
        lines = t.wick("symbols", recording, *words, "--json", env=plain()).stdout
        return next(one for one in tap.json.loads(lines)["rows"] if one["path"] == str(program))

    t.equal(asked(*folder)["lacks"], "", "lacks with a file of its name")
    (store / "app").rename(below / "app")
    t.equal(asked(*folder)["lacks"], "", "lacks with a file below its folders")
    shutil.copy(below / "app", program)
    tap.need("strip")
    tap.run("strip", program)
    t.equal(asked(*folder)["lacks"], "", "lacks where a stripped one is in its place")
    shutil.copy(program, below / "app")
    t.equal(asked(*folder)["lacks"], "names, lines", "lacks where both are stripped")


@tap.case("a folder without the file says where it was looked for, and one that is not there so")
def _(t):
    program, recording = recorded(t, lambda program: None)
    program.unlink()
    (t.folder / "store").mkdir()
    said = t.wick("symbols", recording, "--symbol-server", t.folder / "store", env=plain()).stdout
    said = " ".join(said.split())
    t.true("it does not have it as .build-id/" in said and f" or {str(program)[1:]}" in said, said)
    said = t.wick("symbols", recording, "--symbol-server", t.folder / "nowhere",
                  env=plain()).stdout
    t.true("there is no such folder" in " ".join(said.split()), said)


@tap.case("perf's recordings without stacks, and by frame pointers that are not there, are told so")
def _(t):
    tap.need("perf", "cc")
    (t.folder / "burn.c").write_text(
        "__attribute__((noipa)) int deep(int n) "
        "{ volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }\n"
        "__attribute__((noipa)) int mid(int n) { return deep(n) + 1; }\n"
        "int main(void) { int s = 0; for (int i = 0; i < 2000; i++) s += mid(100000); "
        "return s == 1; }\n")
    tap.run("cc", "-O2", "-g", "-fomit-frame-pointer", "burn.c", "-o", "burn", cwd=t.folder)
    told = {}
    for name, flags in ("none", ()), ("pointers", ("-g",)), ("dwarf", ("--call-graph", "dwarf")):
        done = tap.run("perf", "record", "-q", "-e", "cpu-clock:u", *flags, "-o", name, "./burn",
                       cwd=t.folder, check=False)
        if done.returncode:
            raise tap.Skip(f"perf cannot record here: {done.stderr}")
        told[name] = words(t, t.folder / name)
    t.true("; no stacks were recorded; " in told["none"] and
           "no stacks were recorded: who called" in told["none"], told["none"])
    t.true("of user stacks break off early: they were recorded by frame pointers"
           in told["pointers"], told["pointers"])
    t.true("--call-graph dwarf" in told["pointers"], told["pointers"])
    t.true("tacks" not in told["dwarf"].replace("user stacks reach a root", ""), told["dwarf"])


@tap.case("an old Python names none of its functions, a later one only where it is told to")
def _(t):
    for name, is_old in ("python3.11", True), ("libpython3.9.so.1.0", True), ("python3.12", False):
        program = t.folder / name
        shutil.copy(tap.program("live", "burn_30_70"), program)
        recording = t.record("--no-embed", "--user-only", "--", program, "100")
        said = words(t, recording)
        t.equal("Python functions have no names: before 3.12" in said, is_old, name)
        t.equal("Python functions have no names: without -X perf" in said, not is_old, name)


@tap.case("a program of Cargo is mended in its own profile, and what brought the compiler is not")
def _(t):
    tap.need("rustc", "strip")
    (t.folder / "app.rs").write_text(
        "fn main() { let mut x = 0u64; for i in 0..400000000u64 { "
        "unsafe { std::ptr::write_volatile(&mut x, x ^ i); } } println!(\"{x}\"); }\n")
    tap.run("rustc", "-O", "app.rs", "-o", "app", cwd=t.folder)
    tap.run("strip", "app", cwd=t.folder)
    settings = "CARGO_PROFILE_{0}_DEBUG=line-tables-only CARGO_PROFILE_{0}_STRIP=none cargo build "
    for place, fix in (
            ("target/release/app", settings.format("RELEASE") + "--release"),
            ("target/my-own/app", settings.format("MY_OWN") + "--profile my-own"),
            ("target/x/my-own/deps/app", settings.format("MY_OWN") + "--profile my-own"),
            ("bin/app", "# rebuild with debug = \"line-tables-only\" and "
                        "strip = \"none\" in its profile in Cargo.toml"),
            ("toolchain/bin/app", None)):
        program = t.folder / place
        program.parent.mkdir(parents=True)
        shutil.copy(t.folder / "app", program)
        if place == "bin/app":  # as compilers before 1.73 leave it
            tap.run("strip", "-R", ".comment", program)
        folder = program.parent.parent if program.parent.name == "deps" else program.parent
        if "target" in place:
            (folder / ".cargo-lock").touch()
        if fix is None:
            (folder.parent / "lib/rustlib").mkdir(parents=True)
        came = row(t, t.record("--no-embed", "--user-only", "--", program), program)
        t.equal(came["lacks"], "names, lines", "lacks")
        t.equal(came["fix"].split("\n")[0], fix or "", place)
        t.equal("and record again" in came["fix"], bool(fix), f"the rest of the words on {place}")


@tap.case("lines of one function in some thousand are none")
def _(t):
    tap.need("gcc")
    count = "for (volatile unsigned long i = 0; i < n; i++);"
    (t.folder / "often.c").write_text(
        "void seldom(unsigned long);\n"
        f"static void often(unsigned long n) {{ {count} }}\n"
        "int main(void) { for (int i = 0; i < 600; i++) { often(4000000); seldom(1500); } }\n")
    (t.folder / "seldom.c").write_text(f"void seldom(unsigned long n) {{ {count} }}\n")
    tap.run("gcc", "-g", "-c", "-o", t.folder / "seldom.o", t.folder / "seldom.c")
    tap.run("gcc", "-o", t.folder / "app", t.folder / "often.c", t.folder / "seldom.o")
    came = row(t, t.record("--no-embed", "--user-only", "-F", "4999", "--", t.folder / "app"), t.folder / "app")
    t.equal((came["lines"], came["lacks"]), ("none", "lines"), "lines")


@tap.case("names that were packed into a recording need no file")
def _(t):
    program, recording = recorded(t, lambda program: None)
    packed = t.folder / "packed.data"
    t.wick("pack", recording, "-o", packed, env=plain())
    program.unlink()
    came = row(t, packed, program)
    t.equal((came["names"], came["lines"], came["lacks"], came["fix"]),
            ("recorded", "recorded", "", ""), "the row")


tap.run_all()
