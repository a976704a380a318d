"""What scenes of pictures have in common: targets, vertices, programs that pass colours."""
import math

SIZES = [(64, 64), (64, 64), (33, 47), (16, 16), (100, 20), (65, 67), (7, 90), (128, 72)]
# A channel's step, in 255ths, of what a format keeps.
STEPS = {"RGBA8_OES": 1, "RGB565": 9, "RGBA4": 18}


def text(numbers):
    return " ".join(f"{n:.9g}" for n in numbers)


def snapped(pixel):
    """On the grid of 1/16 pixel, which every GPU has."""
    return round(pixel * 16) / 16


class Scene:
    """Lines of a scene; vertices are given in pixels of the target."""

    def __init__(self, name, random, formats=("RGBA8_OES",), attachments=(), size=None):
        self.r = random
        self.width, self.height = size or random.choice(SIZES)
        self.view = 0, 0, self.width, self.height
        self.format = random.choice(formats)
        self.step = STEPS[self.format]
        self.lines = [f"scene {name}", "# compare picture 0", f"target {self.width} {self.height} {self.format}" + "".join(" " + a for a in attachments)]

    def add(self, *lines):
        self.lines += lines

    def finish(self, tolerance, how="picture"):
        self.lines[1] = f"# compare {how} {tolerance}"
        return self.lines

    def clip(self, x, y, z=0.5, w=1.0):
        """Clip coordinates of a place in the window; z from 0 to 1. A little away from the middle: a GPU that cuts off there has the
        grid's place as one that rounds."""
        x0, y0, width, height = self.view
        x, y = (p - first + math.copysign(1 / 256, p - first - size / 2) for p, first, size in ((x, x0, width), (y, y0, height)))
        return ((x / width * 2 - 1) * w, (y / height * 2 - 1) * w, (z * 2 - 1) * w, w)

    def viewport(self, x, y, width, height):
        """Places stay those of the window."""
        self.view = x, y, width, height
        self.add(f"Viewport {x} {y} {width} {height}")

    def program(self, fragment, attributes=("colour",), varyings=None, vertex="", declare=()):
        """`fragment`: statements; each attribute beside position is a vec4 and has a varying of its first letter."""
        self.add("vertex", "| uniform vec2 jitter;", "| attribute vec4 position;", *[f"| attribute vec4 {a};" for a in attributes],
                 *[f"| varying vec4 {a[0]};" for a in attributes], "| void main() {", *[f"|   {a[0]} = {a};" for a in attributes],
                 *[f"|   {line}" for line in ([vertex] if vertex else [])],
                 "|   gl_Position = position;", "|   gl_Position.xy += jitter * position.w;", "| }",
                 "fragment", "| precision highp float;", *[f"| varying vec4 {a[0]};" for a in attributes], *[f"| {d}" for d in declare],
                 "| void main() {", *[f"|   {line}" for line in fragment], "| }", "link")

    def array(self, name, size, rows, options="", kind="FLOAT"):
        self.add(f"array {name} {size} {kind}{' ' + options if options else ''} : {text(n for row in rows for n in row)}")

    def place(self, margin=12):
        return snapped(self.r.uniform(-margin, self.width + margin)), snapped(self.r.uniform(-margin, self.height + margin))

    def triangle(self):
        """Corners of one that is no sliver."""
        while True:
            corners = [self.place() for _ in range(3)]
            (ax, ay), (bx, by), (cx, cy) = corners
            area = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
            longest = max((px - qx) ** 2 + (py - qy) ** 2 for px, py in corners for qx, qy in corners)
            if area > 0.15 * longest and area > self.width * self.height / 16:
                return corners

    def rectangle(self, x0, y0, x1, y1):
        """Corners of a strip."""
        return [(x0, y0), (x1, y0), (x0, y1), (x1, y1)]

    def cover(self):
        """Corners of a strip over the whole target and past its edges."""
        return self.rectangle(-1, -1, self.width + 1, self.height + 1)

    def colour(self):
        r = self.r
        return [r.choice((0.0, 1.0, 0.5)) if r.random() < 0.3 else round(r.random(), 2) for _ in range(4)]
