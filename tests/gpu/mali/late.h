/* A frame of v6 and later with descriptors of its own: a fragment job, its framebuffer, a tiler's context with a heap.
 * Included by tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_LATE_H
#define VITRAIL_TESTS_GPU_MALI_LATE_H

#include "gpu/mali/device_internal.h"
#include "raster/samples.h"
#include "tests/gpu/mali/pack.h"

enum {
    LATE_JOB = 0x100000,
    LATE_FRAME = 0x101000,
    LATE_CONTEXT = 0x102000,
    LATE_HEAP_AT = 0x102800,
    LATE_DRAWS = 0x103000,
    LATE_LOCATIONS = 0x104000,
    LATE_DATA = 0x200000,
    LATE_BYTES = 0x400000,
    LATE_ZS = LATE_FRAME + 128
};

struct late {
    struct guest guest;
    enum mali_version version;
    uint8_t *descriptors, *data;
    bool zs;
    uint32_t targets, width, height;
};

/* Of the devices that late_begin makes; NULL: frames are drawn by the caller alone. */
static struct util_pool *late_pool;

static inline uint8_t *late_at(struct late *l, uint64_t address)
{
    return address >= LATE_DATA ? l->data + (address - LATE_DATA) : l->descriptors + (address - LATE_JOB);
}

static inline void late_job(struct late *l, const char *name, uint64_t value)
{
    pack_set(late_at(l, LATE_JOB + 32), &mali_desc_fragment, l->version, name, value);
}

static inline void late_set(struct late *l, const char *name, uint64_t value)
{
    pack_set(late_at(l, LATE_FRAME), &mali_desc_mfb, l->version, name, value);
}

static inline void late_zs(struct late *l, const char *name, uint64_t value)
{
    pack_set(late_at(l, LATE_ZS), &mali_desc_zs_crc, l->version, name, value);
}

static inline void late_target(struct late *l, uint32_t n, const char *name, uint64_t value)
{
    pack_set(late_at(l, LATE_ZS + (l->zs ? 64 : 0) + n * 64), &mali_desc_target, l->version, name, value);
}

/* A value of fields that v7 has numbered anew. */
static inline uint32_t late_tiled(const struct late *l)
{
    return l->version == MALI_V6 ? MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED
                                 : MALI_BLOCK_FORMAT_V7_TILED_U_INTERLEAVED;
}

/* A frame whose targets are of RGBA8 and written linearly, one behind the other from LATE_DATA on; `zs`: with the
 * extension. Nothing is drawn in it. */
static inline void late_begin(struct late *l, enum mali_kind kind, uint32_t width, uint32_t height,
                              uint32_t targets, bool zs)
{
    memset(l, 0, sizeof *l);
    guest_create(&l->guest, &(struct mali_options){.kind = kind, .gpu.pool = late_pool});
    l->version = l->guest.device->version;
    l->descriptors = guest_map(&l->guest, LATE_JOB, 0x8000, RIGHT_BOTH);
    l->data = guest_map(&l->guest, LATE_DATA, LATE_BYTES, RIGHT_BOTH);
    guest_flush_as(&l->guest, 0);
    l->zs = zs;
    l->targets = targets;
    l->width = width;
    l->height = height;
    util_store32(late_at(l, LATE_JOB + 16), 1 | MALI_JOB_TYPE_FRAGMENT << 1 | 1 << 16);
    late_job(l, "bound max X", (width - 1) / 16);
    late_job(l, "bound max Y", (height - 1) / 16);
    late_job(l, "framebuffer", LATE_FRAME | 1 | (zs ? 2 : 0) | (targets - 1) << 2);
    late_set(l, "width", width);
    late_set(l, "height", height);
    late_set(l, "sample count", 1);
    late_set(l, "effective tile size", 256);
    late_set(l, "render target count", targets);
    late_set(l, "has ZS CRC extension", zs);
    late_set(l, "Z internal format", MALI_Z_INTERNAL_FORMAT_D24);
    for (uint32_t n = 0; n < targets; n++) {
        late_target(l, n, "internal format", MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8);
        late_target(l, n, "writeback format", MALI_COLOR_FORMAT_R8G8B8A8);
        late_target(l, n, "writeback block format", MALI_BLOCK_FORMAT_LINEAR);
        late_target(l, n, "swizzle", 0x688);
        late_target(l, n, "write enable", 1);
        late_target(l, n, "clean pixel write enable", 1);
        late_target(l, n, "writeback base", LATE_DATA + n * width * height * 4);
        late_target(l, n, "writeback row stride", width * 4);
    }
}

/* So many samples, where the driver's table has them. */
static inline void late_samples(struct late *l, uint32_t samples)
{
    late_set(l, "sample count", samples);
    late_set(l, "sample pattern",
             samples == 4   ? MALI_SAMPLE_PATTERN_ROTATED_4X_GRID
             : samples == 8 ? MALI_SAMPLE_PATTERN_D3D_8X_GRID
                            : MALI_SAMPLE_PATTERN_D3D_16X_GRID);
    late_set(l, "sample locations", LATE_LOCATIONS);
    for (uint32_t n = 0; n < samples; n++) {
        int32_t x, y;
        raster_samples_position(samples, n, &x, &y);
        util_store32(late_at(l, LATE_LOCATIONS) + n * 4, (uint32_t)(x * 16 | y * 16 << 16));
    }
}

static inline void late_end(struct late *l)
{
    guest_destroy(&l->guest);
}

static inline void late_run(struct late *l)
{
    uint32_t raw = guest_run(&l->guest, 0, LATE_JOB);
    guest_expect_no_fault(&l->guest);
    assert_int_equal(raw, 1);
}

/* The job ends with a fault whose text has `why`; NULL: it waits for a page. */
static inline void late_refused(struct late *l, const char *why)
{
    const uint32_t raw = guest_run(&l->guest, 0, LATE_JOB);
    const struct gpu_fault fault = guest_fault(&l->guest);
    if (why ? raw != 0x10000 || !strstr(fault.text, why) : raw || guest_status(&l->guest, 0) != STATUS_ACTIVE)
        fail_msg("%x, \"%s\" and not \"%s\"", raw, fault.text, why ? why : "a page is not there");
}

#endif
