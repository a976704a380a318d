#include <string.h>

#include "isa/isa.h"
#include "isa/midgard/insn.h"
#include "util/bits.h"

enum format {
    FORMAT_TAGS,
    FORMAT_CONTROL,
    FORMAT_REGISTERS,
    FORMAT_VECTOR,
    FORMAT_VECTOR_B,
    FORMAT_SCALAR,
    FORMAT_SCALAR_B,
    FORMAT_JUMP,
    FORMAT_BRANCH,
    FORMAT_BRANCHX,
    FORMAT_MEMORY,
    FORMAT_TEXTURE,
    FORMAT_SELECT,
    FORMAT_OFFSET,
};

#define STRUCT_TAGS      struct midgard_insn
#define STRUCT_CONTROL   struct midgard_insn
#define STRUCT_REGISTERS struct midgard_alu
#define STRUCT_VECTOR    struct midgard_alu
#define STRUCT_VECTOR_B  struct midgard_alu
#define STRUCT_SCALAR    struct midgard_alu
#define STRUCT_SCALAR_B  struct midgard_alu
#define STRUCT_JUMP      struct midgard_jump
#define STRUCT_BRANCH    struct midgard_jump
#define STRUCT_BRANCHX   struct midgard_jump
#define STRUCT_MEMORY    struct midgard_memory
#define STRUCT_TEXTURE   struct midgard_texture
#define STRUCT_SELECT    struct midgard_texture_register
#define STRUCT_OFFSET    struct midgard_texture_register

static const struct {
    enum format format;
    struct isa_field row;
} rows[] = {
#define ROW(format, member, lo, count) {FORMAT_##format, ISA_FIELD(STRUCT_##format, member, lo, count)},
#include "isa/midgard/insns.inc"
};

/* Bits of an immediate operand, by where they stand. */
static const struct {
    enum format format;
    uint8_t from, lo, count;
} pieces[] = {
#define PIECE(format, from, lo, count) {FORMAT_##format, from, lo, count},
#include "isa/midgard/insns.inc"
};

static const struct {
    uint8_t bit, halves;
} units[MIDGARD_UNIT_COUNT] = {
#define UNIT(name, bit, halves) [MIDGARD_##name] = {bit, halves},
#include "isa/midgard/insns.inc"
};

/* Places in a load/store word: two operations of 60 bits behind the tags. */
enum { MEMORY_FIRST = 8, MEMORY_BITS = 60 };
enum { STREAM = MIDGARD_QUADS * 2 + 1 }; /* 64-bit words, with one behind for what crosses their end */

static void extract(enum format format, const uint64_t *bits, void *out)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++)
        if (rows[n].format == format)
            isa_extract(&rows[n].row, 1, bits, out);
}

static void insert(enum format format, const void *in, uint64_t *bits)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++)
        if (rows[n].format == format)
            isa_insert(&rows[n].row, 1, in, bits);
}

static int32_t with_sign(int32_t value, unsigned bits)
{
    return (int32_t)((uint32_t)value << (32 - bits)) >> (32 - bits);
}

/* ---- bundles ---- */

static unsigned halves_of(uint8_t present)
{
    unsigned halves = 2; /* the control word */
    for (unsigned u = 0; u < MIDGARD_UNIT_COUNT; u++)
        if (present >> u & 1)
            halves += units[u].halves + (u < MIDGARD_ALU_UNITS ? 1u : 0u);
    return halves;
}

uint32_t midgard_bundle_quads(uint8_t present, bool has_constants)
{
    return (halves_of(present) + 7) / 8 + has_constants;
}

static void pieces_out(enum format format, const uint64_t *bits, struct midgard_alu *alu)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(pieces); n++)
        if (pieces[n].format == format)
            alu->constant |= (uint16_t)(isa_get(bits, pieces[n].lo, pieces[n].count) << pieces[n].from);
}

static void pieces_in(enum format format, const struct midgard_alu *alu, uint64_t *bits)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(pieces); n++)
        if (pieces[n].format == format)
            isa_set(bits, pieces[n].lo, pieces[n].count, alu->constant >> pieces[n].from);
}

static void decode_alu(bool scalar, const uint64_t registers[2], const uint64_t own[2],
                       struct midgard_alu *alu)
{
    extract(FORMAT_REGISTERS, registers, alu);
    extract(scalar ? FORMAT_SCALAR : FORMAT_VECTOR, own, alu);
    if (alu->immediate) {
        alu->b.reg = 0;
        pieces_out(FORMAT_REGISTERS, registers, alu);
        pieces_out(scalar ? FORMAT_SCALAR : FORMAT_VECTOR, own, alu);
    } else {
        extract(scalar ? FORMAT_SCALAR_B : FORMAT_VECTOR_B, own, alu);
    }
}

static void encode_alu(bool scalar, const struct midgard_alu *alu, uint64_t registers[2], uint64_t own[2])
{
    insert(FORMAT_REGISTERS, alu, registers);
    insert(scalar ? FORMAT_SCALAR : FORMAT_VECTOR, alu, own);
    if (alu->immediate) {
        pieces_in(FORMAT_REGISTERS, alu, registers);
        pieces_in(scalar ? FORMAT_SCALAR : FORMAT_VECTOR, alu, own);
    } else {
        insert(scalar ? FORMAT_SCALAR_B : FORMAT_VECTOR_B, alu, own);
    }
}

static enum format jump_format(bool extended, uint8_t op)
{
    return extended ? FORMAT_BRANCHX : op == MIDGARD_JUMP ? FORMAT_JUMP : FORMAT_BRANCH;
}

static void decode_jump(bool extended, const uint64_t own[2], struct midgard_jump *jump)
{
    extract(jump_format(extended, (uint8_t)(own[0] & 7)), own, jump);
    jump->offset = with_sign(jump->offset, extended ? 23 : 7);
}

static bool decode_bundle(const uint64_t *stream, struct midgard_insn *out)
{
    uint32_t quads = midgard_quads_of(out->tag);
    unsigned registers = 2, at;
    extract(FORMAT_CONTROL, stream, out);
    for (unsigned u = 0; u < MIDGARD_UNIT_COUNT; u++)
        out->units |= (uint8_t)(isa_get(stream, units[u].bit, 1) << u);
    uint32_t needed = midgard_bundle_quads(out->units, false);
    if (quads < needed || quads > needed + 1)
        return false;
    at = 2 + (unsigned)__builtin_popcount(out->units & ((1u << MIDGARD_ALU_UNITS) - 1));
    for (unsigned u = 0; u < MIDGARD_UNIT_COUNT; u++) {
        if (!midgard_has(out, (enum midgard_unit)u))
            continue;
        uint64_t own[2] = {isa_get(stream, at * 16, units[u].halves * 16u)}, word[2] = {0};
        if (u < MIDGARD_ALU_UNITS) {
            word[0] = isa_get(stream, registers++ * 16, 16);
            decode_alu(midgard_is_scalar((enum midgard_unit)u), word, own, &out->alu[u]);
        } else {
            decode_jump(u == MIDGARD_BRANCHX, own, &out->jump[u - MIDGARD_BRANCH]);
        }
        at += units[u].halves;
    }
    out->has_constants = quads > needed;
    if (out->has_constants)
        memcpy(out->constant, &stream[(quads - 1) * 2], sizeof out->constant);
    return true;
}

static void encode_bundle(const struct midgard_insn *insn, uint64_t *stream)
{
    unsigned registers = 2,
             at = 2 + (unsigned)__builtin_popcount(insn->units & ((1u << MIDGARD_ALU_UNITS) - 1));
    insert(FORMAT_CONTROL, insn, stream);
    for (unsigned u = 0; u < MIDGARD_UNIT_COUNT; u++) {
        uint64_t own[2] = {0}, word[2] = {0};
        isa_set(stream, units[u].bit, 1, midgard_has(insn, (enum midgard_unit)u));
        if (!midgard_has(insn, (enum midgard_unit)u))
            continue;
        if (u < MIDGARD_ALU_UNITS) {
            encode_alu(midgard_is_scalar((enum midgard_unit)u), &insn->alu[u], word, own);
            isa_set(stream, registers++ * 16, 16, word[0]);
        } else {
            const struct midgard_jump *jump = &insn->jump[u - MIDGARD_BRANCH];
            insert(jump_format(u == MIDGARD_BRANCHX, jump->op), jump, own);
        }
        isa_set(stream, at * 16, units[u].halves * 16u, own[0]);
        at += units[u].halves;
    }
    if (insn->has_constants)
        memcpy(&stream[(midgard_quads_of(insn->tag) - 1) * 2], insn->constant, sizeof insn->constant);
}

/* ---- instructions ---- */

static void decode_memory(const uint64_t *stream, struct midgard_insn *out)
{
    for (unsigned n = 0; n < 2; n++) {
        uint64_t bits[2] = {isa_get(stream, MEMORY_FIRST + n * MEMORY_BITS, MEMORY_BITS)};
        extract(FORMAT_MEMORY, bits, &out->memory[n]);
        out->memory[n].offset = with_sign(out->memory[n].offset, 18);
    }
}

uint32_t midgard_decode(const void *words, uint32_t count, uint32_t at, struct midgard_insn *out)
{
    uint64_t stream[STREAM] = {0};
    memset(out, 0, sizeof *out);
    if (at >= count)
        return 0;
    memcpy(stream, (const uint8_t *)words + (size_t)at * 16, 16);
    extract(FORMAT_TAGS, stream, out);
    out->at = at;
    uint32_t quads = midgard_quads_of(out->tag);
    if (!quads || quads > count - at)
        return 0;
    memcpy(stream, (const uint8_t *)words + (size_t)at * 16, quads * 16u);
    switch (midgard_kind_of(out->tag)) {
    case MIDGARD_ALU:
        if (!decode_bundle(stream, out))
            return 0;
        break;
    case MIDGARD_LOAD_STORE: decode_memory(stream, out); break;
    default: extract(FORMAT_TEXTURE, stream, &out->texture); break;
    }
    return quads;
}

void midgard_encode(const struct midgard_insn *insn, uint64_t words[MIDGARD_QUADS * 2])
{
    uint64_t stream[STREAM] = {0};
    switch (midgard_kind_of(insn->tag)) {
    case MIDGARD_ALU: encode_bundle(insn, stream); break;
    case MIDGARD_LOAD_STORE:
        for (unsigned n = 0; n < 2; n++) {
            uint64_t bits[2] = {0};
            insert(FORMAT_MEMORY, &insn->memory[n], bits);
            isa_set(stream, MEMORY_FIRST + n * MEMORY_BITS, MEMORY_BITS, bits[0]);
        }
        break;
    default: insert(FORMAT_TEXTURE, &insn->texture, stream); break;
    }
    insert(FORMAT_TAGS, insn, stream);
    memcpy(words, stream, midgard_quads_of(insn->tag) * 16u);
}

/* ---- registers of the texture pipeline ---- */

static struct midgard_texture_register texture_register(enum format format, uint32_t value)
{
    struct midgard_texture_register out = {0};
    uint64_t bits[2] = {value};
    extract(format, bits, &out);
    return out;
}

static uint64_t texture_register_bits(enum format format, const struct midgard_texture_register *r)
{
    uint64_t bits[2] = {0};
    insert(format, r, bits);
    return bits[0];
}

struct midgard_texture_register midgard_texture_select(uint32_t bits)
{
    return texture_register(FORMAT_SELECT, bits);
}

uint8_t midgard_texture_select_bits(const struct midgard_texture_register *r)
{
    return (uint8_t)texture_register_bits(FORMAT_SELECT, r);
}

struct midgard_texture_register midgard_texture_offset(uint32_t bits)
{
    return texture_register(FORMAT_OFFSET, bits);
}

uint16_t midgard_texture_offset_bits(const struct midgard_texture_register *r)
{
    return (uint16_t)texture_register_bits(FORMAT_OFFSET, r);
}
