#include "util/frames.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/y4m.h"

#define PLACES (UTIL_FRAMES_THREADS + 2) /* one a thread, and two that wait */

struct item {
    uint64_t number, turn; /* turn: its place in the stream, from 0 */
    void *kept;
    util_frames_draw_fn draw;
};

struct util_frames {
    struct util_frames_options options;
    pthread_mutex_t lock;
    pthread_cond_t work, room; /* there is an item, or the end; something was written */
    pthread_t threads[UTIL_FRAMES_THREADS];
    unsigned thread_count, places;
    /* Under the lock. */
    struct item queue[PLACES]; /* those that no thread has: turns [taken, added), each at turn % PLACES */
    uint64_t added, taken, done;
    uint64_t turn; /* whose the stream is */
    bool ending;
    struct util_error error; /* the first */
    uint32_t width, height;  /* of the stream; 0: not known yet */
};

bool util_frames_wants(const struct util_frames *f, uint64_t number)
{
    const struct util_frames_options *o = &f->options;
    return number >= o->first && number <= o->last && (number - o->first) % o->every == 0;
}

/* ---- writing ---- */

static int fail(struct util_frames *f, int code, const char *place)
{
    pthread_mutex_lock(&f->lock);
    util_fail(&f->error, code, "%s: %s", place, strerror(-code));
    pthread_mutex_unlock(&f->lock);
    return code;
}

static bool has_failed(struct util_frames *f)
{
    pthread_mutex_lock(&f->lock);
    const bool failed = f->error.code;
    pthread_mutex_unlock(&f->lock);
    return failed;
}

static int write_file(struct util_frames *f, const struct util_image *image, uint64_t number)
{
    char path[4096];
    const int length =
        snprintf(path, sizeof path, "%s/frame-%06llu.png", f->options.folder, (unsigned long long)number);
    const int code = length < (int)sizeof path ? util_image_write_png_fast(image, path) : -ENAMETOOLONG;
    return code ? fail(f, code, path) : 0;
}

static int write_bytes(int fd, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size) {
        const ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

/* The first picture gives all of them their size. */
static void find_size(struct util_frames *f, const struct util_image *image, uint64_t turn, uint32_t size[2])
{
    pthread_mutex_lock(&f->lock);
    if (!turn) {
        f->width = image->pixels ? image->width : 1;
        f->height = image->pixels ? image->height : 1;
        pthread_cond_broadcast(&f->room);
    }
    while (!f->width)
        pthread_cond_wait(&f->room, &f->lock);
    size[0] = f->width;
    size[1] = f->height;
    pthread_mutex_unlock(&f->lock);
}

/* What stands before it in the stream is in other threads' hands, so that this ends. */
static void await_turn(struct util_frames *f, uint64_t turn)
{
    pthread_mutex_lock(&f->lock);
    while (f->turn != turn)
        pthread_cond_wait(&f->room, &f->lock);
    pthread_mutex_unlock(&f->lock);
}

static int begin_stream(const struct util_frames *f, const uint32_t size[2])
{
    char header[UTIL_Y4M_HEADER_MAX];
    const size_t length =
        util_y4m_header(size[0], size[1], f->options.rate, (uint32_t)f->options.every, header);
    return write_bytes(f->options.stream, header, length);
}

/* `image` is empty when it could not be drawn: then it only has its turn. */
static void stream(struct util_frames *f, const struct util_image *image, uint64_t turn)
{
    uint32_t size[2];
    find_size(f, image, turn, size);
    const size_t length = util_y4m_picture_bytes(size[0], size[1]);
    uint8_t *bytes = image->pixels ? malloc(length) : NULL;
    if (bytes)
        util_y4m_picture(image, size[0], size[1], bytes);
    await_turn(f, turn);
    int code = bytes ? 0 : -ENOMEM;
    if (!code && !turn)
        code = begin_stream(f, size);
    if (!code && !has_failed(f))
        code = write_bytes(f->options.stream, bytes, length);
    if (code)
        fail(f, code, "the video");
    free(bytes);
}

static void write_item(struct util_frames *f, const struct item *item)
{
    struct util_image image = {0};
    char what[48];
    bool failed = has_failed(f);
    if (!failed) {
        const int code = item->draw(item->kept, &image);
        snprintf(what, sizeof what, "picture %llu", (unsigned long long)item->number);
        failed = code && fail(f, code, what);
    }
    free(item->kept);
    if (!failed && f->options.folder)
        write_file(f, &image, item->number);
    if (f->options.stream >= 0)
        stream(f, &image, item->turn);
    util_image_finish(&image);
}

static void *thread_main(void *data)
{
    struct util_frames *f = data;
    pthread_mutex_lock(&f->lock);
    for (;;) {
        while (f->taken == f->added && !f->ending)
            pthread_cond_wait(&f->work, &f->lock);
        if (f->taken == f->added)
            break;
        const struct item item = f->queue[f->taken++ % PLACES];
        pthread_mutex_unlock(&f->lock);
        write_item(f, &item);
        pthread_mutex_lock(&f->lock);
        f->turn++;
        f->done++;
        pthread_cond_broadcast(&f->room);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* ---- handing over ---- */

int util_frames_add(struct util_frames *f, uint64_t number, void *kept, util_frames_draw_fn draw)
{
    pthread_mutex_lock(&f->lock);
    if (!kept)
        util_fail(&f->error, -ENOMEM, "picture %llu: %s", (unsigned long long)number, strerror(ENOMEM));
    while (f->added - f->done >= f->places && !f->error.code)
        pthread_cond_wait(&f->room, &f->lock);
    const int code = f->error.code;
    if (!code) {
        f->queue[f->added % PLACES] = (struct item){number, f->added, kept, draw};
        f->added++;
        pthread_cond_signal(&f->work);
    }
    pthread_mutex_unlock(&f->lock);
    if (code)
        free(kept);
    return code;
}

int util_frames_flush(struct util_frames *f, struct util_error *error)
{
    pthread_mutex_lock(&f->lock);
    while (f->done != f->added)
        pthread_cond_wait(&f->room, &f->lock);
    const int code = f->error.code;
    if (code)
        util_fail(error, code, "%s", f->error.text);
    pthread_mutex_unlock(&f->lock);
    return code;
}

/* ---- life ---- */

int util_frames_create(const struct util_frames_options *options, struct util_frames **out)
{
    if (!options->threads || options->threads > UTIL_FRAMES_THREADS || !options->first || !options->every ||
        options->every > UINT32_MAX || options->last < options->first ||
        (!options->folder && options->stream < 0))
        return -EINVAL;
    struct util_frames *f = calloc(1, sizeof *f);
    if (!f)
        return -ENOMEM;
    f->options = *options;
    f->places = options->threads + 2;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->work, NULL);
    pthread_cond_init(&f->room, NULL);
    while (f->thread_count < options->threads &&
           !pthread_create(&f->threads[f->thread_count], NULL, thread_main, f))
        f->thread_count++;
    if (!f->thread_count) { /* fewer than asked for do, too */
        util_frames_destroy(f);
        return -EAGAIN;
    }
    *out = f;
    return 0;
}

void util_frames_destroy(struct util_frames *f)
{
    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    f->ending = true;
    pthread_cond_broadcast(&f->work);
    pthread_mutex_unlock(&f->lock);
    for (unsigned i = 0; i < f->thread_count; i++)
        pthread_join(f->threads[i], NULL);
    pthread_cond_destroy(&f->room);
    pthread_cond_destroy(&f->work);
    pthread_mutex_destroy(&f->lock);
    free(f);
}
