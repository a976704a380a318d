"""Scenes of GL ES 3.1 that have one right answer: several targets, integer textures, transform feedback, compute programs with storage
buffers, shared memory and atomics, images."""
from gl import gpus
from gl.integers import FUNCTIONS, Writer

HEAD = ["#version 310 es", "precision highp float;", "precision highp int;"]
UNSIGNED, SIGNED = ["RGBA8UI", "RGBA16UI", "RGBA32UI", "R32UI"], ["RGBA8I", "RGBA16I", "RGBA32I", "R32I"]
WIDTHS = {"RGBA8UI": 0xff, "RGBA16UI": 0xffff, "RGBA8I": 0x7f, "RGBA16I": 0x7fff}


def begin(name, width=4, height=4):
    return [f"scene {name}", "# compare picture 0"] + ([f"target {width} {height} RGBA8_OES"] if width else [])


def shader(stage, declarations, body):
    return [stage] + ["| " + line for line in [*HEAD, *declarations, *FUNCTIONS, "void main() {", *["  " + line for line in body], "}"]]


def words(r, count):
    """Numbers for `uniform NAME ... int`, which floats hold exactly."""
    return " ".join(str(r.choice((0, 1, 2, 3, 7, 255, -1, r.randrange(-8000000, 8000000)))) for _ in range(count))


def fitting(form, text):
    """An expression that the format holds: GL leaves open what becomes of others."""
    if form in WIDTHS:
        text = f"({text} & {WIDTHS[form]}u)"
    return f"int({text})" if form in SIGNED else text


def scissor(r, width, height):
    """A rectangle of whole pixels."""
    x, y = r.randrange(0, width // 2), r.randrange(0, height // 2)
    return f"Scissor {x} {y} {r.randrange(1, width - x + 1)} {r.randrange(1, height - y + 1)}"


# Two triangles that each cover the whole target, so that no edge divides it; each of the six corners is once the last one.
CORNERS = "-1 -1 3 -1 -1 3 3 -1 -1 3 -1 -1"


def targets(name, r, gpu):
    """Draws of integer programs into up to four targets of different formats, with flat varyings, masks of targets and channels."""
    width, height = r.choice(((16, 16), (33, 20), (64, 8)))
    forms = [r.choice(UNSIGNED + SIGNED + ["RGBA8"]) for _ in range(r.randrange(1, 5))]
    lines = begin(name, 0) + [f"targets {width} {height} {' '.join(forms)}"]
    for _ in range(r.randrange(1, 4)):
        lines += shader("vertex", ["in vec2 position;", "flat out uvec2 f;", "uniform ivec4 n0;"],
                        ["f = uvec2(n0.xy) ^ uvec2(gl_VertexID * 77, gl_VertexID);", "gl_Position = vec4(position, 0.5, 1);"])
        writer = Writer(r, ["f.x", "f.y", "x", "y", "uint(n0.x)", "uint(n0.y)", "uint(n0.z)"])
        body = ["uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y);", *writer.statements(r.randrange(2, 6))]
        outs = []
        for number, form in enumerate(forms):
            kind = "vec4" if form == "RGBA8" else "ivec4" if form in SIGNED else "uvec4"
            outs.append(f"layout(location = {number}) out {kind} o{number};")
            parts = [writer.expression(2) for _ in range(4)]
            # Whole 255ths, so that no rounding is open.
            body.append(f"o{number} = " + (f"vec4(uvec4({', '.join(parts)}) & 255u) / 255.0;" if form == "RGBA8"
                                           else f"{kind}({', '.join(fitting(form, part) for part in parts)});"))
        if r.random() < 0.2:
            body.append(f"if (({writer.expression(1)} & 3u) == 0u) discard;")
        lines += shader("fragment", ["flat in uvec2 f;", "uniform ivec4 n0;", *outs], body)
        lines += ["link", f"uniform n0 ivec4 {words(r, 4)}", f"array position 2 FLOAT : {CORNERS}", "Enable SCISSOR_TEST",
                  scissor(r, width, height)]
        if r.random() < 0.3:
            chosen = "".join(r.choice("110") for _ in forms)
            if gpus.TARGET_GAPS in gpu.avoid and "0" in chosen.strip("0"):
                chosen = chosen.replace("0", "1")
            lines.append("drawbuffers " + " ".join(chosen))
        if r.random() < 0.3 and not (gpus.BYTE_MASKS in gpu.avoid and {"RGBA8I", "RGBA8UI"} & set(forms)):
            lines.append("ColorMask " + " ".join(r.choice(("TRUE", "TRUE", "FALSE")) for _ in range(4)))
        lines.append(f"draw {r.choice(('TRIANGLES', 'TRIANGLES', 'TRIANGLE_FAN'))} {r.choice((0, 3))} 3")
    return lines + [f"readtarget {number}" for number in range(len(forms))]


def texture_of(r, unit, name):
    """An integer texture: (its line, GLSL's sampler, its target, form, size)."""
    target = r.choice(("TEXTURE_2D", "TEXTURE_2D_ARRAY", "TEXTURE_3D"))
    form = r.choice(UNSIGNED + SIGNED)
    width, height, layers = r.choice((1, 4, 7, 16)), r.choice((1, 3, 8)), 1 if target == "TEXTURE_2D" else r.choice((1, 3, 5))
    sampler = ("i" if form in SIGNED else "u") + {"TEXTURE_2D": "sampler2D", "TEXTURE_2D_ARRAY": "sampler2DArray", "TEXTURE_3D": "sampler3D"}[target]
    line = f"integers {unit} {name} {target} {form} {width} {height} {layers} {r.randrange(1, 1000)}"
    return line, sampler, target, form, (width, height, layers)


def lookups(name, r, gpu):
    """Texels of integer textures by texelFetch and, at their middles, by texture; with repetition and sizes."""
    lines = begin(name, 0) + ["targets 16 16 RGBA32UI"]
    declarations, body, names = [], ["ivec2 p = ivec2(gl_FragCoord.xy);", "uint x = uint(p.x), y = uint(p.y);"], ["x", "y"]
    for unit in range(r.randrange(1, 4)):
        line, sampler, target, form, (width, height, layers) = texture_of(r, unit, f"s{unit}")
        flat = target == "TEXTURE_2D"
        lines.append(line)
        declarations += [f"precision highp {sampler};", f"uniform {sampler} s{unit};"]
        place = f"(p.x * {r.choice((1, 3))} + p.y) % {width}, p.y % {height}" + ("" if flat else f", p.x % {layers}")
        if r.random() < 0.3:
            lines += [f"TexParameteri {target} TEXTURE_WRAP_{c} {r.choice(('REPEAT', 'MIRRORED_REPEAT', 'CLAMP_TO_EDGE'))}" for c in "ST"]
            middle = f"(float(p.x) + 0.5) / {width}.0 - 1.0, (float(p.y) + 0.5) / {height}.0" + \
                ("" if flat else f", float(p.x % {layers})" + ("" if target == "TEXTURE_2D_ARRAY" else f" / {layers}.0 + {0.5 / layers:.9f}"))
            body.append(f"uvec4 c{unit} = uvec4(texture(s{unit}, vec{2 if flat else 3}({middle})));")
        else:
            body.append(f"uvec4 c{unit} = uvec4(texelFetch(s{unit}, ivec{2 if flat else 3}({place}), 0));")
        if r.random() < 0.3:
            body.append(f"c{unit}.x ^= uint(textureSize(s{unit}, 0).{'xy' if flat else 'xyz'}.y);")
        names += [f"c{unit}.{c}" for c in ("x" if form.startswith("R32") else "xyzw")]
    writer = Writer(r, names)
    body += writer.statements(r.randrange(1, 4))
    body.append(f"o = uvec4({', '.join(writer.expression(2) for _ in range(4))});")
    lines += shader("vertex", ["in vec2 position;"], ["gl_Position = vec4(position, 0.5, 1);"])
    lines += shader("fragment", [*declarations, "layout(location = 0) out uvec4 o;"], body)
    lines += ["link", *[f"uniform s{i} int {i}" for i in range(len([d for d in declarations if d.startswith('uniform')]))],
              f"array position 2 FLOAT : {CORNERS}", "draw TRIANGLES 0 3", "readtarget 0"]
    return lines


def feedback(name, r, gpu):
    """Vertex programs of integers, whose outputs are captured, of points, lines or triangles."""
    lines = begin(name)
    kinds = [r.choice(("uint", "uvec2", "uvec3", "uvec4", "ivec4")) for _ in range(r.randrange(1, 4))]
    sizes = [int(kind[-1]) if kind[-1].isdigit() else 1 for kind in kinds]
    writer = Writer(r, ["v", "uint(a.x)", "uint(a.y)", "uint(n0.x)", "uint(n0.y)"])
    body = ["uint v = uint(gl_VertexID);", *writer.statements(r.randrange(2, 6))]
    for number, (kind, size) in enumerate(zip(kinds, sizes)):
        body.append(f"o{number} = {kind}({', '.join(writer.expression(2) for _ in range(size))});")
    body.append("gl_Position = vec4(a, 0.5, 1);")
    # Without geometry programs GL ES takes no strip here, and no draw that the buffer has no room for.
    mode, size_of = r.choice((("POINTS", 1), ("LINES", 2), ("TRIANGLES", 3)))
    count = r.randrange(3, 40)
    vertices = count // size_of * size_of
    lines += ["capture " + " ".join(f"o{i}" for i in range(len(kinds)))]
    lines += shader("vertex", ["in vec2 a;", "uniform ivec4 n0;", *[f"flat out {kind} o{i};" for i, kind in enumerate(kinds)]], body)
    lines += shader("fragment", ["layout(location = 0) out vec4 c;"], ["c = vec4(1);"])
    lines += ["link", f"uniform n0 ivec4 {words(r, 4)}",
              "array a 2 FLOAT : " + " ".join(str(r.randrange(0, 100)) for _ in range(2 * (count + 3)))]
    size = (vertices * sum(sizes) + 3) // 4 * 4
    return lines + [f"feedback out {size} {mode} {r.choice((0, 0, 2))} {count}", "readbuffer out"]


ATOMICS = ["atomicAdd", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor"]


# Mesa 22's compilers move what is read of shared memory beyond a barrier() alone, llvmpipe's and panfrost's alike: then threads
# that run in groups of another size read other words.
BARRIER = "memoryBarrierShared(); barrier();"


def compute(name, r, gpu):
    """A compute program: a buffer read and one written at an invocation's own place; perhaps words of other invocations through shared memory;
    perhaps atomics, each word by one operation alone, whose order then does not matter."""
    x, y, z = r.choice(((64, 1, 1), (8, 8, 1), (16, 1, 4), (1, 1, 1), (5, 3, 1), (32, 4, 1)))
    groups = r.choice(((1, 1, 1), (4, 1, 1), (2, 3, 1), (3, 1, 2)))
    local = x * y * z
    total = local * groups[0] * groups[1] * groups[2]
    declarations = [f"layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;",
                    "layout(std430, binding = 0) readonly buffer In { uint given[]; };", "layout(std430, binding = 1) buffer Out { uint result[]; };",
                    "uniform ivec4 n0;"]
    writer = Writer(r, ["i", "l", "gl_WorkGroupID.x", "gl_LocalInvocationID.y", "v", "w", "uint(n0.x)", "uint(n0.y)"])
    body = ["uint l = gl_LocalInvocationIndex;",
            f"uint i = l + {local}u * (gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z));",
            "uint v = given[i * 2u], w = given[i * 2u + 1u];", *writer.statements(r.randrange(1, 5))]
    if r.random() < 0.5:
        declarations.append(f"shared uint all[{local}];")
        for step in range(r.randrange(1, 4)):
            body += [f"all[l] = {writer.expression(2)};", BARRIER]
            reads = [f"all[({writer.expression(1)}) % {local}u]", f"all[(l + {r.randrange(local)}u) % {local}u]"]
            if gpus.READS_IN_A_ROW in gpu.avoid:
                reads = [reads[step % 2]]
            body += [f"uint s{step} = {' + '.join(reads)};", BARRIER]
            writer.names.append(f"s{step}")
    lines = begin(name)
    if r.random() < 0.5:
        lines.append(f"storage 2 atomics 8 {r.randrange(1, 1000)}")
        declarations.append("layout(std430, binding = 2) buffer Atomics { uint atomics[8]; };")
        body += [f"{r.choice(ATOMICS)}(atomics[{n}], {writer.expression(1)});" for n in range(r.randrange(1, 6))]
    if r.random() < 0.3:
        declarations.append("shared uint sum;")
        body += ["if (l == 0u) sum = 5u;", BARRIER, f"{r.choice(ATOMICS)}(sum, {writer.expression(2)});", BARRIER, "uint s9 = sum;"]
        writer.names.append("s9")
    body += [f"result[i * 2u] = {writer.expression(2)};", f"result[i * 2u + 1u] = {writer.expression(3)};"]
    size = (2 * total + 3) // 4 * 4
    lines += [f"storage 0 given {size} {r.randrange(1, 1000)}", f"storage 1 out {size} {r.randrange(1, 1000)}", *shader("compute", declarations, body), "link",
              f"uniform n0 ivec4 {words(r, 4)}", "dispatch {} {} {}".format(*groups), "readbuffer out"]
    return lines + (["readbuffer atomics"] if any(line.startswith("storage 2") for line in lines) else [])


def images(name, r, gpu):
    """A compute program that reads one integer image and writes another, the place by a permutation; of R32UI it may change one in place."""
    target = r.choice(("TEXTURE_2D", "TEXTURE_2D_ARRAY"))
    read, write = ([r.choice(UNSIGNED), r.choice(UNSIGNED)] if r.random() < 0.6 else [r.choice(SIGNED), r.choice(SIGNED)])
    width, height, layers = r.choice((8, 12, 24)), r.choice((4, 8)), 1 if target == "TEXTURE_2D" else 3
    letter, flat = "i" if write in SIGNED else "u", target == "TEXTURE_2D"
    kind = letter + ("image2D" if flat else "image2DArray")
    declarations = ["layout(local_size_x = 4, local_size_y = 4) in;", f"precision highp {kind};",
                    f"layout({read.lower()}, binding = 0) readonly uniform {kind} from;",
                    f"layout({write.lower()}, binding = 1) writeonly uniform {kind} to;"]
    place = "p" if flat else "ivec3(p, z)"
    writer = Writer(r, ["uint(p.x)", "uint(p.y)", "c.x", "c.y", "c.z", "uint(imageSize(from).y)"])
    inner = [f"uvec4 c = uvec4(imageLoad(from, {place}));", *writer.statements(r.randrange(1, 4)),
             f"p = ivec2((p.x + {r.randrange(width)}) % {width}, {height - 1} - p.y);"]
    values = ", ".join(fitting(write, writer.expression(2)) for _ in range(4))
    inner.append(f"imageStore(to, {place}, {letter}vec4({values}));")
    body = ["for (int z = 0; z < %d; z++) {" % layers, "  ivec2 p = ivec2(gl_GlobalInvocationID.xy);", *["  " + line for line in inner], "}"]
    lines = begin(name) + [f"integers 0 from {target} {read} {width} {height} {layers} {r.randrange(1, 1000)}",
                           f"integers 1 to {target} {write} {width} {height} {layers} {r.randrange(1, 1000)}"]
    lines += shader("compute", declarations, body)
    return lines + ["link", "imageunit 0 from READ_ONLY", "imageunit 1 to WRITE_ONLY", f"dispatch {width // 4} {height // 4} 1",
                    *[f"readimage to {layer}" for layer in range(layers)]]
