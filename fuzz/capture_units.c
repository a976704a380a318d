/* A capture taken apart. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/capture_internal.h"
#include "util/bits.h"
#include "util/list.h"

enum { LINES_MAX = 8 << 20, PAGES_MAX = 64 << 10 };

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t n = 0; n < size; n++)
        if (bytes[n])
            return false;
    return true;
}

static int add_lines(struct fuzz_units *u, uint32_t unit, const uint8_t *bytes)
{
    for (uint32_t at = 0; at < GPU_PAGE && u->lines.count < LINES_MAX; at += FUZZ_EDIT_BYTES) {
        const struct fuzz_line line = {unit, (uint16_t)at};
        if (!is_zero(bytes + at, FUZZ_EDIT_BYTES) && !UTIL_LIST_ADD(u->lines, line))
            return -ENOMEM;
    }
    return 0;
}

static int add_page(struct fuzz_units *u, const struct capture_page *page, uint32_t *pages)
{
    struct fuzz_unit unit = {.event = u->events, .type = CAPTURE_EVENT_PAGES, .address = page->address};
    if (!is_zero(page->bytes, GPU_PAGE)) {
        uint8_t *copy = ++*pages > PAGES_MAX ? NULL : malloc(GPU_PAGE);
        if (!copy)
            return *pages > PAGES_MAX ? -E2BIG : -ENOMEM;
        memcpy(copy, page->bytes, GPU_PAGE);
        unit.bytes = copy;
    }
    if (!UTIL_LIST_ADD(*u, unit)) {
        free((void *)(uintptr_t)unit.bytes);
        return -ENOMEM;
    }
    return unit.bytes ? add_lines(u, u->count - 1, unit.bytes) : 0;
}

static int add_event(struct fuzz_units *u, const struct capture_event *event, uint32_t *pages)
{
    int err = 0;
    if (!util_list_grow((void **)&u->first, &u->event_room, u->events + 1, sizeof *u->first))
        return -ENOMEM;
    u->first[u->events] = u->count;
    if (event->type == CAPTURE_EVENT_PAGES) {
        for (uint32_t n = 0; !err && n < event->pages.count; n++)
            err = add_page(u, &event->pages.pages[n], pages);
    } else {
        struct fuzz_unit unit = {.event = u->events, .type = (uint8_t)event->type};
        const bool write = event->type == CAPTURE_EVENT_REGISTER || event->type == CAPTURE_EVENT_IRQ_REPLY;
        if (write) {
            unit.address = event->reg.offset;
            unit.value = event->reg.value;
        }
        if (!UTIL_LIST_ADD(*u, unit) || (write && !UTIL_LIST_ADD(u->registers, u->count - 1)))
            return -ENOMEM;
    }
    u->first[++u->events] = u->count;
    return err;
}

int fuzz_units_read(struct fuzz_units *u, struct capture_reader *reader, struct util_error *error)
{
    struct capture_event event;
    struct capture_info info;
    uint32_t pages = 0;
    int err;
    while (!(err = capture_read(reader, &event, error)) && event.type != CAPTURE_EVENT_END)
        if ((err = add_event(u, &event, &pages)))
            return util_fail(error, err, err == -E2BIG ? "more than %u pages" : "out of memory", PAGES_MAX);
    capture_reader_info(reader, &info);
    capture_reader_rewind(reader);
    if (!err && info.torn)
        err = util_fail(error, -EBADMSG, "the capture is cut off after its last whole chunk");
    if (!err && !u->registers.count)
        err = util_fail(error, -EBADMSG, "a capture in which nothing is done");
    return err;
}

static int add_regions(struct fuzz_units *u, const struct isa_set *set, uint32_t unit, uint32_t at,
                       size_t bytes)
{
    const struct fuzz_region region = {set, unit, (uint16_t)at,
                                       (uint16_t)UTIL_MIN(bytes, (size_t)(GPU_PAGE - at))};
    return UTIL_LIST_ADD(u->regions, region) ? 0 : -ENOMEM;
}

int fuzz_units_find(struct fuzz_units *u, const struct isa_set *set, const uint8_t *words, size_t bytes)
{
    const size_t head = UTIL_MIN(bytes, (size_t)32);
    int err = 0;
    for (uint32_t n = 0; !err && head && n < u->count; n++) {
        const uint8_t *page = u->at[n].bytes;
        const uint8_t *place = page ? memmem(page, GPU_PAGE, words, head) : NULL;
        if (place)
            err = add_regions(u, set, n, (uint32_t)(place - page), bytes);
    }
    return err;
}

void fuzz_units_finish(struct fuzz_units *u)
{
    for (uint32_t n = 0; n < u->count; n++)
        free((void *)(uintptr_t)u->at[n].bytes);
    free(u->at);
    free(u->first);
    free(u->lines.at);
    free(u->regions.at);
    free(u->registers.at);
}
