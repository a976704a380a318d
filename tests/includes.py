#!/usr/bin/env python3
"""Who may include whom: util <- jit <- isa <- raster <- tiler <- gpu <- drm, fuzz <- tools, and gpu <- api.

Inside drm/: core <- kms and the folder of each driver, which do not see each other <- the files of drm/ itself, which make a card
of them <- server, launch; input stands beside core. Headers of drm/ itself say what users see, and are for all. The client, with what each driver has for it
(drm/*/client.c), is built apart and shares headers of drm/ itself and the drivers' abi.h with the rest.

Checks every project include of every C file; prints each breach as file:line and exits 1 when there is one.
"""
import pathlib
import re
import sys

ORDER = {"util": 0, "jit": 1, "isa": 2, "raster": 3, "tiler": 4, "gpu": 5, "fuzz": 6, "drm": 6, "api": 6, "tools": 7}
TOP = pathlib.Path(__file__).resolve().parent.parent
FACES = {("drm", "drm.h"), ("drm", "protocol.h")}  # for all in drm/, and outside
OUTSIDE = FACES | {("drm", "server", "server.h"), ("drm", "launch", "launch.h"), ("drm", "input", "input.h")}
SHARED = {("isa", "warp"): ("bifrost", "valhall")}  # a folder for a few of its siblings, which stand above it
CLIENT = FACES | {("drm", "drivers.inc")}
DRM_ORDER = {"core": 0, "input": 0, "kms": 1, "": 2, "server": 3, "launch": 3}  # drivers are beside kms
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def drm_part(path):
    return path[1] if len(path) > 2 else ""


def is_client(path):
    return path[:2] == ("drm", "client") or path[0] == "drm" and len(path) > 2 and path[-1] == "client.c"


def drm_breach(source, target):
    """The same within drm/."""
    inside, to = drm_part(source), drm_part(target)
    if is_client(source):
        own = is_client(target) or target in CLIENT or target[-1] == "abi.h" and to == inside
        return None if own else "the client is built apart: it has protocol.h, drivers.inc and its driver's abi.h"
    if to == "client":
        return "drm/client/ is for nobody else"
    if inside == to or target in FACES:
        return None
    below, above = DRM_ORDER.get(to, 1), DRM_ORDER.get(inside, 1)
    if below < above and (to in DRM_ORDER or target[-1] == "abi.h"):
        return None
    return f"drm/{inside or '*'} must not see its sibling drm/{to or '*'}" if below == above else \
        f"drm/{inside or '*'} stands below drm/{to or '*'}" if below > above else f"drm/{to} is its own affair"


def breach(source, target):
    """Why `source` may not include `target` (both relative paths as tuples of parts), or None."""
    if target == ("vitrail.h",):
        return None if source[0] in ("api", "tools") else "the public header is for those outside, and api/"
    if target[0] not in ORDER:
        return "includes are written from the root"
    if ORDER[target[0]] > ORDER[source[0]]:
        return f"{source[0]}/ stands below {target[0]}/"
    if ORDER[target[0]] == ORDER[source[0]] and source[0] != target[0] or target[0] == "api" != source[0]:
        return f"{target[0]}/ is for nobody else"
    if target[0] == "drm" != source[0] and target not in OUTSIDE:
        return "that is drm/'s own: outside it there are " + ", ".join(sorted("/".join(t) for t in OUTSIDE))
    if is_client(source) and target[0] != "drm":
        return "the client is built apart, of drm/ alone"
    if source[0] == target[0] == "drm":
        return drm_breach(source, target)
    if source[0] == target[0] and source[0] in ("isa", "gpu") and len(target) > 2:
        if len(source) > 2 and source[1] != target[1] and source[1] not in SHARED.get(target[:2], ()):
            return f"{source[0]}/{source[1]} must not see its sibling {target[1]}"
    if source[0] == "isa" and target[0] == "jit" and not source[-1].startswith("trans"):
        return "in isa/ only the translation files include jit/"
    return None


def main():
    found = files = 0
    for folder in ORDER:
        for path in sorted((TOP / folder).rglob("*.[chi]*")):
            if path.suffix not in (".c", ".h", ".inc"):
                continue
            files += 1
            source = path.relative_to(TOP).parts
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = match.group(1)
                if not (TOP / target).exists() and target != "vitrail.h":
                    why = "no such file"
                else:
                    why = breach(source, pathlib.PurePosixPath(target).parts)
                if why:
                    found += 1
                    print(f"{path.relative_to(TOP)}:{number}: {target}: {why}")
    print(f"{files} files, {found} breaches")
    return 1 if found or not files else 0


sys.exit(main())
