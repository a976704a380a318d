/* What stands behind the operands of instructions with a prefix. */
#include <errno.h>

#include "isa/simple_v/asm_internal.h"

static int width(struct isa_assembler *as, struct simple_v_insn *insn)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    int32_t bits = 0;
    int err = simple_v_asm_number(as, 0, 64, &bits);
    if (err)
        return err;
    insn->itype = bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 3 : 0;
    return insn->itype ? 0 : isa_scan_fail(&as->scan, where, "8, 16 or 32 is expected");
}

static int svlen(struct isa_assembler *as, struct simple_v_insn *insn)
{
    int32_t number = 0;
    int err = simple_v_asm_number(as, 2, SIMPLE_V_SUBVL_MAX, &number);
    insn->svlen = (uint8_t)(number - 1);
    return err;
}

static int pred(struct isa_assembler *as, struct simple_v_insn *insn)
{
    const bool inverted = isa_scan_take(&as->scan, '!');
    int32_t reg = 0;
    int err = simple_v_asm_integer(as, 9, 11, &reg);
    insn->mask = (uint8_t)((reg - 8) * 2 + !inverted);
    return err;
}

/* One of two masks: both are inverted, or none. */
static int one_mask(struct isa_assembler *as, struct simple_v_insn *insn, unsigned which, int32_t of)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    const bool inverted = isa_scan_take(&as->scan, '!');
    int32_t reg = 0;
    int err = simple_v_asm_integer(as, of, of, &reg);
    if (!err && insn->masks && inverted != (insn->masks & SIMPLE_V_MASKS_INVERTED) / SIMPLE_V_MASKS_INVERTED)
        err = isa_scan_fail(&as->scan, where, "both masks are inverted, or none");
    insn->masks |= (uint8_t)(which | (inverted ? SIMPLE_V_MASKS_INVERTED : 0));
    return err;
}

/* `, to:x5` behind a length. */
static int length_goes_to(struct isa_assembler *as, struct simple_v_insn *insn)
{
    struct isa_scan ahead = as->scan;
    int32_t reg = 0;
    if (!isa_scan_take(&ahead, ',') || !isa_token_is(isa_scan_word(&ahead), "to") ||
        !isa_scan_glued(&ahead, ':'))
        return 0;
    as->scan = ahead;
    int err = simple_v_asm_integer(as, 1, 31, &reg);
    insn->vl.rd = (uint8_t)reg;
    return err;
}

/* vl:5, vl:x5, both:5, mvl:5 */
static int lengths(struct isa_assembler *as, struct simple_v_insn *insn, bool high, bool low)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    int32_t number = 0;
    int err;
    insn->vl.high = high;
    insn->vl.low = low;
    if (!high && !isa_scan_at_number(&as->scan)) {
        insn->vl.low = 1;
        err = simple_v_asm_integer(as, 1, 31, &number);
    } else {
        err = simple_v_asm_number(as, 1, 32, &number);
        number--;
    }
    insn->vl.number = (uint8_t)number;
    if (!err)
        err = length_goes_to(as, insn);
    if (!err && !insn->vl.high && !insn->vl.low && !insn->vl.number && !insn->vl.rd)
        err = isa_scan_fail(&as->scan, where, "vl:1 has the bits of no change, but with to:");
    return err;
}

static int long_option(struct isa_assembler *as, struct isa_token word, struct simple_v_insn *insn)
{
    if (isa_token_is(word, "vl"))
        return lengths(as, insn, false, false);
    if (isa_token_is(word, "both"))
        return lengths(as, insn, true, false);
    if (isa_token_is(word, "mvl"))
        return lengths(as, insn, true, true);
    return isa_asm_fail(as, word, "the form has no such option");
}

int simple_v_asm_option(struct isa_assembler *as, struct simple_v_insn *insn)
{
    const enum simple_v_form form = simple_v_form_of(insn->op);
    const bool floats = form == SIMPLE_V_FORM_FR || form == SIMPLE_V_FORM_FR4;
    const bool twin = form == SIMPLE_V_FORM_LD || form == SIMPLE_V_FORM_ST || form == SIMPLE_V_FORM_I ||
                      form == SIMPLE_V_FORM_FI;
    isa_scan_take(&as->scan, ',');
    struct isa_token word = isa_scan_word(&as->scan);
    if (!word.length || !isa_scan_glued(&as->scan, ':'))
        return isa_asm_fail(as, word, "an option and a colon are expected");
    if (isa_token_is(word, "itype") && !floats)
        return width(as, insn);
    if (isa_token_is(word, "svlen"))
        return svlen(as, insn);
    if (isa_token_is(word, "pred") && !twin) {
        isa_scan_space(&as->scan);
        const char *where = as->scan.at;
        int err = pred(as, insn);
        if (!err && !floats && insn->mask > 3)
            err = isa_scan_fail(&as->scan, where, "the form has masks in x9 alone");
        return err;
    }
    if (isa_token_is(word, "src") && twin)
        return one_mask(as, insn, SIMPLE_V_MASKS_SOURCE, 9);
    if (isa_token_is(word, "dst") && twin)
        return one_mask(as, insn, SIMPLE_V_MASKS_DEST, 10);
    if (insn->prefix != 64)
        return isa_asm_fail(as, word, "the form has no such option");
    return long_option(as, word, insn);
}
