#!/usr/bin/env python3
"""Prints a large recording as the text of `perf script`, for `wick report`.

    bench/page_input.py [--samples N] [--stacks N] [--names N] [--seed N] | wick report - -o page.html

Ten processes with 40 threads run on 16 CPUs, which are sampled 997 times a second. Stacks grow out
of each other like branches and are about 20 frames deep; each is met once, and how often it is met
again follows Zipf's law. A third of a thread's samples repeat one of its last stacks. The same
arguments give the same text."""
import argparse
import bisect
import itertools
import random
import sys

CPUS, PROCESSES, THREADS, RATE = 16, 10, 40, 997
CRATES = ("rustc_middle", "rustc_codegen_llvm", "alloc", "core", "std", "hashbrown", "app",
          "serde_json", "tokio", "regex_automata")
WORDS = ("ty context query visit fold resolve parse lower build infer check borrow region scope "
         "collect emit encode decode hash insert find walk expand trait item block local place "
         "value const layout alloc drop move copy merge split intern table node edge graph map "
         "set iter next step poll wake read write flush lock").split()
IMAGES = ("/usr/bin/rustc", "/usr/lib/librustc_driver.so", "/usr/lib/libLLVM-14.so",
          "/usr/lib/x86_64-linux-gnu/libc.so.6", "[kernel.kallsyms]")


def zipf(random_, count):
    """Chooses numbers below `count`: the first is twice as frequent as the second ..."""
    sums = list(itertools.accumulate(1 / (i + 1) for i in range(count)))

    def choose():
        return bisect.bisect_left(sums, random_.random() * sums[-1])
    return choose


def name(random_, number):
    def words(least, most):
        return "_".join(random_.choices(WORDS, k=random_.randint(least, most)))
    kind = "".join(word.title() for word in random_.choices(WORDS, k=2))
    parts = [random_.choice(CRATES), words(1, 1), words(1, 2), kind, words(1, 3)]
    return "::".join(parts) + ("<%s>" % kind if random_.random() < .2 else "") + "_%d" % number


def make_functions(random_, count):
    return ["\t%16x %s+0x1f (%s)\n" % (0x400000 + 64 * i, name(random_, i),
                                       IMAGES[min(int(random_.expovariate(.7)), 4)])
            for i in range(count)]


def make_stacks(random_, count, functions):
    """Their text, innermost function first."""
    choose = zipf(random_, len(functions))
    paths = [list(range(10))]
    while len(paths) < count:
        path = random_.choice(paths)
        cut = max(4, len(path) - int(random_.expovariate(.4)))
        paths.append(path[:cut] + [choose() for _ in range(random_.randint(1, 5))])
    random_.shuffle(paths)
    return ["".join(functions[i] for i in reversed(path)) for path in paths]


def run(random_, samples, stacks, out):
    choose = zipf(random_, len(stacks) // PROCESSES * PROCESSES)
    headers = []
    for thread in range(THREADS):
        process = thread % PROCESSES
        headers.append("worker-%d %d/%d " % (thread, 1000 + process, 1000 + thread))
    recent = [[thread % PROCESSES] * 8 for thread in range(THREADS)]
    once = dict(zip(random_.sample(range(samples), min(len(stacks), samples)), range(len(stacks))))
    on_cpu = random_.sample(range(THREADS), CPUS)
    due = [random_.random() / RATE for _ in range(CPUS)]
    for number in range(samples):
        cpu = min(range(CPUS), key=due.__getitem__)
        time = due[cpu] + random_.expovariate(100000)
        due[cpu] += 1 / RATE
        if random_.random() < .05:
            on_cpu[cpu] = random_.choice([i for i in range(THREADS) if i not in on_cpu])
        thread = on_cpu[cpu]
        last = recent[thread]
        if random_.random() < .33:
            stack = random_.choice(last)
        else:  # programs have stacks of their own
            stack = choose() // PROCESSES * PROCESSES + thread % PROCESSES
        stack = once.get(number, stack)
        last[random_.randrange(8)] = stack
        out.write("%s[%03d] %.6f: 1003009 cpu-clock: \n%s\n"
                  % (headers[thread], cpu, 100 + time, stacks[stack]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1000000)
    parser.add_argument("--stacks", type=int, default=100000)
    parser.add_argument("--names", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random_ = random.Random(args.seed)
    stacks = make_stacks(random_, args.stacks, make_functions(random_, args.names))
    run(random_, args.samples, stacks, sys.stdout)


if __name__ == "__main__":
    main()
