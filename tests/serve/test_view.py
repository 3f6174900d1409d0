#!/usr/bin/env python3
"""The server of `wick view`: what it answers, whom it refuses, and what cannot hang or end it."""
import base64
import contextlib
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import page  # noqa: E402
import tap  # noqa: E402
from loopback import Server, environment, missing, whole  # noqa: E402

PATIENCE = 60  # seconds: for what takes a moment on an idle machine
SHOP, MEMORY = (str(tap.ROOT / "tests" / "data" / name) for name in ("shop.data", "memory.etl"))
STACKS = "demo;main;work 70\ndemo;main;<b>&\u202e 30\n"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
HEADERS = {
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY", "cache-control": "no-store",
}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


def read_answer(stream, has_body=True):
    """The next answer of a connection; None if it was closed instead."""
    line = stream.readline()
    if not line:
        return None
    headers = {}
    while (field := stream.readline().strip()):
        name, _, value = field.decode().partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", 0))) if has_body else b""
    return Answer(int(line.split()[1]), headers, body)


class View:
    """A running `wick view`."""

    def __init__(self, process):
        self.process = process
        self.address = process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{48})/", self.address)
        if not found:
            raise tap.Failure(f"no address: {self.address!r}, {process.communicate()[1]}")
        self.port, self.token = int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def request(self, route="", method="GET", target=None, body=None, **headers):
        """The bytes of a request. A header that is None is left out."""
        own = {"Host": self.host} | ({} if body is None else {
            "Origin": f"http://{self.host}", "Content-Length": str(len(body))})
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{method} {target if target is not None else '/' + self.token + '/' + route} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in own.items() if value is not None]
        return "\r\n".join(lines + ["", ""]).encode() + (body or b"")

    def ask(self, *what, **how):
        with self.connect() as connection:
            connection.sendall(self.request(*what, **how))
            return read_answer(connection.makefile("rb"), how.get("method") != "HEAD")

    def query(self, statement, **headers):
        return self.ask("query", "POST", body=statement.encode(), **headers)

    def end(self, by=signal.SIGTERM):
        began = time.monotonic()
        self.process.send_signal(by)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, time.monotonic() - began, said


@contextlib.contextmanager
def view(t, *words, **more):
    """Serves some folded stacks, or the recording that is named."""
    if not words or words[0].startswith("-"):
        (t.folder / "stacks.folded").write_text(STACKS)
        words = ("stacks.folded",) + words
    process = subprocess.Popen([tap.WICK, "view", "--no-open", *map(str, words)], cwd=t.folder, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, **more)
    try:
        server = View(process)
        yield server
        if process.poll() is None:
            code, _, said = server.end()
            t.equal(code, 0, f"exit code ({said})")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def expect(t, answer, status, what):
    """Also that the answer has all headers that protect it."""
    t.true(answer is not None, f"{what}: the connection was closed")
    t.equal(answer.status, status, what)
    for name, value in HEADERS.items():
        t.equal(answer.headers.get(name), value, f"{what}: {name}")
    policy = answer.headers.get("content-security-policy", "")
    t.true(policy.startswith("default-src 'none';") and "connect-src 'self'" in policy and
           "'unsafe" not in policy and "*" not in policy, f"{what}: {policy}")
    for name in answer.headers:
        t.true(not name.startswith("access-control"), f"{what}: {name}")


def still_answers(t, server, what):
    expect(t, server.ask(), 200, f"the page after {what}")


@tap.case("the page has no data, and its policy is a header")
def _(t):
    with view(t) as server:
        answer = server.ask()
        expect(t, answer, 200, "the page")
        page = answer.body.decode()
        t.equal(answer.headers["content-type"], "text/html; charset=utf-8", "type")
        t.true("http-equiv" not in page, "the page has a policy of its own")
        blocks = re.findall(r'data-block="([^"]*)"', page)
        t.equal(blocks[-2:], ["head", "end"], "blocks in the page")
        expect(t, server.ask(Host=f"localhost:{server.port}"), 200, "as localhost")
        expect(t, server.ask(Origin=f"http://{server.host}"), 200, "of its own origin")


@tap.case("blocks are those of a report, plain or packed, made once or again")
def _(t):
    (t.folder / "stacks.folded").write_text(STACKS)
    report = t.wick("report", "stacks.folded").stdout
    expected = re.findall(r'data-block="([^"]*)" data-packing="[^"]*" data-bytes="(\d+)"', report)
    with view(t) as server:
        for name, size in expected:
            if name == "end":
                continue
            plain = server.ask("block/" + name)
            expect(t, plain, 200, name)
            t.equal(len(plain.body), int(size), f"bytes of {name}")
            for _ in range(2):
                packed = server.ask("block/" + name, Accept_Encoding="br, gzip;q=0.5")
                t.equal(packed.headers.get("content-encoding"), "gzip", name)
                t.equal(gzip.decompress(packed.body), plain.body, name)
            refused = server.ask("block/" + name, Accept_Encoding="gzip;q=0, br")
            t.equal(refused.headers.get("content-encoding"), None, name)
        t.true("work" in server.ask("block/names").json["names"], "names")
        expect(t, server.ask("block/head?generation=1"), 200, "this generation")
        expect(t, server.ask("block/head?generation=7"), 410, "another generation")
        for name in ("", "none", "end", "head/", "HEAD", "hea%64", "../head", "samples-999999999999"):
            expect(t, server.ask("block/" + name), 404, f"block {name!r}")


@tap.case("the recording to compare with is in blocks of its own, those of a report")
def _(t):
    (t.folder / "new.folded").write_text(STACKS)
    (t.folder / "old.folded").write_text("demo;main;rest 50\n")
    report = t.wick("report", "new.folded", "--against", "old.folded").stdout
    expected = re.findall(r'data-block="([^"]*)" data-packing="[^"]*" data-bytes="(\d+)"', report)
    with view(t, "new.folded", "--against", "old.folded") as server:
        head = re.search(r'data-block="head" data-packing="gzip" [^>]*>([^<]*)<', server.ask().body.decode())
        listed = json.loads(gzip.decompress(base64.b64decode(head[1])))["blocks"]
        t.equal(listed, [name for name, _ in expected if name != "end"], "blocks of the page")
        for name, size in expected[:-1]:
            answer = server.ask("block/" + name)
            expect(t, answer, 200, name)
            t.equal(len(answer.body), int(size), f"bytes of {name}")
        t.true("rest" in server.ask("block/before/names").json["names"], "names of the other recording")
        expect(t, server.ask("block/before/"), 404, "a prefix without a name")
    with view(t) as server:
        expect(t, server.ask("block/before/head"), 404, "without another recording")
    failed = t.wick("view", "--no-open", "new.folded", "--against", "absent.folded", check=False)
    t.equal((failed.returncode, failed.stdout), (1, ""), failed.stderr)
    t.true("absent.folded" in failed.stderr, failed.stderr)


@tap.case("queries: rows, mistakes, limits")
def _(t):
    if not tap.run(tap.WICK, "query", "--tables", check=False).stdout:
        raise tap.Skip("this wick was built without SQLite")
    with view(t, "--time-limit", "2") as server:
        answer = server.query("SELECT name FROM functions ORDER BY name")
        expect(t, answer, 200, "a query")
        rows = answer.json["rows"]
        t.true({"name": "work"} in rows, rows)
        t.equal(answer.json["columns"][0]["key"], "name", "columns")
        t.true(b"<b>" not in answer.body, "names are escaped")
        for statement in ("SELECT", "DELETE FROM samples", "SELECT 1; SELECT 2", "", "SELECT * FROM none",
                          "ATTACH '/tmp/x.db' AS x", "PRAGMA user_version = 1"):
            answer = server.query(statement)
            expect(t, answer, 400, statement)
            t.true(answer.json["error"], statement)
        expect(t, server.ask("query", "POST", body=b"SELECT '\xff'"), 400, "no UTF-8")
        expect(t, server.ask("query", "POST", body=b"SELECT 1\0"), 400, "with a NUL")
        answer = server.query("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c")
        expect(t, answer, 200, "many rows")
        t.equal(len(answer.json["rows"]), 100000, "rows")
        t.true("only the first" in answer.json["notes"][0], "a note")
        answer = server.query(ENDLESS)
        expect(t, answer, 400, "a query that never ends")
        t.true("took more than 2 s" in answer.json["error"], answer.json)
        still_answers(t, server, "queries")


@tap.case("while a query runs, everything else is answered, and the end waits for none")
def _(t):
    if not tap.run(tap.WICK, "query", "--tables", check=False).stdout:
        raise tap.Skip("this wick was built without SQLite")
    with view(t, "--time-limit", "3600") as server:
        busy = []
        for _ in range(3):
            connection = server.connect()
            connection.sendall(server.request("query", "POST", body=ENDLESS.encode()))
            busy.append(connection)
        for route in ("", "block/names", "symbols", "annotate?function=main"):
            expect(t, server.ask(route), 200, route)
        code, seconds, said = server.end()
        t.equal(code, 0, f"exit code ({said})")
        t.within(seconds, 0, 10, "seconds to end")
        for connection in busy:
            connection.close()


@tap.case("a query ends the one before, whose reader may be gone")
def _(t):
    if not tap.run(tap.WICK, "query", "--tables", check=False).stdout:
        raise tap.Skip("this wick was built without SQLite")
    with view(t, "--time-limit", "3600") as server:
        first, gone = server.connect(), server.connect()
        for connection in first, gone:
            connection.sendall(server.request("query", "POST", body=ENDLESS.encode()))
        gone.close()
        t.equal(server.query("SELECT 7 AS n").json["rows"], [{"n": 7}], "the last query")
        expect(t, read_answer(first.makefile("rb")), 409, "the first")
        first.close()


@tap.case("a query is canceled, and the next one runs")
def _(t):
    if not tap.run(tap.WICK, "query", "--tables", check=False).stdout:
        raise tap.Skip("this wick was built without SQLite")
    with view(t, "--time-limit", "3600") as server:
        for what, method, more in (("by GET", "GET", {}), ("without an origin", "POST", {"Origin": None}),
                                   ("of another origin", "POST", {"Origin": "http://example.com"}),
                                   ("of another token", "POST", {"target": "/" + "0" * 48 + "/cancel"})):
            body = b"" if method == "POST" else None
            status = {"GET": 405}.get(method, 404 if "target" in more else 403)
            expect(t, server.ask("cancel", method, body=body, **more), status, what)
        expect(t, server.ask("cancel", "POST", body=b""), 200, "nothing to cancel")
        for _ in range(2):
            with server.connect() as running:
                running.sendall(server.request("query", "POST", body=ENDLESS.encode()))
                running.settimeout(0.3)
                try:
                    t.equal(running.recv(1), None, "an answer before it is canceled")
                except socket.timeout:
                    running.settimeout(PATIENCE)
                expect(t, server.ask("cancel", "POST", body=b""), 200, "to cancel")
                answer = read_answer(running.makefile("rb"))
                expect(t, answer, 409, "the query")
                t.equal(answer.json, {"error": "the query was ended"}, "the answer")
        t.equal(server.query("SELECT 7 AS n").json["rows"], [{"n": 7}], "the next query")


@tap.case("source code and instructions, or why there are none")
def _(t):
    tap.need("gcc")
    with view(t) as server:
        answer = server.ask("annotate?function=work")
        expect(t, answer, 200, "annotate")
        t.true("error" in answer.json["source"] and "error" in answer.json["instructions"], answer.json)
        for route in ("annotate", "annotate?function=", "annotate?function=%ff", "annotate?function=%0",
                      "annotate?function=%zz", "annotate?function=a%00b", "annotate?functions=main"):
            expect(t, server.ask(route), 400, route)
        nasty = "</script>\u202e\"'\\ <b>"
        answer = server.ask("annotate?function=" + urllib.parse.quote(nasty))
        expect(t, answer, 200, "a name that no function has")
        t.equal(answer.json["function"], nasty, "the name")
        t.true(b"<" not in answer.body, "names are escaped")


@tap.case("lines and instructions of a recorded program")
def _(t):
    fault = tap._recording_fails()
    if fault:
        raise tap.Skip(fault)
    t.record(tap.program("live", "burn_30_70"), "200")
    with view(t, "wick.data") as server:
        answer = server.ask("annotate?function=burn_seventy")
        lines = answer.json["source"]["rows"]
        t.true(any(row["self_samples"] for row in lines), "samples of lines")
        t.true(any("burn_seventy" in row["text"] for row in lines), "source code")
        code = answer.json["instructions"]
        t.true("error" in code or any(row.get("self_samples") for row in code["rows"]), "instructions")
        answer = server.ask("annotate?function=burn_seventy&time=5000-6000")
        t.true("error" in answer.json["source"], "no samples at that time")
        answer = server.ask("symbols")
        named = {row["image"]: row for row in answer.json["modules"]["rows"]}
        t.equal(named["burn_30_70"]["names"], "all", "names of the program")


class Tree:
    """An answer to `tree`: its nodes by path, and its columns."""

    def __init__(self, body):
        size, = struct.unpack_from("<I", body)
        self.facts, self.columns = json.loads(body[4:4 + size]), page.columns_of(body[4 + size:])
        names, texts, columns = self.facts["names"]["names"], self.facts["texts"], self.columns
        paths = []
        for parent, text, function in zip(columns["parent"], columns["text"], columns["function"]):
            name = texts[text] if text else names[function]
            paths.append((paths[parent] if paths else ()) + (name,))
        self.nodes = dict(zip(paths, columns["node"]))
        self.rows = sorted(zip(paths, columns["total"], columns["self"], columns["totalTimes"]))

    def node(self, name):
        return next(node for path, node in self.nodes.items() if path[-1] == name)


def call_tree(t, unit, *words):
    """The rows of `wick show calls`, in the form of Tree.rows."""
    rows, path = [], []
    for row in json.loads(t.wick("show", "--all", "--json", *words, "calls").stdout)["rows"]:
        path[row["depth"]:] = [row["name"]]
        rows.append((tuple(path), row["total_" + unit], row["self_" + unit], row["samples"]))
    return sorted(rows)


def ask_tree(t, server, arguments):
    answer = server.ask("tree?share=0&" + arguments)
    expect(t, answer, 200, arguments)
    return Tree(answer.body)


def ask_bins(t, server, arguments):
    answer = server.ask("bins?" + arguments)
    expect(t, answer, 200, arguments)
    return page.columns_of(answer.body)


@tap.case("trees have the totals and selfs of `wick show calls`")
def _(t):
    with view(t, SHOP) as server:
        for arguments, words in (
                ("group=process,stack", ["--group", "process,stack"]),
                ("", ["--group", "process,stack"]),
                ("group=stack&all-inline=1", ["--group", "stack", "--all-inline"]),
                ("group=process,thread,stack", ["--group", "process,thread,stack"]),
                ("group=module", ["--group", "module"]),
                ("group=stack&from=200000000&to=700000000", ["--group", "stack", "--time", "0.2-0.7"]),
                ("group=stack&filter=stack+%3D~+coins%24",
                 ["--group", "stack", "--filter", 'stack =~ coins$']),
                ("group=stack&from=0&to=700000000&filter=stack+%3D~+flour",
                 ["--group", "stack", "--time", "0-0.7", "--filter", 'stack =~ flour'])):
            expected = call_tree(t, "ns", *words, SHOP)
            t.true(len(expected) > 1, arguments)
            for again in range(2):
                t.equal(ask_tree(t, server, arguments).rows, expected, f"{arguments}, {again}")
        inverted = ask_tree(t, server, "group=stack&inverted=1")
        expected = call_tree(t, "ns", "--group", "stack", "--inverted", SHOP)
        t.equal([row[:2] for row in inverted.rows], [row[:2] for row in expected], "inverted")
        own = sum(row[2] for row in inverted.rows if row[0][-1] == "__clone")
        t.equal(own, inverted.columns["total"][0], "inverted: self is what has no further caller")


@tap.case("a server that was started with a filter answers with it")
def _(t):
    with view(t, SHOP, "--time", "0.1-0.6") as server:
        tree = ask_tree(t, server, "group=stack")
        t.equal(tree.rows, call_tree(t, "ns", "--group", "stack", "--time", "0.1-0.6", SHOP), "rows")


@tap.case("trees of memory: all, outstanding, gone")
def _(t):
    with view(t, MEMORY) as server:
        everything = ask_tree(t, server, "event=heap&group=stack")
        expected = call_tree(t, "bytes", "--by", "heap", "--group", "stack", MEMORY)
        t.equal(everything.rows, expected, "all")
        left = ask_tree(t, server, "event=heap&group=stack&measure=outstanding")
        expected = call_tree(t, "bytes", "--by", "heap", "--outstanding", "--group", "stack", MEMORY)
        t.equal([row for row in left.rows if row[3]], expected, "outstanding")
        gone = ask_tree(t, server, "event=heap&group=stack&measure=gone")
        totals = [tree.columns["total"][0] for tree in (everything, left, gone)]
        t.equal(totals[0], totals[1] + totals[2], "all is what is left and what is gone")
        bins = ask_bins(t, server, "event=heap&levels=1&count=50")
        t.equal(sum(bins["weight"]), totals[0], "bins of all")
        t.equal(bins["level"][-1], totals[1], "the last level")
        bins = ask_bins(t, server, "event=heap&measure=gone&count=7&group=stack&nodes=0")
        t.equal(sum(bins["weight"]), totals[2], "bins of what is gone")


@tap.case("a tree is cut by weight, and opened by node")
def _(t):
    with view(t, SHOP) as server:
        whole_tree = ask_tree(t, server, "group=stack")
        few = Tree(server.ask("tree?group=stack&share=0.5").body)
        t.true("weigh_flour" not in [path[-1] for path in few.nodes], "a light node")
        t.equal(sum(few.columns["leftWeight"]), 180000000, "what is left out")
        opened = f"tree?group=stack&share=1&open=0,{whole_tree.node('open_shop')},4000000000"
        t.true("weigh_flour" in [path[-1] for path in Tree(server.ask(opened).body).nodes], "opened")
        root = f"tree?group=stack&share=1&root={whole_tree.node('weigh_flour')}"
        t.equal(Tree(server.ask(root).body).columns["kind"][0], 0, "the whole above a root")
        unknown = server.ask("tree?group=stack&share=0&root=4000000000&current=4000000000")
        t.equal(Tree(unknown.body).rows, whole_tree.rows, "unknown nodes")


def filters_of(*filters):
    """The argument `filters` of pairs of a kind and a text."""
    listed = [dict(zip(("kind", "text", "out"), one)) for one in filters]
    return "filters=" + urllib.parse.quote(json.dumps(listed))


# Calls with recursion, and a weight for each.
CALLS = "main;a;b;leaf 1\nmain;a;a;b 2\nmain;b;a;leaf 4\nmain 16\n"

# The same with modules, as `perf script` prints them, the innermost first.
SAMPLES = (("a app", "q libx.so", "p libx.so", "main app"), ("p libx.so", "main app"),
           ("p libx.so", "a app", "q libx.so", "main app"))


def perf_script():
    """A sample of each of these stacks, of 1, 2 and 4."""
    lines = []
    for number, frames in enumerate(SAMPLES):
        lines.append(f"app 7 [000] 1.00000{number}: {2 ** number} cycles:")
        for frame in frames:
            function, module = frame.split()
            lines.append(f"\t4005d0 {function}+0x10 (/x/{module})")
        lines.append("")
    return "\n".join(lines) + "\n"


def totals(t, server, *filters, more=""):
    """By path, without the whole's name."""
    tree = ask_tree(t, server, f"group=stack{more}&{filters_of(*filters)}")
    return {"/".join(path[1:]): total for path, total, _, _ in tree.rows}


@tap.case("verbs: trees that are written by hand")
def _(t):
    (t.folder / "calls.folded").write_text(CALLS)
    with view(t, "calls.folded") as server:
        def is_tree(expected, *filters, more=""):
            t.equal(totals(t, server, *filters, more=more), expected, f"{filters} {more}")

        whole = {"": 23, "main": 23, "main/a": 3, "main/a/b": 1, "main/a/b/leaf": 1, "main/a/a": 2, "main/a/a/b": 2,
                 "main/b": 4, "main/b/a": 4, "main/b/a/leaf": 4}
        is_tree(whole)
        merged = {"": 23, "main": 23, "main/b": 7, "main/b/leaf": 5}
        is_tree(merged, ("merge", "a"))
        is_tree(merged, ("collapse", "a"), ("merge", "a"))
        is_tree({"": 23, "main": 23, "main/a": 3, "main/b": 4, "main/b/a": 4}, ("collapse", "a"))
        is_tree({"": 23, "main": 23, "main/a": 3, "main/b": 4}, ("collapse", "a"), ("collapse", "b"))
        is_tree({"": 23, "main": 23, "main/a": 3, "main/a/b": 3, "main/a/b/leaf": 1, "main/b": 4, "main/b/a": 4,
                 "main/b/a/leaf": 4}, ("recursion", ""))
        is_tree({"": 7, "a": 7, "a/b": 1, "a/b/leaf": 1, "a/a": 2, "a/a/b": 2, "a/leaf": 4}, ("focus", "a"))
        is_tree({"": 7, "b": 7, "b/leaf": 5}, ("merge", "a"), ("focus", "b"))
        is_tree({"": 0}, ("focus", "none"))
        is_tree({"": 5, "leaf": 5}, ("focus", "b"), ("focus", "leaf"))
        is_tree({"": 7, "b": 7, "b/a": 3, "b/a/main": 1, "b/a/a": 2, "b/a/a/main": 2, "b/main": 4}, ("focus", "b"),
                more="&inverted=1")
        is_tree({"": 23, "leaf": 5, "leaf/b": 1, "leaf/a": 4, "leaf/a/b": 4, "b": 2, "main": 16}, ("collapse", "b"),
                more="&inverted=1")
        is_tree({"": 23, "leaf": 5, "leaf/b": 5, "leaf/b/main": 5, "b": 2, "b/main": 2, "main": 16}, ("merge", "a"),
                more="&inverted=1")
        is_tree(whole)


@tap.case("verbs of modules")
def _(t):
    (t.folder / "app.txt").write_text(perf_script())
    with view(t, "app.txt") as server:
        module = ("merge-module", "libx.so")
        t.equal(totals(t, server, module),
                {"": 7, "main": 7, "main/libx.so": 7, "main/libx.so/a": 5, "main/libx.so/a/libx.so": 4}, "merged")
        t.equal(totals(t, server, module, more="&inverted=1"),
                {"": 7, "a": 1, "a/libx.so": 1, "a/libx.so/main": 1, "libx.so": 6, "libx.so/main": 2,
                 "libx.so/a": 4, "libx.so/a/libx.so": 4, "libx.so/a/libx.so/main": 4}, "inverted")
        t.equal(totals(t, server, module, ("merge", "a")), {"": 7, "main": 7, "main/libx.so": 7}, "with what is merged")
        tree = ask_tree(t, server, "group=stack&" + filters_of(module))
        t.equal(tree.columns["level"][:3], [0, 12, 11], "levels")
        t.equal(totals(t, server, ("module", "libx.so", True)), {"": 0}, "a filter")


@tap.case("filters of the page")
def _(t):
    with view(t, SHOP) as server:
        plain = ask_tree(t, server, "group=stack")
        total = plain.columns["total"][0]

        def weight(*filters):
            return ask_tree(t, server, "group=stack&" + filters_of(*filters)).columns["total"][0]

        coins = ask_tree(t, server, "group=stack&filter=stack+%3D~+coins%24").columns["total"][0]
        t.true(0 < coins < total, "a function")
        t.equal(weight(), total, "no filters")
        t.equal(weight(("function", "count_coins")), coins, "function")
        t.equal(weight(("function", "count_coins", True)), total - coins, "not a function")
        t.equal(weight(("pattern", "COINS$")), 0, "a capital letter: the case counts")
        t.equal(weight(("pattern", "(?:coins|x)+?$")), coins, "a pattern of JavaScript")
        t.equal(weight(("process", "shop"), ("process", "none")), total, "alternatives")
        t.equal(weight(("process", "shop", True)), 0, "not a process")
        t.equal(weight(("pid", "none")), 0, "no process")
        t.equal(weight(("function", "count_coins"), ("function", "weigh_flour")), 0, "both at once")
        t.equal(weight(("preset", "none")), total, "an unknown preset keeps all")
        tree = ask_tree(t, server, "group=stack&filter=stack+%3D~+coins%24&" + filters_of(("function", "weigh_flour")))
        t.equal(tree.columns["total"][0], 0, "with an expression")
        bins = ask_bins(t, server, "count=9&" + filters_of(("function", "count_coins")))
        t.equal(sum(bins["weight"]), coins, "bins")
        answer = server.ask("search?pattern=.&group=stack&" + filters_of(("function", "count_coins")))
        t.equal(answer.json["weight"], coins, "search")


@tap.case("nodes by the hashes of paths")
def _(t):
    with view(t, SHOP) as server:
        found = server.ask("tree?group=stack&share=1&root=%s&current=%s&open=0,%s" % (("0" * 16,) * 3))
        t.equal((Tree(found.body).facts["root"], Tree(found.body).facts["current"]), (0, 0), "no such path")
        tree = ask_tree(t, server, "group=process,stack")
        # web/page/src/views/path.ts, of "1:shop"
        a, b = 0x811c9dc5, 0x9e3779b9
        for unit in b"1:shop":
            a, b = (a ^ unit) * 0x01000193 % 2 ** 32, (b + unit ^ b >> 13) * 0x5bd1e995 % 2 ** 32
        path = "%08x%08x" % ((a * 0x85ebca6b + b) % 2 ** 32, b * 0xc2b2ae35 % 2 ** 32 ^ a)
        for arguments, key in ((f"current={path}", "current"), (f"root={path}", "root")):
            came = Tree(server.ask(f"tree?share=1&{arguments}").body)
            row = came.facts[key]
            t.equal((came.columns["level"][row], came.columns["node"][row]), (1, tree.nodes[("all", "shop")]), key)
        t.true(("all", "shop") in tree.nodes, "the process")
        opened = Tree(server.ask(f"tree?share=1&open={path}").body)
        children = [path for path in tree.nodes if len(path) == 3 and path[1] == "shop"]
        t.true(all(path in opened.nodes for path in children), "opened")


@tap.case("columns of memory, sums and bins of processes")
def _(t):
    with view(t, MEMORY) as server:
        everything = ask_tree(t, server, "event=heap&group=stack")
        t.true("allocated" not in everything.columns, "all is what was allocated")
        for measure in ("outstanding", "gone"):
            tree = ask_tree(t, server, "event=heap&group=stack&measure=" + measure)
            allocated = dict(zip(tree.nodes, zip(tree.columns["allocated"], tree.columns["allocations"])))
            expected = dict(zip(everything.nodes, zip(everything.columns["total"], everything.columns["totalTimes"])))
            t.equal(allocated, {path: expected[path] for path in allocated}, measure)
        t.equal(min(everything.columns["firstTime"][1:]), everything.columns["firstTime"][0], "first seen")
        sums = ask_bins(t, server, "event=heap&sums=process")
        t.equal((sum(sums["weight"]), sum(sums["times"])),
                (everything.columns["total"][0], everything.columns["totalTimes"][0]), "sums")
        bins = ask_bins(t, server, "event=heap&by=process&count=4")
        processes = len(json.loads(server.ask("block/head").body)["processes"])
        t.equal(len(sums["weight"]), processes, "a sum for each process")
        t.equal([sum(bins["weight"][i * 4:i * 4 + 4]) for i in range(processes)], sums["weight"], "bins")
    with view(t, SHOP) as server:
        # Samples of 10 ms, in bins of 1 ms: each fills ten.
        cpu = ask_bins(t, server, "by=process&count=1000&from=0&to=1000000000&spread=1")["weight"]
        t.true(0 < max(cpu) < 10000000, max(cpu))
        within = sum(ask_bins(t, server, "sums=process&from=0&to=1000000000")["weight"])
        t.true(within * .95 <= sum(cpu) <= within, f"{sum(cpu)} of {within}")


@tap.case("snapshots and presets of the page")
def _(t):
    massif = str(tap.ROOT / "tests" / "golden" / "massif" / "events" / "input.massif")
    with view(t, massif) as server:
        count = len(json.loads(server.ask("block/head").body)["snapshots"])
        t.true(count >= 2, count)
        for number in range(1, count + 1):
            tree = ask_tree(t, server, f"event=heap&group=stack&measure=outstanding&between=0,{number}")
            shown = call_tree(t, "bytes", "--by", "heap", "--snapshot", str(number), "--group", "stack", massif)
            t.equal([row[:3] for row in tree.rows], [row[:3] for row in shown], f"snapshot {number}")
        expect(t, server.ask(f"tree?event=heap&between=0,{count + 1}"), 400, "an unknown snapshot")
        tree = ask_tree(t, server, "event=heap&group=annotation,stack&preset=cpu")
        t.equal(tree.columns["level"][1], 10, "an annotation")


@tap.case("node numbers stay when trees are made again")
def _(t):
    with view(t, SHOP) as server:
        first = ask_tree(t, server, "group=process,stack")
        for group in ("stack", "pid,stack", "thread,stack", "module", "function", "cpu,stack"):
            ask_tree(t, server, f"group={group}&filter=pid+%3E+0")
        for number in range(10):
            ask_tree(t, server, f"group=stack&filter=pid+%3E+{number}")
        t.equal(ask_tree(t, server, "group=process,stack").nodes, first.nodes, "nodes")


@tap.case("bins of all and of nodes, and searches, add up to what trees have")
def _(t):
    functions = {row["function"]: int(row["total_ns"]) for row in csv.DictReader(
        t.wick("show", "--all", "--csv", SHOP, "functions").stdout.splitlines())}
    with view(t, SHOP) as server:
        tree = ask_tree(t, server, "group=stack")
        bins = ask_bins(t, server, "")
        t.equal((len(bins["weight"]), sum(bins["weight"])), (600, functions["open_shop"]), "bins")
        coins = ask_bins(t, server, "count=10&filter=stack+%3D~+coins%24")
        t.equal(sum(coins["weight"]), functions["count_coins"], "bins with a filter")
        names = ("weigh_flour", "count_coins", "open_shop")
        nodes = ",".join(str(tree.node(name)) for name in names)
        sums = ask_bins(t, server, f"group=stack&count=10&nodes={nodes},4000000000")["weight"]
        parts = [sums[i * 10:i * 10 + 10] for i in range(4)]
        t.equal([sum(part) for part in parts], [functions[name] for name in names] + [0], "nodes")
        t.equal(parts[1], coins["weight"], "a node, and a filter of the same")
        brush = ask_bins(t, server, f"group=stack&count=3&from=200000000&to=700000000&nodes={nodes}")
        t.equal(sum(brush["weight"][6:]),
                ask_tree(t, server, "group=stack&from=200000000&to=700000000").columns["total"][0], "a brush")
        t.equal(ask_bins(t, server, "nodes=")["weight"], [], "no nodes")
        for pattern, name, count in (("coins%24", "count_coins", 1), ("^(open_shop|count)", "open_shop", 2),
                                     ("_COIN".lower(), "count_coins", 1), ("_coin%5Cw", "count_coins", 1)):
            answer = server.ask("search?group=process,stack&pattern=" + pattern)
            expect(t, answer, 200, pattern)
            t.equal((answer.json["weight"], answer.json["functions"]), (functions[name], count), pattern)
        t.equal(server.ask("search?pattern=COINS").json, {"weight": 0, "times": 0, "functions": 0, "nodes": 0}, "case")
        t.equal(server.ask("search?group=stack&pattern=coins").json["nodes"], 1, "nodes")
        answer = server.ask("search?pattern=^shop%24")
        t.equal(answer.json["weight"], functions["open_shop"], "a process")


@tap.case("wrong arguments of trees get a sentence")
def _(t):
    with view(t) as server:
        for arguments in ("event=none", "event=%ff", "event=%00", "group=", "group=x", "group=stack,stack",
                          "group=annotation,stack", "group=" + "process," * 500, "group=%zz", "inverted=2",
                          "inverted=", "all-inline=yes", "measure=most", "measure=", "from=x", "from=1.5",
                          "from=--1", "to=-", "to=99999999999999999999", "from=2&to=1", "from=1&to=-1",
                          "between=", "between=1", "between=1,2,3", "between=0,0", "between=0,1", "filters=",
                          "filters=x", "filters=%7B%7D", "filters=[", "filters=[1]", "filters=[{}]", "filters=%ff",
                          "filters=[[]]", filters_of(("none", "x")), filters_of(("pattern", "(")),
                          filters_of(("pattern", "(?=a)")), filters_of(("pattern", "\\p{L}")),
                          filters_of(("pattern", "[a")), filters_of(("pattern", "a\\")), filters_of(("pid", "\0")),
                          filters_of(*[("pid", "1")] * 201), "filters=" + "[" * 2000,
                          "filter=%22", "filter=function+contains", "filter=%ff", "filter=" + "(" * 2000):
            for route in ("tree?", "bins?", "search?pattern=x&"):
                answer = server.ask(route + arguments)
                expect(t, answer, 400, route + arguments)
                t.true(len(answer.json["error"]) > 5, answer.json)
        for route in ("tree?share=2", "tree?share=-1", "tree?share=nan", "tree?share=", "tree?root=x",
                      "tree?root=-1", "tree?root=4294967296", "tree?open=1,", "tree?open=,", "tree?open=a",
                      "tree?open=1,99999999999", "tree?current=1.5",
                      "tree?current=0123456789abcde", "tree?root=0123456789ABCDEF", "tree?open=0123456789abcdefg",
                      "bins?by=thread", "bins?sums=", "bins?by=process&sums=process", "bins?by=process&levels=1",
                      "bins?spread=2", "bins?count=0", "bins?count=20001",
                      "bins?count=", "bins?levels=1&nodes=1", "bins?levels=x", "bins?nodes=1,,2", "search",
                      "bins?count=20000&nodes=" + "1," * 60 + "1", "bins?nodes=-1", "search?pattern=",
                      "search?pattern=(", "search?pattern=%5B", "search?pattern=%ff",
                      "search?pattern=%C3%A9"):
            answer = server.ask(route)
            expect(t, answer, 400, route)
            t.true(len(answer.json["error"]) > 5, answer.json)
        for route in ("tree?generation=7", "bins?generation=7", "search?pattern=x&generation=7"):
            expect(t, server.ask(route), 410, route)
        for route in ("tree/", "trees", "bins/0", "search/x"):
            expect(t, server.ask(route), 404, route)
        for route in ("tree?from=-5&to=18446744073709551615", "bins?from=-18446744073709551615", "tree?open=",
                      "tree?" + filters_of(*[("recursion", "")] * 200), "tree?" + filters_of(("pattern", "(a*)*" * 20)),
                      "bins?from=0&to=18446744073709551615&by=process&spread=1", "tree?filters=[]",
                      "bins?from=0&to=18446744073709551615", "search?pattern=" + "(a*)*" * 50):
            expect(t, server.ask(route), 200, route)
        tree = ask_tree(t, server, "group=stack")
        t.true(("all", "demo", "main", "<b>&\u202e") in tree.nodes or
               ("all", "main", "<b>&\u202e") in tree.nodes, list(tree.nodes))
        still_answers(t, server, "wrong arguments")


@tap.case("others are refused: hosts, origins, tokens, methods")
def _(t):
    with view(t) as server:
        own = server.token
        wrong = ("0" if own[0] != "0" else "1") + own[1:]
        last = own[:-1] + ("0" if own[-1] != "0" else "1")
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", "localhost",
                     f"127.0.0.1:{server.port + 1}", f"[::1]:{server.port}", f"127.1:{server.port}",
                     f"127.0.0.1:{server.port}.evil.example", f"localhost:{server.port}@evil", ""):
            expect(t, server.ask(Host=host), 403, f"host {host!r}")
        for origin in ("http://evil.example", "null", f"https://{server.host}", "", "*",
                       f"http://127.0.0.1:{server.port + 1}", f"http://{server.host}.evil.example"):
            expect(t, server.ask(Origin=origin), 403, f"origin {origin!r}")
            expect(t, server.query("SELECT 1", Origin=origin), 403, f"a query of origin {origin!r}")
        expect(t, server.query("SELECT 1", Origin=None), 403, "a query without an origin")
        for target in ("/", "/" + wrong + "/", "/" + last + "/", f"/{own[:-1]}/", f"/{own}", f"/{own}0/",
                       f"//{own}/", f"/{own.upper()}/" if own.upper() != own else "/x", "*",
                       f"http://{server.host}/{own}/", "/favicon.ico", f"/x/../{own}/", f"/%2e/{own}/",
                       f"/{own}%2f", f"/%{ord(own[0]):02x}{own[1:]}/"):
            expect(t, server.ask(target=target), 404, target)
        for method in ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "get", "FOO"):
            answer = server.ask(method=method)
            expect(t, answer, 405, method)
            t.equal(answer.headers.get("allow"), "GET, POST", method)
        expect(t, server.ask("query"), 405, "GET of a query")
        expect(t, server.ask("", "POST", body=b"x"), 405, "POST to the page")
        still_answers(t, server, "refusals")


@tap.case("no path leads out of the routes")
def _(t):
    with view(t) as server:
        for route in ("../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd",
                      "..%5c..%5cetc", "block/../../../etc/passwd", "block/..%2f..%2fetc%2fpasswd",
                      "block//etc/passwd", "block/%00", "/etc/passwd", "stacks.folded", "./", "query/",
                      "symbols/", "annotate/x", "block", "%71uery", "\u00e9".encode().decode("latin-1")):
            answer = server.ask(route)
            expect(t, answer, 404, route)
            t.true(b"root:" not in answer.body, route)


@tap.case("two headers of one name, and bodies that are too long or have no length")
def _(t):
    with view(t) as server:
        doubled = server.request().replace(b"Host:", b"Host: 127.0.0.1:%d\r\nHost:" % server.port)
        for what, data in (("two hosts", doubled),
                           ("no host", server.request(Host=None)),
                           ("no host in HTTP/1.0", server.request(Host=None).replace(b"1.1\r", b"1.0\r"))):
            with server.connect() as connection:
                connection.sendall(data)
                answer = read_answer(connection.makefile("rb"))
                t.true(answer is None or answer.status in (400, 403), what)
        expect(t, server.ask("query", "POST", Origin=f"http://{server.host}"), 411, "no length")
        expect(t, server.ask("query", "POST", Origin=f"http://{server.host}",
                             Transfer_Encoding="chunked"), 411, "chunks")
        expect(t, server.ask("query", "POST", Origin=f"http://{server.host}", Content_Length="8",
                             Transfer_Encoding="chunked"), 400, "chunks and a length")
        expect(t, server.ask("query", "POST", Origin=f"http://{server.host}",
                             Content_Length=str((1 << 20) + 1)), 413, "a large body")
        for length in ("99999999999999999999", "-1", "1x", ""):
            with server.connect() as connection:
                connection.sendall(server.request("query", "POST", Origin=f"http://{server.host}",
                                                  Content_Length=length))
                answer = read_answer(connection.makefile("rb"))
                t.true(answer is None or answer.status in (400, 411, 413), f"length {length}")
        answer = server.query("SELECT 1" + " " * ((1 << 20) - 8))
        t.true(answer.status in (200, 503), f"the longest query: {answer.status}")
        still_answers(t, server, "bodies")


@tap.case("headers that are too long")
def _(t):
    with view(t) as server:
        for data in (server.request(X="a" * 100000),
                     server.request(target="/" + "a" * 100000),
                     server.request().replace(b"Host:", b"X: y\r\n" * 10000 + b"Host:"),
                     b"A" * 1000000, b"\r\n" * 100000, b"\0" * 100000):
            with server.connect() as connection, contextlib.suppress(ConnectionError, socket.timeout):
                connection.sendall(data)
                answer = read_answer(connection.makefile("rb"))
                t.true(answer is None or answer.status >= 400, f"{data[:40]}: {answer and answer.status}")
        still_answers(t, server, "long headers")


@tap.case("nonsense, and clients that leave early")
def _(t):
    with view(t) as server:
        good = server.request("block/names")
        for data in (b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\xfc\x03\x03",
                     b"GET / HTTP/1.1\nHost: x\n\n", good[:10], good[:-2],
                     server.request("query", "POST", body=b"SELECT 1")[:-3], b" " * 5000 + b"\r\n\r\n"):
            with server.connect() as connection:
                connection.sendall(data)
        for route in ("", "block/names", "annotate?function=main", "symbols?after=1"):
            for _ in range(10):
                with server.connect() as connection:
                    connection.sendall(server.request(route))
                    # A reset instead of an orderly end.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        still_answers(t, server, "clients that left")


@tap.case("two requests in one packet, and many on one connection")
def _(t):
    with view(t) as server:
        with server.connect() as connection:
            stream = connection.makefile("rb")
            connection.sendall(server.request("block/names") + server.request("block/head"))
            for name in ("names", "head"):
                answer = read_answer(stream)
                expect(t, answer, 200, name)
                t.equal(answer.body, server.ask("block/" + name).body, name)
            for _ in range(50):
                connection.sendall(server.request("block/stacks"))
                expect(t, read_answer(stream), 200, "one of many")
            # The body of one request is not the next.
            smuggled = server.request("block/head")
            connection.sendall(server.request("none", "POST", body=smuggled) + server.request("block/names"))
            first = read_answer(stream)
            t.equal(first.status, 405, "a request with another in its body")
            following = read_answer(stream)
            t.true(following is None or b'"names"' in following.body, "what follows")


@tap.case("slow clients are disconnected, and hold up none")
def _(t):
    with view(t) as server:
        slow = [server.connect() for _ in range(10)]
        data = server.request("block/names")
        began, closed = time.monotonic(), 0
        for at in range(len(data) - 1):  # a byte each 0.3 s: it would take a minute
            for connection in slow:
                with contextlib.suppress(OSError):
                    connection.sendall(data[at:at + 1])
            if at % 10 == 0:
                still_answers(t, server, "slow clients")
            time.sleep(0.3)
            closed = 0
            for connection in slow:
                connection.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    try:
                        closed += not connection.recv(1)
                    except ConnectionError:
                        closed += 1
                connection.setblocking(True)
            if closed == len(slow):
                break
        t.equal(closed, len(slow), f"closed after {time.monotonic() - began:.0f} s")


@tap.case("hundreds of silent connections keep no other out")
def _(t):
    """If they were only closed once their time for a request is over, 15 seconds, each 256 of them
    would hold up the answer for as long."""
    with view(t) as server:
        silent = [server.connect() for _ in range(900)]
        began = time.monotonic()
        still_answers(t, server, "silent connections")
        t.within(time.monotonic() - began, 0, 40, "seconds of the answer")
        for connection in silent:
            connection.close()
        still_answers(t, server, "silent connections went")


@tap.case("a hundred requests at once are all answered")
def _(t):
    with view(t) as server:
        connections = [server.connect() for _ in range(120)]
        for number, connection in enumerate(connections):
            connection.sendall(server.request(("", "block/names", "symbols")[number % 3]))
        for connection in connections:
            answer = read_answer(connection.makefile("rb"))
            t.true(answer and answer.status in (200, 503), f"status {answer and answer.status}")
            connection.close()
        still_answers(t, server, "a hundred requests")


@tap.case("a client that reads nothing of a large answer")
def _(t):
    with view(t) as server:
        with server.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(server.request() * 20)
            for _ in range(5):
                still_answers(t, server, "a client that does not read")


@tap.case("news of symbols: at once, or once there is some")
def _(t):
    with view(t) as server:
        answer = server.ask("symbols")
        expect(t, answer, 200, "symbols")
        t.equal(answer.json["state"], "done", "state")
        t.equal(answer.json["generation"], 1, "generation")
        began = time.monotonic()
        change = answer.json["change"]
        expect(t, server.ask(f"symbols?after={change}"), 200, "no news")
        t.within(time.monotonic() - began, 10, PATIENCE, "seconds without news")
        expect(t, server.ask("symbols?after=x"), 400, "no number")


@tap.case("names from a server come while the page is in use")
def _(t):
    tap.need("objcopy", "strip", "readelf")
    fault = tap._recording_fails()
    if fault:
        raise tap.Skip(fault)
    app, debug = t.folder / "app", t.folder / "app.debug"
    shutil.copy(tap.program("live", "burn_30_70"), app)
    t.wick("record", "--no-embed", "-q", "--user-only", "-o", "app.data", "--", app, "300")
    tap.run("objcopy", "--only-keep-debug", app, debug)
    tap.run("strip", app)
    held = []

    def answer(asked):
        while not held:
            time.sleep(0.02)
        return whole(debug.read_bytes()) if asked.endswith("/debuginfo") else missing(asked)

    with Server(answer) as symbols, view(t, "app.data", "--symbol-server", symbols.url,
                                         env=environment(t)) as server:
        first = server.ask("symbols").json
        t.equal(first["state"], "searching", "state at first")
        t.equal(first["generation"], 1, "generation at first")
        t.true("burn_seventy" not in server.ask("block/names?generation=1").json["names"], "names at first")
        held.append(True)
        news, until = first, time.monotonic() + PATIENCE
        while news["state"] != "done" and time.monotonic() < until:
            news = server.ask(f"symbols?after={news['change']}").json
        t.equal(news["state"], "done", "state at last")
        t.equal(news["generation"], 2, "generation at last")
        t.true(any(file["done"] for file in news["files"]), news["files"])
        expect(t, server.ask("block/names?generation=1"), 410, "names of before")
        t.true("burn_seventy" in server.ask("block/names?generation=2").json["names"], "names at last")


@tap.case("a server that never answers does not delay the end")
def _(t):
    tap.need("strip")
    fault = tap._recording_fails()
    if fault:
        raise tap.Skip(fault)
    app = t.folder / "app"
    shutil.copy(tap.program("live", "burn_30_70"), app)
    t.wick("record", "--no-embed", "-q", "--user-only", "-o", "app.data", "--", app, "300")
    tap.run("strip", app)
    asleep = socket.create_server(("127.0.0.1", 0))
    with view(t, "app.data", "--symbol-server", f"http://127.0.0.1:{asleep.getsockname()[1]}",
              env=environment(t)) as server:
        t.equal(server.ask("symbols").json["state"], "searching", "state")
        code, seconds, said = server.end()
        t.equal(code, 0, f"exit code ({said})")
        t.within(seconds, 0, 10, "seconds to end")
    asleep.close()


@tap.case("it ends by SIGTERM and Ctrl-C, with connections that are open")
def _(t):
    for number in (signal.SIGTERM, signal.SIGINT):
        with view(t) as server:
            waiting = [server.connect() for _ in range(5)]
            for connection in waiting[1:]:
                connection.sendall(server.request("symbols?after=1"))
            waiting[0].sendall(b"GET /")
            still_answers(t, server, "the start")
            code, seconds, said = server.end(number)
            t.equal(code, 0, f"exit code ({said})")
            t.within(seconds, 0, 10, "seconds to end")
            for connection in waiting:
                connection.close()


@tap.case("only this machine can connect, and another server can have the port")
def _(t):
    with view(t) as server:
        listening = pathlib.Path("/proc/net/tcp").read_text() + pathlib.Path("/proc/net/tcp6").read_text()
        own = [line.split()[1] for line in listening.splitlines()
               if line.split()[3] == "0A" and line.split()[1].endswith(f":{server.port:04X}")]
        t.equal(own, [f"0100007F:{server.port:04X}"], "listening sockets")
        done = t.wick("view", "--no-open", "--port", server.port, "stacks.folded", check=False)
        t.equal(done.returncode, 1, "exit code of a second server on the port")
        t.true("Address already in use" in done.stderr, done.stderr)


@tap.case("other users of the machine cannot connect")
def _(t):
    if os.geteuid():
        raise tap.Skip("only root can become another user")
    ask = """import os, socket, sys
os.setgroups([]), os.setgid(65534), os.setuid(int(sys.argv[3]))
family = socket.AF_INET6 if sys.argv[1] == "::ffff:127.0.0.1" else socket.AF_INET
connection = socket.socket(family)
if sys.argv[1] == "127.0.0.1":
    connection.bind((sys.argv[4], 0))
try:
    connection.connect((sys.argv[1], int(sys.argv[2])))
    connection.sendall(sys.stdin.buffer.read())
    sys.stdout.write(connection.makefile("rb").readline().decode())
except ConnectionError:
    pass
"""
    addresses = ["127.0.0.1"] + (["::ffff:127.0.0.1"] if socket.has_ipv6 else [])
    with view(t, env=os.environ | {"SUDO_UID": "65533"}) as server:
        for address in addresses:
            for user, expected in ((65534, ""), (65533, "HTTP/1.1 200 OK"), (0, "HTTP/1.1 200 OK")):
                done = tap.run(sys.executable, "-c", ask, address, server.port, user, "127.0.0.1",
                               input=server.request(Connection="close").decode())
                t.equal(done.stdout.strip(), expected, f"user {user} by {address}")
        for user in (65534, 65533):
            done = tap.run(sys.executable, "-c", ask, "127.0.0.1", server.port, user, "127.0.0.2",
                           input=server.request(Connection="close").decode())
            t.equal(done.stdout.strip(), "", f"user {user} from another address of this machine")
        still_answers(t, server, "other users")


@tap.case("each address is another, and the browser gets it")
def _(t):
    opener = t.folder / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text("#!/bin/sh\necho \"$1\" >opened.tmp\nmv opened.tmp opened\nexec sleep 5\n")
    opener.chmod(0o755)
    (t.folder / "stacks.folded").write_text(STACKS)
    tokens = set()
    for display in ({"DISPLAY": ":9"}, {}):
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        process = subprocess.Popen([tap.WICK, "view", "stacks.folded"], cwd=t.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=clean | display | {"PATH": f"{opener.parent}:{os.environ['PATH']}"})
        server = View(process)
        tokens.add(server.token)
        until = time.monotonic() + PATIENCE
        while display and not (t.folder / "opened").exists() and time.monotonic() < until:
            time.sleep(0.02)
        t.equal((t.folder / "opened").exists(), bool(display), "whether it was opened")
        if display:
            t.equal((t.folder / "opened").read_text().strip(), server.address, "what was opened")
            (t.folder / "opened").unlink()
        code, _, said = server.end()
        t.equal(code, 0, said)
    t.equal(len(tokens), 2, "tokens")


tap.run_all(needs_recording=False)
