"""Table of the rates of the micro-workloads as shares of what this machine can do (limits.c) and of the marks set for them.

A limit is what one resource allows when nothing else cost anything: so many pixels of a tile written or blended, texels gathered,
multiplications and additions, bytes of vertices and indices read. Shares on two threads are of the limit on two.
"""
import statistics

from bench import HERE, MICRO, THREADS, Bench, progress

ALU = 2 * 200            # micro/shade.c: 200 multiplications and as many additions a pixel
QPU = 2 * 16             # a QPU instruction: an addition and a multiplication in each lane, at most
VERTEX = 2 * 4 * 60      # micro/geometry.c: 60 vec4 multiplications and additions
TRIANGLE = 6 + 20 / 2    # bytes: three indices, and half a vertex as the grid has half as many
# name: (limit of limits.c, what of it a unit of work takes, share wanted); BY_...: a unit of that instead of the workload's
BY_PIXEL, BY_INSTRUCTION = "pixels", "instructions"
LIMITS = {
    "clear-only": ("frame_fill", 1, None),
    "fill-flat": ("tile_fill", 1, 0.5),
    "fill-flat-nozs": ("tile_fill", 1, 0.5),
    "fill-blend": ("tile_blend", 1, 0.5),
    "fill-tex-nearest": ("gather_1m", 1, None),
    "fill-tex-bilinear": ("gather_1m", 4, 0.6),
    "fill-tex-bilin-blend": ("gather_1m", 4, None),
    "fill-tex-trilinear": ("gather_256k", 8, None),
    "shader-alu": ("multiply_add", ALU, 0.5),
    "shader-transcend": ("multiply_add", BY_INSTRUCTION, None),
    "shader-branch": ("multiply_add", BY_INSTRUCTION, None),
    "depth-overdraw": ("tile_fill", 1, None),
    "depth-back2front": ("tile_fill", 1, None),
    "tri-small": ("read_8m", TRIANGLE, None),
    "tri-medium-tex": ("gather_1m", BY_PIXEL, None),
    "tri-cull": ("read_8m", TRIANGLE, None),
    "vertex-heavy": ("multiply_add", VERTEX, None),
}
# What is wanted on two threads, in millions a second: vertices, and QPU instructions of 16 lanes.
VERTICES, INSTRUCTIONS = 100, 1500


def add_option(add, name):
    add(f"--{name}", action="store_true", help="rates of the micro-workloads as shares of the machine's limits")


def compile_program(bench):
    return bench.compile("gcc", [HERE / "limits.c"], "limits", ["-ffp-contract=off", "-pthread"])


def machine(bench):
    """{limit: [one thread, two threads]}, in millions a second."""
    program = compile_program(bench)
    found = {}
    for threads in (1, 2):
        for line in bench.run([program, threads]).splitlines():
            name, value = line.split()
            found.setdefault(name, []).append(float(value))
    return found


def work_of(bench, name):
    """Work a frame, and pixels where these are another count, as the program itself prints them."""
    out = bench.run([bench.micro("gcc"), f"--only={name}", "--reps=1", "--frames=1", "--warmup=0", "--quiet=0"],
                    {"LIBGL_ALWAYS_SOFTWARE": "1"})
    row = next(line.split(",") for line in out.splitlines() if line.startswith("run,"))
    return float(row[3]), float(row[-1][4:]) if row[-1].startswith("aux=") else 0


def rates(bench, name):
    """Per number of threads: (frames a second, million QPU instructions a second, instructions a frame)."""
    path = bench.capture_micro(name)
    for _, _, threads in THREADS:
        frames, instructions = [], []
        for _ in range(bench.args.repeats):
            rows, stats = bench.replay_rows(path, threads)
            wall = [r[0] for r in rows[min(3, len(rows) // 2):-1]]
            frames.append(1e3 / statistics.median(wall))
            instructions.append(stats["qpu_instructions"] / sum(r[0] for r in rows) / 1e3)
        yield max(frames), max(instructions), max(instructions) * 1e6 / max(frames)


def taken_of(each, work, pixels, instructions):
    """What of its limit a frame takes."""
    if each == BY_PIXEL:
        return 4 * pixels  # bilinear: four texels
    return QPU * instructions if each == BY_INSTRUCTION else each * work


def report_machine(found):
    print(f"{'millions a second':22}{'1 thread':>12}{'2 threads':>12}")
    for name, values in found.items():
        print(f"{name:22}" + "".join(f"{v:12.0f}" for v in values))


def main(args):
    bench = Bench(args)
    found = machine(bench)
    report_machine(found)
    print(f"\n{'workload':22}{'limit':>14}{'M work/s':>18}{'share of limit':>16}{'wanted':>8}{'M QPU/s':>16}")
    print(f"{'':36}{'1 thr':>9}{'2 thr':>9}{'1 thr':>8}{'2 thr':>8}{'':8}{'1 thr':>8}{'2 thr':>8}")
    most = ("", 0)
    for name in MICRO:
        if args.only and name not in args.only:
            continue
        progress(f"limits: {name}")
        work, pixels = work_of(bench, name)
        measured = list(rates(bench, name))
        limit, each, wanted = LIMITS.get(name, ("none known", 0, None))
        shares = [f * taken_of(each, work, pixels, n) / 1e6 / found[limit][i] if each else None
                  for i, (f, _, n) in enumerate(measured)]
        most = max(most, (name, measured[1][1]), key=lambda m: m[1])
        progress("")
        print(f"{name:22}{limit:>14}" + "".join(f"{f * work / 1e6:9.1f}" for f, _, _ in measured) +
              "".join(f"{s:8.1%}" if s is not None else f"{'-':>8}" for s in shares) +
              (f"{wanted:8.0%}" if wanted else f"{'':8}") + "".join(f"{q:8.0f}" for _, q, _ in measured) +
              (f"  mark: {VERTICES} M vertices/s on two threads" if name == "vertex-heavy" else ""))
    print(f"most QPU instructions a second on two threads: {most[1]:.0f} million ({most[0]}); mark: {INSTRUCTIONS} million")
    return 0
