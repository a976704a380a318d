#include <string.h>

#include "isa/isa.h"
#include "isa/utgard_pp/insn.h"
#include "util/bits.h"

/* Rows of every format, in one table each. */
enum format {
    FORMAT_VARYING,
    FORMAT_SAMPLER,
    FORMAT_LOAD,
    FORMAT_VMUL,
    FORMAT_SMUL,
    FORMAT_VADD,
    FORMAT_SADD,
    FORMAT_COMBINE_SCALAR,
    FORMAT_STORE,
    FORMAT_BRANCH,
    FORMAT_CONST0,
    FORMAT_CONST1,
    FORMAT_CONTROL,
    FORMAT_COMBINE_VECTOR,
    FORMAT_COMBINE_PART2,
    FORMAT_COMBINE_SCALE,
    FORMAT_FRAME_BUFFER,
};

static const struct {
    enum format format;
    struct isa_field row;
} rows[] = {
#define ROW(field, member, lo, count) {FORMAT_##field, ISA_FIELD(struct utgard_pp_insn, member, lo, count)},
#include "isa/utgard_pp/insns.inc"
};

static const uint8_t bits_of[UTGARD_PP_FIELD_COUNT] = {
#define FIELD(name, bits) [UTGARD_PP_##name] = bits,
#include "isa/utgard_pp/insns.inc"
};

enum { DISCARD_WORD = 0x007f0003, STORE_MARK = 3, FRAME_BUFFER_MARK = 7 };

static void extract(enum format format, const uint64_t *bits, struct utgard_pp_insn *out)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++)
        if (rows[n].format == format)
            isa_extract(&rows[n].row, 1, bits, out);
}

static void insert(enum format format, const struct utgard_pp_insn *in, uint64_t *bits)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++)
        if (rows[n].format == format)
            isa_insert(&rows[n].row, 1, in, bits);
}

static enum format combine_format(uint8_t kind)
{
    static const enum format formats[4] = {FORMAT_COMBINE_SCALAR, FORMAT_COMBINE_VECTOR, FORMAT_COMBINE_PART2,
                                           FORMAT_COMBINE_SCALE};
    return formats[kind & 3];
}

/* `bits`: the field's own, from bit 0, in two words. */
static void decode_field(enum utgard_pp_field field, const uint64_t bits[2], struct utgard_pp_insn *out)
{
    if (field == UTGARD_PP_COMBINE) {
        extract(combine_format((uint8_t)(bits[0] & 3)), bits, out);
    } else if (field == UTGARD_PP_STORE && isa_get(bits, 1, 5) == FRAME_BUFFER_MARK) {
        out->store.frame_buffer = true;
        extract(FORMAT_FRAME_BUFFER, bits, out);
    } else if (field == UTGARD_PP_BRANCH && bits[0] == DISCARD_WORD && !bits[1]) {
        out->branch.discard = true;
    } else {
        extract((enum format)field, bits, out);
    }
    if (field == UTGARD_PP_BRANCH)
        out->branch.target = (int32_t)((uint32_t)out->branch.target << 5) >> 5;
}

uint32_t utgard_pp_length(uint16_t fields)
{
    uint32_t bits = 0;
    for (unsigned f = 0; f < UTGARD_PP_FIELD_COUNT; f++)
        bits += fields >> f & 1 ? bits_of[f] : 0;
    return 1 + (bits + 31) / 32;
}

uint32_t utgard_pp_decode(const uint32_t *words, uint32_t count, uint32_t at, struct utgard_pp_insn *out)
{
    uint64_t stream[UTGARD_PP_WORDS / 2 + 3] = {0};
    memset(out, 0, sizeof *out);
    if (at >= count)
        return 0;
    stream[0] = words[at];
    extract(FORMAT_CONTROL, stream, out);
    out->at = at;
    if (out->count < utgard_pp_length(out->fields) || out->count > count - at)
        return 0;
    memcpy(stream, &words[at + 1], (out->count - 1u) * sizeof *words);
    for (unsigned f = 0, bit = 0; f < UTGARD_PP_FIELD_COUNT; f++) {
        uint64_t bits[2] = {0};
        if (!(out->fields >> f & 1))
            continue;
        bits[0] = isa_get(stream, bit, UTIL_MIN(bits_of[f], 64));
        if (bits_of[f] > 64)
            bits[1] = isa_get(stream, bit + 64, bits_of[f] - 64u);
        decode_field((enum utgard_pp_field)f, bits, out);
        bit += bits_of[f];
    }
    return out->count;
}

static void encode_field(enum utgard_pp_field field, const struct utgard_pp_insn *insn, uint64_t bits[2])
{
    struct utgard_pp_insn copy = *insn;
    copy.branch.target &= 0x7ffffff;
    if (field == UTGARD_PP_COMBINE)
        insert(combine_format(insn->combine.kind), insn, bits);
    else if (field == UTGARD_PP_STORE && insn->store.frame_buffer)
        insert(FORMAT_FRAME_BUFFER, insn, bits);
    else if (field == UTGARD_PP_BRANCH && insn->branch.discard)
        bits[0] = DISCARD_WORD;
    else
        insert((enum format)field, &copy, bits);
}

void utgard_pp_encode(const struct utgard_pp_insn *insn, uint32_t words[UTGARD_PP_WORDS])
{
    uint64_t stream[UTGARD_PP_WORDS / 2 + 3] = {0}, control = 0;
    for (unsigned f = 0, bit = 0; f < UTGARD_PP_FIELD_COUNT; f++) {
        uint64_t bits[2] = {0};
        if (!(insn->fields >> f & 1))
            continue;
        encode_field((enum utgard_pp_field)f, insn, bits);
        isa_set(stream, bit, UTIL_MIN(bits_of[f], 64), bits[0]);
        if (bits_of[f] > 64)
            isa_set(stream, bit + 64, bits_of[f] - 64u, bits[1]);
        bit += bits_of[f];
    }
    insert(FORMAT_CONTROL, insn, &control);
    memset(words, 0, UTGARD_PP_WORDS * sizeof *words);
    words[0] = (uint32_t)control;
    memcpy(&words[1], stream, (UTGARD_PP_WORDS - 1) * sizeof *words);
}
