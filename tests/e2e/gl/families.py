"""The kinds of scenes, with how many of a hundred are of it, and the least version of GL ES, in tenths, that has them."""
import random

from gl import exact, memory, states, textures, values

FAMILIES = [
    ("values", values.write, 44, 20),
    ("states", states.states, 14, 20),
    ("primitives", states.primitives, 8, 20),
    ("texture", textures.flat_texture, 12, 20),
    ("cube", textures.cube, 3, 20),
    ("rendered", textures.rendered, 4, 20),
    ("levels", exact.levels, 7, 20),
    ("offsets", exact.offsets, 5, 20),
    ("points", exact.large_points, 3, 20),
    ("targets", memory.targets, 14, 31),
    ("lookups", memory.lookups, 8, 31),
    ("feedback", memory.feedback, 10, 31),
    ("compute", memory.compute, 22, 31),
    ("images", memory.images, 10, 31),
]


def scene(seed, gpu, only=None):
    """The scene of a seed on a GPU: (name, lines). The same everywhere."""
    r = random.Random(f"gldiff {seed}")
    fitting = [f for f in FAMILIES if f[3] <= gpu.version and (not only or f[0] in only)]
    name, write, _, _ = r.choices(fitting, [f[2] for f in fitting])[0]
    return f"{name}-{seed}", write(f"{name}-{seed}", r, gpu)
