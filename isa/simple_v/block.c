/* What a VBLOCK begins with, from halfwords and back: digest, section 4. */
#include <errno.h>
#include <string.h>

#include "isa/simple_v/table.h"
#include "util/bits.h"

unsigned simple_v_entries(unsigned mode, unsigned code)
{
    return code ? (mode ? 1u : 2u) << (code - 1) : 0;
}

/* Masks of short entries are in x9 and the registers behind it. */
enum { FIRST_MASK = 9, SHORT_STEP = 4 };

static uint16_t entry_bits(const struct simple_v_block *b, const uint16_t *tables, unsigned n)
{
    return b->mode ? tables[n] : tables[n / 2] >> n % 2 * 8 & 0xff;
}

static void take_regs(struct simple_v_block *b, const uint16_t *tables)
{
    for (unsigned n = 0; n < b->regs; n++) {
        struct simple_v_reg_entry *e = &b->reg[n];
        const uint16_t bits = entry_bits(b, tables, n);
        e->used = bits;
        simple_v_block_extract(b->mode ? SIMPLE_V_LIST_REG_16 : SIMPLE_V_LIST_REG_8, bits, e);
        if (!b->mode) {
            e->vector = true;
            e->reg = e->key * SHORT_STEP;
        }
    }
}

/* What of them is reserved, NULL: nothing. */
static const char *take_preds(struct simple_v_block *b, const uint16_t *tables)
{
    const char *broken = NULL;
    for (unsigned n = 0; n < b->preds; n++) {
        struct simple_v_pred_entry *e = &b->pred[n];
        const uint16_t bits = entry_bits(b, tables, n);
        e->used = bits;
        simple_v_block_extract(b->mode ? SIMPLE_V_LIST_PRED_16 : SIMPLE_V_LIST_PRED_8, bits, e);
        if (!b->mode)
            e->reg = (uint8_t)(FIRST_MASK + n);
        if (e->key > 31)
            broken = "a predicate's key is 0 to 31";
        if (e->used && !e->reg && e->zero && e->invert)
            broken = "a predicate of x0 is not both inverted and zeroing";
    }
    return broken;
}

static const char *take_vl(struct simple_v_block *b, uint16_t bits)
{
    simple_v_block_extract(SIMPLE_V_LIST_VL, bits, b);
    if (b->vl.mode > SIMPLE_V_VL_BOTH)
        return "mode 3 of the VL block";
    return b->vl.mode != SIMPLE_V_VL_SETVL && b->vl.low >> 5 ? "bit 5 of the VL block" : NULL;
}

/* Halfwords of a table. */
static unsigned table_size(unsigned mode, unsigned entries)
{
    return mode ? entries : entries / 2;
}

int simple_v_block_decode(const uint16_t *code, uint32_t count, struct simple_v_block *b,
                          struct util_error *error)
{
    const char *broken = NULL;
    *b = (struct simple_v_block){0};
    if (!count || !simple_v_is_block(code[0]))
        return util_fail(error, -EBADMSG, "this is no VBLOCK");
    simple_v_block_extract(SIMPLE_V_LIST_HEADER, code[0], b);
    b->length = (uint8_t)simple_v_length(code[0]);
    b->regs = (uint8_t)simple_v_entries(b->mode, b->reg_code);
    b->preds = (uint8_t)simple_v_entries(b->mode, b->pred_code);
    const unsigned regs_at = 1u + b->vlset, preds_at = regs_at + table_size(b->mode, b->regs);
    b->head = (uint8_t)(preds_at + table_size(b->mode, b->preds));
    if (b->length > count)
        return util_fail(error, -EBADMSG, "the VBLOCK is cut off");
    if (b->head > b->length)
        return util_fail(error, -EBADMSG, "the VBLOCK's tables are longer than it is");
    if (b->vlset)
        broken = take_vl(b, code[1]);
    take_regs(b, code + regs_at);
    const char *of_preds = take_preds(b, code + preds_at);
    broken = broken ? broken : of_preds;
    return broken ? util_fail(error, -EBADMSG, "this VBLOCK is reserved: %s", broken) : 0;
}

static void put_entry(const struct simple_v_block *b, uint16_t *tables, unsigned n, uint64_t bits)
{
    if (b->mode)
        tables[n] = (uint16_t)bits;
    else
        tables[n / 2] |= (uint16_t)(bits << n % 2 * 8);
}

void simple_v_block_encode(const struct simple_v_block *b, uint16_t *code)
{
    uint64_t header = 0x7f, vl = 0;
    uint16_t *const regs = code + 1 + b->vlset, *const preds = regs + table_size(b->mode, b->regs);
    memset(code, 0, b->head * sizeof *code);
    simple_v_block_insert(SIMPLE_V_LIST_HEADER, b, &header);
    simple_v_block_insert(SIMPLE_V_LIST_VL, b, &vl);
    code[0] = (uint16_t)header;
    if (b->vlset)
        code[1] = (uint16_t)vl;
    for (unsigned n = 0; n < b->regs; n++) {
        uint64_t bits = 0;
        if (b->reg[n].used)
            simple_v_block_insert(b->mode ? SIMPLE_V_LIST_REG_16 : SIMPLE_V_LIST_REG_8, &b->reg[n], &bits);
        put_entry(b, regs, n, bits);
    }
    for (unsigned n = 0; n < b->preds; n++) {
        uint64_t bits = 0;
        if (b->pred[n].used)
            simple_v_block_insert(b->mode ? SIMPLE_V_LIST_PRED_16 : SIMPLE_V_LIST_PRED_8, &b->pred[n], &bits);
        put_entry(b, preds, n, bits);
    }
}
