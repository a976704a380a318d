/* Looking after the two processes of a run until both have ended, which is bounded whatever state they are
 * in: a program that was asked to end, or whose GPU is gone, has some time for it, and so has the server once
 * the program has gone; then they are killed. Signals are not caught but waited for, together with the ends
 * of the processes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
    struct run *run;
    pid_t program,
        server;   /* 0: has ended, or was given up; a server that is another's has no process of ours */
    bool serving; /* the server has not ended */
    int program_status, server_status, window_status;
    struct drm_use use; /* as another's server tells it */
    int control;        /* the server serves as long as it is open; -1 */
    bool started;       /* there was a program */
    bool asked;         /* we are to end */
    bool killed;        /* what we wait for was killed */
    bool given_up;      /* one of them could not even be killed */
    bool server_left;   /* it ended before the program, or had to be killed */
    int64_t deadline;   /* of what we wait for */
    int64_t told;       /* when run_stats_tell said something last */
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

static int exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The server is told that the run is over. Of a program that was ended as it had no window nobody asks what it used. */
static void end_server(struct watch *w)
{
    bool hurries = w->asked || WIFSIGNALED(w->program_status);
    if (hurries)
        tell(w, RUN_HURRY);
    if (w->started && !exit_status(w->window_status))
        tell(w, RUN_ENDED);
    shutdown(w->control, SHUT_WR);
    w->deadline = NEVER;
    w->killed = false;
    within(w, hurries ? HURRY_MS : RUN_FINISH_MS);
}

static void program_ended(struct watch *w)
{
    if (w->serving)
        end_server(w);
}

static void server_ended(struct watch *w)
{
    w->serving = false;
    if (!w->program)
        return;
    w->server_left = true;
    tool_error(w->run->name, 0, "the GPU is gone: its process ended with %s %d",
               WIFEXITED(w->server_status) ? "status" : "signal",
               WIFEXITED(w->server_status) ? WEXITSTATUS(w->server_status) : WTERMSIG(w->server_status));
    kill(w->program, SIGTERM);
    within(w, ORPHAN_MS);
}

/* Another's server says how it ended, or only that it did. */
static void remote_ended(struct watch *w)
{
    int status = TOOL_HOST;
    w->server_left |= !run_remote_end(w->run, &status, &w->use);
    w->server_status = W_EXITCODE(status, 0);
    server_ended(w);
}

/* It was closed, or could not be opened, which it has said itself. */
static void window_ended(struct watch *w)
{
    if (!w->program)
        return;
    kill(w->program, SIGTERM);
    within(w, PROGRAM_MS);
}

static void look_for_ends(struct watch *w)
{
    if (has_ended(&w->run->window_process, &w->window_status))
        window_ended(w);
    if (has_ended(&w->server, &w->server_status))
        server_ended(w);
    if (has_ended(&w->program, &w->program_status))
        program_ended(w);
}

/* Those of the terminal reach the program by themselves. */
static void take_signal(struct watch *w, const struct signalfd_siginfo *info)
{
    int number = (int)info->ssi_signo;
    bool ends = number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
    w->asked |= ends;
    if (w->program && info->ssi_code <= 0)
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
    if (!*pid) {
        tool_error(w->run->name, 0, "the server does not say that it has ended: it is left");
        w->given_up = true;
        w->serving = false;
        return;
    }
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
    } else {
        w->serving = false;
    }
}

/* ms until something is due; -1: for ever. */
static int time_left(const struct watch *w)
{
    int64_t next =
        w->deadline < w->told + RUN_STATS_MS || !w->run->stats ? w->deadline : w->told + RUN_STATS_MS;
    int64_t left = next == NEVER ? -1 : next - now_ms();
    return next == NEVER ? -1 : left < 0 ? 0 : (int)left;
}

static void tell_stats(struct watch *w)
{
    if (!w->run->stats || !w->program || now_ms() < w->told + RUN_STATS_MS)
        return;
    run_stats_tell(w->run->stats, w->program, w->server);
    w->told = now_ms();
}

/* Until something happens or is due. */
static void await(struct watch *w, int signals)
{
    const bool remote = w->serving && !w->server;
    struct pollfd polled[2] = {{.fd = signals, .events = POLLIN},
                               {.fd = remote ? w->control : -1, .events = POLLIN}};
    struct signalfd_siginfo info;
    if (poll(polled, 2, time_left(w)) <= 0)
        return;
    if (polled[0].revents && read(signals, &info, sizeof info) == sizeof info && info.ssi_signo != SIGCHLD)
        take_signal(w, &info);
    if (polled[1].revents)
        remote_ended(w);
}

/* False: signals cannot be waited for. */
static bool watch_both(struct watch *w, const sigset_t *set)
{
    int signals = signalfd(-1, set, SFD_CLOEXEC);
    look_for_ends(w); /* of what has ended before signals were blocked nobody tells */
    while (signals >= 0 && (w->program || w->serving)) {
        await(w, signals);
        tell_stats(w);
        look_for_ends(w);
        if ((w->program || w->serving) && now_ms() >= w->deadline)
            end_by_force(w);
    }
    if (signals >= 0)
        close(signals);
    return signals >= 0;
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

/* A program that looks whether it can read its standard input - kmscube ends then, players take it for their keys -
 * would find that of /dev/null at its end. It gets the end of a pipe at which nobody says anything in place of it;
 * another standard input stays as it is. -1: that is so. */
static int quiet_input(int *other)
{
    struct stat st, null;
    int ends[2];
    if (fstat(STDIN_FILENO, &st) || !S_ISCHR(st.st_mode) || stat("/dev/null", &null) ||
        st.st_rdev != null.st_rdev)
        return -1;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    *other = ends[1];
    return ends[0];
}

static pid_t start_program(const struct run *run, const struct drm_launch *launch, int input,
                           const sigset_t *mask)
{
    char **arguments = drm_launch_arguments(launch, run->argv);
    fflush(NULL);
    pid_t tool = getpid(), pid = arguments ? fork() : -1;
    if (!pid) {
        signal(SIGXFSZ, SIG_DFL);
        signal(SIGPIPE, run->pipe_ignored ? SIG_IGN : SIG_DFL);
        sigprocmask(SIG_SETMASK, mask, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive the tool, and its GPU */
        if (getppid() != tool || (input >= 0 && dup2(input, STDIN_FILENO) < 0))
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

int run_program(struct run *run, const struct drm_launch *launch, pid_t server, int control)
{
    sigset_t signals, mask;
    drm_relay_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    struct watch w = {.run = run, .server = server, .serving = true, .control = control, .deadline = NEVER};
    int failed = TOOL_OK, other = -1, input = quiet_input(&other);
    w.program = start_program(run, launch, input, &mask);
    w.started = w.program > 0;
    if (w.program < 0) {
        failed = tool_error(run->name, TOOL_HOST, "no process: %s", strerror(errno));
        w.program = 0;
        end_server(&w);
    }
    if (!watch_both(&w, &signals))
        failed = tool_error(run->name, TOOL_HOST, "no descriptor for signals: %s", strerror(errno));
    close(w.control);
    if (input >= 0) {
        close(input);
        close(other);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (failed || w.server_left || w.given_up || exit_status(w.window_status))
        return TOOL_HOST;
    int status = exit_status(w.program_status), served = exit_status(w.server_status);
    if (run->server && !served)
        served = run_judge(run, &w.use);
    return status ? status : served;
}
