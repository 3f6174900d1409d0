#!/usr/bin/env python3
"""Ctrl-C at any moment of a recording's first milliseconds: is what was recorded before still there?

What is there in the end is looked at, not when: a machine that is busy passes as one that is not."""
import collections
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

BEFORE = (tap.ROOT / "tests/data/shop.data").read_bytes()
KEPT_BACK = "nothing was kept; wick.data is as it was before"
NOT_KEPT = "wick.data is still the earlier recording; this one was not kept"  # it has no samples


def content(path):
    return path.read_bytes() if path.exists() else None


def prepare(t):
    (t.folder / "wick.data").write_bytes(BEFORE)
    (t.folder / "wick.data.old").unlink(missing_ok=True)


def state(t, when):
    """Which of the two that are right is there: nothing was touched, or there is a new recording and
    the one before has its other name."""
    data, old = (content(t.folder / name) for name in ("wick.data", "wick.data.old"))
    if data == BEFORE and old is None:
        return "before"
    t.true(old == BEFORE, f"{when}: the recording from before is lost")
    t.true(data, f"{when}: wick.data is {'missing' if data is None else 'empty'}")
    t.wick("dump", "wick.data")
    return "new"


def strace(t, *options):
    prepare(t)
    return tap.run("strace", "-qq", "-o", t.folder / "calls", *options, tap.WICK, "record", "--",
                   "true", cwd=t.folder, check=False)


def moments(t):
    """Each system call of a whole recording: its line, and the words that let strace send a signal
    with it."""
    seen = collections.Counter()
    found = []
    for line in (t.folder / "calls").read_text().splitlines():
        name, call, _ = line.partition("(")
        if not call or line.startswith("---"):
            continue
        seen[name] += 1
        found.append((line, f"inject={name}:signal=SIG%s:when={seen[name]}"))
    return found


def number_of(found, beginning):
    return next(i for i, (line, _) in enumerate(found) if line.startswith(beginning))


def traced(t):
    tap.need("strace")
    if strace(t).returncode:
        raise tap.Skip("strace cannot follow a program here")
    return moments(t)


@tap.case("a signal at each system call from before the first touch of the old recording on")
def _(t):
    found = traced(t)
    outcomes = collections.Counter()
    for line, words in found[number_of(found, "rename(") - 6:number_of(found, "sendto(") + 4]:
        for name in "INT", "TERM":
            done = strace(t, "-e", words % name)
            when = f"SIG{name} at {line}"
            number = signal.Signals[f"SIG{name}"].value
            there = state(t, when)
            outcomes[name, there] += 1
            # Before the command runs, or where it was ended by it, or where it had ended already.
            t.true(done.returncode in (-number, 128 + number) or there == "new" or
                   NOT_KEPT in done.stderr, f"{when}: exit code {done.returncode}: {done.stderr}")
            if there == "before" and done.returncode > 0:
                t.equal(done.stderr.count(KEPT_BACK) + done.stderr.count(NOT_KEPT), 1,
                        f"{when}: {done.stderr}")
    for name in "INT", "TERM":
        t.true(outcomes[name, "before"] > 20, f"signals that came before the command: {outcomes}")


@tap.case("Ctrl-C at a hundred random moments of the first milliseconds")
def _(t):
    for _ in range(100):
        prepare(t)
        process = subprocess.Popen([tap.WICK, "record", "--", "sleep", "60"], cwd=t.folder, text=True,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   start_new_session=True)
        signal.sigtimedwait([], random.uniform(0, 0.012))
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate()[1]
        found = state(t, "Ctrl-C")
        t.true(process.returncode == 130 or (process.returncode == -signal.SIGINT and
                                             found == "before"),
               f"exit code {process.returncode}: {said}")
        if found == "before" and process.returncode == 130:
            t.equal(len(re.findall(f"^wick: .*(?:{KEPT_BACK}|{NOT_KEPT})", said, re.M)), 1,
                    f"sentences: {said}")


@tap.case("without a recording from before no file is left")
def _(t):
    found = traced(t)
    (t.folder / "wick.data").unlink()
    (t.folder / "wick.data.old").unlink()
    # The one that makes the file.
    words = next(words for line, words in found if '"wick.data", O_RDWR' in line)
    done = tap.run("strace", "-qq", "-o", "calls", "-e", words % "INT", tap.WICK, "record", "--",
                   "true", cwd=t.folder, check=False)
    t.equal(done.returncode, 130, "exit code")
    t.true("nothing was kept, and there is no wick.data; the command was not run" in done.stderr,
           done.stderr)
    t.equal(os.listdir(t.folder), ["calls"], "files")


@tap.case("a command that only its exec finds not to be runnable leaves the files as they were")
def _(t):
    prepare(t)
    script = t.folder / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    done = t.wick("record", "--", "./script", check=False)
    t.equal(done.returncode, 126, "exit code")
    t.true(KEPT_BACK in done.stderr, done.stderr)
    t.equal(state(t, "exec"), "before", "what is there")


tap.run_all()
