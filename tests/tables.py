"""What the built tool has in its tables, for scripts: GPUs and instruction sets as `vitrail gpus --json` prints them."""
import functools
import json
import pathlib
import subprocess

VITRAIL = pathlib.Path(__file__).resolve().parent.parent / "build/tools/vitrail"


@functools.cache
def tables(vitrail=VITRAIL):
    """OSError when the tool is not built."""
    return json.loads(subprocess.run([vitrail, "gpus", "--json"], check=True, capture_output=True, text=True).stdout)


def executed_sets(vitrail=VITRAIL):
    """Those that are more than text and rules."""
    return [s for s in tables(vitrail)["sets"] if s["executes"]]


def set_names(vitrail=VITRAIL):
    return [s["name"] for s in executed_sets(vitrail)]
