/* `vitrail serve`: the socket, and the processes that stand ready for who comes by it (serve_worker.c).
 *
 * This process reads nothing that a client sends. Of its workers it reads notes, which are numbers and words to print. */
#include "tools/serve.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/families.h"
#include "jit/target.h"
#include "util/message.h"

#define END_MS      2000 /* for workers that are to end, before they are killed */
#define MAX_CLIENTS 256
#define MAX_READY   64

#define AT(member) offsetof(struct serve, member)

static const struct tool_option rows[] = {
    {"socket", "PATH", "where clients come: a socket of our user alone is made there", .kind = TOOL_FILE,
     .at = AT(socket)},
    {"clients", "N", "runs at once (default 64, at most 256); more wait for their turn", .kind = TOOL_NUMBER,
     .at = AT(clients), .min = 1, .max = MAX_CLIENTS},
    {"ready", "N", "processes that stand ready for the next runs (default 2)", .kind = TOOL_NUMBER,
     .at = AT(ready), .min = 1, .max = MAX_READY},
    {"stats", NULL, "a line on standard output for each run when it has ended, and one at the end for all",
     .kind = TOOL_SWITCH, .at = AT(stats)},
    {0},
};

const struct tool_command tool_command_serve = {
    .name = "serve",
    .summary = "keep GPUs ready for many runs, one after the other and side by side",
    .operands = "--socket PATH",
    .text = "Serves `vitrail run --server PATH`: each run gets a card of its own, in a process of its own "
            "that stood "
            "ready behind its sandbox, and is ended with the run. Runs share nothing but the folder of "
            "compiled code; "
            "what one does, or is made to do, reaches no other. Says a line when the first card is ready. "
            "SIGTERM and "
            "SIGINT end the server, and runs lose their cards.",
    .examples = "  vitrail serve --gpu t860 --threads 0 --socket /tmp/t860 --stats &\n"
                "  vitrail run --server /tmp/t860 -- kmscube -c 10\n",
    .options = {{rows, 0}, {run_card_rows, AT(run)}, {tool_device_rows, AT(run.device)}},
    .takes = {"argument", 0, 0},
    .main = tool_serve,
};

struct worker {
    pid_t pid; /* 0: this place is free */
    int link;
    bool ready, taken, done;
    bool silent; /* it has ended, or is about to */
    double since;
    struct serve_note note;
};

struct keeper {
    struct serve options;
    int lock, listener, signals;
    sigset_t mask;
    struct worker workers[MAX_CLIENTS + MAX_READY];
    bool said;  /* that it is ready */
    int status; /* of a worker that could not begin: the exit status; -1 */
    uint64_t clients, lost, jobs, faults;
};

/* ---- the socket ---- */

/* Held by a lock on a file beside it, which ends with this process however that comes about: a socket that is there
 * without it was left. */
static int hold(struct keeper *k, const char *path)
{
    for (;;) {
        struct stat here, there;
        k->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (k->lock < 0)
            return tool_error("serve", TOOL_HOST, "%s: %s", path, strerror(errno));
        if (flock(k->lock, LOCK_EX | LOCK_NB))
            return tool_error("serve", TOOL_HOST, "--socket %s: another server has it", k->options.socket);
        if (!fstat(k->lock, &here) && !stat(path, &there) && here.st_ino == there.st_ino &&
            here.st_dev == there.st_dev)
            return TOOL_OK;
        close(k->lock); /* of a server that has just ended */
    }
}

static int make_socket(struct keeper *k)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = k->options.socket;
    char lock[sizeof address.sun_path + 8];
    struct stat st;
    if (strlen(path) >= sizeof address.sun_path)
        return tool_error("serve", TOOL_USAGE, "--socket %s: a socket's path has at most %zu letters", path,
                          sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    snprintf(lock, sizeof lock, "%s.lock", path);
    int status = hold(k, lock);
    if (status)
        return status;
    if (!lstat(path, &st)) {
        if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
            return tool_error("serve", TOOL_HOST, "--socket %s: that is there, and no socket of ours", path);
        unlink(path);
    }
    mode_t before = umask(0177);
    k->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool bound = k->listener >= 0 && !bind(k->listener, (struct sockaddr *)&address, sizeof address);
    umask(before);
    if (!bound || listen(k->listener, 1024))
        return tool_error("serve", TOOL_HOST, "--socket %s: %s", path, strerror(errno));
    return TOOL_OK;
}

static void remove_socket(const struct keeper *k)
{
    char lock[sizeof(struct sockaddr_un) + 8];
    unlink(k->options.socket);
    snprintf(lock, sizeof lock, "%s.lock", k->options.socket);
    unlink(lock);
}

/* ---- workers ---- */

/* In the new process: what is the keeper's. */
static _Noreturn void become_worker(struct keeper *k, int link)
{
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++)
        if (k->workers[i].pid)
            close(k->workers[i].link);
    close(k->signals);
    close(k->lock);
    sigprocmask(SIG_SETMASK, &k->mask, NULL);
    int status = serve_worker(&k->options, k->listener, link);
    fflush(NULL);
    _exit(status);
}

static int start_worker(struct keeper *k)
{
    struct worker *w = k->workers;
    int ends[2];
    while (w->pid)
        w++;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return tool_error("serve", TOOL_HOST, "no socket: %s", strerror(errno));
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        close(ends[0]);
        become_worker(k, ends[1]);
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFL,
          O_NONBLOCK); /* of a worker that crashed its broker has the other end for a moment more */
    if (pid < 0) {
        close(ends[0]);
        return tool_error("serve", TOOL_HOST, "no process: %s", strerror(errno));
    }
    *w = (struct worker){.pid = pid, .link = ends[0]};
    return TOOL_OK;
}

/* As many stand ready as may come still. */
static int keep_ready(struct keeper *k)
{
    uint64_t taken = 0, ready = 0;
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++) {
        taken += k->workers[i].pid && k->workers[i].taken;
        ready += k->workers[i].pid && !k->workers[i].taken;
    }
    int status = TOOL_OK;
    for (; !status && ready < k->options.ready && taken + ready < k->options.clients; ready++)
        status = start_worker(k);
    return status;
}

static void tell_ready(struct keeper *k)
{
    if (!k->said)
        printf("vitrail serve: %s at %s, process %d\n", k->options.run.gpu, k->options.socket, (int)getpid());
    k->said = true;
    fflush(stdout);
}

static bool take_note(struct keeper *k, struct worker *w)
{
    struct serve_note note;
    int none;
    w->silent = !util_message_receive(w->link, &note, sizeof note, &none);
    if (w->silent)
        return false;
    if (none >= 0)
        close(none);
    if (note.what == SERVE_READY && !w->taken) {
        w->ready = true;
        tell_ready(k);
    } else if (note.what == SERVE_TAKEN && !w->taken) {
        w->taken = true;
        w->since = tool_seconds();
    } else if (note.what == SERVE_DONE && w->taken) {
        w->done = true;
    }
    w->note = note;
    return true;
}

/* A client's words, of which only those are shown that a terminal cannot take for its own. */
static void print_words(const char *words)
{
    for (; *words; words++)
        putchar(isprint((unsigned char)*words) ? *words : '?');
}

static void tell_end(struct keeper *k, const struct worker *w, int status)
{
    const struct serve_end *end = &w->note.end;
    k->clients++;
    k->lost += !w->done;
    k->jobs += w->done ? end->use.jobs : 0;
    k->faults += w->done ? end->faults : 0;
    if (!w->done)
        tool_error("serve", 0, "the card of process %d ended by %s %d", (int)w->note.client,
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (!k->options.stats || !w->done)
        return;
    printf("run %llu, process %d: %.2f s, %llu jobs, %u faults: ", (unsigned long long)k->clients,
           (int)w->note.client, tool_seconds() - w->since, (unsigned long long)end->use.jobs, end->faults);
    print_words(*w->note.command ? w->note.command : "began no program");
    putchar('\n');
    fflush(stdout);
}

static void reap(struct keeper *k)
{
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++) {
        struct worker *w = &k->workers[i];
        int status;
        if (!w->pid || waitpid(w->pid, &status, WNOHANG) != w->pid)
            continue;
        while (take_note(k, w))
            ;
        if (w->taken)
            tell_end(k, w, status);
        else if (!w->ready && k->status < 0) /* the next would not get any further */
            k->status = WIFSIGNALED(status)
                            ? tool_error("serve", TOOL_HOST, "no card: its process ended by signal %d",
                                         WTERMSIG(status))
                            : WEXITSTATUS(status);
        close(w->link);
        w->pid = 0;
    }
}

/* ---- its life ---- */

/* Waits for notes, ends and signals; whether to go on. */
static bool step(struct keeper *k, int timeout)
{
    struct pollfd polled[1 + MAX_CLIENTS + MAX_READY] = {{.fd = k->signals, .events = POLLIN}};
    struct signalfd_siginfo info;
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++)
        polled[1 + i] =
            (struct pollfd){k->workers[i].pid && !k->workers[i].silent ? k->workers[i].link : -1, POLLIN, 0};
    if (poll(polled, 1 + MAX_CLIENTS + MAX_READY, timeout) <= 0)
        return true;
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++)
        if (polled[1 + i].revents)
            take_note(k, &k->workers[i]);
    if (!polled[0].revents || read(k->signals, &info, sizeof info) != sizeof info)
        return true;
    reap(k);
    return info.ssi_signo == SIGCHLD;
}

static bool any_left(const struct keeper *k)
{
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++)
        if (k->workers[i].pid)
            return true;
    return false;
}

/* Nobody comes any more, and all workers end. */
static void end_workers(struct keeper *k)
{
    const double until = tool_seconds() + END_MS / 1000.0;
    close(k->listener);
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++)
        if (k->workers[i].pid)
            shutdown(k->workers[i].link, SHUT_WR);
    while (any_left(k) && tool_seconds() < until)
        step(k, 100);
    for (unsigned i = 0; i < MAX_CLIENTS + MAX_READY; i++)
        if (k->workers[i].pid)
            kill(k->workers[i].pid, SIGKILL);
    while (any_left(k))
        step(k, 100);
}

static int keep(struct keeper *k)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &k->mask);
    signal(SIGPIPE, SIG_IGN); /* who reads the lines may go */
    k->signals = signalfd(-1, &set, SFD_CLOEXEC);
    if (k->signals < 0)
        return tool_error("serve", TOOL_HOST, "no descriptor for signals: %s", strerror(errno));
    int status = keep_ready(k);
    while (!status && k->status < 0 && step(k, -1))
        status = keep_ready(k);
    end_workers(k);
    if (k->options.stats)
        printf("%llu runs, %llu jobs, %llu faults, %llu cards lost\n", (unsigned long long)k->clients,
               (unsigned long long)k->jobs, (unsigned long long)k->faults, (unsigned long long)k->lost);
    return status ? status : k->status < 0 ? TOOL_OK : k->status;
}

int tool_serve(int argc, char **argv)
{
    static struct keeper k = {.lock = -1, .listener = -1, .status = -1};
    struct tool_operands none;
    k.options = (struct serve){
        .run = {.name = "serve", .memory = RUN_MEMORY, .remote = -1, .device = TOOL_USUAL_DEVICE},
        .clients = 64,
        .ready = 2};
    int code = tool_parse(&tool_command_serve, argc, argv, &k.options, &none);
    if (code)
        return code < 0 ? TOOL_OK : code;
    if (!k.options.socket)
        return tool_error("serve", TOOL_USAGE, "--socket PATH is missing: where clients come");
    if (!k.options.run.gpu)
        k.options.run.gpu = gpu_info_at(0)->name;
    if (!k.options.run.device.no_sandbox)
        util_sandbox_close_memory();
    jit_target_init(); /* once for all workers */
    int status = make_socket(&k);
    if (!status) {
        status = keep(&k);
        remove_socket(&k);
    }
    return status;
}
