"""What the benchmarks share: workloads, compiling, captures and their cache, one measurement."""
import functools
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(TOP / "tests/e2e"))
from drivers import drivers  # noqa: E402
from gl import gpus  # noqa: E402

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "vitrail"
MICRO = ["clear-only", "fill-flat", "fill-flat-nozs", "fill-blend", "fill-tex-nearest", "fill-tex-bilinear",
         "fill-tex-bilin-blend", "fill-tex-trilinear", "shader-alu", "shader-transcend", "shader-branch", "depth-overdraw",
         "depth-back2front", "tri-small", "tri-medium-tex", "tri-cull", "vertex-heavy", "draws"]
COMPUTE = ["compute-saxpy", "compute-sum", "compute-blur", "compute-matrix"]
MODE = "1280x720"
LOOPS = 5
# Threads: name in the tables, LP_NUM_THREADS (beside the caller: 0 draws inline), --threads.
THREADS = (("1", 0, 0), ("2", 2, 1))
CROSS = "aarch64-linux-gnu-gcc"


def scenes():
    lines = (TOP / "tests/e2e/scenes.txt").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def undrawn(gpu):
    """Scenes that the GPU's driver cannot draw: no share in its part of refimages/MANIFEST."""
    part, names, inside = f"[llvmpipe {drivers()[gpu]}]", set(), False
    for line in (TOP / "refimages/MANIFEST").read_text().splitlines():
        if line.startswith("["):
            inside = line.strip() == part
        elif inside and line.split()[1:3] == ["-", "-"] and not line.startswith("#"):
            names.add(line.split()[0])
    return names


def computes(gpu):
    """Whether the GPU's driver has the compute programs of GL ES 3.1."""
    return gpu in gpus.GPUS and gpus.GPUS[gpu].version >= 31


def context_options(name):
    """What the micro-workload is told, so that its context has what it needs."""
    return ["--es=3"] if name in COMPUTE else []


def ready(args, name, *needs, gpus=("vc4",)):
    """Whether this machine has what the benchmark needs; what it lacks is said."""
    return subprocess.run([TOP / "tests/e2e/ready", "--for", name, "--vitrail", args.vitrail, "--sysroot", args.sysroot,
                           "--gpu", ",".join(gpus), *needs]).returncode == 0


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def progress(text):
    """A line that the next one replaces, where somebody looks."""
    if sys.stderr.isatty():
        print(f"\r{text:76}", end="" if text else "\r", file=sys.stderr, flush=True)


def add_peer(add):
    add("--peer", choices=("newest", "installed"), default="newest",
        help="llvmpipe of Debian's backports (default), or the one that programs here draw with")


class Bench:
    def __init__(self, args):
        self.args = args
        self.captures = CACHE / "bench"
        self.captures.mkdir(parents=True, exist_ok=True)
        self.vitrail = self.recorder = args.vitrail.resolve()
        self.gpu = "vc4"  # whose captures are recorded and replayed
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vitrail-bench-"))
        self.programs = {}

    def compile(self, compiler, sources, name, options=()):
        """The program of this name, compiled when it is first asked for."""
        if name not in self.programs:
            self.programs[name] = self.folder / name
            self.run([compiler, "-O2", "-w", "-D_GNU_SOURCE", "-idirafter", "/usr/include", *options, "-o", self.folder / name,
                      *sources, "-ldl", "-lm"])
        return self.programs[name]

    def micro(self, compiler):
        return self.compile(compiler, sorted((HERE / "micro").glob("*.c")), f"micro-{compiler}")

    def clock(self, compiler):
        return self.compile(compiler, [TOP / "tests/e2e/steptime.c"], f"steptime-{compiler}.so", ["-shared", "-fPIC"])

    def run(self, command, environment=None, timeout=3600):
        result = subprocess.run([str(c) for c in command], env=dict(os.environ, **(environment or {})), timeout=timeout,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit {result.returncode}\n"
                               f"{result.stdout.decode(errors='replace')[-1500:]}")
        return result.stdout.decode(errors="replace")

    # ---- llvmpipe ----
    @functools.cached_property
    def peer(self):
        """The environment of a program that draws with llvmpipe: Debian's newest, or the one that is installed."""
        software = {"GBM_ALWAYS_SOFTWARE": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
        if self.args.peer == "installed":
            return software
        libraries = pathlib.Path(self.run([HERE / "peer"]).splitlines()[-1])
        vendor = libraries.parent.parent / "share/glvnd/egl_vendor.d/50_mesa.json"
        return dict(software, LD_LIBRARY_PATH=str(libraries), LIBGL_DRIVERS_PATH=str(libraries / "dri"),
                    GBM_BACKENDS_PATH=str(libraries / "gbm"), __EGL_VENDOR_LIBRARY_FILENAMES=str(vendor))

    def native_environment(self, threads):
        return dict(self.peer, LP_NUM_THREADS=str(threads))

    @functools.cached_property
    def peer_name(self):
        """What it says of itself: "Mesa 25.0.7". One that is not llvmpipe is an error."""
        out = self.run([self.micro("gcc"), "--only=clear-only", "--reps=1", "--frames=1", "--quiet=0"], self.native_environment(0))
        told = re.search(r"\|\s*llvmpipe.*\|.*(Mesa [0-9.]+)", out)
        if not told:
            raise RuntimeError(f"the native program does not draw with llvmpipe:\n{out}")
        return told[1]

    # ---- captures ----
    def glmark2(self, description, frames, root, seconds=1000):
        """So many frames, or 0: as many as there are in the seconds."""
        length = (f"nframes={frames}:" if frames else "") + f"duration={seconds}"
        return [f"{root}/usr/bin/glmark2-es2-drm", "--winsys-options", "drm-device=/dev/dri/card0", "--data-path",
                f"{root}/usr/share/glmark2", "-b", f"{description}:{length}"]

    def is_of(self, path, program):
        """Whether a capture is there, can be read, and is of a program told the same. Captures keep the first 255 characters of a command."""
        if not path.exists():
            return False
        info = subprocess.run([self.recorder, "info", path], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if info.returncode:
            return False
        command = re.search(r"^  command +(.*)$", info.stdout, re.MULTILINE)[1]
        return " ".join([command.split(" ")[0], *map(str, program[1:])])[:255] == command

    def record(self, name, options, program):
        """The capture of this name, recorded if there is none or one of other arguments; other GPUs' than VideoCore IV's bear theirs."""
        path = self.captures / (f"{name}.vtc" if self.gpu == "vc4" else f"{self.gpu}-{name}.vtc")
        if self.args.record or not self.is_of(path, program):
            partial = path.with_suffix(".part")
            self.run([self.recorder, "record", "--gpu", self.gpu, "-o", partial, *options, "--sysroot",
                      self.args.sysroot, "--", *program])
            partial.rename(path)
        return path

    def capture_scene(self, name, description):
        return self.record(f"glmark2-{name}", ["--mode", MODE, "--preload", self.clock(CROSS)],
                           self.glmark2(description, self.args.frames, self.args.sysroot))

    def capture_micro(self, name, capture=None, frames=None, options=(), recording=()):
        """The default workload, or another capture of it: so many frames, options of its own, options of the recording."""
        return self.record(capture or "micro-" + name, recording,
                           [self.micro(CROSS), f"--only={name}", "--reps=1", f"--frames={frames or self.args.frames}",
                            "--warmup=1", "--quiet=0", *context_options(name), *options])

    # ---- measurements, milliseconds ----
    def replay_rows(self, path, threads, options=(), tool=None):
        """(wall, cpu) of each picture and what --stats prints."""
        times = self.folder / "times"
        out = self.run([tool or self.vitrail, "replay", "--threads", threads, "--tier", "optimised", "--stats", "--times", times,
                        *self.args.replay_options, *options, path])
        rows = [tuple(map(float, line.split())) for line in times.read_text().splitlines()]
        return rows, {key: float(value) for key, value in (line.split(" ", 1) for line in out.splitlines() if " " in line)
                      if value.replace(".", "", 1).isdigit()}

    def replay(self, path, threads, presented, options=()):
        """Wall and CPU time of a frame and instructions a second, in millions. Wall: the median. CPU: the mean over
        LOOPS plays, because the kernel adds a running thread's time up by ticks; each play's first frames do not count."""
        wall, cpu = [], []
        instructions = self.replay_rows(path, threads, options)[1].get("qpu_minstr_per_s", 0)
        for _ in range(self.args.repeats):
            rows, _ = self.replay_rows(path, threads, ("--loops", LOOPS, *options))
            frames = len(rows) // LOOPS
            plays = [rows[n * frames:(n + 1) * frames] for n in range(LOOPS)]
            plays = [play[min(3, frames // 2):] for play in plays]
            if not presented:
                plays = [play[:-1] or play for play in plays]
            wall.append(statistics.median(r[0] for play in plays for r in play))
            cpu.append(statistics.mean(r[1] for play in plays for r in play))
        return statistics.median(wall), statistics.median(cpu), instructions

    def native_scene_command(self, description, frames):
        return [self.vitrail, "run", "--any-driver", "--mode", MODE, "--preload", self.clock("gcc"), "--"] + \
            self.glmark2(description, frames, "")

    def native_scene_environment(self, threads):
        return dict(self.native_environment(threads), STEPTIME_LOG=str(self.folder / "flips"))

    def native_scene(self, description, threads):
        wall, cpu = [], []
        for _ in range(self.args.repeats):
            self.run(self.native_scene_command(description, self.args.frames), self.native_scene_environment(threads))
            rows = [tuple(map(int, line.split())) for line in (self.folder / "flips").read_text().splitlines()]
            steps = [((b[0] - a[0]) * 1e-6, (b[1] - a[1]) * 1e-6) for a, b in zip(rows, rows[1:])]
            steps = steps[min(2, len(steps) // 2):]
            wall.append(statistics.median(s[0] for s in steps))
            cpu.append(statistics.mean(s[1] for s in steps))
        return statistics.median(wall), statistics.median(cpu)

    def native_micro(self, name, threads, options=()):
        """(wall, cpu, work a frame)"""
        out = self.run([self.micro("gcc"), f"--only={name}", "--reps=3", "--mintime=0.15", "--quiet=0", *context_options(name), *options],
                       self.native_environment(threads))
        for line in out.splitlines():
            row = line.split(",")
            if len(row) > 13 and row[1] == name:
                return float(row[9]), float(row[12]) + float(row[13]), float(row[3])
        raise RuntimeError(f"{name}: the native program printed no row\n{out}")
