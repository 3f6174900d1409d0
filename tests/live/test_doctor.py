#!/usr/bin/env python3
"""`wick doctor` on real programs, by root and by an ordinary user."""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

SOURCE = """
#include <stdio.h>
int twice(int x) { return x + x; }
int main(int count, char **words) { printf("%d %s\\n", twice(count), words[0]); return 0; }
"""


def compiled(t, *options, name="app"):
    tap.need("gcc", "objcopy", "strip")
    (t.folder / "app.c").write_text(SOURCE)
    tap.run("gcc", "-O1", "-Wl,--build-id", *options, "-o", name, "app.c", cwd=t.folder)
    return name


def examined(t, *words, **options):
    """The exit code, and grade and sentences of what is said of the program itself."""
    done = t.wick("doctor", "--json", *words, check=False, **options)
    rows = json.loads(done.stdout)["findings"]
    return done.returncode, [row for row in rows if row["about"] == (words or ("Recording",))[0]]


def has(t, rows, grade, words, fix=None):
    for row in rows:
        if row["grade"] == grade and words in row["text"]:
            t.true(fix is None or fix in (row["fix"] or ""), f"{fix!r} is not in {row['fix']!r}")
            return
    raise tap.Failure(f"no {grade} row says {words!r}: {rows}")


@tap.case("a program with debug information is good in every row")
def _(t):
    code, rows = examined(t, compiled(t, "-g"))
    t.equal({row["grade"] for row in rows}, {"good"}, f"grades of {rows}")
    has(t, rows, "good", "has debug information")
    has(t, rows, "good", "build id")
    t.equal(code, 0, "exit code")


@tap.case("instances of a generic function share a name in the older mangling of Rust")
def _(t):
    tap.need("rustc")
    (t.folder / "app.rs").write_text("""
#[inline(never)] fn sum<T: Copy + Into<f64>>(all: &[T]) -> f64 { all.iter().map(|&x| x.into()).sum() }
fn main() { println!("{} {}", sum(&[1f32, 2.0]), sum(&[1u8])); }
""")
    said = {}
    for mangling, more in [("legacy", ["-Z", "unstable-options"]), ("v0", [])]:
        done = tap.run("rustc", "-O", "-C", f"symbol-mangling-version={mangling}", *more, "-o", mangling,
                       "app.rs", cwd=t.folder, check=False, env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
        if done.returncode:
            raise tap.Skip(f"rustc knows no {mangling} mangling")
        said[mangling] = any("symbol-mangling-version=v0" in row["text"] for row in examined(t, mangling)[1])
    t.equal(said, {"legacy": True, "v0": False}, "whether doctor says so")


@tap.case("without debug information there is a warning")
def _(t):
    code, rows = examined(t, compiled(t))
    has(t, rows, "warn", "no debug information", "-g")
    t.equal(code, 0, "exit code")


@tap.case("a stripped program of a package is mended by the package, as `wick symbols` says it")
def _(t):
    if not os.access("/usr/bin/dpkg", os.X_OK):
        raise tap.Skip("this is no Debian")
    name = compiled(t, "-s")
    tools = t.folder / "tools"
    tools.mkdir()
    (tools / "dpkg").write_text(f"#!/bin/sh\necho 'shop-minimal: {t.folder.resolve()}/{name}'\n")
    (tools / "apt-cache").write_text("#!/bin/sh\necho shop-dbg\n")
    for tool in tools.iterdir():
        tool.chmod(0o755)
    env = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    has(t, examined(t, name, env=env)[1], "bad", "stripped:", "sudo apt install shop-dbg")


@tap.case("a stripped program is a problem")
def _(t):
    code, rows = examined(t, compiled(t, "-s"))
    has(t, rows, "bad", "stripped: its functions have no names")
    t.equal(code, 1, "exit code")


@tap.case("a debug file is found beside the program, missed when it is gone, and refused when it "
          "is another's")
def _(t):
    name = compiled(t, "-g")
    tap.run("objcopy", "--only-keep-debug", name, "app.debug", cwd=t.folder)
    tap.run("strip", name, cwd=t.folder)
    tap.run("objcopy", "--add-gnu-debuglink=app.debug", name, cwd=t.folder)
    code, rows = examined(t, name)
    has(t, rows, "good", "debug file: ")
    has(t, rows, "good", "stripped, but its debug file has the names")
    has(t, rows, "good", "has debug information")
    t.equal(code, 0, "exit code with the debug file")

    (t.folder / "elsewhere").mkdir()
    (t.folder / "app.debug").rename(t.folder / "elsewhere/app.debug")
    code, rows = examined(t, name)
    has(t, rows, "bad", "in its debug file app.debug", "app.debug")
    t.equal(code, 1, "exit code without it")
    done = t.wick("doctor", "--debug-dir", "elsewhere", name, check=False)
    t.equal(done.returncode, 0, "exit code with its folder named")
    done = t.wick("doctor", "--debug-dir", "nowhere", name, check=False)
    t.true("in or below nowhere or" in " ".join(done.stdout.split()),
           "all folders that were searched are named")

    compiled(t, "-g", "-DOTHER", "-O2", name="other")
    tap.run("objcopy", "--only-keep-debug", "other", "app.debug", cwd=t.folder)
    code, rows = examined(t, name)
    has(t, rows, "bad", "is of another build")
    t.equal(code, 1, "exit code with another's")


@tap.case("debug files of --debug-dir, by build id")
def _(t):
    name = compiled(t, "-g")
    notes = tap.run("readelf", "-n", name, cwd=t.folder).stdout
    build_id = notes.split("Build ID:")[1].split()[0]
    place = t.folder / "debug/.build-id" / build_id[:2]
    place.mkdir(parents=True)
    tap.run("objcopy", "--only-keep-debug", name, place / (build_id[2:] + ".debug"), cwd=t.folder)
    tap.run("strip", name, cwd=t.folder)
    t.equal(examined(t, name)[0], 1, "exit code without --debug-dir")
    done = t.wick("doctor", "--debug-dir", t.folder / "debug", name, check=False)
    t.equal(done.returncode, 0, done.stdout)


@tap.case("split debug information: packed, loose and lost")
def _(t):
    name = compiled(t, "-g", "-gsplit-dwarf")
    code, rows = examined(t, name)
    has(t, rows, "warn", ".dwo files, which must not be moved", "dwp -e")
    t.equal(code, 0, "exit code")
    for loose in t.folder.glob("*.dwo"):
        loose.unlink()
    has(t, examined(t, name)[1], "warn", "0 of 1 .dwo files found", 'put "app.dwo" back')
    (t.folder / "app.dwp").write_bytes(b"packed")
    has(t, examined(t, name)[1], "good", "packed in")


@tap.case("functions without unwind tables")
def _(t):
    options = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
    _, rows = examined(t, compiled(t, *options, "-fno-omit-frame-pointer"))
    has(t, rows, "warn", "unwound by frame pointers", "-fasynchronous-unwind-tables")
    _, rows = examined(t, compiled(t, *options, "-fomit-frame-pointer", "-O2"))
    has(t, rows, "warn", "neither unwind tables nor frame pointers")


@tap.case("no build id")
def _(t):
    _, rows = examined(t, compiled(t, "-Wl,--build-id=none"))
    has(t, rows, "warn", "no build id", "--build-id")


@tap.case("a file that may not be run")
def _(t):
    name = compiled(t, "-g")
    (t.folder / name).chmod(0o644)
    code, rows = examined(t, name)
    has(t, rows, "bad", "is not executable", "chmod +x")
    t.equal(code, 1, "exit code")


@tap.case("a program of another machine")
def _(t):
    name = compiled(t)
    whole = bytearray((t.folder / name).read_bytes())
    whole[18:20] = b"\xf3\x00"  # RISC-V
    (t.folder / name).write_bytes(whole)
    code, rows = examined(t, name)
    has(t, rows, "bad", "another machine")
    t.equal(code, 1, "exit code")


@tap.case("a program found by its name in PATH")
def _(t):
    done = t.wick("doctor", "true", check=False)
    t.true(f"\n{shutil.which('true')}\n" in done.stdout, done.stdout)


def by_nobody(t, *words):
    """`wick doctor` as an ordinary user, from a copy that this user can read."""
    if os.geteuid() != 0:
        raise tap.Skip("only root can become another user")
    copy = t.folder / "wick"
    shutil.copy(tap.WICK, copy)
    t.folder.chmod(0o777)
    copy.chmod(0o755)
    return tap.run(copy, "doctor", *words, cwd=t.folder, check=False, user="nobody", group="nogroup",
                   extra_groups=[])


def paranoid():
    return int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())


@tap.case("doctor shows an ordinary user what the settings allow")
def _(t):
    done = by_nobody(t)
    level = paranoid()
    if level > 2:
        t.true("this user cannot record anything" in done.stdout, done.stdout)
        t.equal(done.returncode, 1, "exit code")
    else:
        t.true(f"this user can record programs (kernel.perf_event_paranoid is {level})" in
               done.stdout, done.stdout)
        t.equal(done.returncode, 0, done.stdout)
    if level > 0:
        t.true("sudo sysctl kernel.perf_event_paranoid=" in done.stdout, done.stdout)


@tap.case("doctor shows which heaps and memory calls can be recorded")
def _(t):
    library = t.wick("doctor", "--heap-library").stdout.strip()
    _, rows = examined(t)
    has(t, rows, "good", f"heaps can be recorded (--heap), by {library}")
    if os.geteuid() != 0:
        return
    has(t, rows, "good", "heaps of running programs can be recorded (--heap -p)")
    if pathlib.Path("/sys/kernel/tracing/uprobe_events").exists():
        has(t, rows, "good", "heaps of static programs")
        has(t, rows, "good", "recorded by tracepoints (--memory)")
    alone = by_nobody(t, "--json").stdout
    rows = json.loads(alone)["findings"]
    has(t, rows, "warn", "heaps cannot be recorded (--heap): libwick-heap.so is neither")
    has(t, rows, "warn", "heaps of static programs cannot be recorded", "sudo wick record")
    has(t, rows, "warn", "calls that map memory cannot be recorded (--memory)", "sudo wick")
    shutil.copy(library, t.folder)
    (t.folder / pathlib.Path(library).name).chmod(0o755)
    rows = json.loads(by_nobody(t, "--json").stdout)["findings"]
    has(t, rows, "good", "heaps can be recorded (--heap), by")
    has(t, rows, "warn", "recorded by the heap library (--memory)", "sudo wick")


@tap.case("a set-user-id program is root's to record")
def _(t):
    name = compiled(t, "-g")
    (t.folder / name).chmod(0o4755)
    done = by_nobody(t, name)
    t.equal(done.returncode, 1, "exit code of nobody")
    t.true("sudo wick flame --" in done.stdout, done.stdout)
    t.equal(t.wick("doctor", name, check=False).returncode, 0, "exit code of root")


@tap.case("a folder that cannot be written to is a problem")
def _(t):
    if os.geteuid() != 0:
        raise tap.Skip("only root can become another user")
    by_nobody(t)
    t.folder.chmod(0o755)
    done = tap.run(t.folder / "wick", "doctor", cwd=t.folder, check=False, user="nobody",
                   group="nogroup", extra_groups=[])
    t.true("this folder is not writable" in done.stdout, done.stdout)
    t.equal(done.returncode, 1, "exit code")


tap.run_all(needs_recording=False)
