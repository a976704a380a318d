#include <string.h>

#include "isa/utgard_pp/asm_internal.h"
#include "isa/utgard_pp/names.h"
#include "util/bits.h"

int utgard_pp_asm_comma(struct isa_assembler *as)
{
    return isa_scan_take(&as->scan, ',') ? 0 : isa_scan_fail(&as->scan, as->scan.at, "a comma is expected");
}

int utgard_pp_asm_number(struct isa_assembler *as, uint32_t limit, uint32_t *value)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    int err = isa_scan_number(&as->scan, value);
    return err ? err : *value < limit ? 0 : isa_scan_fail(&as->scan, where, "this number is too large");
}

/* ---- registers ---- */

static int named_register(struct isa_assembler *as, struct isa_token token, uint8_t *out)
{
    for (uint8_t n = 0; n < 16; n++)
        if (isa_token_is(token, utgard_pp_registers[n])) {
            *out = n;
            return 0;
        }
    return isa_asm_fail(as, token, "a register is expected");
}

int utgard_pp_asm_register(struct isa_assembler *as, uint8_t *out)
{
    return named_register(as, isa_scan_word(&as->scan), out);
}

static int component_of(char c)
{
    static const char names[] = "xyzw";
    const char *at = memchr(names, c, 4);
    return at ? (int)(at - names) : -1;
}

int utgard_pp_asm_scalar_name(struct isa_assembler *as, uint8_t *out)
{
    uint8_t reg = 0;
    int err = utgard_pp_asm_register(as, &reg);
    if (err)
        return err;
    if (!isa_scan_glued(&as->scan, '.'))
        return isa_scan_fail(&as->scan, as->scan.at, "a component is expected");
    struct isa_token token = isa_scan_word(&as->scan);
    int component = token.length == 1 ? component_of(*token.text) : -1;
    if (component < 0)
        return isa_asm_fail(as, token, "one of x, y, z, w is expected");
    *out = (uint8_t)(reg << 2 | component);
    return 0;
}

int utgard_pp_asm_mask(struct isa_assembler *as, uint8_t *out)
{
    *out = 15;
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    struct isa_token token = isa_scan_word(&as->scan);
    *out = 0;
    if (isa_token_is(token, "0"))
        return 0;
    int last = -1;
    for (size_t n = 0; n < token.length; n++) {
        int component = component_of(token.text[n]);
        if (component <= last)
            return isa_asm_fail(as, token, "components to be written are named in order");
        *out |= (uint8_t)(1 << component);
        last = component;
    }
    return token.length ? 0 : isa_asm_fail(as, token, "components are expected");
}

static int swizzle(struct isa_assembler *as, uint8_t *out)
{
    *out = 0xe4;
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    struct isa_token token = isa_scan_word(&as->scan);
    if (token.length != 4)
        return isa_asm_fail(as, token, "four components are expected");
    *out = 0;
    for (size_t n = 0; n < 4; n++) {
        int component = component_of(token.text[n]);
        if (component < 0)
            return isa_asm_fail(as, token, "four of x, y, z, w are expected");
        *out |= (uint8_t)(component << 2 * n);
    }
    return 0;
}

/* ---- operands ---- */

static void signs(struct isa_assembler *as, bool *negate, bool *absolute)
{
    *negate = isa_scan_take(&as->scan, '-');
    *absolute = isa_scan_take(&as->scan, '|');
}

static int close_magnitude(struct isa_assembler *as, bool absolute)
{
    if (!absolute || isa_scan_glued(&as->scan, '|'))
        return 0;
    return isa_scan_fail(&as->scan, as->scan.at, "the second bar is expected");
}

/* "^v0" or "^s0". */
static bool multiplied(struct isa_assembler *as, const char *unit)
{
    struct isa_scan before = as->scan;
    if (isa_scan_take(&as->scan, '^') && isa_token_is(isa_scan_word(&as->scan), unit))
        return true;
    as->scan = before;
    return false;
}

int utgard_pp_asm_vector(struct isa_assembler *as, struct utgard_pp_vector *out, bool *mul_in)
{
    signs(as, &out->negate, &out->absolute);
    int err = 0;
    if (mul_in && multiplied(as, "v0"))
        *mul_in = true;
    else
        err = utgard_pp_asm_register(as, &out->reg);
    if (!err)
        err = swizzle(as, &out->swizzle);
    return err ? err : close_magnitude(as, out->absolute);
}

static int scalar(struct isa_assembler *as, struct utgard_pp_scalar *out, bool *mul_in)
{
    signs(as, &out->negate, &out->absolute);
    int err = 0;
    if (mul_in && multiplied(as, "s0"))
        *mul_in = true;
    else
        err = utgard_pp_asm_scalar_name(as, &out->reg);
    return err ? err : close_magnitude(as, out->absolute);
}

/* ---- units ---- */

static int modifier(struct isa_assembler *as, uint8_t *out)
{
    *out = 0;
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    struct isa_token token = isa_scan_word(&as->scan);
    for (uint8_t n = 1; n < 4; n++)
        if (isa_token_is(token, utgard_pp_mods[n] + 1)) {
            *out = n;
            return 0;
        }
    return isa_asm_fail(as, token, "sat, pos or int is expected");
}

static int operation(struct isa_assembler *as, struct isa_token name, enum utgard_pp_list list,
                     uint32_t limit, uint8_t *out)
{
    uint32_t value;
    if (!utgard_pp_named(list, name.text, name.length, &value) &&
        !(isa_token_numbered(name, "op", &value) && value < limit && !utgard_pp_name(list, value)))
        return isa_asm_fail(as, name, "this unit has no such operation");
    *out = (uint8_t)value;
    return 0;
}

static int two_vectors(struct isa_assembler *as, enum utgard_pp_list list, uint8_t op,
                       struct utgard_pp_vector *a, struct utgard_pp_vector *b, bool *mul_in)
{
    int err = utgard_pp_asm_comma(as);
    if (!err)
        err = utgard_pp_asm_vector(as, a, mul_in);
    if (!err && utgard_pp_operands(list, op) > 1) {
        err = utgard_pp_asm_comma(as);
        if (!err)
            err = utgard_pp_asm_vector(as, b, NULL);
    }
    return err;
}

static int two_scalars(struct isa_assembler *as, enum utgard_pp_list list, uint8_t op,
                       struct utgard_pp_scalar *a, struct utgard_pp_scalar *b, bool *mul_in)
{
    int err = utgard_pp_asm_comma(as);
    if (!err)
        err = scalar(as, a, mul_in);
    if (!err && utgard_pp_operands(list, op) > 1) {
        err = utgard_pp_asm_comma(as);
        if (!err)
            err = scalar(as, b, NULL);
    }
    return err;
}

static int vector_dest(struct isa_assembler *as, uint8_t *dest, uint8_t *mask)
{
    int err = utgard_pp_asm_register(as, dest);
    return err ? err : utgard_pp_asm_mask(as, mask);
}

static int scalar_dest(struct isa_assembler *as, uint8_t *dest, bool *writes)
{
    struct isa_scan before = as->scan;
    *writes = !isa_token_is(isa_scan_word(&as->scan), "none");
    if (!*writes)
        return 0;
    as->scan = before;
    return utgard_pp_asm_scalar_name(as, dest);
}

static int vector_unit(struct isa_assembler *as, struct utgard_pp_insn *i, struct isa_token name, bool add)
{
    enum utgard_pp_list list = add ? UTGARD_PP_ADD_OPS : UTGARD_PP_MUL_OPS;
    struct utgard_pp_vector *a = add ? &i->vadd.a : &i->vmul.a, *b = add ? &i->vadd.b : &i->vmul.b;
    uint8_t *op = add ? &i->vadd.op : &i->vmul.op;
    int err = operation(as, name, list, 32, op);
    if (!err)
        err = modifier(as, add ? &i->vadd.mod : &i->vmul.mod);
    if (!err)
        err = vector_dest(as, add ? &i->vadd.dest : &i->vmul.dest, add ? &i->vadd.mask : &i->vmul.mask);
    return err ? err : two_vectors(as, list, *op, a, b, add ? &i->vadd.mul_in : NULL);
}

static int scalar_unit(struct isa_assembler *as, struct utgard_pp_insn *i, struct isa_token name, bool add)
{
    enum utgard_pp_list list = add ? UTGARD_PP_ADD_OPS : UTGARD_PP_MUL_OPS;
    struct utgard_pp_scalar *a = add ? &i->sadd.a : &i->smul.a, *b = add ? &i->sadd.b : &i->smul.b;
    uint8_t *op = add ? &i->sadd.op : &i->smul.op;
    int err = operation(as, name, list, 32, op);
    if (!err)
        err = modifier(as, add ? &i->sadd.mod : &i->smul.mod);
    if (!err)
        err = scalar_dest(as, add ? &i->sadd.dest : &i->smul.dest, add ? &i->sadd.writes : &i->smul.writes);
    return err ? err : two_scalars(as, list, *op, a, b, add ? &i->sadd.mul_in : NULL);
}

/* The combiner's vector operand, which has neither sign nor magnitude. */
static int plain_vector(struct isa_assembler *as, struct utgard_pp_insn *i)
{
    int err = utgard_pp_asm_comma(as);
    if (!err)
        err = utgard_pp_asm_register(as, &i->combine.b_vector);
    return err ? err : swizzle(as, &i->combine.b_swizzle);
}

static int scale(struct isa_assembler *as, struct utgard_pp_insn *i)
{
    i->combine.kind = UTGARD_PP_COMBINE_SCALE;
    int err = vector_dest(as, &i->combine.vector_dest, &i->combine.mask);
    if (!err)
        err = utgard_pp_asm_comma(as);
    if (!err)
        err = scalar(as, &i->combine.a, NULL);
    return err ? err : plain_vector(as, i);
}

static int part2(struct isa_assembler *as, struct utgard_pp_insn *i)
{
    i->combine.kind = UTGARD_PP_COMBINE_PART2;
    int err = modifier(as, &i->combine.mod);
    if (!err)
        err = utgard_pp_asm_scalar_name(as, &i->combine.dest);
    return err ? err : plain_vector(as, i);
}

static int function(struct isa_assembler *as, struct utgard_pp_insn *i, struct isa_token name, bool to_vector)
{
    i->combine.kind = to_vector ? UTGARD_PP_COMBINE_VECTOR : UTGARD_PP_COMBINE_SCALAR;
    int err = operation(as, name, UTGARD_PP_COMBINE_OPS, 16, &i->combine.op);
    if (!err && !to_vector)
        err = modifier(as, &i->combine.mod);
    if (!err)
        err = to_vector ? vector_dest(as, &i->combine.vector_dest, &i->combine.mask)
                        : utgard_pp_asm_scalar_name(as, &i->combine.dest);
    return err ? err
               : two_scalars(as, UTGARD_PP_COMBINE_OPS, i->combine.op, &i->combine.a, &i->combine.b, NULL);
}

static int combiner(struct isa_assembler *as, struct utgard_pp_insn *i, struct isa_token name, bool to_vector)
{
    if (isa_token_is(name, "scale") && !to_vector)
        return scale(as, i);
    if (isa_token_is(name, "atanpart2") && !to_vector)
        return part2(as, i);
    return function(as, i, name, to_vector);
}

int utgard_pp_asm_unit(struct isa_assembler *as, struct utgard_pp_insn *insn, struct isa_token name)
{
    static const struct {
        const char *unit;
        enum utgard_pp_field field;
        int (*fn)(struct isa_assembler *, struct utgard_pp_insn *, struct isa_token, bool);
        bool flag;
    } units[] = {
        {"v0", UTGARD_PP_VMUL, vector_unit, false}, {"v1", UTGARD_PP_VADD, vector_unit, true},
        {"s0", UTGARD_PP_SMUL, scalar_unit, false}, {"s1", UTGARD_PP_SADD, scalar_unit, true},
        {"s2", UTGARD_PP_COMBINE, combiner, false}, {"s2v", UTGARD_PP_COMBINE, combiner, true},
    };
    if (!isa_scan_glued(&as->scan, '.'))
        return isa_asm_fail(as, name, "unknown operation");
    struct isa_token unit = isa_scan_word(&as->scan);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(units); n++) {
        if (!isa_token_is(unit, units[n].unit))
            continue;
        if (utgard_pp_has(insn, units[n].field))
            return isa_asm_fail(as, name, "this unit is used twice");
        insn->fields |= (uint16_t)(1u << units[n].field);
        return units[n].fn(as, insn, name, units[n].flag);
    }
    return isa_asm_fail(as, unit, "a unit is expected: v0, s0, v1, s1, s2 or s2v");
}
