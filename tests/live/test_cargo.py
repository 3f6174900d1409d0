#!/usr/bin/env python3
"""`cargo wick` on a workspace made here: is the right program built, run and drawn?"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

# A function with a name of its own that takes a while, and says what it computed.
BURN = """
#[inline(never)]
pub fn %s() -> u64 {
    let mut x = 1u64;
    let start = std::time::Instant::now();
    while start.elapsed().as_millis() < 300 {
        for i in 0..100_000u64 {
            x = unsafe { std::ptr::read_volatile(&x) }.wrapping_mul(6364136223846793005).wrapping_add(i);
        }
    }
    x
}
"""

FILES = {
    "Cargo.toml": """
[workspace]
members = ["app", "many", "chosen", "lone", "derive"]
resolver = "2"

[profile.profiling]
inherits = "release"
debug = true

[profile.bare]
inherits = "release"
strip = true
""",
    "app/Cargo.toml": """
[package]
name = "app"
version = "0.1.0"
edition = "2021"

[features]
extra = []

[[bench]]
name = "speed"
harness = false
""",
    "app/src/main.rs": BURN % "burn_in_main" + """
#[cfg(feature = "extra")]
fn feature() { println!("extra is on"); }
#[cfg(not(feature = "extra"))]
fn feature() {}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("words {words:?}");
    feature();
    assert!(burn_in_main() != 0);
    match words.first().map(|word| word.as_str()) {
        Some("panic") => panic!("as asked"),
        Some("seven") => std::process::exit(7),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn unit_of_the_program() { assert!(super::burn_in_main() != 0); }
}
""",
    "app/src/lib.rs": BURN % "burn_in_library" + """
#[cfg(test)]
mod tests {
    #[test]
    fn unit_of_the_library() { assert!(super::burn_in_library() != 0); }
}
""",
    "app/examples/show.rs": BURN % "burn_in_example" + "fn main() { assert!(burn_in_example() != 0); }",
    "app/tests/whole.rs": BURN % "burn_in_test" + """
#[test]
fn finds_its_files() {
    assert!(std::path::Path::new("tests/whole.rs").exists());
    assert!(burn_in_test() != 0);
}
""",
    "app/benches/speed.rs": BURN % "burn_in_bench" + """
fn main() {
    println!("words {:?}", std::env::args().skip(1).collect::<Vec<_>>());
    assert!(burn_in_bench() != 0);
}
""",
    "many/Cargo.toml": '[package]\nname = "many"\nversion = "0.1.0"\nedition = "2021"\n',
    "many/src/bin/one.rs": "fn main() {}",
    "many/src/bin/two.rs": "fn main() {}",
    "many/examples/app.rs": "fn main() {}",
    "chosen/Cargo.toml": '[package]\nname = "chosen"\nversion = "0.1.0"\nedition = "2021"\n'
                         'default-run = "right"\n',
    "chosen/src/bin/right.rs": BURN % "burn_in_default" + "fn main() { assert!(burn_in_default() != 0); }",
    "chosen/src/bin/wrong.rs": "fn main() {}",
    "lone/Cargo.toml": '[package]\nname = "lone"\nversion = "0.1.0"\nedition = "2021"\n',
    "lone/src/lib.rs": "",
    "derive/Cargo.toml": '[package]\nname = "derive"\nversion = "0.1.0"\nedition = "2021"\n'
                         '[lib]\nproc-macro = true\n',
    "derive/src/lib.rs": BURN.replace("pub fn", "fn") % "burn_in_macro" + "#[test]\nfn one() { assert!(burn_in_macro() != 0); }\n",
}


class Project:
    """The workspace, and `cargo wick` in it: found by cargo through PATH, without a network."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.root = self.folder / "work"
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "cargo-wick").symlink_to(os.path.abspath(tap.WICK))
        self.bin = bin_folder
        self.environment = os.environ | {
            "PATH": f"{bin_folder}:{os.environ['PATH']}", "CARGO_NET_OFFLINE": "true",
            "CARGO_TARGET_DIR": str(self.folder / "target"), "RUST_BACKTRACE": "0"}
        for name in [name for name in self.environment if name.startswith("CARGO_PROFILE_")]:
            del self.environment[name]

    def cargo(self, *words, at="app", **variables):
        return tap.run("cargo", "wick", *words, cwd=self.root / at, check=False, seconds=300,
                       env=self.environment | variables)

    def touch(self, name):
        """Built again by the next that needs it."""
        (self.root / name).touch()

    def picture(self, at="app", name="flamegraph.svg"):
        return (self.root / at / name).read_text()


_project = []


def project():
    """Made once: building is what takes time."""
    tap.need("cargo")
    if not _project:
        keep = tempfile.TemporaryDirectory(prefix="wick-cargo-")
        _project.append((Project(keep.name), keep))
    one = _project[0][0]
    for old in one.root.glob("**/*.svg"):
        old.unlink()
    for old in one.root.glob("**/wick.data*"):
        old.unlink()
    return one


def drawn(t, done, project_, function, at="app", exit_code=0, name="flamegraph.svg"):
    t.equal(done.returncode, exit_code, f"exit code, with {done.stderr[-1500:]}")
    t.true(function in project_.picture(at, name), f"{function} is not in the picture: {done.stderr}")


@tap.case("the only program of a package is built and drawn")
def _(t):
    p = project()
    done = p.cargo("--", "several", "words of its own")
    drawn(t, done, p, "burn_in_main")
    t.true('words ["several", "words of its own"]' in done.stdout, done.stdout)
    t.true("samples in" in done.stderr, done.stderr)


@tap.case("missing debug information is told with the two lines that bring it")
def _(t):
    p = project()
    p.touch("app/src/main.rs")
    done = p.cargo()
    told = [line for line in done.stderr.splitlines() if "no debug information" in line]
    t.equal(len(told), 1, f"lines that tell it, of {done.stderr}")
    lines = f"{p.root}/Cargo.toml:\n    [profile.release]\n    debug = true\nwick: "
    t.true(lines in done.stderr, done.stderr)
    again = p.cargo().stderr
    t.true("[profile" not in again, "the lines told again of what was not built again")
    t.true("no debug information (inlined calls and source lines are unknown); use "
           "--with-debug" in again, again)
    p.touch("app/src/main.rs")
    t.equal(p.cargo("-q").stderr, "", "words of a quiet run")


@tap.case("with --with-debug it is there, and nothing is told")
def _(t):
    p = project()
    done = p.cargo("--with-debug", "-v")
    drawn(t, done, p, "burn_in_main")
    t.true("CARGO_PROFILE_RELEASE_DEBUG=true" in done.stderr, done.stderr)
    t.true("[profile" not in done.stderr, done.stderr)
    sections = tap.run("readelf", "-SW", p.folder / "target/release/app").stdout
    t.true(".debug_info" in sections, "no .debug_info in the program")


@tap.case("a profile with debug information has nothing to tell")
def _(t):
    p = project()
    done = p.cargo("--profile", "profiling")
    drawn(t, done, p, "burn_in_main")
    t.true("[profile" not in done.stderr, done.stderr)


@tap.case("a profile that strips is told, and --with-debug brings the names back")
def _(t):
    p = project()
    done = p.cargo("--profile", "bare")
    t.equal(done.returncode, 0, "exit code")
    t.true("stripped" in done.stderr and "strip = true in" in done.stderr, done.stderr)
    t.true('to keep the names in every build, in' in done.stderr, done.stderr)
    t.true('[profile.bare]\n    strip = "none"' in done.stderr, done.stderr)
    t.true("burn_in_main" not in p.picture(), "a stripped program has names")
    done = p.cargo("--profile", "bare", "--with-debug")
    drawn(t, done, p, "burn_in_main")


@tap.case("the dev profile")
def _(t):
    p = project()
    done = p.cargo("--dev", "-v")
    drawn(t, done, p, "burn_in_main")
    t.true("--release" not in done.stderr, done.stderr)


@tap.case("an example")
def _(t):
    p = project()
    drawn(t, p.cargo("--example", "show"), p, "burn_in_example")


@tap.case("an integration test runs in its package's folder")
def _(t):
    p = project()
    done = p.cargo("-p", "app", "--test", "whole", at=".")
    drawn(t, done, p, "burn_in_test", at=".")
    t.true("1 passed" in done.stdout, done.stdout)


@tap.case("unit tests of a library, by name")
def _(t):
    p = project()
    done = p.cargo("--unit-test", "app", "--", "unit_of")
    drawn(t, done, p, "burn_in_library")
    t.true("unit_of_the_library ... ok" in done.stdout, done.stdout)


@tap.case("unit tests without a name, where only one can be meant")
def _(t):
    p = project()
    done = p.cargo("--unit-test", at="lone")
    t.equal(done.returncode, 0, done.stderr)
    t.true("0 passed" in done.stdout, done.stdout)
    done = p.cargo("--unit-test")
    t.equal(done.returncode, 2, "exit code where a library and a program could be meant")
    t.equal(done.stderr.splitlines()[:2],
            [f"    cargo wick --unit-test app --unit-test-kind {kind} -p app" for kind in ("lib", "bin")],
            "what is listed")
    done = p.cargo("--unit-test", "--unit-test-kind", "bin")
    t.true("unit_of_the_program ... ok" in done.stdout, done.stdout + done.stderr)


@tap.case("unit tests of a procedural macro find Rust's shared library")
def _(t):
    p = project()
    done = p.cargo("--unit-test", at="derive")
    drawn(t, done, p, "burn_in_macro", at="derive")
    t.true("1 passed" in done.stdout, done.stdout)


@tap.case("a benchmark gets --bench, as from cargo, and once only")
def _(t):
    p = project()
    p.touch("app/benches/speed.rs")
    done = p.cargo("--bench", "speed")
    drawn(t, done, p, "burn_in_bench")
    t.true('words ["--bench"]' in done.stdout, done.stdout)
    t.true("[profile.bench]" in done.stderr, done.stderr)
    done = p.cargo("--bench", "speed", "--", "--bench", "x")
    t.true('words ["--bench", "x"]' in done.stdout, done.stdout)


@tap.case("features")
def _(t):
    p = project()
    t.true("extra is on" in p.cargo("-f", "extra").stdout, "the feature is not on")
    t.true("extra is on" not in p.cargo("--no-default-features").stdout, "the feature is on")


@tap.case("where several programs could be meant they are listed")
def _(t):
    p = project()
    done = p.cargo(at="many")
    t.equal(done.returncode, 2, "exit code")
    t.equal(done.stderr, "    cargo wick --bin one -p many\n    cargo wick --bin two -p many\n"
            "wick: 2 programs found; choose one of those listed above\n", "words")


@tap.case("the package's default-run is taken")
def _(t):
    p = project()
    drawn(t, p.cargo(at="chosen"), p, "burn_in_default", at="chosen")


@tap.case("from the root of the workspace, a program by its package")
def _(t):
    p = project()
    drawn(t, p.cargo("-p", "app", at="."), p, "burn_in_main", at=".")
    done = p.cargo("-p", "lone", at=".")
    t.equal(done.returncode, 2, "exit code of a package without programs")
    t.equal(done.stderr.splitlines()[0], "    cargo wick --unit-test lone -p lone", "what is listed")
    t.true("no program to run in package lone;" in done.stderr, done.stderr)
    done = p.cargo("-p", "nope", at=".")
    t.true('no package "nope" here' in done.stderr and "--bin" not in done.stderr, done.stderr)


@tap.case("`wick doctor` says of a library what can be profiled")
def _(t):
    p = project()
    said = tap.run(tap.WICK, "doctor", "lone", cwd=p.root, env=p.environment, check=False).stdout
    t.true("no binary; tests, benchmarks and examples can be profiled" in said and "cargo wick --unit-test lone -p lone" in said, said)
    said = tap.run(tap.WICK, "doctor", "many", cwd=p.root, env=p.environment, check=False).stdout
    t.true("2 programs to record" in said, said)


@tap.case("what cannot be written is told before anything is built")
def _(t):
    p = project()
    done = p.cargo("-o", "/nowhere/x.svg")
    t.equal(done.returncode, 1, "exit code")
    t.equal(done.stderr, "wick: cannot write /nowhere/x.svg: No such file or directory\n", "words")
    t.true("words [" not in done.stdout, "the program ran")


@tap.case("words of cargo's own go to cargo")
def _(t):
    p = project()
    done = p.cargo("-r", "--offline", "--all-features", "-j", "1", "--target-dir",
                   p.folder / "elsewhere", "--config", "profile.release.opt-level=1",
                   "--color", "never", "-v")
    drawn(t, done, p, "burn_in_main")
    t.true("extra is on" in done.stdout, done.stdout)
    t.true((p.folder / "elsewhere/release/app").exists(), "the program is not where it was asked for")
    t.true("--offline" in done.stderr and "opt-level=1" in done.stderr, done.stderr)
    t.equal(p.cargo("--target", "no-such-target").returncode, 101, "exit code of cargo's")


@tap.case("options that make no sense are told before anything is built")
def _(t):
    p = project()
    for words in ["-F", "0"], ["--min-width", "x"], ["-e", "no-such-event"], ["-c", "record -F x"]:
        done = p.cargo(*words, at="lone")
        t.equal(done.returncode, 2, f"exit code of {words}")
        t.true(done.stderr.startswith("wick: "), f"{words}: {done.stderr}")


@tap.case("by --manifest-path from elsewhere, to another file")
def _(t):
    p = project()
    done = p.cargo("--manifest-path", p.root / "app/Cargo.toml", "-o", "other.svg", at="lone")
    drawn(t, done, p, "burn_in_main", at="lone", name="other.svg")


@tap.case("a program that panics gets its picture, and its exit code is passed on")
def _(t):
    p = project()
    done = p.cargo("--", "panic")
    drawn(t, done, p, "burn_in_main", exit_code=101)
    t.true("as asked" in done.stderr, done.stderr)
    drawn(t, p.cargo("--ignore-status", "--", "seven"), p, "burn_in_main", exit_code=0)
    drawn(t, p.cargo("--", "seven"), p, "burn_in_main", exit_code=7)


@tap.case("a build that fails: cargo's own words and exit code, and nothing is drawn")
def _(t):
    p = project()
    example = p.root / "app/examples/broken.rs"
    example.write_text("fn main() { let x: u32 = nothing_like_it; }")
    try:
        done = p.cargo("--example", "broken")
    finally:
        example.unlink()
    t.equal(done.returncode, 101, "exit code")
    t.true("error[E0425]" in done.stderr and "could not compile" in done.stderr, done.stderr)
    t.true("wick:" not in done.stderr, done.stderr)
    t.equal(list(p.root.glob("**/*.svg")), [], "pictures")


@tap.case("outside of any project cargo says so itself")
def _(t):
    p = project()
    done = tap.run("cargo", "wick", cwd=p.folder, check=False, env=p.environment)
    t.equal(done.returncode, 101, done.stderr)
    t.true("could not find `Cargo.toml`" in done.stderr, done.stderr)


@tap.case("--cmd in the words of perf: what has a meaning is done, the rest is named")
def _(t):
    p = project()
    done = p.cargo("-c", "record -e cpu-clock -c 2000000 --call-graph lbr -g -z --clockid mono")
    drawn(t, done, p, "burn_in_main")
    t.true("ignored options: -z, -k" in done.stderr and "lbr" in done.stderr, done.stderr)
    system = tap.run(tap.WICK, "show", "wick.data", "system", cwd=p.root / "app").stdout
    t.true(re.search(r"cpu-clock.*2,?000,?000", system), system)
    done = p.cargo("-c", "record -e cpu-clock", "-F", "99")
    t.equal(done.returncode, 2, "exit code of --cmd and --freq together")


@tap.case("--perfdata draws what is there, --post-process changes it before")
def _(t):
    p = project()
    p.cargo()
    done = p.cargo("--perfdata", "wick.data", "--post-process", "sed s/burn_in_main/renamed/",
                   "-o", "again.svg")
    drawn(t, done, p, "renamed", name="again.svg")
    t.true("burn_in_main" not in p.picture(name="again.svg"), "the old name is still there")
    done = p.cargo("--perfdata", "wick.data", "--post-process", "exit 3", "-o", "none.svg")
    t.equal(done.returncode, 1, "exit code of a --post-process that fails")
    t.true("ended with exit code 3" in done.stderr, done.stderr)


@tap.case("a process that already runs")
def _(t):
    p = project()
    p.cargo("--example", "show", "-q")
    done = tap.run("sh", "-c", f"i=0; while [ $i -lt 4 ]; do {p.folder}/target/release/examples/show;"
                   " i=$((i+1)); done & cargo wick --pid $! --duration 0.9; kill $!",
                   cwd=p.root / "app", env=p.environment, check=False)
    t.true("samples in" in done.stderr, done.stderr)
    t.true("burn_in_example" in p.picture(), "its child's function is not in the picture")


# Stand-ins: a cargo that has built already, and a sudo that says what it was asked.
FAKE_CARGO = """#!/bin/sh
case $1 in
metadata) echo '{"packages":[{"name":"app","id":"app","manifest_path":"/x/Cargo.toml","targets":[
	{"kind":["bin"],"name":"app"}]}],"workspace_root":"/x"}' ;;
*) echo '{"reason":"compiler-artifact","manifest_path":"/x/Cargo.toml","target":{"kind":["bin"],
"name":"app"},"profile":{"debuginfo":2,"test":false},"executable":"%s"}' | tr -d '\\n' ;;
esac
"""
FAKE_SUDO = """#!/bin/sh
echo "sudo $*" >sudo.log
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
"""


def with_sudo(t, program, sudo):
    """How a user who is not root runs `cargo wick` with the stand-ins."""
    for name, text in ("cargo", FAKE_CARGO % program), ("sudo", sudo):
        (t.folder / name).write_text(text)
        (t.folder / name).chmod(0o755)
    shutil.copy(tap.WICK, t.folder / "cargo-wick")
    t.folder.chmod(0o777)
    other = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    environment = os.environ | {"PATH": f"{t.folder}:{os.environ['PATH']}",
                                "CARGO": str(t.folder / "cargo")}
    return {"cwd": t.folder, "env": environment, "check": False} | other


@tap.case("--root records through sudo, draws without, and the files stay the user's")
def _(t):
    program = t.folder / "app"
    shutil.copy(tap.program("live", "burn_30_70"), program)
    by_user = with_sudo(t, program, FAKE_SUDO)
    older = (tap.ROOT / "tests/data/shop.data").read_bytes()
    (t.folder / "wick.data").write_bytes(older)
    (t.folder / "wick.data").chmod(0o666)
    done = tap.run(t.folder / "cargo-wick", "wick", "--root=-E -n", "-F", "499", "--", "300",
                   **by_user)
    t.equal(done.returncode, 0, done.stderr)
    t.true("burn_seventy" in (t.folder / "flamegraph.svg").read_text(), "the function is missing")
    t.equal((t.folder / "sudo.log").read_text(),
            f"sudo -E -n {t.folder}/cargo-wick record -o wick.data --freq=499 -- {program} 300\n",
            "what sudo was asked")
    t.equal((t.folder / "wick.data").stat().st_uid, (t.folder / "flamegraph.svg").stat().st_uid,
            "owner of the recording")
    t.true((t.folder / "wick.data.old").read_bytes() == older, "what was there before is lost")


@tap.case("--root passes on what is recorded of the heap")
def _(t):
    by_user = with_sudo(t, "app", FAKE_SUDO.replace('exec "$@"', "exit 1"))
    tap.run(t.folder / "cargo-wick", "wick", "--root", "--heap", "--heap-full=drop", "--heap-symbols",
            "--snapshot-at-exit", "--snapshot-every=5s", "--memory", "--cpu", **by_user)
    t.equal((t.folder / "sudo.log").read_text(),
            f"sudo {t.folder}/cargo-wick record -o wick.data --heap --heap-full drop "
            "--heap-symbols --snapshot-every=5000000000ns --snapshot-at-exit --memory --cpu "
            "-- app\n", "what sudo was asked")


@tap.case("--root leaves what was recorded before where sudo records nothing")
def _(t):
    by_user = with_sudo(t, "app", "#!/bin/sh\nexit 1\n")
    files = sorted(os.listdir(t.folder))
    older = (tap.ROOT / "tests/data/shop.data").read_bytes()
    for before in None, older:
        if before:
            (t.folder / "wick.data").write_bytes(before)
            (t.folder / "wick.data").chmod(0o666)
        done = tap.run(t.folder / "cargo-wick", "wick", "--root", **by_user)
        t.equal(done.returncode, 1, f"exit code: {done.stderr}")
        t.equal(sorted(os.listdir(t.folder)), files + ["wick.data"] * bool(before), "files")
    t.true((t.folder / "wick.data").read_bytes() == older, "what was recorded before is lost")


@tap.case("--open hands the picture to xdg-open")
def _(t):
    p = project()
    opener = p.bin / "xdg-open"
    opener.write_text('#!/bin/sh\necho "opened $1" >opened.txt\n')
    opener.chmod(0o755)
    t.equal(p.cargo("--open").returncode, 0, "exit code")
    t.equal((p.root / "app/opened.txt").read_text(), "opened flamegraph.svg\n", "what was opened")


@tap.case("drawing options reach the picture")
def _(t):
    p = project()
    done = p.cargo("-i", "--title", "A title of its own", "--notes", "A note", "--min-width", "0.2",
                   "--image-width", "700", "--reverse", "--skip-after", "burn_in_main")
    drawn(t, done, p, "A title of its own")
    t.true("A note" in p.picture(), "no note in the picture")


@tap.case("`wick cargo` is the same, and so is the link without cargo")
def _(t):
    p = project()
    help_text = tap.run(tap.WICK, "cargo", "--help").stdout
    t.equal(p.cargo("--help", at=".").stdout, help_text, "cargo wick --help")
    t.equal(tap.run(p.bin / "cargo-wick", "--help").stdout, help_text, "cargo-wick --help")
    done = p.cargo("--completions", "bash")
    t.equal(done.stdout, tap.run(tap.WICK, "completion", "bash").stdout, "completion")


tap.run_all()
