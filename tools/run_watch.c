/* Looking after the two processes of a run until both have ended, which is bounded whatever state they are
 * in: a program that was asked to end, or whose GPU is gone, has some time for it, and so has the server once
 * the program has gone; then they are killed. Signals are not caught but waited for, together with the ends
 * of the processes. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/run.h"

/* ms */
#define PROGRAM_MS 10000 /* for a program that SIGTERM was passed on to */
#define ORPHAN_MS  2000  /* for one without its GPU, which it may wait for */
#define HURRY_MS   2000  /* for a server whose program was killed, or when we are to end */
#define KILLED_MS  5000  /* for what was killed: longer only when the kernel does not let go of it */
#define NEVER      INT64_MAX

struct watch {
    const struct run *run;
    pid_t program, server; /* 0: has ended, or was given up */
    int program_status, server_status;
    int control;      /* the server serves as long as it is open; -1 */
    bool started;     /* there was a program */
    bool asked;       /* we are to end */
    bool killed;      /* what we wait for was killed */
    bool given_up;    /* one of them could not even be killed */
    bool server_left; /* it ended before the program, or had to be killed */
    int64_t deadline; /* of what we wait for */
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void within(struct watch *w, int64_t ms)
{
    int64_t until = now_ms() + ms;
    if (until < w->deadline)
        w->deadline = until;
}

/* ---- events ---- */

static bool has_ended(pid_t *pid, int *status)
{
    if (*pid <= 0 || waitpid(*pid, status, WNOHANG) != *pid)
        return false;
    *pid = 0;
    return true;
}

static void tell(const struct watch *w, char word)
{
    ssize_t told = send(w->control, &word, 1, MSG_NOSIGNAL);
    (void)told; /* to a server that is gone it matters no more, and one that does not hear it is killed */
}

/* The server is told that the run is over. */
static void end_server(struct watch *w)
{
    bool hurries = w->asked || WIFSIGNALED(w->program_status);
    if (hurries)
        tell(w, RUN_HURRY);
    if (w->started)
        tell(w, RUN_ENDED);
    close(w->control);
    w->control = -1;
    w->deadline = NEVER;
    w->killed = false;
    within(w, hurries ? HURRY_MS : RUN_FINISH_MS);
}

static void program_ended(struct watch *w)
{
    if (w->server)
        end_server(w);
}

static void server_ended(struct watch *w)
{
    if (!w->program)
        return;
    w->server_left = true;
    tool_error(w->run->name, 0, "the GPU is gone: its process ended with %s %d",
               WIFEXITED(w->server_status) ? "status" : "signal",
               WIFEXITED(w->server_status) ? WEXITSTATUS(w->server_status) : WTERMSIG(w->server_status));
    kill(w->program, SIGTERM);
    within(w, ORPHAN_MS);
}

static void look_for_ends(struct watch *w)
{
    if (has_ended(&w->server, &w->server_status))
        server_ended(w);
    if (has_ended(&w->program, &w->program_status))
        program_ended(w);
}

/* Those of the terminal reach the program by themselves. */
static void take_signal(struct watch *w, const siginfo_t *info)
{
    int number = info->si_signo;
    bool ends = number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
    w->asked |= ends;
    if (w->program && info->si_code <= 0)
        kill(w->program, number);
    if (w->program && number == SIGTERM)
        within(w, PROGRAM_MS);
    if (!w->program && ends)
        within(w, HURRY_MS);
}

/* What we wait for has had its time. */
static void end_by_force(struct watch *w)
{
    pid_t *pid = w->program ? &w->program : &w->server;
    w->deadline = NEVER;
    if (!w->killed) {
        w->killed = true;
        if (pid == &w->server) {
            w->server_left = true;
            tool_error(w->run->name, 0, "the GPU's process does not end: it is killed");
        }
        kill(*pid, SIGKILL);
        within(w, KILLED_MS);
        return;
    }
    tool_error(w->run->name, 0, "process %d cannot even be killed: it is left", (int)*pid);
    w->given_up = true;
    *pid = 0;
    w->killed = false;
    if (pid == &w->program) {
        w->asked = true;
        program_ended(w);
    }
}

static void watch_both(struct watch *w, const sigset_t *signals)
{
    while (w->program || w->server) {
        int64_t left = w->deadline == NEVER ? 3600000 : w->deadline - now_ms();
        const struct timespec wait = {left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000000 : 0};
        siginfo_t info;
        int number = sigtimedwait(signals, &info, &wait);
        if (number > 0 && number != SIGCHLD)
            take_signal(w, &info);
        look_for_ends(w);
        if ((w->program || w->server) && now_ms() >= w->deadline)
            end_by_force(w);
    }
}

/* ---- the program ---- */

/* The exit status when there was no program. */
static int run_inside(const struct run *run, const struct drm_launch *launch)
{
    struct util_error error = {0};
    struct drm_root root = run->root;
    root.card = run->folder;
    int status = drm_root_run(&root, launch, run->argv, &error);
    return tool_error(run->name, status, "%s", error.text);
}

static pid_t start_program(const struct run *run, const struct drm_launch *launch, const sigset_t *mask)
{
    char **arguments = drm_launch_arguments(launch, run->argv);
    fflush(NULL);
    pid_t tool = getpid(), pid = arguments ? fork() : -1;
    if (!pid) {
        signal(SIGXFSZ, SIG_DFL);
        signal(SIGPIPE, run->pipe_ignored ? SIG_IGN : SIG_DFL);
        sigprocmask(SIG_SETMASK, mask, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive the tool, and its GPU */
        if (getppid() != tool)
            _exit(TOOL_HOST);
        if (run->root.folder)
            _exit(run_inside(run, launch));
        if (!drm_arch_infos[launch->arch].emulator)
            setenv("LD_PRELOAD", launch->preload, 1);
        execv(arguments[0], arguments);
        _exit(tool_error(run->name, errno == ENOENT ? 127 : 126, "%s: %s", arguments[0], strerror(errno)));
    }
    free(arguments);
    return pid;
}

static int exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_program(const struct run *run, const struct drm_launch *launch, pid_t server, int control)
{
    sigset_t signals, mask;
    drm_relay_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    struct watch w = {.run = run, .server = server, .control = control, .deadline = NEVER};
    int failed = TOOL_OK;
    w.program = start_program(run, launch, &mask);
    w.started = w.program > 0;
    if (w.program < 0) {
        failed = tool_error(run->name, TOOL_HOST, "no process: %s", strerror(errno));
        w.program = 0;
        end_server(&w);
    }
    watch_both(&w, &signals);
    if (w.control >= 0)
        close(w.control);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (failed || w.server_left || w.given_up)
        return TOOL_HOST;
    int status = exit_status(w.program_status);
    return status ? status : exit_status(w.server_status);
}
