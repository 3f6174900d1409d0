#!/usr/bin/env python3
"""Programs for Windows, built here: wick symbolize beside addr2line at each address of a program of
mingw's gcc that has lines, and the ends of exported functions beside llvm-readobj, which reads
.pdata, in libraries of clang and lld for two machines. Prints TAP.

By hand: WICK=build/wick tests/oracle/test_pe.py"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

WICK = os.environ.get("WICK") or os.path.join(os.environ.get("WICK_BUILD_ROOT", "build"), "wick")
GCC = "x86_64-w64-mingw32-gcc"

PROGRAM = r"""
static volatile int sum;
static inline __attribute__((always_inline)) int twice(int x) { return x * 2 + sum; }
static inline __attribute__((always_inline)) int more(int x) { return twice(x + 1) + twice(x); }
__attribute__((noinline)) static int work(int x)
{
	int result = 0;
	for (int i = 0; i < x; i++)
		result += more(i) ^ twice(result);
	return result;
}
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 10 * argc; i++)
		sum += work(i);
	return sum != 0;
}
"""
WAYS = [["-O2", "-gdwarf-5"], ["-O2", "-gdwarf-4"], ["-O0", "-g"], ["-O3", "-g", "-ffunction-sections"],
        ["-O2", "-g", "-Wl,--image-base=0x10000000"]]

LIBRARY = r"""
__declspec(dllexport) int other(int *x) { return x[0] + x[1] * x[2]; }
__declspec(dllexport) int small(int x) { int a[3] = { x, x, x }; return other(a) + 1; }
__declspec(dllexport) int leaf(int x) { return x * 3; }
__declspec(dllexport) int many(int a, int b, int c)
{
	int v[4] = { a, b, c, 1 }, s = 0;
	for (int i = 0; i < a; i++)
		s += other(v) * b ^ other(v + 1) * c;
	return s;
}
"""
# A part of it has unwind information that leads to the whole's.
CHAINED = r"""
	.globl parts
	.def parts; .scl 2; .type 32; .endef
	.p2align 4
parts:	.seh_proc parts
	subq $40, %rsp
	.seh_stackalloc 40
	.seh_endprologue
	nop
	.seh_startchained
	pushq %rbx
	.seh_pushreg %rbx
	.seh_endprologue
	nop
	popq %rbx
	.seh_endchained
	addq $40, %rsp
	ret
	.seh_endproc
"""


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, **more).stdout


def ask(command, image, addresses):
    """{address: lines of the answer}."""
    text = run(*command, "-e", image, input="".join(f"{at:#x}\n" for at in addresses))
    answers, lines = {}, None
    for line in text.splitlines():
        if line.startswith("0x"):
            lines = answers[int(line, 16)] = []
        else:
            lines.append(re.sub(r" \(discriminator \d+\)", "", line.replace("/./", "/")))
    return answers


def code_of(image):
    for line in run("objdump", "-h", image).splitlines():
        words = line.split()
        if len(words) > 3 and words[1] == ".text":
            return range(int(words[3], 16), int(words[3], 16) + int(words[2], 16))
    return range(0)


def is_as_addr2line(image, least=500):
    """Where debug information covers the code; addr2line has names of its own for other code."""
    wanted = list(code_of(image))
    theirs = ask(["addr2line", "-afiC"], image, wanted)
    ours = ask([WICK, "symbolize", "-a"], image, wanted)
    told = [at for at in wanted if re.search(r":\d+$", theirs[at][-1]) and theirs[at][0] != "??"]
    odd = [at for at in told if ours[at] != theirs[at]]
    for at in odd[:10]:
        print(f"# {at:#x}: wick {ours[at]}, addr2line {theirs[at]}")
    print(f"# {len(told)} of {len(wanted)} addresses have lines")
    return len(told) > least and not odd


def bounds_of(image):
    """(begin, end) of each entry of .pdata."""
    text = run("llvm-readobj", "--unwind", image)
    found = [(int(a, 16), int(b, 16)) for a, b in
             re.findall(r"StartAddress:.*?\(?(0x\w+)\)?\s+EndAddress:.*?\(?(0x\w+)\)?\s", text)]
    found += [(int(a, 16), int(a, 16) + int(size)) for a, size in
              re.findall(r"Function: \D*(0x\w+).*?FunctionLength: (\d+)", text, re.S)]
    return sorted(set(found))


def has_bounds(image, least):
    """Exports are named up to where .pdata says, and what fills up behind that is not."""
    bounds = bounds_of(image)
    begins = {begin for begin, _ in bounds}
    bounds = [(begin, end) for begin, end in bounds
              if not any(begin > other and end < behind for other, behind in bounds)]
    exports = run("llvm-readobj", "--coff-exports", image)
    starts = {int(rva, 16): name for name, rva in re.findall(r"Name: (\S+)\s+RVA: (0x\w+)", exports)}
    odd = 0
    base = min(begins) & ~0xffff if bounds else 0
    for begin, end in bounds:
        after = end in begins or end - base in starts
        at = [begin, end - 1] + ([] if after else [end])
        names = [answer[0] for answer in ask([WICK, "symbolize", "-a"], image, at).values()]
        named = names[0] != "??" and names[0] == names[1] and names[2:] in ([], ["??"])
        odd += not named
        if not named:
            print(f"# {begin:#x} to {end:#x}: {names}")
    print(f"# {len(bounds)} entries")
    return len(bounds) >= least and not odd


def program(place, number, options):
    source, image = os.path.join(place, "a.c"), os.path.join(place, f"{number}.exe")
    with open(source, "w", encoding="ascii") as file:
        file.write(PROGRAM)
    run(GCC, *options, source, "-o", image)
    return image


def small_program(place):
    """Of 32 bits, without a C library."""
    source, image = os.path.join(place, "c.c"), os.path.join(place, "small.exe")
    with open(source, "w", encoding="ascii") as file:
        file.write(PROGRAM.replace("int main(", "int start("))
    run("clang", "--target=i686-w64-windows-gnu", "-O2", "-g", "-ffreestanding", "-c", source, "-o",
        image + ".o")
    run("ld.lld", "-m", "i386pe", "-e", "start", image + ".o", "-o", image)
    return image


def library(place, machine, parts):
    source, image = os.path.join(place, "b.c"), os.path.join(place, machine + ".dll")
    clang = ["clang", f"--target={machine}-pc-windows-msvc", "-O2", "-fno-inline", "-ffreestanding",
             "-fasynchronous-unwind-tables", "-c"]
    objects = [image + ".o"]
    with open(source, "w", encoding="ascii") as file:
        file.write(LIBRARY)
    run(*clang, source, "-o", objects[0])
    if parts:
        with open(source + ".s", "w", encoding="ascii") as file:
            file.write(CHAINED)
        objects.append(image + ".s.o")
        run("clang", f"--target={machine}-pc-windows-msvc", "-c", source + ".s", "-o", objects[1])
    run("lld-link", "/nodefaultlib", "/noentry", "/dll", f"/out:{image}", *objects,
        *(["/export:parts"] if parts else []))
    return image


def points(place):
    """(title, whether it holds or None, what is missing)."""
    missing = [tool for tool in (GCC, "addr2line", "objdump") if not shutil.which(tool)]
    for number, options in enumerate(WAYS):
        title = "gcc " + " ".join(options) + ": as addr2line"
        yield title, None if missing else is_as_addr2line(program(place, number, options)), missing
    missing = [tool for tool in ("clang", "ld.lld", "addr2line", "objdump") if not shutil.which(tool)]
    yield ("clang for 32 bits: as addr2line",
           None if missing else is_as_addr2line(small_program(place), 50), missing)
    missing = [tool for tool in ("clang", "lld-link", "llvm-readobj") if not shutil.which(tool)]
    for machine, least in (("x86_64", 3), ("aarch64", 2)):
        title = f"clang for {machine}: functions end as llvm-readobj says"
        yield (title, None if missing else
               has_bounds(library(place, machine, machine == "x86_64"), least), missing)


def main():
    os.environ["WICK_CACHE_DIR"] = ""
    failed = count = 0
    with tempfile.TemporaryDirectory(prefix="wick-pe-") as place:
        for title, holds, missing in points(place):
            count += 1
            skip = f" # SKIP {', '.join(missing)} not installed" if holds is None else ""
            failed += holds is False
            print(f"{'not ok' if holds is False else 'ok'} {count} - {title}{skip}", flush=True)
    print(f"1..{count}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
