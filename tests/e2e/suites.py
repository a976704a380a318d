"""What the runners of conformance suites share (piglit, deqp): processes under `vitrail run`, files of results, and what is known of
tests beforehand."""
import argparse
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time

import shards

# A test that says more than this has no end: a driver that prints for ever. It is ended, a timeout.
OUTPUT_MOST = 16 << 20
# `vitrail run` ends so when the GPU was never used, and says so when its driver was there but had nothing to draw: some tests
# ask for states and errors only. Without the driver what passed is another's.
UNUSED, IDLE = 6, "its driver came up, and submitted nothing"
TOP = pathlib.Path(__file__).resolve().parent.parent.parent


# ---- options ----

def positive(text):
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def pattern(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}")


def add_options(add, timeout):
    """Those of every suite; `timeout` as (seconds, what it is of)."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vitrail"
    add("--gpu", default="vc4", metavar="NAME", help="on another GPU (default vc4)")
    add("--numeric", choices=("fast", "exact", "usual"), default="usual", help="how its programs compute, as `vitrail run` has it")
    add("--filter", type=pattern, default="", metavar="REGEX", help="only tests whose name it is found in")
    add("--list", action="store_true", help="print the tests' names, run none")
    add("--vitrail", type=pathlib.Path, default=TOP / "build/tools/vitrail", metavar="FILE", help="default: build/tools/vitrail")
    add("--server", action="store_true", help="one `vitrail serve` for all tests")
    add("--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N", help="processes at once (default: one a core)")
    add("--timeout", type=positive, default=timeout[0], metavar="SECONDS",
        help=f"for each {timeout[1]}; one that says more than {OUTPUT_MOST >> 20} MiB is ended too")
    add("--logs", type=pathlib.Path, metavar="DIR", help="keep the output of tests that neither pass nor skip")
    add("--results", type=pathlib.Path, metavar="FILE",
        help="write every result as it comes: name, result, what a skipping test needs, with tabs between them")
    add("--resume", action="store_true", help="go on where FILE of --results ends")
    shards.add_options(add, pathlib.Path, "--results")
    add("--sysroot", type=pathlib.Path, default=cache / "sysroot-arm64", metavar="DIR", help="with the guest's libraries and drivers")


def check_options(parser, args):
    if args.resume and not args.results:
        parser.error("--resume goes on with a file of results: --results FILE")
    shards.check_options(parser, args, "--results")


# ---- running ----

class Runner:
    """Processes of tests, and their results by name. A suite has a `key` of what was asked, `folder` and `environment` for its processes,
    and `batch(tests)`, which runs some and notes their results."""

    def __init__(self, args):
        self.args = args
        self.results, self.needs, self.lock = {}, {}, threading.Lock()
        self.journal = None
        self.running, self.stopped = set(), False
        self.device = ["--gpu", args.gpu, "--numeric", args.numeric, "--threads", "0"]

    def execute(self, command, limit=None):
        """Output and exit status of a guest program; no status on timeout (limit: in seconds, instead of the usual one)."""
        full = [str(self.args.vitrail), "run", *self.device, "--sysroot", str(self.args.sysroot), "--", *command]
        with self.lock:
            if self.stopped:
                return "", None
            process = subprocess.Popen(full, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            self.running.add(process)
        try:
            return self.watch(process, time.monotonic() + (limit or self.args.timeout))
        finally:
            with self.lock:
                self.running.discard(process)

    @contextlib.contextmanager
    def server(self):
        """One `vitrail serve` for all tests."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "server")
            with subprocess.Popen([self.args.vitrail, "serve", "--socket", path, "--clients", str(self.args.jobs + 1), *self.device],
                                  stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True) as process:
                try:
                    if not process.stdout.readline():
                        sys.exit("the server does not begin")
                    self.device = ["--server", path]
                    yield
                finally:
                    process.terminate()

    def watch(self, process, until):
        """What it says, and its exit status; none where it had to be ended, as it took too long or said too much."""
        output, some = bytearray(), b"more"
        with process.stdout, selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            while some and len(output) <= OUTPUT_MOST and ready.select(max(until - time.monotonic(), 0)):
                some = os.read(process.stdout.fileno(), 1 << 16)
                output += some
        status = None
        # Who has closed its output may go on for all that.
        if not some:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(max(until - time.monotonic(), 0))
        if status is None:
            self.end(process)
        return output.decode(errors="replace"), status

    @staticmethod
    def end(process):
        """Kills what `vitrail run` started, by killing it: its server sees that and cleans up."""
        process.kill()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def note(self, name, result, output, need=None):
        """`need`: of a test that skips, what for."""
        with self.lock:
            if self.stopped:
                return
            self.results[name] = result
            if need is not None:
                self.needs[name] = need
            if self.journal:
                print(name, result, need or "", sep="\t", file=self.journal, flush=True)
            if self.args.logs and result != "pass" and need is None:
                log = self.args.logs / (re.sub(r"[^\w.@-]", "_", name)[:180] + ".txt")
                log.write_text(output)

    def keep(self, path, resume, names):
        """Writes each result to a file from here on. Returns the names that are left to run: with resume, those without a result there."""
        if resume and path.exists():
            self.take(path.read_text().splitlines(keepends=True))
        new = path.with_name(path.name + ".new")
        self.journal = new.open("w")
        print(shards.head(self.key, self.args.shard), file=self.journal)
        for name, result in self.results.items():
            print(name, result, self.needs.get(name, ""), sep="\t", file=self.journal, flush=True)
        new.replace(path)
        return [name for name in names if name not in self.results]

    def take(self, lines):
        """Of a file of results; what is no result - its head, a line cut off while it was written - is passed over."""
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 3 or not line.endswith("\n"):
                continue
            self.results[fields[0]] = fields[1]
            if fields[1] == "skip":
                self.needs[fields[0]] = fields[2]

    def merge(self, names):
        """The parts' results become the runner's. Raises shards.Unfit."""
        self.take(shards.merged_lines(self.args.merge, self.key))
        missing = [name for name in names if name not in self.results]
        if missing:
            raise shards.Unfit(f"{len(missing)} of {len(names)} tests have no result, {missing[0]} among them: a part did not end")

    def run(self, batches):
        """All of them, in their order."""
        started, show = time.time(), sys.stderr.isatty()
        total = sum(map(len, batches))
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            futures = [pool.submit(self.batch, some) for some in batches]
            try:
                for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
                    future.result()
                    left = (time.time() - started) / number * (len(futures) - number)
                    if show:
                        print(f"\r\033[K{len(self.results)} of {total} tests, {left:.0f} s left", end="", file=sys.stderr)
            except BaseException:
                self.stop(futures)
                raise
            finally:
                if show:
                    print("\r\033[K", end="", file=sys.stderr)

    def stop(self, futures):
        for future in futures:
            future.cancel()
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill() # whoever waits for it does the rest


# ---- what is known ----

def table(path, columns, gpu, known):
    """The rows of a file of fields between tabs, as far as they are of the GPU, which is known by its name and its family; every field must say
    something. `known`: all names and families that may stand there."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split("\t")
        if len(parts) not in (columns, columns + 1) or not all(part.strip() for part in parts):
            sys.exit(f"{path}:{number}: a line has {columns} fields with tabs between them, or one more, the GPUs that it is of")
        of = set(parts[columns].split(",")) if len(parts) > columns else gpu
        if not of <= known:
            sys.exit(f"{path}:{number}: there are no such GPUs here: {', '.join(sorted(of - known))}")
        if of & gpu:
            yield parts[:columns]


def report(names, results, known, seconds):
    """Prints what came out, by reason, and what was not expected; how many were not. `known`: (result, reason) of a name that does not
    pass."""
    counts = collections.Counter(results[name] for name in names)
    reasons, wrong = collections.Counter(), []
    for name in names:
        result, (want, reason) = results[name], known.get(name, ("pass", ""))
        if result != want:
            wrong.append(f"{name}: {result}, not {want}" + (f" ({reason})" if reason else ""))
        elif result not in ("pass", "skip"):
            reasons[reason] += 1
    others = ", ".join(f"{n} {result}" for result, n in sorted(counts.items()) if result not in ("pass", "skip"))
    print(f"{len(names)} tests in {seconds:.0f} s: {counts['pass']} pass, {counts['skip']} skip, {others or '0 fail'}")
    if reasons:
        print(f"{sum(reasons.values())} do not pass, as is known:")
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
            print(f"{count:5}  {reason}")
    for line in wrong:
        print(f"UNEXPECTED: {line}")
    if not counts["pass"]:
        print("no test passed")
    print(f"{len(names) - len(wrong)} as expected, {len(wrong)} not")
    return len(wrong) + (not counts["pass"])
