/* What the parts of the writer (capture_write.c, capture_restart.c) and of the reader (capture.c,
 * capture_index.c) share. */
#ifndef VITRAIL_GPU_CAPTURE_INTERNAL_H
#define VITRAIL_GPU_CAPTURE_INTERNAL_H

#include <zstd.h>

#include "gpu/capture_format.h"
#include "gpu/setup.h"

/* ---- writing ---- */

/* known[page] is the xxh3 of what the replay holds there, XORed with that of a zero page, so that the table
 * starts as zero. A page that the device and the program may both have changed is unknown. */
#define CAPTURE_UNKNOWN 1ull

struct capture_index {
    struct capture_restart *at; /* as they follow each other */
    uint32_t count, room;
};

struct capture_writer {
    int fd;
    int error; /* the first failure stays */
    char gpu[CAPTURE_GPU_MAX + 1];
    uint64_t *known;
    uint64_t page_count, zero_hash;
    uint8_t *plain, *stored;
    uint32_t plain_size;
    uint32_t chunk; /* what `plain` becomes: CAPTURE_CHUNK_EVENTS or _RESTART */
    ZSTD_CCtx *zstd;
    uint64_t position, limit;      /* of the file: bytes written, and at most to be; 0: any number */
    bool full;                     /* the limit is reached: nothing more is written but the end */
    struct capture_counts written; /* those that are in the file */
    struct capture_counts counts;  /* of frame marks so far */
    struct gpu_setup setup;
    /* Restart points. */
    uint32_t interval;
    uint64_t *restarted;     /* as `known`, of the restart before; NULL: there is none */
    uint64_t restart_bytes;  /* of the file */
    uint64_t pages_in_chain; /* of those since the last that stands for itself, itself too */
    struct capture_index index;
};

/* Room for `size` bytes of events, which stay in one chunk; NULL after a failure. */
uint8_t *capture_append(struct capture_writer *writer, uint32_t size);
int capture_write_chunk(struct capture_writer *writer, uint32_t type);
uint64_t capture_page_hash(const struct capture_writer *writer, const uint8_t *page);

/* A PAGES event in the making: its count is filled in when it is complete. */
struct capture_pages_event {
    uint8_t *head;
    uint32_t count;
};
int capture_add_page(struct capture_writer *writer, struct capture_pages_event *event, uint64_t address,
                     const uint8_t *bytes, bool zero);
void capture_end_pages(struct capture_pages_event *event);
/* The index as a chunk before the end's; its bytes in the file go to *size. */
int capture_write_index(struct capture_writer *writer, uint32_t *size);

/* ---- reading ---- */

struct capture_reader {
    int fd;               /* -1: from memory */
    const uint8_t *bytes; /* from memory: borrowed */
    struct capture_info info;
    uint64_t first, at; /* file offsets: of the first chunk, of the next */
    bool ended;
    /* The chunk in hand. */
    uint64_t chunk_at; /* its file offset */
    uint8_t *plain, *stored;
    uint32_t plain_size, cursor;
    bool in_restart; /* it is a part of a restart point */
    ZSTD_DCtx *zstd;
    struct capture_page pages[CAPTURE_PAGES_MAX];
    capture_edit_fn edit; /* NULL: none */
    void *edit_data;
    uint64_t events; /* that it was asked for */
    /* Where the file has an index. */
    bool has_index;
    struct capture_counts total;
    struct capture_index index;
    uint32_t restart, restart_end; /* those still to be read, when sought */
};

/* Reads the chunk at r->at, checks it, and goes behind it; one whose type has its bit in `unpack` stands in r->plain
 * then, else that is empty. 1, 0 at the end (a torn one too), or -EBADMSG, -EIO after a message. `type` is set with 1. */
int capture_read_chunk(struct capture_reader *reader, uint32_t unpack, uint32_t *type,
                       struct util_error *error);
/* Copies file bytes [at, at + size), which the caller knows to lie in the file. 0 or -EIO. */
int capture_read_at(const struct capture_reader *reader, uint64_t at, void *out, size_t size);
/* Whether it is the header of a chunk of that type, and whole. */
bool capture_chunk_is(const uint8_t head[CAPTURE_CHUNK_HEADER], uint32_t type);
/* Looks for the index; a file whose index is damaged has none. Leaves the reader at its first chunk. */
void capture_find_index(struct capture_reader *reader);

#endif
