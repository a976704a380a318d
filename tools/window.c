/* Both sides of a run with a window but for the window itself. */
#include "tools/window.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drm/launch/launch.h"
#include "gpu/picture.h"
#include "tools/tool.h"
#include "tools/window/message.h"
#include "util/message.h"

struct tool_window {
    int socket, memory;
    uint8_t *pixels;
    struct drm_input *input;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void *next; /* the last picture that was handed over, as it was kept; NULL: it is drawn */
    bool taken; /* the window wants another */
    bool stopping, running;
    pthread_t painter, listener;
};

/* ---- the tool's ---- */

static int make_memory(void)
{
    int fd = memfd_create("window", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && !ftruncate(fd, (off_t)WINDOW_BYTES) &&
        !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* In the window's process. */
static void execute(const char *program, const char *title, uint32_t width, uint32_t height, int socket,
                    int memory)
{
    char words[4][16];
    const int numbers[4] = {socket, memory, (int)width, (int)height};
    for (unsigned i = 0; i < 4; i++)
        snprintf(words[i], sizeof words[i], "%d", numbers[i]);
    char *const argv[] = {
        (char *)"vitrail-window", words[0], words[1], words[2], words[3], (char *)title, NULL};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!fcntl(socket, F_SETFD, 0) && !fcntl(memory, F_SETFD, 0))
        execv(program, argv);
    _exit(TOOL_HOST);
}

int tool_window_begin(const char *command, const char *title, uint32_t width, uint32_t height,
                      struct tool_window **out, pid_t *process)
{
    char program[DRM_LAUNCH_PATH];
    int ends[2];
    if (!drm_launch_find_beside("vitrail-window", program))
        return tool_error(command, TOOL_HOST,
                          "--window: this build has no windows: install libsdl2-dev and build again");
    struct tool_window *w = calloc(1, sizeof *w);
    if (!w || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        free(w);
        return tool_error(command, TOOL_HOST, "--window: no socket: %s", strerror(errno));
    }
    w->socket = ends[0];
    w->memory = make_memory();
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->pixels = w->memory < 0 ? MAP_FAILED
                              : mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, w->memory, 0);
    fflush(NULL);
    *process = w->pixels == MAP_FAILED ? -1 : fork();
    if (!*process)
        execute(program, title, width, height, ends[1], w->memory);
    close(ends[1]);
    if (*process < 0)
        return tool_error(command, TOOL_HOST, "--window: no memory or process: %s", strerror(errno));
    *out = w;
    return TOOL_OK;
}

void tool_window_leave(struct tool_window *w)
{
    if (!w)
        return;
    close(w->socket);
    close(w->memory);
    munmap(w->pixels, WINDOW_BYTES);
    free(w);
}

/* ---- the card's ---- */

/* From the display: the card is locked. */
static void show(void *data, void *kept)
{
    struct tool_window *w = data;
    pthread_mutex_lock(&w->lock);
    void *old = w->next;
    w->next = kept;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    free(old);
}

struct drm_screen tool_window_screen(struct tool_window *w)
{
    return (struct drm_screen){w, w ? show : NULL};
}

/* Whether the window will say that it has taken it. */
static bool paint(struct tool_window *w, const void *kept)
{
    bool sent = false;
    struct util_image image = {0};
    struct window_message m = {.what = WINDOW_PICTURE};
    if (!gpu_picture_draw(kept, &image) && image.width <= WINDOW_SIDE && image.height <= WINDOW_SIDE) {
        memcpy(w->pixels, image.pixels, (size_t)4 * image.width * image.height);
        m.a = image.width;
        m.b = image.height;
        sent = util_message_send(w->socket, &m, sizeof m, -1); /* the tool ends a run whose window has gone */
    }
    util_image_finish(&image);
    return sent;
}

static void *paint_all(void *data)
{
    struct tool_window *w = data;
    pthread_mutex_lock(&w->lock);
    while (!w->stopping) {
        void *kept = w->taken ? w->next : NULL;
        if (!kept) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        w->next = NULL;
        w->taken = false;
        pthread_mutex_unlock(&w->lock);
        const bool sent = paint(w, kept);
        free(kept);
        pthread_mutex_lock(&w->lock);
        w->taken |= !sent;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void *listen_to_window(void *data)
{
    struct tool_window *w = data;
    struct window_message m;
    int fd;
    while (util_message_receive(w->socket, &m, sizeof m, &fd)) {
        if (fd >= 0)
            close(fd);
        if (m.what == WINDOW_INPUT && m.a < DRM_INPUT_COUNT && m.b <= WINDOW_EVENTS)
            drm_input_send(w->input, (enum drm_input_number)m.a, m.events, m.b);
        if (m.what != WINDOW_TAKEN)
            continue;
        pthread_mutex_lock(&w->lock);
        w->taken = true;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

int tool_window_open(struct tool_window *w, struct drm_input *input)
{
    if (!w)
        return 0;
    w->input = input;
    if (pthread_create(&w->painter, NULL, paint_all, w))
        return -EAGAIN;
    w->running = !pthread_create(&w->listener, NULL, listen_to_window, w);
    if (w->running)
        return 0;
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->painter, NULL);
    return -EAGAIN;
}

void tool_window_close(struct tool_window *w)
{
    if (!w)
        return;
    if (w->running) {
        pthread_mutex_lock(&w->lock);
        w->stopping = true;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
        shutdown(w->socket, SHUT_RDWR); /* either may wait for the window */
        pthread_join(w->painter, NULL);
        pthread_join(w->listener, NULL);
    }
    free(w->next);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    munmap(w->pixels, WINDOW_BYTES);
    close(w->socket);
    close(w->memory);
    free(w);
}
