#!/usr/bin/env python3
"""Names in the documents that the tree no longer has: tests/docs.py

Takes every `name` in backticks of README.md, CONTRIBUTING.md, docs/ and each folder's README.md, outside code blocks. What looks like
a path must be one of the tree's, from its top, from the document's folder or by its end; what looks like an identifier (`a_name`,
`struct a_name`) must stand in some source. Capitals (`isa/SET/insns.inc`) stand for any name. Prints each that is not there, exits 1.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
ENDS = (".c", ".h", ".inc", ".py", ".md", ".txt", ".s", ".map", ".cases", ".def")
# What comes to be when something is built or run, or is the system's.
MADE = re.compile(r".*\.(png|vtc|so|bash)|build/.*|vitrail/.*|/.*|tools/vitrail|vitrail\.1|std\w+\.h|\.c|fuzz_utgard_\w\w")
# Files and names of the kernel, Mesa and others, as sources; and folders that a plan gives a GPU to come.
OTHERS = re.compile(r"(vc4|lima|panfrost|pan|drm|v3dx|u|util|nir)_\w+\.[ch]|io-pgtable-arm\.c|drivers/gpu/.*|ir/[gp]p|Utgard-[GP]P\.md|landlock\.rst|src/.*|Tests/|broadcom-.*"
                    r"|(test/)?(opcode_test|opcode_pack_test|unpack_test|vc4cl_config)\.h|doc/sfu_accuracy\.txt|Doc/FAQ\.md|tests/test_sfu\.py"
                    r"|sgemm_\w+|vc4_encodeMulOp|lima_clear|util_pack_z|drm_lima_\w+_frame"
                    r"|isa/midgard|gpu/mali|tools/decode_mali\*\.c")
MARK = re.compile(r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])")


def tree():
    """Paths, and words of what is no document."""
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, check=True, capture_output=True, text=True).stdout
    paths = [path for path in out.splitlines() if (TOP / path).is_file()]
    words = set()
    for path in paths:
        if not path.endswith((".md", ".png", ".vtc", ".bin")):
            words.update(re.findall(r"[A-Za-z_]\w+", (TOP / path).read_text(errors="replace")))
    folders = {str(parent) for path in paths for parent in pathlib.PurePath(path).parents}
    return set(paths) | folders, words


def has_path(paths, folder, name):
    name = MARK.sub("*", name).removeprefix("../").rstrip("/")
    wanted = [name, f"{folder}/{name}", f"*/{name}"]
    return any(w in paths for w in wanted) or any(fnmatch.fnmatch(path, w) for w in wanted for path in paths)


def missing(paths, words, document):
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), (TOP / document).read_text(), flags=re.S | re.M)
    folder = str(pathlib.PurePath(document).parent)
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"`([^`]+)`", line) + re.findall(r"\]\(([^)#:]+)\)", line):
            name = re.sub(r"^(struct|enum|union) ", "", name)
            if MADE.fullmatch(name) or OTHERS.fullmatch(name):
                continue
            if re.fullmatch(r"[\w./*-]+", name) and (name.endswith(ENDS) or "/" in name):
                if not has_path(paths, folder, name):
                    yield f"{document}:{number}: no file {name}"
            elif re.fullmatch(r"[a-z]\w*_\w*", name) and not MARK.search(name):
                if name not in words and not (name.endswith("_") and any(word.startswith(name) for word in words)):
                    yield f"{document}:{number}: nothing is called {name}"


def main():
    paths, words = tree()
    documents = sorted(path for path in paths if path.startswith("docs/") or path.endswith(("README.md", "CONTRIBUTING.md")))
    found = [line for document in documents for line in missing(paths, words, document)]
    print("\n".join(found + [f"{len(documents)} documents, {len(found)} names that are not there"]))
    return 1 if found or not documents else 0


sys.exit(main())
