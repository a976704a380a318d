#!/usr/bin/env python3
"""Who may include whom: util <- jit <- isa <- raster <- tiler <- gpu <- drm <- tools, and gpu <- api.

Checks every project include of every C file; prints each breach as file:line and exits 1 when there is one.
"""
import pathlib
import re
import sys

ORDER = {"util": 0, "jit": 1, "isa": 2, "raster": 3, "tiler": 4, "gpu": 5, "drm": 6, "api": 6, "tools": 7}
TOP = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


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
    if source[0] == target[0] and source[0] in ("isa", "gpu") and len(target) > 2:
        if len(source) > 2 and source[1] != target[1]:
            return f"{source[0]}/{source[1]} must not see its sibling {target[1]}"
    if source[0] == "isa" and target[0] == "jit" and not source[-1].startswith("trans"):
        return "in isa/ only the translation files include jit/"
    return None


def main():
    found = files = 0
    for folder in ORDER:
        for path in sorted((TOP / folder).rglob("*.[chi]*")):
            if path.suffix not in (".c", ".h", ".inc") or "client" in path.parts:
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
