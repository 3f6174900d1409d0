"""What test scripts share: TAP, wick, programs to look at. A script defines cases and ends with
tap.run_all():

    @tap.case("two threads are two rows")
    def _(t):
        rows = t.csv("show", recording, "threads")
        t.equal(len(rows), 2, "threads")

A case that raises tap.Skip is skipped with its reason; any other exception fails it.
"""
import collections
import csv
import glob
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("WICK_BUILD_ROOT", ROOT / "build"))
WICK = os.environ.get("WICK", str(BUILD / "wick"))
# What one run keeps must not be what the next one is tested with: neither wick's cache, nor the
# copies of programs that `perf record` leaves in ~/.debug, where wick looks as well.
os.environ.setdefault("WICK_CACHE_DIR", "")
_home = tempfile.TemporaryDirectory(prefix="wick-home-")
for _variable, _folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"),
                           ("PYENV_ROOT", ".pyenv")):
    if (pathlib.Path.home() / _folder).is_dir():
        os.environ.setdefault(_variable, str(pathlib.Path.home() / _folder))
os.environ["HOME"] = _home.name
SHARED = pathlib.Path(os.environ.get("WICK_SHARED", ROOT / ".." / "shared"))

# A shell starts what goes to the background with Ctrl-C ignored, and whatever is started here would
# inherit that, wick among it.
signal.signal(signal.SIGINT, signal.default_int_handler)

_cases = []


class Skip(Exception):
    """Why a case cannot be run here."""


class Failure(Exception):
    """What was expected and what came."""


def case(title):
    def keep(function):
        _cases.append((title, function))
        return function
    return keep


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")


def _state(pid):
    """What a process waits for, as far as the system says it."""
    found = []
    for name in "wchan", "syscall", "stat":
        try:
            found.append(f"{name} {pathlib.Path(f'/proc/{pid}/{name}').read_text().strip()}")
        except OSError as fault:
            found.append(f"{name}: {fault.strerror}")
    return "; ".join(found)


def _communicate(process, seconds):
    """Its output once it has ended; None if it does not end. Second by second: a machine that stands
    still for minutes, as virtual ones may, takes one of them away."""
    for _ in range(seconds):
        try:
            return process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            continue
    return None


def run(*words, check=True, seconds=120, input=None, **options):
    """The finished process, its output as text; `input` is what it reads. With `check`, a failure fails the case. What
    does not end in time is ended with all that it started."""
    words = [str(word) for word in words]
    options = {"stdin": subprocess.DEVNULL} | options
    with tempfile.TemporaryFile() as given:
        if input is not None:
            given.write(input.encode())
            given.seek(0)
            options["stdin"] = given
        process = subprocess.Popen(words, text=True, errors="backslashreplace",
                                   start_new_session=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **options)
    came = _communicate(process, seconds)
    if came is None:
        state = _state(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failure(f"{' '.join(words)}: no end after {seconds} s ({state})")
    out, said = came
    if check and process.returncode:
        raise Failure(f"{' '.join(words)}: exit code {process.returncode}\n"
                      f"{out[-2000:]}{said[-2000:]}")
    return subprocess.CompletedProcess(words, process.returncode, out, said)


class Case:
    """One running case: its own folder, and ways to look and to compare."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def wick(self, *words, **options):
        return run(WICK, *words, cwd=self.folder, **options)

    def csv(self, *words):
        """The rows of `wick show ... --csv` as dictionaries."""
        return list(csv.DictReader(io.StringIO(self.wick(*words, "--csv").stdout)))

    def percents(self, *words, column="total_percent"):
        """By the functions' names. Several may have one name (`_start` of the program and of the
        loader, code that was made at run time and what made it): theirs are added up."""
        sums = collections.Counter()
        for row in self.csv("show", *words, "functions"):
            sums[row["function"]] += float(row[column])
        return dict(sums)

    def json(self, *words):
        return json.loads(self.wick(*words, "--json").stdout)

    def share_of_whole_stacks(self, recording):
        """Percent of the user stacks that reach a root."""
        quality = self.json("show", recording)["quality"]
        self.true(quality["user_stacks"] > 0, "expected samples with user stacks")
        return 100 * quality["user_stacks_reaching_root"] / quality["user_stacks"]

    def record(self, *words, name="wick.data", **options):
        """Records, and returns the path of the recording."""
        self.wick("record", "-q", "-o", name, *words, **options)
        return self.folder / name

    def equal(self, came, expected, what):
        if came != expected:
            raise Failure(f"{what}: expected {expected!r}, came {came!r}")

    def within(self, came, low, high, what):
        if not low <= came <= high:
            raise Failure(f"{what}: expected {low} to {high}, came {came}")

    def true(self, claim, sentence):
        if not claim:
            raise Failure(sentence)


def perf_python(least, option):
    """A Python of 3.`least` or later, wherever there is one."""
    names = ["python3"] + [f"python3.{minor}" for minor in range(12, 20)]
    paths = [path for path in map(shutil.which, names) if path]
    paths += sorted(glob.glob(os.environ.get("PYENV_ROOT", "") + "/versions/3.1[2-9]*/bin/python3"))
    for path in paths:
        ask = f"import sys; sys.exit(sys.version_info < (3, {least}))"
        if run(path, "-X", option, "-c", ask, check=False).returncode == 0:
            return path
    raise Skip(f"no python of 3.{least} or later here, which knows -X {option}")


def program(suite, name):
    """A program that the build made for the tests of a suite."""
    path = BUILD / "tests" / suite / name
    if not path.exists():
        raise Skip(f"{path.name} was not built")
    return path


def _recording_fails():
    with tempfile.TemporaryDirectory(prefix="wick-live-") as folder:
        done = subprocess.run([WICK, "record", "-q", "-o", folder + "/probe", "--", "true"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stderr.strip() if done.returncode else ""


def _one(function):
    with tempfile.TemporaryDirectory(prefix="wick-live-") as folder:
        try:
            function(Case(folder))
        except Skip as reason:
            return True, str(reason), ""
        except Failure as failure:
            return False, None, str(failure)
        except Exception:  # pylint: disable=broad-except
            return False, None, traceback.format_exc()
    return True, None, ""


def run_all(needs_recording=True):
    """Runs the cases, or those whose titles contain the words given, and exits."""
    wanted = [case for case in _cases
              if not sys.argv[1:] or any(word in case[0] for word in sys.argv[1:])]
    fault = _recording_fails() if needs_recording else ""
    if fault:
        print(f"1..0 # SKIP this machine does not let wick record: {fault}")
        sys.exit(0)
    print(f"1..{len(wanted)}")
    failed = False
    for number, (title, function) in enumerate(wanted, 1):
        ok, reason, words = _one(function)
        failed = failed or not ok
        print(f"{'' if ok else 'not '}ok {number} - {title}" + (f" # SKIP {reason}" if reason else ""))
        for line in words.splitlines():
            print("# " + line)
        if not ok:
            print(f"# run alone: {os.path.relpath(sys.argv[0], ROOT)} '{title}'")
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
