#!/usr/bin/env python3
"""Writes the streams of tests/golden/perfparser as hotspot's parser would:

    tests/data/perfparser.py tests/golden/perfparser

Layouts are those of docs/formats/perfparser.md."""
import pathlib
import struct
import sys

KERNEL = 0xffffffff
THREAD_START, THREAD_END, COMMAND, LOCATION, SYMBOL, STRING, LOST, FEATURES, ERROR, PROGRESS, \
    TRACE_FORMAT, ATTRIBUTES, SWITCH, SAMPLE, TRACE_SAMPLE, DOWNLOAD = range(16)
SOFTWARE, TRACEPOINT = 1, 2


def blob(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack(">I", len(data)) + data


def blobs(*texts):
    return struct.pack(">I", len(texts)) + b"".join(blob(text) for text in texts)


class Stream:
    """`is_newer`: with the fields that versions after 1.3 have."""

    def __init__(self, is_newer=False, version=19):
        self.data = b"QPERFSTREAM\0" + struct.pack("<i", version)
        self.is_newer = is_newer
        self.strings, self.locations = [], 0

    def record(self, kind, body):
        self.data += struct.pack("<IB", len(body) + 1, kind) + body

    def string(self, text):
        if text is None:
            return -1
        if text not in self.strings:
            self.record(STRING, struct.pack(">i", len(self.strings)) + blob(text))
            self.strings.append(text)
        return self.strings.index(text)

    def attributes(self, number, kind, config, name, period=0, frequency=0):
        name = self.string(name)
        self.record(ATTRIBUTES, struct.pack(">iIQi?Q", number, kind, config, name, bool(frequency),
                                            frequency or period))

    def location(self, address, pid=100, file=None, line=0, parent=-1):
        number = self.locations
        self.locations += 1
        body = struct.pack(">iQiIiii", number, address, self.string(file), pid, line, 7, parent)
        if self.is_newer:
            body += struct.pack(">Q", address & 0xfff)
        self.record(LOCATION, body)
        return number

    def symbol(self, number, name, path=None, is_kernel=False):
        binary = path and path.rsplit("/", 1)[-1]
        body = struct.pack(">iiii?", number, self.string(name), self.string(binary),
                           self.string(path), is_kernel)
        if self.is_newer:
            body += struct.pack(">QQi?", 0x100, 0x80, self.string(path), False)
        self.record(SYMBOL, body)

    def function(self, address, name, path=None, file=None, line=0, decl=0, **words):
        """A place in a function that is really called; returns the place and the function."""
        is_kernel = words.get("pid") == KERNEL
        entry = self.location(address & ~0xff, file=file, line=decl, parent=words.pop("into", -1),
                              **words)
        self.symbol(entry, name, path, is_kernel)
        return self.location(address, file=file, line=line, parent=entry, **words)

    def happens(self, kind, time, pid, tid=None, cpu=0, rest=b""):
        self.record(kind, struct.pack(">IIQI", pid, pid if tid is None else tid, time, cpu) + rest)

    def command(self, time, pid, tid, name):
        name = struct.pack(">i", self.string(name))
        self.happens(COMMAND, time, pid, tid, rest=name)

    def start(self, time, pid, tid, parent):
        self.happens(THREAD_START, time, pid, tid, rest=struct.pack(">I", parent))

    def sample(self, time, pid, tid, frames, *costs, cpu=0, fields=None):
        rest = struct.pack(f">I{len(frames)}iBI", len(frames), *frames, 0, len(costs))
        rest += b"".join(struct.pack(">iQ", *cost) for cost in costs)
        if fields is not None:
            rest += struct.pack(">I", len(fields)) + b"".join(
                struct.pack(">iIB", self.string(name), kind, 0) + value
                for name, (kind, value) in fields.items())
        self.happens(SAMPLE if fields is None else TRACE_SAMPLE, time, pid, tid, cpu, rest)

    def error(self, code, text):
        self.record(ERROR, struct.pack(">i", code) + blob(text.encode("utf-16be")))

    def progress(self, part):
        self.record(PROGRESS, struct.pack(">d", part))

    def features(self):
        ids = struct.pack(">I", 1) + struct.pack(">i", -1) + blob(b"\1" * 20) + blob("/bin/shop")
        nodes = struct.pack(">I", 1) + struct.pack(">IQQ", 0, 4096, 1024) + blob("0-3")
        counters = struct.pack(">I", 2) + struct.pack(">I", 1) + blob("software")
        counters += struct.pack(">I", 4) + blob("cpu")
        self.record(FEATURES, blobs()[4:] + b"".join(map(blob, [
            "till", "6.1.0-18-amd64", "6.1.76", "x86_64"])) + struct.pack(">II", 4, 8) + blob(
                "A processor") + blob("A,6,1") + struct.pack(">Q", 4096) + blobs(
                    "/usr/bin/perf", "record", "-g", "shop") + ids + blobs("0-3") + blobs(
                        "0-1", "2-3") + nodes + counters + struct.pack(">I", 0))


def shop(stream):
    """Functions of a program, the kernel and a library without names; what samples list."""
    vmlinux = "[kernel.kallsyms]_text"
    main = stream.function(0x401234, "main", "/bin/shop", "/src/shop.c", 30, 25)
    # deep() is inlined into middle(), and that into hot().
    hot = stream.location(0x401300, file="/src/shop.c", line=10)
    stream.symbol(hot, "hot", "/bin/shop")
    call = stream.location(0x401310, file="/src/shop.c", line=12, parent=hot)
    middle = stream.location(0x401310, file="/src/middle.h", line=4, parent=call)
    stream.symbol(middle, "hot::middle", "/bin/shop")
    call = stream.location(0x401318, file="/src/middle.h", line=5, parent=middle)
    deep = stream.location(0x401318, file="/src/middle.h", line=1, parent=call)
    stream.symbol(deep, "hot::middle::deep", "/bin/shop")
    inner = stream.location(0x401320, file="/src/middle.h", line=2, parent=deep)
    rust = stream.function(0x401500, "_RNvCs1234_4till5count", "/bin/shop")
    legacy = stream.function(0x401600, "_$LT$till..Coin$GT$::weigh::h0123456789abcdef", "/bin/shop")
    library = stream.function(0x7f0000001000, None, "/lib/libcoin.so")
    unknown = stream.location(0xdead)
    read = stream.function(0xffffffff81000123, "vfs_read", vmlinux, pid=KERNEL)
    again = stream.location(0xffffffff81000123, parent=stream.location(0))
    return [inner, main], [rust, legacy, main], [library, unknown, main], [read, again, main]


def first_version():
    stream = Stream()
    stream.attributes(0, SOFTWARE, 0, "cpu-clock", frequency=4000)
    stream.features()
    stream.progress(0.5)
    stream.command(0, 100, 100, "perf-exec")
    stream.command(1000, 100, 100, "shop")
    stream.start(1100, 100, 101, 100)
    stream.command(1200, 100, 101, "keeper\x1b[31m")
    inlined, rust, library, kernel = shop(stream)
    stream.sample(2000, 100, 100, inlined, (0, 250000))
    stream.sample(3000, 100, 101, rust, (0, 250001))
    stream.happens(SWITCH, 3500, 100, 101, rest=b"\1")
    stream.happens(SWITCH, 3600, 100, 101, rest=b"\0")
    stream.sample(4000, 100, 100, library, (0, 250000))
    stream.sample(5000, 100, 100, kernel, (0, 0))
    stream.start(5500, 200, 200, 100)
    stream.sample(6000, 200, 200, inlined, (0, 250000))
    stream.happens(LOST, 6500, 100)
    for name in "libcoin.so", "libcoin.so", "libnote.so":
        stream.error(2, f"Could not find ELF file for {name}\u2026")
    stream.happens(THREAD_END, 7000, 100, 101)
    stream.happens(THREAD_END, 8000, 200)
    stream.progress(1)
    return stream.data


def newer_version():
    stream = Stream(is_newer=True, version=22)
    for number, name in enumerate(["cpu-clock", "page-faults"]):
        stream.attributes(number, SOFTWARE, 2 * number, name, period=1000000)
    stream.attributes(2, TRACEPOINT, 316, "sched:sched_switch", period=1)
    names = list(map(stream.string, ["prev_comm", "prev_pid", "prev_prio", "next_comm", "ages"]))
    stream.record(TRACE_FORMAT, struct.pack(">iiiI", 316, stream.string("sched"), names[0], 0))
    stream.record(DOWNLOAD, struct.pack(">iqq", names[0], 1, 2))
    stream.start(0, 100, 100, 1)
    stream.command(0, 100, 100, "shop")
    inlined, rust, _, kernel = shop(stream)
    # A group: the counters are totals.
    stream.sample(1000, 100, 100, inlined, (0, 1000000), (1, 5))
    stream.sample(3000, 100, 100, rust, (0, 2000000), (1, 5), cpu=1)
    stream.sample(2000, 100, 100, rust, (0, 2500000), (1, 9))
    fields = {"prev_pid": (2, struct.pack(">i", -7)), "next_comm": (12, blob(b"till\0\0junk")),
              "prev_comm": (12, blob("shop")), "prev_prio": (36, struct.pack(">H", 120)),
              "ages": (9, struct.pack(">I", 2) + struct.pack(">IBB", 37, 0, 200)
                       + struct.pack(">IBQ", 5, 0, 1 << 40))}
    stream.sample(4000, 100, 100, kernel, (2, 1), cpu=3, fields=fields)
    stream.happens(LOST, 5000, 100, rest=struct.pack(">Q", 12))
    stream.error(1, "Time order violation")
    stream.progress(0.4)
    return stream.data


def damaged():
    stream = Stream()
    stream.attributes(0, SOFTWARE, 0, "cpu-clock", period=250)
    stream.command(0, 100, 100, "shop")
    inlined, *_ = shop(stream)
    known = stream.locations
    stream.location(0x10, parent=known)      # its own parent
    stream.record(LOCATION, b"\0" * 20)      # short
    stream.record(LOCATION, struct.pack(">iQiIiii", 1 << 30, 1, -1, 1, 1, 1, -1))
    stream.record(SYMBOL, struct.pack(">iiii?", 1 << 20, 0, 0, 0, False))
    stream.record(STRING, struct.pack(">iI", 99, 1 << 20))
    stream.record(77, b"?")
    stream.data += struct.pack("<I", 0)      # a record without a type
    stream.sample(1000, 100, 100, inlined + [1 << 20, -5], (0, 0))
    stream.sample(2000, 100, 100, inlined, (4, 1))
    stream.happens(SAMPLE, 3000, 100, rest=struct.pack(">I", 0xffffffff))
    stream.sample(4000, 100, 100, [], (0, 3))
    stream.sample(5000, 100, 100, inlined)
    stream.happens(COMMAND, 6000, 100, rest=b"\0")
    stream.record(ERROR, b"\0\0")
    return stream.data


def unknown_version():
    stream = Stream()
    stream.attributes(0, SOFTWARE, 0, "cpu-clock", period=250)
    stream.record(SYMBOL, b"\0" * 44)
    return stream.data


def main():
    folder = pathlib.Path(sys.argv[1])
    first = first_version()
    files = {"stacks": first, "newer": newer_version(), "damaged": damaged(),
             "unknown-version": unknown_version(), "truncated": first[:-200],
             "truncated-early": first[:300], "empty": Stream().data, "head": first[:14],
             "no-version": Stream(version=0).data}
    for name, data in files.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "input.perfparser").write_bytes(data)


main()
