/* A program with a root of its own (struct drm_root), step by step: namespaces, the folder with a layer above it
 * that takes what is written, /dev, /sys, /run, /proc, and who runs programs of the folder's architecture. */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm/launch/relay.h"
#include "drm/launch/mounts.h"
#include "drm/launch/session.h"
#include "drm/protocol.h"

enum { NO_WORLD = 5, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* ---- the program and its first process ---- */

static void set_environment(const struct drm_root *root, const struct drm_launch *launch)
{
    char preload[DRM_LAUNCH_PATH];
    snprintf(preload, sizeof preload, "%s%s", DRM_ROOT_PRELOAD,
             launch->other_preload[0] ? ":" DRM_ROOT_OTHER : "");
    setenv(DRM_ENV_SOCKET, DRM_ROOT_SOCKET, 1);
    setenv(DRM_ENV_ROOT, "", 1);
    setenv("LD_PRELOAD", preload, 1);
    setenv("PATH", DRM_ROOT_PATH, 1);
    setenv("SEATD_VTBOUND", "0", 1); /* there are no virtual terminals: a seat is active at once */
    if (root->shares)
        return;
    setenv("HOME", DRM_ROOT_HOME, 1);
    setenv("USER", "guest", 1);
    setenv("LOGNAME", "guest", 1);
    setenv("XDG_RUNTIME_DIR", DRM_ROOT_RUNTIME, 1);
    static const char *const hosts[] = {
        "LD_LIBRARY_PATH", "XDG_CACHE_HOME",           "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
        "TMPDIR",          "DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY",       "XAUTHORITY"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        unsetenv(hosts[i]);
}

struct first {
    const struct drm_root *root;
    const struct drm_launch *launch;
    struct drm_session session;
    uid_t user; /* who runs the tool, */
    gid_t group;
    char here[DRM_LAUNCH_PATH]; /* and where */
    sigset_t signals, mask;
    bool begins[DRM_ARCH_COUNT]; /* of which architectures the kernel begins programs */
    int out;                     /* where the program's status goes */
};

/* Where nothing begins programs of the architecture, its emulator is put before them. `words` are those behind the
 * program's name. */
static int execute(const struct first *f, enum drm_arch arch, const char *program, const char *const *words)
{
    size_t count = 0, n = 0;
    while (words[count])
        count++;
    const char **all = calloc(count + 3, sizeof *all);
    char emulator[64];
    if (!all)
        return NO_WORLD;
    snprintf(emulator, sizeof emulator, DRM_ROOT_PLACE "/%s", drm_arch_infos[arch].emulator);
    if (!f->begins[arch])
        all[n++] = emulator;
    all[n++] = program;
    memcpy(all + n, words, count * sizeof *all);
    const bool shares = f->root->shares;
    if (unshare(CLONE_NEWUSER) ||
        drm_root_map_user(shares ? f->user : DRM_ROOT_USER, shares ? f->group : DRM_ROOT_USER, 0, 0))
        return fprintf(stderr, "vitrail: no namespace of users: %s\n", strerror(errno)), NO_WORLD;
    if (chdir(shares ? f->here : DRM_ROOT_HOME) && chdir("/"))
        return NO_WORLD;
    execv(all[0], (char *const *)all);
    int status = errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
    fprintf(stderr, "vitrail: %s: %s\n", program, strerror(errno));
    free(all);
    return status;
}

static int begin_compositor(struct first *f, struct util_error *error)
{
    if (drm_session_prepare(&f->session, error))
        return NO_WORLD;
    f->session.compositor = fork();
    if (f->session.compositor < 0)
        return util_fail(error, -errno, "no process: %s", strerror(errno)), NO_WORLD;
    if (f->session.compositor)
        return 0;
    sigprocmask(SIG_SETMASK, &f->mask, NULL);
    setpgid(0, 0); /* what the terminal says is for the program */
    set_environment(f->root, f->launch);
    if (!drm_session_enter(&f->session))
        _exit(NO_WORLD);
    _exit(execute(f, f->launch->compositor_arch, f->launch->compositor, drm_session_words));
}

static int begin_program(const struct first *f, char **argv)
{
    sigprocmask(SIG_SETMASK, &f->mask, NULL);
    set_environment(f->root, f->launch);
    if (f->launch->session[0] && !drm_session_await(&f->session, f->root))
        return NO_WORLD;
    return execute(f, f->launch->arch, f->launch->program, (const char *const *)argv + 1);
}

/* The first process of the new space: mounts /proc, begins the program, reaps what others leave. All end with
 * it. */
static int be_first(struct first *f, char **argv, struct util_error *error)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (drm_mounts_finish(error))
        return NO_WORLD;
    if (!f->begins[f->launch->arch])
        fprintf(stderr,
                "vitrail: this machine begins no programs for %s by itself (binfmt_misc in namespaces needs "
                "Linux 6.7): the first one runs, others that it begins do not\n",
                drm_arch_infos[f->launch->arch].name);
    fflush(NULL);
    if (f->launch->session[0] && begin_compositor(f, error))
        return NO_WORLD;
    pid_t program = fork();
    if (!program)
        _exit(begin_program(f, argv));
    int status = program < 0 ? NO_WORLD << 8 : drm_relay(program, &f->signals);
    ssize_t written = write(f->out, &status, sizeof status);
    (void)written; /* without it, it counts as killed */
    return 0;
}

int drm_root_run(const struct drm_root *root, const struct drm_launch *launch, char **argv,
                 struct util_error *error)
{
    struct first f = {.root = root, .launch = launch, .user = geteuid(), .group = getegid()};
    int ends[2], status = SIGKILL;
    if (!getcwd(f.here, sizeof f.here))
        f.here[0] = 0;
    int r = drm_root_enter(root, error);
    if (!r)
        r = drm_mounts_make(root, launch, f.begins, error);
    if (r)
        return NO_WORLD;
    if (pipe2(ends, O_CLOEXEC))
        return util_fail(error, -errno, "no pipe: %s", strerror(errno)), NO_WORLD;
    f.out = ends[1];
    drm_relay_signals(&f.signals);
    sigprocmask(SIG_BLOCK, &f.signals, &f.mask);
    fflush(NULL);
    pid_t first = fork();
    if (first < 0)
        return util_fail(error, -errno, "no process: %s", strerror(errno)), NO_WORLD;
    if (!first) {
        int failed = be_first(&f, argv, error);
        if (failed)
            fprintf(stderr, "vitrail: %s\n", error->text);
        _exit(failed);
    }
    close(ends[1]);
    int whole = drm_relay(first, &f.signals);
    if (read(ends[0], &status, sizeof status) != (ssize_t)sizeof status)
        status = WIFEXITED(whole) && WEXITSTATUS(whole) ? whole : SIGKILL;
    drm_relay_end(status);
}
