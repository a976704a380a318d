"""Pictures of which GL says every colour: what llvmpipe is no judge of, or where one unit counts."""
import math

from gl.shapes import Scene

MIPMAPPED = ["NEAREST_MIPMAP_NEAREST", "LINEAR_MIPMAP_NEAREST", "NEAREST_MIPMAP_LINEAR", "LINEAR_MIPMAP_LINEAR"]


def level_colour(level):
    """Levels alternate in red, so that a level of detail that is off by 1/50 shows; green says which it is."""
    return [255 * (level & 1), 30 * level, 128, 255]


def expected_level(lod, minify, magnify, top):
    """The colour of GLES 2.0, 3.7.7 and 3.7.8: the switch-over constant, then one or two levels."""
    switch = 0.5 if magnify == "LINEAR" and minify.startswith("NEAREST_MIPMAP") else 0.0
    if lod <= switch:
        return level_colour(0)
    if minify.endswith("MIPMAP_NEAREST"):
        return level_colour(min(top, max(0, math.ceil(lod + 0.5) - 1)))
    lower = min(top, math.floor(lod))
    part = lod - lower if lower < top else 0.0
    return [round(a + (b - a) * part) for a, b in zip(level_colour(lower), level_colour(min(lower + 1, top)))]


def levels(name, r, gpu):
    """A texture of one colour a level, drawn at one scale: the level of detail to a fiftieth, and where mag takes over from min.

    llvmpipe takes over at 0 always, so the colours are the specification's. Scales are between thresholds, whose place is open
    by the level's error.
    """
    size = r.choice((16, 32, 64))
    top = int(math.log2(size))
    s = Scene(name, r, size=(r.choice((24, 40)), r.choice((24, 40))))
    minify, magnify = r.choice(MIPMAPPED + ["NEAREST_MIPMAP_LINEAR"]), r.choice(("NEAREST", "LINEAR", "LINEAR"))
    while True:
        lod = r.choice((r.uniform(-1, top + 0.5), r.uniform(0, 1), r.uniform(0, 0.5)))
        near = [abs(lod - t) for t in (0.0, 0.5)] + [abs(lod - math.floor(lod) - 0.5)]
        if min(near) > 3 * gpu.lod:
            break
    lod = round(lod, 3)
    bias = r.choice((0.0, 0.0, 0.0, round(r.uniform(-2, 2), 2)))
    scale = 2.0 ** (lod - bias) / size
    other = scale * r.choice((1.0, 0.5, 0.25))
    across, up = (scale, other) if r.random() < 0.5 else (other, scale)
    s.add("texture 0 TEXTURE_2D levels", f"TexParameteri TEXTURE_2D TEXTURE_MIN_FILTER {minify}", f"TexParameteri TEXTURE_2D TEXTURE_MAG_FILTER {magnify}")
    s.add(*[f"image TEXTURE_2D {i} RGBA UNSIGNED_BYTE {size >> i} {size >> i} solid {' '.join(map(str, level_colour(i)))}" for i in range(top + 1)])
    s.program([f"gl_FragColor = texture2D(image, t.xy{f', {bias!r}' if bias else ''});"], ["texcoord"], declare=["uniform sampler2D image;"])
    corners = s.cover()
    s.array("position", 4, [s.clip(x, y) for x, y in corners])
    s.array("texcoord", 2, [(x * across, y * up) for x, y in corners])
    s.add("draw TRIANGLE_STRIP 0 4")
    colour = expected_level(lod, minify, magnify, top)
    tolerance = 2 + math.ceil(255 * gpu.lod) if minify.endswith("LINEAR") else 2
    s.add(f"# lod {lod}", f"# expect 0 0 {s.width} {s.height} {' '.join(map(str, colour))} {tolerance}")
    return s.finish(tolerance)


def offsets(name, r, gpu):
    """A surface twice, the second time one or more units of polygon offset nearer or farther.

    GLES 2.0, 3.5.2: one unit is the least difference that remains distinct everywhere in the depth buffer; so one unit nearer
    is less at every pixel.
    """
    s = Scene(name, r, attachments=[r.choice(("DEPTH_COMPONENT16", "DEPTH_COMPONENT24_OES", "DEPTH24_STENCIL8_OES"))], size=(32, 32))
    s.program(["gl_FragColor = c;"])
    z = round(r.choice((r.uniform(0.05, 0.95), r.uniform(0.5, 0.95))), 6)
    slope = r.choice((0, 0, round(r.uniform(-0.04, 0.04), 6)))
    corners = s.cover()
    first, second = [0, 1, 0, 1], [1, 0, 1, 1]
    s.add("Enable DEPTH_TEST", "DepthFunc ALWAYS")
    s.array("position", 4, [s.clip(x, y, z + slope * (1 if i & 1 else -1)) for i, (x, y) in enumerate(corners)])
    s.add("constant colour " + " ".join(map(str, first)), "draw TRIANGLE_STRIP 0 4")
    units = r.choice((-1, 1, 0, -1, 1, -2, 2, 5, -5))
    test = r.choice(("LESS", "LEQUAL", "GREATER", "GEQUAL", "EQUAL", "NOTEQUAL"))
    passes = {"LESS": units < 0, "LEQUAL": units <= 0, "GREATER": units > 0, "GEQUAL": units >= 0, "EQUAL": units == 0, "NOTEQUAL": units != 0}[test]
    s.add("Enable POLYGON_OFFSET_FILL", f"PolygonOffset 0 {units}", f"DepthFunc {test}", "constant colour " + " ".join(map(str, second)),
          "draw TRIANGLE_STRIP 0 4")
    colour = [255 * c for c in (second if passes else first)]
    s.add(f"# expect 0 0 32 32 {' '.join(map(str, colour))} 0")
    return s.finish(0)


def large_points(name, r, gpu):
    """One point as large as it may be, or larger: it is as large as the greatest size that the driver advertises."""
    most = gpu.points
    size = round(r.choice((most, most * 1.5, most + 2, most - 1, most * 4, most / 2)))
    drawn = min(size, most)
    width, height = int(most * 1.25) // 8 * 8, 6
    across = r.random() < 0.5
    s = Scene(name, r, size=(width, height) if across else (height, width))
    s.program(["gl_FragColor = c;"], vertex=f"gl_PointSize = {float(size)!r};")
    x, y = s.width / 2 + 1 / 4, s.height / 2 + 1 / 4
    s.array("position", 4, [s.clip(x, y)])
    s.add("constant colour 1 1 0 1", "draw POINTS 0 1")
    # A pixel at either end is open: where the vertex stands there.
    low, high = width / 2 - drawn / 2, width / 2 + drawn / 2
    spans = [(0, max(0, math.floor(low) - 1), (0, 0, 0, 0)), (max(0, math.ceil(low) + 1), min(width, math.floor(high) - 1), (255, 255, 0, 255)),
             (min(width, math.ceil(high) + 2), width, (0, 0, 0, 0))]
    s.add(f"# {gpu.name} advertises points of up to {most:g}")
    for start, end, colour in spans:
        if end > start:
            box = (start, 0, end - start, height) if across else (0, start, height, end - start)
            s.add(f"# expect {' '.join(map(str, box))} {' '.join(map(str, colour))} 0")
    # llvmpipe has smaller points than this.
    for middle in (low, high):
        start, end = max(0, math.floor(middle) - 1), min(width, math.ceil(middle) + 2)
        if start < width and end > 0 and end > start:
            box = (start, 0, end - start, height) if across else (0, start, height, end - start)
            s.add(f"# expect {' '.join(map(str, box))} 128 128 0 128 128")
    return s.finish(0)
