"""What a recording of the heap contains, and what the program has counted itself (heap_count.h)."""
import bisect
import collections
import os
import pathlib
import re

import tap

FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


def events(t, recording):
    """The events of a recording in order: (kind, fields)."""
    for line in t.wick("dump", recording, seconds=300).stdout.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "heap":  # there are millions, and no text in them has a blank
            yield kind, dict(field.split("=", 1) for field in rest.split(" "))
        elif kind in ("process", "note"):
            yield kind, {name: value.strip('"') for name, value in FIELD.findall(rest)}


def summed(t, recording):
    """What wick itself adds up of a recording that is too large to be read line by line here:
    allocations, whether releases are missing, and notes."""
    shown = t.wick("show", recording, "heap", "--all", seconds=300).stdout
    found = re.search(r"in ([\d,]+) allocation", shown)
    return (int(found[1].replace(",", "")) if found else 0, "missed" in shown,
            [line for line in shown.splitlines() if "damaged" in line or "lost:" in line])


def has_uprobes():
    """May programs be recorded without the heap library?"""
    return os.geteuid() == 0 and any(os.access(f"{root}/uprobe_events", os.W_OK) for root in (
        "/sys/kernel/tracing", "/sys/kernel/debug/tracing"))


def as_user(t):
    """What starts a recorder as a user without rights."""
    if os.geteuid() != 0:
        return ()
    tap.need("setpriv")
    t.folder.chmod(0o777)
    return "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"


class Log:
    """By process: what was counted of each function, as [times, bytes], and where that was."""

    def __init__(self, path, same=()):
        self.counted = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
        self.ranges = collections.defaultdict(set)
        self.main = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            kind, pid, *rest = line.split()
            if kind == "range":
                self.ranges[pid].add((int(rest[0], 16), int(rest[1], 16)))
            elif kind == "place":
                self.main[pid] = int(rest[1], 16)
            else:
                name, times, size = rest if kind == "allocated" else ["free", *rest]
                name = dict(same).get(name, name)
                self.counted[pid][name][0] += int(times)
                self.counted[pid][name][1] += int(size)

    def is_counted(self, pid, chain):
        """Allocations are counted by their caller; operator new is between."""
        return any(low <= address < high for low, high in self.ranges[pid] for address in chain[:3])


class Order:
    """Events of different threads at one address may be in the wrong order, by less than LOOSE_NS: a
    release before its allocation, or an allocation before the release of the block before it. Not so
    of processes that ran before."""
    LOOSE_NS = 100000

    def __init__(self):
        self._waiting = collections.defaultdict(list)  # (pid, address): (time, tid, block)
        self.strict = set()

    def wait(self, fields, block=None):
        if fields["pid"] not in self.strict:
            self._waiting[fields["pid"], fields["address"]].append(
                (int(fields["time"]), fields["tid"], block))

    def take(self, fields, by_others=False):
        """What came for the event: a list of one block, or of None for a release; empty: nothing."""
        waiting, now = self._waiting.get((fields["pid"], fields["address"]), []), int(fields["time"])
        for i, (time, tid, block) in enumerate(waiting):
            if now < time + self.LOOSE_NS and (tid != fields["tid"] or not by_others):
                del waiting[i]
                return [block]
        return []


class Heap:
    """The same of a recording, and its stacks."""

    def __init__(self, t, recording, log):
        self.counted = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
        self.chains = collections.defaultdict(collections.Counter)
        self.allocations = self.missed = self.foreign = self.backward = self.cut = 0
        self.notes = []
        self.live = collections.defaultdict(dict)  # process: address: is it counted, size
        self._log, self._known, last = log, {}, 0
        self._releases, self._blocks = Order(), Order()
        for kind, fields in events(t, recording):
            if kind == "note":
                self.notes.append(fields["text"])
            elif kind == "process" and fields["change"] == "fork":
                self.live[fields["pid"]] = dict(self.live[fields["parent_pid"]])
            elif kind == "process" and fields["change"] == "exec":
                self.live[fields["pid"]] = {}
            elif kind == "heap":
                self.backward += int(fields["time"]) < last
                last = int(fields["time"])
                self._take(fields)

    def _take(self, fields):
        if fields["change"] == "seen":
            self._releases.strict.add(fields["pid"])
            self._blocks.strict.add(fields["pid"])
            return
        pid, address = fields["pid"], fields["address"]
        if fields["change"] == "free":
            self._free(fields)
            return
        size = int(fields.get("size", "0"), 16)
        text = pid, fields.get("user", "")
        if text not in self._known:
            chain = tuple(int(at, 16) for at in text[1].split(",") if at)
            self._known[text] = chain, self._log.is_counted(pid, chain)
        chain, is_counted = self._known[text]
        self.allocations += 1
        if is_counted:
            self._add(pid, fields["made_by"].strip('"'), size)
            self.chains[pid][chain] += 1
        if self._releases.take(fields):
            self.foreign -= 1
            self._count_free(pid, (is_counted, size))
            return
        if address in self.live[pid]:
            self.missed += 1
            self._blocks.wait(fields, self.live[pid][address])
        self.live[pid][address] = is_counted, size

    def _free(self, fields):
        pid, ended = fields["pid"], self._blocks.take(fields, by_others=True)
        if ended:
            self.missed -= 1
            block = ended[0]
        else:
            block = self.live[pid].pop(fields["address"], None)
            if block is None and (ended := self._blocks.take(fields)):
                self.missed -= 1
                block = ended[0]
        if block is None:
            self.foreign += 1
            self._releases.wait(fields)
        else:
            self._count_free(pid, block)

    def _count_free(self, pid, block):
        if block[0]:
            self._add(pid, "free", block[1])

    def _add(self, pid, name, size):
        self.counted[pid][name][0] += 1
        self.counted[pid][name][1] += size


class Names:
    """Functions of a program by address."""

    def __init__(self, program):
        rows = []
        for line in tap.run("nm", "-S", "--defined-only", program).stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwW":
                rows.append((int(words[0], 16), int(words[1], 16), words[3]))
        self._rows = sorted(rows)
        self._main = next(at for at, _, name in rows if name == "main")

    def of(self, chain, main):
        found = []
        for address in chain:
            at = address - main + self._main
            i = bisect.bisect(self._rows, (at, 1 << 64, "")) - 1
            row = self._rows[max(i, 0)]
            found.append(row[2] if row[0] <= at < row[0] + row[1] else "")
        return found


def shell_code(code):
    return 128 - code if code < 0 else code


def compare_run(t, words, name, recorded_words=None, seconds=120, record=(), by=(), **options):
    """Runs a program without a recorder and with one: what it prints, and how it ends, is the same.
    `by` starts the recorder, as another user. Returns what that printed."""
    plain = tap.run(*words, check=False, cwd=t.folder, seconds=seconds, **options)
    came = tap.run(*by, tap.WICK, "record", "--heap", *record, "-o", name, "--",
                   *(recorded_words or words), check=False, cwd=t.folder, seconds=seconds, **options)
    t.equal(came.returncode, shell_code(plain.returncode), f"exit code ({came.stderr[-300:]})")
    t.equal(came.stdout, plain.stdout, "what the program prints")
    return came.stderr


def compare(t, program, case, *words, through=(), roots=("main",), cut=0, is_logged=True,
            has_notes=False, interrupted=0, seconds=120, same=(), record=(), by=()):
    """Records a case of a program, and compares all totals. Each name of `through` is in some stack,
    and each stack has one of `roots`; that of main is whole. At most `interrupted` calls were under
    way when a handler forked: in the child they are not recorded, and in the parent after what the
    child did meanwhile."""
    path, log_path = pathlib.Path(program), t.folder / "log"
    if not path.is_absolute():
        path = tap.program("live", program)
    log_path.unlink(missing_ok=True)
    said = compare_run(t, [path, case, "/dev/null", *words], "wick.data",
                       [path, case, log_path, *words], seconds, record, by)
    # Users share the memory that buffers may have, so that one may be small: nothing is lost yet.
    t.true(" lost" not in said.replace("samples may be lost", ""), said)
    log = Log(log_path, same)
    heap = Heap(t, "wick.data", log)
    t.within(heap.missed, 0, interrupted, "allocations at addresses that were not freed")
    t.within(heap.foreign, 0, interrupted, "releases of blocks that nothing allocated")
    t.within(heap.backward, 0, interrupted, "events before the one before")
    if not interrupted:
        t.equal(summed(t, "wick.data")[:2], (heap.allocations, False), "what wick adds up")
    if not has_notes:
        t.equal(heap.notes, [], "notes")
    t.equal(bool(log.counted), is_logged, "does the program say what it counted?")
    for pid, counted in log.counted.items():
        expected = {name: sums for name, sums in counted.items() if sums[0]}
        t.equal(dict(heap.counted[pid]), expected, f"times and bytes of process {pid}")
    compare_stacks(t, heap, log, Names(path), through, roots, cut)
    return heap


def compare_stacks(t, heap, log, names, through, roots, cut):
    seen, is_cut = set(), 0
    for pid, main in log.main.items():
        for chain, times in heap.chains[pid].items():
            found = names.of(chain, main)
            seen |= set(found)
            if not any(root in found for root in roots):
                is_cut += times
            elif "main" in found and found[-1] != "_start":
                raise tap.Failure(f"a stack of main does not reach _start: {found}")
    t.equal(is_cut, cut, f"stacks without any of {roots}")
    t.true(set(through) <= seen, f"expected {through} in stacks, came {sorted(seen)}")
