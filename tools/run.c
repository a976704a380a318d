/* `vitrail run` and `vitrail record`: a program, its stock driver, and an emulated GPU.
 *
 * Three processes: this one looks after the other two (run_watch.c); the server (drm/server/server.h) is
 * forked from it before any thread is made; the program finds the server through its environment and the
 * preloaded client. The server ends when the pipe that this process holds is closed, however that comes
 * about. */
#include "tools/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drm/server/server.h"
#include "gpu/capture.h"
#include "gpu/families.h"

#define TELL_MS     1000 /* from one word on the capture's size to the next */
#define MAX_REPORTS 50   /* on stderr; all go to the log */

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
    struct tool_frames frames;
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
        capture_set_interval(p->capture, (uint32_t)run->restarts);
        capture_set_limit(p->capture, run->limit);
    }
    r = tool_frames_open(&p->frames);
    if (r)
        return r;
    struct drm_options card = {.gpu = p->gpu,
                               .capture = p->capture,
                               .asynchronous = !run->sync,
                               .frames = p->frames.frames,
                               .width = run->width,
                               .height = run->height,
                               .listener = {run, on_fault, on_message}};
    r = drm_create(&p->memory, &card, &p->drm);
    if (!r)
        r = drm_server_create(run->listener, p->drm, &p->memory, &p->server);
    return r ? tool_error(run->name, TOOL_HOST, "no card: %s", strerror(-r)) : TOOL_OK;
}

/* On a terminal, of which the last line is ours while nothing else is said. `last`: it stays, and that the capture
 * is full is said anywhere. */
static void tell_size(const struct run *run, const struct capture_writer *capture, bool last)
{
    uint64_t shown;
    if (!capture)
        return;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: %.1f MiB%s", run->record, (double)capture_writer_size(capture) / 1048576,
                last ? "\n" : " ");
    if (last && capture_writer_is_full(capture, &shown))
        tool_error(run->name, 0, "%s has its %llu MiB, and ends after %llu pictures", run->record,
                   (unsigned long long)(run->limit >> 20), (unsigned long long)shown);
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
    int unwritten = tool_frames_close(&p->frames);
    if (unwritten)
        status = unwritten;
    tell_size(run, p->capture, true);
    int r = capture_writer_close(p->capture);
    if (r)
        status = tool_error(run->name, TOOL_BAD_FILE, "%s is not complete: %s", run->record, strerror(-r));
    gpu_device_destroy(&p->gpu);
    jit_engine_destroy(p->engine);
    util_pool_destroy(p->pool);
    gpu_memory_destroy(&p->memory);
    return status;
}

/* Each process, open file and exported buffer takes descriptors, of which a process usually has few unless it
 * asks. */
static void take_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files))
        return;
    files.rlim_cur = files.rlim_max > 8192 ? 8192 : files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

/* A server that cannot end is nobody's to look after when the tool was killed too. */
static void *end_anyway(void *data)
{
    sleep(RUN_FINISH_MS / 1000);
    _exit(TOOL_HOST);
    return data;
}

/* Until the run is over; whether the program came to its end. */
static bool wait_for_end(const struct run *run, const struct parts *parts, int control)
{
    pthread_t thread;
    bool ended = false;
    char word = 0;
    ssize_t n;
    struct pollfd heard = {.fd = control, .events = POLLIN};
    for (;;) {
        if (!poll(&heard, 1, parts->capture ? TELL_MS : -1)) {
            tell_size(run, parts->capture, false);
            continue;
        }
        n = read(control, &word, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        ended |= word == RUN_ENDED;
        if (word == RUN_HURRY)
            drm_cancel(parts->drm);
    }
    if (!pthread_create(&thread, NULL, end_anyway, NULL))
        pthread_detach(thread);
    return ended;
}

static void remove_folder(void *data)
{
    run_folder_remove(data);
}

void run_sandbox(struct run *run, struct tool_sandbox *out)
{
    *out = (struct tool_sandbox){.name = run->name,
                                 .off = run->device.no_sandbox,
                                 .device = &run->device,
                                 .serves = true,
                                 .at_end = remove_folder,
                                 .data = run};
    tool_sandbox_writes(out, run->record);
    tool_frames_grant(&run->frames, out);
}

/* Says one byte through `ready` when the card is there, and ends when `control` is closed at its other end.
 */
static int serve(struct run *run, int ready, int control)
{
    struct parts parts = {.memory = {.fd = -1}};
    struct tool_sandbox sandbox;
    take_descriptors();
    signal(SIGINT, SIG_IGN); /* meant for the program; we end after it */
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGIO, SIG_IGN); /* of a lease that a program opened the file under (drm/core/export.c) */
    if (run->log) {
        run->log_file = fopen(run->log, "ae");
        if (!run->log_file)
            return tool_error(run->name, TOOL_BAD_FILE, "%s: %s", run->log, strerror(errno));
    }
    run_sandbox(run, &sandbox);
    int status = tool_frames_start(run->name, &run->frames, &parts.frames);
    if (!status)
        status = tool_sandbox_enter(&sandbox);
    if (!status)
        status = open_parts(run, &parts);
    const char byte = 0;
    bool ended = !status && write(ready, &byte, 1) == 1 && wait_for_end(run, &parts, control);
    int closing = close_parts(run, &parts, ended);
    if (run->log_file)
        fclose(run->log_file);
    if (sandbox.entered)
        util_sandbox_leave();
    else
        remove_folder(run);
    int encoded = tool_frames_finish(&parts.frames);
    return status ? status : closing ? closing : encoded;
}

/* ---- this process ---- */

/* Starts the server; returns once it is ready. *control keeps it alive. The exit status when it did not
 * start, or -1. */
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
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return tool_error(run->name, TOOL_HOST, "the server ended by signal %d", WTERMSIG(status));
}

static int run_all(struct run *run, const struct drm_launch *launch)
{
    pid_t server = -1;
    int control = -1;
    int r = run_folder_make(run);
    if (r) {
        run_folder_remove(run);
        return tool_error(run->name, TOOL_HOST, "no folder for the card's files: %s", strerror(-r));
    }
    int status = start_server(run, &server, &control);
    if (status < 0)
        status = run_program(run, launch, server, control);
    run_folder_remove(run);
    return status;
}

static int run_or_record(int argc, char **argv, bool record)
{
    struct run run = {.name = argv[0],
                      .gpu = gpu_info_at(0)->name,
                      .memory = 1ull << 30,
                      .restarts = 32,
                      .device = TOOL_USUAL_DEVICE};
    struct drm_launch launch;
    struct util_error error = {0};
    int status = run_parse(&run, argc, argv, record);
    if (status >= 0)
        return status;
    run.pipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN; /* that a reader has gone is no end of a run */
    run.launch.driver = gpu_driver_name(run.gpu);
    if (drm_launch_find(&run.launch, &launch, &error))
        return tool_error(run.name, TOOL_HOST, "%s", error.text);
    run.no_driver = launch.no_driver;
    if (!run.device.no_sandbox)
        util_sandbox_close_memory();
    if (tool_check_output(run.name, run.record))
        return TOOL_BAD_FILE;
    status = tool_frames_check(run.name, &run.frames);
    if (status)
        return status;
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
