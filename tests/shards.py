"""Parts of a long run, for several machines: `--shard I/N` is every N-th of what there is to do, from the I-th on, as `vitrail verify`
has it; `--merge` makes of all parts' files what one run would have told."""
import argparse
import re
import sys
import typing


class Shard(typing.NamedTuple):
    number: int  # from 1
    count: int

    def __str__(self):
        return f"{self.number}/{self.count}"


def shard(text):
    found = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text)
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"'{text}' is not I/N, I from 1 to N")
    return Shard(int(found[1]), int(found[2]))


def add_options(add, path, file):
    """`file`: the option that writes what `--merge` reads."""
    add("--shard", type=shard, metavar="I/N", help=f"only the I-th of N parts of the run, for as many machines; with {file} FILE")
    add("--merge", type=path, nargs="+", metavar="FILE", help=f"run nothing: tell what the parts found, all of them, whose {file} these are")


def check_options(parser, args, file):
    if args.shard and not getattr(args, file.lstrip("-")):
        parser.error(f"--shard is of use with {file} FILE, for --merge")
    if args.shard and args.merge:
        parser.error("--merge is of all parts, --shard of one")


def part(items, of):
    """Of a list, in its order; all of it without a shard."""
    return items[of.number - 1::of.count] if of else items


def head(key, of):
    """The first line of a part's file: what was asked, and which part."""
    return f"{key}, shard {of}" if of else key


class Unfit(Exception):
    """Files that are not the parts of this run, all of them, each once."""


def check(found):
    """`found`: of each file its path, what was asked, and its shard or None. Raises Unfit."""
    seen = {}
    for path, key, of in found:
        if of is None:
            raise Unfit(f"{path}: not of a shard")
        if key != found[0][1] or of.count != found[0][2].count:
            raise Unfit(f"{path} and {found[0][0]} are of different runs")
        if of.number in seen:
            raise Unfit(f"{path} and {seen[of.number]} are both shard {of}")
        seen[of.number] = path
    missing = [n for n in range(1, found[0][2].count + 1) if n not in seen]
    if missing:
        raise Unfit(f"shard {', '.join(map(str, missing))} of {found[0][2].count} is missing")


def merged_lines(paths, key):
    """The lines, their heads left out, of files whose first lines are heads. Raises Unfit, also when they are of another run than `key`."""
    found, lines = [], []
    for path in paths:
        try:
            text = path.read_text().splitlines(keepends=True)
        except (OSError, UnicodeDecodeError) as reason:
            raise Unfit(f"{path}: {reason}") from reason
        first, _, of = text[0].rstrip("\n").rpartition(", shard ") if text else ("", "", "")
        try:
            found.append((path, first, shard(of) if first else None))
        except argparse.ArgumentTypeError as reason:
            raise Unfit(f"{path}: {reason}") from reason
        lines += text[1:]
    check(found)
    if found[0][1] != key:
        raise Unfit(f"{found[0][0]} is of another run: '{found[0][1]}', not '{key}'")
    return lines


def fail(who, reason):
    """An exit status."""
    print(f"{who}: {reason}", file=sys.stderr)
    return 2
