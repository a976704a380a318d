/* The ports of the world of Midgard's programs, for the interpreter. They are made of exclusive ors, so that what each was
 * asked for can be told from what it gives. */
#include <string.h>

#include "fuzz/world/midgard.h"

/* The first lane for which a number is not below `size`. */
static bool inside(const uint32_t number[16], uint32_t size, uint16_t lanes, struct isa_place *fault)
{
    for (fault->lane = 0; fault->lane < 16; fault->lane++)
        if (lanes >> fault->lane & 1 && number[fault->lane] >= size)
            return false;
    return true;
}

static uint32_t asked(const struct isa_attribute *a, unsigned c, unsigned l)
{
    return (uint32_t)a->type << 28 ^ (uint32_t)a->any_type << 27 ^ (uint32_t)a->interpolation << 16 ^
           (uint32_t)a->position[l] << 8 ^ a->vertex[l] ^ a->coordinate[c][l];
}

static bool attribute(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                      struct isa_place *fault)
{
    const struct world_midgard *w = ctx;
    if (!inside(a->index, TABLE, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; lanes >> l & 1 && c < 4; c++)
            out[c][l] = w->table[a->secondary][a->index[l]][c][l] ^ asked(a, c, l);
    return true;
}

static bool store_attribute(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                            const uint32_t value[4][16], struct isa_place *fault)
{
    struct world_midgard *w = ctx;
    if (!inside(a->index, TABLE, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; lanes >> l & 1 && c < 4; c++)
            w->stored[a->index[l]][c][l] = value[c][l] ^ asked(a, c, l) ^ (uint32_t)a->secondary << 26;
    return true;
}

static bool image_address(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint64_t out[16],
                          struct isa_place *fault)
{
    if (!inside(a->index, TABLE, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        out[l] = (a->index[l] * 64 + a->coordinate[0][l]) & (MEMORY - 16);
    return true;
}

static bool uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                    uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    const struct world_midgard *w = ctx;
    if (!inside(buffer, BUFFERS, lanes, fault) || !inside(offset, BUFFER_BYTES - bytes + 1, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++) {
        uint32_t words[4] = {0};
        if (!(lanes >> l & 1))
            continue;
        memcpy(words, (const uint8_t *)w->buffer[buffer[l]] + offset[l], bytes);
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = words[c];
    }
    return true;
}

static bool reaches(const struct isa_access *a, uint16_t lanes, struct isa_place *fault)
{
    for (unsigned l = 0; l < 16; l++)
        if (lanes >> l & 1 && a->address[l] > (uint64_t)MEMORY - a->bytes) {
            *fault = (struct isa_place){l, a->address[l]};
            return false;
        }
    return true;
}

static bool load(void *ctx, const struct isa_access *a, uint16_t lanes, uint32_t out[4][16],
                 struct isa_place *fault)
{
    const struct world_midgard *w = ctx;
    if (!reaches(a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++) {
        uint32_t words[4] = {0};
        if (!(lanes >> l & 1))
            continue;
        memcpy(words, &w->memory[a->space][a->address[l]], a->bytes);
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = words[c];
    }
    return true;
}

static bool store(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[4][16],
                  struct isa_place *fault)
{
    struct world_midgard *w = ctx;
    if (!reaches(a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; lanes >> l & 1 && n < a->bytes; n++)
            if (a->enable >> n & 1)
                w->memory[a->space][a->address[l] + n] = (uint8_t)(value[n / 4][l] >> 8 * (n % 4));
    return true;
}

static uint64_t reversed(uint64_t x, unsigned bytes)
{
    return bytes == 8 ? __builtin_bswap64(x) : __builtin_bswap32((uint32_t)x);
}

static uint64_t changed(const struct isa_access *a, uint64_t old, uint64_t value, uint64_t compare)
{
    unsigned up = a->bytes == 8 ? 0 : 32;
    int64_t x = (int64_t)(old << up), y = (int64_t)(value << up);
    switch (a->op) {
    case ISA_ATOMIC_ADD: return old + value;
    case ISA_ATOMIC_AND: return old & value;
    case ISA_ATOMIC_OR: return old | value;
    case ISA_ATOMIC_XOR: return old ^ value;
    case ISA_ATOMIC_IMIN: return x < y ? old : value;
    case ISA_ATOMIC_UMIN: return old < value ? old : value;
    case ISA_ATOMIC_IMAX: return x > y ? old : value;
    case ISA_ATOMIC_UMAX: return old > value ? old : value;
    case ISA_ATOMIC_EXCHANGE: return value;
    default: return old == compare ? value : old;
    }
}

static bool atomic(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[2][16],
                   const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *fault)
{
    struct world_midgard *w = ctx;
    if (!reaches(a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++) {
        uint64_t old = 0, high = a->bytes == 8 ? ~0ull : 0xffffffff;
        if (!(lanes >> l & 1))
            continue;
        memcpy(&old, &w->memory[a->space][a->address[l]], a->bytes);
        old = a->reversed ? reversed(old, a->bytes) : old;
        uint64_t new = changed(a, old, (value[0][l] | (uint64_t)value[1][l] << 32) & high,
                               (compare[0][l] | (uint64_t)compare[1][l] << 32) & high);
        new = a->reversed ? reversed(new, a->bytes) : new;
        memcpy(&w->memory[a->space][a->address[l]], &new, a->bytes);
        out[0][l] = (uint32_t)old;
        out[1][l] = (uint32_t)(old >> 32);
    }
    return true;
}

static void argument(void *ctx, enum midgard_argument which, uint32_t out[4][16])
{
    memcpy(out, ((const struct world_midgard *)ctx)->argument[which], 256);
}

static bool special(void *ctx, const uint32_t selector[16], enum isa_type type, uint16_t lanes,
                    uint32_t out[4][16], struct isa_place *fault)
{
    const struct world_midgard *w = ctx;
    if (!inside(selector, SELECTORS, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = w->table[0][selector[l] % TABLE][c][l] ^ selector[l] ^ (uint32_t)type << 28;
    return true;
}

static bool tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    const struct world_midgard *w = ctx;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = w->tile[target & 7][c][l] ^ sample[l] ^ (uint32_t)form << 28 ^ target << 20;
    return true;
}

static bool store_tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                       uint16_t lanes, const uint32_t value[4][16], struct isa_place *fault)
{
    struct world_midgard *w = ctx;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; lanes >> l & 1 && c < 4; c++)
            w->tile[target & 7][c][l] = value[c][l] ^ sample[l] ^ (uint32_t)form << 28 ^ target << 20;
    return true;
}

static bool pack(void *ctx, bool unpack, enum isa_type type, uint32_t format, const uint32_t in[4][16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = in[c][l] ^ format ^ (uint32_t)type << 28 ^ (uint32_t)unpack << 27;
    return true;
}

static void cube(void *ctx, const uint32_t direction[3][16], uint32_t out[2][16])
{
    for (unsigned l = 0; l < 16; l++) {
        out[0][l] = direction[0][l] ^ direction[2][l] >> 1;
        out[1][l] = direction[1][l];
    }
}

/* With derivatives what a lane gets depends on its whole quad. */
static bool texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *fault)
{
    uint32_t kind = (uint32_t)r->op << 28 ^ (uint32_t)r->mode << 24 ^ (uint32_t)r->dimensions << 22 ^
                    (uint32_t)r->sampler_type << 20 ^ (uint32_t)r->derivatives << 19;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++) {
            uint32_t v = r->coordinate[c][l] ^ kind;
            if (r->derivatives)
                v ^= r->coordinate[c][l ^ 1] ^ r->coordinate[c][l ^ 2] >> 1;
            out[c][l] = c == 0   ? v ^ r->texture[l]
                        : c == 1 ? v ^ r->sampler[l]
                        : c == 2 ? v ^ r->lod[l]
                                 : v ^ (uint32_t)r->offset[0][l] ^ (uint32_t)r->offset[1][l] << 8 ^
                                       (uint32_t)r->offset[2][l] << 16;
        }
    return true;
}

static bool writeout(void *ctx, const struct midgard_writeout *what, uint16_t lanes, struct isa_place *fault)
{
    struct world_midgard *w = ctx;
    for (unsigned l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        for (unsigned c = 0; c < 4; c++)
            w->written[c][l] = (w->written[c][l] << 1) ^ what->color[c][l] ^ what->second[c][l] >> 1;
        w->written[4][l] ^= what->select[l] ^ (uint32_t)what->has_select << 31;
        w->written[5][l] ^= what->has_depth ? what->depth[l] : 1;
        w->written[6][l] ^= what->has_stencil ? what->stencil[l] : 1;
        w->written[7][l]++;
    }
    return true;
}

const struct midgard_ports world_midgard_ports = {.attribute = attribute,
                                                  .varying = attribute,
                                                  .store_varying = store_attribute,
                                                  .image = attribute,
                                                  .store_image = store_attribute,
                                                  .image_address = image_address,
                                                  .uniform = uniform,
                                                  .load = load,
                                                  .store = store,
                                                  .atomic = atomic,
                                                  .argument = argument,
                                                  .special = special,
                                                  .tile = tile,
                                                  .store_tile = store_tile,
                                                  .pack = pack,
                                                  .cube = cube,
                                                  .texture = texture,
                                                  .writeout = writeout};
