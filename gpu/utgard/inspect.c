/* What a device holds before it works. */
#include "gpu/utgard/inspect.h"

#include "gpu/record.h"
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

GPU_NAMES(sources, "off", "depth and stencil", "colour");
GPU_NAMES(layouts, "linear", "reserved", "tiled");
GPU_NAMES(formats, "BGR565", "BGRA5551", "BGRA4444", "BGRA8888", "B8", "GB88", "BGRA16F", "B16F",
          "GB16F", [UTGARD_WB_Z16] = "Z16", [UTGARD_WB_Z24S8] = "Z24S8");

#define WORD(number, low, size, type, added, words, title, text)                                             \
    {title,                                                                                                  \
     text,                                                                                                   \
     words,                                                                                                  \
     .at = (number) * 32 + (low),                                                                            \
     .bits = size,                                                                                           \
     .kind = GPU_FIELD_##type,                                                                               \
     .digits = (size) == 32 ? 8 : 1,                                                                         \
     .add = added,                                                                                           \
     .always = true},

static const struct gpu_record_field frame_fields[] = {
#define FRAME_WORD(id, number, low, bits, kind, added, words, name, what)                                    \
    WORD(number, low, bits, kind, added, words, name, what)
#define FRAME_FLAG(id, number, low, name, what) WORD(number, low, 1, FLAG, 0, NULL, name, what)
#include "gpu/utgard/frame.inc"
};

static const struct gpu_record_field writeback_fields[] = {
#define WB_WORD(id, number, low, bits, kind, added, words, name, what)                                       \
    WORD(number, low, bits, kind, added, words, name, what)
#define WB_FLAG(id, number, low, name, what) WORD(number, low, 1, FLAG, 0, NULL, name, what)
#include "gpu/utgard/frame.inc"
};

static const char *name_of(const struct gpu_record_field *fields, unsigned count, uint32_t word)
{
    for (unsigned i = 0; i < count; i++)
        if (fields[i].at / 32 == word && fields[i].bits >= 16)
            return fields[i].name;
    return NULL;
}

const char *utgard_frame_word(uint32_t n)
{
    return name_of(frame_fields, UTIL_ARRAY_SIZE(frame_fields), n);
}

const char *utgard_writeback_word(uint32_t n)
{
    return name_of(writeback_fields, UTIL_ARRAY_SIZE(writeback_fields), n);
}

unsigned utgard_frame_fields(const uint32_t words[UTGARD_FRAME_WORDS],
                             struct gpu_field out[UTGARD_FRAME_WORDS])
{
    return gpu_record_list(frame_fields, UTIL_ARRAY_SIZE(frame_fields), words, out);
}

unsigned utgard_writeback_fields(const uint32_t words[UTGARD_WB_WORDS],
                                 struct gpu_field out[UTGARD_FRAME_WORDS])
{
    return gpu_record_list(writeback_fields, UTIL_ARRAY_SIZE(writeback_fields), words, out);
}
