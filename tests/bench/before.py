"""Table of every workload beside an earlier build's: replays in turns, one thread; fails where one is more than 3 % slower or
does not run."""
import functools
import pathlib
import statistics
import subprocess
import sys
import time

from bench import LOOPS, MICRO, Bench, geomean, progress, scenes, undrawn

SLOWER = 1.03
ROUNDS = 12  # that a workload gets which looks slower, before it is called so


def add_option(add, name):
    add("--" + name, metavar="TOOL", help="the earlier build's tools/vitrail")


class Pair:
    """One capture, replayed by both tools in turns. A frame's time is the least of all its plays: whatever else the machine
    does only adds to it."""

    def __init__(self, bench, path, tools):
        self.bench, self.path, self.tools = bench, path, tools
        self.least = {tool: [] for tool in tools}
        self.rounds = 0

    def play(self):
        order = self.tools if self.rounds % 2 == 0 else self.tools[::-1]
        for tool in order:
            rows = [wall for wall, _ in self.bench.replay_rows(self.path, 0, ("--loops", LOOPS), tool)[0]]
            frames = len(rows) // LOOPS
            least = [min(rows[n::frames]) for n in range(frames)]
            before = self.least[tool] or least
            if len(before) != len(least):
                raise RuntimeError(f"{tool} shows {len(least)} frames of {self.path}, showed {len(before)} before")
            self.least[tool] = [min(pair) for pair in zip(before, least)]
        self.rounds += 1

    def milliseconds(self, tool):
        rows = self.least[tool]
        return statistics.median(rows[min(3, len(rows) // 2):])

    def ratio(self):
        before, after = map(self.milliseconds, self.tools)
        return after / before


def workloads(bench, gpu):
    """(name, how its capture is recorded) of those asked for that the GPU's driver draws."""
    args = bench.args
    for name in MICRO:
        if not args.only or args.only & {"micro", name}:
            yield "micro " + name, functools.partial(bench.capture_micro, name)
    for name, description in scenes().items():
        if (not args.only or args.only & {"glmark2", name}) and name not in undrawn(gpu):
            yield "glmark2 " + name, functools.partial(bench.capture_scene, name, description)


def measure(bench, capture, tools, repeats):
    pair = Pair(bench, capture(), tools)
    while pair.rounds < repeats or (pair.ratio() > SLOWER and pair.rounds < ROUNDS):
        pair.play()
    return pair


def report(gpu, name, pair):
    before, after = map(pair.milliseconds, pair.tools)
    print(f"{gpu:9}{name:30}{before:9.3f}{after:9.3f}{after / before:9.3f}"
          f"{'  slower' if after / before > SLOWER else ''}", flush=True)


def runs(tool):
    try:
        return subprocess.run([tool, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def main(args):
    tools = [args.before, str(args.vitrail)]
    for tool in tools:
        if not runs(tool):
            sys.exit(f"tests/bench/run: --before: {tool} is no tools/vitrail that runs")
    bench = Bench(args)
    bench.recorder = pathlib.Path(args.before).resolve()  # who came later reads its captures too
    ratios, slower, failed, started = [], 0, 0, time.time()
    print(f"{'GPU':9}{'workload':30}{'before':>9}{'after':>9}{'ratio':>9}   milliseconds a frame")
    for gpu in args.gpu:
        bench.gpu = gpu
        for name, capture in workloads(bench, gpu):
            progress(f"{gpu}: {name}, {time.time() - started:.0f} s")
            try:
                pair = measure(bench, capture, tools, args.repeats)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{gpu} {name}: {error}", file=sys.stderr)
                continue
            progress("")
            report(gpu, name, pair)
            ratios.append(pair.ratio())
            slower += pair.ratio() > SLOWER
    if not ratios and not failed:
        sys.exit("tests/bench/run: --only: no such workload here")
    print(f"{len(ratios)} workloads, geomean of after/before {geomean(ratios):.3f}, {slower} slower by more than "
          f"{100 * (SLOWER - 1):.0f} %, {failed} failed")
    return 1 if slower or failed else 0
