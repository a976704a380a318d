/* Textures. */
#include <math.h>
#include <string.h>

#include "isa/midgard/asm_internal.h"
#include "isa/midgard/names.h"

static const char *const inputs[2] = {"in0", "in1"}, *const outputs[2] = {"out0", "out1"};

/* ".half", ".upper", and of what may be chosen from letters, each with a point. */
static int sizes(struct isa_assembler *as, bool *full, bool *upper, uint8_t *mask, uint8_t *swizzle)
{
    *full = true;
    while (isa_scan_glued(&as->scan, '.')) {
        struct isa_token word = isa_scan_word(&as->scan);
        if (isa_token_is(word, "half"))
            *full = false;
        else if (isa_token_is(word, "upper"))
            *upper = true;
        else if (!(mask && midgard_asm_mask(word, mask)) && !(swizzle && midgard_asm_swizzle(word, swizzle)))
            return isa_asm_fail(as, word, "half, upper or components are expected");
    }
    return 0;
}

/* "in0.x", with its size: eight bits. */
static int selected(struct isa_assembler *as, uint32_t *bits)
{
    static const char *const letters[4] = {"x", "y", "z", "w"};
    struct midgard_texture_register r = {0};
    uint32_t which = 0, component = 0;
    int err = midgard_asm_choice(as, inputs, 2, "in0, in1 or a number is expected", &which);
    if (!err)
        err = midgard_asm_point(as);
    if (!err)
        err = midgard_asm_choice(as, letters, 4, "a component is expected", &component);
    if (!err)
        err = sizes(as, &r.full, &r.upper, NULL, NULL);
    r.select = which;
    r.swizzle = (uint8_t)component;
    *bits = midgard_texture_select_bits(&r);
    return err;
}

static int handle(struct isa_assembler *as, bool *by_register, uint16_t *out)
{
    int64_t number = 0;
    uint32_t bits = 0;
    int err = midgard_asm_comma(as);
    *by_register = !isa_scan_at_number(&as->scan);
    if (!err)
        err = *by_register ? selected(as, &bits) : midgard_asm_number(as, 0, 0xffff, &number);
    *out = (uint16_t)(*by_register ? bits : (uint32_t)number);
    return err;
}

static int input(struct isa_assembler *as, struct midgard_texture_register *r)
{
    uint32_t which = 0;
    int err = midgard_asm_choice(as, inputs, 2, "in0 or in1 is expected", &which);
    r->select = which;
    r->swizzle = 0xe4;
    return err ? err : sizes(as, &r->full, &r->upper, NULL, &r->swizzle);
}

static int kind(struct isa_assembler *as, struct midgard_texture *x)
{
    static const char *const dimensions[4] = {"cube", "1d", "2d", "3d"};
    static const char *const types[4] = {"t0", "f", "u", "i"};
    static const char *const clamp[4] = {NULL, "pos", "sat1", "sat"};
    uint32_t value = 0;
    int64_t mode = 0;
    int err = midgard_asm_point(as);
    if (!err)
        err = midgard_asm_choice(as, dimensions, 4, "cube, 1d, 2d or 3d is expected", &value);
    x->dimensions = (uint8_t)value;
    if (!err)
        err = midgard_asm_point(as);
    struct isa_token number = isa_scan_word(&as->scan);
    for (size_t n = 0; n < number.length; n++)
        mode = number.text[n] >= '0' && number.text[n] <= '9' && mode < 16 ? mode * 10 + number.text[n] - '0'
                                                                           : 16;
    if (!err && (!number.length || mode > 15))
        err = isa_asm_fail(as, number, "a mode of 0 to 15 is expected");
    x->mode = (uint8_t)mode;
    if (!err)
        err = midgard_asm_point(as);
    if (!err)
        err = midgard_asm_choice(as, types, 4, "f, u, i or t0 is expected", &value);
    x->sampler_type = (uint8_t)value;
    if (err || !isa_scan_glued(&as->scan, '.'))
        return err;
    err = midgard_asm_choice(as, clamp, 4, "sat, sat1 or pos is expected", &value);
    x->outmod = (uint8_t)value;
    return err;
}

int midgard_asm_texture(struct isa_assembler *as, uint8_t op, struct midgard_insn *out)
{
    struct midgard_texture *x = &out->texture;
    uint32_t which = 0;
    x->op = op;
    x->exec = MIDGARD_EXEC_ALL;
    if (op == MIDGARD_TEX_BARRIER)
        return 0;
    int err = kind(as, x);
    if (!err)
        err = midgard_asm_choice(as, outputs, 2, "out0 or out1 is expected", &which);
    x->out_select = which;
    x->mask = 15;
    if (!err)
        err = sizes(as, &x->out_full, &x->out_upper, &x->mask, NULL);
    if (!err)
        err = midgard_asm_chosen(as, &x->swizzle);
    if (!err)
        err = midgard_asm_comma(as);
    if (!err)
        err = input(as, &x->in);
    if (!err)
        err = handle(as, &x->texture_register, &x->texture);
    return err ? err : handle(as, &x->sampler_register, &x->sampler);
}

/* ---- further parts ---- */

static int level(struct isa_assembler *as, struct midgard_texture *x)
{
    float value = 0;
    bool with_point;
    uint32_t bits = 0;
    x->lod_register = !isa_scan_at_number(&as->scan);
    if (x->lod_register) {
        int err = selected(as, &bits);
        x->lod = (uint8_t)bits;
        return err;
    }
    const char *where = as->scan.at;
    int err = midgard_asm_value(as, &value, &with_point, &bits);
    float scaled = value * 256;
    if (!err && (!(scaled >= -0x8000 && scaled < 0x8000) || scaled != floorf(scaled)))
        err = isa_scan_fail(&as->scan, where, "a multiple of 1/256 from -128 to below 128 is expected");
    if (err)
        return err;
    x->lod = (uint8_t)((int32_t)scaled & 255);
    x->lod_whole = (int8_t)((int32_t)scaled >> 8);
    return 0;
}

static int offsets(struct isa_assembler *as, struct midgard_texture *x)
{
    struct midgard_texture_register r = {0};
    int err = 0;
    x->offset_register = !isa_scan_at_number(&as->scan);
    if (x->offset_register) {
        err = input(as, &r);
        x->offset = midgard_texture_offset_bits(&r);
        return err;
    }
    for (unsigned n = 0; !err && n < 3; n++) {
        int64_t value = 0;
        err = n ? midgard_asm_comma(as) : 0;
        if (!err)
            err = midgard_asm_number(as, -8, 7, &value);
        x->offset |= (uint16_t)((value & 15) << 4 * n);
    }
    return err;
}

int midgard_asm_texture_part(struct isa_assembler *as, struct isa_token name, struct midgard_insn *out,
                             bool *known)
{
    static const char *const exec[3] = {"none", "skip", "kill"};
    struct midgard_texture *x = &out->texture;
    uint32_t value = 0;
    int64_t number = 0;
    int err;
    *known = true;
    if (isa_token_is(name, "lod"))
        return level(as, x);
    if (isa_token_is(name, "offset"))
        return offsets(as, x);
    if (isa_token_is(name, "exec")) {
        err = midgard_asm_choice(as, exec, 3, "skip, kill or none is expected", &value);
        x->exec = (uint8_t)value;
        return err;
    }
    if (isa_token_is(name, "ooo")) {
        err = midgard_asm_number(as, 0, 15, &number);
        x->out_of_order = (uint8_t)number;
        return err;
    }
    if (isa_token_is(name, "as")) {
        err = midgard_asm_choice(as, midgard_tag_names + MIDGARD_TAG_VERTEX_TEXTURE, 3,
                                 "vtex, tex or bar is expected", &value);
        out->tag = (uint8_t)(MIDGARD_TAG_VERTEX_TEXTURE + value);
        return err;
    }
    *known = false;
    return 0;
}
