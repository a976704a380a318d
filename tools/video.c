/* The encoder of videos: ffmpeg, fed with Y4M over a pipe.
 *
 * Two processes: the encoder, and one that waits for it and says its exit status through another pipe, as a
 * process in a sandbox may not ask for it. Both are apart from the terminal's signals, which are for the
 * program that is shown: when that was interrupted, what it had drawn is still a video. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/frames.h"
#include "util/bits.h"

#define ENCODER "ffmpeg"

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

bool tool_video_is_plain(const char *path)
{
    return !strcasecmp(ending_of(path), "y4m");
}

/* Whether a program of that name is in a folder of PATH. */
static bool installed(const char *program)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        const size_t length = strcspn(at, ":");
        char path[4096];
        const int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
        if (length && n < (int)sizeof path && !access(path, X_OK))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* In containers whose players show it, colour has half the pixels each way, so sizes must be even. */
static const char *filter_of(const char *path)
{
    static const char *const halved[] = {"mp4", "m4v", "mov", "mkv", "webm", "avi"};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(halved); i++)
        if (!strcasecmp(ending_of(path), halved[i]))
            return "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p";
    return "null";
}

static _Noreturn void encode(int from, const char *path)
{
    char target[4096 + 8];
    snprintf(target, sizeof target, "file:%s", path); /* whatever it begins with, it is no address */
    if (dup2(from, STDIN_FILENO) >= 0)
        execlp(ENCODER, ENCODER, "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "yuv4mpegpipe",
               "-i", "pipe:0", "-vf", filter_of(path), target, (char *)NULL);
    _exit(127);
}

/* ---- whether it makes such a file ---- */

enum { TRIAL_SIDE = 16, TRIAL_BYTES = TRIAL_SIDE * TRIAL_SIDE * 3 / 2 };

/* Encodes a grey picture into a file of the same ending. 0, or what was wrong; what the encoder says of it is on
 * standard error. */
static int try_ending(const char *path)
{
    char file[64] = "/tmp/vitrail-video-XXXXXX", picture[64 + TRIAL_BYTES];
    const char *ending = ending_of(path);
    int ends[2], status = -1;
    const size_t place = strlen(file), length = *ending ? strlen(ending) + 1 : 0;
    if (length >= sizeof file - place)
        return -1;
    if (length)
        snprintf(file + place, sizeof file - place, ".%s", ending);
    const int made = mkostemps(file, (int)length, O_CLOEXEC);
    if (made < 0)
        return -1;
    close(made);
    memset(picture, 128, sizeof picture);
    const int head = snprintf(picture, 64, "YUV4MPEG2 W%d H%d F25:1 C420\nFRAME\n", TRIAL_SIDE, TRIAL_SIDE);
    picture[head] = (char)128;
    if (!pipe2(ends, O_CLOEXEC)) {
        fflush(NULL);
        const pid_t encoder = fork();
        if (!encoder) {
            close(ends[1]);
            encode(ends[0], file);
        }
        close(ends[0]);
        const bool written = write(ends[1], picture, (size_t)head + TRIAL_BYTES) == head + TRIAL_BYTES;
        close(ends[1]);
        if (encoder < 0 || waitpid(encoder, &status, 0) != encoder || !written)
            status = -1;
    }
    unlink(file);
    return status;
}

/* Says in a byte how the encoder ended: its exit status, or 128 and the signal. */
static _Noreturn void wait_for(pid_t encoder, int to)
{
    int status = 0;
    while (waitpid(encoder, &status, 0) < 0 && errno == EINTR)
        ;
    const uint8_t byte = (uint8_t)(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    const ssize_t told = write(to, &byte, 1);
    _exit(told == 1 ? 0 : 1);
}

static _Noreturn void look_after(int from, int to, const char *path)
{
    setsid();
    signal(SIGPIPE, SIG_DFL);
    const pid_t encoder = fork();
    if (!encoder)
        encode(from, path);
    close(from);
    if (encoder < 0)
        _exit(1);
    wait_for(encoder, to);
}

int tool_encoder_start(const char *name, const char *path, struct tool_encoder *out)
{
    int pictures[2], status[2];
    *out = (struct tool_encoder){name, path, -1, -1};
    if (!installed(ENCODER))
        return tool_error(name, TOOL_HOST,
                          "%s: without an encoder videos are .y4m alone; " ENCODER
                          ", which makes others, is not installed",
                          path);
    signal(SIGPIPE, SIG_IGN); /* an encoder that ends early is told by its status */
    if (try_ending(path))
        return tool_error(name, TOOL_HOST, "%s: " ENCODER " makes no video of that ending", path);
    if (pipe2(pictures, O_CLOEXEC))
        return tool_error(name, TOOL_HOST, "no pipe: %s", strerror(errno));
    if (pipe2(status, O_CLOEXEC)) {
        close(pictures[0]);
        close(pictures[1]);
        return tool_error(name, TOOL_HOST, "no pipe: %s", strerror(errno));
    }
    fflush(NULL);
    const pid_t pid = fork();
    if (!pid) {
        close(pictures[1]);
        close(status[0]);
        look_after(pictures[0], status[1], path);
    }
    close(pictures[0]);
    close(status[1]);
    out->stream = pictures[1];
    out->status = status[0];
    if (pid > 0)
        return TOOL_OK;
    close(out->stream);
    close(out->status);
    out->stream = -1;
    return tool_error(name, TOOL_HOST, "no process: %s", strerror(errno));
}

int tool_encoder_finish(struct tool_encoder *e)
{
    uint8_t status = 1;
    ssize_t n;
    util_sandbox_leave();
    close(e->stream);
    e->stream = -1;
    while ((n = read(e->status, &status, 1)) < 0 && errno == EINTR)
        ;
    close(e->status);
    if (n == 1 && !status)
        return TOOL_OK;
    return tool_error(e->name, TOOL_HOST, "%s: " ENCODER " ended with status %u", e->path, status);
}
