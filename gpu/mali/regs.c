/* The window of registers as tables. */
#include "gpu/mali/regs.h"

#include "util/bits.h"

static const struct {
    const char *name;
    uint32_t at, step, count; /* in the window */
} blocks[MALI_BLOCK_COUNT] = {
    [MALI_BLOCK_GPU] = {"GPU", 0x0000, 0x1000, 1},         [MALI_BLOCK_JOB] = {"JOB", 0x1000, 0x0800, 1},
    [MALI_BLOCK_JS] = {"JS", 0x1800, 0x0080, MALI_SLOTS},  [MALI_BLOCK_MMU] = {"MMU", 0x2000, 0x0400, 1},
    [MALI_BLOCK_AS] = {"AS", 0x2400, 0x0040, MALI_SPACES},
};

static const struct gpu_register regs[] = {
#define REG(block, name, offset, access, reset)                                                              \
    {MALI_BLOCK_##block, #name, offset, 4, 1, GPU_ACCESS_##access, reset, NULL},
#define COUNTED(block, name, first, step, count, access, reset)                                              \
    {MALI_BLOCK_##block, #name, first, step, count, GPU_ACCESS_##access, reset, NULL},
#include "gpu/mali/regs.inc"
};

static const struct gpu_register_field fields[] = {
#define FIELD(block, register, name, high, low) {MALI_BLOCK_##block, #register, #name, high, low},
#include "gpu/mali/regs.inc"
};

const struct gpu_registers mali_registers = {regs, UTIL_ARRAY_SIZE(regs), fields, UTIL_ARRAY_SIZE(fields)};

static const struct {
    uint32_t offset, value[MALI_KIND_COUNT];
} features[] = {
#define FEATURE(name, t720, t760, t860, g72, g31, g52, g57)                                                  \
    {MALI_GPU_##name,                                                                                        \
     {[MALI_T720] = (t720),                                                                                  \
      [MALI_T760] = (t760),                                                                                  \
      [MALI_T860] = (t860),                                                                                  \
      [MALI_G72] = (g72),                                                                                    \
      [MALI_G31] = (g31),                                                                                    \
      [MALI_G52] = (g52),                                                                                    \
      [MALI_G57] = (g57)}},
#include "gpu/mali/features.inc"
#undef FEATURE
};

struct mali_place mali_place_of(uint32_t offset)
{
    for (unsigned n = 0; n < MALI_BLOCK_COUNT; n++) {
        uint32_t from = offset - blocks[n].at;
        if (offset >= blocks[n].at && from / blocks[n].step < blocks[n].count)
            return (struct mali_place){(enum mali_block)n, from / blocks[n].step, from % blocks[n].step};
    }
    return (struct mali_place){.block = MALI_BLOCK_COUNT, .offset = offset};
}

const char *mali_block_name(enum mali_block block)
{
    return blocks[block].name;
}

bool mali_feature_find(enum mali_kind kind, uint32_t offset, uint32_t *value)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(features); n++)
        if (features[n].offset == offset) {
            *value = features[n].value[kind];
            return true;
        }
    return false;
}
