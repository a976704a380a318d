/* Attributes, varyings and images; specials and the tile. */
#include <string.h>

#include "isa/midgard/interp_internal.h"
#include "util/bits.h"

/* ---- descriptors ---- */

static void indices(struct midgard_machine *m, const struct midgard_memory *x, uint32_t out[16])
{
    uint32_t words[4][16];
    midgard_machine_argument(m, x->index_reg, words);
    for (unsigned l = 0; l < 16; l++)
        out[l] = (words[x->index_comp][l] << x->index_shift) + (uint32_t)midgard_offset_index(x);
}

/* Sixteen bits each, of two words, or of four if wide. */
static void coordinates(const struct midgard_memory *x, uint32_t argument[4][16], struct isa_attribute *a)
{
    for (unsigned c = 0; c < (x->wide ? 4u : 2u); c++)
        for (unsigned l = 0; l < 16; l++)
            a->coordinate[c][l] = argument[(x->arg_comp + c / 2) & 3][l] >> 16 * (c & 1) & 0xffff;
}

static void describe(struct midgard_machine *m, const struct midgard_memory *x,
                     const struct midgard_memory_info *info, struct isa_attribute *a)
{
    uint32_t argument[4][16], rest = midgard_offset_rest(x);
    bool varying = info->class == MIDGARD_VARYING;
    bool image = info->class == MIDGARD_IMAGE || info->class == MIDGARD_STORE_IMAGE ||
                 info->class == MIDGARD_IMAGE_ADDRESS;
    const bool halves = midgard_makes_varying_halves(x, info);
    *a = (struct isa_attribute){.type = halves ? ISA_TYPE_F32 : (enum isa_type)info->type,
                                .any_type = x->index_format & 1,
                                .secondary = x->index_format >> 1,
                                .uniform = x->index_reg == MIDGARD_A_ZERO};
    indices(m, x, a->index);
    midgard_machine_argument(m, x->arg_reg, argument);
    if (image) {
        coordinates(x, argument, a);
        return;
    }
    if (varying) {
        a->interpolation = (uint8_t)(rest & (MIDGARD_VARYING_FLAT | MIDGARD_VARYING_PERSPECTIVE |
                                             MIDGARD_VARYING_CENTROID | MIDGARD_VARYING_SAMPLE));
        a->at_position = x->arg_reg != MIDGARD_A_ZERO;
    }
    a->other_vertex = !varying && x->wide;
    for (unsigned l = 0; l < 16; l++) {
        uint32_t value = argument[x->arg_comp][l];
        a->position[l] = a->at_position ? (uint8_t)(value >> 8) : 0;
        a->vertex[l] = a->other_vertex ? value + (rest ^ 256) - 256 : 0;
    }
}

/* ---- attributes ---- */

/* What a varying's modifier makes of it. */
static void modify(struct midgard_machine *m, const struct midgard_memory *x, bool halves,
                   uint32_t words[4][16])
{
    unsigned modifier = midgard_offset_rest(x) & MIDGARD_VARYING_MOD;
    uint32_t out[4][16];
    if (modifier == MIDGARD_VARYING_PLAIN)
        return;
    if (modifier > MIDGARD_VARYING_CUBE)
        midgard_machine_fault(m, MIDGARD_FAULT_RESERVED);
    else if (modifier == MIDGARD_VARYING_CUBE)
        midgard_machine_cube(m, halves, words, out);
    else
        midgard_divided(modifier, halves, words, out);
    if (!m->report->fault)
        memcpy(words, out, sizeof out);
}

static bool loaded(struct midgard_machine *m, const struct midgard_memory_info *info,
                   const struct isa_attribute *a, uint32_t words[4][16], struct isa_place *place)
{
    const struct midgard_ports *ports = m->ports;
    uint64_t address[16] = {0};
    switch (info->class) {
    case MIDGARD_ATTRIBUTE: return ports->attribute(ports->ctx, a, m->lanes, words, place);
    case MIDGARD_VARYING: return ports->varying(ports->ctx, a, m->lanes, words, place);
    case MIDGARD_IMAGE: return ports->image(ports->ctx, a, m->lanes, words, place);
    default: break;
    }
    bool there = ports->image_address(ports->ctx, a, m->lanes, address, place);
    for (unsigned l = 0; l < 16; l++) {
        words[0][l] = (uint32_t)address[l];
        words[1][l] = (uint32_t)(address[l] >> 32);
    }
    return there;
}

/* Components 2n and 2n + 1 are word n, of the four that the swizzle chooses from; there are two. */
static void write_halves(struct midgard_machine *m, const struct midgard_memory *x,
                         const uint32_t single[4][16])
{
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++) {
            const unsigned word = x->swizzle >> 2 * c & 3;
            if (!(x->mask >> c & 1) || !(m->lanes >> l & 1))
                continue;
            m->state->reg[x->reg][c][l] = 0;
            midgard_machine_forget_word(m, x->reg, l, c);
            for (unsigned n = 0; n < 2 && word < 2; n++) {
                const uint32_t v = single[2 * word + n][l];
                struct midgard_kept kept = {.held = 0};
                const uint32_t half = m->rounds ? midgard_to_half(v) : midgard_keep(&kept, 2 * c + n, v);
                m->state->reg[x->reg][c][l] |= (half & 0xffff) << 16 * n;
                midgard_machine_put_half(m, x->reg, l, 2 * c + n, &kept);
            }
        }
}

void midgard_machine_attribute(struct midgard_machine *m, const struct midgard_memory *x,
                               const struct midgard_memory_info *info)
{
    struct isa_attribute a;
    struct isa_place place = {0};
    uint32_t words[4][16] = {{0}}, value[4][16];
    uint16_t lanes = m->lanes & (uint16_t)~m->state->helpers;
    describe(m, x, info, &a);
    if (midgard_is_store((enum midgard_class)info->class)) {
        bool image = info->class == MIDGARD_STORE_IMAGE;
        midgard_machine_argument(m, x->reg, words);
        midgard_swizzled(x->swizzle, words, value);
        if (lanes)
            midgard_machine_check(m,
                                  image ? m->ports->store_image(m->ports->ctx, &a, lanes, value, &place)
                                        : m->ports->store_varying(m->ports->ctx, &a, lanes, value, &place),
                                  &place);
        return;
    }
    midgard_machine_check(m, loaded(m, info, &a, words, &place), &place);
    if (midgard_makes_varying_halves(x, info)) {
        if (!m->report->fault)
            write_halves(m, x, words);
        return;
    }
    if (info->class == MIDGARD_VARYING && !m->report->fault)
        modify(m, x, info->type == ISA_TYPE_F16 && !a.any_type, words);
    midgard_swizzled(x->swizzle, words, value);
    if (!m->report->fault)
        midgard_machine_write(m, x->reg, x->mask, value);
}

/* ---- specials and the tile ---- */

struct access {
    bool tile; /* else special */
    enum midgard_tile form;
    uint32_t target, sample[16], selector[16];
};

static void describe_tile(struct midgard_machine *m, const struct midgard_memory *x,
                          const struct midgard_memory_info *info, struct access *a)
{
    static const uint8_t forms[] = {[ISA_TYPE_F32] = MIDGARD_TILE_F32,
                                    [ISA_TYPE_F16] = MIDGARD_TILE_F16,
                                    [ISA_TYPE_U32] = MIDGARD_TILE_RAW,
                                    [ISA_TYPE_I32] = MIDGARD_TILE_RAW,
                                    [ISA_TYPE_RAW] = MIDGARD_TILE_RAW};
    bool special = info->class == MIDGARD_SPECIAL || info->class == MIDGARD_STORE_SPECIAL;
    int32_t selector = midgard_offset_index(x);
    uint32_t argument[4][16];
    a->form = (enum midgard_tile)forms[info->type];
    a->target = special ? 0 : midgard_tile_target(x);
    a->tile = !special || (m->program->traits.tile_by_special && x->index_reg == MIDGARD_A_ZERO &&
                           (selector == MIDGARD_SPECIAL_TILE || selector == MIDGARD_SPECIAL_TILE_RAW));
    if (special && selector == MIDGARD_SPECIAL_TILE_RAW)
        a->form = MIDGARD_TILE_RAW;
    midgard_machine_argument(m, x->arg_reg, argument);
    indices(m, x, a->selector);
    bool by_register = special || x->offset & 1;
    for (unsigned l = 0; l < 16; l++)
        a->sample[l] = by_register ? argument[x->arg_comp][l] : midgard_tile_sample(x);
}

static void store_tile(struct midgard_machine *m, const struct midgard_memory *x, const struct access *a)
{
    uint32_t words[4][16], value[4][16];
    struct isa_place place = {0};
    uint16_t lanes = m->lanes & (uint16_t)~m->state->helpers;
    midgard_machine_argument(m, x->reg, words);
    midgard_swizzled(x->swizzle, words, value);
    if (!a->tile)
        midgard_machine_fault(m, MIDGARD_FAULT_UNSUPPORTED);
    else if (lanes)
        midgard_machine_check(
            m, m->ports->store_tile(m->ports->ctx, a->form, a->target, a->sample, lanes, value, &place),
            &place);
}

void midgard_machine_tile(struct midgard_machine *m, const struct midgard_memory *x,
                          const struct midgard_memory_info *info)
{
    struct access a = {0};
    struct isa_place place = {0};
    uint32_t words[4][16] = {{0}}, value[4][16];
    const struct midgard_ports *ports = m->ports;
    describe_tile(m, x, info, &a);
    if (midgard_is_store((enum midgard_class)info->class)) {
        store_tile(m, x, &a);
        return;
    }
    bool there =
        a.tile ? ports->tile(ports->ctx, a.form, a.target, a.sample, m->lanes, words, &place)
               : ports->special(ports->ctx, a.selector, (enum isa_type)info->type, m->lanes, words, &place);
    midgard_machine_check(m, there, &place);
    midgard_swizzled(x->swizzle, words, value);
    if (!m->report->fault)
        midgard_machine_write(m, x->reg, x->mask, value);
}
