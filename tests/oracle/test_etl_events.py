#!/usr/bin/env python3
"""Events of programs in real traces of Windows, field by field against what another program has
printed of the same traces."""
import collections
import pathlib
import re
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

FIXTURES = tap.SHARED / "fixtures" / "etl"

# What the other program makes itself: it is in no payload.
COMPUTED = {"TotalHeapSize", "TotalPromoted", "ModuleILFileName", "OptimizationTier",
            "ConcurrentCompactMechanisms"}
# Of one event only.
COMPUTED_OF = {
    ("GC/HeapStats", "Depth"),          # of the collection that began before
    ("GC/FinalizeObject", "TypeName"),  # of another event that names the type
    ("Create", "CreateDisposition"),    # the highest byte of CreateOptions
    ("Create", "CreateOptions"),        # without that
}
RENAMED = {"IrpPtr": "Irp"}
# Of which it prints the prefix of the system's path as a letter, if it knows one.
PATHS = {"FileName"}
# Fields that an older version of the event has not; it prints them all the same.
ABSENT = {"", "0", "None", "False", "0x00000000"}
# Not described in a trace, and not documented.
UNKNOWN = {"Microsoft-Windows-DotNETRuntimePrivate/GC/PerHeapHistory"}


def fixture(name):
    path = FIXTURES / name
    if not path.exists():
        raise tap.Skip(f"{path} is not there")
    return path


def unquoted(text):
    """The inside of a text in quotes, without its escapes."""
    return re.sub(r"\\(x[0-9a-f]{2}|.)",
                  lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m.group(1), m.group(1)), text)


def fields_of(text):
    """name=value of the outermost level, values as they stand."""
    fields, at = {}, 0
    while at < len(text):
        sign = re.compile(r" ?([^=]*)=").match(text, at)
        if not sign:
            break
        start = at = sign.end()
        depth, quoted = 0, False
        while at < len(text) and (depth or quoted or text[at] != " "):
            if quoted and text[at] == "\\":
                at += 1
            elif text[at] == '"':
                quoted = not quoted
            elif not quoted:
                depth += (text[at] in "[{") - (text[at] in "]}")
            at += 1
        fields[sign.group(1)] = text[start:at]
    return fields


def listed(t, path):
    """Events as `wick dump` lists them: (name, time in us, thread) to all of their fields."""
    events = collections.defaultdict(list)
    line = re.compile(r'other time=(\d+) pid=(\d+) tid=(\d+)(?: cpu=\d+)? what="(.*?)"'
                      r'(?: text="(.*)")?$')
    for row in t.wick("dump", path).stdout.splitlines():
        match = line.match(row)
        if match:
            time, _, tid, name, text = match.groups()
            fields = fields_of(unquoted(text or ""))
            events[name, round(int(time) / 1000), tid].append(fields)
    return events


def printed(path):
    """Events as the other program prints them."""
    line = re.compile(r"EVENT ([\d,.]+): (.*?) PID=-?\d+; TID=(-?\d+); .*?DataLen=[\d,]+; (.*)$")
    for row in path.read_text(encoding="utf-8-sig").splitlines():
        match = line.match(row)
        if match:
            time, name, tid, text = match.groups()
            fields = dict(re.findall(r"(\w+)=(.*?); ", text + " "))
            yield name, round(float(time.replace(",", "")) * 1000), tid, fields


def number(text):
    text = text.replace(",", "")
    if re.fullmatch(r"0x[0-9a-f]+", text):
        return int(text, 16)
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def same_time(ours, theirs):
    """Theirs is cut, and in the time of where it was recorded or of where it was printed."""
    return theirs.startswith(ours[2:4] + "/" + ours[5:7] + "/") and ours[14:19] == theirs[12:17]


def is_same(ours, theirs):
    text = unquoted(ours[1:-1]) if ours.startswith('"') else ours.strip("{}")
    if re.match(r"\d{4}-\d\d-\d\dT", ours):
        return same_time(ours, theirs)
    if theirs.endswith("..."):
        return text.strip().startswith(theirs[:-3].rstrip())
    if number(ours) is not None and number(theirs) is not None:
        return (number(ours) - number(theirs)) % 2 ** 64 == 0 or \
            (number(ours) - number(theirs)) % 2 ** 32 == 0 and number(theirs) < 0
    return text.strip() == theirs or text.lower() == theirs.lower()


def are_words(ours, theirs):
    """A number that one of the two has words for, or both, by other tables."""
    words = re.compile(r"[A-Za-z_|, ]+(\.\.\.)?")
    if words.fullmatch(ours) and words.fullmatch(theirs):
        ours, theirs = set(ours.split("|")), set(theirs.rstrip(".").split(", "))
        return any(ours & theirs)
    return (number(ours) is None) != (number(theirs) is None)


def field_of(ours, field):
    """As it is called here; of a list it prints the first."""
    if field in ("TypeID_0", "TypeName_0"):
        first = fields_of(ours["Values"][2:-2].split("}, {")[0])
        return first["TypeID" if field == "TypeID_0" else "Name"]
    return ours.get(RENAMED.get(field, field))


def is_computed(name, field):
    event = name.split("/", 1)[1]
    return field in COMPUTED or (event, field) in COMPUTED_OF


def compare_event(name, ours, theirs, counts):
    for field, value in theirs.items():
        value, mine = value.strip(), field_of(ours, field)
        if is_computed(name, field):
            counts["computed"] += 1
        elif mine is None and value in ABSENT:
            counts["absent"] += 1
        elif mine is not None and is_same(mine, value):
            counts["equal"] += 1
        elif mine is not None and field in PATHS:
            counts["paths"] += 1
        elif mine is not None and are_words(mine, value):
            counts["words"] += 1
            counts[f"words: {field} {mine} {value}"] += 1
        else:
            counts[f"wrong: {name} {field} {mine} {value}"] += 1


def compare(t, base):
    events, counts = listed(t, fixture(base + ".etl.zip")), collections.Counter()
    for name, time, tid, fields in printed(fixture(base + ".baseline.txt")):
        if name.startswith(("Windows Kernel", "KernelTraceControl", "MSNT_SystemTrace")) or \
                name in UNKNOWN:
            continue
        found = next((events[name, at, tid] for at in (time, time - 1, time + 1)
                      if events.get((name, at, tid))), None)
        if not found:
            counts[f"wrong: {name} at {time} us is not listed"] += 1
            continue
        counts["events"] += 1
        compare_event(name, found.pop(0), fields, counts)
    return counts


def check(t, base, events, fields):
    counts = compare(t, base)
    print(f"# {counts['events']} events: {counts['equal']} fields equal, "
          f"{counts['words']} numbers that not both have the same words for, "
          f"{counts['paths']} paths that are still the system's, "
          f"{counts['computed']} made by the other program, {counts['absent']} of newer versions")
    for what in sorted(counts):
        if what.startswith("words:"):
            print("#  ", what)
    t.equal([what for what in counts if what.startswith("wrong:")], [], "fields that differ")
    t.true(counts["events"] >= events and counts["equal"] >= fields,
           f"only {counts['events']} events, {counts['equal']} fields")


@tap.case("all types of TraceLogging have the values that were written")
def _(t):
    check(t, "primitive-types", 5, 55)


@tap.case("events of a session of the runtime's collector are known without a description")
def _(t):
    check(t, "gcevents", 50, 230)


@tap.case("a rundown of the runtime is known without a description")
def _(t):
    check(t, "gcrundownevents", 24, 140)


@tap.case("events of a merged trace are those that it describes")
def _(t):
    check(t, "net.4.5.2.x64", 280, 1100)


def kinds_of(t, name):
    """How many events there are of each name, and the notes at the end."""
    kinds, notes = collections.Counter(), []
    for row in t.wick("dump", fixture(name)).stdout.splitlines():
        other = re.match(r'other .*? what="(.*?)"', row)
        if other:
            kinds[other.group(1)] += 1
        if row.startswith("note "):
            notes.append(row)
    return kinds, notes


@tap.case("every event of a provider is listed, as often as the other program counts it")
def _(t):
    for base in ("primitive-types", "gcevents", "gcrundownevents", "net.4.5.2.x64"):
        kinds, _ = kinds_of(t, base + ".etl.zip")
        expected = {}
        for row in fixture(base + ".baseline.txt").read_text(encoding="utf-8-sig").splitlines():
            match = re.match(r"COUNT (.*):(\d+)$", row)
            if match and not match.group(1).startswith(("Windows Kernel", "KernelTraceControl",
                                                        "MSNT_SystemTrace")):
                expected[match.group(1)] = int(match.group(2))
        t.equal({name: kinds[name] for name in expected}, expected, f"{base}: events by name")


@tap.case("no event of any trace ends before its fields do")
def _(t):
    for name in sorted(path.name for path in FIXTURES.glob("*.etl*")) + \
            ["diaghub-dotnetcore3.1-win-x64-diagsession.zip"]:
        kinds, notes = kinds_of(t, name)
        print(f"# {name}: {sum(kinds.values())} events of {len(kinds)} kinds; "
              f"{'; '.join(re.findall(r'text=.(.*?).$', ' '.join(notes)))}")
        t.true(not any("end before" in note for note in notes), f"{name}: {notes}")


@tap.case("events with stacks are samples of a source by their name, and CPU time stays the default")
def _(t):
    path = fixture("net.4.5.2.x64.etl.zip")
    rows = t.csv("show", "--all", "--by", "Microsoft-Windows-DotNETRuntime/GC/AllocationTick",
                 path, "processes")
    counted = {row["pid"]: int(row["samples"]) for row in rows if row["samples"] not in ("", "0")}
    t.equal(counted, {"3676": 10371, "3988": 11}, "allocations by process")
    folded = t.wick("fold", "-q", "--by", "Microsoft-Windows-DotNETRuntime/GC/AllocationTick",
                    path).stdout
    named = sum(int(row.rsplit(" ", 1)[1]) for row in folded.splitlines()
                if "Test.Program.Main" in row)
    t.equal(named, 10371, "allocations below Main")
    rows = t.csv("show", "--all", path, "processes")
    t.equal(sum(int(row["samples"] or 0) for row in rows), 6320, "samples without --by")


def native_pdbs(t, path):
    """What the runtime says of its modules, and what their images say: GUID and age as stores write them."""
    images, modules = {}, []
    for row in t.wick("dump", path).stdout.splitlines():
        image = re.match(r'image .*? pid=(\d+) .*?path="([^"]*)".*? build_id=([0-9A-Fa-f]+)', row)
        if image:
            images[image.group(1), unquoted(image.group(2)).lower()] = image.group(3)
        module = re.match(r'other .*? pid=(\d+) .*? text="(.*NativePdbAge=.*)"$', row)
        if module:
            fields = fields_of(unquoted(module.group(2)))
            guid = uuid.UUID(fields["NativePdbSignature"])
            path = unquoted(fields["ModuleNativePath"][1:-1] or '') or \
                unquoted(fields["ModuleILPath"][1:-1])
            if guid.int:
                modules.append((module.group(1), path.lower(),
                                f"{guid.hex.upper()}{int(fields['NativePdbAge']):x}"))
    return images, modules


@tap.case("the runtime names the same PDBs for its modules as their images do")
def _(t):
    for name, least in (("diaghub-dotnetcore3.1-win-x64-diagsession.zip", 60),
                        ("TraceLoggingTester.etl.zip", 500)):
        images, modules = native_pdbs(t, fixture(name))
        same = sum(images.get((pid, path)) == pdb for pid, path, pdb in modules)
        print(f"# {name}: {same} of {len(modules)} modules")
        t.true(same == len(modules) >= least, f"{same} of {len(modules)}")


tap.run_all(needs_recording=False)
