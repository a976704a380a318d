/* Reading captures. Nothing in a file is believed before it is checked: a damaged file gives -EBADMSG with
 * the place, a torn one ends early. */
#include "gpu/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "gpu/capture_internal.h"
#include "util/bits.h"
#include "util/checked.h"
#include "util/files.h"

static const uint8_t zero_page[GPU_PAGE];

uint64_t capture_header_hash(const uint8_t *header, const uint8_t *command, uint32_t length)
{
    return XXH3_64bits_withSeed(command, length, XXH3_64bits(header, 40));
}

int capture_read_at(const struct capture_reader *r, uint64_t at, void *out, size_t size)
{
    if (r->fd < 0) {
        memcpy(out, r->bytes + at, size);
        return 0;
    }
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(r->fd, (uint8_t *)out + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -EIO;
        done += (size_t)n;
    }
    return 0;
}

static int damaged(const struct capture_reader *r, struct util_error *error, uint64_t at, const char *what)
{
    (void)r;
    return util_fail(error, -EBADMSG, "capture, byte %llu: %s", (unsigned long long)at, what);
}

/* ---- chunks ---- */

static int torn(struct capture_reader *r)
{
    r->info.torn = true;
    r->ended = true;
    return 0;
}

bool capture_chunk_is(const uint8_t head[CAPTURE_CHUNK_HEADER], uint32_t type)
{
    return util_load64(head + 24) == XXH3_64bits(head, 24) && util_load32(head) == CAPTURE_CHUNK_MAGIC &&
           util_load32(head + 4) == type;
}

/* The end stores nothing; since there is an index it says how long that is. */
static int read_end(struct capture_reader *r, uint32_t stored, uint32_t plain, struct util_error *error)
{
    if (stored || (plain && r->info.version < CAPTURE_WITH_INDEX))
        return damaged(r, error, r->at, "impossible chunk");
    r->ended = true;
    r->at += CAPTURE_CHUNK_HEADER;
    return r->at == r->info.file_size ? 0 : damaged(r, error, r->at, "bytes after the end");
}

int capture_read_chunk(struct capture_reader *r, uint32_t unpack, uint32_t *out, struct util_error *error)
{
    uint8_t head[CAPTURE_CHUNK_HEADER];
    if (!util_in_range(r->at, sizeof head, r->info.file_size))
        return torn(r);
    if (capture_read_at(r, r->at, head, sizeof head))
        return util_fail(error, -EIO, "capture, byte %llu: cannot read", (unsigned long long)r->at);
    const uint32_t type = util_load32(head + 4), stored = util_load32(head + 8),
                   plain = util_load32(head + 12);
    if (!capture_chunk_is(head, type))
        return damaged(r, error, r->at, "damaged chunk header");
    if (type == CAPTURE_CHUNK_END)
        return read_end(r, stored, plain, error);
    const uint32_t last = r->info.version < CAPTURE_WITH_INDEX ? CAPTURE_CHUNK_END : CAPTURE_CHUNK_INDEX;
    if (!type || type > last || !plain || plain > CAPTURE_CHUNK_MAX || !stored ||
        stored > ZSTD_compressBound(CAPTURE_CHUNK_MAX))
        return damaged(r, error, r->at, "impossible chunk");
    if (!util_in_range(r->at + sizeof head, stored, r->info.file_size))
        return torn(r);
    if (capture_read_at(r, r->at + sizeof head, r->stored, stored))
        return util_fail(error, -EIO, "capture, byte %llu: cannot read", (unsigned long long)r->at);
    if (util_load64(head + 16) != XXH3_64bits(r->stored, stored))
        return damaged(r, error, r->at, "chunk checksum does not match");
    r->plain_size = r->cursor = 0;
    if (unpack >> type & 1) {
        size_t unpacked = ZSTD_decompressDCtx(r->zstd, r->plain, plain, r->stored, stored);
        if (ZSTD_isError(unpacked) || unpacked != plain)
            return damaged(r, error, r->at, "chunk does not unpack");
        r->plain_size = plain;
    }
    r->chunk_at = r->at;
    r->at += sizeof head + stored;
    *out = type;
    return 1;
}

/* Behind the parts of one of the restart points that were sought: the next of them, or what follows the last. */
static bool leave_restart(struct capture_reader *r)
{
    if (r->restart == r->restart_end || ++r->restart == r->restart_end)
        return false;
    r->at = r->index.at[r->restart].offset;
    return true;
}

/* Loads the next chunk of events; sets r->ended at the end. Restart points that were not sought, and the index,
 * are only looked through. */
static int next_chunk(struct capture_reader *r, struct util_error *error)
{
    for (;;) {
        const uint64_t at = r->at;
        const bool sought = r->restart != r->restart_end;
        uint32_t type = CAPTURE_CHUNK_END;
        const int got = capture_read_chunk(
            r, sought ? 1u << CAPTURE_CHUNK_RESTART : 1u << CAPTURE_CHUNK_EVENTS, &type, error);
        if (got <= 0)
            return got;
        const bool first = at == (sought ? r->index.at[r->restart].offset : 0);
        r->in_restart = sought && type == CAPTURE_CHUNK_RESTART;
        if (r->in_restart && first)
            r->cursor = 1 + CAPTURE_RESTART_BYTES;
        if (r->in_restart || (!sought && type == CAPTURE_CHUNK_EVENTS))
            return 0;
        if (sought && !leave_restart(r))
            r->at = at; /* this chunk again, as what follows */
    }
}

/* ---- events ---- */

static int bad_event(const struct capture_reader *r, struct util_error *error, const char *what)
{
    return util_fail(error, -EBADMSG, "capture, chunk at byte %llu, byte %u in it: %s",
                     (unsigned long long)r->chunk_at, r->cursor, what);
}

/* The next `size` bytes of the chunk; NULL when there are fewer. */
static const uint8_t *take(struct capture_reader *r, uint32_t size)
{
    if (size > r->plain_size - r->cursor)
        return NULL;
    const uint8_t *at = r->plain + r->cursor;
    r->cursor += size;
    return at;
}

static int read_pages(struct capture_reader *r, struct capture_event *out, struct util_error *error)
{
    const uint8_t *at = take(r, 4);
    uint32_t count = at ? util_load32(at) : 0;
    if (!count || count > CAPTURE_PAGES_MAX)
        return bad_event(r, error, "impossible number of pages");
    for (uint32_t i = 0; i < count; i++) {
        at = take(r, 8);
        if (!at)
            return bad_event(r, error, "pages run out of the chunk");
        uint64_t word = util_load64(at), kind = word & CAPTURE_PAGE_KINDS, address = word - kind;
        if (!util_in_range(address, GPU_PAGE, r->info.memory_size) || kind > CAPTURE_PAGE_ZERO)
            return bad_event(r, error, "page outside memory, or of unknown kind");
        const uint8_t *bytes = kind == CAPTURE_PAGE_ZERO ? zero_page : take(r, GPU_PAGE);
        if (!bytes)
            return bad_event(r, error, "pages run out of the chunk");
        r->pages[i] = (struct capture_page){.address = address, .bytes = bytes};
    }
    out->pages.pages = r->pages;
    out->pages.count = count;
    return 0;
}

static int read_frame(struct capture_reader *r, struct capture_event *out, struct util_error *error)
{
    const uint8_t *at = take(r, capture_frame_bytes(r->info.version));
    if (!at)
        return bad_event(r, error, "frame mark runs out of the chunk");
    capture_frame_get(at, r->info.version, &out->frame);
    return 0;
}

static int read_event(struct capture_reader *r, struct capture_event *out, struct util_error *error)
{
    while (!r->ended && r->cursor == r->plain_size) {
        int failed = next_chunk(r, error);
        if (failed)
            return failed;
    }
    if (r->ended) {
        out->type = CAPTURE_EVENT_END;
        return 0;
    }
    uint8_t type = *take(r, 1);
    const uint8_t *at;
    if (r->in_restart && type != CAPTURE_EVENT_PAGES && type != CAPTURE_EVENT_REGISTER)
        return bad_event(r, error, "event that no restart point has");
    out->type = (enum capture_event_type)type;
    out->restart = r->in_restart;
    switch (type) {
    case CAPTURE_EVENT_PAGES: return read_pages(r, out, error);
    case CAPTURE_EVENT_REGISTER:
    case CAPTURE_EVENT_IRQ_REPLY:
        at = take(r, 8);
        if (!at)
            return bad_event(r, error, "register write runs out of the chunk");
        out->reg.offset = util_load32(at);
        out->reg.value = util_load32(at + 4);
        return 0;
    case CAPTURE_EVENT_FRAME: return read_frame(r, out, error);
    default: return bad_event(r, error, "unknown event");
    }
}

static bool is_left_out(struct capture_reader *r, struct capture_event *event)
{
    return r->edit && event->type != CAPTURE_EVENT_END && !r->edit(r->edit_data, r->events++, event);
}

int capture_read(struct capture_reader *r, struct capture_event *out, struct util_error *error)
{
    int failed;
    do /* of several restart points only the last one's registers count */
        failed = read_event(r, out, error);
    while (!failed &&
           ((out->type == CAPTURE_EVENT_REGISTER && r->in_restart && r->restart + 1 != r->restart_end) ||
            is_left_out(r, out)));
    return failed;
}

/* ---- opening ---- */

static int read_header(struct capture_reader *r, struct util_error *error)
{
    uint8_t head[CAPTURE_HEADER_SIZE], command[CAPTURE_COMMAND_MAX];
    if (r->info.file_size < sizeof head)
        return damaged(r, error, 0, "too short for a capture");
    if (capture_read_at(r, 0, head, sizeof head))
        return util_fail(error, -EIO, "capture: cannot read");
    if (memcmp(head, CAPTURE_MAGIC, 8) != 0)
        return damaged(r, error, 0, "not a capture");
    r->info.version = util_load32(head + 8);
    if (!r->info.version || r->info.version > CAPTURE_VERSION)
        return util_fail(error, -ENOTSUP, "capture of version %u; this program reads versions 1 to %u",
                         r->info.version, CAPTURE_VERSION);
    uint32_t length = util_load32(head + 12);
    if (length > CAPTURE_COMMAND_MAX || !util_in_range(sizeof head, length, r->info.file_size))
        return damaged(r, error, 12, "impossible length of the command");
    if (capture_read_at(r, sizeof head, command, length))
        return util_fail(error, -EIO, "capture: cannot read");
    if (util_load64(head + 40) != capture_header_hash(head, command, length))
        return damaged(r, error, 40, "header checksum does not match");
    r->info.memory_size = util_load64(head + 16);
    if (!r->info.memory_size || r->info.memory_size > 1ull << 32 || r->info.memory_size % GPU_PAGE)
        return damaged(r, error, 16, "impossible memory size");
    memcpy(r->info.gpu, head + 24, CAPTURE_GPU_MAX);
    memcpy(r->info.command, command, length);
    r->first = r->at = sizeof head + length;
    return 0;
}

/* Finishes opening; closes the reader on failure. */
static int open_reader(struct capture_reader *r, struct capture_reader **out, struct util_error *error)
{
    r->plain = malloc(CAPTURE_CHUNK_MAX);
    r->stored = malloc(ZSTD_compressBound(CAPTURE_CHUNK_MAX));
    r->zstd = ZSTD_createDCtx();
    int code = r->plain && r->stored && r->zstd ? read_header(r, error)
                                                : util_fail(error, -ENOMEM, "capture: no memory");
    if (code) {
        capture_reader_close(r);
        return code;
    }
    capture_find_index(r);
    *out = r;
    return 0;
}

int capture_reader_open(const char *path, struct capture_reader **out, struct util_error *error)
{
    struct stat status;
    struct capture_reader *r = calloc(1, sizeof *r);
    if (!r)
        return util_fail(error, -ENOMEM, "%s: no memory", path);
    r->fd = util_open(path, O_RDONLY, 0);
    int code = r->fd < 0 ? r->fd : util_fstat(r->fd, &status);
    if (code) {
        capture_reader_close(r);
        return util_fail(error, code, "%s: %s", path, strerror(-code));
    }
    if (!S_ISREG(status.st_mode)) {
        capture_reader_close(r);
        return util_fail(error, -EBADMSG, "%s: not a regular file", path);
    }
    r->info.file_size = (uint64_t)status.st_size;
    return open_reader(r, out, error);
}

int capture_reader_from_memory(const uint8_t *bytes, uint64_t size, struct capture_reader **out,
                               struct util_error *error)
{
    struct capture_reader *r = calloc(1, sizeof *r);
    if (!r)
        return util_fail(error, -ENOMEM, "capture: no memory");
    r->fd = -1;
    r->bytes = bytes;
    r->info.file_size = size;
    return open_reader(r, out, error);
}

void capture_reader_info(const struct capture_reader *r, struct capture_info *out)
{
    *out = r->info;
}

uint64_t capture_reader_position(const struct capture_reader *r)
{
    return r->at;
}

void capture_reader_set_editor(struct capture_reader *r, capture_edit_fn edit, void *data)
{
    r->edit = edit;
    r->edit_data = data;
    r->events = 0;
}

void capture_reader_rewind(struct capture_reader *r)
{
    r->at = r->first;
    r->plain_size = r->cursor = 0;
    r->restart = r->restart_end = 0;
    r->in_restart = false;
    r->events = 0;
    r->ended = r->info.torn = false;
}

void capture_reader_close(struct capture_reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    ZSTD_freeDCtx(r->zstd);
    free(r->index.at);
    free(r->plain);
    free(r->stored);
    free(r);
}
