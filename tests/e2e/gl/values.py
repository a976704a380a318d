"""Programs of all operators and built-in functions, their results as numbers.

32 points stand in a row, each with inputs of its own; four rows are the components of what compute() returns, written as the
bits of a single: exponent, sign and fraction. So a result is compared as a number, by the error that its operations may have.
"""
from gl import evaluate, glsl, gpus
from gl.interval import ANY, Undecided

POINTS = 32
EDGES = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 0.25, 0.1, 100.0, 255.0, 256.0, 1000.0, 65504.0, 65536.0, 3.14159265, 1 - 2.0 ** -24, 1 + 2.0 ** -23,
         2.0 ** 23, 2.0 ** 23 + 1, 2.0 ** 24, 2.0 ** 31 - 128, 2.0 ** 31, 2.0 ** 32 - 256, 1e10, 1e-10, 1e19, 1e-19, 2.0 ** -20, 1e-4]
WHOLE = [0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 100, 127, 128, 255, 256, 1000, 4095, 4096, 65535, 65536, 99999, 2 ** 24 - 1, 2 ** 24, 2 ** 30,
         2 ** 31 - 128]
INTS = WHOLE + [2 ** 31 - 1, 123456789, 1000000007]

# Of a float the exponent plus 127 in the first byte (0: zero), its sign and fraction in the others.
ENCODE = """vec4 encode(float v) {
  float a = abs(v);
  float e = 127.0;
  if (a == 0.0) return vec4(0.0);
{steps}
  a = (a - 1.0) * 128.0;
  float high = floor(a);
  a = (a - high) * 256.0;
  float middle = floor(a);
  return vec4(e, high + (v < 0.0 ? 128.0 : 0.0), middle, {low}) / 255.0;
}"""


def encode(halves):
    steps = []
    for bits in (8, 4, 2, 1) if halves else (64, 32, 16, 8, 4, 2, 1):
        steps.append(f"  if (a >= {2.0 ** bits!r}) {{ a *= {2.0 ** -bits!r}; e += {bits}.0; }}")
    for bits in (8, 4, 2, 1) if halves else (64, 32, 16, 8, 4, 2, 1):
        steps.append(f"  if (a < {2.0 ** (1 - bits)!r}) {{ a *= {2.0 ** bits!r}; e -= {bits}.0; }}")
    text = ENCODE.replace("{steps}", "\n".join(steps)).replace("{low}", "0.0" if halves else "floor((a - middle) * 256.0)")
    return text.split("\n")


def decode(pixel):
    """None: nothing was drawn there."""
    if pixel == b"\xff\xff\xff\xff":
        return None
    exponent, high, middle, low = pixel
    number = (1 + ((high & 127) << 16 | middle << 8 | low) / 2.0 ** 23) * 2.0 ** (exponent - 127) if exponent else 0.0
    return -number if high & 128 else number


GENERIC = ("float", "vec2", "vec3", "vec4")
# Result, text, operands; T stands for float and all its vectors, V for the vectors, B for bvecs, each the same everywhere.
ROWS = [
    ("T", "({} + {})", "T T"), ("T", "({} - {})", "T T"), ("T", "({} * {})", "T T"), ("T", "({} / {})", "T T"), ("T", "(-{})", "T"),
    ("V", "({} + {})", "V float"), ("V", "({} - {})", "float V"), ("V", "({} * {})", "V float"), ("V", "({} / {})", "V float"),
    *[("T", name + "({})", "T") for name in ("radians", "degrees", "sin", "cos", "tan", "atan", "exp", "exp2", "sqrt(abs", "inversesqrt(abs",
                                             "log(abs", "log2(abs", "asin(fract", "acos(fract", "asin", "sqrt", "log2", "abs", "sign", "floor",
                                             "ceil", "fract", "normalize")],
    *[("T", name + "({}, {})", "T T") for name in ("atan", "pow", "mod", "min", "max", "step", "reflect")], ("T", "pow(abs({}), {})", "T T"),
    *[("V", name + "({}, {})", "V float") for name in ("mod", "min", "max")],
    ("T", "clamp({}, {}, {})", "T T T"), ("V", "clamp({}, {}, {})", "V float float"), ("T", "mix({}, {}, {})", "T T T"),
    ("V", "mix({}, {}, {})", "V V float"), ("V", "step({}, {})", "float V"), ("T", "smoothstep({}, {}, {})", "T T T"),
    ("V", "smoothstep({}, {}, {})", "float float V"), ("T", "faceforward({}, {}, {})", "T T T"), ("T", "refract({}, {}, {})", "T T float"),
    ("float", "length({})", "T"), ("float", "distance({}, {})", "T T"), ("float", "dot({}, {})", "T T"), ("vec3", "cross({}, {})", "vec3 vec3"),
    ("T", "({} ? {} : {})", "bool T T"), ("float", "float({})", "int"), ("float", "float({})", "int"), ("float", "float({})", "bool"),
    ("V", "vec2({}, {})", "float float"), ("vec3", "vec3({}, {})", "vec2 float"), ("vec4", "vec4({}, {})", "float vec3"),
    *[(f"vec{n}", f"vec{n}({{}})", f"ivec{n}") for n in (2, 3, 4)], *[(f"vec{n}", f"vec{n}({{}})", f"bvec{n}") for n in (2, 3, 4)],
    *[(f"vec{n}", f"({{}} * {{}})", f"mat{n} vec{n}") for n in (2, 3, 4)], *[(f"vec{n}", f"({{}} * {{}})", f"vec{n} mat{n}") for n in (2, 3, 4)],
    *[(f"vec{n}", f"{{}}[{n - 1}]", f"mat{n}") for n in (2, 3, 4)],
    ("float", "{}.x", "vec2"), ("float", "{}.z", "vec3"), ("float", "{}.w", "vec4"), ("vec2", "{}.yx", "vec3"), ("vec3", "{}.zwx", "vec4"),
    ("vec4", "{}.xxyy", "vec2"), ("float", "{}[1]", "vec4"),
    ("int", "({} + {})", "int int"), ("int", "({} - {})", "int int"), ("int", "({} * {})", "int int"), ("int", "({} / {})", "int int"),
    ("int", "({} / {})", "int int"), ("int", "(-{})", "int"), ("int", "int({})", "float"), ("int", "int({})", "bool"),
    ("int", "({} ? {} : {})", "bool int int"), ("int", "{}.y", "ivec2"), ("int", "{}.z", "ivec3"), ("int", "{}.x", "ivec4"),
    *[(f"ivec{n}", f"({{}} {op} {{}})", f"ivec{n} ivec{n}") for n in (2, 3, 4) for op in "+-*/"],
    ("ivec2", "({} / {})", "ivec2 int"), ("ivec3", "({} * {})", "int ivec3"), ("ivec4", "({} + {})", "ivec4 int"),
    *[(f"ivec{n}", f"ivec{n}({{}})", f"vec{n}") for n in (2, 3, 4)], ("ivec2", "ivec2({}, {})", "int int"),
    ("bool", "({} < {})", "float float"), ("bool", "({} > {})", "float float"), ("bool", "({} <= {})", "float float"),
    ("bool", "({} >= {})", "float float"), ("bool", "({} == {})", "float float"), ("bool", "({} != {})", "float float"),
    *[("bool", f"({{}} {op} {{}})", "int int") for op in ("<", ">", "<=", ">=", "==", "!=")],
    ("bool", "({} == {})", "vec3 vec3"), ("bool", "({} != {})", "ivec2 ivec2"), ("bool", "({} == {})", "bvec2 bvec2"),
    ("bool", "({} && {})", "bool bool"), ("bool", "({} || {})", "bool bool"), ("bool", "({} ^^ {})", "bool bool"), ("bool", "(!{})", "bool"),
    ("bool", "bool({})", "float"), ("bool", "bool({})", "int"),
    *[("bool", f"{name}({{}})", f"bvec{n}") for name in ("any", "all") for n in (2, 3, 4)],
    *[(f"bvec{n}", f"{name}({{}}, {{}})", f"{p}vec{n} {p}vec{n}") for n in (2, 3, 4) for p in ("", "i") for name in
      ("lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "equal", "notEqual")],
    *[(f"bvec{n}", "not({})", f"bvec{n}") for n in (2, 3, 4)], ("bvec2", "bvec2({}, {})", "bool bool"),
    *[(f"mat{n}", f"({{}} {op} {{}})", f"mat{n} mat{n}") for n in (2, 3, 4) for op in "+-*"], ("mat2", "({} * {})", "mat2 float"),
    *[(f"mat{n}", "matrixCompMult({}, {})", f"mat{n} mat{n}") for n in (2, 3, 4)], ("mat3", "mat3({})", "float"),
    ("mat2", "mat2({}, {})", "vec2 vec2"), ("mat3", "mat3({}, {}, {})", "vec3 vec3 vec3"),
]


def productions():
    table = {}
    for result, text, operands in ROWS:
        text += ")" * (text.count("(") - text.count(")"))
        letters = set((result + operands).replace("float", "").replace("vec", "")) & set("TV")
        for kind in GENERIC if "T" in letters else GENERIC[1:] if "V" in letters else (None,):
            def plain(word):
                return kind if word in ("T", "V") else word
            if text.startswith("vec2(") and kind not in (None, "vec2"):
                continue
            table.setdefault(plain(result), []).append((text, tuple(plain(word) for word in operands.split())))
    return table


TABLE = productions()


class Writer:
    """Of one program, out of a seeded random.Random."""

    def __init__(self, random, gpu, stage):
        self.r, self.gpu, self.stage = random, gpu, stage
        self.halves = gpu.halves and stage == "fragment"
        self.letter = "v" if stage == "fragment" else "a"
        self.locals = {}
        self.functions = []

    def fitting(self, number):
        """As near as the stage can have it exactly."""
        if not self.halves:
            return number
        import struct
        # Not so large that a sum put in another order overflows.
        return struct.unpack("e", struct.pack("e", max(-8192.0, min(8192.0, number))))[0] if abs(number) >= 2.0 ** -14 else 0.0

    def leaf(self, kind):
        r = self.r
        for name, of in self.locals.items():
            if of == kind and r.random() < 0.3:
                return name
        if kind == "float":
            if r.random() < 0.15:
                return repr(self.fitting(r.choice(EDGES[:13])))
            return f"{r.choice((self.letter + '0', self.letter + '0', self.letter + '0', self.letter + '1', self.letter + '2', 'u0', 'u1'))}.{r.choice('xyzw')}"
        if kind == "int":
            choice = r.random()
            if choice < 0.3:
                return f"int({self.letter}2.{r.choice('xyzw')})"
            return f"n0.{r.choice('xyzw')}" if choice < 0.8 else str(r.choice(WHOLE[:9]))
        if kind == "bool":
            return r.choice([f"({self.letter}0.x < u0.y)", f"(int({self.letter}2.w) == n0.z)", "true", "(u0.z > 0.0)"])
        if kind.startswith("mat"):
            return f"m{kind[-1]}"
        count = int(kind[-1])
        if kind.startswith("vec"):
            name = r.choice([self.letter + "0", self.letter + "1", self.letter + "2", "u0", "u1"])
            return f"{name}.{''.join(r.choice('xyzw') for _ in range(count))}"
        if kind.startswith("ivec"):
            return f"n0.{''.join(r.choice('xyzw') for _ in range(count))}"
        return f"{r.choice(('lessThan', 'equal'))}({self.leaf('vec' + kind[-1])}, {self.leaf('vec' + kind[-1])})"

    def expression(self, kind, depth):
        if depth <= 0 or self.r.random() < 0.1:
            return self.leaf(kind)
        text, operands = self.r.choice(TABLE[kind])
        return text.format(*(self.expression(of, depth - 1 if of == operands[0] else depth - 1 - self.r.randrange(2)) for of in operands))

    def component(self, i):
        """Statements that end in the local c{i}."""
        r = self.r
        way = r.random()
        if way < 0.6:
            return [f"float c{i} = {self.expression('float', r.randrange(1, 4))};"]
        if way < 0.72:
            return [f"float c{i} = {self.expression('float', 1)};", f"if ({self.expression('bool', r.randrange(1, 3))}) {{",
                    f"  c{i} = {self.expression('float', 2)};", "} else {", f"  c{i} += {self.expression('float', 1)};", "}"]
        if way < 0.84:
            lines = [f"float c{i} = {self.leaf('float')};", f"for (int i = 0; i < {r.randrange(1, 6)}; i++) {{"]
            if r.random() < 0.5:
                lines.append(f"  if ({self.expression('bool', 1)}) {r.choice(('break', 'continue'))};")
            lines.append(f"  c{i} {r.choice(('+=', '*=', '-='))} {r.choice(('float(i)', 'u0[i - i / 4 * 4]' if False else 'float(i + 1)'))} * {self.leaf('float')};")
            return lines + ["}"]
        if way < 0.92:
            name = f"f{i}"
            kind = r.choice(GENERIC)
            self.functions += [f"float {name}({kind} x, inout float y) {{", f"  y = y + {'x' if kind == 'float' else 'x.y'};",
                               f"  if ({'x' if kind == 'float' else 'x.x'} > 1.0) return y;", f"  return {'x' if kind == 'float' else 'dot(x, x)'};", "}"]
            return [f"float t{i} = {self.leaf('float')};", f"float c{i} = {name}({self.expression(kind, 2)}, t{i});", f"c{i} -= t{i};"]
        count = r.randrange(2, 5)
        lines = [f"float l{i}[{count}];"] + [f"l{i}[{j}] = {self.expression('float', 1)};" for j in range(count)]
        return lines + [f"float c{i} = 0.0;", f"for (int i = 0; i < {count}; i++) c{i} += l{i}[i];", f"c{i} *= l{i}[{r.randrange(count)}];"]

    def compute(self):
        lines = []
        for kind in self.r.sample(["float", "vec3", "int", "bool", "vec2", "ivec2"], self.r.randrange(0, 3)):
            name = "s" + str(len(self.locals))
            lines.append(f"{kind} {name} = {self.expression(kind, 2)};")
            self.locals[name] = kind
        for i in range(4):
            lines += self.component(i)
        if self.stage == "fragment" and self.r.random() < 0.1:
            plain = gpus.DISCARD_COMPARISON in self.gpu.avoid
            lines.append(f"if ({self.letter + '0.x > 3.0' if plain else self.expression('bool', 1)}) discard;")
        return self.functions + ["vec4 compute() {"] + ["  " + line for line in lines] + ["  return vec4(c0, c1, c2, c3);", "}"]

    def numbers(self, count, pool, spread):
        """Some of the pool of either sign, the others from the spread."""
        r = self.r
        chosen = [r.choice(pool) * r.choice((1, 1, -1)) if r.random() < 0.6 else r.uniform(*spread) for _ in range(count)]
        return [self.fitting(float(c)) for c in chosen]


def words(numbers):
    return " ".join(repr(n) if isinstance(n, int) else f"{n:.9g}" for n in numbers)


def write(name, random, gpu):
    stage = random.choice(("vertex", "fragment", "fragment"))
    w = Writer(random, gpu, stage)
    limit = (gpu.fragment if stage == "fragment" else gpu.vertex).ints
    ints = [i for i in INTS if i < limit]
    whole = [i for i in WHOLE if i < limit]
    compute = w.compute()
    uniforms = ["uniform vec4 u0;", "uniform vec4 u1;", "uniform ivec4 n0;", "uniform mat2 m2;", "uniform mat3 m3;", "uniform mat4 m4;"]
    text = "\n".join(compute)
    import re
    used = {word for word in ("u0", "u1", "n0", "m2", "m3", "m4", "v0", "v1", "v2", "a0", "a1", "a2") if re.search(rf"\b{word}\b", text)}
    uniforms = [u for u in uniforms if u.split()[2][:-1] in used]
    attributes = [a for a in ("a0", "a1", "a2") if a in used or "v" + a[1] in used]
    choose = ["  vec4 r = compute();", "  float c = row < 0.5 ? r.x : row < 1.5 ? r.y : row < 2.5 ? r.z : r.w;"]
    vertex = ["uniform highp float row;", "attribute float place;"] + [f"attribute vec4 {a};" for a in attributes]
    fragment = ["precision highp float;", "precision highp int;"]
    at = ["  gl_PointSize = 1.0;", "  gl_Position = vec4(place, row * 0.5 - 0.75, 0.0, 1.0);", "}"]
    if stage == "vertex":
        vertex += ["varying vec4 code;"] + uniforms + encode(False) + compute + ["void main() {"] + choose + ["  code = encode(c);"] + at
        fragment += ["varying vec4 code;", "void main() {", "  gl_FragColor = code;", "}"]
    else:
        vertex += [f"varying vec4 v{a[1]};" for a in attributes] + ["void main() {"] + [f"  v{a[1]} = {a};" for a in attributes] + at
        fragment += ["uniform highp float row;"] + [f"varying vec4 v{a[1]};" for a in attributes] + uniforms + encode(w.halves) + compute + \
            ["void main() {"] + choose + ["  gl_FragColor = encode(c);", "}"]
    pools = {"a0": ([1.0, 0.5], (-4, 4)), "a1": (EDGES, (-300, 300)), "a2": (whole, (-20, 20))}
    values = {"u0": w.numbers(4, [1.0, 2.0], (-4, 4)), "u1": w.numbers(4, EDGES, (-300, 300)),
              "n0": [random.choice(ints if random.random() < 0.6 else [1, 2, 3, 7, 10]) * random.choice((1, 1, -1)) for _ in range(4)]}
    values.update({f"m{n}": w.numbers(n * n, [0.0, 1.0], (-2, 2)) for n in (2, 3, 4)})
    kinds = {"u0": "vec4", "u1": "vec4", "n0": "ivec4", "m2": "mat2", "m3": "mat3", "m4": "mat4"}
    lines = [f"scene {name}", f"# compare values {stage}", f"target {POINTS} 4 RGBA8_OES", "vertex"] + ["| " + v for v in vertex] + \
        ["fragment"] + ["| " + f for f in fragment] + ["link", "ClearColor 1 1 1 1", "Clear COLOR_BUFFER_BIT",
                                                       f"array place 1 FLOAT : {words((i * 2 + 1) / POINTS - 1 for i in range(POINTS))}"]
    lines += [f"array {a} 4 FLOAT : {words(float(round(n)) if a == 'a2' else n for n in w.numbers(4 * POINTS, *pools[a]))}" for a in attributes]
    lines += [f"uniform {u} {kinds[u]} {words(values[u])}" for u in kinds if u in used]
    for row in range(4):
        lines += [f"uniform row float {row}", f"draw POINTS 0 {POINTS}"]
    return lines


class Judge:
    """Says of a scene of values what each result may be."""

    def __init__(self, lines):
        compare = next(line for line in lines if line.startswith("# compare values"))
        self.stage = compare.split()[3]
        text, stage, self.arrays, self.uniforms = [], None, {}, {}
        for line in lines:
            first = line.split(" ", 1)[0]
            if first in ("vertex", "fragment"):
                stage = first
            elif first == "|" and stage == self.stage:
                text.append(line[2:])
            elif first == "array":
                head, numbers = line.split(" : ")
                self.arrays[head.split()[1]] = [single(float(n)) for n in numbers.split()]
            elif first == "uniform":
                _, name, kind, numbers = line.split(" ", 3)
                self.uniforms[name] = (kind, [float(n) if evaluate.SHAPE[kind][0] == "float" else int(float(n)) for n in numbers.split()])
        self.index = {round((x + 1) * POINTS / 2 - 0.5): i for i, x in enumerate(self.arrays.get("place", []))}
        self.unit = glsl.Parser("\n".join(text)).unit()

    def results(self, column, numbers):
        """Of the point in this column of pixels four intervals, or "discard", or None: undecided."""
        point = self.index.get(column)
        if point is None:
            return "discard"
        given = {}
        for name, (kind, items) in self.uniforms.items():
            is_float = evaluate.SHAPE[kind][0] == "float"
            given[name] = (kind, [(single(x), single(x)) if is_float else (x, x) for x in items])
        for name, items in self.arrays.items():
            if name != "place":
                value = ("vec4", [(x, x) for x in items[4 * point:4 * point + 4]])
                given[name] = given["v" + name[1:]] = value
        try:
            result, _ = evaluate.Evaluator(self.unit, numbers, given).call("compute")
            return result[1]
        except evaluate.Discard:
            return "discard"
        except Undecided:
            return None


def single(number):
    import struct
    return struct.unpack("f", struct.pack("f", number))[0]


def inside(number, interval):
    if interval == ANY or interval[0] == -float("inf") or interval[1] == float("inf"):
        return True
    # The code has no denormals and cuts what is below the fraction's places.
    return number is not None and interval[0] - abs(interval[0]) * 2.0 ** -23 - 2.0 ** -126 <= number <= \
        interval[1] + abs(interval[1]) * 2.0 ** -23 + 2.0 ** -126
