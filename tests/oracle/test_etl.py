#!/usr/bin/env python3
"""A real trace of Windows (PerfView's, 10 s of 8 processors) against what its README has measured and
what another program made of its stacks."""
import collections
import pathlib
import re
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

FIXTURES = tap.SHARED / "fixtures" / "etl"
NET = "net.4.5.2.x64.etl"

# Samples that are not of the idle thread, by process.
SAMPLES = {"3676": 5129, "3988": 356, "1632": 283, "980": 132, "1104": 104, "4": 103, "624": 26,
           "2876": 24, "3516": 16, "724": 9, "1408": 8, "1188": 6, "144": 4, "712": 3, "944": 3,
           "2108": 2, "840": 1, "3508": 5, "2868": 1, "0": 105}

# Records in each, as other readers count them.
EVENTS = {
    NET + ".zip": 179474, "TraceLoggingTester.etl.zip": 172714, "gcevents.etl.zip": 71,
    "gcrundownevents.etl.zip": 112, "primitive-types.etl.zip": 7,
    "msbuild-PerfViewData.etl.zip": 5870, "monogame-PerfViewData.etl.zip": 103,
    "SelfDescribingSingleEvent.etl": 22, "AMSITrace.etl": 21, "lxcore_kernel.etl": 4,
    "krabsetw-powershell.etl": 114, "hw3d-trace.etl": 3,
    "diaghub-dotnetcore3.1-win-x64-diagsession.zip": 16335 + 62379 + 22035 + 4,
    **{f"sawbuck/image_data_{bits}_v{version}.etl": 27 for bits in (32, 64) for version in (0, 1, 2)},
    **{f"sawbuck/process_data_{form}.etl": 3 if form == "32_v1" else 9
       for form in ("32_v1", "32_v2", "32_v3", "64_v2", "64_v3")},
}


def trace(t):
    archive = FIXTURES / (NET + ".zip")
    if not archive.exists():
        raise tap.Skip(f"{archive} is not there")
    return archive


@tap.case("files of one session given one by one are the same as their archive")
def _(t):
    archive = FIXTURES / "diaghub-dotnetcore3.1-win-x64-diagsession.zip"
    if not archive.exists():
        raise tap.Skip(f"{archive} is not there")
    with zipfile.ZipFile(archive) as files:
        files.extractall(t.folder)
    parts = sorted(t.folder.glob("**/*.etl"))
    t.equal(len(parts), 4, "files in the archive")
    for words in (["dump"], ["show", "--all", "--csv", "processes"]):
        what = words[3:]
        apart = t.wick(*words[:3], *parts, *what).stdout
        together = t.wick(*words[:3], archive, *what).stdout
        t.within(len(together), 10000, 100000000, f"bytes of wick {words[0]}")
        t.equal(apart == together, True, f"the same from wick {words[0]}")


def module_of(frame):
    """A frame as the expected file has it: the file it lies in, or a method's name."""
    placed = re.match(r"(.*)\+0x[0-9a-f]+$", frame)
    if placed:
        return placed.group(1).lower()
    if frame == "[unknown kernel]":
        return "[unknown-kernel]"
    if frame == "[unknown]" or frame.startswith("0x"):
        return "[unknown]"
    return frame if frame.startswith("[") else "[jit]" + frame


def by_module(t, path):
    stacks = collections.Counter()
    folded = t.wick("fold", "-q", "--by", "SampledProfile", path).stdout
    for line in folded.splitlines():
        stack, count = line.rsplit(" ", 1)
        process, *frames = stack.split(";")
        modules = []
        for frame in map(module_of, frames):
            if not modules or modules[-1] != frame:
                modules.append(frame)
        stacks[";".join([process] + modules)] += int(count)
    return stacks


@tap.case("processes have the samples that the trace's own tools count")
def _(t):
    rows = t.csv("show", "--all", "--by", "SampledProfile", trace(t), "processes")
    counted = {row["pid"]: int(row["samples"]) for row in rows if row["samples"] not in ("", "0")}
    t.equal(counted, SAMPLES, "samples by process")
    t.equal(sum(counted.values()), 6320, "samples that are not idle")
    test = next(row for row in rows if row["pid"] == "3676")
    t.equal((test["name"], test["parent_pid"], test["command_line"], test["exit_code"]),
            ("Test.x64.exe", "3508", "Test.x64.exe", "0"), "the process that was looked at")


@tap.case("idle processors are a source of their own")
def _(t):
    rows = t.csv("show", "--all", "--by", "idle", trace(t), "processes")
    t.equal([(row["pid"], row["samples"]) for row in rows if row["samples"] not in ("", "0")],
            [("0", "73208")], "samples of the idle thread")


@tap.case("stacks by module are those of the expected file")
def _(t):
    expected = collections.Counter()
    found = by_module(t, trace(t))
    for line in (FIXTURES / "net.4.5.2.x64.expected-modules.folded").read_text().splitlines():
        stack, count = line.rsplit(" ", 1)
        expected[re.sub(r"\(\d+\)", "", stack, count=1)] += int(count)
    same = sum((found & expected).values())
    print(f"# {same} of {sum(expected.values())} samples have the expected stack")
    t.true(same >= 0.99 * sum(expected.values()), f"expected 99 %, found {same}: "
           f"{(expected - found).most_common(3)} {(found - expected).most_common(3)}")


@tap.case("methods that the CLR made have their names")
def _(t):
    found = by_module(t, trace(t))
    frames = named = 0
    for stack, count in found.items():
        if stack.startswith("Test.x64.exe;"):
            jit = sum(frame.startswith("[jit]") for frame in stack.split(";"))
            unnamed = stack.split(";").count("[unknown]")
            frames += count * (jit + unnamed)
            named += count * jit
    print(f"# {named} of {frames} frames outside of files are named")
    t.true(frames > 20000 and named >= 0.99 * frames, f"{named} of {frames}")


@tap.case("methods of the program are told from those of .NET")
def _(t):
    rows = t.csv("show", "--by", "SampledProfile", "--details", trace(t), "functions")
    made = [row for row in rows if row["image"] == "[jit]"]
    kinds = {row["function"]: row["kind"] for row in made}
    t.equal(kinds["Test.Program.Main"], "your program", "the program's own")
    t.equal({kind for name, kind in kinds.items() if name.startswith("System.")},
            {"language runtime"}, "what .NET brings")
    own = {name.split(".")[0] for name, kind in kinds.items() if kind == "your program"}
    t.true({"Test", "PerfView"} <= own <= {"Test", "PerfView", "Microsoft"}, f"namespaces {own}")


def archive_of(name):
    archive = FIXTURES / name
    if not archive.exists():
        raise tap.Skip(f"{archive} is not there")
    return archive


def facts_of(t, path):
    """What `system` says: by section and key, and how many rows each section has."""
    rows = t.csv("show", path, "system")
    return ({(row["section"], row["key"]): row["value"] for row in rows},
            collections.Counter(row["section"] for row in rows))


def check_facts(t, facts, expected):
    for (section, key), value in expected.items():
        t.equal(facts.get((section, key)), value, f"{section}: {key}")


@tap.case("the machine is told, and when it was recorded")
def _(t):
    facts, rows = facts_of(t, trace(t))
    check_facts(t, facts, {
        ("machine", "system"): "Windows 8 Pro, build 9200",
        ("machine", "cpus"): "8",
        ("machine", "cpu MHz"): "3592",
        ("machine", "memory"): "4.0 GiB (4294967296 bytes)",
        ("machine", "architecture"): "x64",
        ("machine", "build lab"): "9200.16384.amd64fre.win8_rtm.120725-1247",
        ("recording", "busy"): "7.9 % of all processors' time, which is 100 % in other tables",
        ("platform", "product"): "Virtual Machine",
        ("trace", "session"): "Relogger",
        ("trace", "machine started"): "2020-07-29 00:03:46.487 UTC",
        ("trace", "begin"): "2020-07-29 00:07:00.623 UTC",
        ("trace", "time zone"): "UTC-08:00, without daylight saving",
        ("trace", "lasted"): "10.070 s",
        ("trace", "clock"): "performance counter, 10000000 ticks a second",
        ("trace", "lost"): "0 events, 0 buffers",
        ("trace", "kernel events"): "processes, threads, images, process counters, disk I/O, "
                                    "file names, disk I/O starts, hard faults, network, samples",
        ("disk 0", "model"): "Virtual HD ATA Device",
        ("volume C:", "file system"): "NTFS",
        ("paths", "\\Device\\HarddiskVolume2\\"): "C:\\"})
    t.equal((rows["services"], rows["devices"], rows["IDE channels"]), (157, 78, 2), "lists")
    t.true(facts["machine", "host name"], "a host name")


@tap.case("a machine of Windows 11 is told whole")
def _(t):
    facts, rows = facts_of(t, archive_of("TraceLoggingTester.etl.zip"))
    brand = "13th Gen Intel(R) Core(TM) i5-13600KF"
    check_facts(t, facts, {
        ("machine", "system"): "Windows 11 Pro, build 26100",
        ("machine", "version"): "10.0.26100.4652",
        ("machine", "cpu"): brand,
        ("machine", "cpus"): "20",
        ("machine", "cpu MHz"): "3494",
        ("machine", "memory"): f"63.8 GiB ({65349 << 20} bytes)",
        ("machine", "memory MHz"): "2666",
        ("machine", "build lab"): "26100.4652.amd64fre.ge_release.240331-1435",
        ("platform", "manufacturer"): "ASUS",
        ("platform", "firmware"): "UEFI, secure boot off",
        ("disk 0", "model"): "Samsung SSD 970 EVO Plus 2TB",
        ("processors", "NUMA node 0"): "20 processors (mask 0xfffff)",
        ("paths", "\\Device\\HarddiskVolume3\\"): "C:\\",
        ("paths", "\\SystemRoot\\"): "C:\\WINDOWS\\",
        ("assessment (WinSAT)", "mainboard"): "TUF GAMING B660M-PLUS WIFI D4",
        ("assessment (WinSAT)", "processor"): brand,
        ("assessment (WinSAT)", "memory"): "63.8 GiB (68523835392 bytes)",
        ("assessment (WinSAT)", "graphics"): "NVIDIA GeForce RTX 4070 Ti"})
    brands = [value for (section, key), value in facts.items()
              if section == "processors" and key.startswith("cpu ")]
    t.equal((len(brands), sum(value.startswith(brand + ",") for value in brands)), (20, 20),
            "processors of the brand")
    t.equal((rows["services"], rows["devices"], rows["interrupts"]), (340, 261, 23), "lists")


@tap.case("a machine of four processors has four brands and its services")
def _(t):
    facts, rows = facts_of(t, archive_of("diaghub-dotnetcore3.1-win-x64-diagsession.zip"))
    brands = [value for (section, key), value in facts.items()
              if section == "processors" and key.startswith("cpu ")]
    t.equal(len(brands), 4, "processors")
    t.true(all(value.startswith("Intel(R) Xeon(R) CPU E5-2673 v4 @ 2.30GHz") for value in brands),
           str(brands))
    t.equal(rows["services"], 269, "services")


@tap.case("processes have their users, sessions and times")
def _(t):
    rows = {row["pid"]: row for row in t.csv("show", "--all", trace(t), "processes")}
    test = rows["3676"]
    t.equal((round(int(test["start_ns"]) / 1e9, 4), round(int(test["end_ns"]) / 1e9, 4)),
            (2.7332, 8.2023), "when the process that was looked at ran")
    t.true(re.fullmatch(r"S-1-5-21-\d+-\d+-\d+-\d+", test["user"]), test["user"])
    t.equal([rows[pid]["user"] for pid in ("4", "944", "1188", "980")],
            ["SYSTEM", "LOCAL SERVICE", "NETWORK SERVICE", "DWM-1"], "users")
    t.equal((rows["716"]["session"], test["session"]), ("0", "1"), "sessions")
    t.true("WinDefend" in rows["1632"]["services"].split(", "), rows["1632"]["services"])
    t.equal((rows["576"]["parent_pid"], "564" in rows), ("564", False),
            "a parent that is only named")
    threads = t.csv("show", "--all", trace(t), "threads")
    t.equal([row["thread"] for row in threads if row["tid"] == "3960"], ["service WinDefend"],
            "a thread without a name of its own")


@tap.case("tree is the process tree")
def _(t):
    rows = t.csv("show", trace(t), "process-tree")
    above, parents = [], {}
    for row in rows:
        depth = int(row["depth"])
        above[depth:] = [row["pid"]]
        parents[row["pid"]] = above[depth - 1] if depth else None
    t.equal(len(rows), 33, "processes")
    t.equal((parents["716"], parents["632"], parents["3508"], parents["3676"], parents["4"]),
            ("632", None, "2876", "3508", "0"), "parents")
    t.equal({pid for pid, parent in parents.items() if parent is None},
            {"576", "624", "632", "664", "2876", "3988", "0"}, "roots")
    test = next(row for row in rows if row["pid"] == "3676")
    t.equal(round(int(test["lasted_ns"]) / 1e9, 4), round(8.2023 - 2.7332, 4), "how long it ran")
    calls = t.csv("show", trace(t), "calls", "--by", "SampledProfile")
    t.true("total_percent" in calls[0] and "pid" not in calls[0], str(calls[0]))


@tap.case("processes and images that a 32-bit program logged for a 64-bit kernel are read")
def _(t):
    for form in ("32_v2", "32_v3", "64_v2", "64_v3"):
        path = archive_of(f"sawbuck/process_data_{form}.etl")
        rows = t.csv("show", "--all", path, "processes")
        t.equal([(row["pid"], row["name"], row["user"].split("-")[0]) for row in rows],
                [("0", "Idle", "SYSTEM"), ("4", "System", "SYSTEM"), ("264", "smss.exe", "SYSTEM"),
                 ("1776", "notepad.exe", "S")], form)
    for form in ("32_v0", "32_v1", "32_v2", "64_v0", "64_v1", "64_v2"):
        path = archive_of(f"sawbuck/image_data_{form}.etl")
        images = [line for line in t.wick("dump", path).stdout.splitlines()
                  if line.startswith("image ")]
        t.equal((len(images), sum(" pid=7644 " in line for line in images)), (26, 26), form)
        t.true(any("start=0x1160000 size=0x19e000" in line and "test_program.exe" in line
                   for line in images), form)


@tap.case("packaged and 32-bit processes are known")
def _(t):
    rows = t.csv("show", "--all", archive_of("TraceLoggingTester.etl.zip"), "processes")
    traits = collections.Counter(trait for row in rows
                                 for trait in row["traits"].split(", ") if trait)
    print(f"# {dict(traits)}")
    t.true(traits["packaged"] > 10 and traits["32-bit"] > 3 and traits["protected"] > 3,
           str(traits))
    t.true(all(("packaged" in row["traits"]) == bool(row["package"]) for row in rows),
           "packaged processes have a package")


@tap.case("stacks that end where threads begin reach a root")
def _(t):
    words = t.wick("show", trace(t), "--top", "1").stdout
    share = re.search(r"([0-9.]+) % of user stacks reach a root", words)
    t.true(share and float(share.group(1)) > 98, words)


@tap.case("an archive opens as the trace that is in it")
def _(t):
    archive = trace(t)
    with zipfile.ZipFile(archive) as members:
        members.extract(NET, t.folder)
    t.equal(t.wick("fold", "-q", t.folder / NET).stdout, t.wick("fold", "-q", archive).stdout,
            "stacks")


@tap.case("the files of a session that lie in one archive are one trace")
def _(t):
    archive = FIXTURES / "diaghub-dotnetcore3.1-win-x64-diagsession.zip"
    if not archive.exists():
        raise tap.Skip(f"{archive} is not there")
    rows = t.csv("show", "--all", archive, "processes")
    named = [row for row in rows if not row["name"].startswith("[pid")]
    t.equal(len(named), 241, "processes")
    t.equal(sum(row["start_ns"] != "" for row in named), 18, "processes that started meanwhile")
    images = t.csv("show", "--all", archive, "images")
    known = sum(row["build_id"] != "" for row in images)
    print(f"# {known} of {len(images)} images have their PDB's identity")
    t.true(known > 0.95 * len(images), f"{known} of {len(images)} images have an identity")


@tap.case("a trace that tells only at its end what there was has all of it")
def _(t):
    archive = FIXTURES / "TraceLoggingTester.etl.zip"
    if not archive.exists():
        raise tap.Skip(f"{archive} is not there")
    rows = t.csv("show", "--all", archive, "processes")
    t.equal(sum(not row["name"].startswith("[pid") for row in rows), 361, "processes")


def counts(t, name):
    """How many records of each kind a trace has, by "provider/kind", and whether any is used."""
    archive = FIXTURES / name
    if not archive.exists():
        raise tap.Skip(f"{archive} is not there")
    found = {}
    for line in t.wick("dump", archive).stdout.splitlines():
        told = re.match(r'count time=0 count=(\d+) provider="(.*?)" name="(.*?)"( used=0)?$', line)
        if told:
            found[f"{told.group(2)}/{told.group(3)}"] = int(told.group(1)), not told.group(4)
    return found


def baseline(name):
    """What PerfView counts. Two of the kernel's events it does not know as such."""
    rows = re.findall(r"^COUNT (.*):(\d+)$", (FIXTURES / name).read_text(), re.M)
    return {name.replace("MSNT_SystemTrace/", "Windows Kernel/"): int(count)
            for name, count in rows}


@tap.case("records are counted as PerfView counts them")
def _(t):
    found = counts(t, NET + ".zip")
    expected = baseline("net.4.5.2.x64.baseline.txt")
    same = [name for name in expected if found.get(name, (0,))[0] == expected[name]]
    differ = {name: (expected[name], found[name]) for name in expected
              if name in found and name not in same}
    print(f"# {len(same)} of {len(expected)} kinds are as many")
    # PerfView leaves out the samples of idle processors.
    t.equal(differ, {"Windows Kernel/PerfInfo/Sample": (6320, (79528, True))}, "kinds that differ")
    kernel = [name for name in expected if name.startswith(("Windows Kernel/", "KernelTrace"))]
    t.equal([name for name in kernel if name not in found], [], "kernel events without a name")
    t.true(len(kernel) >= 53 and len(same) >= 151, f"{len(kernel)} kernel, {len(same)} in all")


@tap.case("so are those of programs that log .NET's events and their own")
def _(t):
    for name in ("gcevents", "gcrundownevents", "primitive-types"):
        found = counts(t, name + ".etl.zip")
        expected = baseline(name + ".baseline.txt")
        t.equal({name: found.get(name, (0,))[0] for name in expected}, expected, name)


@tap.case("no record of any trace is passed over")
def _(t):
    for name, records in EVENTS.items():
        t.equal(sum(count for count, used in counts(t, name).values()), records, name)


@tap.case("a kind of which something is made is marked as used")
def _(t):
    found = counts(t, NET + ".zip")
    used = {name for name, (count, is_used) in found.items() if is_used}
    for name in ("PerfInfo/Sample", "Process/DCStart", "Image/DCStop", "Memory/HardFault",
                 "SystemConfig/PnP", "StackWalk/KeyDelete"):
        t.true("Windows Kernel/" + name in used, name + " is used")
    t.true("Windows Kernel/DiskIO/Read" not in used, "nothing is made of what disks read")


def perfview_counters():
    """Peaks of working set and commit, commit, page faults and handles of each process, as PerfView
    prints them."""
    keys = ("PeakWorkingSetSize", "PeakPagefileUsage", "PagefileUsage", "MemoryCount", "HandleCount")
    found = {}
    for line in (FIXTURES / "net.4.5.2.x64.baseline.txt").read_text().splitlines():
        if re.match(r"EVENT .*: Windows Kernel/Process/PerfCtr", line):
            told = {key: value.replace(",", "") for key, value in re.findall(r"(\w+)=([\d,]+);", line)}
            found[told["ProcessID"]] = [told[key] for key in keys]
    return found


@tap.case("counters of processes are those that PerfView prints")
def _(t):
    rows = t.csv("show", "--all", trace(t), "processes")
    expected = perfview_counters()
    found = {row["pid"]: [row[key] for key in ("peak_working_set_bytes", "peak_commit_bytes",
                                               "commit_bytes", "page_faults", "handles")]
             for row in rows if row["peak_working_set_bytes"]}
    t.equal(len(expected), 6, "processes whose counters PerfView prints")
    t.equal({pid: found.get(pid) for pid in expected}, expected, "their counters")


@tap.case("hard faults and marks are told")
def _(t):
    lines = t.wick("dump", trace(t)).stdout.splitlines()
    source = next(re.search(r" source=(\d+) ", line).group(1) for line in lines
                  if line.startswith("source ") and 'name="hard fault"' in line)
    faults = [line for line in lines if line.startswith("sample ") and f" source={source} " in line]
    t.equal(len(faults), 153, "hard faults")
    t.equal(sum(" kernel=" in line for line in faults), 153, "hard faults with a stack")
    marks = [line for line in t.wick("dump", FIXTURES / "TraceLoggingTester.etl.zip").stdout
             .splitlines() if line.startswith("mark ")]
    t.true(any('label="Wpr_Initiated_Rundown"' in line for line in marks), str(marks))


tap.run_all(needs_recording=False)
