"""Programs under `vitrail run` beside the same drawn by llvmpipe: that of the sysroot's Mesa, under qemu-user as they are, and natively.

All present on the emulated display, which waits for nobody, and each is told to draw for some seconds. What drew is taken from what the program
prints, and a driver that is not the one that is measured ends all.
"""
import pathlib
import re
import typing

from bench import MODE, Bench, geomean, gpus, ready

SCENES = ["build:use-vbo=true", "texture:texture-filter=linear", "shading:shading=phong", "bump:bump-render=normals", "effect2d",
          "desktop:effect=shadow:windows=4", "terrain", "jellyfish"]
SOFTWARE = {"GBM_ALWAYS_SOFTWARE": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
FEW = 30  # frames of kmscube, which is told how many to draw, for an estimate of the rate


class Way(typing.NamedTuple):
    label: str
    options: list       # of `vitrail run`
    environment: dict
    root: pathlib.Path  # whose programs and libraries
    draws: str          # what says of itself who draws


def ways(args, bench):
    own = [Way(gpu, ["--gpu", gpu, "--sysroot", args.sysroot], {}, args.sysroot, gpus.GPUS[gpu].renderer) for gpu in args.gpu.split(",")]
    return own + [Way("arm64 llvmpipe", ["--any-driver", "--sysroot", args.sysroot], SOFTWARE, args.sysroot, "llvmpipe"),
                  Way("native llvmpipe", ["--any-driver"], bench.peer, pathlib.Path("/"), "llvmpipe")]


def rate(text):
    """Frames a second of what kmscube and glmark2 print last, and what drew them."""
    frames = re.findall(r"^Rendered \d+ frames in [\d.]+ sec \(([\d.]+) fps\)|FPS: (\d+)", text, re.MULTILINE)
    drew = re.search(r"(?:GL_RENDERER|renderer): *\"?(.*?)\"?$", text, re.MULTILINE)
    if not frames or not drew:
        raise RuntimeError(f"the program says no rate, or not what draws:\n{text[-1500:]}")
    return float(frames[-1][0] or frames[-1][1]), drew[1]


def measured(bench, way, program):
    text = bench.run([bench.vitrail, "run", "--mode", MODE, *way.options, "--", *program], way.environment)
    frames, drew = rate(text)
    if not re.match(way.draws, drew):
        raise RuntimeError(f"{' '.join(map(str, program))}: drawn by {drew}, which is not {way.label}")
    return frames


def kmscube(bench, way, seconds):
    def cube(count):
        return measured(bench, way, [way.root / "usr/bin/kmscube", "-c", int(count)])
    return cube(max(FEW, cube(FEW) * seconds))


def row(name, best, all_ways):
    own = best[all_ways[0].label]
    return f"  {name:28}" + "".join(f"{best[way.label]:17.1f}" for way in all_ways) + \
        "".join(f"{own / best[way.label]:8.2f}" for way in all_ways[-2:])


def peers(args):
    bench = Bench(args)
    all_ways = ways(args, bench)
    programs = {"kmscube": lambda way: kmscube(bench, way, args.seconds)}
    for scene in args.scenes.split(",") if args.scenes else SCENES:
        programs["glmark2 " + scene.split(":")[0]] = lambda way, scene=scene: \
            measured(bench, way, bench.glmark2(scene, 0, "" if way.root == pathlib.Path("/") else way.root, args.seconds))
    print(f"{'frames a second, ' + MODE:30}" + "".join(f"{way.label:>17}" for way in all_ways) + "   times as fast as they", flush=True)
    shares = []
    for name, program in programs.items():
        best = dict.fromkeys((way.label for way in all_ways), 0)
        for _ in range(args.repeats):
            for way in all_ways:
                best[way.label] = max(best[way.label], program(way))
        shares.append([best[all_ways[0].label] / best[way.label] for way in all_ways[-2:]])
        print(row(name, best, all_ways), flush=True)
    print(f"  {'geomean':28}" + " " * 17 * len(all_ways) + "".join(f"{geomean(column):8.2f}" for column in zip(*shares)))


def is_ready(args):
    return ready(args, "tests/bench/live", "arm64", "native", "glmark2", "kmscube", gpus=args.gpu.split(","))
