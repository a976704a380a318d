"""Pictures of textures: formats, filters, wraps, cubes, parts of images, copies, rendering to them, generated levels."""
from gl import gpus
from gl.exact import MIPMAPPED
from gl.shapes import Scene

FORMATS = [("RGBA", "UNSIGNED_BYTE"), ("RGB", "UNSIGNED_BYTE"), ("LUMINANCE", "UNSIGNED_BYTE"), ("ALPHA", "UNSIGNED_BYTE"),
           ("LUMINANCE_ALPHA", "UNSIGNED_BYTE"), ("RGB", "UNSIGNED_SHORT_5_6_5"), ("RGBA", "UNSIGNED_SHORT_4_4_4_4"),
           ("RGBA", "UNSIGNED_SHORT_5_5_5_1"), ("BGRA_EXT", "UNSIGNED_BYTE"), ("ETC1_RGB8_OES", "UNSIGNED_BYTE")]
WRAPS = ["REPEAT", "CLAMP_TO_EDGE", "MIRRORED_REPEAT"]
SIDES = ["TEXTURE_CUBE_MAP_" + side for side in ("POSITIVE_X", "NEGATIVE_X", "POSITIVE_Y", "NEGATIVE_Y", "POSITIVE_Z", "NEGATIVE_Z")]


def pattern(r, form):
    if form[0] == "ETC1_RGB8_OES" or r.random() < 0.6:
        return f"noise {r.randrange(1000)}"
    return r.choice(("ramp", "checker 255 0 0 255 0 128 255 0", "checker 255 255 255 255 0 0 0 255", "solid 10 200 100 128"))


def parameters(target, minify, magnify, wraps):
    return [f"TexParameteri {target} TEXTURE_MIN_FILTER {minify}", f"TexParameteri {target} TEXTURE_MAG_FILTER {magnify}",
            f"TexParameteri {target} TEXTURE_WRAP_S {wraps[0]}", f"TexParameteri {target} TEXTURE_WRAP_T {wraps[1]}"]


def scale_for(r, levelled):
    """Texels a pixel. Of textures with levels, away from where the level changes; GL leaves open by how much that is off."""
    if not levelled:
        return r.choice((r.uniform(0.1, 0.9), r.uniform(1.1, 3)))
    return 2.0 ** (r.choice((-2, -1, 1, 2, 3)) + r.uniform(-0.35, 0.35))


def flat_texture(name, r, gpu):
    """One two-dimensional texture over a rectangle."""
    s = Scene(name, r)
    form = r.choice(FORMATS)
    square = r.random() < 0.6
    width, height = [r.choice((4, 8, 16, 32, 64)) if square else r.randrange(1, 70) for _ in range(2)]
    power = not width & width - 1 and not height & height - 1
    levelled = power and form[0] != "ETC1_RGB8_OES" and r.random() < 0.5
    generated = levelled and form[0] != "BGRA_EXT" and form[1] == "UNSIGNED_BYTE" and r.random() < 0.5
    minify = r.choice(MIPMAPPED if levelled else ["NEAREST", "LINEAR"])
    magnify = r.choice(("NEAREST", "LINEAR"))
    wraps = [r.choice(WRAPS) if power else "CLAMP_TO_EDGE" for _ in range(2)]
    s.add("texture 0 TEXTURE_2D a", *parameters("TEXTURE_2D", minify, magnify, wraps))
    if r.random() < 0.15:
        s.add("PixelStorei UNPACK_ALIGNMENT 1")
    s.add(f"image TEXTURE_2D 0 {form[0]} {form[1]} {width} {height} {pattern(r, form)}")
    if form[0] != "ETC1_RGB8_OES" and r.random() < 0.3:
        x, y = r.randrange(width), r.randrange(height)
        s.add(f"subimage TEXTURE_2D 0 {x} {y} {form[0]} {form[1]} {r.randrange(1, width - x + 1)} {r.randrange(1, height - y + 1)} noise {r.randrange(1000)}")
    if levelled:
        if generated:
            s.add("GenerateMipmap TEXTURE_2D")
        else:
            w, h, level = width, height, 0
            while max(w, h) > 1:
                w, h, level = max(1, w // 2), max(1, h // 2), level + 1
                s.add(f"image TEXTURE_2D {level} {form[0]} {form[1]} {w} {h} {pattern(r, form)}")
    lookup = r.choice(("texture2D(image, t.xy)", "texture2D(image, t.xy)", "texture2DProj(image, t.xyw)", "texture2DProj(image, t)"))
    s.program([f"gl_FragColor = {lookup};"], ["texcoord"], declare=["uniform sampler2D image;"])
    corners = s.cover() if r.random() < 0.7 else s.rectangle(3, 3, s.width - 2.5, s.height - 2)
    scale = scale_for(r, levelled)
    mirror = r.choice((1, 1, -1))
    move = [r.uniform(-1, 1) for _ in range(2)]
    q = r.choice((1.0, 2.0)) if "Proj" in lookup else 1.0
    s.array("position", 4, [s.clip(x, y) for x, y in corners])
    s.array("texcoord", 4, [((mirror * x * scale / width + move[0]) * q, (y * scale / height + move[1]) * q, q, q) for x, y in corners])
    s.add("draw TRIANGLE_STRIP 0 4")
    return s.finish(tolerance(gpu, minify))


def tolerance(gpu, minify):
    # Weights of 1/256 and two roundings; between levels also what the level's error makes of their difference.
    return 4 + (int(255 * gpu.lod) + 1 if minify.endswith("MIPMAP_LINEAR") else 0)


def cube(name, r, gpu):
    """A cube's six sides, looked up by directions over a rectangle."""
    s = Scene(name, r)
    size = r.choice((4, 8, 16))
    smooth = r.random() < 0.5
    form = r.choice(FORMATS[:3] + FORMATS[5:8])
    s.add("texture 0 TEXTURE_CUBE_MAP a", *parameters("TEXTURE_CUBE_MAP", *["LINEAR" if smooth else "NEAREST"] * 2, ("CLAMP_TO_EDGE",) * 2))
    s.add(*[f"image {side} 0 {form[0]} {form[1]} {size} {size} {pattern(r, form)}" for side in SIDES])
    s.program(["gl_FragColor = textureCube(image, t.xyz);"], ["texcoord"], declare=["uniform samplerCube image;"])
    corners = s.cover()
    if smooth:
        # Within one side: Mesa's software drivers filter across edges, which GL ES 2 does not.
        major, sign = r.randrange(3), r.choice((-1, 1))
        places = [[sign * 1.0 if axis == major else 0.0 for axis in range(3)] for _ in corners]
        spread = [r.uniform(0.2, 0.7) for _ in range(3)]
        for i, place in enumerate(places):
            for n, axis in enumerate(a for a in range(3) if a != major):
                place[axis] = spread[axis] * (1 if i >> n & 1 else -1)
    else:
        base, dx, dy = ([r.uniform(-2, 2) for _ in range(3)] for _ in range(3))
        places = [[b + p * x / s.width + q * y / s.height for b, p, q in zip(base, dx, dy)] for x, y in corners]
    s.array("position", 4, [s.clip(x, y) for x, y in corners])
    s.array("texcoord", 3, places)
    s.add("draw TRIANGLE_STRIP 0 4")
    return s.finish(6)


def rendered(name, r, gpu):
    """Draws to a texture, or copies from the target to one, and then draws with it."""
    s = Scene(name, r, ("RGBA8_OES",))
    size = r.choice((16, 32, 64))
    s.add("texture 0 TEXTURE_2D a", *parameters("TEXTURE_2D", "NEAREST", r.choice(("NEAREST", "LINEAR")), ("CLAMP_TO_EDGE",) * 2))
    s.program(["gl_FragColor = c;"])
    form = r.choice(("RGBA", "RGB", "RGBA", "RGBA UNSIGNED_SHORT_4_4_4_4", "RGB UNSIGNED_SHORT_5_6_5"))
    kind = form if " " in form else form + " UNSIGNED_BYTE"
    attached = r.random() < 0.5
    target, s.width, s.height = (s.width, s.height), *((size, size) if attached else (s.width, s.height))
    s.view = 0, 0, s.width, s.height
    corners = s.triangle()
    s.array("position", 4, [s.clip(x, y) for x, y in corners])
    s.array("colour", 4, [s.colour() for _ in corners])
    s.width, s.height = target
    s.view = 0, 0, s.width, s.height
    if attached:
        s.add(f"image TEXTURE_2D 0 {kind} {size} {size}", "attach a TEXTURE_2D", f"Viewport 0 0 {size} {size}",
              "ClearColor " + " ".join(map(str, s.colour())), "Clear COLOR_BUFFER_BIT", "draw TRIANGLES 0 3", "detach",
              f"Viewport 0 0 {s.width} {s.height}")
    else:
        # Within the target: what is outside is undefined.
        wide, high = min(size, s.width), min(size, s.height)
        x, y = r.randrange(s.width - wide + 1), r.randrange(s.height - high + 1)
        s.add("draw TRIANGLES 0 3")
        copied = r.random() < 0.6
        if copied:
            s.add(f"CopyTexImage2D TEXTURE_2D 0 {form.split()[0]} {x} {y} {wide} {high} 0")
        else:
            s.add(f"image TEXTURE_2D 0 {kind.split()[0]} UNSIGNED_BYTE {wide} {high} noise 3")
        if r.random() < 0.5 and (copied or gpus.UPLOAD_THEN_DRAW not in gpu.avoid):
            s.add(f"CopyTexSubImage2D TEXTURE_2D 0 {r.randrange(wide // 2 + 1)} {r.randrange(high // 2 + 1)} {x} {y} {(wide + 1) // 2} {(high + 1) // 2}")
    s.program(["gl_FragColor = texture2D(image, t.xy);"], ["texcoord"], declare=["uniform sampler2D image;"])
    corners = s.cover()
    s.array("position", 4, [s.clip(x, y) for x, y in corners])
    s.array("texcoord", 2, [(x / s.width * 1.1, y / s.height * 0.9 + 0.03) for x, y in corners])
    s.add("draw TRIANGLE_STRIP 0 4")
    return s.finish(4 if " " not in form else 22)
