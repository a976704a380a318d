/* Restart points and their index, as they are written; and memory as it stands, as a file begins with it.
 *
 * A restart point has what memory holds when all work is done: what the replay will hold there then. A program
 * may be ahead of what it has submitted, and a page that it has changed and changes back again would not be
 * written any more: such pages are unknown from then on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/capture_internal.h"
#include "util/bits.h"
#include "util/list.h"

#define SPARE (64ull << 20) /* bytes of restart points that every file may have */

/* ---- memory ---- */

/* Of one look at memory: which pages differ from those of `hashes`, which are brought up to date. */
struct look {
    struct capture_writer *writer;
    const struct gpu_memory *memory;
    uint64_t *hashes;
    struct capture_pages_event event;
    uint64_t written, standing; /* pages: that differ, that are not zero */
};

static int look_at_page(struct look *look, uint64_t p, bool empty)
{
    struct capture_writer *w = look->writer;
    uint8_t page[GPU_PAGE];
    uint64_t hash = 0;
    if (!empty) {
        memcpy(page, look->memory->base + p * GPU_PAGE, GPU_PAGE);
        hash = capture_page_hash(w, page);
    }
    if (hash != w->known[p] && look->hashes != w->known)
        w->known[p] = CAPTURE_UNKNOWN;
    look->standing += hash != 0;
    if (hash == look->hashes[p])
        return 0;
    look->hashes[p] = hash;
    look->written++;
    return capture_add_page(w, &look->event, p * GPU_PAGE, page, !hash);
}

/* Where nothing was ever written the file has holes, which are not to be filled by reading them. */
static int look_at_memory(struct look *look)
{
    const struct capture_writer *w = look->writer;
    uint64_t p = 0;
    int error = w->error;
    while (p < w->page_count && !error) {
        uint64_t from, to;
        gpu_memory_next_data(look->memory, p * GPU_PAGE, &from, &to);
        from = UTIL_MIN(from / GPU_PAGE, w->page_count);
        to = UTIL_MIN(util_div_up(to, GPU_PAGE), w->page_count);
        for (; p < from && !error; p++)
            error = look->hashes[p] ? look_at_page(look, p, true) : 0;
        for (; p < to && !error; p++)
            error = look_at_page(look, p, false);
    }
    capture_end_pages(&look->event);
    return error ? error : w->error;
}

static int write_setup(struct capture_writer *w)
{
    for (uint32_t n = 0; n < w->setup.count; n++) {
        uint8_t *at = capture_append(w, 9);
        if (!at)
            return w->error;
        at[0] = CAPTURE_EVENT_REGISTER;
        util_store32(at + 1, w->setup.at[n].offset);
        util_store32(at + 5, w->setup.at[n].value);
    }
    return 0;
}

int capture_write_pages(struct capture_writer *w, const struct capture_page *pages, uint32_t count)
{
    struct capture_pages_event event = {0};
    int error = w->error;
    for (uint32_t n = 0; n < count && !error; n++) {
        const uint64_t p = pages[n].address / GPU_PAGE;
        if (p >= w->page_count)
            return -EINVAL;
        w->known[p] = capture_page_hash(w, pages[n].bytes);
        error = capture_add_page(w, &event, pages[n].address, pages[n].bytes, !w->known[p]);
    }
    capture_end_pages(&event);
    return error;
}

int capture_write_state(struct capture_writer *w, const struct gpu_memory *memory)
{
    struct look look = {.writer = w, .memory = memory, .hashes = w->known};
    if (w->setup.lost)
        return -E2BIG;
    const int error = look_at_memory(&look);
    return error ? error : write_setup(w);
}

/* ---- restart points ---- */

static void put64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
}

static bool is_due(const struct capture_writer *w)
{
    static const struct capture_restart beginning;
    const struct capture_restart *last = w->index.count ? &w->index.at[w->index.count - 1] : &beginning;
    const uint64_t shown = w->counts.shown - last->before.shown, all = w->counts.all - last->before.all;
    const uint64_t events = w->position - w->restart_bytes;
    return w->interval && !w->setup.lost && !w->full && !w->error && w->index.count < CAPTURE_INDEX_MAX &&
           (shown >= w->interval || all / 4 >= w->interval) && w->restart_bytes < events + SPARE;
}

static int write_restart(struct capture_writer *w, const struct gpu_memory *memory, bool full)
{
    struct look look = {.writer = w, .memory = memory, .hashes = w->restarted};
    uint8_t *at = capture_append(w, 1 + CAPTURE_RESTART_BYTES);
    if (!at)
        return w->error;
    if (full)
        memset(w->restarted, 0, w->page_count * sizeof *w->restarted);
    at[0] = CAPTURE_EVENT_RESTART;
    at[1] = full ? CAPTURE_RESTART_FULL : 0;
    put64(at + 2, w->counts.shown);
    put64(at + 10, w->counts.all);
    int error = look_at_memory(&look);
    if (!error)
        error = write_setup(w);
    /* Before a chain has more pages than memory, a new one begins. */
    w->pages_in_chain = (full ? 0 : w->pages_in_chain) + look.written;
    if (w->pages_in_chain > 2 * look.standing)
        w->pages_in_chain = UINT64_MAX / 2;
    return error;
}

int capture_offer_restart(struct capture_writer *w, const struct gpu_memory *memory)
{
    if (!is_due(w))
        return w->error;
    const bool full = !w->index.count || w->pages_in_chain >= UINT64_MAX / 2;
    if (!w->restarted)
        w->restarted = calloc(w->page_count ? w->page_count : 1, sizeof *w->restarted);
    if (!w->restarted || capture_flush(w)) {
        w->interval = w->restarted ? w->interval : 0; /* without memory there are none */
        return w->error;
    }
    const struct capture_restart restart = {.offset = w->position, .before = w->counts, .full = full};
    w->chunk = CAPTURE_CHUNK_RESTART;
    int error = write_restart(w, memory, full);
    if (!error)
        error = capture_flush(w);
    w->chunk = CAPTURE_CHUNK_EVENTS;
    if (!error && !w->full && !UTIL_LIST_ADD(w->index, restart))
        w->interval = 0;
    return error;
}

int capture_write_index(struct capture_writer *w, uint32_t *size)
{
    const uint64_t before = w->position;
    uint8_t *at = w->plain;
    put64(at, w->written.shown);
    put64(at + 8, w->written.all);
    util_store32(at + 16, w->index.count);
    at += CAPTURE_INDEX_HEAD;
    for (uint32_t n = 0; n < w->index.count; n++, at += CAPTURE_INDEX_ENTRY) {
        const struct capture_restart *restart = &w->index.at[n];
        put64(at, restart->offset);
        put64(at + 8, restart->before.shown);
        put64(at + 16, restart->before.all);
        util_store32(at + 24, restart->full ? CAPTURE_RESTART_FULL : 0);
    }
    w->plain_size = (uint32_t)(at - w->plain);
    const int error = capture_write_chunk(w, CAPTURE_CHUNK_INDEX);
    *size = (uint32_t)(w->position - before);
    return error;
}
