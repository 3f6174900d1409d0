#!/usr/bin/env python3
"""Record, edit, rebuild, compare: do both recordings keep their names, lines and inlined calls?"""
import csv
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

SOURCE = """
static volatile unsigned long sink;
static inline unsigned long mix(unsigned long x) { return x * 6364136223846793005ul + (x >> 7); }
static inline unsigned long twice(unsigned long x) { return mix(mix(x)); }
__attribute__((noinline)) unsigned long alpha(long n)
{
	unsigned long x = 1;
	while (n--)
		x = twice(x);
	return x;
}
__attribute__((noinline)) unsigned long beta(long n)
{
	unsigned long x = 3;
	while (n--)
		x = mix(x) / 3;
	return x;
}
int main(void)
{
	for (int i = 0; i < 100; i++)
		sink = alpha(ALPHA + sink % 2) + beta(1000000 + sink % 2);
}
"""
FUNCTIONS = {"main", "alpha", "beta", "twice", "mix"}
NOWHERE = os.environ | {"WICK_CACHE_DIR": ""}


def build(t, alpha, *options):
    """Another build at the same path, as a compiler leaves it: in place, with new code before it."""
    more = f"int added_{alpha}(int x) {{ return x + {alpha}; }}\n" * (alpha > 1000000)
    (t.folder / "app.c").write_text(more + SOURCE.replace("ALPHA", str(alpha)))
    tap.run("cc", "-O2", "-g", *options, "app.c", "-o", "app", cwd=t.folder)


def stacks(t, recording, env=NOWHERE):
    return sorted(t.wick("fold", "-q", recording, env=env).stdout.splitlines())


def compare(t, *options):
    tap.need("cc")
    first = []
    for alpha in (500000, 1500000, 2500000):
        build(t, alpha, *options)
        t.wick("record", "-q", "--user-only", "--", "./app", env=NOWHERE)
        first.append(stacks(t, "wick.data"))
        found = {name for line in first[-1] for name in line.rpartition(" ")[0].split(";")}
        t.true(FUNCTIONS <= found, f"expected {FUNCTIONS} when it was recorded, came {found}")
    t.equal(stacks(t, "wick.data.old"), first[1], "stacks of the earlier build")
    for without in (None, t.folder / "app"):
        if without:
            without.unlink()
        both = t.wick("diff", "-q", "--to", "folded", env=NOWHERE).stdout.splitlines()
        lines = [line.rsplit(" ", 2) for line in both]
        for side, expected in ((1, first[1]), (2, first[2])):
            came = sorted(f"{line[0]} {line[side]}" for line in lines if line[side] != "0")
            t.equal(came, expected, f"stacks of side {side}")


@tap.case("two rebuilds later, every frame that was named has its name on both sides")
def _(t):
    compare(t)


@tap.case("the same without build ids")
def _(t):
    compare(t, "-Wl,--build-id=none")


@tap.case("without an id or embedded names, a rebuilt file gives none, and a copy gives all")
def _(t):
    tap.need("cc")
    build(t, 500000, "-Wl,--build-id=none")
    t.wick("record", "-q", "--no-embed", "--", "./app", env=NOWHERE)
    first = stacks(t, "wick.data")
    t.true(any("alpha;twice;mix" in line for line in first), f"first look: {first}")
    app, kept = t.folder / "app", t.folder / "kept"
    shutil.copy2(app, kept)  # with its time
    app.unlink()
    build(t, 1500000, "-Wl,--build-id=none")
    came = stacks(t, "wick.data")
    t.true(not any("alpha" in line for line in came), f"names of another build: {came}")
    said = " ".join(t.wick("symbols", "wick.data", env=NOWHERE, check=False).stdout.split())
    t.true("app was written to after it was recorded" in said, said)
    kept.rename(app)
    t.equal(stacks(t, "wick.data"), first, "stacks with a copy in its place")


@tap.case("the symbol cache alone names a program that was rebuilt, and one that was deleted")
def _(t):
    tap.need("cc")
    cache = os.environ | {"WICK_CACHE_DIR": str(t.folder / "cache")}
    build(t, 500000)
    t.wick("record", "-q", "--no-embed", "--user-only", "--", "./app", env=cache)
    first = stacks(t, "wick.data", env=cache)
    t.true(any("alpha;twice;mix" in line for line in first), f"first look: {first}")
    build(t, 1500000)
    t.equal(stacks(t, "wick.data", env=cache), first, "stacks after a rebuild")
    (t.folder / "app").unlink()
    t.equal(stacks(t, "wick.data", env=cache), first, "stacks without the program")
    said = t.wick("symbols", "wick.data", "--details", env=cache).stdout
    t.true("nothing is missing" in said or "missing" not in said.split("libc")[0], said)
    t.true(any("app+0x" in line for line in stacks(t, "wick.data")),
           "without the cache it still has names: is the program really gone?")


@tap.case("programs in /dev/shm are files")
def _(t):
    tap.need("cc")
    build(t, 500000)
    place = pathlib.Path("/dev/shm") / f"wick-test-{os.getpid()}"
    try:
        place.write_bytes((t.folder / "app").read_bytes())
        place.chmod(0o755)
    except OSError as error:
        raise tap.Skip(f"/dev/shm cannot hold a program: {error}")
    try:
        t.wick("record", "-q", "--no-embed", "--user-only", "--", place, env=NOWHERE)
        t.true(any("alpha;twice;mix" in line for line in stacks(t, "wick.data")), "no names")
        said = t.wick("show", "wick.data").stdout
        t.true("100.0 % of user stacks reach a root" in said, said)
    finally:
        place.unlink()


# Nearly all samples are in the lambdas: without one, the line of a lambda is not known.
LAMBDAS = """
template <typename F> __attribute__((noinline)) double apply(F f, long n)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		sum += f(i);
	return sum;
}
int main()
{
ADDED	auto first = [](double x) { for (int i = 1; i < 9; i++) x = i + x / (x + i); return x; };
	auto second = [](double x) { for (int i = 2; i < 9; i++) x = 3 + x / (x + i); return x; };
	auto third = [](double x) { for (int i = 3; i < 9; i++) x = i + 7 / (x + i); return x; };
	return apply(first, 4000000) + apply(second, 5000000) + apply(third, 6000000) > 1e300;
}
"""


@tap.case("lambdas below a line that was added are the same ones in tables and pictures")
def _(t):
    tap.need("c++")
    for added in ("", "\t/* more */\n"):
        (t.folder / "app.cpp").write_text(LAMBDAS.replace("ADDED", added))
        tap.run("c++", "-O2", "-g", "app.cpp", "-o", "app", cwd=t.folder)
        t.wick("record", "-q", "--user-only", "--", "./app", env=NOWHERE)
    sides = {}
    for line in t.wick("diff", "-q", "--to", "folded", env=NOWHERE).stdout.splitlines():
        stack, before, after = line.rsplit(" ", 2)
        for name in stack.split(";"):
            if "lambda" in name:
                sums = sides.setdefault(name, [0, 0])
                sums[0] += int(before)
                sums[1] += int(after)
    t.true(len(sides) >= 3 and all(min(sums) > 0 for sums in sides.values()), f"sides: {sides}")
    t.true(not any("#" in name for name in sides), f"numbers: {list(sides)}")
    rows = csv.DictReader(t.wick("diff", "-q", "--all", "--csv", env=NOWHERE).stdout.splitlines())
    rows = [row for row in rows if "lambda" in row["function"]]
    totals = [int(row[key]) for row in rows for key in row if key.startswith("total_")
              and "change" not in key]
    t.true(len(rows) >= 3 and min(totals) > 0, f"lambdas on one side of the table: {rows}")


tap.run_all()
