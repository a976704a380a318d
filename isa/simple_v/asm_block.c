/* `vblock` with its options, its tables, and its opcodes in braces. */
#include <errno.h>

#include "isa/simple_v/asm_internal.h"
#include "util/bits.h"

enum { LONGEST = SIMPLE_V_BLOCK_MIN + 6, FIRST_MASK = 9 };

static int fail_here(struct isa_assembler *as, const char *what)
{
    return isa_scan_fail(&as->scan, as->scan.at, what);
}

static int expect(struct isa_assembler *as, char c, const char *what)
{
    return isa_scan_take(&as->scan, c) ? 0 : fail_here(as, what);
}

/* ---- tables ---- */

static bool takes_none(struct isa_assembler *as)
{
    struct isa_scan ahead = as->scan;
    if (!isa_token_is(isa_scan_word(&ahead), "none"))
        return false;
    as->scan = ahead;
    return true;
}

/* `x5=`: a key. */
static int key(struct isa_assembler *as, struct simple_v_written *out)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    int err = simple_v_asm_register(as, out);
    if (!err && (out->vector || out->reg > 31))
        err = isa_scan_fail(&as->scan, where, "a key is a register of 0 to 31");
    return err ? err : expect(as, '=', "= is expected");
}

static int reg_entry(struct isa_assembler *as, const struct simple_v_block *b, struct simple_v_reg_entry *e)
{
    struct simple_v_written k = {0}, r = {0};
    int32_t bits = 0;
    int err = key(as, &k);
    const char *where = as->scan.at;
    if (!err)
        err = simple_v_asm_register(as, &r);
    if (!err && isa_scan_glued(&as->scan, ':'))
        err = simple_v_asm_number(as, 8, 32, &bits);
    if (err)
        return err;
    if (k.integer != r.integer)
        return isa_scan_fail(&as->scan, where, "key and register are of one file");
    if (bits && bits != 8 && bits != 16 && bits != 32)
        return isa_scan_fail(&as->scan, where, "8, 16 or 32 is expected");
    if (!b->mode && (!r.vector || r.reg != k.reg * 4))
        return isa_scan_fail(&as->scan, where, "an entry of 8 bits is the vector of four times its key");
    *e = (struct simple_v_reg_entry){.used = true,
                                     .vector = r.vector,
                                     .integer = k.integer,
                                     .key = (uint8_t)k.reg,
                                     .reg = (uint8_t)r.reg,
                                     .width = (uint8_t)(bits == 32 ? 3 : bits / 8)};
    const bool bits_of_16 = b->mode && (e->vector || e->reg);
    if (!bits_of_16 && !e->integer && !e->key && !e->width)
        return isa_scan_fail(&as->scan, where, "this entry has the bits of none");
    return 0;
}

static int pred_entry(struct isa_assembler *as, const struct simple_v_block *b, unsigned n,
                      struct simple_v_pred_entry *e)
{
    struct simple_v_written k = {0}, r = {0};
    int err = key(as, &k);
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    *e = (struct simple_v_pred_entry){.used = true};
    e->invert = !err && isa_scan_take(&as->scan, '!');
    if (!err)
        err = simple_v_asm_register(as, &r);
    while (!err && isa_scan_glued(&as->scan, '.')) {
        struct isa_token word = isa_scan_word(&as->scan);
        if (isa_token_is(word, "z"))
            e->zero = true;
        else if (isa_token_is(word, "ff") && b->mode)
            e->ffirst = true;
        else
            err = isa_asm_fail(as, word, "z, or of entries of 16 bits ff, is expected");
    }
    if (err)
        return err;
    e->integer = k.integer;
    e->key = (uint8_t)k.reg;
    e->reg = (uint8_t)r.reg;
    if (!r.integer || r.vector || r.reg > 31)
        return isa_scan_fail(&as->scan, where, "a mask is in x0 to x31");
    if (!b->mode && r.reg != (int32_t)(FIRST_MASK + n))
        return isa_scan_fail(&as->scan, where, "masks of entries of 8 bits are x9, x10 and so on");
    if (!e->reg && e->zero && e->invert)
        return isa_scan_fail(&as->scan, where, "a predicate of x0 is not both inverted and zeroing");
    if (!e->integer && !e->key && !e->invert && !e->zero && !e->ffirst && !(b->mode && e->reg))
        return isa_scan_fail(&as->scan, where, "this entry has the bits of none");
    return 0;
}

/* A table in parentheses, filled up with unused entries. */
static int table(struct isa_assembler *as, struct simple_v_block *b, bool of_regs)
{
    const unsigned most = simple_v_entries(b->mode, 3);
    unsigned n = 0, code = 0;
    int err = expect(as, '(', "a table in parentheses is expected");
    while (!err && !isa_scan_take(&as->scan, ')')) {
        if (n && (err = expect(as, ',', "a comma or a closing parenthesis is expected")))
            break;
        if (n == most)
            return fail_here(as, "more entries than a table has");
        if (!takes_none(as))
            err = of_regs ? reg_entry(as, b, &b->reg[n]) : pred_entry(as, b, n, &b->pred[n]);
        n++;
    }
    while (simple_v_entries(b->mode, code) < n)
        code++;
    *(of_regs ? &b->reg_code : &b->pred_code) = (uint8_t)code;
    *(of_regs ? &b->regs : &b->preds) = (uint8_t)simple_v_entries(b->mode, code);
    return err;
}

/* ---- options ---- */

static int vl(struct isa_assembler *as, struct isa_token word, struct simple_v_block *b, unsigned mode)
{
    int32_t number = 0;
    if (b->vlset)
        return isa_asm_fail(as, word, "the length is said twice");
    b->vlset = 1;
    b->vl.mode = (uint8_t)mode;
    int err = simple_v_asm_number(as, 1, SIMPLE_V_VL_MAX, &number);
    b->vl.imm = (uint8_t)(number - 1);
    return err;
}

/* from:, to:, subvl: belong to a length that stands before them. */
static int of_vl(struct isa_assembler *as, struct isa_token word, struct simple_v_block *b)
{
    const bool setvl = b->vl.mode == SIMPLE_V_VL_SETVL;
    int32_t reg = 0, number = 0;
    int err;
    if (!b->vlset)
        return isa_asm_fail(as, word, "vl:, setvl: or both: is expected before this");
    if (isa_token_is(word, "subvl")) {
        err = simple_v_asm_number(as, 1, SIMPLE_V_SUBVL_MAX, &number);
        b->vl.subvl = (uint8_t)(number - 1);
    } else if (isa_token_is(word, "to")) {
        err = setvl ? simple_v_asm_integer(as, 8, 15, &reg) : simple_v_asm_integer(as, 0, 31, &reg);
        b->vl.low |= (uint8_t)(setvl ? reg & 7 : reg);
    } else if (isa_token_is(word, "from") && setvl) {
        err = simple_v_asm_integer(as, 8, 15, &reg);
        b->vl.low |= (uint8_t)((reg & 7) << 3);
    } else {
        err = isa_asm_fail(as, word, "a vblock has no such option");
    }
    return err;
}

static int mode(struct isa_assembler *as, struct simple_v_block *b)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    int32_t bits = 0;
    int err = simple_v_asm_number(as, 8, 16, &bits);
    if (!err && ((bits != 8 && bits != 16) || b->regs || b->preds))
        err = isa_scan_fail(&as->scan, where, "8 or 16 is expected, before the tables");
    b->mode = bits == 16;
    return err;
}

static int option(struct isa_assembler *as, struct simple_v_block *b)
{
    struct isa_token word = isa_scan_word(&as->scan);
    if (isa_token_is(word, "regs"))
        return table(as, b, true);
    if (isa_token_is(word, "preds"))
        return table(as, b, false);
    if (!word.length || !isa_scan_glued(&as->scan, ':'))
        return isa_asm_fail(as, word, "an option, or opcodes in braces, are expected");
    if (isa_token_is(word, "mode"))
        return mode(as, b);
    if (isa_token_is(word, "vl"))
        return vl(as, word, b, SIMPLE_V_VL_MIN);
    if (isa_token_is(word, "setvl"))
        return vl(as, word, b, SIMPLE_V_VL_SETVL);
    if (isa_token_is(word, "both"))
        return vl(as, word, b, SIMPLE_V_VL_BOTH);
    return of_vl(as, word, b);
}

/* ---- opcodes ---- */

/* `.word 0x1234` among the opcodes. */
static int raw(struct isa_assembler *as, uint16_t *code)
{
    int32_t bits = 0;
    struct isa_token word = isa_scan_word(&as->scan);
    int err = isa_token_is(word, "word") ? simple_v_asm_number(as, 0, 0xffff, &bits)
                                         : isa_asm_fail(as, word, "unknown directive");
    *code = (uint16_t)bits;
    return err;
}

static int opcode(struct isa_assembler *as, uint16_t code[4], unsigned *length)
{
    *length = 1;
    if (isa_scan_take(&as->scan, '.'))
        return raw(as, code);
    return simple_v_asm_insn(as, isa_scan_word(&as->scan), code, length);
}

/* Opcodes stand on one line with semicolons, or on lines of their own. */
static void skip_ends(struct isa_assembler *as)
{
    for (;;) {
        if (isa_scan_take(&as->scan, ';'))
            continue;
        if (!isa_scan_line_over(&as->scan) || as->scan.at == as->scan.end)
            return;
        isa_scan_next_line(&as->scan);
    }
}

static int opcodes(struct isa_assembler *as, uint16_t *code, unsigned *length)
{
    int err = 0;
    skip_ends(as);
    while (!err && !isa_scan_take(&as->scan, '}')) {
        uint16_t one[4];
        unsigned size = 0;
        if (as->scan.at == as->scan.end)
            return fail_here(as, "a closing brace is expected");
        err = opcode(as, one, &size);
        if (!err && *length + size > LONGEST)
            err = fail_here(as, "the vblock is longer than 11 halfwords");
        for (unsigned n = 0; !err && n < size; n++)
            code[(*length)++] = one[n];
        if (!err && !isa_scan_line_over(&as->scan) && !isa_scan_comes(&as->scan, ';') &&
            !isa_scan_comes(&as->scan, '}'))
            err = fail_here(as, "a semicolon is expected");
        skip_ends(as);
    }
    return err;
}

int simple_v_asm_block(struct isa_assembler *as)
{
    struct simple_v_block b = {.mode = 1};
    uint16_t code[LONGEST + 8] = {0};
    int err = 0;
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    for (bool begun = false; !err && !isa_scan_take(&as->scan, '{'); begun = true) {
        if (begun && (err = expect(as, ',', "a comma, or opcodes in braces, are expected")))
            return err;
        err = option(as, &b);
    }
    unsigned length = b.head = (uint8_t)(1 + b.vlset + (b.mode ? b.regs + b.preds : (b.regs + b.preds) / 2));
    if (!err)
        err = opcodes(as, code, &length);
    if (!err && !isa_scan_line_over(&as->scan))
        err = fail_here(as, "unexpected text");
    if (err)
        return err;
    if (length < SIMPLE_V_BLOCK_MIN)
        return isa_scan_fail(&as->scan, where, "a vblock has at least 5 halfwords; c.nop fills it");
    b.il = (uint8_t)(length - SIMPLE_V_BLOCK_MIN);
    simple_v_block_encode(&b, code);
    return isa_asm_emit(as, code, length * sizeof *code);
}
