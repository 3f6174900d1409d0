#!/usr/bin/env python3
"""What `wick symbols` says of programs that lack something, and what would mend it."""
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
    return program, t.record("--user-only", "--", program, "300")


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
    t.equal((came["names"], came["lines"], came["unwind"], came["lacks"], came["mend"]),
            ("all", "yes", "eh_frame", "", ""), "the row")


@tap.case("one without debug information lacks lines, and is to be built with -g")
def _(t):
    program, recording = recorded(t, strip("--strip-debug"))
    came = row(t, recording, program)
    t.equal((came["names"], came["lines"], came["lacks"]), ("all", "none", "lines"), "the row")
    t.equal(came["mend"], "# build it again with -g", "mend")


@tap.case("a stripped one lacks names, too")
def _(t):
    program, recording = recorded(t, strip())
    came = row(t, recording, program)
    t.equal(came["lacks"], "names, lines", "lacks")
    t.true("nor run strip on it" in came["mend"], came["mend"])
    text = t.wick("symbols", recording, env=plain()).stdout
    t.true("lacks names, lines: only exported names from" in " ".join(text.split()), text)


@tap.case("one that is gone may be had from a server")
def _(t):
    program, recording = recorded(t, lambda program: None)
    program.unlink()
    came = row(t, recording, program)
    t.equal(came["lacks"], "file, lines" if came["names"] == "recorded" else "file, names, lines",
            "lacks")
    t.equal(came["mend"], f"wick symbols '{recording}' --symbol-server URL   # of a server that "
            "has it", "mend")
    came = row(t, recording, program, env=plain(DEBUGINFOD_URLS="http://127.0.0.1:1"))
    t.equal(came["mend"], f"wick symbols '{recording}' --debuginfod", "mend")


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
    for package, known, mend in (
            ("shop:amd64", "shop-dbg shop-dbgsym", "sudo apt install shop-dbg"),
            ("shop3-minimal", "shop3-dbg", "sudo apt install shop3-dbg"),
            ("shop, shop-too", "shop-dbgsym", "sudo apt install shop-dbgsym"),
            ("shop", "other-dbgsym", None)):
        came = row(t, recording, program, env=package_tools(t, package, known))["mend"]
        if mend:
            t.equal(came, mend, "mend")
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
    t.equal((came["unwind"], came["mend"]), ("", ""), "the row")


tap.run_all()
