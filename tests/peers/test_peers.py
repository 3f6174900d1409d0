#!/usr/bin/env python3
"""Runs the conformance cases of the older flame graph tools against `wick as TOOL`; prints TAP.

usage: tests/peers/test_peers.py [-v] [WORD...]

The cases are the rows of fixtures/peers/cases.tsv under $WICK_SHARED (or ../shared); without
them this is skipped. With WORDs only the rows run whose case id or tool holds one of them.
A row passes if wick does what the row says, compared as the README of the fixtures tells:
exact, strip-quotes, sorted, exit0, exit!=0, stderr:TEXT, nostderr:TEXT, error:TEXT, and for
pictures the drawn rectangles (svg.py says how).

differences.tsv lists the rows in which wick is right to differ, each with a reason and the way
in which it does: "one-more" sample than expected, "merged" siblings or "unnamed" frames in a
picture, all else being compared as ever; or plainly "differs". A row that is listed and passes
is a failure, too: the list only gets shorter by somebody's hand.
"""
import concurrent.futures
import csv
import gzip
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import svg  # noqa: E402  pylint: disable=wrong-import-position

ROOT = HERE.parent.parent
WICK = pathlib.Path(os.environ.get("WICK", ROOT / "build" / "wick")).resolve()
SHARED = pathlib.Path(os.environ.get("WICK_SHARED", ROOT / ".." / "shared")).resolve()
PEERS = SHARED / "fixtures" / "peers"
SUPPORT = HERE / "support"
LIMIT_SECONDS = 60


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Wrong(Exception):
    """What was expected and what came."""


class Result:
    def __init__(self, code, out, said):
        self.code, self.out, self.said = code, out, said.decode("utf-8", "replace")


def base(row):
    return PEERS / ("FlameGraph" if "FlameGraph" in row["peer_repo"] else "inferno")


def numbers(text):
    return [int(word) for word in re.findall(r"\d{6,}", text)]


def inputs(row, folder):
    """The files that the tool is to read; packed ones are unpacked first."""
    text = row["input_paths"]
    if text.startswith("(inline"):
        path = folder / "inline.txt"
        path.write_text("".join(f"{name} {count}\n" for name, count in zip("ab", numbers(text))))
        return [str(path)]
    paths = []
    for name in text.split(" (")[0].split():
        path = base(row) / name
        if name.endswith(".gz"):
            plain = folder / path.stem
            plain.write_bytes(gzip.decompress(path.read_bytes()))
            path = plain
        paths.append(str(path))
    return paths


def arguments(row):
    """The words of a row. Files among them lie beside the input or, where the fixtures do not
    have them, in tests/peers/support."""
    words = []
    for word in shlex.split(row["args"]):
        if word.startswith("tests/data/"):
            path = base(row) / word
            word = str(path if path.exists() else SUPPORT / pathlib.Path(word).name)
        words.append(word)
    return words


def prepare(row, folder):
    """What a row wants to lie in the folder it runs in: a map of colours, the ones that the
    expected picture has."""
    if "palette.map = " not in row["note"]:
        return
    found = re.search(r"palette.map = (\S+)", row["note"])
    path = base(row) / found.group(1)
    if path.exists():
        (folder / "palette.map").write_bytes(path.read_bytes())
        return
    (folder / "palette.map").write_text(svg.palette_map(base(row) / row["expected_path"]),
                                        encoding="utf-8")


def run(tool, words, folder, given):
    env = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
    done = subprocess.run([str(WICK), "as", tool, *words], cwd=folder, input=given,
                          capture_output=True, timeout=LIMIT_SECONDS, env=env, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def outcomes(row):
    """The results of a row: one, or one for each number of threads that its note names."""
    tools = [tool.strip() for tool in row["tool"].split("|")]
    variants = [[]]
    if "nthreads 1 and 2" in row["note"]:
        variants = [["-n", "1"], ["-n", "2"]]
    for extra in variants:
        with tempfile.TemporaryDirectory(prefix="wick-peers-") as name:
            folder = pathlib.Path(name)
            prepare(row, folder)
            result = run(tools[0], arguments(row) + extra + inputs(row, folder), folder, b"")
            for tool in tools[1:]:
                result = run(tool, [], folder, result.out)
            yield result


def first_difference(expected, came):
    for number, (a, b) in enumerate(zip(expected.splitlines(), came.splitlines()), 1):
        if a != b:
            return f"line {number}: expected {a[:300]!r}, came {b[:300]!r}"
    return f"expected {len(expected.splitlines())} lines, came {len(came.splitlines())}"


def want_same(expected, came, result):
    if expected != came:
        raise Wrong(f"{first_difference(expected, came)} (exit {result.code}) {result.said[:300]}")


def without_quotes(text):
    return text.replace(b"'", b"").replace(b'"', b"")


def counts(text):
    return dict(line.rpartition(b" ")[::2] for line in text.splitlines())


def want_one_more(expected, came):
    """All is the same but for one sample more, of one stack."""
    expected, came = counts(expected), counts(came)
    other = [stack for stack in came if came[stack] != expected.get(stack)]
    if (set(expected) - set(came) or len(other) != 1 or
            int(came[other[0]]) != int(expected.get(other[0], 0)) + 1):
        raise Wrong(f"expected one sample more and nothing else, {len(other)} stacks differ")


def in_order(text):
    return b"\n".join(sorted(text.splitlines()))


def want_said(row, result, text):
    lines = [line for line in result.said.splitlines() if text in line]
    exactly = re.search(r"[Ee]xactly (one|\d+)", row["note"])
    wanted = {"one": 1}.get(exactly.group(1)) or int(exactly.group(1)) if exactly else None
    if not lines or (wanted and len(lines) != wanted):
        raise Wrong(f"expected {wanted or 'some'} lines with {text!r} on standard error, came "
                    f"{result.said[:600]!r}")


def want_exit(result, ok):
    if (result.code == 0) != ok:
        raise Wrong(f"exit code {result.code}: {result.said[:300]}")


def check(row, result, way):
    compare, expected = row["compare"], None
    if row["expected_path"] != "-":
        # A few expected files have Windows line ends, which no tool prints here.
        expected = (base(row) / row["expected_path"]).read_bytes().replace(b"\r\n", b"\n")
    kind, _, text = compare.partition(":")
    if compare in ("exact", "svg-structure") and row["expected_path"].endswith(".svg"):
        want_exit(result, True)
        wrong = svg.difference(expected, result.out, way, compare == "svg-structure")
        if wrong:
            raise Wrong(wrong)
    elif compare == "exact":
        # Three expectations were checked out with Windows' line ends; the tool writes "\n".
        want_same(expected.replace(b"\r\n", b"\n"), result.out, result)
        want_exit(result, True)
    elif way == "one-more":
        want_one_more(without_quotes(expected), without_quotes(result.out))
    elif compare == "strip-quotes":
        want_same(without_quotes(expected), without_quotes(result.out), result)
    elif compare == "sorted":
        want_same(in_order(expected), in_order(result.out), result)
    elif compare in ("exit0", "exit!=0"):
        want_exit(result, compare == "exit0")
        if compare == "exit0" and "flamegraph" in row["tool"]:
            svg.frames_of_wick(result.out)
    elif kind == "stderr":
        want_said(row, result, text)
    elif kind == "nostderr":
        if text in result.said:
            raise Wrong(f"{text!r} on standard error")
    elif kind == "error":
        want_exit(result, False)
        want_said(row, result, text)
    else:
        raise Wrong(f"no such way to compare: {compare}")


def passes(row, way=""):
    """None if the row passes, else what is wrong."""
    try:
        for result in outcomes(row):
            check(row, result, way)
    except Wrong as wrong:
        return str(wrong)
    except subprocess.TimeoutExpired:
        return f"no end after {LIMIT_SECONDS} s"
    except svg.Unreadable as wrong:
        return f"the picture cannot be read: {wrong}"
    return None


def judge(row, difference):
    wrong = passes(row)
    if not difference:
        return wrong
    if not wrong:
        return "listed in differences.tsv, but passes: take it out there"
    if difference["way"] == "differs":
        return None
    return passes(row, difference["way"])


def chosen(words):
    return [row for row in rows(PEERS / "cases.tsv")
            if not words or any(word in row["case_id"] or word in row["tool"] for word in words)]


def main():
    words = [word for word in sys.argv[1:] if word != "-v"]
    if not (PEERS / "cases.tsv").exists():
        print(f"1..0 # SKIP the older tools' cases are not here: {PEERS}/cases.tsv")
        return 0
    if not WICK.exists():
        print(f"Bail out! {WICK} is not there: ./do build makes it")
        return 1
    differences = {row["case_id"]: row for row in rows(HERE / "differences.tsv")}
    cases = chosen(words)
    known = {row["case_id"] for row in rows(PEERS / "cases.tsv")}
    failed = [f"differences.tsv names {name}, which is no case" for name in differences
              if name not in known]
    for line in failed:
        print("# " + line)
    print(f"1..{len(cases)}")
    good = listed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda row: judge(row, differences.get(row["case_id"])), cases)
        for number, (row, wrong) in enumerate(zip(cases, found), 1):
            difference = differences.get(row["case_id"])
            print(f"{'not ' if wrong else ''}ok {number} - {row['case_id']}"
                  + (f" (known difference: {difference['why']})" if difference else ""))
            if wrong:
                failed.append(row["case_id"])
                print(f"#   {row['tool']} {row['args']} {row['input_paths']}")
                for line in wrong.splitlines():
                    print("#   " + line)
                print(f"#   run alone: tests/peers/test_peers.py {row['case_id']}")
            good += not wrong and not difference
            listed += not wrong and difference is not None
    print(f"# {good} of {len(cases)} cases pass, {listed} differ for a listed reason, "
          f"{len(failed)} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
