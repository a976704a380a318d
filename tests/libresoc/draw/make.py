#!/usr/bin/env python3
"""Writes torus.json: a lit torus of bricks on a floor, and a pane of glass blended in front; and the pictures of bricks and glass.

make.py FOLDER [WIDTH HEIGHT]
"""
import json
import math
import pathlib
import struct
import sys
import zlib

AROUND, ACROSS = 24, 12  # quads of the torus
RADIUS, TUBE = 1.0, 0.42


def png(path, width, height, rgba):
    """Pixels as a PNG of 8 bits a channel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + rgba[y * width * 4:(y + 1) * width * 4] for y in range(height))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def bricks(size=128, rows=16):
    """Bricks with mortar between them, each of a slightly different red."""
    out = bytearray()
    height, width = size // rows, size // rows * 2
    for y in range(size):
        for x in range(size):
            row = y // height
            shifted = (x + row % 2 * height) % size
            column = shifted // width
            if y % height == 0 or shifted % width == 0:
                out += bytes((205, 200, 190, 255))
            else:
                shade = (row * 37 + column * 91) % 48
                out += bytes((150 + shade, 60 + shade // 2, 40 + shade // 3, 255))
    return bytes(out)


def glass(size=32):
    """Blue, thin in the middle; the border is opaque."""
    out = bytearray()
    for y in range(size):
        for x in range(size):
            edge = min(x, y, size - 1 - x, size - 1 - y)
            out += bytes((230, 230, 240, 255)) if edge < 2 else bytes((60, 120 + 4 * (x % 8), 230, 90 + 2 * y))
    return bytes(out)


def torus():
    """Position, normal, u, v; triangles that run counterclockwise as they are seen from outside."""
    numbers, indices = [], []
    for i in range(AROUND + 1):
        a = 2 * math.pi * i / AROUND
        for j in range(ACROSS + 1):
            b = 2 * math.pi * j / ACROSS
            normal = (math.cos(a) * math.cos(b), math.sin(b), math.sin(a) * math.cos(b))
            centre = (RADIUS * math.cos(a), 0.0, RADIUS * math.sin(a))
            numbers += [c + TUBE * n for c, n in zip(centre, normal)] + list(normal)
            numbers += [i / AROUND, j / ACROSS]
    for i in range(AROUND):
        for j in range(ACROSS):
            p = i * (ACROSS + 1) + j
            q = p + ACROSS + 1
            indices += [p, p + 1, q, q, p + 1, q + 1]
    return numbers, indices


def product(a, b):
    """Of matrices as columns."""
    return [sum(a[k * 4 + row] * b[column * 4 + k] for k in range(4)) for column in range(4) for row in range(4)]


def camera(aspect):
    """Clip coordinates out of the scene's: from above, in front."""
    near, far, focus, tilt = 1.0, 10.0, 1.9, 0.62
    c, s = math.cos(tilt), math.sin(tilt)
    view = [1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, -4.2, 1]
    lens = [focus / aspect, 0, 0, 0, 0, focus, 0, 0, 0, 0, (far + near) / (near - far), -1,
            0, 0, 2 * far * near / (near - far), 0]
    return product(lens, view)


def quad(corners, normal):
    """Two triangles of four corners, each seen once from its front."""
    out = []
    for corner, (u, v) in zip(corners, ((0, 1), (1, 1), (1, 0), (0, 0))):
        out += [*corner, *normal, u, v]
    return out


def scene(width, height, programs):
    matrix = camera(width / height)
    numbers, indices = torus()
    rounded = [round(n, 4) for n in numbers]
    floor = quad([(-2, -0.5, 2), (2, -0.5, 2), (2, -0.5, -2), (-2, -0.5, -2)], (0, 1, 0))
    pane = quad([(-0.3, -0.5, 1.1), (1.3, -0.5, 1.1), (1.3, 0.7, 1.1), (-0.3, 0.7, 1.1)], (0, 0, 1))
    lights = [0.35, 0.8, 0.5, 0.85, 0.15]
    stride = 32

    def attributes(name):
        return [{"buffer": name, "offset": offset, "stride": stride, "format": form}
                for offset, form in ((0, "R32G32B32_FLOAT"), (12, "R32G32B32_FLOAT"), (24, "R32G32_FLOAT"))]

    def draw(name, vertices, texture, **more):
        return {"vertices": vertices, "indices": name + " indices", "attributes": attributes(name), "varyings": 3,
                "vertex": {"program": "vertex", "uniforms": "matrix"},
                "fragment": {"program": "fragment", "uniforms": texture}, **more}

    return {
        "size": [width, height], "clear": [0.55, 0.7, 0.9, 1],
        "textures": {"bricks": {"png": "bricks.png"}, "glass": {"png": "glass.png"}},
        "buffers": {
            "torus": [{"f32": rounded}], "torus indices": [{"u16": indices}],
            "floor": [{"f32": floor}], "floor indices": [{"u16": [0, 1, 2, 0, 2, 3]}],
            "pane": [{"f32": pane}], "pane indices": [{"u16": [0, 1, 2, 0, 2, 3]}],
            "matrix": [{"f32": [round(n, 6) for n in matrix + lights]}],
            "bricks": [{"texture": "bricks"}], "glass": [{"texture": "glass"}],
        },
        "programs": programs,
        "draws": [
            draw("torus", len(numbers) // 8, "bricks", depth={"func": "less", "write": True}, cull="clockwise"),
            draw("floor", 4, "bricks", depth={"func": "less", "write": True}),
            draw("pane", 4, "glass", depth={"func": "less"}, blend={"program": "blend"}),
        ],
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    width, height = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (320, 240)
    stages = ("vertex", "fragment", "blend")
    png(folder / "bricks.png", 128, 128, bricks())
    png(folder / "glass.png", 32, 32, glass())
    for name, programs in (("torus", {s: {"asm": s + ".s"} for s in stages}),
                           ("torus_c", {s: {"elf": s + ".elf"} for s in stages})):
        (folder / (name + ".json")).write_text(json.dumps(scene(width, height, programs)) + "\n")


if __name__ == "__main__":
    main()
