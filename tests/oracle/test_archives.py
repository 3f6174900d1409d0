#!/usr/bin/env python3
"""wick's reading of archives beside Python's and Info-ZIP's: every member of those that other
programs made, and of some that are made here. And of cabinets: one that another program made, and
what Python's zlib packs as MSZIP."""
import io
import os
import pathlib
import random
import struct
import sys
import zipfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import lzx  # noqa: E402
import tap  # noqa: E402


def ours(path, check=True):
    done = tap.run(tap.program("oracle", "members"), path, check=check)
    if done.returncode and "was built without" in done.stderr:
        raise tap.Skip(done.stderr.strip())
    return done


def wanted(path):
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, str(info.file_size), f"{zlib.crc32(archive.read(info)):08x}")
                for info in archive.infolist()]


def compare(t, path):
    rows = [tuple(line.split("\t")) for line in ours(path).stdout.splitlines()]
    t.equal(rows, wanted(path), path.name)
    return len(rows)


def contents():
    """Of each kind: nothing, text that packs well, bytes that do not pack."""
    return {"empty": b"", "folder/text.txt": b"main;work 12\n" * 50000,
            "bytes.bin": os.urandom(100000)}


def python_zip(path, method, into=None, **options):
    with zipfile.ZipFile(into or path, "w", method) as archive:
        for name, data in contents().items():
            with archive.open(name, "w", **options) as member:
                member.write(data)
    return path


@tap.case("the archives of real traces: every member is as Python reads it")
def _(t):
    paths = sorted((tap.SHARED / "fixtures" / "etl").glob("*.zip"))
    if not paths:
        raise tap.Skip(f"no archives under {tap.SHARED}/fixtures/etl")
    count = sum(compare(t, path) for path in paths)
    t.within(count, len(paths), 10000, "members")


@tap.case("what Python's zipfile writes, stored and deflated")
def _(t):
    for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
        compare(t, python_zip(t.folder / f"python-{method}.zip", method))


@tap.case("what it writes with Zip64")
def _(t):
    compare(t, python_zip(t.folder / "z64.zip", zipfile.ZIP_DEFLATED, force_zip64=True))


@tap.case("what it writes to a pipe, with sizes behind the bytes")
def _(t):
    class Pipe(io.RawIOBase):
        kept = bytearray()

        def writable(self):
            return True

        def write(self, data):
            self.kept += bytes(data)
            return len(data)

    pipe = Pipe()
    path = python_zip(t.folder / "pipe.zip", zipfile.ZIP_DEFLATED, into=pipe)
    path.write_bytes(bytes(pipe.kept))
    compare(t, path)


@tap.case("70,000 members, which need Zip64 for their count")
def _(t):
    path = t.folder / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(70000):
            archive.writestr(zipfile.ZipInfo(str(number)), b"")
    t.equal(compare(t, path), 70000, "members")


@tap.case("what Info-ZIP writes, with a comment, behind something else, and encrypted")
def _(t):
    tap.need("zip")
    for name, data in contents().items():
        (t.folder / name).parent.mkdir(exist_ok=True)
        (t.folder / name).write_bytes(data)
    tap.run("zip", "-r", "info.zip", *contents(), "folder", cwd=t.folder)
    compare(t, t.folder / "info.zip")
    tap.run("zip", "-z", "info.zip", cwd=t.folder, input="a comment\n.\n")
    compare(t, t.folder / "info.zip")
    behind = t.folder / "behind.zip"
    behind.write_bytes(b"#!/bin/sh\nexit\n" * 10 + (t.folder / "info.zip").read_bytes())
    compare(t, behind)
    tap.run("zip", "-P", "word", "secret.zip", "bytes.bin", cwd=t.folder)
    t.true("is encrypted" in ours(t.folder / "secret.zip", check=False).stderr,
           "an encrypted member is refused with another sentence")


@tap.case("a member packed with bzip2 or LZMA is refused by that name")
def _(t):
    for method, name in (zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "LZMA"):
        path = python_zip(t.folder / f"{name}.zip", method)
        said = ours(path, check=False).stderr
        t.true(f"is packed with {name}" in said, f"it says {said!r}")


@tap.case("a symbol store's cabinet holds what lies beside it unpacked")
def _(t):
    folder = tap.SHARED / "fixtures" / "pdb"
    paths = sorted((folder / "symstore").glob("*/*/*.pd_"))
    if not paths:
        raise tap.Skip(f"no cabinets under {folder}")
    for path in paths:
        plain = (folder / path.name).with_suffix(".pdb")
        data = plain.read_bytes()
        t.equal(ours(path).stdout, f"{plain.name}\t{len(data)}\t{zlib.crc32(data):08x}\n",
                path.name)


def cabinet(name, size, method, frames):
    """One file, in blocks that were packed."""
    blocks = []
    for number, packed in enumerate(frames):
        plain = min(32768, size - number * 32768)
        blocks.append(struct.pack("<IHH", 0, len(packed), plain) + packed)
    files = struct.pack("<IIHHHH", size, 0, 0, 0, 0, 0x20) + name + b"\0"
    whole = 44 + len(files) + sum(map(len, blocks))
    head = struct.pack("<4sIIIIIBBHHHHHIHH", b"MSCF", 0, whole, 0, 44, 0, 3, 1, 1, 1, 0, 0, 0,
                       44 + len(files), len(blocks), method)
    return head + files + b"".join(blocks)


def mszip_frames(data):
    """Each block is packed with the 32 KiB before it as what it may repeat."""
    for at in range(0, len(data), 32768):
        pack = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=data[max(at - 32768, 0):at])
        yield b"CK" + pack.compress(data[at:at + 32768]) + pack.flush()


def repetitive(size, seed=5):
    chance = random.Random(seed)
    words = [bytes(chance.choices(b"abcdefgh", k=chance.randint(3, 40))) for _ in range(3000)]
    return b"".join(chance.choices(words, k=size // 21 + 3000))[:size]


def mszip_cabinet(t):
    data = repetitive(3000000)
    path = t.folder / "mszip.cab"
    path.write_bytes(cabinet(b"many.txt", len(data), 1, mszip_frames(data)))
    t.true(path.stat().st_size < len(data) / 3, "it is hardly packed")
    return path, data


def lzx_cabinet(t, data, bits, call_size=0):
    path = t.folder / f"lzx{bits}-{call_size}.cab"
    frames = lzx.Packer(data, bits, bits, call_size).pack()
    path.write_bytes(cabinet(b"many.txt", len(data), 3 | bits << 8, frames))
    return path, data


def lzx_cabinets(t):
    """One for each window's size."""
    data = repetitive(150001) + os.urandom(3000) + bytes(70000) + repetitive(60000, 6)
    for bits in range(15, 22):
        yield lzx_cabinet(t, data, bits)


def calls_cabinet(t):
    chance = random.Random(7)
    data = bytearray()
    while len(data) < 200000:
        data += bytes(chance.choices(b"\x90\xc3\x48\x89", k=chance.randint(0, 9)))
        data += b"\xe8" + struct.pack("<i", chance.randint(-300000, 300000))
    return lzx_cabinet(t, bytes(data), 16, len(data))


def compare_cabinet(t, path, data):
    t.equal(ours(path).stdout, f"many.txt\t{len(data)}\t{zlib.crc32(data):08x}\n", path.name)


@tap.case("MSZIP blocks that repeat each other, 3 MB of them")
def _(t):
    compare_cabinet(t, *mszip_cabinet(t))


@tap.case("LZX of every window's size, with every kind of block")
def _(t):
    for path, data in lzx_cabinets(t):
        compare_cabinet(t, path, data)


@tap.case("LZX with calls whose targets were made absolute")
def _(t):
    compare_cabinet(t, *calls_cabinet(t))


@tap.case("cabextract takes the cabinets that are made here for the same")
def _(t):
    tap.need("cabextract")
    for path, data in [mszip_cabinet(t), *lzx_cabinets(t), calls_cabinet(t)]:
        tap.run("cabextract", "-q", "-d", t.folder / "out", path)
        t.true((t.folder / "out" / "many.txt").read_bytes() == data,
               f"cabextract reads {path.name} otherwise")


tap.run_all(needs_recording=False)
