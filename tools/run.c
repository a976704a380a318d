/* `vitrail run` and `vitrail record`: a program, its stock driver, and an emulated GPU.
 *
 * Three processes: this one looks after the other two; the server (drm/server.h) is forked from it before any
 * thread is made; the program finds the server through its environment and the preloaded client. The server
 * ends when the pipe that this process holds is closed, however that comes about. */
#include "tools/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drm/protocol.h"
#include "drm/server.h"
#include "gpu/capture.h"
#include "gpu/families.h"

#define MAX_REPORTS 50 /* on stderr; all go to the log */

/* ---- the server's process ---- */

static void report(struct run *run, const char *text)
{
    if (run->log_file) {
        fprintf(run->log_file, "%s\n", text);
        fflush(run->log_file);
    }
    if (run->reports < MAX_REPORTS)
        fprintf(stderr, "vitrail: %s\n", text);
    else if (run->reports == MAX_REPORTS)
        fprintf(stderr, "vitrail: no more reports here%s\n",
                run->log ? "; the log has them" : " (--log FILE keeps them)");
    run->reports++;
}

static void on_fault(void *data, const struct gpu_fault *fault)
{
    char text[512];
    gpu_fault_format(fault, text, sizeof text);
    report(data, text);
}

static void on_message(void *data, const char *text)
{
    report(data, text);
}

struct parts { /* what the server's process owns */
    struct gpu_memory memory;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_device gpu;
    struct capture_writer *capture;
    struct drm *drm;
    struct drm_server *server;
};

static void command_line(const struct run *run, char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (char **arg = run->argv; *arg && n < size; arg++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", arg == run->argv ? "" : " ", *arg);
}

static int open_parts(struct run *run, struct parts *p)
{
    struct gpu_options options;
    struct util_error error = {0};
    char command[256];
    int r = gpu_memory_create(run->memory, &p->memory);
    if (r)
        return tool_error(run->name, TOOL_HOST, "no memory file of %llu MiB: %s",
                          (unsigned long long)(run->memory >> 20), strerror(-r));
    r = tool_device_open(run->name, &run->device, &p->pool, &p->engine, &options);
    if (r)
        return r;
    r = gpu_create(run->gpu, &p->memory, &options, &p->gpu);
    if (r)
        return tool_error(run->name, TOOL_HOST, "no GPU: %s", strerror(-r));
    command_line(run, command, sizeof command);
    if (run->record) {
        r = capture_writer_create(run->record, run->gpu, command, p->memory.size, &p->capture, &error);
        if (r)
            return tool_error(run->name, TOOL_BAD_FILE, "%s", error.code ? error.text : strerror(-r));
    }
    struct drm_options card = {.gpu = p->gpu,
                               .capture = p->capture,
                               .asynchronous = !run->sync,
                               .frames = run->frames,
                               .width = run->width,
                               .height = run->height,
                               .listener = {run, on_fault, on_message}};
    r = drm_create(&p->memory, &card, &p->drm);
    if (!r)
        r = drm_server_create(run->listener, p->drm, &p->memory, &p->server);
    return r ? tool_error(run->name, TOOL_HOST, "no card: %s", strerror(-r)) : TOOL_OK;
}

/* `judged`: the run came to its end, and whether it used the GPU is asked. */
static int close_parts(struct run *run, struct parts *p, bool judged)
{
    int status = TOOL_OK;
    drm_server_destroy(p->server);
    if (judged) {
        struct drm_use use = drm_used(p->drm);
        char text[1024];
        if (run_unused(run, &use, text, sizeof text)) {
            run->reports = 0; /* it is said in any case */
            report(run, text);
            status = TOOL_UNUSED;
        }
    }
    drm_destroy(p->drm);
    int r = capture_writer_close(p->capture);
    if (r)
        status = tool_error(run->name, TOOL_BAD_FILE, "%s is not complete: %s", run->record, strerror(-r));
    gpu_device_destroy(&p->gpu);
    jit_engine_destroy(p->engine);
    util_pool_destroy(p->pool);
    gpu_memory_destroy(&p->memory);
    return status;
}

/* Says one byte through `ready` when the card is there, and ends when `control` is closed at its other end,
 * or says that the program has ended by itself. */
static int serve(struct run *run, int ready, int control)
{
    struct parts parts = {.memory = {.fd = -1}};
    signal(SIGINT, SIG_IGN); /* meant for the program; we end after it */
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    if (run->log) {
        run->log_file = fopen(run->log, "ae");
        if (!run->log_file)
            return tool_error(run->name, TOOL_BAD_FILE, "%s: %s", run->log, strerror(errno));
    }
    int status = open_parts(run, &parts);
    int open_doors = status || run->no_sandbox ? 0 : drm_server_sandbox();
    if (open_doors) {
        char text[128];
        snprintf(text, sizeof text, "the GPU's process runs without its sandbox: %s", strerror(-open_doors));
        report(run, text);
    }
    char byte = 0;
    ssize_t ended = 0;
    if (!status && write(ready, &byte, 1) == 1)
        while ((ended = read(control, &byte, 1)) < 0 && errno == EINTR)
            ;
    int closing = close_parts(run, &parts, ended == 1);
    drm_tree_remove(run->folder);
    if (run->log_file)
        fclose(run->log_file);
    return status ? status : closing;
}

/* ---- this process ---- */

static volatile sig_atomic_t program; /* its process, for the signal handler */

/* Passes on signals that were sent to us; those of the terminal reach the program by themselves. */
static void forward(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (program > 0 && info->si_code <= 0)
        kill((pid_t)program, number);
    errno = saved;
}

static void forward_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    action.sa_sigaction = forward;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static int make_folder(struct run *run)
{
    const char *places[] = {getenv("XDG_RUNTIME_DIR"), "/tmp"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[sizeof address.sun_path];
    for (size_t i = 0; i < 2 && !run->folder[0]; i++) {
        if (!places[i] || strlen(places[i]) > 64)
            continue;
        snprintf(run->folder, sizeof run->folder, "%s/vitrail-XXXXXX", places[i]);
        if (!mkdtemp(run->folder))
            run->folder[0] = 0;
    }
    if (!run->folder[0])
        return -errno;
    snprintf(path, sizeof path, "%s/root", run->folder);
    int r = mkdir(path, 0700) ? -errno : drm_tree_create(path, run->gpu);
    if (r)
        return r;
    setenv(DRM_ENV_ROOT, path, 1);
    snprintf(path, sizeof path, "%s/server", run->folder);
    setenv(DRM_ENV_SOCKET, path, 1);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    run->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (run->listener < 0 || bind(run->listener, (struct sockaddr *)&address, sizeof address) ||
        listen(run->listener, 16))
        return -errno;
    return 0;
}

/* Starts the server; returns once it is ready. *control keeps it alive until closed; a byte through it before
 * says that the program has ended. The exit status when it did not start, or -1. */
static int start_server(struct run *run, pid_t *server, int *control)
{
    int ready[2], alive[2];
    char byte;
    if (pipe2(ready, O_CLOEXEC) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, alive))
        return tool_error(run->name, TOOL_HOST, "no pipe: %s", strerror(errno));
    fflush(NULL);
    *server = fork();
    if (*server < 0)
        return tool_error(run->name, TOOL_HOST, "no process: %s", strerror(errno));
    if (!*server) {
        close(ready[0]);
        close(alive[1]);
        int status = serve(run, ready[1], alive[0]);
        fflush(NULL);
        _exit(status);
    }
    close(ready[1]);
    close(alive[0]);
    close(run->listener);
    *control = alive[1];
    ssize_t n;
    while ((n = read(ready[0], &byte, 1)) < 0 && errno == EINTR)
        ;
    close(ready[0]);
    if (n == 1)
        return -1;
    int status = 0;
    waitpid(*server, &status, 0);
    drm_tree_remove(run->folder);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return tool_error(run->name, TOOL_HOST, "the server ended by signal %d", WTERMSIG(status));
}

static int exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t start_program(const struct run *run, const struct drm_launch *launch)
{
    char **arguments = drm_launch_arguments(launch, run->argv);
    fflush(NULL);
    pid_t tool = getpid(), pid = arguments ? fork() : -1;
    if (!pid) {
        signal(SIGXFSZ, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive the tool, and its GPU */
        if (getppid() != tool)
            _exit(TOOL_HOST);
        if (!drm_arch_infos[launch->arch].emulator)
            setenv("LD_PRELOAD", launch->preload, 1);
        execv(arguments[0], arguments);
        _exit(tool_error(run->name, errno == ENOENT ? 127 : 126, "%s: %s", arguments[0], strerror(errno)));
    }
    free(arguments);
    return pid;
}

/* Without its GPU a program may wait for ever: it is asked to end, and after a while made to. */
static void end_program(pid_t pid)
{
    const struct timespec step = {0, 50000000};
    kill(pid, SIGTERM);
    for (int i = 0; i < 40; i++) {
        siginfo_t info = {0};
        if (!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) && info.si_pid)
            return;
        nanosleep(&step, NULL);
    }
    kill(pid, SIGKILL);
}

/* Waits for the program; a server that ends before it is reported, and ends it. */
static int wait_program(const struct run *run, pid_t pid, pid_t *server)
{
    int status;
    for (;;) {
        pid_t ended = waitpid(-1, &status, 0);
        if (ended < 0 && errno == EINTR)
            continue;
        if (ended == pid || ended < 0)
            return ended < 0 ? TOOL_HOST : exit_status(status);
        if (ended == *server) {
            *server = -1;
            tool_error(run->name, 0, "the GPU is gone: its process ended with %s %d",
                       WIFEXITED(status) ? "status" : "signal",
                       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
            end_program(pid);
        }
    }
}

static int run_all(struct run *run, const struct drm_launch *launch)
{
    pid_t server = -1;
    int control = -1;
    int r = make_folder(run);
    if (r) {
        if (run->folder[0])
            drm_tree_remove(run->folder);
        return tool_error(run->name, TOOL_HOST, "no folder for the card's files: %s", strerror(-r));
    }
    r = start_server(run, &server, &control);
    if (r >= 0)
        return r;
    forward_signals();
    program = start_program(run, launch);
    int status = program > 0 ? wait_program(run, (pid_t)program, &server)
                             : tool_error(run->name, TOOL_HOST, "no process: %s", strerror(errno));
    if (program > 0 && control >= 0)
        send(control, "", 1, MSG_NOSIGNAL); /* to a server that is gone it matters no more */
    close(control);
    int end = 0;
    if (server < 0)
        status = TOOL_HOST;
    else if (waitpid(server, &end, 0) == server && exit_status(end) && !status)
        status = exit_status(end);
    drm_tree_remove(run->folder);
    return status;
}

static int run_or_record(int argc, char **argv, bool record)
{
    struct run run = {.name = argv[0],
                      .gpu = "vc4",
                      .launch.driver = "vc4",
                      .memory = 1ull << 30,
                      .device = {.threads = -1, .level = -1, .tier = JIT_AUTOMATIC, .numeric = ISA_USUAL}};
    struct drm_launch launch;
    struct util_error error = {0};
    int status = run_parse(&run, argc, argv, record);
    if (status >= 0)
        return status;
    run.launch.driver = gpu_driver_name(run.gpu);
    if (drm_launch_find(&run.launch, &launch, &error))
        return tool_error(run.name, TOOL_HOST, "%s", error.text);
    run.no_driver = launch.no_driver;
    if (run.frames && mkdir(run.frames, 0777) && errno != EEXIST)
        return tool_error(run.name, TOOL_BAD_FILE, "%s: %s", run.frames, strerror(errno));
    return run_all(&run, &launch);
}

int tool_run(int argc, char **argv)
{
    return run_or_record(argc, argv, false);
}

int tool_record(int argc, char **argv)
{
    return run_or_record(argc, argv, true);
}
