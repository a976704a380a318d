"""Pictures of GL's fixed states: blending, tests, masks, culling, primitives, indices, attributes."""
from gl import gpus
from gl.shapes import Scene, snapped

FACTORS = ["ZERO", "ONE", "SRC_COLOR", "ONE_MINUS_SRC_COLOR", "SRC_ALPHA", "ONE_MINUS_SRC_ALPHA", "DST_ALPHA", "ONE_MINUS_DST_ALPHA", "DST_COLOR",
           "ONE_MINUS_DST_COLOR", "CONSTANT_COLOR", "ONE_MINUS_CONSTANT_COLOR", "CONSTANT_ALPHA", "ONE_MINUS_CONSTANT_ALPHA"]
EQUATIONS = ["FUNC_ADD", "FUNC_ADD", "FUNC_SUBTRACT", "FUNC_REVERSE_SUBTRACT"]
COMPARISONS = ["NEVER", "LESS", "EQUAL", "LEQUAL", "GREATER", "NOTEQUAL", "GEQUAL", "ALWAYS"]
OPERATIONS = ["KEEP", "ZERO", "REPLACE", "INCR", "DECR", "INVERT", "INCR_WRAP", "DECR_WRAP"]
FACES = ["FRONT", "BACK", "FRONT_AND_BACK"]


def blending(r):
    def source():
        return r.choice(FACTORS + ["SRC_ALPHA_SATURATE"])
    lines = ["Enable BLEND", f"BlendColor {r.random():.2f} {r.random():.2f} {r.random():.2f} {r.random():.2f}"]
    lines.append(f"BlendEquation {r.choice(EQUATIONS)}" if r.random() < 0.5 else f"BlendEquationSeparate {r.choice(EQUATIONS)} {r.choice(EQUATIONS)}")
    if r.random() < 0.5:
        return lines + [f"BlendFunc {source()} {r.choice(FACTORS)}"]
    return lines + [f"BlendFuncSeparate {source()} {r.choice(FACTORS)} {source()} {r.choice(FACTORS)}"]


def mask(r):
    return "ColorMask " + " ".join(r.choice(("TRUE", "TRUE", "FALSE")) for _ in range(4))


def depth_test(r):
    lines = ["Enable DEPTH_TEST", f"DepthFunc {r.choice(COMPARISONS[1:])}", f"DepthMask {r.choice(('TRUE', 'TRUE', 'FALSE'))}"]
    if r.random() < 0.3:
        lines.append(f"DepthRangef {r.choice(('0', '0.25', '1'))} {r.choice(('1', '0.75', '0'))}")
    if r.random() < 0.3:
        lines += ["Enable POLYGON_OFFSET_FILL", f"PolygonOffset {r.choice((0, 0, 1, -1))} {r.choice((-1, 1, 100, -100, 3))}"]
    return lines


def stencil_test(r):
    def function():
        return f"{r.choice(COMPARISONS)} {r.choice((0, 1, 2, 128, 255))} {r.choice((255, 255, 255, 1, 15))}"
    def operations():
        return " ".join(r.choice(OPERATIONS) for _ in range(3))
    lines = ["Enable STENCIL_TEST"]
    if r.random() < 0.5:
        lines += [f"StencilFunc {function()}", f"StencilOp {operations()}"]
    else:
        lines += [f"StencilFuncSeparate {face} {function()}" for face in FACES[:2]] + [f"StencilOpSeparate {face} {operations()}" for face in FACES[:2]]
    if r.random() < 0.3:
        lines.append(f"StencilMask {r.choice((255, 1, 254, 15))}")
    return lines


def culling(r):
    return ["Enable CULL_FACE", f"CullFace {r.choice(FACES[:2] * 3 + FACES[2:])}", f"FrontFace {r.choice(('CW', 'CCW'))}"]


def box(r, s):
    x, y = r.randrange(0, s.width), r.randrange(0, s.height)
    return f"{x} {y} {r.randrange(1, s.width + 1)} {r.randrange(1, s.height + 1)}"


def states(name, r, gpu):
    """Several draws of triangles, each after some changes of state."""
    depth = r.random() < 0.6
    stencil = depth and r.random() < 0.6
    formats = ["RGBA8_OES"] * 5 + ["RGBA4" if gpus.RGB565_ALPHA in gpu.avoid else "RGB565", "RGBA4"]  # not RGB5_A1: a driver may keep more than a bit of alpha
    s = Scene(name, r, formats, ["DEPTH24_STENCIL8_OES" if stencil else r.choice(("DEPTH_COMPONENT16", "DEPTH_COMPONENT24_OES"))] if depth else [])
    s.program(["gl_FragColor = c;"] + (["if (c.x > 0.7) discard;"] if r.random() < 0.15 else []))
    s.add("ClearColor " + " ".join(map(str, s.colour())), f"ClearStencil {r.choice((0, 1, 127, 255))}", f"ClearDepthf {r.choice((1, 1, 0.5, 0))}",
          "Clear COLOR_BUFFER_BIT" + ("|DEPTH_BUFFER_BIT" if depth else "") + ("|STENCIL_BUFFER_BIT" if stencil else ""))
    blended = 0
    for number in range(r.randrange(1, 5)):
        if r.random() < 0.5:
            s.add(*blending(r))
        elif number and r.random() < 0.3:
            s.add("Disable BLEND")
        if r.random() < 0.2:
            s.add(mask(r))
        if depth and r.random() < 0.6:
            s.add(*depth_test(r))
        if stencil and r.random() < 0.7:
            s.add(*stencil_test(r))
        if r.random() < 0.3:
            s.add(*culling(r))
        if r.random() < 0.25:
            s.add("Enable SCISSOR_TEST", "Scissor " + box(r, s))
        if r.random() < 0.15:
            s.viewport(*map(int, box(r, s).split()))
        if r.random() < 0.1:
            s.add("ClearColor " + " ".join(map(str, s.colour())), "Clear COLOR_BUFFER_BIT")
        blended += "Enable BLEND" in s.lines
        count = r.randrange(1, 4)
        corners = [c for _ in range(count) for c in (s.cover()[:3] if r.random() < 0.2 else s.triangle())]
        flat_z, flat_c = r.random() < 0.5, r.random() < 0.5
        z, colour = r.choice((0.25, 0.5, 0.75)), s.colour()
        s.array("position", 4, [s.clip(x, y, z if flat_z else round(r.uniform(0.1, 0.9), 3), 1.0 if r.random() < 0.8 else r.choice((0.5, 2, 3)))
                                for x, y in corners])
        s.array("colour", 4, [colour if flat_c else s.colour() for _ in corners])
        s.add(f"draw TRIANGLES 0 {3 * count}")
        if depth and r.random() < 0.3:
            s.add(f"DepthFunc {r.choice(('EQUAL', 'LEQUAL', 'LESS'))}", f"draw TRIANGLES 0 {3 * count}")
    # Each blended draw rounds once more, and factors may double what was off before.
    return s.finish(s.step + 1 + blended * (2 if s.step == 1 else s.step // 2))


MODES = ["TRIANGLES", "TRIANGLE_STRIP", "TRIANGLE_FAN", "POINTS", "LINES", "LINE_STRIP", "LINE_LOOP"]


def fan(s, count):
    """Corners of a star-shaped polygon around its first vertex."""
    import math
    r = s.r
    around = [(s.width / 2 + 0.45 * s.width * math.cos(t) * k, s.height / 2 + 0.45 * s.height * math.sin(t) * k)
              for t, k in ((2 * math.pi * i / (count - 2), r.uniform(0.6, 1.1)) for i in range(count - 1))]
    return [(snapped(s.width / 2), snapped(s.height / 2))] + [(snapped(x), snapped(y)) for x, y in around]


def strip(s, count):
    """Corners of a zigzag from left to right."""
    return [(snapped(s.width * (i / (count - 1))), snapped(s.height * (0.1 + 0.8 * (i & 1)) + s.r.uniform(-3, 3))) for i in range(count)]


def primitives(name, r, gpu):
    """One draw of any primitive, from arrays of any type, with or without indices."""
    s = Scene(name, r)
    mode = r.choice(MODES[:4] * 2 + MODES[4:])
    point = mode == "POINTS"
    size = round(r.choice((1, 2, 3.5, 8, 20, r.uniform(1, 40))), 2)
    s.program(["gl_FragColor = vec4(gl_PointCoord, c.z, 1.0);" if point and r.random() < 0.5 and gpus.POINT_COORD not in gpu.avoid
               else "gl_FragColor = c;"],
              vertex=f"gl_PointSize = {float(size)!r};" if point else "")
    line = r.choice((1, 1, 2, 3.5, 5)) if mode in MODES[4:] else 0
    if line > 1:
        s.add(f"LineWidth {line}")
    count = r.randrange(3, 12)
    if mode == "TRIANGLES":
        count = 3 * r.randrange(1, 4)
        places = [c for _ in range(count // 3) for c in s.triangle()]
    elif mode == "TRIANGLE_STRIP":
        places = strip(s, count)
    elif mode == "TRIANGLE_FAN":
        places = fan(s, count)
    else:
        # Where a wide line ends that is clipped is open.
        places = [s.place(4 if line <= 1 else -3) for _ in range(count)]
    s.array("position", 4, [s.clip(x, y, 0.5, r.choice((1.0, 1.0, 2.0)) if mode == "TRIANGLES" else 1.0) for x, y in places],
            r.choice(("", "client", "stride 20", "stride 32 offset 4")))
    colours(s, count)
    if r.random() < 0.5:
        first = r.choice((0, 0, 1, 3)) if mode not in ("TRIANGLES", "LINES") else 0
        s.add(f"draw {mode} {first} {max(count - first, 0)}")
    else:
        indices = list(range(count))
        if mode in ("TRIANGLES", "POINTS"):
            r.shuffle(indices) if point else None
            indices += indices[:3]
        s.add(f"elements {mode} {r.choice(('UNSIGNED_BYTE', 'UNSIGNED_SHORT'))}{r.choice(('', ' client', ' offset 8'))} : {' '.join(map(str, indices))}")
    if mode in MODES[4:]:
        # Colours along a line that is a pixel longer; its ends stand across it or along an axis.
        return s.finish(f"60 {1 + int(line / 2)}", "near")
    # A point's coordinate goes from 0 to 1 over few pixels, and its corner stands a snap off.
    return s.finish(4 if not point else 4 + int(255 * 2 * gpu.snap / size))


def colours(s, count):
    """The attribute of colours, in one of GL's types."""
    r = s.r
    kind, most = r.choice((("FLOAT", 1), ("UNSIGNED_BYTE", 255), ("UNSIGNED_SHORT", 65535), ("BYTE", 127), ("SHORT", 32767), ("FIXED", 1)))
    normalized = most > 1
    size = r.choice((4, 4, 3, 2, 1))
    if r.random() < 0.1:
        s.add("constant colour " + " ".join(map(str, s.colour())))
        return
    if normalized and r.random() < 0.2:
        normalized, most = False, 1  # small whole numbers
    bytes_of = {"FLOAT": 4, "FIXED": 4, "UNSIGNED_SHORT": 2, "SHORT": 2}.get(kind, 1)
    # Strides of whole words: others are slow everywhere and no driver's common path.
    stride = (size * bytes_of + 3) // 4 * 4
    options = " ".join(filter(None, ["normalized" if normalized else "", f"stride {stride + r.choice((0, 4))}", r.choice(("", "client"))]))
    s.array("colour", size, [[round(c * most) if kind not in ("FLOAT", "FIXED") else c for c in s.colour()[:size]] for _ in range(count)], options, kind)
