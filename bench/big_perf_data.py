#!/usr/bin/env python3
"""Makes a large perf.data of a small one: its samples again and again, each time later.

    bench/big_perf_data.py SMALL BIG MEGABYTES

SMALL is a recording in file layout, little-endian and not compressed, with times in its samples.
What is mapped and which processes run is told once, as in a long recording of a program that has
started, and nothing exits; a FINISHED_ROUND ends each repetition."""
import os
import struct
import sys

EXIT, SAMPLE, FINISHED_ROUND = 4, 9, 68
DATA_SIZE_AT = 48


def records(data):
    at = 0
    while at + 8 <= len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if size < 8 or at + size > len(data):
            return
        yield kind, at, size
        at += size


def time_offset(sample_type):
    """Of TIME in a sample, behind IDENTIFIER, IP and TID."""
    if not sample_type & 1 << 2:
        sys.exit("the samples have no times")
    return 8 + 8 * sum(sample_type >> bit & 1 for bit in (16, 0, 1))


def main():
    small, big, megabytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(small, "rb") as file:
        whole = file.read()
    magic, head, _, attrs_at, _, data_at, data_size = struct.unpack_from("<8s6Q", whole)
    if magic != b"PERFILE2" or head != 104:
        sys.exit(small + " is not a perf.data in file layout")
    sample_type, = struct.unpack_from("<Q", whole, attrs_at + 24)
    at_time = time_offset(sample_type)
    data = whole[data_at:data_at + data_size]
    beside, samples, times = bytearray(), bytearray(), []
    for kind, at, size in records(data):
        if kind == SAMPLE:
            times.append(len(samples) + at_time)
            samples += data[at:at + size]
        elif kind not in (EXIT, FINISHED_ROUND):
            beside += data[at:at + size]
    if not times:
        sys.exit(small + " has no samples")
    first = [struct.unpack_from("<Q", samples, at)[0] for at in times]
    span = max(first) - min(first) + 1000
    samples += struct.pack("<IHH", FINISHED_ROUND, 0, 8)
    pack = struct.Struct("<Q").pack_into
    with open(big, "wb") as file:
        file.write(whole[:data_at])
        file.write(beside)
        written, turn = len(beside), 0
        while written < megabytes * 1000000:
            shift = span * turn
            for at, time in zip(times, first):
                pack(samples, at, time + shift)
            file.write(samples)
            written += len(samples)
            turn += 1
        # The features lie behind the data; their places are told from the file's begin.
        tail = whole[data_at + data_size:]
        moved = written - data_size
        bits = int.from_bytes(whole[72:104], "little").bit_count()
        for i in range(bits):
            place, size = struct.unpack_from("<QQ", tail, 16 * i)
            file.write(struct.pack("<QQ", place + moved, size))
        file.write(tail[16 * bits:])
        file.seek(DATA_SIZE_AT)
        file.write(struct.pack("<Q", written))
    print(f"{big}: {os.path.getsize(big)} bytes, {turn * len(times)} samples")


if __name__ == "__main__":
    main()
