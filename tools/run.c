/* `vitrail run` and `vitrail record`: a program, its stock driver, and an emulated GPU.
 *
 * Three processes: this one looks after the other two (run_watch.c); the server (drm/server/server.h) is
 * forked from it before any thread is made; the program finds the server through its environment and the
 * preloaded client. The server ends when the pipe that this process holds is closed, however that comes
 * about. */
#include "tools/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/families.h"
#include "tools/run_card.h"

/* ---- the server's process ---- */

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
    struct run_card card = {.memory = {.fd = -1}};
    struct tool_sandbox sandbox;
    run_card_prepare();
    if (run->log) {
        run->log_file = fopen(run->log, "ae");
        if (!run->log_file)
            return tool_error(run->name, TOOL_BAD_FILE, "%s: %s", run->log, strerror(errno));
    }
    run_sandbox(run, &sandbox);
    int status = tool_frames_start(run->name, &run->frames, &card.frames);
    if (!status)
        status = tool_sandbox_enter(&sandbox);
    if (!status)
        status = run_card_open(run, &card);
    if (!status)
        status = run_card_serve(run, &card, run->listener);
    const char byte = 0;
    bool ended = !status && write(ready, &byte, 1) == 1 && run_card_wait(run, &card, control, -1);
    struct drm_use use;
    int closing = run_card_close(run, &card, &use);
    if (ended && !closing)
        closing = run_judge(run, &use);
    if (run->log_file)
        fclose(run->log_file);
    if (sandbox.entered)
        util_sandbox_leave();
    else
        remove_folder(run);
    int encoded = tool_frames_finish(&card.frames);
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
    tool_window_leave(run->window);
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
    pid_t server = 0;
    int control = run->remote;
    int r = run_folder_make(run);
    if (r) {
        run_folder_remove(run);
        return tool_error(run->name, TOOL_HOST, "no folder for the card's files: %s", strerror(-r));
    }
    char title[256];
    run_command_line(run, title, sizeof title);
    if (run->shows) {
        int begun = tool_window_begin(run->name, title, run_width(run), run_height(run), &run->window,
                                      &run->window_process);
        if (begun) {
            run_folder_remove(run);
            return begun;
        }
    }
    if (run->tells && !(run->stats = run_stats_create()))
        tool_error(run->name, 0, "no memory for --stats");
    int status = run->server ? run_remote_start(run) : start_server(run, &server, &control);
    if (status < 0)
        status = run_program(run, launch, server, control);
    run_folder_remove(run);
    if (run->window_process > 0) { /* nobody needs it any more */
        kill(run->window_process, SIGKILL);
        waitpid(run->window_process, NULL, 0);
    }
    return status;
}

/* A program that is only named, and that tools/sysroot has fetched, has the sysroot as its root where that changes nothing
 * that it could miss. */
static bool takes_usual_root(struct run *run, struct drm_launch *launch)
{
    struct util_error none = {0};
    struct drm_root root = {.folder = run->sysroot, .net = true, .shares = true};
    struct drm_launch_options options = run->launch;
    if (options.root || options.sysroot || strchr(options.program, '/') ||
        !drm_launch_usual_root(options.program, run->sysroot))
        return false;
    options.root = &root;
    if (drm_launch_find(&options, launch, &none) || launch->no_driver ||
        !drm_root_can_share(&root, launch, run->argv + 1))
        return false;
    run->root = root;
    return true;
}

static int run_or_record(int argc, char **argv, bool record)
{
    struct run run = {.name = argv[0],
                      .remote = -1,
                      .memory = RUN_MEMORY,
                      .rate = RUN_RATE,
                      .restarts = 32,
                      .device = TOOL_USUAL_DEVICE};
    struct drm_launch launch;
    struct util_error error = {0};
    if (fcntl(STDIN_FILENO, F_GETFD) < 0) /* or a file of ours would become the program's */
        open("/dev/null", O_RDONLY);
    int status = run_parse(&run, argc, argv, record);
    if (status >= 0)
        return status;
    if (run.server)
        status = run_remote_open(&run);
    if (status >= 0)
        return status;
    if (!run.gpu)
        run.gpu = gpu_info_at(0)->name;
    if (run.input &&
        (status = tool_input_read(run.name, run.input, run_width(&run), run_height(&run), &run.script)))
        return status;
    run.pipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN; /* that a reader has gone is no end of a run */
    run.launch.driver = gpu_driver_name(run.gpu);
    if (!takes_usual_root(&run, &launch) && drm_launch_find(&run.launch, &launch, &error))
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
