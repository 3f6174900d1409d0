"""Packs bytes with LZX as cabinets have it, for tests: every kind of block, matches at all kinds of
distances, and calls whose targets are made absolute. Slow, and no match for a real packer."""
import heapq
import random
import struct

FRAME = 32768
SLOTS = {15: 30, 16: 32, 17: 34, 18: 36, 19: 38, 20: 42, 21: 50}
FOOTERS = [0 if slot < 4 else min(slot // 2 - 1, 17) for slot in range(51)]
BASES = [sum(1 << bits for bits in FOOTERS[:slot]) for slot in range(51)]


class Bits:
    """Words of 16 bits, the highest bit first."""

    def __init__(self):
        self.out, self.word, self.count = bytearray(), 0, 0

    def put(self, value, count):
        for shift in range(count - 1, -1, -1):
            self.word = self.word << 1 | (value >> shift & 1)
            self.count += 1
            if self.count == 16:
                self.out += struct.pack("<H", self.word)
                self.word = self.count = 0

    def align(self, at_least_one=False):
        if self.count or at_least_one:
            self.put(0, 16 - self.count)


def code_lengths(weights, most):
    """Of a Huffman code: weights are made more alike until no word is longer than `most`."""
    used = [i for i, weight in enumerate(weights) if weight]
    if len(used) == 1:
        used.append(1 if used[0] == 0 else 0)
    if len(used) <= 2:
        return [int(i in used) for i in range(len(weights))]
    while True:
        heap = [(weights[i], i, (i,)) for i in used]
        lengths = [0] * len(weights)
        heapq.heapify(heap)
        while len(heap) > 1:
            (a, _, left), (b, number, right) = heapq.heappop(heap), heapq.heappop(heap)
            for i in left + right:
                lengths[i] += 1
            heapq.heappush(heap, (a + b, number, left + right))
        if max(lengths) <= most:
            return lengths
        weights = [weight // 2 + 1 if weight else 0 for weight in weights]


def words(lengths):
    """The word of each symbol and its length."""
    word, last, codes = 0, 0, {}
    for length, symbol in sorted((length, i) for i, length in enumerate(lengths) if length):
        word <<= length - last
        codes[symbol] = (word, length)
        word, last = word + 1, length
    return codes


def put_lengths(bits, before, lengths):
    """As differences from those of the block before, with runs."""
    steps, at = [], 0
    while at < len(lengths):
        run = 1
        while at + run < len(lengths) and lengths[at + run] == lengths[at]:
            run += 1
        if lengths[at] == 0 and run >= 20:
            run = min(run, 51)
            steps.append((18, run - 20, 5, None))
        elif lengths[at] == 0 and run >= 4:
            run = min(run, 19)
            steps.append((17, run - 4, 4, None))
        elif run >= 4:
            run = min(run, 5)
            steps.append((19, run - 4, 1, (before[at] - lengths[at]) % 17))
        else:
            run = 1
            steps.append(((before[at] - lengths[at]) % 17, 0, 0, None))
        at += run
    weights = [0] * 20
    for symbol, _, _, second in steps:
        weights[symbol] += 1
        if second is not None:
            weights[second] += 1
    pretree = code_lengths(weights, 15)
    for length in pretree:
        bits.put(length, 4)
    codes = words(pretree)
    for symbol, more, count, second in steps:
        bits.put(*codes[symbol])
        bits.put(more, count)
        if second is not None:
            bits.put(*codes[second])


def with_absolute_calls(data, size):
    """What the reader takes back: see the decoder."""
    out = bytearray(data)
    for begin in range(0, len(out), FRAME):
        frame_end = min(begin + FRAME, len(out))
        i = begin
        while i < frame_end - 10:
            if out[i] != 0xe8:
                i += 1
                continue
            target, = struct.unpack_from("<i", out, i + 1)
            if -i <= target < size - i:
                struct.pack_into("<i", out, i + 1, target + i)
            elif size - i <= target < size:
                struct.pack_into("<i", out, i + 1, target - size)
            i += 5
    return bytes(out)


def tokens(data, window):
    """Bytes and (length, distance), none of which goes over a frame's end."""
    at, seen = 0, {}
    while at < len(data):
        key = data[at:at + 3]
        before = seen.get(key)
        end = min(at // FRAME * FRAME + FRAME, len(data), at + 257)
        length = 0
        if before is not None and len(key) == 3 and at - before <= window - 3:
            while at + length < end and data[before + length] == data[at + length]:
                length += 1
        step = length if length >= 2 else 1
        yield at, (data[at] if length < 2 else (length, at - before))
        for i in range(at, min(at + step, at + 8)):
            seen[data[i:i + 3]] = i
        at += step


class Packer:
    def __init__(self, data, window_bits, seed, call_size=0):
        self.plain = with_absolute_calls(data, call_size) if call_size else data
        self.window_bits, self.call_size = window_bits, call_size
        self.chance = random.Random(seed)
        self.bits, self.frames = Bits(), []
        self.last = [1, 1, 1]
        self.main, self.length = [0] * (256 + 8 * SLOTS[window_bits]), [0] * 249

    def symbols_of(self, length, distance):
        """Main symbol, length symbol or None, slot and footer."""
        if distance in self.last:
            slot = self.last.index(distance)
            self.last[slot], self.last[0] = self.last[0], distance
            footer = 0
        else:
            slot = max(s for s in range(3, SLOTS[self.window_bits]) if BASES[s] <= distance + 2)
            footer = distance + 2 - BASES[slot]
            self.last = [distance] + self.last[:2]
        short = min(length - 2, 7)
        return 256 + slot * 8 + short, length - 9 if short == 7 else None, slot, footer

    def end_frames(self, at):
        if at % FRAME == 0 or at == len(self.plain):
            self.bits.align()
            self.frames.append(bytes(self.bits.out))
            self.bits.out.clear()

    def coded(self, kind, items):
        rows, weights = [], [[0] * len(self.main), [0] * 249, [1] * 8]
        for at, token in items:
            row = ((token, None, 0, 0), at + 1) if isinstance(token, int) else (
                self.symbols_of(*token), at + token[0])
            rows.append(row)
            (main, length, slot, footer), _ = row
            weights[0][main] += 1
            if length is not None:
                weights[1][length] += 1
            if kind == 2 and FOOTERS[slot] >= 3:
                weights[2][footer & 7] += 1
        lengths = [code_lengths(weights[0], 16), code_lengths(weights[1], 16),
                   code_lengths(weights[2], 7)]
        if kind == 2:
            for length in lengths[2]:
                self.bits.put(length, 3)
        put_lengths(self.bits, self.main[:256], lengths[0][:256])
        put_lengths(self.bits, self.main[256:], lengths[0][256:])
        put_lengths(self.bits, self.length, lengths[1])
        self.main, self.length = lengths[:2]
        codes = [words(some) for some in lengths]
        for (main, length, slot, footer), end in rows:
            self.bits.put(*codes[0][main])
            if length is not None:
                self.bits.put(*codes[1][length])
            if kind == 2 and FOOTERS[slot] >= 3:
                self.bits.put(footer >> 3, FOOTERS[slot] - 3)
                self.bits.put(*codes[2][footer & 7])
            else:
                self.bits.put(footer, FOOTERS[slot])
            self.end_frames(end)

    def uncompressed(self, begin, end):
        self.bits.align(at_least_one=True)
        self.bits.out += struct.pack("<III", *self.last)
        while begin < end:
            stop = min(end, begin // FRAME * FRAME + FRAME)
            self.bits.out += self.plain[begin:stop]
            if stop == end and (end - self.begin) % 2:
                self.bits.out += b"\0"
            self.end_frames(stop)
            begin = stop

    def pack(self):
        """The packed bytes of each frame."""
        items = list(tokens(self.plain, 1 << self.window_bits))
        self.bits.put(1 if self.call_size else 0, 1)
        if self.call_size:
            self.bits.put(self.call_size, 32)
        at = 0
        while at < len(items):
            many = self.chance.choice([1, 300, 9000, 30000])
            some = items[at:at + many]
            at += many
            self.begin = some[0][0]
            end = items[at][0] if at < len(items) else len(self.plain)
            kind = self.chance.choice([1, 2, 3] if end % FRAME or (end - self.begin) % 2 == 0
                                      else [1, 2])
            self.bits.put(kind, 3)
            self.bits.put(end - self.begin, 24)
            if kind == 3:
                self.uncompressed(self.begin, end)
            else:
                self.coded(kind, some)
        return self.frames
