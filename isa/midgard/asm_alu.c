/* Units of bundles: operations, operands, masks. */
#include <string.h>

#include "isa/midgard/asm_internal.h"
#include "isa/midgard/names.h"
#include "util/bits.h"
#include "util/half.h"

static int reg(struct isa_assembler *as, uint8_t *out)
{
    struct isa_token word = isa_scan_word(&as->scan);
    uint32_t value;
    if (!isa_token_numbered(word, "r", &value) || value > 31)
        return isa_asm_fail(as, word, "a register r0 to r31 is expected");
    *out = (uint8_t)value;
    return 0;
}

/* ".x" of a whole word, ".h5" of a half. */
static int component(struct isa_assembler *as, bool *full, uint8_t *out)
{
    static const char letters[] = "xyzw";
    int err = midgard_asm_point(as);
    struct isa_token word = isa_scan_word(&as->scan);
    const char *at = word.length == 1 ? memchr(letters, *word.text, 4) : NULL;
    uint32_t half = 0;
    if (err)
        return err;
    if (!at && (!isa_token_numbered(word, "h", &half) || half > 7))
        return isa_asm_fail(as, word, "a component is expected");
    *full = at;
    *out = (uint8_t)(at ? (at - letters) * 2 : half);
    return 0;
}

/* What stands behind a source's register, each with a point: swizzle, expansion, widening, in any order. */
static int suffixes(struct isa_assembler *as, struct midgard_source *s, bool scalar, bool floats)
{
    static const char *const expand[8] = {NULL, "rl", "rh", "swap", "el", "eh", "els", "ehs"};
    static const char *const widen[4] = {NULL, "zx", "rep", "shl"};
    s->swizzle = scalar ? 0 : 0xe4;
    while (isa_scan_glued(&as->scan, '.')) {
        struct isa_token word = isa_scan_word(&as->scan);
        uint32_t value;
        if (!scalar && midgard_asm_swizzle(word, &s->swizzle))
            continue;
        if (!scalar && (value = midgard_asm_find(word, expand, 8)) < 8)
            s->expand = (uint8_t)value;
        else if (!floats && (value = midgard_asm_find(word, widen, 4)) < 4)
            s->mod = (uint8_t)value;
        else
            return isa_asm_fail(as, word, "this is no modifier of an operand");
    }
    return 0;
}

/* A half, or 16 bits, as the operation reads them; in text either, with a point or without. */
static int immediate(struct isa_assembler *as, struct midgard_alu *out)
{
    float value;
    bool with_point;
    uint32_t bits;
    const char *where = as->scan.at;
    int err = midgard_asm_value(as, &value, &with_point, &bits);
    out->immediate = true;
    if (err)
        return err;
    out->constant = with_point ? util_float_to_half(value) : (uint16_t)bits;
    bool fits =
        with_point ? util_half_to_float(out->constant) == value : bits <= 0xffff || bits >= 0xffff8000;
    return fits ? 0 : isa_scan_fail(&as->scan, where, "this does not fit 16 bits");
}

static int source(struct isa_assembler *as, struct midgard_alu *out, struct midgard_source *s, bool scalar,
                  bool floats)
{
    bool bars = false;
    int err = midgard_asm_comma(as);
    isa_scan_space(&as->scan);
    if (!err && floats) {
        s->mod |= isa_scan_glued(&as->scan, '-') ? MIDGARD_NEG : 0;
        bars = isa_scan_glued(&as->scan, '|');
        s->mod |= bars ? MIDGARD_ABS : 0;
    }
    if (!err && s == &out->b && isa_scan_glued(&as->scan, '#')) {
        err = immediate(as, out);
    } else if (!err) {
        err = reg(as, &s->reg);
        if (!err && scalar)
            err = component(as, &s->full, &s->component);
        if (!err)
            err = suffixes(as, s, scalar, floats);
    }
    if (!err && bars && !isa_scan_glued(&as->scan, '|'))
        err = isa_scan_fail(&as->scan, as->scan.at, "| is expected");
    return err;
}

/* ".xyz", ".m3f" or nothing. */
static int mask(struct isa_assembler *as, struct midgard_alu *out)
{
    static const char letters[] = "xyzwefgh";
    unsigned each = out->mode == MIDGARD_MODE_64 ? 4 : out->mode == MIDGARD_MODE_32 ? 2 : 1;
    out->mask = 0xff;
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    struct isa_token word = isa_scan_word(&as->scan);
    if (word.length == 3 && *word.text == 'm') {
        const char *digits = "0123456789abcdef";
        const char *high = memchr(digits, word.text[1], 16), *low = memchr(digits, word.text[2], 16);
        if (high && low) {
            out->mask = (uint8_t)((high - digits) << 4 | (low - digits));
            return 0;
        }
    }
    out->mask = 0;
    for (size_t n = 0; n < word.length; n++) {
        const char *at = memchr(letters, word.text[n], 8 / each);
        if (!at)
            return isa_asm_fail(as, word, "a mask is expected");
        out->mask |= (uint8_t)(((1u << each) - 1) << (at - letters) * each);
    }
    return word.length ? 0 : isa_asm_fail(as, word, "a mask is expected");
}

/* Behind the mode: what becomes of the result. */
static int result(struct isa_assembler *as, struct midgard_alu *out, bool scalar, bool floats)
{
    static const char *const clamp[4] = {NULL, "pos", "sat1", "sat"};
    static const char *const narrow[4] = {"ssat", "usat", NULL, "high"};
    static const char *const shrink[4] = {"lo", "hi", NULL, "sh3"};
    out->outmod = floats ? MIDGARD_CLAMP_NONE : MIDGARD_LOW_HALF;
    out->shrink = scalar ? 0 : MIDGARD_SHRINK_NONE;
    while (isa_scan_glued(&as->scan, '.')) {
        struct isa_token word = isa_scan_word(&as->scan);
        uint32_t value = midgard_asm_find(word, floats ? clamp : narrow, 4);
        if (value < 4)
            out->outmod = (uint8_t)value;
        else if (!scalar && (value = midgard_asm_find(word, shrink, 4)) < 4)
            out->shrink = (uint8_t)value;
        else
            return isa_asm_fail(as, word, "this is no modifier of a result");
    }
    return 0;
}

static int mode(struct isa_assembler *as, struct midgard_alu *out, bool scalar)
{
    static const char *const vector[4] = {"8", "16", "32", "64"}, *const word[2] = {"half", "full"};
    uint32_t value = 0;
    int err = midgard_asm_point(as);
    if (!err)
        err = midgard_asm_choice(as, scalar ? word : vector, scalar ? 2 : 4,
                                 scalar ? "full or half is expected" : "8, 16, 32 or 64 is expected", &value);
    if (scalar)
        out->full = value;
    else
        out->mode = (uint8_t)value;
    return err;
}

int midgard_asm_alu(struct isa_assembler *as, enum midgard_unit unit, struct midgard_alu *out)
{
    bool scalar = midgard_is_scalar(unit), full = false;
    uint32_t op;
    int err = midgard_asm_point(as);
    struct isa_token name = isa_scan_word(&as->scan);
    if (!err && !midgard_asm_operation(name, &midgard_lists[MIDGARD_ALU_OPS], "op", 256, &op))
        err = isa_asm_fail(as, name, "this operation is not known");
    if (err)
        return err;
    out->op = (uint8_t)op;
    const struct midgard_alu_info *info = midgard_alu_info(out->op);
    err = mode(as, out, scalar);
    if (!err)
        err = result(as, out, scalar, !info || info->float_out);
    if (!err)
        err = reg(as, &out->dest);
    const char *where = as->scan.at;
    if (!err)
        err = scalar ? component(as, &full, &out->component) : mask(as, out);
    if (!err && scalar && full != out->full)
        err = isa_scan_fail(&as->scan, where, "full writes a word, half a half");
    if (!err)
        err = source(as, out, &out->a, scalar, !info || info->float_in);
    return err ? err : source(as, out, &out->b, scalar, !info || info->float_in);
}
