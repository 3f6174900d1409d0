"""What a Python script does all day: recursion, callbacks from C, json, regular expressions."""
import functools
import json
import re
import sys


def parse(depth, seed):
    if depth == 0:
        return {"value": seed % 97, "text": "item %d" % seed}
    return [parse(depth - 1, seed * 31 + i) for i in range(4)]


def walk(node, visit):
    if isinstance(node, list):
        return sum(map(lambda child: walk(child, visit), node))
    return visit(node)


def by_digits(left, right):
    return (sum(map(ord, left)) - sum(map(ord, right))) or ((left > right) - (left < right))


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    total = 0
    for round_number in range(rounds):
        tree = parse(5, round_number + 3)
        total += walk(tree, lambda leaf: leaf["value"])
        text = json.dumps(tree)
        total += len(json.loads(text))
        words = re.findall(r"item (\d+)", text)
        words.sort(key=functools.cmp_to_key(by_digits))
        total += len(re.sub(r"(\w+) (\d)", lambda m: m.group(2) + m.group(1), text)) % 101
    print(total)


main()
