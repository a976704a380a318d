/* Loads and stores: addresses, memory, atomics, uniform buffers, moves between registers. */
#include <string.h>

#include "isa/midgard/interp_internal.h"
#include "util/bits.h"

void midgard_swizzled(uint8_t swizzle, const uint32_t in[4][16], uint32_t out[4][16])
{
    for (unsigned c = 0; c < 4; c++)
        memcpy(out[c], in[swizzle >> 2 * c & 3], sizeof out[c]);
}

void midgard_machine_argument(struct midgard_machine *m, uint8_t reg, uint32_t out[4][16])
{
    memset(out, 0, 4 * sizeof *out);
    if (reg <= MIDGARD_A_MEMORY_1)
        memcpy(out, m->state->reg[MIDGARD_R_MEMORY + reg], 4 * sizeof *out);
    else if (reg == MIDGARD_A_COUNTER)
        midgard_machine_counter(m, out);
    else if (reg != MIDGARD_A_ZERO)
        m->ports->argument(m->ports->ctx, (enum midgard_argument)reg, out);
}

/* ---- addresses ---- */

static uint64_t two_words(uint32_t words[4][16], unsigned component, unsigned lane)
{
    return words[component][lane] | (uint64_t)words[(component + 1) & 3][lane] << 32;
}

static void index_of(struct midgard_machine *m, const struct midgard_memory *x, uint64_t out[16])
{
    uint32_t words[4][16];
    midgard_machine_argument(m, x->index_reg, words);
    for (unsigned l = 0; l < 16; l++) {
        uint32_t low = words[x->index_comp][l];
        uint64_t value = x->index_format == MIDGARD_INDEX_U64   ? two_words(words, x->index_comp, l)
                         : x->index_format == MIDGARD_INDEX_S32 ? (uint64_t)(int64_t)(int32_t)low
                                                                : low;
        out[l] = value << x->index_shift;
    }
}

/* Where the thread's and the workgroup's memory begins is the port's to know, but for an address that the
 * program asks for. */
static enum isa_space space_of(const struct midgard_memory *x)
{
    bool storage = x->arg_reg == MIDGARD_A_STORAGE, counter = x->arg_reg == MIDGARD_A_COUNTER;
    if (!x->wide)
        return ISA_SPACE_GLOBAL;
    if ((counter && x->arg_comp == 2) || (storage && x->arg_comp == 0))
        return ISA_SPACE_THREAD;
    return storage && x->arg_comp == 2 ? ISA_SPACE_WORKGROUP : ISA_SPACE_GLOBAL;
}

static void addresses(struct midgard_machine *m, const struct midgard_memory *x, bool indexed, bool real,
                      struct isa_access *out)
{
    uint32_t words[4][16];
    uint64_t index[16] = {0};
    out->space = real ? ISA_SPACE_GLOBAL : space_of(x);
    midgard_machine_argument(m, x->arg_reg, words);
    if (indexed && x->index_reg != MIDGARD_A_ZERO) {
        if (!x->index_format)
            midgard_machine_fault(m, MIDGARD_FAULT_RESERVED);
        index_of(m, x, index);
    }
    for (unsigned l = 0; l < 16; l++) {
        uint64_t base = x->wide ? two_words(words, x->arg_comp, l) : words[x->arg_comp][l];
        base = out->space == ISA_SPACE_GLOBAL ? base : 0;
        out->address[l] = base + index[l] + (uint64_t)(int64_t)x->offset;
    }
}

/* ---- bytes ---- */

/* Groups of bytes, each in reverse order. */
static void reverse(unsigned group, uint32_t words[4][16])
{
    for (unsigned l = 0; l < 16 && group > 1; l++) {
        uint8_t bytes[16], turned[16];
        uint32_t word[4];
        for (unsigned c = 0; c < 4; c++)
            word[c] = words[c][l];
        memcpy(bytes, word, sizeof bytes);
        for (unsigned n = 0; n < 16; n++)
            turned[n] = bytes[n / group * group + group - 1 - n % group];
        memcpy(word, turned, sizeof word);
        for (unsigned c = 0; c < 4; c++)
            words[c][l] = word[c];
    }
}

/* What was read becomes words: in the order of the program's bytes, and whole. */
static void finish_load(const struct midgard_memory_info *info, uint32_t words[4][16])
{
    reverse(info->swap, words);
    for (unsigned l = 0; l < 16 && info->bytes < 4 && info->type == ISA_TYPE_I32; l++)
        words[0][l] = info->bytes == 1 ? (uint32_t)(int8_t)words[0][l] : (uint32_t)(int16_t)words[0][l];
}

static void load(struct midgard_machine *m, const struct midgard_memory *x,
                 const struct midgard_memory_info *info)
{
    struct isa_access access = {.bytes = info->bytes};
    struct isa_place place = {0};
    uint32_t words[4][16] = {{0}}, out[4][16];
    addresses(m, x, true, false, &access);
    if (m->report->fault)
        return;
    midgard_machine_check(m, m->ports->load(m->ports->ctx, &access, m->lanes, words, &place), &place);
    finish_load(info, words);
    midgard_swizzled(x->swizzle, words, out);
    if (!m->report->fault)
        midgard_machine_write(m, x->reg, x->mask, out);
}

static void store(struct midgard_machine *m, const struct midgard_memory *x,
                  const struct midgard_memory_info *info)
{
    struct isa_access access = {.bytes = info->bytes};
    struct isa_place place = {0};
    uint32_t words[4][16], value[4][16];
    unsigned quarter = UTIL_MAX(info->bytes / 4u, 1u);
    for (unsigned n = 0; n < info->bytes; n++)
        access.enable |= (uint16_t)((x->mask >> n / quarter & 1) << n);
    addresses(m, x, true, false, &access);
    const uint16_t helpers = access.space == ISA_SPACE_THREAD ? 0 : m->state->helpers;
    const uint16_t lanes = m->lanes & (uint16_t)~helpers;
    midgard_machine_argument(m, x->reg, words);
    midgard_swizzled(x->swizzle, words, value);
    reverse(info->swap, value);
    if (lanes && !m->report->fault)
        midgard_machine_check(m, m->ports->store(m->ports->ctx, &access, lanes, value, &place), &place);
}

/* A value of four or eight bytes from an argument register. */
static void atomic_value(struct midgard_machine *m, uint8_t reg, uint8_t component, uint32_t out[2][16])
{
    uint32_t words[4][16];
    midgard_machine_argument(m, reg, words);
    memcpy(out[0], words[component], sizeof out[0]);
    memcpy(out[1], words[(component + 1) & 3], sizeof out[1]);
}

static void atomic(struct midgard_machine *m, const struct midgard_memory *x,
                   const struct midgard_memory_info *info)
{
    bool compares = info->atomic == ISA_ATOMIC_COMPARE_EXCHANGE;
    struct isa_access access = {
        .bytes = info->bytes, .reversed = info->swap > 1, .op = (enum isa_atomic)info->atomic};
    struct isa_place place = {0};
    uint32_t value[2][16], compare[2][16] = {{0}}, out[4][16] = {{0}};
    uint16_t lanes = m->lanes & (uint16_t)~m->state->helpers;
    addresses(m, x, !compares, false, &access);
    atomic_value(m, x->swizzle >> 2 & 7, x->swizzle & 3, value);
    if (compares)
        atomic_value(m, x->index_reg, x->index_comp, compare);
    if (lanes && !m->report->fault)
        midgard_machine_check(m, m->ports->atomic(m->ports->ctx, &access, lanes, value, compare, out, &place),
                              &place);
    for (unsigned l = 0; l < 16; l++) {
        out[0][l] = lanes >> l & 1 ? out[0][l] : 0;
        out[1][l] = info->bytes == 4 ? out[0][l] : lanes >> l & 1 ? out[1][l] : 0;
        out[2][l] = out[0][l];
        out[3][l] = out[1][l];
    }
    if (!m->report->fault)
        midgard_machine_write(m, x->reg, x->mask, out);
}

static void uniform(struct midgard_machine *m, const struct midgard_memory *x,
                    const struct midgard_memory_info *info)
{
    uint32_t argument[4][16], index[4][16], buffer[16], offset[16], words[4][16] = {{0}}, out[4][16];
    struct isa_place place = {0};
    midgard_machine_argument(m, x->arg_reg, argument);
    midgard_machine_argument(m, x->index_reg, index);
    for (unsigned l = 0; l < 16; l++) {
        buffer[l] = x->offset & 1 ? argument[x->arg_comp][l] : midgard_uniform_buffer(x);
        offset[l] = (index[x->index_comp][l] << x->index_shift) + (uint32_t)midgard_offset_uniform(x);
    }
    midgard_machine_check(
        m, m->ports->uniform(m->ports->ctx, buffer, offset, info->bytes, m->lanes, words, &place), &place);
    finish_load(info, words);
    midgard_swizzled(x->swizzle, words, out);
    if (!m->report->fault)
        midgard_machine_write(m, x->reg, x->mask, out);
}

static void address(struct midgard_machine *m, const struct midgard_memory *x)
{
    struct isa_access access = {0};
    uint32_t words[4][16] = {{0}}, out[4][16];
    addresses(m, x, true, true, &access);
    for (unsigned l = 0; l < 16; l++) {
        words[0][l] = (uint32_t)access.address[l];
        words[1][l] = (uint32_t)(access.address[l] >> 32);
    }
    midgard_swizzled(x->swizzle, words, out);
    if (!m->report->fault)
        midgard_machine_write(m, x->reg, x->mask, out);
}

/* ---- registers to registers ---- */

void midgard_divided(unsigned by, bool halves, const uint32_t in[4][16], uint32_t out[4][16])
{
    for (unsigned l = 0; l < 16; l++) {
        uint32_t v[4];
        for (unsigned c = 0; c < 4; c++)
            v[c] = halves ? midgard_of_half(in[c / 2][l] >> 16 * (c & 1)) : in[c][l];
        uint32_t over = (uint32_t)midgard_lane_op(ISA_OP_frcp, ISA_F32, 0, v[by], 0);
        for (unsigned c = 0; c < 4; c++) {
            v[c] = c == by ? 0x3f800000 : midgard_product(v[c], over);
            v[c] = halves ? midgard_to_half(v[c]) : v[c];
        }
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = !halves ? v[c] : c < 2 ? v[2 * c] | v[2 * c + 1] << 16 : 0;
    }
}

void midgard_machine_cube(struct midgard_machine *m, bool halves, const uint32_t in[4][16],
                          uint32_t out[4][16])
{
    uint32_t direction[3][16];
    for (unsigned c = 0; c < 3; c++)
        for (unsigned l = 0; l < 16; l++)
            direction[c][l] = halves ? midgard_of_half(in[c / 2][l] >> 16 * (c & 1)) : in[c][l];
    memset(out, 0, 4 * sizeof *out);
    m->ports->cube(m->ports->ctx, direction, out);
}

static void move(struct midgard_machine *m, const struct midgard_memory *x,
                 const struct midgard_memory_info *info)
{
    uint32_t words[4][16], in[4][16], out[4][16] = {{0}};
    struct isa_place place = {0};
    midgard_machine_argument(m, x->arg_reg, words);
    midgard_swizzled(x->swizzle, words, in);
    switch (info->class) {
    case MIDGARD_MOVE: memcpy(out, in, sizeof out); break;
    case MIDGARD_CUBE: midgard_machine_cube(m, !x->wide, in, out); break;
    case MIDGARD_PERSPECTIVE: midgard_divided(x->op & 3, !x->wide, in, out); break;
    default: {
        uint32_t format = (uint32_t)x->offset << 4 | x->index_shift;
        bool there = m->ports->pack(m->ports->ctx, info->class == MIDGARD_UNPACK, (enum isa_type)info->type,
                                    format, in, m->lanes, out, &place);
        midgard_machine_check(m, there, &place);
    }
    }
    if (!m->report->fault)
        midgard_machine_write(m, x->reg, x->mask, out);
}

/* ---- */

void midgard_machine_load_store(struct midgard_machine *m, const struct midgard_memory *x)
{
    const struct midgard_memory_info *info = midgard_memory_info(x->op);
    if (!info) {
        midgard_machine_fault(m, MIDGARD_FAULT_RESERVED);
        return;
    }
    if (midgard_is_store((enum midgard_class)info->class) && x->reg > MIDGARD_A_ZERO) {
        midgard_machine_fault(m, MIDGARD_FAULT_RESERVED);
        return;
    }
    switch (info->class) {
    case MIDGARD_NOTHING: break;
    case MIDGARD_MOVE:
    case MIDGARD_PERSPECTIVE:
    case MIDGARD_CUBE:
    case MIDGARD_PACK:
    case MIDGARD_UNPACK: move(m, x, info); break;
    case MIDGARD_ADDRESS: address(m, x); break;
    case MIDGARD_ATOMIC: atomic(m, x, info); break;
    case MIDGARD_LOAD: load(m, x, info); break;
    case MIDGARD_STORE: store(m, x, info); break;
    case MIDGARD_UNIFORM: uniform(m, x, info); break;
    case MIDGARD_SPECIAL:
    case MIDGARD_STORE_SPECIAL:
    case MIDGARD_TILE:
    case MIDGARD_STORE_TILE: midgard_machine_tile(m, x, info); break;
    case MIDGARD_TRAP: midgard_machine_fault(m, MIDGARD_FAULT_TRAP); break;
    default: midgard_machine_attribute(m, x, info);
    }
}
