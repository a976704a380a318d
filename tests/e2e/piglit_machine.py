"""piglit's tests in a virtual machine (contrib/qemu): a guest's own kernel drives the emulated GPU. Part of tests/e2e/piglit."""
import pathlib
import shlex
import subprocess
import tempfile

BOOT = pathlib.Path(__file__).resolve().parents[2] / "contrib/qemu/boot"
LIBRARIES = "/usr/lib/aarch64-linux-gnu" # of the guest, whose root is the sysroot
PIGLIT = LIBRARIES + "/piglit"
MACHINE = 600 # seconds that a machine may take to begin and to end

# Only the GPU's driver is there, so that nothing can draw in software. A status is written last: a test without one did not end.
SCRIPT = """mkdir dri
ln -s {libraries}/dri/{driver}_dri.so dri/
export LIBGL_DRIVERS_PATH=/share/dri LD_LIBRARY_PATH={piglit}/lib PIGLIT_SOURCE_DIR={piglit} PIGLIT_PLATFORM={platform}
export WAFFLE_GBM_DEVICE=/dev/dri/renderD128
cd {piglit}
{tests}
"""
TEST = "busybox timeout {limit} bin/{command} </dev/null >/share/{number}.out 2>&1; echo $? >/share/{number}.status"


def guest_command(command, piglit):
    """A test's, whose paths are the host's, as the guest has them."""
    return shlex.join(PIGLIT + part[len(str(piglit)):] if part.startswith(str(piglit)) else part for part in command)


def run(tests, piglit, args, driver):
    """All tests in one machine, one after the other. Yields each with its output and its exit status, which is None when it had to be
    ended, or did not come to its turn."""
    with tempfile.TemporaryDirectory() as folder:
        share = pathlib.Path(folder)
        lines = [TEST.format(limit=args.timeout, command=guest_command(test.command, piglit), number=number) for number, test in enumerate(tests)]
        (share / "guest").write_text(SCRIPT.format(libraries=LIBRARIES, piglit=PIGLIT, driver=driver, platform=args.platform, tests="\n".join(lines)))
        command = [BOOT, "--gpu", args.gpu, "--awake", "--root", args.sysroot, "--share", share, "--build", args.vitrail.parents[1],
                   "--time-limit", str(len(tests) * args.timeout + MACHINE)]
        log = subprocess.run(command + ["--", "sh", "guest"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace").stdout
        for number, test in enumerate(tests):
            said, ended = share / f"{number}.out", share / f"{number}.status"
            output = said.read_text(errors="replace") if said.exists() else log
            status = int(ended.read_text()) if ended.exists() else None
            yield test, output, None if status == 143 else status # by busybox's timeout, with SIGTERM
