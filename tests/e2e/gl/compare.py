"""Whether two players' pictures of a scene are the same picture.

A scene says how it is compared, in a line `# compare`:
  values STAGE              each result as a number, by the error that its operations may have (values.py)
  picture TOLERANCE         each channel by the tolerance, in 255ths; more where llvmpipe itself gives more when every
                            vertex is moved by the GPU's error, as at edges
  near TOLERANCE RADIUS     the same, and colours of pixels around, up to the radius, are a pixel's own too: lines, whose
                            pixels GL leaves open by one (GLES 2.0, 3.4.1)
Lines `# expect X Y WIDTH HEIGHT R G B A TOLERANCE` hold whatever llvmpipe draws: what GL says where llvmpipe is no judge.
"""
import dataclasses

from gl import glsl, values

# What play.py says of a player that a signal ended: llvmpipe's own compiler at times.
CRASHED = "the program ends with status -"
SAME, DIFFERENT, UNDECIDED, INVALID = "same", "different", "undecided", "invalid"


@dataclasses.dataclass
class Verdict:
    kind: str
    text: str = ""
    pixel: tuple = None  # where the first difference is
    count: int = 0       # of differing values


def comparison(lines):
    for line in lines:
        if line.startswith("# compare "):
            return line.split()[2:]
    return ["picture", "0"]


def expectations(lines):
    return [[int(word) for word in line.split()[2:11]] for line in lines if line.startswith("# expect ")]


def mismatch(a, b):
    """Why two results cannot be compared by their pictures, or None."""
    if a.error or b.error:
        if a.error and b.error:
            return Verdict(INVALID, f"llvmpipe: {a.error}; the GPU: {b.error}")
        if a.error and a.error.startswith(CRASHED):
            return Verdict(UNDECIDED, f"llvmpipe: {a.error}")
        return Verdict(DIFFERENT, f"llvmpipe: {a.error or 'draws'}; the GPU: {b.error or 'draws'}")
    if [p[:2] for p in a.pictures] != [p[:2] for p in b.pictures]:
        return Verdict(DIFFERENT, "the pictures have other sizes")
    return None


def compare_values(lines, reference, got, gpu, model):
    """`model`: llvmpipe's Numbers. Where it has the wrong number itself nothing is decided."""
    try:
        judge = values.Judge(lines)
    except glsl.SyntaxFault as fault:
        return Verdict(INVALID, str(fault))
    numbers = getattr(gpu, judge.stage)
    width = reference.pictures[-1][0]
    a, b = reference.pictures[-1][2], got.pictures[-1][2]
    doubt, found = 0, []
    for point in range(width):
        at = [4 * (row * width + point) for row in range(4)]
        if all(a[i:i + 4] == b[i:i + 4] for i in at):
            continue
        ours = judge.results(point, numbers)
        if ours is None:
            doubt += 1
            continue
        theirs = judge.results(point, model)
        for row, i in enumerate(at):
            if a[i:i + 4] == b[i:i + 4]:
                continue
            x, y = values.decode(a[i:i + 4]), values.decode(b[i:i + 4])
            may = (None, None) if ours == "discard" else ours[row]
            if ours == "discard" or y is None:
                good, reference_good = ours == "discard" and y is None, theirs == "discard" and x is None or ours != "discard" and x is not None
            else:
                good = values.inside(y, may)
                reference_good = theirs not in (None, "discard") and x is not None and values.inside(x, theirs[row])
            if good:
                continue
            if not reference_good:
                doubt += 1
                continue
            found.append(((point, row), f"component {'xyzw'[row]} of point {point}: {show(y)}, llvmpipe {show(x)}, may be {show(may[0])} to {show(may[1])}"))
    if found:
        return Verdict(DIFFERENT, found[0][1], found[0][0], len(found))
    return Verdict(UNDECIDED if doubt else SAME, f"{doubt} values" if doubt else "", None, doubt)


def show(number):
    return "nothing" if number is None else f"{number:.9g}"


def expected_pixels(lines, width, height):
    """By pixel (y * width + x): (colour, tolerance)."""
    pixels = {}
    for x0, y0, w, h, *colour, tolerance in expectations(lines):
        for y in range(max(y0, 0), min(y0 + h, height)):
            for x in range(max(x0, 0), min(x0 + w, width)):
                pixels[y * width + x] = (colour, tolerance)
    return pixels


def channels(picture):
    width, height, data = picture
    return len(data) // max(1, width * height)


def bounds(pictures, near):
    """Of several pictures of one size the least and greatest of each byte; also of all pixels nearer than `near`."""
    width, height, data = pictures[0]
    low, high = list(data), list(data)
    for _, _, other in pictures[1:]:
        if other == data:
            continue
        low = list(map(min, low, other))
        high = list(map(max, high, other))
    for _ in range(near):
        low, high = spread(low, min, width, height), spread(high, max, width, height)
    return low, high


def spread(data, function, width, height):
    row = 4 * width
    wide = [function(data[i], data[i - 4] if i % row >= 4 else data[i], data[i + 4] if i % row < row - 4 else data[i]) for i in range(len(data))]
    return [function(wide[i], wide[i - row] if i >= row else wide[i], wide[i + row] if i + row < len(data) else wide[i]) for i in range(len(data))]


def compare_pictures(lines, references, got):
    """`references`: what llvmpipe and, for doubt, softpipe drew."""
    how = comparison(lines)
    tolerance, near = int(how[1]), int(how[2]) if how[0] == "near" else 0
    first, count = None, 0
    for number, picture in enumerate(got.pictures):
        width, height, data = picture
        last = number == len(got.pictures) - 1
        size = channels(picture)
        alike = [r.pictures[number] for r in references if not r.error]
        low, high = bounds(alike, near if size == 4 else 0)
        expected = expected_pixels(lines, width, height) if last else {}
        for i, value in enumerate(data):
            pixel = i // size
            if pixel in expected:
                colour, limit = expected[pixel]
                may = colour[i % 4] - limit, colour[i % 4] + limit
            elif size == 4:
                may = low[i] - tolerance, high[i] + tolerance
            else:
                may = low[i], high[i]
            if may[0] <= value <= may[1]:
                continue
            count += 1
            if first is None:
                x, y = pixel % width, pixel // width
                want = tuple(expected[pixel][0]) if pixel in expected else tuple(alike[0][2][pixel * size:pixel * size + size])
                first = (x, y), (f"picture {number + 1}: " if not last else "") + \
                    f"pixel {x},{y} is {tuple(data[pixel * size:pixel * size + size])}, {'GL says' if pixel in expected else 'llvmpipe'} {want}"
    if first:
        return Verdict(DIFFERENT, first[1], first[0], count)
    return Verdict(SAME)
