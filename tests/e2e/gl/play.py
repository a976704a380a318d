"""Runs the player: natively with Mesa's software drivers, and with the stock driver on the emulated GPU."""
import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]


class NoPlayer(Exception):
    """The host lacks something, or the driver is another one."""


@dataclasses.dataclass
class Played:
    """Of one scene: (width, height, bytes) a picture, and why it went no further, or None."""
    pictures: list
    error: str = None


def build(folder, sysroot):
    sources = sorted(map(str, HERE.glob("*.c")))
    libraries = sysroot / "usr/lib/aarch64-linux-gnu"
    for command in (["gcc", *FLAGS, "-o", folder / "player-native", *sources, "-lEGL", "-lGLESv2"],
                    ["aarch64-linux-gnu-gcc", *FLAGS, "-idirafter", "/usr/include", "-o", folder / "player-arm64", *sources, f"-L{libraries}",
                     "-l:libEGL.so.1", "-l:libGLESv2.so.2", "-Wl,--unresolved-symbols=ignore-in-shared-libs"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise NoPlayer(f"the player does not build: {done.stdout.decode(errors='replace')[-2000:]}")


class Side:
    """One of those that draw. `renderer`: what its name begins with; `version`: of GL ES, in tenths."""

    def __init__(self, command, environment, renderer, version, timeout):
        self.command, self.environment, self.renderer, self.timeout = command, dict(os.environ, **environment), renderer, timeout
        self.version = version
        self.lock, self.running, self.stopped = threading.Lock(), set(), False

    def play(self, scenes, jitter=(0, 0)):
        """Played by name, and what was written to standard error. A scene that ends the player does not keep others from being played."""
        results, log, left = {}, "", list(scenes)
        while left:
            played, said, why = self.once(left, jitter)
            log += said
            results.update(played)
            ended = [i for i, (name, _) in enumerate(left) if name in played]
            last = ended[-1] if ended else 0
            if not why:
                break
            if not played:
                raise NoPlayer(f"{' '.join(map(str, self.command[:1]))} plays nothing: {why}: {said[-1500:]}")
            results[left[last][0]] = Played([], why)
            left = left[last + 1:]
        return results, log

    def once(self, scenes, jitter):
        with tempfile.TemporaryDirectory(prefix="gldiff-") as folder:
            text, out = pathlib.Path(folder) / "scenes", pathlib.Path(folder) / "out"
            text.write_text("".join("\n".join(lines) + "\n" for _, lines in scenes))
            command = [*map(str, self.command), "--version", str(self.version), "--jitter", f"{jitter[0]},{jitter[1]}", str(text), str(out)]
            with self.lock:
                if self.stopped:
                    raise KeyboardInterrupt
                process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, start_new_session=True)
                self.running.add(process)
            why = None
            try:
                said = process.communicate(timeout=60 + self.timeout * len(scenes))[0].decode(errors="replace")
                if process.returncode == 2:
                    raise NoPlayer(f"a scene is not in order: {said[-1500:]}")
                if process.returncode:
                    why = f"the program ends with status {process.returncode}"
            except subprocess.TimeoutExpired:
                process.kill()
                said, why = process.communicate()[0].decode(errors="replace"), "timeout"
            finally:
                with self.lock:
                    self.running.discard(process)
            return self.read(out.read_bytes() if out.exists() else b""), said, why

    def read(self, data):
        results, current, at = {}, None, 0
        while at < len(data):
            end = data.find(b"\n", at)
            if end < 0:
                break
            word, _, rest = data[at:end].decode(errors="replace").partition(" ")
            at = end + 1
            if word == "renderer" and not rest.startswith(self.renderer):
                raise NoPlayer(f"'{rest}' draws, not {self.renderer}")
            if word == "scene":
                current = results[rest] = Played([], "unfinished")
            elif word == "picture":
                width, height, size = map(int, rest.split())
                current.pictures.append((width, height, data[at:at + size]))
                at += size
            elif word == "error":
                current.error = rest
            elif word == "done":
                current.error = None
        return results

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()


class Emulated(Side):
    """The stock driver on the emulated GPU."""

    def lint(self, scene):
        """What the linter finds in what the driver makes of a scene: '' if that cannot be recorded."""
        with tempfile.TemporaryDirectory(prefix="gldiff-") as folder:
            capture = pathlib.Path(folder) / "scene.vtc"
            vitrail, _, *rest = self.command
            recorder = Side([vitrail, "record", "-o", capture, *rest], self.environment, self.renderer, self.version, self.timeout)
            recorder.play([scene])
            if not capture.exists():
                return ""
            done = subprocess.run([vitrail, "lint", str(capture)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            return done.stdout.decode(errors="replace")


def software(folder, driver, version, timeout=10):
    # Bilinear filtering in floats, and a level of detail for each pixel.
    return Side([folder / "player-native"], {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": driver, "LP_NUM_THREADS": "0",
                                             "GALLIVM_PERF": "no_aos_sampling,no_quad_lod"}, driver, version, timeout)


def emulated(folder, gpu, vitrail, sysroot, options, timeout=20):
    return Emulated([vitrail, "run", "--gpu", gpu.name, "--threads", "0", "--sysroot", sysroot, *options, "--", folder / "player-arm64"], {},
                gpu.renderer, gpu.version, timeout)
