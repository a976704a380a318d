"""Makes a scene that differs small: as long as the GPU and llvmpipe differ, takes away lines, points, and parts of expressions.

Many ways to go on are drawn in one run of each player, and what keeps the difference is kept.
"""
import re

from gl import compare, glsl, values

# What stays: without it a scene has no answer, or reads what nobody wrote.
KEPT = re.compile(r"scene |# compare|targets? |vertex$|fragment$|compute$|link$|storage |integers |imageunit |capture |feedback |dispatch |uniform n0 "
                  r"|\|\s+(memoryBarrierShared\(\)|all\[l\] = |if \(l == 0u\))")
BATCH = 48


class Reducer:
    def __init__(self, court, progress=lambda text: None):
        self.court, self.progress, self.verdict = court, progress, None

    def differ(self, candidates, enough=None):
        """Of the candidates those that still differ, in their order; with `enough`, no more are tried when so many do."""
        found = []
        for first in range(0, len(candidates), BATCH):
            if enough and len(found) >= enough:
                break
            some = [self.named(i, lines) for i, lines in enumerate(candidates[first:first + BATCH])]
            verdicts, _ = self.court.judge(some)
            for name, lines in some:
                if verdicts[name].kind == compare.DIFFERENT and (verdicts[name].pixel is None) == (self.verdict.pixel is None):
                    found.append((candidates[first + int(name[1:])], verdicts[name]))
        return found

    @staticmethod
    def named(i, lines):
        return f"r{i}", [f"scene r{i}"] + lines[1:]

    def reduce(self, lines, verdict):
        self.verdict = verdict
        if compare.expectations(lines):
            return lines  # they hold for the whole scene alone, which is small
        if compare.comparison(lines)[0] == "values" and verdict.pixel:
            lines = self.step(lines, [one_point(lines, verdict.pixel)])
            lines = self.step(lines, [one_component(lines, verdict.pixel[1])])
        before = None
        while before != lines:
            before = lines
            for way in (self.without_lines, self.without_names, self.smaller_expressions, self.simpler_numbers):
                lines = way(lines)
                self.progress(f"{len(lines)} lines")
        return lines

    def step(self, lines, candidates):
        found = self.differ([c for c in candidates if c and c != lines], 1)
        if not found:
            return lines
        best, self.verdict = min(found, key=lambda f: sum(map(len, f[0])))
        return best

    def without_lines(self, lines):
        """Chunks of lines, halves first, then smaller ones; all that can go alone are tried together."""
        size = max(1, len(lines) // 2)
        while True:
            may_go = [i for i, line in enumerate(lines) if not KEPT.match(line) and not self.fixed(lines, i)]
            chunks = [may_go[i:i + size] for i in range(0, len(may_go), size)] + (blocks(lines, may_go) if size <= 8 else [])
            candidates = [without(lines, chunk) for chunk in chunks]
            found = self.differ(candidates)
            if found:
                good = [lines_left for lines_left, _ in found]
                gone = set().union(*[set(chunk) for chunk, c in zip(chunks, candidates) if c in good])
                together = self.differ([without(lines, gone)])
                lines, self.verdict = (together or [min(found, key=lambda f: len(f[0]))])[0]
            elif size == 1:
                return lines
            if not found or size > 4:
                size = max(1, size // 2)

    @staticmethod
    def fixed(lines, i):
        """Lines of a scene of values that make numbers of what compute() returns."""
        if compare.comparison(lines)[0] != "values":
            return False
        if not lines[i].startswith("| "):
            return lines[i].startswith(("array place", "uniform row", "draw", "Clear"))
        return not any(first <= i < last for first, last in bodies(lines))

    def without_names(self, lines):
        """Variables, with every line that has them."""
        names = {word for line in lines if line.startswith("| ") for word in re.findall(r"\b(?:[avucm]\d|n\d|t\d|s\d|l\d|f\d)\b", line)}
        pairs = [{n, "v" + n[1:]} if n[0] == "a" else {n} for n in sorted(names)]
        while True:
            found = []
            for pair in pairs:
                pattern = re.compile(r"\b(" + "|".join(pair) + r")\b")
                left = [line for line in lines if KEPT.match(line) or not pattern.search(line)]
                if left != lines:
                    found.append(left)
            smaller = self.step(lines, found)
            if smaller == lines:
                return lines
            lines = smaller

    def smaller_expressions(self, lines):
        while True:
            candidates = []
            for i, line in enumerate(lines):
                if line.startswith("| ") and not self.fixed(lines, i):
                    candidates += [lines[:i] + [text] + lines[i + 1:] for text in smaller_lines(line)]
            smaller = self.step(lines, sorted(candidates, key=lambda c: sum(map(len, c)))[:400])
            if smaller == lines:
                return lines
            lines = smaller

    def simpler_numbers(self, lines):
        """Of inputs: 0, 1, or fewer digits; all that may change alone are changed together where that still differs."""
        for digits in (0, 1, 2):
            places = [(i, at) for i, line in enumerate(lines) if re.match(r"array (?!place)|uniform (?!row)", line) and len(line) < 1000
                      for at in range(len(numbers_of(line)[1]))]
            candidates = [(place, c) for place in places for c in [simpler(lines, [place], digits)] if c]
            found = [lines_found for lines_found, _ in self.differ([c for _, c in candidates])]
            good = [place for place, c in candidates if c in found]
            if good:
                together = self.differ([simpler(lines, good, digits)]) or self.differ([simpler(lines, good[:1], digits)])
                if together:
                    lines, self.verdict = together[0]
        return lines


def numbers_of(line):
    head = re.match(r"array .* :|uniform \S+ \S+", line).group()
    return head, line[len(head):].split()


def simpler(lines, places, digits):
    """With 0, 1 or a number of two digits at the places; None when that is no simpler."""
    smaller = list(lines)
    for i, at in places:
        head, numbers = numbers_of(smaller[i])
        number = ("0", "1", f"{float(numbers[at]):.2g}")[digits]
        if numbers[at] != number and len(number) <= len(numbers[at]) and not (digits and numbers[at] == "0"):
            numbers[at] = number
            smaller[i] = f"{head} {' '.join(numbers)}"
    return smaller if smaller != lines else None


def one_component(lines, row):
    """A scene of values in which only one component of what compute() returns counts."""
    kept = f"c{row}"
    return [re.sub(r"\bc[0-3]\b", lambda m: m.group() if m.group() == kept else "1.0", line)
            if re.match(r"\|\s+return vec4\(c0, c1, c2, c3\);", line) else line for line in lines]


def without(lines, gone):
    gone = set(gone)
    return [line for i, line in enumerate(lines) if i not in gone]


def blocks(lines, may_go):
    """Lines that open and close a brace, with what is between, and without it."""
    found, may_go = [], set(may_go)
    for i in sorted(may_go):
        if lines[i].startswith("| ") and lines[i].endswith("{"):
            depth = 0
            for j in range(i, len(lines)):
                depth += lines[j].count("{") - lines[j].count("}")
                if depth <= 0:
                    break
            if j in may_go and j > i:
                found += [list(range(i, j + 1)), [i, j]]
            elses = [k for k in range(i, min(j + 1, len(lines))) if lines[k].strip("| ") == "} else {"]
            if len(elses) == 1 and j in may_go:
                found += [list(range(elses[0], j)), [i, *range(elses[0], j + 1)]]
    return found


def bodies(lines):
    """Where compute() and the functions before it stand, from their first line to the last but their closing one."""
    found, start = [], None
    for i, line in enumerate(lines):
        if re.match(r"\| (vec4 compute|float f\d)\b", line):
            start = i if "compute" not in line else i + 1
        elif line == "| }" and start is not None:
            found.append((start, i + 1 if lines[start].startswith("| float f") else i - 1))
            start = None
    return found


def one_point(lines, pixel):
    """A scene of values with one of its points."""
    column, _ = pixel
    smaller = []
    for line in lines:
        if line.startswith("array "):
            head, numbers = line.split(" : ")
            size, numbers = int(head.split()[2]), numbers.split()
            if len(numbers) == size:
                return None
            line = f"{head} : {' '.join(numbers[column * size:(column + 1) * size])}"
        elif line.startswith("draw POINTS"):
            line = "draw POINTS 0 1"
        smaller.append(line)
    return smaller


def smaller_lines(line):
    """The line with one expression in the place of one that has it, or a constant."""
    found = re.match(r"(\|\s*(?:for \(.*\) )?(?:(?:float|int|bool|vec\d|ivec\d) \w+ = |[\w.\[\]]+ [-+*]?= |return |if \())(.*?)(\) \w+;|\) \{|\) discard;|;)$", line)
    if not found:
        return []
    head, text, tail = found.groups()
    try:
        tree = glsl.parse_expression(text)
    except glsl.SyntaxFault:
        return []
    shorter = {head + glsl.show(t) + tail for t in replaced(tree)}
    return sorted((s for s in shorter if len(s) < len(line)), key=len)


def children(node):
    kind = node[0]
    if kind == "call":
        return [(2, i) for i in range(len(node[2]))]
    return {"unary": [2], "post": [2], "binary": [2, 3], "choice": [1, 2, 3], "field": [1], "index": [1]}.get(kind, [])


def child(node, at):
    return node[at[0]][at[1]] if isinstance(at, tuple) else node[at]


def with_child(node, at, new):
    copy = list(node)
    if isinstance(at, tuple):
        copy[at[0]] = list(node[at[0]])
        copy[at[0]][at[1]] = new
    else:
        copy[at] = new
    return copy


def replaced(node):
    """Every tree with one node replaced by a part of it, by a component of a part, or by 1."""
    for at in children(node):
        part = child(node, at)
        yield part
        if part[0] not in ("number", "field"):
            yield ["field", part, "x"]
        for smaller in replaced(part):
            yield with_child(node, at, smaller)
    if node[0] == "field" and len(node[2]) > 1:
        yield ["field", node[1], node[2][0]]
    if node[0] not in ("number",):
        for constant in ("1.0", "1", "true"):
            yield ["number", constant]
