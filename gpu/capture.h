/* Captures: what a device was given - memory pages, register writes, marks - in a file that replays without
 * driver or guest.
 *
 * A file is a header and a sequence of chunks; each chunk has its type, its stored and its plain size, an
 * xxh3 checksum of the stored bytes and a zstd payload. A file torn at any byte is read up to its last whole
 * chunk, and the tear is reported; a writer flushes after each submit, so a killed recorder loses nothing
 * that was acknowledged. All integers little-endian. Lengths are checked before use. */
#ifndef VITRAIL_GPU_CAPTURE_H
#define VITRAIL_GPU_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/memory.h"
#include "util/error.h"

#define CAPTURE_VERSION 1

enum capture_event_type {
    CAPTURE_EVENT_END,       /* no more events */
    CAPTURE_EVENT_PAGES,     /* pages to copy into guest memory before what follows */
    CAPTURE_EVENT_REGISTER,  /* a register write */
    CAPTURE_EVENT_IRQ_REPLY, /* register writes made in answer to an interrupt: BPOA/BPOS supplied on
                                out-of-memory */
    CAPTURE_EVENT_FRAME,     /* a picture is complete */
};

/* What a frame mark says: where the picture stands. Values as in struct vc4_frame (raster enums); kind tells
 * who marked it. */
struct capture_frame {
    uint32_t address, width, height, layout, format, stride;
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
