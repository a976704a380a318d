"""The kinds of scenes, with how many of a hundred are of it, and the least version of GL ES that has them."""
import random

from gl import exact, states, textures, values

FAMILIES = [
    ("values", values.write, 44, 2),
    ("states", states.states, 14, 2),
    ("primitives", states.primitives, 8, 2),
    ("texture", textures.flat_texture, 12, 2),
    ("cube", textures.cube, 3, 2),
    ("rendered", textures.rendered, 4, 2),
    ("levels", exact.levels, 7, 2),
    ("offsets", exact.offsets, 5, 2),
    ("points", exact.large_points, 3, 2),
]


def scene(seed, gpu, only=None):
    """The scene of a seed on a GPU: (name, lines). The same everywhere."""
    r = random.Random(f"gldiff {seed}")
    fitting = [f for f in FAMILIES if f[3] <= gpu.version and (not only or f[0] in only)]
    name, write, _, _ = r.choices(fitting, [f[2] for f in fitting])[0]
    return f"{name}-{seed}", write(f"{name}-{seed}", r, gpu)
