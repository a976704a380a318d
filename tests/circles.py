#!/usr/bin/env python3
"""Which files of a layer need each other in a circle: tests/circles.py OBJECT...

A file needs another when it refers to a symbol that the other defines; what is called through a pointer is not seen, and is the
way out. Prints each circle with the symbols that make it, and exits 1 when there is one.
"""
import subprocess
import sys


def needs(objects):
    """File -> {file it needs: a symbol}."""
    defined, wanted = {}, {}
    for path in objects:
        name = path.split(".dir/")[-1].removesuffix(".o")
        wanted[name] = set()
        for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind == "U":
                wanted[name].add(symbol)
            elif kind in "TDRBVW":
                defined[symbol] = name
    return {name: {defined[s]: s for s in sorted(symbols) if defined.get(s, name) != name} for name, symbols in wanted.items()}


def reached(graph, start):
    """All that it needs, and what that needs."""
    found, todo = set(), list(graph[start])
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += graph[name]
    return found


def main():
    graph = needs(sys.argv[1:])
    below = {name: reached(graph, name) for name in graph}
    seen, circles = set(), 0
    for name in graph:
        circle = {other for other in below[name] if name in below[other]}
        if not circle or name in seen:
            continue
        seen |= circle
        circles += 1
        print("a circle: " + ", ".join(sorted(circle)))
        for one in sorted(circle):
            for other, symbol in graph[one].items():
                if other in circle:
                    print(f"    {one} needs {other}: {symbol}")
    print(f"{len(graph)} files, {circles} circles")
    return 1 if circles or not graph else 0


sys.exit(main())
