/* Captures: what a device was given - memory pages, register writes, marks - in a file that replays without
 * driver or guest.
 *
 * A file is a header and a sequence of chunks. A file torn at any byte is read up to its last whole chunk,
 * and the tear is reported; a writer flushes after each submit, so a killed recorder loses nothing that was
 * acknowledged. All integers are little-endian, all lengths are checked before use, and reserved bits are
 * zero.
 *
 *   header   8 bytes "VITRAIL\n"; u32 version; u32 length of the command; u64 memory size; 16 bytes GPU name,
 *            zero-padded; u64 xxh3 of the 40 bytes before and of the command; the command, no NUL
 *   chunk    u32 "CHNK"; u32 type (1 events, 2 end of the file); u32 stored size; u32 plain size (at most
 *            CAPTURE_CHUNK_MAX); u64 xxh3 of the stored bytes; u64 xxh3 of the 24 bytes before; the stored
 *            bytes: one zstd frame that unpacks to events. The end chunk is empty: a file without one is
 * torn. event    u8 type (enum capture_event_type), then PAGES: u32 count (1..CAPTURE_PAGES_MAX), and for
 * each page u64 address | kind: kind 0: 4096 bytes follow, kind 1: the page is all zero; REGISTER, IRQ_REPLY:
 * u32 offset, u32 value; FRAME: u64 address (u32 in version 1) and the six words of struct capture_frame
 * behind it, its layout and format as numbers of the file's own (capture_frame.c)
 *
 * Memory starts as zero. A page is written only when it differs from what the replay will hold at that place,
 * which the writer knows by the xxh3 of each page. */
#ifndef VITRAIL_GPU_CAPTURE_H
#define VITRAIL_GPU_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/memory.h"
#include "util/error.h"

#define CAPTURE_VERSION   2 /* written; version 1 is read too */
#define CAPTURE_CHUNK_MAX (4u << 20)
#define CAPTURE_PAGES_MAX 256u

enum capture_event_type {
    CAPTURE_EVENT_END,       /* no more events */
    CAPTURE_EVENT_PAGES,     /* pages to copy into guest memory before what follows */
    CAPTURE_EVENT_REGISTER,  /* a register write */
    CAPTURE_EVENT_IRQ_REPLY, /* register writes made in answer to an interrupt: BPOA/BPOS supplied on
                                out-of-memory */
    CAPTURE_EVENT_FRAME,     /* a picture is complete */
};

/* What a frame mark says: where the picture stands. `layout` is enum raster_layout, `format` enum
 * raster_format, the stride struct raster_surface's. A device that stores words and does not know which of
 * their bytes is red calls them B8G8R8A8_UNORM, as displays have them (XRGB8888). */
struct capture_frame {
    uint64_t address;
    uint32_t width, height, layout, format, stride;
    uint32_t presented; /* 1: shown by page flip or mode set; 0: the end of a rendering job */
};

struct capture_page {
    uint64_t address;     /* multiple of GPU_PAGE */
    const uint8_t *bytes; /* GPU_PAGE of them, owned by the reader, valid until the next read */
};

struct capture_event {
    enum capture_event_type type;
    union {
        struct {
            const struct capture_page *pages;
            uint32_t count;
        } pages;
        struct {
            uint32_t offset, value;
        } reg;
        struct capture_frame frame;
    };
};

/* ---- writing ---- */
struct capture_writer;
/* gpu: "vc4"; command: what was run, for `vitrail info`. 0, -errno of open, -ENOMEM. Existing files are
 * replaced. */
int capture_writer_create(const char *path, const char *gpu, const char *command, uint64_t memory_size,
                          struct capture_writer **out, struct util_error *error);
/* Writes those pages of [address, address + size) that differ from what the replay will hold. 0 or -EIO,
 * -ENOSPC, -ENOMEM. */
int capture_write_range(struct capture_writer *writer, const struct gpu_memory *memory, uint64_t address,
                        uint64_t size);
/* Tells the writer that the device itself wrote this range (the replay will hold the same). */
int capture_note_device_write(struct capture_writer *writer, const struct gpu_memory *memory,
                              uint64_t address, uint64_t size);
int capture_write_register(struct capture_writer *writer, uint32_t offset, uint32_t value, bool irq_reply);
/* Or -EINVAL: a layout or format that has no number in files. */
int capture_write_frame(struct capture_writer *writer, const struct capture_frame *frame);
int capture_flush(struct capture_writer *writer);        /* all so far reaches the file */
int capture_writer_close(struct capture_writer *writer); /* flushes, frees; NULL is accepted */

/* ---- reading ---- */
struct capture_reader;
struct capture_info {
    uint32_t version;
    char gpu[16];
    char command[256];
    uint64_t memory_size, file_size;
    bool torn; /* known after the last event was read */
};
/* 0, -errno of open, -EBADMSG (not a capture, damaged header), -ENOTSUP (version), -ENOMEM. */
int capture_reader_open(const char *path, struct capture_reader **out, struct util_error *error);
int capture_reader_from_memory(const uint8_t *bytes, uint64_t size, struct capture_reader **out,
                               struct util_error *error);
void capture_reader_info(const struct capture_reader *reader, struct capture_info *out);
/* 0 with an event (CAPTURE_EVENT_END at the end, also of a torn file), or -EBADMSG with the byte offset
 * named. */
int capture_read(struct capture_reader *reader, struct capture_event *out, struct util_error *error);
uint64_t capture_reader_position(const struct capture_reader *reader); /* bytes consumed, for progress */
void capture_reader_rewind(struct capture_reader *reader);
void capture_reader_close(struct capture_reader *reader);

#endif
