/* Plays captures: pages into guest memory, register writes to the device, interrupts answered as they were.
 */
#include "gpu/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "raster/surface.h"
#include "util/bits.h"

#define PICTURE_MAX 16384u /* util/image.h */
#define TILE        64u

struct replay {
    struct capture_reader *reader;
    struct gpu_memory memory;
    struct vc4_options options;
    struct vc4_device *device;
    /* An event that the interrupt handler read and did not want. */
    struct capture_event kept;
    bool has_kept;
    bool has_presented;
    double device_wall, device_cpu; /* seconds inside register writes and page copies */
    int read_error;                 /* met inside the interrupt handler */
    struct util_error error;
};

static int next_event(struct replay *replay, struct capture_event *out)
{
    if (replay->has_kept) {
        replay->has_kept = false;
        *out = replay->kept;
        return 0;
    }
    return capture_read(replay->reader, out, &replay->error);
}

/* The recorded driver's answers to "out of memory" follow the write that started the list: they are given
 * until the interrupt is answered. */
static void on_interrupt(void *data, uint32_t pending)
{
    struct replay *replay = data;
    while (pending & VC4_INT_OUTOMEM && vc4_read(replay->device, VC4_INTCTL) & VC4_INT_OUTOMEM) {
        struct capture_event event;
        replay->read_error = next_event(replay, &event);
        if (replay->read_error)
            return;
        if (event.type != CAPTURE_EVENT_IRQ_REPLY) {
            replay->kept = event;
            replay->has_kept = true;
            return;
        }
        vc4_write(replay->device, event.reg.offset, event.reg.value);
    }
}

static int make_device(struct replay *replay)
{
    int error = vc4_device_create(&replay->memory, &replay->options, &replay->device);
    if (!error)
        vc4_device_set_irq(replay->device, on_interrupt, replay);
    return error;
}

int replay_create(struct capture_reader *reader, const struct vc4_options *options, struct replay **out,
                  struct util_error *error)
{
    struct capture_info info;
    capture_reader_info(reader, &info);
    if (strcmp(info.gpu, "vc4") != 0)
        return util_fail(error, -ENOTSUP, "capture of a '%s', which is not among the GPUs here", info.gpu);
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return util_fail(error, -ENOMEM, "no memory");
    replay->options = *options;
    int code = gpu_memory_create(info.memory_size, &replay->memory);
    if (!code)
        code = make_device(replay);
    if (code) {
        replay_destroy(replay);
        return util_fail(error, code, "no guest memory of %llu bytes", (unsigned long long)info.memory_size);
    }
    replay->reader = reader;
    *out = replay;
    return 0;
}

void replay_destroy(struct replay *replay)
{
    if (!replay)
        return;
    vc4_device_destroy(replay->device);
    gpu_memory_destroy(&replay->memory);
    capture_reader_close(replay->reader);
    free(replay);
}

int replay_rewind(struct replay *replay)
{
    vc4_device_destroy(replay->device);
    replay->device = NULL;
    if (fallocate(replay->memory.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  (off_t)replay->memory.size) < 0)
        memset(replay->memory.base, 0, replay->memory.size);
    capture_reader_rewind(replay->reader);
    replay->has_kept = false;
    replay->read_error = 0;
    return make_device(replay);
}

static int finish_error(struct replay *replay, int code, struct util_error *error)
{
    if (error && !error->code)
        *error = replay->error;
    replay->error = (struct util_error){0};
    return code;
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One event given to the device; the time it takes is the device's. */
static void give(struct replay *replay, const struct capture_event *event)
{
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

    if (event->type == CAPTURE_EVENT_PAGES) /* addresses were checked against the memory's size */
        for (uint32_t i = 0; i < event->pages.count; i++)
            memcpy(replay->memory.base + event->pages.pages[i].address, event->pages.pages[i].bytes,
                   GPU_PAGE);
    else
        vc4_write(replay->device, event->reg.offset, event->reg.value);
    replay->device_wall += seconds(CLOCK_MONOTONIC) - wall;
    replay->device_cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

void replay_device_time(const struct replay *replay, double *wall, double *cpu)
{
    *wall = replay->device_wall;
    *cpu = replay->device_cpu;
}

int replay_next_frame(struct replay *replay, bool presented_only, struct capture_frame *frame,
                      struct util_error *error)
{
    if (!replay->device)
        return util_fail(error, -EINVAL, "the device could not be made");
    for (;;) {
        struct capture_event event;
        int code = replay->read_error ? replay->read_error : next_event(replay, &event);
        if (code)
            return finish_error(replay, code, error);
        switch (event.type) {
        case CAPTURE_EVENT_END: return 0;
        case CAPTURE_EVENT_PAGES:
        case CAPTURE_EVENT_REGISTER:
        case CAPTURE_EVENT_IRQ_REPLY: give(replay, &event); break;
        case CAPTURE_EVENT_FRAME:
            replay->has_presented |= event.frame.presented != 0;
            if (presented_only && !event.frame.presented)
                break;
            *frame = event.frame;
            return 1;
        }
    }
}

/* ---- pictures ---- */

/* One tile's pixels into the picture; `rgba`: the lowest byte is red, otherwise blue is. */
static void copy_tile(const struct raster_tile *tile, bool rgba, struct util_image *out)
{
    uint32_t width = UTIL_MIN(TILE, out->width - (uint32_t)tile->x);
    uint32_t height = UTIL_MIN(TILE, out->height - (uint32_t)tile->y);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *to = out->pixels + (((size_t)tile->y + y) * out->width + (uint32_t)tile->x) * 4;
        for (uint32_t x = 0; x < width; x++, to += 4) {
            uint32_t word = tile->color[raster_pixel_index(tile, x, y, 0)];
            if (!rgba)
                word = (word & 0xff00ff00u) | (word & 0xff) << 16 | (word >> 16 & 0xff);
            util_store32(to, word);
        }
    }
}

int replay_picture(struct replay *replay, const struct capture_frame *frame, struct util_image *out)
{
    uint32_t format = frame->format & ~CAPTURE_FRAME_RGBA;
    struct raster_surface surface = {.width = frame->width,
                                     .height = frame->height,
                                     .layout = frame->layout,
                                     .format = format,
                                     .stride = frame->stride};
    uint64_t bytes;
    if (!frame->width || !frame->height || frame->width > PICTURE_MAX || frame->height > PICTURE_MAX ||
        format > RASTER_SURFACE_BGR565_DITHER || !raster_surface_size(&surface, &bytes))
        return -EINVAL;
    surface.base = gpu_memory_at(&replay->memory, frame->address, bytes);
    if (!surface.base)
        return -EFAULT;
    struct raster_tile *tile = aligned_alloc(64, sizeof *tile);
    int error = tile ? util_image_init(out, frame->width, frame->height) : -ENOMEM;
    if (!error) {
        bool rgba = format != RASTER_SURFACE_RGBA8888 || frame->format & CAPTURE_FRAME_RGBA;
        tile->width = tile->height = TILE;
        tile->samples = 1;
        for (uint32_t y = 0; y < frame->height; y += TILE) {
            for (uint32_t x = 0; x < frame->width; x += TILE) {
                tile->x = (int32_t)x;
                tile->y = (int32_t)y;
                raster_surface_load(&surface, tile);
                copy_tile(tile, rgba, out);
            }
        }
    }
    free(tile);
    return error;
}

/* ---- the rest ---- */

bool replay_has_presented(const struct replay *replay)
{
    return replay->has_presented;
}

unsigned replay_faults(struct replay *replay, struct gpu_fault *out, unsigned capacity)
{
    return replay->device ? vc4_device_faults(replay->device, out, capacity) : 0;
}

void replay_counters(const struct replay *replay, struct vc4_counters *out)
{
    *out = (struct vc4_counters){0};
    if (replay->device)
        vc4_device_counters(replay->device, out);
}

void replay_info(const struct replay *replay, struct capture_info *out)
{
    capture_reader_info(replay->reader, out);
}

uint64_t replay_position(const struct replay *replay)
{
    return capture_reader_position(replay->reader);
}
