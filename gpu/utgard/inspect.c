/* What a device holds before it works. */
#include "gpu/utgard/inspect.h"

#include "gpu/utgard/device_internal.h"
#include "util/bits.h"

const uint32_t *utgard_device_words(const struct utgard_device *device, enum utgard_ip ip)
{
    return device->store[ip];
}

const uint32_t *utgard_device_writeback(const struct utgard_device *device, unsigned pp, unsigned unit)
{
    return device->store[UTGARD_IP_PP0 + pp] + UTGARD_PP_WB0 / 4 + unit * (UTGARD_PP_WB_STEP / 4);
}

const struct gpu_space *utgard_device_space(struct utgard_device *device, unsigned n, struct gpu_fault *fault)
{
    return utgard_mmu_space(device, n, fault);
}

bool utgard_device_tiles(const struct utgard_device *device, unsigned pp, const struct gpu_space *space,
                         struct gpu_tile *tiles, uint32_t *count, struct gpu_fault *fault)
{
    *count = 0;
    return utgard_pp_tiles(device, pp, space, tiles, count, fault);
}

/* ---- registers with names ---- */

static const struct gpu_register *register_at(const struct utgard_device *device, uint32_t *offset,
                                              unsigned *ip)
{
    *ip = utgard_ip_at(device, offset);
    if (*ip == UTGARD_IP_COUNT)
        return NULL;
    enum utgard_block block = utgard_ip_block(*ip);
    return gpu_register_find(&utgard_registers,
                             block == UTGARD_BLOCK_PP_ALL    ? UTGARD_BLOCK_PP
                             : block == UTGARD_BLOCK_MMU_ALL ? UTGARD_BLOCK_MMU
                                                             : block,
                             *offset);
}

/* What word n of a counted register is. */
static const char *word_name(const struct gpu_register *reg, uint32_t n)
{
    static const char *const gp[] = {"VS list", "its end", "PLBU list", "its end", "heap", "its end"};
    if (reg->count == 1)
        return NULL;
    return reg->block == UTGARD_BLOCK_GP  ? gp[n]
           : reg->offset >= UTGARD_PP_WB0 ? utgard_writeback_word(n)
                                          : utgard_frame_word(n);
}

bool utgard_device_register(const struct utgard_device *device, uint32_t offset, struct utgard_register *out)
{
    unsigned ip;
    const struct gpu_register *reg = register_at(device, &offset, &ip);
    if (!reg)
        return false;
    uint32_t number = (offset - reg->offset) / reg->step;
    *out = (struct utgard_register){.block = utgard_ip_name(ip),
                                    .name = reg->name,
                                    .number = number,
                                    .counted = reg->count > 1,
                                    .word = word_name(reg, number)};
    return true;
}

unsigned utgard_register_fields(const struct utgard_device *device, uint32_t offset, uint32_t value,
                                struct gpu_field out[UTGARD_FLAGS_MAX])
{
    unsigned ip;
    const struct gpu_register *reg = register_at(device, &offset, &ip);
    return reg ? gpu_register_fields(&utgard_registers, reg, value, out, UTGARD_FLAGS_MAX) : 0;
}

struct utgard_work utgard_device_starts(const struct utgard_device *device, uint32_t offset, uint32_t value)
{
    struct utgard_work work = {0};
    unsigned ip;
    const struct gpu_register *reg = register_at(device, &offset, &ip);
    bool pp = reg && reg->block == UTGARD_BLOCK_PP && offset == UTGARD_PP_CTRL;
    if (reg && reg->block == UTGARD_BLOCK_GP && offset == UTGARD_GP_CMD && !(value & UTGARD_GP_CMD_RESETS)) {
        work.vs = value & UTGARD_GP_CMD_START_VS;
        work.plbu = value & UTGARD_GP_CMD_START_PLBU;
    }
    if (pp && value & UTGARD_PP_CTRL_START && !(value & UTGARD_PP_CTRL_RESETS))
        work.pps = ip == UTGARD_IP_PP_BCAST ? utgard_broadcast_to(device, false) : 1u << (ip - UTGARD_IP_PP0);
    return work;
}

/* ---- words with names ---- */

/* Bits of a word, and what is added to them. */
struct name {
    const char *name, *what;
    const char *const *words; /* of values from 0 on, ended by NULL */
    uint8_t word, low, bits, kind, added;
};

static const char *const sources[] = {"off", "depth and stencil", "colour", NULL};
static const char *const layouts[] = {"linear", "reserved", "tiled", NULL};
static const char *const formats[] = {"BGR565", "BGRA5551", "BGRA4444", "BGRA8888", "B8",
                                      "GB88",   "BGRA16F",  "B16F",     "GB16F",    NULL};

static const struct name frame_names[] = {
#define FRAME_WORD(id, number, low, bits, kind, added, words, name, what)                                    \
    {name, what, words, number, low, bits, GPU_FIELD_##kind, added},
#define FRAME_FLAG(id, number, low, name, what) {name, what, NULL, number, low, 1, GPU_FIELD_FLAG, 0},
#include "gpu/utgard/frame.inc"
};

static const struct name writeback_names[] = {
#define WB_WORD(id, number, low, bits, kind, added, words, name, what)                                       \
    {name, what, words, number, low, bits, GPU_FIELD_##kind, added},
#define WB_FLAG(id, number, low, name, what) {name, what, NULL, number, low, 1, GPU_FIELD_FLAG, 0},
#include "gpu/utgard/frame.inc"
};

static const char *word_of(const struct name *n, uint64_t value)
{
    const char *const *word = n->words;
    for (uint64_t i = 0; word && *word; word++, i++)
        if (i == value)
            return *word;
    return n->words != formats        ? NULL
           : value == UTGARD_WB_Z16   ? "Z16"
           : value == UTGARD_WB_Z24S8 ? "Z24S8"
                                      : NULL;
}

static const char *name_of(const struct name *names, unsigned count, uint32_t word)
{
    for (unsigned i = 0; i < count; i++)
        if (names[i].word == word && names[i].bits >= 16)
            return names[i].name;
    return NULL;
}

const char *utgard_frame_word(uint32_t n)
{
    return name_of(frame_names, UTIL_ARRAY_SIZE(frame_names), n);
}

const char *utgard_writeback_word(uint32_t n)
{
    return name_of(writeback_names, UTIL_ARRAY_SIZE(writeback_names), n);
}

static unsigned describe(const struct name *names, unsigned count, const uint32_t *words,
                         struct gpu_field *out)
{
    for (unsigned i = 0; i < count; i++) {
        const struct name *n = &names[i];
        uint64_t value = util_bits(words[n->word], n->low, n->bits) + n->added;
        out[i] = (struct gpu_field){.name = n->name,
                                    .kind = (enum gpu_field_kind)n->kind,
                                    .digits = n->bits == 32 ? 8 : 1,
                                    .value = value,
                                    .word = word_of(n, value),
                                    .what = n->what};
    }
    return count;
}

unsigned utgard_frame_fields(const uint32_t words[UTGARD_FRAME_WORDS],
                             struct gpu_field out[UTGARD_FRAME_WORDS])
{
    return describe(frame_names, UTIL_ARRAY_SIZE(frame_names), words, out);
}

unsigned utgard_writeback_fields(const uint32_t words[UTGARD_WB_WORDS],
                                 struct gpu_field out[UTGARD_FRAME_WORDS])
{
    return describe(writeback_names, UTIL_ARRAY_SIZE(writeback_names), words, out);
}
