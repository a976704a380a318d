/* The index of a capture, as it is read. It only saves time: nothing of it is believed before the restart
 * point that it names says the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/capture_internal.h"
#include "util/bits.h"
#include "util/list.h"

/* The chunk in hand as an index. */
static bool take_index(struct capture_reader *r)
{
    const uint8_t *at = r->plain;
    if (r->plain_size < CAPTURE_INDEX_HEAD)
        return false;
    r->total = (struct capture_counts){util_load64(at), util_load64(at + 8)};
    const uint32_t count = util_load32(at + 16);
    at += CAPTURE_INDEX_HEAD;
    if (count > CAPTURE_INDEX_MAX || r->plain_size != CAPTURE_INDEX_HEAD + count * CAPTURE_INDEX_ENTRY ||
        r->total.shown > r->total.all)
        return false;
    struct capture_counts last = {0};
    uint64_t offset = r->first;
    for (uint32_t n = 0; n < count; n++, at += CAPTURE_INDEX_ENTRY) {
        const struct capture_restart restart = {.offset = util_load64(at),
                                                .before = {util_load64(at + 8), util_load64(at + 16)},
                                                .full = util_load32(at + 24) & CAPTURE_RESTART_FULL};
        const bool follows = restart.offset >= offset && restart.offset < r->info.file_size &&
                             restart.before.shown >= last.shown && restart.before.all >= last.all &&
                             restart.before.shown <= r->total.shown && restart.before.all <= r->total.all &&
                             (n || restart.full);
        if (!follows || !UTIL_LIST_ADD(r->index, restart))
            return false;
        last = restart.before;
        offset = restart.offset + 1;
    }
    return true;
}

/* The bytes of the index before the end's chunk, 0: it has none. */
static uint32_t index_bytes(struct capture_reader *r)
{
    uint8_t head[CAPTURE_CHUNK_HEADER];
    if (r->info.version < CAPTURE_WITH_INDEX || r->info.file_size < r->first + sizeof head ||
        capture_read_at(r, r->info.file_size - sizeof head, head, sizeof head) ||
        !capture_chunk_is(head, CAPTURE_CHUNK_END))
        return 0;
    const uint32_t bytes = util_load32(head + 12);
    return bytes <= r->info.file_size - sizeof head - r->first ? bytes : 0;
}

void capture_find_index(struct capture_reader *r)
{
    const uint32_t bytes = index_bytes(r);
    uint32_t type;
    if (bytes) {
        r->at = r->info.file_size - CAPTURE_CHUNK_HEADER - bytes;
        r->has_index = capture_read_chunk(r, 1u << CAPTURE_CHUNK_INDEX, &type, NULL) == 1 &&
                       type == CAPTURE_CHUNK_INDEX && take_index(r);
        if (!r->has_index)
            r->index.count = 0;
    }
    capture_reader_rewind(r);
}

bool capture_reader_counts(const struct capture_reader *r, struct capture_counts *out)
{
    *out = r->total;
    return r->has_index;
}

bool capture_reader_restart(struct capture_reader *r, uint32_t n, struct capture_restart *out,
                            uint64_t *bytes)
{
    uint8_t head[CAPTURE_CHUNK_HEADER];
    if (n >= r->index.count)
        return false;
    *out = r->index.at[n];
    *bytes = 0;
    while (*bytes < r->info.file_size - out->offset &&
           !capture_read_at(r, out->offset + *bytes, head, sizeof head) &&
           capture_chunk_is(head, CAPTURE_CHUNK_RESTART))
        *bytes += sizeof head + util_load32(head + 8);
    return true;
}

/* Whether the restart point says of itself what the index says of it. */
static bool is_restart(struct capture_reader *r, const struct capture_restart *restart)
{
    uint32_t type;
    r->at = restart->offset;
    return capture_read_chunk(r, 1u << CAPTURE_CHUNK_RESTART, &type, NULL) == 1 &&
           type == CAPTURE_CHUNK_RESTART && r->plain_size > CAPTURE_RESTART_BYTES &&
           r->plain[0] == CAPTURE_EVENT_RESTART &&
           r->plain[1] == (restart->full ? CAPTURE_RESTART_FULL : 0) &&
           util_load64(r->plain + 2) == restart->before.shown &&
           util_load64(r->plain + 10) == restart->before.all;
}

void capture_reader_seek(struct capture_reader *r, bool shown, uint64_t number, struct capture_counts *before)
{
    uint32_t end = 0, first;
    while (end < r->index.count &&
           (shown ? r->index.at[end].before.shown : r->index.at[end].before.all) < number)
        end++;
    bool good = end > 0;
    for (first = end; good && first-- > 0;) {
        good = is_restart(r, &r->index.at[first]);
        if (r->index.at[first].full)
            break;
    }
    capture_reader_rewind(r);
    *before = good ? r->index.at[end - 1].before : (struct capture_counts){0};
    if (!good)
        return;
    r->at = r->index.at[first].offset;
    r->restart = first;
    r->restart_end = end;
}
