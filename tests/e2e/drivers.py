#!/usr/bin/env python3
"""Mesa's driver for a GPU, as `vitrail gpus` lists it: tests/e2e/drivers.py [--vitrail FILE] GPU..., a line each."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tables import VITRAIL, tables  # noqa: E402


def drivers(vitrail=VITRAIL):
    """GPU -> driver."""
    return {gpu["name"]: gpu["driver"] for gpu in tables(vitrail)["gpus"] if "driver" in gpu}


def families(vitrail=VITRAIL):
    """GPU -> the family that its title names, in small letters: midgard."""
    titles = {gpu["name"]: gpu["title"] for gpu in tables(vitrail)["gpus"]}
    return {name: title[title.rindex("(") + 1:-1].lower() for name, title in titles.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vitrail", type=pathlib.Path, default=VITRAIL, metavar="FILE")
    parser.add_argument("gpu", nargs="+")
    args = parser.parse_args()
    known = drivers(args.vitrail)
    unknown = [gpu for gpu in args.gpu if gpu not in known]
    if unknown:
        print(f"tests/e2e/drivers.py: no such GPU: {', '.join(unknown)}", file=sys.stderr)
        return 2
    print(*(known[gpu] for gpu in args.gpu), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
