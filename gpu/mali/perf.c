/* Performance counters: blocks of 64 words, the first four of which are a header. T720 stores eight blocks: shader
 * cores 0 to 3, tiler, MMU and L2, one of zeros, job manager; later GPUs job manager, tiler, one for each slice of the
 * L2 cache, and one for each number of a shader core up to the highest (Linux, panfrost_perfcnt.c). */
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "util/bits.h"

enum { WORDS = 64, HEADER = 4, MODE_MANUAL = 1, MOST_BLOCKS = 2 + 16 + 32 };
enum block { BLOCK_NONE, BLOCK_JM, BLOCK_TILER, BLOCK_L2, BLOCK_SHADER };

static const struct {
    enum block block;
    uint8_t index[MALI_VERSION_COUNT]; /* 0: the version has none */
} counters[MALI_EVENT_COUNT] = {
#define EVENT(block, name, v4, v5, v6, v7, v9, what) {BLOCK_##block, {v4, v5, v6, v7, v9}},
#include "gpu/mali/perf.inc"
#undef EVENT
};

static unsigned layout(const struct mali_device *device, enum block out[MOST_BLOCKS])
{
    static const enum block v4[] = {BLOCK_SHADER, BLOCK_SHADER, BLOCK_SHADER, BLOCK_SHADER,
                                    BLOCK_TILER,  BLOCK_L2,     BLOCK_NONE,   BLOCK_JM};
    unsigned count = 0;
    if (device->version == MALI_V4) {
        memcpy(out, v4, sizeof v4);
        return UTIL_ARRAY_SIZE(v4);
    }
    out[count++] = BLOCK_JM;
    out[count++] = BLOCK_TILER;
    const uint32_t memory = mali_feature(device->kind, MALI_GPU_MEM_FEATURES);
    for (uint32_t left = 1 + (memory >> MALI_GPU_MEM_FEATURES_MORE_L2_SLICES_AT & 15); left; left--)
        out[count++] = BLOCK_L2;
    for (uint32_t cores = mali_feature(device->kind, MALI_GPU_SHADER_PRESENT); cores; cores >>= 1)
        out[count++] = BLOCK_SHADER;
    return count;
}

static uint32_t enabled(const struct mali_device *device, enum block block)
{
    static const uint32_t offset[] = {[BLOCK_JM] = MALI_GPU_PERFCNT_JM_ENABLE,
                                      [BLOCK_TILER] = MALI_GPU_PERFCNT_TILER_ENABLE,
                                      [BLOCK_L2] = MALI_GPU_PERFCNT_MMU_L2_ENABLE,
                                      [BLOCK_SHADER] = MALI_GPU_PERFCNT_SHADER_ENABLE};
    return block == BLOCK_NONE ? 0 : device->store[offset[block] / 4];
}

/* A bit of the enabling words is for four counters. `works`: the block has what the events of all of its kind
 * come to (ours: all programs run on the first core). */
static void fill(const struct mali_device *device, enum block block, bool works, uint32_t words[WORDS])
{
    uint64_t clock = mali_clock(device);
    uint32_t on = enabled(device, block);
    memset(words, 0, WORDS * sizeof *words);
    if (block == BLOCK_NONE)
        return;
    words[0] = (uint32_t)clock;
    words[1] = (uint32_t)(clock >> 32);
    words[2] = on;
    for (unsigned n = 0; n < MALI_EVENT_COUNT; n++) {
        uint32_t index = counters[n].index[device->version];
        if (index && counters[n].block == block && works && on >> index / 4 & 1)
            words[index] = (uint32_t)(device->event[n] - device->event_from[n]);
    }
}

bool mali_perf_sample(struct mali_device *device)
{
    uint32_t config = device->store[MALI_GPU_PERFCNT_CONFIG / 4], words[WORDS];
    uint64_t base = device->store[MALI_GPU_PERFCNT_BASE / 4] |
                    (uint64_t)device->store[MALI_GPU_PERFCNT_BASE / 4 + 1] << 32;
    unsigned as = config >> 4 & 0xf;
    enum block blocks[MOST_BLOCKS];
    unsigned count = layout(device, blocks);
    struct mali_stop stop = {0};
    if ((config & 0xf) != MODE_MANUAL)
        return false;
    const struct gpu_space *space = mali_as_space(device, as, &stop);
    uint8_t *to = space ? mali_at(space, base, count * sizeof words, GPU_RIGHT_WRITE, "performance counters",
                                  "counters", &stop)
                        : NULL;
    if (!to) {
        gpu_host_fault(&device->host, &stop.fault);
        mali_gpu_fault(device, stop.exception, base);
        return false;
    }
    for (unsigned n = 0; n < count; n++) {
        fill(device, blocks[n], !n || blocks[n] != blocks[n - 1], words);
        memcpy(to + n * sizeof words, words, sizeof words);
    }
    mali_perf_clear(device); /* a sample leaves them at 0 */
    return true;
}

void mali_perf_clear(struct mali_device *device)
{
    memcpy(device->event_from, device->event, sizeof device->event);
}
