#!/usr/bin/env python3
"""One prefix a folder, on every symbol that leaves its file and on every structure's name that stands in a header.

    tests/prefixes.py BUILD

Asks nm what the objects of each layer define for others, and the headers what they name; prints each name that lacks
its folder's prefix, and exits 1 when there is one, or when BUILD has no objects of some layer.
"""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
LAYERS = ("util", "jit", "isa", "raster", "tiler", "gpu", "fuzz", "drm", "api", "tools")
APART = ("isa", "gpu", "fuzz")  # each of their folders is a set's, a family's, or worlds', and has its own prefix

# Beside a folder's own prefix, in it and in the folders below it: who, and why.
ALLOWED = {
    "gpu": ("capture", "replay"),  # files and their players, seen by all tools
    "drm/lima": ("lima",),  # structures and numbers as lima's own header has them
    "drm/panfrost": ("panfrost",),  # the same
    "api": ("vitrail",),  # the public calls
}


def prefixes(folder):
    """What a name of `folder` (parts of a path) may begin with."""
    here = folder[1] if len(folder) > 1 and folder[0] in APART else folder[0]
    return (here,) + sum((ALLOWED.get("/".join(folder[:n]), ()) for n in range(1, len(folder) + 1)), ())


def fits(name, words):
    return any(name == word or name.startswith(word + "_") for word in words)


def objects(build):
    """(source's path as parts, names) of every object of a layer."""
    for layer in LAYERS:
        sources = {}
        for path in sorted((build / layer).rglob("*.o")):
            parts = path.relative_to(build).parts
            place = next((n for n, part in enumerate(parts) if part.endswith(".dir")), None)
            if place is None:
                continue  # no compiled file: the library merged into one
            source = parts[:place - 1] + parts[place + 1:]
            sources[str(path)] = source[:-1] + (source[-1].removesuffix(".o"),)
        # One for all: its start costs more than its work.
        out = ""
        if sources:
            out = subprocess.run(["nm", "-A", "-g", "--defined-only", *sources], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout
        names = {path: [] for path in sources}
        for line in out.splitlines():
            path, rest = line.split(":", 1)
            names[path].append(rest.split()[-1])
        for path, source in sources.items():
            yield source, names[path]


def symbols(build):
    seen = {layer: 0 for layer in LAYERS}
    for source, names in objects(build):
        words = prefixes(source[:-1])
        if source[0] == "tools":  # nobody links a tool: its files have its name, "main" its own
            words += (pathlib.PurePath(source[-1]).stem.split("_")[0], "tool", "main")
            words += ("utgard_list",) if source[-1].startswith("decode_utgard") else ()  # one family's lister
        for name in names:
            # What sanitizers and coverage add is not ours.
            if name.startswith("__"):
                continue
            seen[source[0]] += 1
            if not fits(name, words):
                yield f"{'/'.join(source)}: {name}"
    for layer, count in seen.items():
        if not count:
            yield f"{build}: no objects of {layer}/"


def tags():
    for layer in LAYERS[:-1]:
        for path in sorted((TOP / layer).rglob("*.h")):
            folder = path.relative_to(TOP).parts[:-1]
            if "client" in folder:
                continue
            words = prefixes(folder)
            for tag in re.findall(r"^(?:typedef )?(?:struct|union|enum) (\w+) \{", path.read_text(), re.MULTILINE):
                if not fits(tag, words):
                    yield f"{path.relative_to(TOP)}: {tag}"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(symbols(pathlib.Path(sys.argv[1]).resolve())) + list(tags())
    for line in found:
        print(f"{line} lacks its folder's prefix" if "no objects" not in line else line)
    print(f"{len(found)} breaches")
    return 1 if found else 0


sys.exit(main())
