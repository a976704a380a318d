#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/disasm.h"
#include "isa/text.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/names.h"
#include "util/half.h"

static void part(struct isa_text *t, const char *word)
{
    isa_put_part(t);
    isa_put(t, "%s", word);
}

/* ---- operands ---- */

static void components(struct isa_text *t, uint8_t swizzle)
{
    if (swizzle != 0xe4)
        isa_put(t, ".%c%c%c%c", "xyzw"[swizzle & 3], "xyzw"[swizzle >> 2 & 3], "xyzw"[swizzle >> 4 & 3],
                "xyzw"[swizzle >> 6]);
}

static void vector(struct isa_text *t, const char *name, uint8_t swizzle, bool absolute, bool negate)
{
    isa_put(t, "%s%s%s", negate ? "-" : "", absolute ? "|" : "", name);
    components(t, swizzle);
    isa_put(t, "%s", absolute ? "|" : "");
}

static void scalar_name(struct isa_text *t, uint8_t reg)
{
    isa_put(t, "%s.%c", utgard_pp_registers[reg >> 2 & 15], "xyzw"[reg & 3]);
}

static void scalar(struct isa_text *t, const struct utgard_pp_scalar *s, bool mul_in)
{
    isa_put(t, "%s%s", s->negate ? "-" : "", s->absolute ? "|" : "");
    if (mul_in)
        isa_put(t, "^s0");
    else
        scalar_name(t, s->reg);
    isa_put(t, "%s", s->absolute ? "|" : "");
}

static void masked(struct isa_text *t, const char *name, uint8_t mask)
{
    isa_put(t, "%s", name);
    if (mask == 15)
        return;
    isa_put(t, mask ? "." : ".0");
    for (unsigned n = 0; n < 4; n++)
        if (mask >> n & 1)
            isa_put(t, "%c", "xyzw"[n]);
}

/* "7", "7.zw", "7.y": a place in memory of vec4s, whose index counts in units of the alignment. */
static void place(struct isa_text *t, int32_t index, uint8_t align)
{
    if (align == UTGARD_PP_FLOAT)
        isa_put(t, "%" PRId32 ".%c", index >> 2, "xyzw"[index & 3]);
    else if (align == UTGARD_PP_VEC2)
        isa_put(t, "%" PRId32 ".%s", index >> 1, index & 1 ? "zw" : "xy");
    else
        isa_put(t, "%" PRId32, index);
}

/* ---- fields ---- */

static void varying(struct isa_text *t, const struct utgard_pp_insn *i)
{
    static const char *const divide[4] = {"", ".1", ".z", ".w"};
    bool cube = i->varying.type == UTGARD_PP_VARYING_CUBE, from_register;
    uint8_t p = i->varying.perspective;
    if (i->varying.type == UTGARD_PP_VARYING_POINT)
        part(t, p == 0 ? "pointcoord" : "frontface");
    else if (cube)
        part(t, p < 2 ? "cube" : p == 2 ? "normalize" : "fragcoord");
    else
        part(t, "var");
    if (i->varying.type < UTGARD_PP_VARYING_CUBE)
        isa_put(t, "%s", divide[p]);
    isa_put(t, " ");
    masked(t, i->varying.dest == UTGARD_PP_R_COORDINATES ? "coords" : utgard_pp_registers[i->varying.dest],
           i->varying.mask);
    from_register = i->varying.type == UTGARD_PP_VARYING_REGISTER || (cube && (p == 1 || p == 2));
    bool fixed = i->varying.type == UTGARD_PP_VARYING_POINT || (cube && p == 3);
    if (fixed && i->varying.align == UTGARD_PP_VEC4_VARYING && !i->varying.index && i->varying.vector == 15)
        return;
    isa_put(t, ", ");
    if (from_register) {
        vector(t, utgard_pp_registers[i->varying.vector],
               (uint8_t)(i->varying.scalar | i->varying.index << 2), i->varying.absolute, i->varying.negate);
        return;
    }
    isa_put(t, "v");
    place(t, i->varying.index, i->varying.align);
    if (i->varying.vector != 15) {
        isa_put(t, "+");
        scalar_name(t, (uint8_t)(i->varying.vector << 2 | i->varying.scalar));
    }
}

static void sampler(struct isa_text *t, const struct utgard_pp_insn *i)
{
    if (i->sampler.type == UTGARD_PP_SAMPLER_2D || i->sampler.type == UTGARD_PP_SAMPLER_CUBE) {
        part(t, i->sampler.type ? "texcube" : "tex2d");
    } else {
        part(t, "textype");
        isa_put(t, "%u", i->sampler.type);
    }
    isa_put(t, " %u", i->sampler.index);
    if (i->sampler.has_offset) {
        isa_put(t, "+");
        scalar_name(t, i->sampler.offset);
    }
    if (i->sampler.has_lod) {
        isa_put(t, ", %s ", i->sampler.explicit_lod ? "lod" : "bias");
        scalar_name(t, i->sampler.lod);
    }
}

static void load(struct isa_text *t, const struct utgard_pp_insn *i)
{
    bool temporary = i->load.source == UTGARD_PP_SOURCE_TEMPORARY;
    part(t, temporary ? "temp " : "uniform ");
    place(t, temporary ? (int16_t)i->load.index : i->load.index, i->load.align);
    if (i->load.has_offset) {
        isa_put(t, "+");
        scalar_name(t, i->load.offset);
    }
}

static void operation(struct isa_text *t, enum utgard_pp_list list, uint8_t op, const char *unit, uint8_t mod)
{
    const char *name = utgard_pp_name(list, op);
    part(t, name ? name : "op");
    if (!name)
        isa_put(t, "%u", op);
    isa_put(t, ".%s%s ", unit, utgard_pp_mods[mod]);
}

#define VECTOR_UNIT(t, list, unit, u)                                                                        \
    do {                                                                                                     \
        operation(t, list, (u)->op, unit, (u)->mod);                                                         \
        masked(t, utgard_pp_registers[(u)->dest], (u)->mask);                                                \
        isa_put(t, ", ");                                                                                    \
        vector(t, (u)->mul_in ? "^v0" : utgard_pp_registers[(u)->a.reg], (u)->a.swizzle, (u)->a.absolute,    \
               (u)->a.negate);                                                                               \
        if (utgard_pp_operands(list, (u)->op) > 1) {                                                         \
            isa_put(t, ", ");                                                                                \
            vector(t, utgard_pp_registers[(u)->b.reg], (u)->b.swizzle, (u)->b.absolute, (u)->b.negate);      \
        }                                                                                                    \
    } while (0)

#define SCALAR_UNIT(t, list, unit, u)                                                                        \
    do {                                                                                                     \
        operation(t, list, (u)->op, unit, (u)->mod);                                                         \
        if ((u)->writes)                                                                                     \
            scalar_name(t, (u)->dest);                                                                       \
        else                                                                                                 \
            isa_put(t, "none");                                                                              \
        isa_put(t, ", ");                                                                                    \
        scalar(t, &(u)->a, (u)->mul_in);                                                                     \
        if (utgard_pp_operands(list, (u)->op) > 1) {                                                         \
            isa_put(t, ", ");                                                                                \
            scalar(t, &(u)->b, false);                                                                       \
        }                                                                                                    \
    } while (0)

static void combine(struct isa_text *t, const struct utgard_pp_insn *i)
{
    uint8_t kind = i->combine.kind;
    if (kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_PART2)
        part(t, kind == UTGARD_PP_COMBINE_SCALE ? "scale.s2" : "atanpart2.s2");
    else
        operation(t, UTGARD_PP_COMBINE_OPS, i->combine.op, kind ? "s2v" : "s2",
                  kind == UTGARD_PP_COMBINE_SCALAR ? i->combine.mod : 0);
    if (kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_PART2)
        isa_put(t, "%s ", kind == UTGARD_PP_COMBINE_PART2 ? utgard_pp_mods[i->combine.mod] : "");
    if (kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_VECTOR)
        masked(t, utgard_pp_registers[i->combine.vector_dest], i->combine.mask);
    else
        scalar_name(t, i->combine.dest);
    isa_put(t, ", ");
    if (kind != UTGARD_PP_COMBINE_PART2)
        scalar(t, &i->combine.a, false);
    if (kind == UTGARD_PP_COMBINE_SCALE)
        isa_put(t, ", ");
    if (kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_PART2)
        vector(t, utgard_pp_registers[i->combine.b_vector], i->combine.b_swizzle, false, false);
    else if (utgard_pp_operands(UTGARD_PP_COMBINE_OPS, i->combine.op) > 1) {
        isa_put(t, ", ");
        scalar(t, &i->combine.b, false);
    }
}

static void store(struct isa_text *t, const struct utgard_pp_insn *i)
{
    if (i->store.frame_buffer) {
        part(t, i->store.fb_source ? "fbcolor " : "fbdepth ");
        isa_put(t, "%s", utgard_pp_registers[i->store.fb_dest]);
        return;
    }
    part(t, "store ");
    place(t, (int16_t)i->store.index, i->store.align);
    if (i->store.has_offset || i->store.offset) {
        isa_put(t, i->store.has_offset ? "+" : "~");
        scalar_name(t, i->store.offset);
    }
    isa_put(t, ", ");
    if (i->store.align == UTGARD_PP_FLOAT)
        scalar_name(t, i->store.source);
    else
        isa_put(t, "%s%s", utgard_pp_registers[i->store.source >> 2],
                i->store.align == UTGARD_PP_VEC2 ? (i->store.source & 2 ? ".zw" : ".xy") : "");
}

static void branch(struct isa_text *t, const struct utgard_pp_insn *i, const char *label)
{
    static const char *const condition[8] = {".never", ".gt", ".eq", ".ge", ".lt", ".ne", ".le", ""};
    if (i->branch.discard) {
        part(t, "discard");
        return;
    }
    part(t, "branch");
    isa_put(t, "%s ", condition[i->branch.condition]);
    if (i->branch.condition != UTGARD_PP_IF_ALWAYS) {
        scalar_name(t, i->branch.a);
        isa_put(t, ", ");
        scalar_name(t, i->branch.b);
        isa_put(t, ", ");
    }
    if (label)
        isa_put(t, "%s", label);
    else
        isa_put(t, "%" PRId64, (int64_t)i->at + i->branch.target);
    if (i->branch.next)
        isa_put(t, ", next %u", i->branch.next);
}

/* All digits of it: a half has at most 24 behind the point. */
static void fraction(struct isa_text *t, float value)
{
    isa_put(t, "%.24f", (double)value);
    while (t->at[t->length - 1] == '0')
        t->at[--t->length] = 0;
}

static void constant(struct isa_text *t, const struct utgard_pp_insn *i, unsigned n)
{
    part(t, n ? "c1 " : "c0 ");
    for (unsigned c = 0; c < 4; c++) {
        uint16_t half = i->constant[n][c];
        float value = util_half_to_float(half);
        bool plain = (half & 0x7c00) != 0x7c00;
        isa_put(t, c ? ", " : "");
        if (!plain)
            isa_put(t, "0x%04x", half);
        else if (value == (float)(int)value)
            isa_put(t, "%s%d.0", value == 0 && half ? "-" : "", (int)value);
        else
            fraction(t, value);
    }
}

/* ---- instructions ---- */

static void fields(struct isa_text *t, const struct utgard_pp_insn *i, const char *label)
{
    if (utgard_pp_has(i, UTGARD_PP_CONST0))
        constant(t, i, 0);
    if (utgard_pp_has(i, UTGARD_PP_CONST1))
        constant(t, i, 1);
    if (utgard_pp_has(i, UTGARD_PP_VARYING))
        varying(t, i);
    if (utgard_pp_has(i, UTGARD_PP_SAMPLER))
        sampler(t, i);
    if (utgard_pp_has(i, UTGARD_PP_LOAD))
        load(t, i);
    if (utgard_pp_has(i, UTGARD_PP_VMUL))
        VECTOR_UNIT(t, UTGARD_PP_MUL_OPS, "v0", &i->vmul);
    if (utgard_pp_has(i, UTGARD_PP_SMUL))
        SCALAR_UNIT(t, UTGARD_PP_MUL_OPS, "s0", &i->smul);
    if (utgard_pp_has(i, UTGARD_PP_VADD))
        VECTOR_UNIT(t, UTGARD_PP_ADD_OPS, "v1", &i->vadd);
    if (utgard_pp_has(i, UTGARD_PP_SADD))
        SCALAR_UNIT(t, UTGARD_PP_ADD_OPS, "s1", &i->sadd);
    if (utgard_pp_has(i, UTGARD_PP_COMBINE))
        combine(t, i);
    if (utgard_pp_has(i, UTGARD_PP_STORE))
        store(t, i);
    if (utgard_pp_has(i, UTGARD_PP_BRANCH))
        branch(t, i, label);
}

static void print(struct isa_text *t, const struct utgard_pp_insn *i, const char *label)
{
    fields(t, i, label);
    if (i->sync)
        part(t, "sync");
    if (i->stop)
        part(t, "stop");
    if (i->prefetch) {
        part(t, "next");
        isa_put(t, " %u", i->next);
    }
    if (!t->begun)
        part(t, "nop");
}

/* Whether the text says all of the words: it does when it assembles to them. */
static bool says_all(const uint32_t *words, const struct utgard_pp_insn *i, const struct isa_text *t)
{
    uint32_t *again, count, expected = i->at;
    bool same;
    if (utgard_pp_asm(t->at, t->length, &again, &count, NULL))
        return false;
    /* alone it stands at word 0: only a branch's target is another */
    if (utgard_pp_has(i, UTGARD_PP_BRANCH) && !i->branch.discard) {
        struct utgard_pp_insn moved;
        if (utgard_pp_decode(again, count, 0, &moved)) {
            moved.branch.target -= (int32_t)expected;
            uint32_t moved_words[UTGARD_PP_WORDS];
            utgard_pp_encode(&moved, moved_words);
            memcpy(again, moved_words, (count < UTGARD_PP_WORDS ? count : UTGARD_PP_WORDS) * sizeof *again);
        }
    }
    same = count == i->count && memcmp(again, &words[i->at], count * sizeof *again) == 0;
    free(again);
    return same;
}

static uint32_t disassemble(const uint32_t *words, uint32_t count, uint32_t at, const char *label, char *out)
{
    struct utgard_pp_insn insn;
    struct isa_text t = {.at = out, .capacity = UTGARD_PP_TEXT_MAX};
    uint32_t length = utgard_pp_decode(words, count, at, &insn);
    out[0] = 0;
    if (at >= count)
        return 0;
    if (length) {
        print(&t, &insn, NULL);
        if (says_all(words, &insn, &t)) {
            if (label) {
                t = (struct isa_text){.at = out, .capacity = UTGARD_PP_TEXT_MAX};
                print(&t, &insn, label);
            }
            return length;
        }
        t = (struct isa_text){.at = out, .capacity = UTGARD_PP_TEXT_MAX};
    }
    length = length ? length : 1;
    for (uint32_t n = 0; n < length; n++)
        isa_put(&t, "%s.word 0x%08" PRIx32, n ? "\n" : "", words[at + n]);
    return length;
}

uint32_t utgard_pp_disasm(const uint32_t *words, uint32_t count, uint32_t at, char text[UTGARD_PP_TEXT_MAX])
{
    return disassemble(words, count, at, NULL, text);
}

static uint32_t targets_of(const void *words, uint32_t count, uint32_t at, int64_t targets[ISA_TARGETS])
{
    struct utgard_pp_insn insn;
    uint32_t length = utgard_pp_decode(words, count, at, &insn);
    bool branches = length && utgard_pp_has(&insn, UTGARD_PP_BRANCH) && !insn.branch.discard;
    targets[0] = branches ? (int64_t)at + insn.branch.target : -1;
    targets[1] = -1;
    return length;
}

static uint32_t text_of(const void *words, uint32_t count, uint32_t at, isa_label_text labels[ISA_TARGETS],
                        char text[ISA_LINE_MAX])
{
    return disassemble(words, count, at, labels[0][0] ? labels[0] : NULL, text);
}

static const struct isa_disassembler disassembler = {targets_of, text_of};
_Static_assert(UTGARD_PP_TEXT_MAX <= ISA_LINE_MAX, "a line holds any instruction");

int utgard_pp_disasm_program(FILE *out, const void *words, uint32_t count)
{
    return isa_disasm_program(out, &disassembler, words, count);
}
