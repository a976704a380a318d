#!/usr/bin/env python3
"""Assembly for clang out of assembly with Simple-V: simple_v.py VITRAIL SOURCE OUT

Lines that begin with % are instructions as `vitrail asm --isa simple-v` takes them, one a line, without labels; they become
halfwords. All others stay as they are.
"""
import subprocess
import sys


def halfwords(first):
    """Of the instruction that begins so: the digest, sections 4 and 5."""
    if first & 3 != 3:
        return 1
    if first & 31 != 31:
        return 2
    if first & 63 != 63:
        return 3
    return 4 if first & 127 == 63 else 5 + (first >> 12 & 7)


def main():
    vitrail, source, out = sys.argv[1:]
    with open(source) as f:
        lines = f.read().split("\n")
    texts = [line.strip()[1:].split("#")[0].strip() for line in lines if line.strip().startswith("%")]
    run = subprocess.run([vitrail, "asm", "--isa", "simple-v", "--check", "--hex", "-"], input="\n".join(texts), text=True,
                         stdout=subprocess.PIPE)
    if run.returncode:
        sys.exit(f"{source}: not assembled; line N is its Nth line that begins with %")
    words = run.stdout.split()
    with open(out, "w") as f:
        f.write(f'.file "{source}"\n')
        for line in lines:
            if line.strip().startswith("%"):
                count = halfwords(int(words[0], 16))
                line, words = ".2byte " + ", ".join(words[:count]), words[count:]
            f.write(line + "\n")
    if words:
        sys.exit(f"{source}: {len(words)} halfwords are left")


main()
