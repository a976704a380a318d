/* Text to words. An instruction is a line of parts between semicolons, in any order; its fields and its
 * length come of the parts. */
#include "isa/utgard_pp/asm.h"

#include <string.h>

#include "isa/utgard_pp/asm_internal.h"
#include "isa/utgard_pp/names.h"
#include "util/bits.h"
#include "util/half.h"

typedef int (*part_fn)(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t value);

/* ---- varyings ---- */

static int coordinates_or_register(struct isa_assembler *as, uint8_t *dest)
{
    struct isa_scan before = as->scan;
    *dest = UTGARD_PP_R_COORDINATES;
    if (isa_token_is(isa_scan_word(&as->scan), "coords"))
        return 0;
    as->scan = before;
    int err = utgard_pp_asm_register(as, dest);
    if (!err && *dest == UTGARD_PP_R_COORDINATES)
        err = isa_scan_fail(&as->scan, before.at, "that is written as coords here");
    return err;
}

/* "7", "7.zw", "7.y" behind what `token` holds of it. `full` is the alignment of whole vectors. */
static int place(struct isa_assembler *as, struct isa_token token, uint32_t number, uint8_t full,
                 uint32_t limit, uint32_t *index, uint8_t *align)
{
    static const char components[] = "xyzw";
    *align = full;
    *index = number;
    if (isa_scan_glued(&as->scan, '.')) {
        struct isa_token part = isa_scan_word(&as->scan);
        const char *at = part.length == 1 ? memchr(components, *part.text, 4) : NULL;
        bool high = isa_token_is(part, "zw");
        if (!at && !high && !isa_token_is(part, "xy"))
            return isa_asm_fail(as, part, "xy, zw or a component is expected");
        *align = at ? UTGARD_PP_FLOAT : UTGARD_PP_VEC2;
        *index = at ? number * 4 + (uint32_t)(at - components) : number * 2 + high;
    }
    return *index < limit ? 0 : isa_asm_fail(as, token, "this number is too large");
}

static int plane(struct isa_assembler *as, struct utgard_pp_insn *i, struct isa_token name, uint32_t number)
{
    uint32_t index = 0;
    uint8_t offset;
    int err = place(as, name, number, UTGARD_PP_VEC4_VARYING, 64, &index, &i->varying.align);
    i->varying.index = (uint8_t)index;
    i->varying.vector = 15;
    if (err || !isa_scan_take(&as->scan, '+'))
        return err;
    err = utgard_pp_asm_scalar_name(as, &offset);
    if (err)
        return err;
    i->varying.vector = offset >> 2;
    i->varying.scalar = offset & 3;
    return 0;
}

static int varying_source(struct isa_assembler *as, struct utgard_pp_insn *i, bool *from_register)
{
    struct utgard_pp_vector v = {0};
    struct isa_scan before;
    uint32_t number;
    int err = utgard_pp_asm_comma(as);
    if (err)
        return err;
    before = as->scan;
    struct isa_token name = isa_scan_word(&as->scan);
    *from_register = !isa_token_numbered(name, "v", &number);
    if (!*from_register)
        return plane(as, i, name, number);
    as->scan = before;
    err = utgard_pp_asm_vector(as, &v, NULL);
    i->varying.vector = v.reg;
    i->varying.negate = v.negate;
    i->varying.absolute = v.absolute;
    i->varying.scalar = v.swizzle & 3;
    i->varying.index = v.swizzle >> 2;
    return err;
}

enum { VAR, CUBE, NORMALIZE, FRAGCOORD, POINTCOORD, FRONTFACE };

static int divide(struct isa_assembler *as, uint8_t *out)
{
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    struct isa_token token = isa_scan_word(&as->scan);
    *out = isa_token_is(token, "z") ? UTGARD_PP_DIVIDE_Z : isa_token_is(token, "w") ? UTGARD_PP_DIVIDE_W : 1;
    return *out > 1 || isa_token_is(token, "1") ? 0 : isa_asm_fail(as, token, "z or w is expected");
}

static int varying_part(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t what)
{
    bool from_register = false;
    int err = what == VAR ? divide(as, &i->varying.perspective) : 0;
    if (!err)
        err = coordinates_or_register(as, &i->varying.dest);
    if (!err)
        err = utgard_pp_asm_mask(as, &i->varying.mask);
    i->varying.type = what == VAR ? 0 : what >= POINTCOORD ? UTGARD_PP_VARYING_POINT : UTGARD_PP_VARYING_CUBE;
    if (what >= FRAGCOORD) {
        i->varying.perspective = what == FRAGCOORD ? 3 : what == FRONTFACE;
        i->varying.align = UTGARD_PP_VEC4_VARYING;
        i->varying.vector = 15;
        if (err || !isa_scan_comes(&as->scan, ','))
            return err;
    }
    const char *where = as->scan.at;
    if (!err)
        err = varying_source(as, i, &from_register);
    if (err)
        return err;
    if (what >= FRAGCOORD)
        return from_register ? isa_scan_fail(&as->scan, where, "v and a number are expected") : 0;
    if (what == VAR && from_register)
        i->varying.type = UTGARD_PP_VARYING_REGISTER;
    if (what == CUBE)
        i->varying.perspective = from_register;
    if (what == NORMALIZE)
        i->varying.perspective = 2;
    return what != NORMALIZE || from_register ? 0 : isa_scan_fail(&as->scan, where, "a register is expected");
}

/* ---- memory and textures ---- */

static int offset_register(struct isa_assembler *as, bool *has, uint8_t *out)
{
    *has = isa_scan_take(&as->scan, '+');
    return *has ? utgard_pp_asm_scalar_name(as, out) : 0;
}

static int sampler_part(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t type)
{
    uint32_t index = 0;
    int err = utgard_pp_asm_number(as, 4096, &index);
    i->sampler.type = (uint8_t)type;
    i->sampler.index = (uint16_t)index;
    i->sampler.mark = UTGARD_PP_SAMPLER_MARK;
    if (!err)
        err = offset_register(as, &i->sampler.has_offset, &i->sampler.offset);
    if (err || !isa_scan_take(&as->scan, ','))
        return err;
    struct isa_token word = isa_scan_word(&as->scan);
    i->sampler.has_lod = true;
    i->sampler.explicit_lod = isa_token_is(word, "lod");
    if (!i->sampler.explicit_lod && !isa_token_is(word, "bias"))
        return isa_asm_fail(as, word, "lod or bias is expected");
    return utgard_pp_asm_scalar_name(as, &i->sampler.lod);
}

/* Places in the temporaries may have negative numbers: "-1.w" is the component below 0. */
static int memory_place(struct isa_assembler *as, bool temporary, uint16_t *index, uint8_t *align)
{
    uint32_t number = 0, value = 0;
    bool negative = temporary && isa_scan_take(&as->scan, '-');
    isa_scan_space(&as->scan);
    struct isa_token where = {as->scan.at, 1};
    /* the scanner would take "7.x" for a float */
    while (as->scan.at < as->scan.end && *as->scan.at >= '0' && *as->scan.at <= '9' && number < 1u << 20)
        number = number * 10 + (uint32_t)(*as->scan.at++ - '0');
    if (as->scan.at == where.text)
        return isa_asm_fail(as, where, "a number is expected");
    int err = place(as, where, number, UTGARD_PP_VEC4_LOAD, UINT32_MAX, &value, align);
    int64_t at = value;
    if (negative)
        at -= 2 * ((int64_t)number << (UTGARD_PP_VEC4_LOAD - *align));
    *index = (uint16_t)at;
    if (!err && at != (temporary ? (int16_t)*index : (int32_t)*index))
        err = isa_asm_fail(as, where, "this number is too large");
    return err;
}

static int load_part(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t source)
{
    int err = memory_place(as, source == UTGARD_PP_SOURCE_TEMPORARY, &i->load.index, &i->load.align);
    i->load.source = (uint8_t)source;
    return err ? err : offset_register(as, &i->load.has_offset, &i->load.offset);
}

static int store_part(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t unused)
{
    (void)unused;
    int err = memory_place(as, true, &i->store.index, &i->store.align);
    i->store.dest = 3;
    if (!err && isa_scan_take(&as->scan, '~'))
        err = utgard_pp_asm_scalar_name(as, &i->store.offset);
    else if (!err)
        err = offset_register(as, &i->store.has_offset, &i->store.offset);
    if (!err)
        err = utgard_pp_asm_comma(as);
    if (err || i->store.align == UTGARD_PP_FLOAT)
        return err ? err : utgard_pp_asm_scalar_name(as, &i->store.source);
    uint8_t reg = 0;
    err = utgard_pp_asm_register(as, &reg);
    i->store.source = (uint8_t)(reg << 2);
    if (err || i->store.align != UTGARD_PP_VEC2)
        return err;
    if (!isa_scan_glued(&as->scan, '.'))
        return isa_scan_fail(&as->scan, as->scan.at, "xy or zw is expected");
    struct isa_token half = isa_scan_word(&as->scan);
    i->store.source |= isa_token_is(half, "zw") ? 2 : 0;
    return isa_token_is(half, "zw") || isa_token_is(half, "xy")
               ? 0
               : isa_asm_fail(as, half, "xy or zw is expected");
}

static int frame_buffer_part(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t color)
{
    i->store.frame_buffer = true;
    i->store.fb_source = (uint8_t)color;
    i->store.unknown_0 = 7;
    i->store.fb_unknown = 2;
    return utgard_pp_asm_register(as, &i->store.fb_dest);
}

/* ---- branches and constants ---- */

static int target(struct isa_assembler *as, struct utgard_pp_insn *i)
{
    uint32_t at = 0;
    int err;
    if (isa_scan_at_number(&as->scan)) {
        err = isa_scan_number(&as->scan, &at);
    } else {
        err = isa_asm_label(as, isa_scan_word(&as->scan), &at);
        at /= sizeof(uint32_t);
    }
    i->branch.target = (int32_t)(at - as->at / (uint32_t)sizeof(uint32_t));
    return err;
}

static int condition(struct isa_assembler *as, uint8_t *out)
{
    static const char *const names[8] = {"never", "gt", "eq", "ge", "lt", "ne", "le", NULL};
    *out = UTGARD_PP_IF_ALWAYS;
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    struct isa_token word = isa_scan_word(&as->scan);
    for (uint8_t n = 0; n < 7; n++)
        if (isa_token_is(word, names[n])) {
            *out = n;
            return 0;
        }
    return isa_asm_fail(as, word, "a condition is expected");
}

static int branch_part(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t discard)
{
    uint32_t next = 0;
    i->branch.discard = discard;
    if (discard)
        return 0;
    int err = condition(as, &i->branch.condition);
    if (!err && i->branch.condition != UTGARD_PP_IF_ALWAYS) {
        err = utgard_pp_asm_scalar_name(as, &i->branch.a);
        if (!err)
            err = utgard_pp_asm_comma(as);
        if (!err)
            err = utgard_pp_asm_scalar_name(as, &i->branch.b);
        if (!err)
            err = utgard_pp_asm_comma(as);
    }
    if (!err)
        err = target(as, i);
    if (err || !isa_scan_take(&as->scan, ','))
        return err;
    struct isa_token word = isa_scan_word(&as->scan);
    if (!isa_token_is(word, "next"))
        return isa_asm_fail(as, word, "next is expected");
    err = utgard_pp_asm_number(as, 32, &next);
    i->branch.next = (uint8_t)next;
    return err;
}

/* Floats with a point are rounded to halves; whole numbers are a half's bits. */
static int constant_part(struct isa_assembler *as, struct utgard_pp_insn *i, uint32_t n)
{
    for (unsigned c = 0; c < 4; c++) {
        uint32_t bits = 0;
        int err = c ? utgard_pp_asm_comma(as) : 0;
        if (err)
            return err;
        isa_scan_space(&as->scan);
        const char *start = as->scan.at;
        err = isa_scan_number(&as->scan, &bits);
        if (err)
            return err;
        bool has_point = memchr(start, '.', (size_t)(as->scan.at - start)) != NULL;
        if (!has_point && bits > 0xffff)
            return isa_scan_fail(&as->scan, start, "a half's bits, or a number with a point, are expected");
        i->constant[n][c] = has_point ? util_float_to_half(util_u2f(bits)) : (uint16_t)bits;
    }
    return 0;
}

/* ---- instructions ---- */

static const struct {
    const char *name;
    enum utgard_pp_field field;
    part_fn fn;
    uint32_t value;
} words[] = {
    {"var", UTGARD_PP_VARYING, varying_part, VAR},
    {"cube", UTGARD_PP_VARYING, varying_part, CUBE},
    {"normalize", UTGARD_PP_VARYING, varying_part, NORMALIZE},
    {"fragcoord", UTGARD_PP_VARYING, varying_part, FRAGCOORD},
    {"pointcoord", UTGARD_PP_VARYING, varying_part, POINTCOORD},
    {"frontface", UTGARD_PP_VARYING, varying_part, FRONTFACE},
    {"tex2d", UTGARD_PP_SAMPLER, sampler_part, UTGARD_PP_SAMPLER_2D},
    {"texcube", UTGARD_PP_SAMPLER, sampler_part, UTGARD_PP_SAMPLER_CUBE},
    {"uniform", UTGARD_PP_LOAD, load_part, UTGARD_PP_SOURCE_UNIFORM},
    {"temp", UTGARD_PP_LOAD, load_part, UTGARD_PP_SOURCE_TEMPORARY},
    {"store", UTGARD_PP_STORE, store_part, 0},
    {"fbcolor", UTGARD_PP_STORE, frame_buffer_part, 1},
    {"fbdepth", UTGARD_PP_STORE, frame_buffer_part, 0},
    {"branch", UTGARD_PP_BRANCH, branch_part, 0},
    {"discard", UTGARD_PP_BRANCH, branch_part, 1},
    {"c0", UTGARD_PP_CONST0, constant_part, 0},
    {"c1", UTGARD_PP_CONST1, constant_part, 1},
};

static int control_part(struct isa_assembler *as, struct utgard_pp_insn *i, struct isa_token name,
                        bool *known)
{
    uint32_t next = 0;
    *known = true;
    if (isa_token_is(name, "nop"))
        return 0;
    if (isa_token_is(name, "sync"))
        i->sync = true;
    else if (isa_token_is(name, "stop"))
        i->stop = true;
    else if (isa_token_is(name, "next")) {
        int err = utgard_pp_asm_number(as, 64, &next);
        i->prefetch = true;
        i->next = (uint8_t)next;
        return err;
    } else
        *known = false;
    return 0;
}

static int part(struct isa_assembler *as, struct utgard_pp_insn *i, struct isa_token name)
{
    uint32_t type;
    bool known;
    int err = control_part(as, i, name, &known);
    if (known)
        return err;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(words); n++) {
        if (!isa_token_is(name, words[n].name))
            continue;
        if (utgard_pp_has(i, words[n].field))
            return isa_asm_fail(as, name, "this field is said twice");
        i->fields |= (uint16_t)(1u << words[n].field);
        return words[n].fn(as, i, words[n].value);
    }
    if (isa_token_numbered(name, "textype", &type) && type > 0 && type < UTGARD_PP_SAMPLER_CUBE &&
        !utgard_pp_has(i, UTGARD_PP_SAMPLER)) {
        i->fields |= 1u << UTGARD_PP_SAMPLER;
        return sampler_part(as, i, type);
    }
    return utgard_pp_asm_unit(as, i, name);
}

static int instruction(struct isa_assembler *as, struct isa_token mnemonic)
{
    struct utgard_pp_insn insn = {0};
    uint32_t out[UTGARD_PP_WORDS];
    int err = part(as, &insn, mnemonic);
    while (!err && isa_scan_take(&as->scan, ';'))
        err = part(as, &insn, isa_scan_word(&as->scan));
    if (!err && !isa_scan_line_over(&as->scan))
        err = isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
    if (!err && utgard_pp_length(insn.fields) > UTGARD_PP_WORDS)
        err = isa_asm_fail(as, mnemonic, "this instruction is longer than 31 words");
    if (err)
        return err;
    insn.count = (uint8_t)utgard_pp_length(insn.fields);
    utgard_pp_encode(&insn, out);
    return isa_asm_emit(as, out, insn.count * sizeof *out);
}

const struct isa_syntax utgard_pp_syntax = {.word_bytes = UTGARD_PP_WORD_BYTES, .instruction = instruction};
