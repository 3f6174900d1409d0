#!/usr/bin/env python3
"""Reads what `wick report` writes, as docs/report-format.md describes it, for tests.

    tests/page.py PAGE blocks             the names of all blocks
    tests/page.py PAGE head [KEY...]      these values of the head, one a line; all but those that
                                          differ from build to build
    tests/page.py PAGE block NAME         a block of JSON, a line for each row of its lists
    tests/page.py PAGE columns NAME       the columns of a block, one a line
    tests/page.py PAGE functions [EVENT]  sums by function, as `wick show --csv functions` has them
    tests/page.py PAGE live NUMBER        bytes and blocks at a snapshot, and at the end for 0
    tests/page.py PAGE markup             scripts, title and table as an HTML parser sees them
    tests/page.py PAGE policy             whether the policy allows exactly the page's own scripts
"""
import base64
import collections
import csv
import hashlib
import html.parser
import json
import re
import struct
import sys
import zlib


class Markup(html.parser.HTMLParser):
    """Counts elements, and keeps their text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open = collections.Counter(), collections.defaultdict(list), ""
        self.policy, self.blocks = "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.elements[tag] += 1
        self.open = tag
        self.texts[tag].append("")
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if "data-block" in values:
            self.blocks.append((values, len(self.texts[tag]) - 1))

    def handle_endtag(self, tag):
        self.open = ""

    def handle_data(self, data):
        if self.open:
            self.texts[self.open][-1] += data


def columns_of(block):
    length, = struct.unpack_from("<I", block)
    result, at = {}, 4 + length
    for column in json.loads(block[4:at]):
        rows, values, total = column["rows"], [], 0
        planes = [block[at + i * rows:at + (i + 1) * rows] for i in range(column["bytes"])]
        at += rows * column["bytes"]
        for row in range(rows):
            value = sum(plane[row] << 8 * i for i, plane in enumerate(planes))
            value += column.get("base", 0)
            total += value
            values.append((total if column.get("delta") else value) * column.get("scale", 1))
        result[column["name"]] = values
    if at != len(block):
        sys.exit("a block of columns has %d bytes, not %d" % (len(block), at))
    return result


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.markup = Markup(file.read())
        self.blocks = {}
        for attributes, number in self.markup.blocks:
            plain = base64.b64decode(self.markup.texts["script"][number], validate=True)
            if attributes["data-packing"] == "gzip":
                plain = zlib.decompress(plain, 31)
            if len(plain) != int(attributes["data-bytes"]):
                sys.exit("%s: has another size" % attributes["data-block"])
            self.blocks[attributes["data-block"]] = plain

    def json(self, name):
        return json.loads(self.blocks[name])

    def columns(self, name):
        return columns_of(self.blocks[name])

    def samples(self, event):
        columns = self.columns("samples-%d" % event)
        columns["stack"] = [columns["ranks"][rank] for rank in columns["stack"]]
        if columns["time"] != sorted(columns["time"]):
            sys.exit("samples-%d: not in order of time" % event)
        return columns


def event_of(page, name):
    head = page.json("head")
    if not name:
        return head["event"]
    return [event and event["name"] for event in head["events"]].index(name)


def functions(page, event):
    names, stacks, frames = page.json("names"), page.columns("stacks"), page.columns("frames")
    images = page.json("head")["images"]
    samples = page.samples(event)
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for stack, weight, times in zip(samples["stack"], samples["weight"], samples["times"]):
        leaf, met = stack, set()
        while stack:
            function = frames["function"][stacks["frame"][stack]]
            if stack == leaf:
                sums[function][0] += weight
                sums[function][2] += times
            if function not in met:
                sums[function][1] += weight
                sums[function][3] += times
            met.add(function)
            stack = stacks["parent"][stack]
    rows = []
    for function, values in sums.items():
        image = images[names["image"][function]]
        module = image["name"] if image else names["files"][names["file"][function]]
        rows.append([names["names"][function], module] + values)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["function", "image", "self", "total", "self_samples", "total_samples"])
    out.writerows(sorted(rows))


def live(page, number):
    """What rows and ends say of a snapshot, or of the end of the recording."""
    head = page.json("head")
    event = [bool(event and event["blocks"]) for event in head["events"]].index(True)
    samples, ends = page.samples(event), page.columns("ends-%d" % event)
    snapshot = head["snapshots"][number - 1] if number else {
        "row": len(samples["time"]), "end": len(ends["time"]), "process": 0}
    row, end = snapshot["row"], snapshot["end"]

    is_ours = [not snapshot["process"] or head["threads"][thread]["process"] == snapshot["process"]
               for thread in samples["thread"]]
    size = sum(weight for weight, ours in zip(samples["weight"][:row], is_ours) if ours)
    count = sum(times for times, ours in zip(samples["times"][:row], is_ours) if ours)
    for i in range(end):
        if is_ours[ends["row"][i]] and (number or not ends["left"][i]):
            size -= ends["weight"][i]
            count -= ends["times"][i]
    print(size, count)


def show_head(page, keys):
    head = page.json("head")
    for key, value in head.items():
        if key in keys or not keys and key not in ("wick", "lacks"):
            print(key, json.dumps(value, ensure_ascii=False))


def show_block(page, name):
    for key, value in page.json(name).items():
        print(key, json.dumps(value, ensure_ascii=False) if not value or not isinstance(value, list)
              else "".join("\n\t" + json.dumps(row, ensure_ascii=False) for row in value))


def show_markup(page):
    """The page itself has a script; more of them would be of the recording."""
    print("scripts besides blocks:", page.markup.elements["script"] - len(page.blocks))
    print("title:", page.markup.texts["title"])
    for text in page.markup.texts["td"]:
        print("cell:", json.dumps(text, ensure_ascii=False))


def show_policy(page):
    allowed = set(re.findall(r"'sha256-([^']*)'", page.markup.policy))
    hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
              for tag in ("script", "style")
              for i, text in enumerate(page.markup.texts[tag])
              if tag == "style" or i not in [number for _, number in page.markup.blocks]}
    print("the policy is that of the page" if allowed == hashes else
          "allowed: %s, there: %s" % (sorted(allowed), sorted(hashes)))


def main():
    page, what, rest = Page(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if what == "blocks":
        print("\n".join(page.blocks))
    elif what == "head":
        show_head(page, rest)
    elif what == "block":
        show_block(page, rest[0])
    elif what == "columns":
        for name, values in page.columns(rest[0]).items():
            print(name, *values)
    elif what == "functions":
        functions(page, event_of(page, rest[0] if rest else None))
    elif what == "live":
        live(page, int(rest[0]))
    elif what == "markup":
        show_markup(page)
    else:
        show_policy(page)


if __name__ == "__main__":
    main()
