#!/usr/bin/env python3
"""Files made to cost far more than they weigh. Each is compared with a harmless one of the same
shape, so that no machine is too slow or too small for it."""
import os
import pathlib
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

CODE_AT = 0x1000
CODE_BYTES = 0x100000
COMPRESSED = 0x800


def section(name, kind, flags, address, content, size=None):
    return (name, kind, flags, address, content, len(content) if size is None else size)


def packed(name, content):
    head = struct.pack("<IIQQ", 1, 0, len(content), 1)
    return section(name, 1, COMPRESSED, 0, head + zlib.compress(content, 9))


def elf(sections):
    """An x86_64 ELF file with code that is not in it."""
    names, rows, body = b"\0", [bytes(64)], bytearray(64)
    rest = [section(".text", 8, 6, CODE_AT, b"", CODE_BYTES), *sections]
    table = b"\0" + b"".join(row[0].encode() + b"\0" for row in rest) + b".names\0"
    for name, kind, flags, address, content, size in [*rest, section(".names", 3, 0, 0, table)]:
        rows.append(struct.pack("<IIQQQQIIQQ", len(names), kind, flags, address, len(body), size,
                                0, 0, 8, 0))
        names += name.encode() + b"\0"
        body += content + bytes(-len(content) % 8)
    body[:64] = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, len(body), 0, 64, 56, 0, 64, len(rows), len(rows) - 1)
    return bytes(body) + b"".join(rows)


def ranges(entries):
    """.debug_rnglists with one list, at offset 12."""
    rows = b"".join(bytes([4, 2 * i % 120, 2 * i % 120 + 1]) for i in range(entries))
    lists = b"\5" + struct.pack("<Q", CODE_AT) + rows + b"\0"
    return struct.pack("<IHBBI", len(lists) + 8, 5, 8, 0, 0) + lists


def unit(functions):
    """One that has the list at 12, and functions that have it too."""
    root = b"\1" + struct.pack("<I", 12)
    entries = root + (b"\2" + struct.pack("<I", 12)) * functions + b"\0"
    content = struct.pack("<HBBI", 5, 1, 8, 0) + entries
    return struct.pack("<I", len(content)) + content


def debug_info(units, functions, entries):
    abbrevs = b"\1\x11\1\x55\x17\0\0" + b"\2\x2e\0\x55\x17\0\0" + b"\0"
    return elf([section(".debug_abbrev", 1, 0, 0, abbrevs),
                packed(".debug_info", unit(functions) * units),
                packed(".debug_rnglists", ranges(entries))])


def cost(t, *words):
    """Seconds of processor time and KB of memory that wick takes."""
    process = subprocess.Popen([tap.WICK, *map(str, words)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    t.equal(process.returncode, 0, "exit code")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def compare(t, units, functions, entries):
    """What shares a list of many entries costs little more than what shares one of a single entry."""
    measured = []
    for count in (1, entries):
        path = t.folder / f"{count}.so"
        path.write_bytes(debug_info(units, functions, count))
        measured.append(min(cost(t, "symbolize", "-e", path, hex(CODE_AT)) for _ in range(3)))
    (seconds, kb), (more_seconds, more_kb) = measured
    print(f"# {path.stat().st_size} bytes of file: {more_seconds:.3f} s and {more_kb} KB, the "
          f"harmless one {seconds:.3f} s and {kb} KB")
    t.true(more_kb < 3 * kb, f"{more_kb} KB of memory are near {kb}")
    # Where both are done at once, the start of a process is what is measured.
    t.true(more_seconds < 10 * max(seconds, 0.01), f"{more_seconds} s are near {seconds} s")


@tap.case("units that share a list of ranges take no more memory than others")
def _(t):
    compare(t, 10000, 0, 1300)


@tap.case("functions that share a list of ranges take no more memory than others")
def _(t):
    compare(t, 1, 60000, 20000)


tap.run_all(needs_recording=False)
