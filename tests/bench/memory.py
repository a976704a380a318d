"""Tables of peak memory: replay and the live server beside llvmpipe's process, and whether it grows with frames and programs.

Peaks are those of the kernel for a whole process (VmHWM), in MiB, read while it runs. The server is two processes, that which
started the program and that which draws; guest memory that it shares with the program counts in both. Growth: the same capture over and over, and captures of more and more different programs.
"""
import os
import subprocess
import sys
import threading
import time

from bench import MICRO, Bench, progress, scenes

LIVE = ["texture-linear", "shading-phong", "desktop-blur", "jellyfish", "refract", "terrain"]
LIVE_FRAMES = 60
LOOPED = ["tri-small", "draws", "vertex-heavy"]
LOOPED_SCENES = ["buffer-subdata", "desktop-shadow", "bump-high-poly"]
LOOPS = [1, 40, 160]
PROGRAMS = [250, 1000, 4000, 8000]
PROGRAMS_A_FRAME = 100   # micro/variants.c
BOUNDED = 1.25  # a peak that grows by less from the second to the last, four times as many frames, is taken for bounded


def add_option(add, name):
    add(f"--{name}", action="store_true", help="peak memory of replay and server beside llvmpipe's, and its growth")


class Watch:
    """Runs a command and keeps, for each process of its tree, the kernel's peak: {name: (MiB, of it shared MiB)}."""

    def __init__(self, command, environment=None, timeout=3600):
        self.peaks = {}
        self.process = subprocess.Popen([str(c) for c in command], env=dict(os.environ, **(environment or {})),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        watcher = threading.Thread(target=self.watch)
        watcher.start()
        self.out = self.process.communicate(timeout=timeout)[0].decode(errors="replace")
        watcher.join()
        if self.process.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit {self.process.returncode}\n{self.out[-1500:]}")

    def tree(self):
        found = [self.process.pid]
        for pid in found:
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children") as children:
                        found += map(int, children.read().split())
            except OSError:
                pass
        return found

    def look(self, pid):
        fields = {}
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                key, _, value = line.partition(":")
                fields[key] = value.split()
        if "VmHWM" not in fields:
            return
        peak, shared = (int(fields[k][0]) / 1024 for k in ("VmHWM", "RssShmem"))
        name = fields["Name"][0]
        before = self.peaks.get((pid, name), (0, 0))
        self.peaks[pid, name] = max(before[0], peak), max(before[1], shared)

    def watch(self):
        while self.process.poll() is None:
            for pid in self.tree():
                try:
                    self.look(pid)
                except OSError:
                    pass  # it ended meanwhile
            time.sleep(0.01)

    def sum(self, names):
        """(MiB, shared MiB) of all processes of these names."""
        return tuple(map(sum, zip(*(peak for (_, name), peak in self.peaks.items() if name.startswith(names)))))


def tool(bench):
    return bench.vitrail.name[:15]  # as the kernel cuts names


def replay_peak(bench, path, threads, options=(), environment=None):
    watch = Watch([bench.vitrail, "replay", "--threads", threads, "--stats", *bench.args.replay_options, *options, path],
                  environment)
    stats = dict(line.split(" ", 1) for line in watch.out.splitlines() if " " in line)
    return watch.sum(tool(bench))[0], stats


def native_peak(bench, kind, name, description):
    if kind == "micro":
        watch = Watch([bench.micro("gcc"), f"--only={name}", "--reps=1", f"--frames={bench.args.frames}", "--quiet=0"],
                      bench.native_environment(2))
        return watch.sum("micro")[0]
    watch = Watch(bench.native_scene_command(description, bench.args.frames), bench.native_scene_environment(2))
    return watch.sum("glmark2")[0]


def table(bench):
    print(f"{'peak MiB':34}{'llvmpipe':>10}{'replay':>10}{'replay':>10}")
    print(f"{'':34}{'2 threads':>10}{'1 thread':>10}{'2 threads':>10}")
    work = [("micro", n, "") for n in MICRO] + [("glmark2", n, d) for n, d in scenes().items()]
    for kind, name, description in work:
        if bench.args.only and name not in bench.args.only:
            continue
        progress(f"memory: {name}")
        path = bench.capture_scene(name, description) if kind == "glmark2" else bench.capture_micro(name)
        one, two = (replay_peak(bench, path, threads)[0] for threads in (0, 1))
        native = native_peak(bench, kind, name, description)
        progress("")
        print(f"{kind + ' ' + name:34}{native:10.0f}{one:10.0f}{two:10.0f}")


def live(bench):
    print(f"\n{f'live, {LIVE_FRAMES} frames, peak MiB':34}{'llvmpipe':>10}{'server':>10}{'shared':>10}{'program':>10}{'shared':>10}")
    for name, description in scenes().items():
        if name not in LIVE or bench.args.only and name not in bench.args.only:
            continue
        progress(f"memory: {name}, live")
        watch = Watch([bench.vitrail, "run", "--mode", "1280x720", "--sysroot", bench.args.sysroot, "--"] +
                      bench.glmark2(description, LIVE_FRAMES, bench.args.sysroot))
        native = native_peak(bench, "glmark2", name, description)
        server, program = watch.sum(tool(bench)), watch.sum(("qemu", "glmark2"))
        progress("")
        print(f"{name:34}{native:10.0f}{server[0]:10.0f}{server[1]:10.0f}{program[0]:10.0f}{program[1]:10.0f}")


def verdict(peaks):
    return "bounded" if peaks[-1] <= peaks[1] * BOUNDED else f"GROWS: {peaks[-1] / peaks[1]:.2f} times"


def over_frames(bench):
    """Returns whether all are bounded."""
    print(f"\n{'replayed again and again, peak MiB':34}" + "".join(f"{f'{n} times':>10}" for n in LOOPS))
    good = True
    descriptions = scenes()
    for name in LOOPED + LOOPED_SCENES:
        if bench.args.only and name not in bench.args.only:
            continue
        progress(f"memory: {name}, again and again")
        path = bench.capture_micro(name) if name in LOOPED else bench.capture_scene(name, descriptions[name])
        peaks = [replay_peak(bench, path, 1, ["--loops", n])[0] for n in LOOPS]
        progress("")
        print(f"{name:34}" + "".join(f"{p:10.0f}" for p in peaks) + f"  {verdict(peaks)}")
        good &= verdict(peaks) == "bounded"
    return good


def over_programs(bench):
    print(f"\n{'different programs and states':34}{'MiB':>10}{'compiled':>10}{'code KiB':>10}{'MiB, twice':>12}{'KiB a program':>14}")
    before = None
    cache = {"XDG_CACHE_HOME": str(bench.captures / "programs")}  # so many programs would drive others from the user's own
    for count in PROGRAMS:
        progress(f"memory: {count} programs")
        path = bench.capture_micro("variants", f"growth-variants-{count}", -(-count // PROGRAMS_A_FRAME),
                                   [f"--variants={count}"], ["--interpreter"])
        peak, stats = replay_peak(bench, path, 1, ["--tier", "optimised"], cache)
        twice = replay_peak(bench, path, 1, ["--tier", "optimised", "--loops", "2"], cache)[0]
        each = f"{(peak - before[1]) * 1024 / (count - before[0]):14.1f}" if before else ""
        progress("")
        print(f"{count:<34}{peak:10.0f}{int(stats['compiled']) + int(stats['cache_hits']):10}{int(stats['code_bytes']) // 1024:10}"
              f"{twice:12.0f}{each}")
        before = count, peak


def main(args):
    bench = Bench(args)
    table(bench)
    live(bench)
    good = over_frames(bench)
    if not args.only or "variants" in args.only:
        over_programs(bench)
    return 0 if good else 1
