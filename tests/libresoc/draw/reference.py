#!/usr/bin/env python3
"""The scene that make.py writes, by another way: every pixel in doubles, without tiles, fixed point or the programs.

reference.py SCENE.json PICTURE.png   compares the picture with it: exit status 1 and the first place where they differ.

A pixel counts that lies no closer than EDGE to an edge of a triangle of the scene (whoever covers it is decided in 1/16 pixel there) and
whose depths are not nearly the same. Colours may differ by TOLERANCE: positions are rounded to 1/16 pixel, weights of texels to 1/256, each
of four roundings of colours may go either way; where a texel is much magnified a pixel's place shows most. At most SHARE of the pixels that
count differ by more, and none by more than FAR.
"""
import json
import math
import pathlib
import struct
import sys
import zlib

EDGE, TOLERANCE, SHARE, FAR = 0.2, 6, 0.01, 60


def read_png(path):
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += size + 12
    channels = {2: 3, 6: 4}[color]
    raw, stride, rows = zlib.decompress(packed), width * channels, []
    before = bytearray(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a = line[x - channels] if x >= channels else 0
            b = before[x]
            c = before[x - channels] if x >= channels else 0
            if kind == 1:
                add = a
            elif kind == 2:
                add = b
            elif kind == 3:
                add = (a + b) // 2
            elif kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                add = a if pa <= pb and pa <= pc else b if pb <= pc else c
            else:
                add = 0
            line[x] = (line[x] + add) & 255
        rows.append([tuple(line[x * channels:x * channels + channels]) for x in range(width)])
        before = line
    return rows


def sample(texture, u, v):
    """Bilinear, clamped."""
    height, width = len(texture), len(texture[0])
    x, y = u * width - 0.5, v * height - 0.5
    x0, y0 = math.floor(x), math.floor(y)
    fx, fy = x - x0, y - y0

    def texel(column, row):
        return texture[min(max(row, 0), height - 1)][min(max(column, 0), width - 1)]
    return [(texel(x0, y0)[c] * (1 - fx) + texel(x0 + 1, y0)[c] * fx) * (1 - fy)
            + (texel(x0, y0 + 1)[c] * (1 - fx) + texel(x0 + 1, y0 + 1)[c] * fx) * fy for c in range(4)]


def shade_vertex(numbers, uniforms):
    position, normal = list(numbers[:3]) + [1], numbers[3:6]
    clip = [sum(uniforms[k * 4 + row] * position[k] for k in range(4)) for row in range(4)]
    light = sum(a * b for a, b in zip(normal, uniforms[16:19])) / math.sqrt(sum(n * n for n in normal))
    return clip, (numbers[6], numbers[7], max(light, 0) * uniforms[19] + uniforms[20])


def triangles(scene, draw):
    """Corners in the window: x, y, z, 1/w, varyings."""
    width, height = scene["size"]
    numbers = scene["buffers"][draw["attributes"][0]["buffer"]][0]["f32"]
    indices = scene["buffers"][draw["indices"]][0]["u16"]
    uniforms = scene["buffers"][draw["vertex"]["uniforms"]][0]["f32"]
    corners = []
    for n in range(draw["vertices"]):
        clip, vary = shade_vertex(numbers[n * 8:n * 8 + 8], uniforms)
        x, y, z, w = clip
        corners.append(((x / w + 1) * width / 2, (1 - y / w) * height / 2, (z / w + 1) / 2, 1 / w, vary))
    for n in range(0, len(indices), 3):
        yield [corners[i] for i in indices[n:n + 3]]


def render(scene, folder):
    """Rows of [colour, depth, near to an edge or to another depth]."""
    width, height = scene["size"]
    textures = {name: read_png(folder / t["png"]) for name, t in scene["textures"].items()}
    clear = [c * 255 for c in scene["clear"]]
    picture = [[[list(clear), 1.0, False] for _ in range(width)] for _ in range(height)]
    for draw in scene["draws"]:
        texture = textures[scene["buffers"][draw["fragment"]["uniforms"]][0]["texture"]]
        for a, b, c in triangles(scene, draw):
            area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
            if area == 0 or (draw.get("cull") == "clockwise" and area > 0):
                continue
            lengths = [math.hypot(q[0] - p[0], q[1] - p[1]) for p, q in ((b, c), (c, a), (a, b))]
            xs, ys = [p[0] for p in (a, b, c)], [p[1] for p in (a, b, c)]
            for y in range(max(0, int(min(ys)) - 1), min(height, int(max(ys)) + 2)):
                for x in range(max(0, int(min(xs)) - 1), min(width, int(max(xs)) + 2)):
                    px, py = x + 0.5, y + 0.5
                    weight = [((r[0] - q[0]) * (py - q[1]) - (px - q[0]) * (r[1] - q[1])) / area
                              for q, r in ((b, c), (c, a), (a, b))]
                    distance = min(w * abs(area) / max(length, 1e-9) for w, length in zip(weight, lengths))
                    pixel = picture[y][x]
                    if abs(distance) < EDGE:
                        pixel[2] = True
                    if min(weight) < 0:
                        continue
                    depth = sum(w * p[2] for w, p in zip(weight, (a, b, c)))
                    if abs(depth - pixel[1]) < 2e-4:
                        pixel[2] = True
                    if depth >= pixel[1]:
                        continue
                    inverse = sum(w * p[3] for w, p in zip(weight, (a, b, c)))
                    u, v, light = (sum(w * p[3] * p[4][k] for w, p in zip(weight, (a, b, c))) / inverse for k in range(3))
                    color = sample(texture, u, v)
                    color = [channel * min(light, 1) for channel in color[:3]] + [color[3]]
                    if "blend" in draw:
                        alpha = color[3] / 255
                        color = [s * alpha + d * (1 - alpha) for s, d in zip(color, pixel[0])]
                    pixel[0] = color
                    if draw["depth"].get("write"):
                        pixel[1] = depth
    return picture


def main():
    path = pathlib.Path(sys.argv[1])
    scene = json.loads(path.read_text())
    got, expected = read_png(pathlib.Path(sys.argv[2])), render(scene, path.parent)
    beyond = counted = drawn = 0
    for y, row in enumerate(expected):
        for x, (color, depth, near) in enumerate(row):
            if near:
                continue
            counted += 1
            drawn += depth < 1
            difference = max(abs(a - b) for a, b in zip(color[:3], got[y][x][:3]))
            if difference > FAR:
                sys.exit(f"pixel {x}, {y}: {got[y][x][:3]} instead of {[round(c, 1) for c in color[:3]]}")
            beyond += difference > TOLERANCE
    print(f"{counted} pixels compared, {drawn} of them drawn on, {beyond} differ by more than {TOLERANCE}")
    if drawn < counted // 4 or beyond > SHARE * counted:
        sys.exit("the pictures differ")


if __name__ == "__main__":
    main()
