/* Writing captures: events gather in a buffer, and a full buffer or a flush becomes a chunk. */
#include "gpu/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "gpu/capture_internal.h"
#include "util/bits.h"
#include "util/checked.h"
#include "util/files.h"

#define LEVEL 3 /* zstd: recording must not slow the program down much */

static int write_all(int fd, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return errno == ENOSPC || errno == EDQUOT ? -ENOSPC : -EIO;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

static int fail(struct capture_writer *w, int error)
{
    if (!w->error)
        w->error = error;
    return w->error;
}

/* ---- header and chunks ---- */

static int write_header(struct capture_writer *w, const char *gpu, const char *command, uint64_t memory_size)
{
    uint8_t bytes[CAPTURE_HEADER_SIZE + CAPTURE_COMMAND_MAX] = {0};
    uint32_t length = (uint32_t)strnlen(command, CAPTURE_COMMAND_MAX);
    memcpy(bytes, CAPTURE_MAGIC, 8);
    util_store32(bytes + 8, CAPTURE_VERSION);
    util_store32(bytes + 12, length);
    memcpy(bytes + 16, &memory_size, 8);
    memcpy(bytes + 24, gpu, strnlen(gpu, CAPTURE_GPU_MAX));
    memcpy(bytes + CAPTURE_HEADER_SIZE, command, length);
    uint64_t hash = capture_header_hash(bytes, bytes + CAPTURE_HEADER_SIZE, length);
    memcpy(bytes + 40, &hash, 8);
    w->position = CAPTURE_HEADER_SIZE + length;
    return write_all(w->fd, bytes, CAPTURE_HEADER_SIZE + length);
}

int capture_write_chunk(struct capture_writer *w, uint32_t type)
{
    uint8_t *head = w->stored, *body = head + CAPTURE_CHUNK_HEADER;
    size_t stored = 0;
    if (w->error)
        return w->error;
    if (type != CAPTURE_CHUNK_END) {
        stored = ZSTD_compressCCtx(w->zstd, body, ZSTD_compressBound(CAPTURE_CHUNK_MAX), w->plain,
                                   w->plain_size, LEVEL);
        if (ZSTD_isError(stored))
            return fail(w, -ENOMEM);
    }
    util_store32(head, CAPTURE_CHUNK_MAGIC);
    util_store32(head + 4, type);
    util_store32(head + 8, (uint32_t)stored);
    util_store32(head + 12, w->plain_size);
    uint64_t hash = XXH3_64bits(body, stored);
    memcpy(head + 16, &hash, 8);
    hash = XXH3_64bits(head, 24);
    memcpy(head + 24, &hash, 8);
    w->plain_size = 0;
    const uint64_t size = CAPTURE_CHUNK_HEADER + stored;
    const bool events = type == CAPTURE_CHUNK_EVENTS || type == CAPTURE_CHUNK_RESTART;
    w->full |= events && w->limit && w->position + size > w->limit;
    if (events && w->full)
        return 0;
    int error = write_all(w->fd, head, size);
    __atomic_store_n(&w->position, w->position + size, __ATOMIC_RELAXED);
    if (type == CAPTURE_CHUNK_EVENTS)
        w->written = w->counts;
    w->restart_bytes += type == CAPTURE_CHUNK_RESTART ? size : 0;
    return error ? fail(w, error) : 0;
}

int capture_flush(struct capture_writer *w)
{
    return w->plain_size ? capture_write_chunk(w, w->chunk) : w->error;
}

uint8_t *capture_append(struct capture_writer *w, uint32_t size)
{
    if (w->plain_size + size > CAPTURE_CHUNK_MAX && capture_flush(w))
        return NULL;
    if (w->error)
        return NULL;
    uint8_t *at = w->plain + w->plain_size;
    w->plain_size += size;
    return at;
}

/* ---- events ---- */

uint64_t capture_page_hash(const struct capture_writer *w, const uint8_t *page)
{
    return XXH3_64bits(page, GPU_PAGE) ^ w->zero_hash;
}

void capture_end_pages(struct capture_pages_event *event)
{
    if (event->head)
        util_store32(event->head + 1, event->count);
    *event = (struct capture_pages_event){0};
}

int capture_add_page(struct capture_writer *w, struct capture_pages_event *event, uint64_t address,
                     const uint8_t *bytes, bool zero)
{
    uint32_t size = 8 + (zero ? 0 : GPU_PAGE);
    bool full = event->count == CAPTURE_PAGES_MAX || w->plain_size + size > CAPTURE_CHUNK_MAX;
    if (full)
        capture_end_pages(event);
    if (!event->head) {
        uint8_t *head = capture_append(w, 5 + size); /* head and first page in one chunk */
        if (!head)
            return w->error;
        w->plain_size -= size;
        head[0] = CAPTURE_EVENT_PAGES;
        event->head = head;
    }
    uint8_t *at = capture_append(w, size);
    if (!at)
        return w->error;
    uint64_t word = address | (zero ? CAPTURE_PAGE_ZERO : 0);
    memcpy(at, &word, 8);
    if (!zero)
        memcpy(at + 8, bytes, GPU_PAGE);
    event->count++;
    return 0;
}

/* The pages that [address, address + size) touches: [*first, *end). False when it leaves memory. */
static bool page_range(const struct capture_writer *w, const struct gpu_memory *memory, uint64_t address,
                       uint64_t size, uint64_t *first, uint64_t *end)
{
    if (!util_in_range(address, size, memory->size))
        return false;
    *first = address / GPU_PAGE;
    *end = size ? (address + size - 1) / GPU_PAGE + 1 : *first;
    return *end <= w->page_count;
}

int capture_write_range(struct capture_writer *w, const struct gpu_memory *memory, uint64_t address,
                        uint64_t size)
{
    uint64_t first, end;
    struct capture_pages_event event = {0};
    int error = w->error;
    if (!page_range(w, memory, address, size, &first, &end))
        return -EINVAL;
    for (uint64_t p = first; p < end && !error; p++) {
        /* The program may be writing meanwhile: hash and store one private copy. */
        uint8_t page[GPU_PAGE];
        memcpy(page, memory->base + p * GPU_PAGE, GPU_PAGE);
        uint64_t hash = capture_page_hash(w, page);
        if (hash == w->known[p])
            continue;
        error = capture_add_page(w, &event, p * GPU_PAGE, page, !hash);
        w->known[p] = error ? CAPTURE_UNKNOWN : hash;
    }
    capture_end_pages(&event);
    return error;
}

int capture_note_device_write(struct capture_writer *w, const struct gpu_memory *memory, uint64_t address,
                              uint64_t size)
{
    uint64_t first, end;
    if (!page_range(w, memory, address, size, &first, &end))
        return -EINVAL;
    for (uint64_t p = first; p < end; p++) {
        /* The rest of a page written in part may be the program's doing, which the replay does not have. */
        bool whole = p * GPU_PAGE >= address && (p + 1) * GPU_PAGE <= address + size;
        w->known[p] = whole ? capture_page_hash(w, memory->base + p * GPU_PAGE) : CAPTURE_UNKNOWN;
    }
    return w->error;
}

int capture_write_register(struct capture_writer *w, uint32_t offset, uint32_t value, bool irq_reply)
{
    uint8_t *at = capture_append(w, 9);
    if (!at)
        return w->error;
    gpu_setup_note(&w->setup, offset, value);
    at[0] = irq_reply ? CAPTURE_EVENT_IRQ_REPLY : CAPTURE_EVENT_REGISTER;
    util_store32(at + 1, offset);
    util_store32(at + 5, value);
    return 0;
}

int capture_write_frame(struct capture_writer *w, const struct capture_frame *frame)
{
    uint8_t bytes[CAPTURE_FRAME_BYTES];
    if (!capture_frame_put(frame, bytes))
        return -EINVAL;
    uint8_t *at = capture_append(w, 1 + sizeof bytes);
    if (!at)
        return w->error;
    at[0] = CAPTURE_EVENT_FRAME;
    memcpy(at + 1, bytes, sizeof bytes);
    w->counts.shown += frame->presented != 0;
    w->counts.all++;
    return 0;
}

int capture_write_event(struct capture_writer *w, const struct capture_event *event,
                        const struct gpu_memory *memory)
{
    int code;
    switch (event->type) {
    case CAPTURE_EVENT_PAGES: return capture_write_pages(w, event->pages.pages, event->pages.count);
    case CAPTURE_EVENT_REGISTER:
    case CAPTURE_EVENT_IRQ_REPLY:
        return capture_write_register(w, event->reg.offset, event->reg.value,
                                      event->type == CAPTURE_EVENT_IRQ_REPLY);
    case CAPTURE_EVENT_FRAME:
        code = capture_write_frame(w, &event->frame);
        if (!code)
            code = capture_flush(w);
        return code ? code : capture_offer_restart(w, memory);
    default: return 0;
    }
}

void capture_note_register(struct capture_writer *w, uint32_t offset, uint32_t value)
{
    gpu_setup_note(&w->setup, offset, value);
}

void capture_set_interval(struct capture_writer *w, uint32_t interval)
{
    w->interval = interval;
}

void capture_set_limit(struct capture_writer *w, uint64_t bytes)
{
    w->limit = bytes;
}

uint64_t capture_writer_size(const struct capture_writer *w)
{
    return __atomic_load_n(&w->position, __ATOMIC_RELAXED);
}

bool capture_writer_is_full(const struct capture_writer *w, uint64_t *shown)
{
    *shown = w->written.shown;
    return w->full;
}

/* ---- life ---- */

int capture_writer_create(const char *path, const char *gpu, const char *command, uint64_t memory_size,
                          struct capture_writer **out, struct util_error *error)
{
    static const uint8_t zero[GPU_PAGE];
    struct capture_writer *w = calloc(1, sizeof *w);
    if (!w)
        return util_fail(error, -ENOMEM, "%s: no memory", path);
    w->fd = -1;
    w->chunk = CAPTURE_CHUNK_EVENTS;
    memcpy(w->gpu, gpu, strnlen(gpu, CAPTURE_GPU_MAX));
    w->setup.gpu = w->gpu;
    w->zero_hash = XXH3_64bits(zero, sizeof zero);
    w->page_count = memory_size / GPU_PAGE;
    w->known = calloc(w->page_count ? w->page_count : 1, sizeof *w->known);
    w->plain = malloc(CAPTURE_CHUNK_MAX);
    w->stored = malloc(CAPTURE_CHUNK_HEADER + ZSTD_compressBound(CAPTURE_CHUNK_MAX));
    w->zstd = ZSTD_createCCtx();
    int code = -ENOMEM;
    if (!w->known || !w->plain || !w->stored || !w->zstd) {
        util_fail(error, code, "%s: no memory", path);
        goto fail;
    }
    w->fd = util_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (w->fd < 0) {
        code = util_fail(error, w->fd, "%s: %s", path, strerror(-w->fd));
        goto fail;
    }
    code = write_header(w, gpu, command ? command : "", memory_size);
    if (code) {
        util_fail(error, code, "%s: %s", path, strerror(-code));
        util_remove_file(path);
        goto fail;
    }
    *out = w;
    return 0;
fail:
    w->error = code; /* no end chunk */
    capture_writer_close(w);
    return code;
}

int capture_writer_close(struct capture_writer *w)
{
    if (!w)
        return 0;
    int error = w->error;
    if (!error)
        error = capture_flush(w);
    if (!error)
        error = capture_write_index(w, &w->plain_size); /* the end's plain size */
    if (!error)
        error = capture_write_chunk(w, CAPTURE_CHUNK_END);
    if (w->fd >= 0 && close(w->fd) < 0 && !error)
        error = -EIO;
    ZSTD_freeCCtx(w->zstd);
    gpu_setup_finish(&w->setup);
    free(w->index.at);
    free(w->restarted);
    free(w->known);
    free(w->plain);
    free(w->stored);
    free(w);
    return error;
}
