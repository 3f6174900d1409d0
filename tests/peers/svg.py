"""Pictures as the rectangles that are drawn: of inferno, of flamegraph.pl and of wick.

Two pictures are the same if they draw the same frames: name, number of samples, depth,
beginning, width and colour. Beginnings and widths are parts of the whole and may differ by
what their printed digits round to, no more.
"""
import re
import xml.etree.ElementTree as tree

# Half of the last printed digit, for both sides: inferno prints percent with four decimals,
# wick pixels with three (of at least a thousand), flamegraph.pl pixels with one. A width is
# the difference of two such numbers.
INFERNO_ROUNDING = 0.00005 / 100
WICK_ROUNDING = 0.0005 / 1000
PERL_ROUNDING = 0.1 / 1180


class Unreadable(Exception):
    """Why a picture is not one."""


class Frame:
    def __init__(self, name, samples, rest, y, start, width, colour):
        self.name, self.samples, self.rest = name, samples, rest
        self.y, self.start, self.width, self.colour = y, start, width, colour
        self.depth = 0

    def __repr__(self):
        red, green, blue = self.colour or (0, 0, 0)
        return (f"{self.name!r} ({self.samples} {self.rest}) depth {self.depth} at "
                f"{self.start:.6f} wide {self.width:.6f} rgb({red},{green},{blue})")


def local(element):
    return element.tag.rpartition("}")[2]


def colour_of(text):
    found = re.fullmatch(r"rgb\((\d+),(\d+),(\d+)\)", text or "")
    if found:
        return tuple(int(part) for part in found.groups())
    found = re.fullmatch(r"#(..)(..)(..)", text or "")
    return tuple(int(part, 16) for part in found.groups()) if found else (0, 0, 0)


def title_parts(title):
    """Name, number of samples and the rest of "name (1,234 samples, 5.00%)"; a title that was
    given by hand is a name alone."""
    found = re.fullmatch(r"(.*) \(([\d,]+) (.*?)\)", title, re.S)
    if not found:
        return title, None, ""
    return found.group(1), int(found.group(2).replace(",", "")), found.group(3)


def boxes(data):
    """(title, rectangle) of each frame, in the order of drawing."""
    try:
        root = tree.fromstring(data)
    except tree.ParseError as wrong:
        raise Unreadable(str(wrong)) from None
    for element in root.iter():
        if local(element) not in ("g", "a"):
            continue
        title = next((child for child in element if local(child) == "title"), None)
        rect = next((child for child in element if local(child) == "rect"), None)
        if title is not None and rect is not None:
            yield title.text or "", rect


def with_depths(frames):
    """Counts depth from the row that holds the widest frame, whichever way the picture grows."""
    if not frames:
        raise Unreadable("no frames in it")
    whole = max(frames, key=lambda frame: frame.width)
    ground = next((frame.y for frame in frames if frame.name == "all"), whole.y)
    levels = sorted({frame.y for frame in frames}, key=lambda y: abs(y - ground))
    for frame in frames:
        frame.depth = levels.index(frame.y)
    return frames


def frames_of_inferno(data):
    frames = []
    for title, rect in boxes(data):
        name, samples, rest = title_parts(title)
        frames.append(Frame(name, samples, rest, float(rect.get("y")),
                            float(rect.get("x").rstrip("%")) / 100,
                            float(rect.get("width").rstrip("%")) / 100,
                            colour_of(rect.get("fill"))))
        for key, value in rect.items():
            if key.endswith("}w"):
                frames[-1].raw = int(value)
            elif key.endswith("}x"):
                frames[-1].raw_start = int(value)
    return with_depths(frames)


def frames_in_pixels(data, margin=None):
    """Of pictures in pixels, which begin at the left edge of the whole."""
    found = [(title_parts(title), [float(rect.get(key)) for key in ("x", "y", "width")],
              rect.get("fill")) for title, rect in boxes(data)]
    if not found:
        raise Unreadable("no frames in it")
    left = min(place[0] for _, place, _ in found)
    whole = max(place[2] for _, place, _ in found)
    return with_depths([Frame(name, samples, rest, y, (x - left) / whole, width / whole,
                              colour_of(fill))
                        for (name, samples, rest), (x, y, width), fill in found])


frames_of_wick = frames_in_pixels


def palette_map(path):
    """A map of colours as the expected picture has them. Its titles have names without marks."""
    known = {}
    for frame in frames_of_inferno(path.read_bytes()):
        known.setdefault("" if frame.depth == 0 else frame.name, frame.colour)
    return "".join(f"{name}->rgb({r},{g},{b})\n" for name, (r, g, b) in sorted(known.items()))


def name_unnamed(frames):
    """Frames without a name as wick has them: called [unknown], which is then their colour and
    place among their siblings, too."""
    for frame in frames:
        if frame.depth and not frame.name:
            frame.name, frame.colour = "[unknown]", None


def in_order_of_text(groups, children):
    """Siblings as the lines of their stacks are sorted, where one of them was given its name."""
    if not any(group[0].colour is None for group in groups):
        return groups

    def key(group):
        below = sum(child.raw for frame in group for child in children.get(frame, ()))
        ends_here = below < sum(frame.raw for frame in group)
        return (group[0].name + (" " if ends_here else ";")).encode()
    return sorted(groups, key=key)


def merged(frames):
    """The picture with siblings of one name made one, as wick has them: the older tools sort
    lines by their text, so that "foo.a" comes between "foo" and what "foo" calls and splits it
    in two. The merged frame stands where the first of them stood."""
    children = {}
    order = sorted(frames, key=lambda frame: (frame.depth, frame.raw_start))
    parents = {}
    for frame in order:
        parent = None
        for other in parents.get(frame.depth - 1, ()):
            if other.raw_start <= frame.raw_start < other.raw_start + other.raw:
                parent = other
        parents.setdefault(frame.depth, []).append(frame)
        children.setdefault(parent, []).append(frame)
    root = children[None][0]
    result = []

    def lay(group, start, depth):
        weight = sum(frame.raw for frame in group)
        first = group[0]
        samples = sum(frame.samples or 0 for frame in group)
        rest = re.sub(r"[\d.]+%", f"{100 * weight / root.raw:.2f}%", first.rest, count=1)
        result.append(Frame(first.name, samples if first.samples is not None else None,
                            rest if len(group) > 1 else first.rest, first.y, start / root.raw,
                            weight / root.raw, first.colour))
        result[-1].depth = depth
        below, gap = {}, None
        for frame in group:
            for child in children.get(frame, ()):
                if gap is None:
                    gap = child.raw_start - frame.raw_start if frame is first else 0
                below.setdefault(child.name, []).append(child)
        todo.append((below, start + weight - sum(child.raw for some in below.values()
                                                for child in some), depth + 1))

    todo = []
    lay([root], 0, 0)
    while todo:
        below, start, depth = todo.pop()
        for group in in_order_of_text(list(below.values()), children):
            lay(group, start, depth)
            start += sum(frame.raw for frame in group)
    return result


def sorted_frames(frames):
    return sorted(frames, key=lambda frame: (frame.depth, round(frame.start, 7), frame.name))


def near(a, b, rounding):
    return abs(a - b) <= rounding


def difference(expected_data, came_data, way, structure_only):
    """None, or the first frame that differs."""
    if structure_only:
        expected, rounding = frames_in_pixels(expected_data), PERL_ROUNDING
    else:
        expected, rounding = frames_of_inferno(expected_data), INFERNO_ROUNDING
    if way == "unnamed":
        name_unnamed(expected)
    if way in ("merged", "unnamed"):
        expected = merged(expected)
    came = frames_of_wick(came_data)
    rounding += WICK_ROUNDING
    if len(expected) != len(came):
        names = {}
        for frame in expected:
            names[frame.name, frame.depth] = names.get((frame.name, frame.depth), 0) + 1
        for frame in came:
            names[frame.name, frame.depth] = names.get((frame.name, frame.depth), 0) - 1
        odd = [f"{name} at depth {depth}: {count:+d}" for (name, depth), count in names.items()
               if count]
        return f"expected {len(expected)} frames, came {len(came)}; " + ", ".join(odd[:6])
    for want, got in zip(sorted_frames(expected), sorted_frames(came)):
        same = (want.name == got.name and want.samples == got.samples and
                want.depth == got.depth and near(want.start, got.start, rounding) and
                near(want.width, got.width, 2 * rounding))
        if not structure_only:
            same = same and want.colour in (None, got.colour) and want.rest == got.rest
        if not same:
            return f"expected {want}\ncame     {got}"
    return None
