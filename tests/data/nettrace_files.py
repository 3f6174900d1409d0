"""Writes the inputs of tests/golden/nettrace: recordings of .NET's EventPipe, versions 4 and 6.

usage: nettrace_files.py FOLDER        (tests/golden/nettrace)
"""
import pathlib
import struct
import sys

MS = 1000000
RUNTIME = "Microsoft-Windows-DotNETRuntime"
RUNDOWN = "Microsoft-Windows-DotNETRuntimeRundown"
SAMPLER = "Microsoft-DotNETCore-SampleProfiler"
PIPE = "Microsoft-DotNETCore-EventPipe"
EXTERNAL, MANAGED = 1, 2

# Numbers of types of events in these files.
SAMPLE, LOADED, RUNDOWN_METHOD, MODULE, THREAD, COMMAND, TICK, TASK = range(1, 9)
TYPES = {
    SAMPLE: (SAMPLER, 0), LOADED: (RUNTIME, 143), RUNDOWN_METHOD: (RUNDOWN, 144),
    MODULE: (RUNDOWN, 154), THREAD: (RUNTIME, 85), COMMAND: (PIPE, 1), TICK: (RUNTIME, 10),
    TASK: ("Shop-Events", 7),
}


def pack(form, *values):
    return struct.pack("<" + form, *values)


def z(text):
    return text.encode("utf-16le") + b"\0\0"


def var(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def text8(text):
    return var(len(text.encode())) + text.encode()


def short8(text):
    return pack("H", len(text.encode())) + text.encode()


class Event:
    def __init__(self, kind, ms, thread, payload=b"", stack=0, capturer=None, sequence=None):
        self.kind, self.ticks, self.thread, self.payload = kind, round(ms * MS), thread, payload
        self.stack, self.sequence = stack, sequence
        self.capturer = thread if capturer is None else capturer


class File:
    """The events of a block have rising numbers for each writer unless a test sets others."""

    def __init__(self, major, pointer="Q", packed=True):
        self.major, self.pointer, self.packed, self.numbers = major, pointer, packed, {}
        date = (2026, 11, 0, 29, 9, 4, 42, 390)
        head = pack("8hQQI", *date, 5000 * MS, 1000 * MS, struct.calcsize(pointer))
        if major == 6:
            self.bytes = b"Nettrace" + pack("III", 0, 6, 0)
            keys = [("HardwareThreadCount", "4"), ("ExpectedCPUSamplingRate", "1000000"), ("Unknown", "x")]
            self.block(1, head + pack("I", len(keys)) + b"".join(text8(k) + text8(v) for k, v in keys))
        else:
            self.bytes = b"Nettrace" + pack("I", 20) + b"!FastSerialization.1"
            self.object("Trace", head + pack("III", 100, 4, MS))

    def object(self, name, content):
        self.bytes += b"\5\5\1" + pack("III", 4, 4, len(name)) + name.encode() + b"\6"
        if name != "Trace":
            self.bytes += pack("I", len(content))
            self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.bytes += content + b"\6"

    def block(self, kind, content):
        names = {2: "EventBlock", 3: "MetadataBlock", 4: "SPBlock", 5: "StackBlock"}
        if self.major == 6:
            self.bytes += pack("I", len(content) | kind << 24) + content
        else:
            self.object(names[kind], content)

    def row(self, event, last):
        """A packed header says only what differs from the one before."""
        flags, out = 0, b""
        if event.kind != last["kind"]:
            flags, out = flags | 1, out + var(event.kind)
        if event.capturer != last["capturer"] or event.sequence != last["sequence"] + 1:
            flags |= 2
            step = event.sequence - last["sequence"] - 1 & 0xffffffff
            out += var(step) + var(event.capturer) + var(2)
        if event.thread != last["thread"]:
            flags, out = flags | 4, out + var(event.thread)
        if event.stack != last["stack"]:
            flags, out = flags | 8, out + var(event.stack)
        out += var(5000 * MS + event.ticks - last["ticks"] & 2**64 - 1)
        if len(event.payload) != last["size"]:
            flags, out = flags | 128, out + var(len(event.payload))
        last.update(kind=event.kind, capturer=event.capturer, sequence=event.sequence,
                    thread=event.thread, stack=event.stack, ticks=5000 * MS + event.ticks,
                    size=len(event.payload))
        return bytes([flags]) + out + event.payload

    def plain_row(self, event):
        out = pack("IIQQIIQ", event.kind, event.sequence, event.thread, event.capturer, 2, event.stack,
                   5000 * MS + event.ticks) + b"\0" * (4 if self.major == 6 else 32)
        out += pack("I", len(event.payload)) + event.payload
        out = pack("I", len(out)) + out
        return out if self.major == 6 else out + b"\0" * (-len(out) % 4)

    def events(self, *events):
        last = dict(kind=0, capturer=0, sequence=0, thread=0, stack=0, ticks=0, size=0)
        out = pack("HHQQ", 20, 1 if self.packed else 0, 0, 0)
        for event in events:
            if event.sequence is None:
                event.sequence = self.numbers.get(event.capturer, 0) + 1
            self.numbers[event.capturer] = event.sequence
            out += self.row(event, last) if self.packed else self.plain_row(event)
        self.block(2, out)

    def types(self, types, fields=None):
        out = pack("H", 0) if self.major == 6 else pack("HHQQ", 20, 0, 0, 0)
        for number, (provider, identity, *name) in types.items():
            name = name[0] if name else ""
            if self.major == 6:
                row = var(number) + text8(provider) + var(identity) + text8(name)
                described = (fields or {}).get(name, [])
                row += pack("H", len(described))
                for field, code in described:
                    row += pack("H", len(text8(field)) + 1) + text8(field) + bytes([code])
                out += pack("H", len(row + b"\0\0")) + row + b"\0\0"
            else:
                row = pack("I", number) + z(provider) + pack("I", identity) + z(name) + pack("QIII", 0, 1, 5, 0)
                head = pack("IIQQIIQ", 0, 0, 0, 0, 0, 0, 0) + b"\0" * 32 + pack("I", len(row))
                out += pack("I", len(head) + len(row)) + head + row
                out += b"\0" * (-len(out) % 4)
        self.block(3, out)

    def stacks(self, first, *stacks):
        out = pack("II", first, len(stacks))
        for stack in stacks:
            frames = b"".join(pack(self.pointer, address) for address in stack)
            out += pack("I", len(frames)) + frames
        self.block(5, out)

    def point(self, ms, threads=(), flags=0):
        out = pack("Q", 5000 * MS + round(ms * MS)) + (pack("I", flags) if self.major == 6 else b"")
        out += pack("I", len(threads))
        for thread, sequence in threads:
            out += var(thread) + var(sequence) if self.major == 6 else pack("QI", thread, sequence)
        self.block(4, out)

    def threads(self, *rows):
        out = b""
        for number, pid, tid, name in rows:
            row = var(number) + b"\2" + var(pid) + b"\3" + var(tid)
            row += b"\1" + text8(name) + b"\4" + text8("key") + text8("value") if name else b""
            out += pack("H", len(row)) + row
        self.block(6, out)

    def end(self):
        self.bytes += pack("I", 0) if self.major == 6 else b"\1"
        return self.bytes


def method(start, space, name, module=0x77, size=0x100):
    return pack("QQQIII", 0x900, module, start, size, 0x6000001, 0) + z(space) + z(name) + z("void ()") + pack("HQ", 9, 0)


def module(number, path):
    return pack("QQII", number, 0x55, 0, 0) + z(path) + z("") + pack("H", 9)


def thread(tid, flags):
    return pack("QQIIIH", 1, 2, flags, 3, tid, 9)


MAIN, HEAVY, LIGHT, SLEEP, STUB, LATE, DOOR = (0x10000 + 0x1000 * i for i in range(7))
STACKS = [
    (HEAVY + 0x10, MAIN + 0x20), (LIGHT + 0x10, MAIN + 0x30), (SLEEP + 8, MAIN + 0x40),
    (STUB + 4, SLEEP + 8, MAIN + 0x40), (DOOR + 4, MAIN + 0x50),
]
METHODS = [
    (MAIN, "Shop.Program", "Main"), (HEAVY, "Shop.Program", "Heavy"), (LIGHT, "Shop.Box`1[System.__Canon]", "Light"),
    (SLEEP, "System.Threading.Thread", "Sleep"), (STUB, "dynamicClass", "IL_STUB_PInvoke"),
    (DOOR, "Microsoft.Oven.Door", "Open", 0x78),
]
PROGRAM, CASHIER, SAMPLING = 100, 101, 109


def rundown(ms, methods=METHODS):
    yield Event(MODULE, ms, PROGRAM, module(0x77, "/srv/shop/Shop.dll"))
    yield Event(MODULE, ms, PROGRAM, module(0x78, "/usr/share/dotnet/shared/Microsoft.Oven.App/8.0.1/Microsoft.Oven.dll"))
    for row in methods:
        yield Event(RUNDOWN_METHOD, ms, PROGRAM, method(*row))


def sampled(ms, thread, stack, word=MANAGED):
    return Event(SAMPLE, ms, thread, pack("I", word), stack, SAMPLING)


def rounds(word):
    """Heavy runs three times as long as Light; the cashier sleeps."""
    for i in range(8):
        yield sampled(10 + i, PROGRAM, 1 if i % 4 else 2, word)
        yield sampled(10.02 + i, CASHIER, 4 if i == 5 else 3, EXTERNAL)


def started(file):
    file.types(TYPES)
    file.events(Event(COMMAND, 1, PROGRAM, z("/usr/bin/dotnet /srv/shop/Shop.dll --oven") + z("Linux") + z("x64")),
                Event(THREAD, 2, CASHIER, thread(CASHIER, 4)))


def version4(**form):
    file = File(4, **form)
    started(file)
    file.stacks(1, *STACKS)
    file.events(*rounds(MANAGED), sampled(18, PROGRAM, 5, EXTERNAL), sampled(18.1, 102, 0, EXTERNAL))
    file.point(19)
    # The number is of another stack now. A method is compiled before it runs, but written later.
    file.stacks(1, (LATE + 4, MAIN + 0x60))
    file.events(sampled(30, PROGRAM, 1), sampled(31.5, PROGRAM, 1))
    file.events(Event(LOADED, 29, PROGRAM, method(LATE, "Shop.Late", "Run")))
    file.point(40)
    file.events(*rundown(50))
    return file.end()


def version6():
    file = File(6)
    file.types(TYPES)
    file.threads((1, 100, 100, ""), (2, 100, 101, "cashier"), (3, 100, 109, ""))
    file.stacks(1, *STACKS)
    samples = list(rounds(MANAGED))
    for event in samples:
        event.thread, event.capturer = event.thread - 99, 3
    file.events(Event(COMMAND, 1, 1, z("dotnet Shop.dll") + z("Linux") + z("arm64")), *samples)
    file.point(20)
    file.block(8, b"labels are skipped")
    file.block(99, b"and so are kinds that do not exist yet")
    late = list(rundown(50))
    for event in late:
        event.thread = event.capturer = 1
    file.events(*late)
    return file.end()


NUMBER, TEXT = 21, 23
SYSTEM_FIELDS = {
    "cpu": [("Value", NUMBER)], "cswitch": [("Value", NUMBER)],
    "ExistingProcess": [("NamespaceId", NUMBER), ("Name", TEXT), ("NamespaceName", TEXT)],
    "ProcessCreate": [("NamespaceId", NUMBER), ("Name", TEXT), ("NamespaceName", TEXT)],
    "ProcessMapping": [("Id", NUMBER), ("StartAddress", NUMBER), ("EndAddress", NUMBER), ("FileOffset", NUMBER),
                       ("FileName", TEXT), ("MetadataId", NUMBER)],
    "ProcessSymbol": [("Id", NUMBER), ("MappingId", NUMBER), ("StartAddress", NUMBER), ("EndAddress", NUMBER),
                      ("Name", TEXT)],
}


def machine():
    """A collector of the whole machine: native, kernel and compiled code of two processes."""
    file = File(6)
    names = ["cpu", "cswitch", "ExistingProcess", "ProcessCreate", "ProcessExit", "ProcessMapping", "ProcessSymbol"]
    kinds = {name: i + 1 for i, name in enumerate(names)}
    file.types({kinds[name]: ("Universal.Events" if "c" == name[0] else "Universal.System", i, name)
                for i, name in enumerate(names)}, SYSTEM_FIELDS)
    file.point(0, flags=1)
    file.stacks(1, (0x7f0000001010, 0x7f0000001100), (0xffffffff81000010, 0x7f0000001010, 0x7f0000001100),
                (0x7e0000000010, 0x7f0000001100))
    file.threads((1, 200, 200, "oven"), (2, 200, 201, "door"), (3, 300, 300, "till"))

    def mapping(ms, who, number, start, stop, offset, name):
        return Event(kinds["ProcessMapping"], ms, who, b"".join(map(var, (number, start, stop, offset))) +
                     short8(name) + var(1), capturer=1)

    def symbol(ms, who, mapped, start, stop, name):
        return Event(kinds["ProcessSymbol"], ms, who, b"".join(map(var, (9, mapped, start, stop))) + short8(name),
                     capturer=1)

    def process(name, ms, who, text):
        return Event(kinds[name], ms, who, var(7) + short8(text) + short8("Unknown"), capturer=1)

    def value(name, ms, who, stack, number):
        return Event(kinds[name], ms, who, var(number), stack, capturer=1)

    file.events(
        process("ExistingProcess", 1, 1, "oven"),
        mapping(1, 1, 5, 0x7f0000001000, 0x7f0000002000, 0x1000, "/srv/shop/oven"),
        symbol(1, 1, 5, 0x7f0000001000, 0x7f0000001080, "oven!heat"),
        symbol(1, 1, 5, 0x7f0000001080, 0x7f0000001180, "oven!main"),
        mapping(1, 1, 6, 0x7e0000000000, 0x7e0000010000, 0, "/memfd:doublemapper (deleted)"),
        symbol(1, 1, 6, 0x7e0000000000, 0x7e0000000080, "memfd:doublemapper (deleted)!Shop.Oven.Bake"),
        mapping(1, 1, 7, 0xffffffff81000000, 0xffffffff82000000, 0, "vmlinux"),
        symbol(1, 1, 7, 0xffffffff81000000, 0xffffffff81000100, "vmlinux!do_read"),
        value("cpu", 10, 1, 1, 1), value("cpu", 11, 2, 2, 1), value("cpu", 12, 1, 3, 2),
        value("cswitch", 13, 2, 1, 4 * MS),
        process("ProcessCreate", 14, 3, "till"),
        mapping(14, 3, 8, 0x7f0000001000, 0x7f0000002000, 0, "/srv/shop/till"),
        value("cpu", 15, 3, 1, 1),
        Event(kinds["ProcessExit"], 16, 3, capturer=1))
    file.point(20, flags=1)
    return file.end()


def unmarked():
    """As .NET 9 and .NET on Windows write it: everything is said to be external."""
    file = File(4)
    started(file)
    file.stacks(1, *STACKS)
    file.events(*rounds(EXTERNAL))
    file.events(*rundown(50))
    return file.end()


def allocations():
    file = File(4)
    started(file)
    file.stacks(1, *STACKS)
    tick = pack("IIH", 100, 0, 9)
    file.events(Event(TICK, 10, PROGRAM, tick + pack("Q", 102400), 1), Event(TICK, 11, PROGRAM, tick, 2),
                Event(TASK, 12, CASHIER, b"", 3))
    file.events(*rundown(50))
    return file.end()


def lossy():
    """One number is missing, the writer has used two more, and others are numbered anew."""
    file = File(4)
    started(file)
    file.stacks(1, *STACKS)
    file.events(sampled(10, PROGRAM, 1), Event(SAMPLE, 11, PROGRAM, pack("I", MANAGED), 1, SAMPLING, 3))
    file.point(20, [(SAMPLING, 5)])
    file.events(Event(SAMPLE, 21, PROGRAM, pack("I", MANAGED), 9, SAMPLING, 1))
    file.events(Event(LOADED, 22, PROGRAM, b"short"), Event(77, 23, PROGRAM))
    file.events(*rundown(50))
    return file.end()


def main(folder):
    whole = version4()
    inputs = {
        "version-4": whole, "version-6": version6(), "machine": machine(), "unmarked": unmarked(),
        "plain-headers": version4(packed=False), "32-bits": version4(pointer="I"), "allocations": allocations(),
        "losses": lossy(), "cut": whole[:whole.index("Shop.Box".encode("utf-16le")) - 30], "cut-in-header": whole[:60],
        "damaged": whole[:whole.rindex(b"\5\5\1")] + b"\7" * 40,
        "newer": b"Nettrace" + pack("III", 0, 7, 0), "netperf": whole[8:],
        "no-samples": File(6).end(),
    }
    for name, content in inputs.items():
        case = pathlib.Path(folder, name)
        case.mkdir(exist_ok=True)
        (case / "input.nettrace").write_bytes(content)


main(sys.argv[1])
