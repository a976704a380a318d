/* One instruction of a unit: bits to words and numbers, and back, over the rows. */
#include <errno.h>
#include <string.h>

#include "isa/bifrost/names.h"
#include "isa/bifrost/table.h"
#include "util/bits.h"

/* ---- decoding ---- */

/* What stops a row: the piece, and what of it. */
struct stop {
    const struct bifrost_row *row;
    const char *what, *name;
};

static uint32_t joint_code(const struct bifrost_piece *p, uint32_t bits)
{
    uint32_t low = (uint32_t)util_bits(bits, p->lo, p->count);
    return p->count2 ? low | (uint32_t)util_bits(bits, p->lo2, p->count2) << p->count : low;
}

static bool order_holds(const struct bifrost_insn *insn, uint8_t order)
{
    bool down = insn->source[0].select > insn->source[1].select;
    return order == BIFROST_EITHER || down == (order == BIFROST_DOWN);
}

static bool take_joint(const struct bifrost_piece *p, uint32_t bits, struct bifrost_insn *out)
{
    const uint8_t *columns = bifrost_joint_columns(p->list);
    uint32_t code = joint_code(p, bits);
    for (size_t n = 0; n < bifrost_code_count; n++) {
        const struct bifrost_code *c = &bifrost_codes[n];
        if (c->joint != p->list || c->code != code || !order_holds(out, c->order))
            continue;
        for (unsigned k = 0; k < BIFROST_COLUMNS; k++)
            if (columns[k] != BIFROST_NO_PLACE)
                *bifrost_place(out, columns[k]) = c->word[k];
        return true;
    }
    return false;
}

static bool take_source(const struct bifrost_piece *p, uint32_t bits, struct bifrost_insn *out)
{
    uint8_t select = (uint8_t)util_bits(bits, p->lo, p->count);
    out->source[out->source_count++].select = select;
    return p->allowed >> select & 1;
}

/* NULL, or what is reserved. */
static const char *take_piece(const struct bifrost_piece *p, uint32_t bits, struct bifrost_insn *out)
{
    uint8_t word;
    switch (p->what) {
    case BIFROST_PIECE_SOURCE: return take_source(p, bits, out) ? NULL : "source";
    case BIFROST_PIECE_CODE:
        word = bifrost_list_word(p->list, (uint32_t)util_bits(bits, p->lo, p->count));
        *bifrost_place(out, p->place) = word;
        return word == BIFROST_RESERVED ? bifrost_mod_name(p->place) : NULL;
    case BIFROST_PIECE_IS: *bifrost_place(out, p->place) = p->word; return NULL;
    case BIFROST_PIECE_JOINT:
        return take_joint(p, bits, out) ? NULL : bifrost_mod_name(bifrost_joint_columns(p->list)[0]);
    case BIFROST_PIECE_IMMEDIATE:
        out->immediate[p->place] = (uint8_t)util_bits(bits, p->lo, p->count);
        return NULL;
    default: return NULL;
    }
}

static const char *take_row(const struct bifrost_row *row, uint32_t bits, struct bifrost_insn *out)
{
    const char *reserved = NULL;
    memset(out, 0, sizeof *out);
    out->op = row->op;
    for (unsigned n = 0; n < BIFROST_PIECES && !reserved; n++)
        reserved = take_piece(&row->piece[n], bits, out);
    return reserved;
}

int bifrost_insn_decode(enum bifrost_unit unit, uint32_t bits, struct bifrost_insn *out,
                        struct util_error *error)
{
    const char *reserved = NULL, *name = NULL;
    for (size_t n = 0; n < bifrost_row_count; n++) {
        const struct bifrost_row *row = &bifrost_rows[n];
        if (row->unit != unit || (bits & row->mask) != row->value)
            continue;
        const char *here = take_row(row, bits, out);
        if (!here) {
            out->row = (uint16_t)n;
            return 0;
        }
        if (!reserved) {
            reserved = here;
            name = bifrost_op_info(row->op)->text;
        }
    }
    const char *unit_name = unit == BIFROST_FMA ? "FMA" : "ADD";
    return reserved ? util_fail(error, -EBADMSG, "%s: %s has a reserved %s", unit_name, name, reserved)
                    : util_fail(error, -EBADMSG, "%s: 0x%x is no instruction", unit_name, (unsigned)bits);
}

/* ---- encoding ---- */

static void put(uint32_t *bits, uint8_t lo, uint8_t count, uint32_t value)
{
    *bits |= (value & ((1u << count) - 1)) << lo;
}

static bool joint_fits(const struct bifrost_code *c, const uint8_t *columns, const struct bifrost_insn *insn)
{
    for (unsigned k = 0; k < BIFROST_COLUMNS; k++)
        if (columns[k] != BIFROST_NO_PLACE &&
            *bifrost_place((struct bifrost_insn *)insn, columns[k]) != c->word[k])
            return false;
    return order_holds(insn, c->order);
}

static bool put_joint(const struct bifrost_piece *p, const struct bifrost_insn *insn, uint32_t *bits)
{
    const uint8_t *columns = bifrost_joint_columns(p->list);
    for (size_t n = 0; n < bifrost_code_count; n++) {
        const struct bifrost_code *c = &bifrost_codes[n];
        if (c->joint != p->list || !joint_fits(c, columns, insn))
            continue;
        put(bits, p->lo, p->count, c->code);
        if (p->count2)
            put(bits, p->lo2, p->count2, (uint32_t)c->code >> p->count);
        return true;
    }
    return false;
}

static bool put_piece(const struct bifrost_piece *p, const struct bifrost_insn *insn, unsigned *source,
                      uint32_t *bits)
{
    struct bifrost_insn *from = (struct bifrost_insn *)insn;
    uint32_t code;
    switch (p->what) {
    case BIFROST_PIECE_SOURCE: put(bits, p->lo, p->count, insn->source[(*source)++].select); return true;
    case BIFROST_PIECE_CODE:
        if (!bifrost_list_code(p->list, *bifrost_place(from, p->place), &code))
            return false;
        put(bits, p->lo, p->count, code);
        return true;
    case BIFROST_PIECE_IS: return *bifrost_place(from, p->place) == p->word;
    case BIFROST_PIECE_JOINT: return put_joint(p, insn, bits);
    case BIFROST_PIECE_IMMEDIATE: put(bits, p->lo, p->count, insn->immediate[p->place]); return true;
    default: return true;
    }
}

/* Whether two are the same, of what is encoded. */
static bool same(const struct bifrost_insn *a, const struct bifrost_insn *b)
{
    bool equal = a->op == b->op && a->source_count == b->source_count &&
                 !memcmp(a->mod, b->mod, sizeof a->mod) &&
                 !memcmp(a->immediate, b->immediate, sizeof a->immediate);
    for (unsigned n = 0; n < BIFROST_SOURCES && equal; n++)
        equal = a->source[n].select == b->source[n].select &&
                !memcmp(a->source[n].mod, b->source[n].mod, sizeof a->source[n].mod);
    return equal;
}

/* Rows overlap, so bits are right when they decode to the instruction. */
int bifrost_insn_encode(enum bifrost_unit unit, const struct bifrost_insn *insn, uint32_t *bits)
{
    for (size_t n = 0; n < bifrost_row_count; n++) {
        const struct bifrost_row *row = &bifrost_rows[n];
        struct bifrost_insn back;
        unsigned source = 0;
        bool fits = row->unit == unit && row->op == insn->op;
        *bits = row->value;
        for (unsigned k = 0; k < BIFROST_PIECES && fits; k++)
            fits = put_piece(&row->piece[k], insn, &source, bits);
        if (fits && !bifrost_insn_decode(unit, *bits, &back, NULL) && same(insn, &back))
            return 0;
    }
    return -EINVAL;
}
