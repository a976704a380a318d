/* The card of a run, in the process that serves it: memory, device, the kernel's part, the server of its clients. */
#include "tools/run_card.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "gpu/families.h"
#include "util/bits.h"

#define TELL_MS     1000 /* from one word on the capture's size to the next */
#define PUT_MS      50   /* what `run --stats` says is as old as that at most */
#define MAX_REPORTS 50   /* on stderr; all go to the log */

void run_report(struct run *run, const char *text)
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
    run_report(data, text);
    ((struct run *)data)->faults++;
}

static void on_message(void *data, const char *text)
{
    run_report(data, text);
}

void run_command_line(const struct run *run, char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (char **arg = run->argv; *arg && n < size; arg++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", arg == run->argv ? "" : " ", *arg);
}

static uint32_t run_rate(const struct run *run)
{
    return run->rate != RUN_RATE ? (uint32_t)run->rate : run->window ? RUN_SHOWN_RATE : 0;
}

int run_card_open(struct run *run, struct run_card *p)
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
    if (run->record) {
        run_command_line(run, command, sizeof command);
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
                               .rate = run_rate(run),
                               .screen = tool_window_screen(run->window),
                               .listener = {run, on_fault, on_message}};
    r = drm_create(&p->memory, &card, &p->drm);
    if (!r)
        r = drm_input_create(run_width(run), run_height(run), &p->input);
    if (!r)
        r = tool_window_open(run->window, p->input);
    return r ? tool_error(run->name, TOOL_HOST, "no card: %s", strerror(-r)) : TOOL_OK;
}

static uint64_t pictures_shown(void *data)
{
    return drm_frames_presented(data);
}

int run_card_serve(struct run *run, struct run_card *p, int listener)
{
    const struct tool_input_stage stage = {p->input, pictures_shown, p->drm};
    int r = drm_server_create(listener, p->drm, &p->memory, p->input, &p->server);
    if (!r)
        r = tool_input_play(run->script, &stage);
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

int run_card_close(struct run *run, struct run_card *p, struct drm_use *use)
{
    int status = TOOL_OK;
    unsigned unplayed = tool_input_stop(run->script);
    drm_server_destroy(p->server);
    if (unplayed) {
        char text[DRM_LAUNCH_PATH + 80];
        snprintf(text, sizeof text,
                 "%s: line %u was not played, nor what comes after it: the program had ended", run->input,
                 unplayed);
        run_report(run, text);
    }
    *use = p->drm ? drm_used(p->drm) : (struct drm_use){0};
    drm_destroy(p->drm);
    tool_window_close(run->window);
    drm_input_destroy(p->input);
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

void run_card_prepare(void)
{
    static const int others[] = {
        SIGINT,  SIGQUIT, SIGHUP, SIGTERM, /* meant for the program: we end after it */
        SIGPIPE, SIGIO}; /* of a lease that a program opened the file under (drm/core/export.c) */
    take_descriptors();
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(others); i++)
        signal(others[i], SIG_IGN);
}

/* A server that cannot end is nobody's to look after when the tool was killed too. */
static void *end_anyway(void *data)
{
    sleep(RUN_FINISH_MS / 1000);
    _exit(TOOL_HOST);
    return data;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool run_card_wait(const struct run *run, const struct run_card *p, int control, int other)
{
    int64_t told = now_ms();
    pthread_t thread;
    bool ended = false;
    struct pollfd heard[2] = {{.fd = control, .events = POLLIN}, {.fd = other, .events = POLLIN}};
    while (!heard[1].revents) {
        char word = 0;
        int r = poll(heard, 2, run->stats ? PUT_MS : p->capture ? TELL_MS : -1);
        run_stats_put(run->stats, p->drm);
        if (!r && now_ms() - told >= TELL_MS) {
            tell_size(run, p->capture, false);
            told = now_ms();
        }
        if (r <= 0 || !heard[0].revents)
            continue;
        ssize_t n = read(control, &word, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        ended |= word == RUN_ENDED;
        if (word == RUN_HURRY)
            drm_cancel(p->drm);
    }
    if (heard[1].revents)
        drm_cancel(p->drm);
    if (!pthread_create(&thread, NULL, end_anyway, NULL))
        pthread_detach(thread);
    return ended;
}
