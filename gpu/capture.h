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
 *   chunk    u32 "CHNK"; u32 type (1 events, 2 end of the file, 3 restart point, 4 index); u32 stored size; u32 plain size (at most
 *            CAPTURE_CHUNK_MAX); u64 xxh3 of the stored bytes; u64 xxh3 of the 24 bytes before; the stored
 *            bytes: one zstd frame that unpacks to events. The end chunk stores nothing: a file without one is
 * torn. event    u8 type (enum capture_event_type), then PAGES: u32 count (1..CAPTURE_PAGES_MAX), and for
 * each page u64 address | kind: kind 0: 4096 bytes follow, kind 1: the page is all zero; REGISTER, IRQ_REPLY:
 * u32 offset, u32 value; FRAME: u64 address (u32 in version 1) and the six words of struct capture_frame
 * behind it, its layout and format as numbers of the file's own (capture_frame.c)
 *
 * From version 3 on a file has restart points, to begin from in its middle, and an index of them. Who reads from
 * the beginning skips both; who finds the index damaged, or the file torn, reads from the beginning.
 *
 *   restart  one or more chunks of type 3 behind a frame mark, the first of which begins with an event RESTART: u8 flags
 *            (1: it stands for itself; otherwise it changes the memory of the one before it), u64 frame marks
 *            before it that were shown, u64 all of them. Then PAGES: what differs in memory, what the device wrote
 *            there included, and REGISTER: writes that bring a fresh device to where it stood (gpu/setup.h)
 *   index    one chunk of type 4 before the end chunk, whose plain size is its bytes: u64 frame marks of the file
 *            that were shown, u64 all of them, u32 count; for each restart u64 file offset, u64 shown, u64 all,
 *            u32 flags
 *
 * Memory starts as zero. A page is written only when it differs from what the replay will hold at that place,
 * which the writer knows by the xxh3 of each page. */
#ifndef VITRAIL_GPU_CAPTURE_H
#define VITRAIL_GPU_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/memory.h"
#include "util/error.h"

#define CAPTURE_VERSION   3 /* written; all before are read too */
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

/* Frame marks. */
struct capture_counts {
    uint64_t shown, all;
};

struct capture_restart {
    uint64_t offset; /* in the file */
    struct capture_counts before;
    bool full; /* it stands for itself */
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
    bool restart; /* of a restart point that was sought, not what was recorded */
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
/* Pages as another capture has them, whatever the replay holds. */
int capture_write_pages(struct capture_writer *writer, const struct capture_page *pages, uint32_t count);
/* An event of another capture; behind a frame mark all so far reaches the file, and a restart point is offered. `memory`: the
 * guest's as the event finds it. Codes of the above. */
int capture_write_event(struct capture_writer *writer, const struct capture_event *event,
                        const struct gpu_memory *memory);
/* As capture_write_register, but the file does not get it: of what happened before it begins. */
void capture_note_register(struct capture_writer *writer, uint32_t offset, uint32_t value);
/* How a file begins that leaves out what was before: memory as it stands, and what brings the device to where it
 * stands. 0, -EIO, -ENOSPC, -ENOMEM, -E2BIG (too many registers). */
int capture_write_state(struct capture_writer *writer, const struct gpu_memory *memory);
/* A restart point after every `interval` pictures that are shown (four times as many that are not); 0: none,
 * which is so at first. As many fewer as make the file larger than twice its events and 64 MiB. */
void capture_set_interval(struct capture_writer *writer, uint32_t interval);
/* Behind a frame mark, while the device has no work: writes a restart point if one is due. Codes as
 * capture_write_range. */
int capture_offer_restart(struct capture_writer *writer, const struct gpu_memory *memory);
/* What would make the file larger than that is left out, with all that follows; the index still comes behind it. 0:
 * any size. */
void capture_set_limit(struct capture_writer *writer, uint64_t bytes);
/* Whether something was left out; *shown: frame marks in the file that were shown. */
bool capture_writer_is_full(const struct capture_writer *writer, uint64_t *shown);
uint64_t capture_writer_size(const struct capture_writer *writer); /* bytes in the file; by any thread */
int capture_flush(struct capture_writer *writer);                  /* all so far reaches the file */
int capture_writer_close(struct capture_writer *writer);           /* flushes, frees; NULL is accepted */

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
/* Of the whole file, if it has an index; false: nobody knows before it was read. */
bool capture_reader_counts(const struct capture_reader *reader, struct capture_counts *out);
/* Goes to the last restart point before picture `number` (from 1; `shown`: of those that are shown alone), else to the
 * beginning; *before: frame marks that are left out. What is read then belongs to a fresh device and zeroed memory.
 * */
void capture_reader_seek(struct capture_reader *reader, bool shown, uint64_t number,
                         struct capture_counts *before);
/* Restart point n of the index, from 0, as the index has it; *bytes that it takes in the file. False: there are no more. */
bool capture_reader_restart(struct capture_reader *reader, uint32_t n, struct capture_restart *out,
                            uint64_t *bytes);
uint64_t capture_reader_position(const struct capture_reader *reader); /* bytes consumed, for progress */
void capture_reader_rewind(struct capture_reader *reader);
/* Before an event is handed out `edit` is asked, with its number in the file, from 0; it may change it, and what it then points
 * to is the editor's until the next read. False: the event is left out. Of a reader that reads from the beginning, and is
 * rewound, alone. NULL: nobody is asked. */
typedef bool (*capture_edit_fn)(void *data, uint64_t number, struct capture_event *event);
void capture_reader_set_editor(struct capture_reader *reader, capture_edit_fn edit, void *data);
void capture_reader_close(struct capture_reader *reader);

#endif
