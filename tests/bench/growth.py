"""Plots of what a frame costs as it grows: pixels, triangles, draws, layers, texture size, threads.

One PNG an axis and growth.json, with every figure, in the folder; a later run with --only AXIS measures that axis anew and keeps the
others. Code is optimised from the first frame on: when a program has run enough for it depends on a frame's size. Printed: for each
workload the exponent of its growth between neighbouring points, and what exceeds LINEAR or is a step.
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import time

from bench import THREADS, Bench, progress

FRAMES = 5      # recorded a capture, after one to warm up
SETTLING = 3    # replays until the host has spread threads over its processors; the last is measured
LINEAR = 1.15   # an exponent above it is not taken for linear
STEP = 0.35     # so much above its neighbours' exponents on both sides is a step
FEWEST = 0.02   # milliseconds below which an exponent says nothing
JOB_DRAWS = 7920  # after so many draws Mesa's vc4 begins another job (VC4_HW_2116_COUNT)


class Axis:
    def __init__(self, title, points, workloads, options=None, x=float, jobs=lambda point: 1, most=None):
        self.title, self.points, self.workloads = title, points, workloads
        self.options, self.x, self.jobs, self.most = options, x, jobs, most or {}

    def points_of(self, workload):
        return [p for p in self.points if workload not in self.most or p <= self.most[workload]]


def area(size):
    width, height = size.split("x")
    return float(width) * float(height)


AXES = {
    "pixels": Axis("pixels of the frame", ["128x72", "256x144", "512x288", "1024x576", "1280x720", "2048x1152"],
                   ["clear-only", "fill-flat", "fill-blend", "fill-tex-bilinear", "shader-alu", "depth-back2front"],
                   "--size={}", area),
    "triangles": Axis("triangles a mesh", [1000, 3000, 10000, 30000, 100000, 300000, 1000000],
                      ["tri-small", "tri-small-depth", "tri-medium-tex", "tri-cull", "vertex-heavy"], "--triangles={}",
                      most={"tri-medium-tex": 300000}),  # drawn four times: more do not fit the driver's 16 MiB of tile lists
    "draws": Axis("draws a frame", [20, 60, 200, 600, 2000, 6000, 20000], ["draws"], "--draws={}",
                  jobs=lambda n: -(-n // JOB_DRAWS)),
    "layers": Axis("layers of overdraw", [1, 2, 5, 10, 20, 50, 100],
                   ["fill-flat", "fill-flat-nozs", "fill-blend", "fill-tex-bilinear", "depth-overdraw", "depth-back2front"],
                   "--layers={}"),
    "texture": Axis("texels along a texture's side", [16, 32, 64, 128, 256, 512, 1024, 2048],
                    ["fill-tex-nearest", "fill-tex-bilinear", "fill-tex-trilinear"], "--texture={}"),
    "threads": Axis("threads", [1, 2, 3, 4],
                    ["fill-flat", "fill-tex-bilinear", "shader-alu", "tri-small", "vertex-heavy", "draws"]),
}
# Curves: name, gnuplot's style. The first is what is analysed.
CURVES = [("vitrail, 1 thread", "lc rgb '#c0392b' lw 2 pt 7"), ("vitrail, 2 threads", "lc rgb '#e59866' lw 2 pt 5 dt 2"),
          ("llvmpipe, 1 thread", "lc rgb '#2471a3' lw 2 pt 9")]
THREAD_CURVES = [("vitrail, wall", "lc rgb '#c0392b' lw 2 pt 7"), ("vitrail, cpu", "lc rgb '#e59866' lw 2 pt 5 dt 2"),
                 ("llvmpipe, wall", "lc rgb '#2471a3' lw 2 pt 9"), ("llvmpipe, cpu", "lc rgb '#7fb3d5' lw 2 pt 11 dt 2")]


def add_option(add, name):
    add(f"--{name}", type=pathlib.Path, metavar="FOLDER", help="plots of what a frame costs as it grows, into FOLDER (needs gnuplot)")
    add("--replot", action="store_true", help="with --plot: from FOLDER/growth.json, measuring nothing")


# ---- measuring ----
def record(bench, name, workload, axis, point):
    return bench.capture_micro(workload, f"growth-{workload}-{name}-{point}", FRAMES, [axis.options.format(point)])


def frame_cost(bench, path, threads, jobs):
    """Least (wall, cpu) of a frame over its repeats: medians would keep what others on the machine cost."""
    best = (math.inf, math.inf)
    for _ in range(bench.args.repeats):
        rows, _ = bench.replay_rows(path, threads, ["--tier", "optimised", "--loops", SETTLING if threads else 1])
        rows = rows[:-1][-FRAMES * jobs:]  # the last is reading the pixels back, those before the frames are set-up
        frames = [tuple(map(sum, zip(*rows[i:i + jobs]))) for i in range(0, len(rows), jobs)]
        best = tuple(min(b, *(f[k] for f in frames)) for k, b in enumerate(best))
    return best


def measure_growth(bench, name, workload, axis):
    curves = {title: [] for title, _ in CURVES}
    for point in axis.points_of(workload):
        progress(f"{name}: {workload} {point}")
        path = record(bench, name, workload, axis, point)
        for (title, _), (_, _, threads) in zip(CURVES, THREADS):
            curves[title].append([axis.x(point), frame_cost(bench, path, threads, axis.jobs(point))[1]])
        native = bench.native_micro(workload, 0, [axis.options.format(point)])
        curves[CURVES[2][0]].append([axis.x(point), native[1]])
    return curves


def measure_threads(bench, workload, axis):
    curves = {title: [] for title, _ in THREAD_CURVES}
    path = bench.capture_micro(workload)
    for count in axis.points:
        progress(f"threads: {workload} {count}")
        ours = frame_cost(bench, path, count - 1, 1)
        native = bench.native_micro(workload, count if count > 1 else 0)
        for title, value in zip(curves, (*ours, *native)):
            curves[title].append([count, value])
    return curves


# ---- judging ----
def exponents(points):
    """Between neighbours; None where the cost is too small to tell."""
    return [math.log(b[1] / a[1]) / math.log(b[0] / a[0]) if min(a[1], b[1]) >= FEWEST else None
            for a, b in zip(points, points[1:])]


def findings(points):
    """What is not smooth linear growth: (from, to, what)."""
    found, slopes = [], exponents(points)
    for i, slope in enumerate(slopes):
        if slope is None:
            continue
        around = [s for s in (slopes[i - 1] if i else None, slopes[i + 1] if i + 1 < len(slopes) else None) if s is not None]
        if slope > LINEAR:
            found.append((points[i][0], points[i + 1][0], f"grows with exponent {slope:.2f}"))
        elif len(around) == 2 and all(slope > s + STEP for s in around):
            found.append((points[i][0], points[i + 1][0], f"a step: exponent {slope:.2f} between {around[0]:.2f} and {around[1]:.2f}"))
    return found


def judge(figures):
    print(f"{'axis':10} {'workload':20} {'ms, least to most':>20}  exponents between points (vitrail, 1 thread)")
    unusual = []
    for name, workloads in figures.items():
        for workload, curves in workloads.items():
            points = next(iter(curves.values()))
            if name == "threads":
                print(f"{name:10} {workload:20} {points[0][1]:9.2f} -{points[-1][1]:9.2f}  faster with 2: "
                      f"{points[0][1] / points[1][1]:.2f}, llvmpipe "
                      f"{curves['llvmpipe, wall'][0][1] / curves['llvmpipe, wall'][1][1]:.2f}")
                continue
            slopes = " ".join("    -" if s is None else f"{s:5.2f}" for s in exponents(points))
            print(f"{name:10} {workload:20} {points[0][1]:9.3f} -{points[-1][1]:9.2f}  {slopes}")
            # Of one thread: with two, CPU time counts how long they wait for each other.
            unusual += [(name, workload, *f) for f in findings(points)]
    for name, workload, start, end, what in unusual:
        print(f"{name} {workload}: from {start:g} to {end:g} {what}")
    if not unusual:
        print(f"no exponent above {LINEAR}, no step")
    return unusual


# ---- drawing ----
def script(name, workloads, path):
    """gnuplot's commands: a panel a workload."""
    across = min(3, len(workloads))
    down = -(-len(workloads) // across)
    threads = name == "threads"
    title = AXES[name].title
    lines = [f"set terminal pngcairo size {max(640 * across, 760)},{520 * down} font 'sans,11'", f"set output '{path}'",
             f"""set multiplot layout {down},{across} title "What a frame costs against {title}" font ',14'""",
             "set grid xtics ytics lt 1 lw 0.5 lc rgb '#cccccc'", "set key top left reverse Left samplen 2 font ',9'",
             f'set xlabel "{title}"', f"set ylabel '{'' if threads else 'CPU '}ms a frame'", "set format y '%g'"]
    lines += ["set xtics 1", "set yrange [0:*]", "set key below horizontal"] if threads else ["set logscale xy", "set format x '%.0s%c'"]
    if name == "texture":
        lines += ["set logscale x 2", "set format x '%g'"]
    styles = dict(THREAD_CURVES if threads else CURVES)
    for number, (workload, curves) in enumerate(workloads.items()):
        plots = []
        for k, (title, points) in enumerate(curves.items()):
            lines += [f"$d{number}_{k} << EOD", *(f"{x:g} {y:g}" for x, y in points), "EOD"]
            plots.append(f"$d{number}_{k} with linespoints {styles[title]} title '{title}'")
        first = next(iter(curves.values()))
        linear = f"{first[0][1]}/x" if threads else f"{first[-1][1] / first[-1][0]:g}*x"
        if name != "texture":  # its size need not cost anything
            plots.append(f"{linear} with lines lc rgb '#999999' dt 3 title '{'shared by all' if threads else 'proportional'}'")
        lines += [f"set title '{workload}'", "plot " + ", \\\n  ".join(plots)]
    return "\n".join(lines + ["unset multiplot", ""])


def draw(figures, folder):
    if not shutil.which("gnuplot"):
        raise RuntimeError("plots need gnuplot: tools/setup bench, or apt-get install gnuplot-nox")
    for name, workloads in figures.items():
        path = folder / f"{name}.png"
        result = subprocess.run(["gnuplot"], input=script(name, workloads, path), text=True, stderr=subprocess.PIPE)
        if result.returncode:
            raise RuntimeError(f"gnuplot: {result.stderr[-500:]}")
        print(f"wrote {path}")


def main(args):
    kept = args.plot / "growth.json"
    figures = json.loads(kept.read_text()) if kept.exists() else {}
    unknown = args.only - set(AXES)
    if unknown:
        print(f"tests/bench/run: no axis {', '.join(sorted(unknown))}; there are: {', '.join(AXES)}", file=sys.stderr)
        return 2
    if not shutil.which("gnuplot"):
        print("tests/bench/run: --plot needs gnuplot: tools/setup bench, or apt-get install gnuplot-nox", file=sys.stderr)
        return 5
    args.plot.mkdir(parents=True, exist_ok=True)
    bench = None if args.replot else Bench(args)
    started = time.time()
    for name, axis in AXES.items() if bench else ():
        if args.only and name not in args.only:
            continue
        figures[name] = {w: measure_threads(bench, w, axis) if name == "threads" else measure_growth(bench, name, w, axis)
                         for w in axis.workloads}
        kept.write_text(json.dumps(figures, indent=1))
    progress("")
    if not figures:
        print(f"tests/bench/run: {kept}: no figures there", file=sys.stderr)
        return 3
    judge(figures)
    draw(figures, args.plot)
    print(f"{time.time() - started:.0f} s")
    return 0
