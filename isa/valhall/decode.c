#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "isa/valhall/names.h"
#include "util/bits.h"

/* Values of REG_FLAGS; without either the instruction is taken for a hole in the program, so that those which have
 * neither are marked as both. */
enum { FLAG_READ = 1, FLAG_WRITE = 2 };

/* ---- operands ---- */

static const struct {
    uint8_t negate, absolute;
} signs[VALHALL_SOURCES] = {
#define SIGN(operand, negate, absolute) [operand] = {negate, absolute},
#include "isa/valhall/fields.inc"
};

enum { NONE = 8 };
static const struct byte {
    uint8_t kind, first, last, lo, count, flag;
} bytes[] = {
#define BYTE(kind, first, last, lo, count, flag) {VALHALL_##kind, first, last, lo, count, flag},
#include "isa/valhall/fields.inc"
};

unsigned valhall_source_bits(const struct valhall_insn *insn, unsigned n)
{
    const struct valhall_info *info = valhall_info(insn->op);
    uint8_t form = info->format->form[n], select = insn->source[n].select;
    bool wide = !valhall_is_message(insn->op) && valhall_types[info->type].bits == 64;
    return form == VALHALL_FORM_PAIR || (wide && form != VALHALL_FORM_LANES && select == VALHALL_SELECT_WHOLE)
               ? 64
               : 32;
}

bool valhall_dest_is_pair(const struct valhall_insn *insn)
{
    const struct valhall_info *info = valhall_info(insn->op);
    return info->format->operands == VALHALL_DEST && valhall_types[info->type].bits == 64;
}

bool valhall_is_message(uint16_t op)
{
    return valhall_info(op)->unit >= VALHALL_UNIT_V;
}

/* Where operand n begins: one of 64 bits beside ones of 32 takes the room of two. */
static unsigned source_at(const struct valhall_format *format, unsigned n)
{
    unsigned at = VALHALL_SOURCE_AT + n * VALHALL_SOURCE_BITS;
    for (unsigned k = 0; k < n; k++)
        at += format->form[k] == VALHALL_FORM_PAIR ? VALHALL_SOURCE_BITS : 0;
    return at;
}

static bool read_special(int number, uint8_t page, uint8_t *index)
{
    for (unsigned n = 0; n < VALHALL_SPECIAL_COUNT; n++)
        if (valhall_specials[n].page == page && valhall_specials[n].number == number) {
            *index = (uint8_t)n;
            return true;
        }
    return false;
}

/* Of the byte; false: it is a special that there is not. */
static bool read_source(uint8_t byte, uint8_t page, struct valhall_source *s)
{
    size_t n = 0;
    while (n + 1 < UTIL_ARRAY_SIZE(bytes) && byte > bytes[n].last)
        n++;
    const struct byte *b = &bytes[n];
    uint8_t number = (uint8_t)util_bits(byte, b->lo, b->count);
    bool flag = byte >> b->flag & 1;
    s->kind = b->kind;
    s->last = flag && s->kind == VALHALL_REGISTER;
    s->word = flag && s->kind == VALHALL_SPECIAL;
    s->index = s->kind == VALHALL_UNIFORM ? (uint8_t)(number + page * VALHALL_PAGE) : number;
    return s->kind != VALHALL_SPECIAL || read_special(number, page, &s->index);
}

static uint8_t source_byte(const struct valhall_source *s)
{
    size_t n = 0;
    while (n + 1 < UTIL_ARRAY_SIZE(bytes) && s->kind != bytes[n].kind)
        n++;
    const struct byte *b = &bytes[n];
    bool special = s->kind == VALHALL_SPECIAL, flag = special ? s->word & 1 : s->last;
    uint8_t number = special ? valhall_specials[s->index].number : s->index;
    return (uint8_t)(b->first | util_bits(number, 0, b->count) << b->lo | (unsigned)flag << b->flag);
}

static int decode_source(uint64_t word, struct valhall_insn *out, unsigned n, struct util_error *error)
{
    const struct valhall_info *info = valhall_info(out->op);
    const struct valhall_form_info *form = &valhall_forms[info->format->form[n]];
    struct valhall_source *s = &out->source[n];
    uint8_t byte = (uint8_t)isa_get(&word, source_at(info->format, n), VALHALL_SOURCE_BITS);
    if (!read_source(byte, out->page, s))
        return util_fail(error, -EBADMSG, "operand %u of %s, 0x%02x of page %u, is reserved", n + 1,
                         info->text, byte, out->page);
    if (form->signs == VALHALL_SIGNS_FLOAT) {
        s->negate = isa_get(&word, signs[n].negate, 1);
        s->absolute = isa_get(&word, signs[n].absolute, 1);
    }
    if (form->signs == VALHALL_SIGNS_INVERT)
        s->invert = VALHALL_GET(word, INVERT);
    if (form->count) {
        uint32_t value = (uint32_t)isa_get(&word, form->at[n], form->count);
        if (!valhall_pick(valhall_picks_of(info->format->form[n], info->type), value, &s->select))
            return util_fail(error, -EBADMSG, "selection %" PRIu32 " of operand %u of %s is reserved", value,
                             n + 1, info->text);
    }
    return 0;
}

static void encode_source(const struct valhall_insn *insn, unsigned n, uint64_t *word)
{
    const struct valhall_info *info = valhall_info(insn->op);
    const struct valhall_form_info *form = &valhall_forms[info->format->form[n]];
    const struct valhall_source *s = &insn->source[n];
    isa_set(word, source_at(info->format, n), VALHALL_SOURCE_BITS, source_byte(s));
    if (form->signs == VALHALL_SIGNS_FLOAT) {
        isa_set(word, signs[n].negate, 1, s->negate);
        isa_set(word, signs[n].absolute, 1, s->absolute);
    }
    if (form->signs == VALHALL_SIGNS_INVERT)
        VALHALL_SET(word, INVERT, s->invert);
    if (form->count)
        isa_set(word, form->at[n], form->count,
                valhall_pick_value(valhall_picks_of(info->format->form[n], info->type), s->select));
}

/* ---- destination and staging registers ---- */

/* Which flags an instruction has. */
static uint32_t flags_of(const struct valhall_insn *insn)
{
    switch (valhall_info(insn->op)->format->operands) {
    case VALHALL_DEST: return insn->dest.mask;
    case VALHALL_READS: return FLAG_READ;
    case VALHALL_WRITES:
    case VALHALL_SAMPLED: return insn->marked ? FLAG_READ | FLAG_WRITE : FLAG_WRITE;
    default: return FLAG_READ | FLAG_WRITE;
    }
}

static void decode_staging(uint64_t word, uint8_t operands, struct valhall_insn *out)
{
    uint8_t reg = (uint8_t)VALHALL_GET(word, REG);
    uint8_t count = (uint8_t)VALHALL_GET(word, COUNT);
    uint8_t written = (uint8_t)(VALHALL_GET(word, WRITTEN_COUNT) + 1);
    if (valhall_reads_staging(operands))
        out->read = (struct valhall_staging){reg, count};
    if (operands == VALHALL_WRITES)
        out->write = (struct valhall_staging){reg, count};
    if (operands == VALHALL_SAMPLED)
        out->write = (struct valhall_staging){reg, written};
    if (operands == VALHALL_ATOMIC || operands == VALHALL_TEXTURE)
        out->write = (struct valhall_staging){(uint8_t)VALHALL_GET(word, SECOND_REG), written};
}

static void encode_staging(const struct valhall_insn *insn, uint8_t operands, uint64_t *word)
{
    bool reads = valhall_reads_staging(operands);
    VALHALL_SET(word, REG, reads ? insn->read.reg : insn->write.reg);
    if (operands != VALHALL_SAMPLED)
        VALHALL_SET(word, COUNT, reads ? insn->read.count : insn->write.count);
    if (operands >= VALHALL_ATOMIC)
        VALHALL_SET(word, WRITTEN_COUNT, insn->write.count - 1u);
    if (operands == VALHALL_ATOMIC || operands == VALHALL_TEXTURE)
        VALHALL_SET(word, SECOND_REG, insn->write.reg);
}

static int decode_registers(uint64_t word, struct valhall_insn *out, struct util_error *error)
{
    const struct valhall_info *info = valhall_info(out->op);
    uint8_t operands = info->format->operands;
    uint32_t flags = VALHALL_GET(word, REG_FLAGS);
    if (operands >= VALHALL_READS)
        decode_staging(word, operands, out);
    if (operands == VALHALL_DEST) {
        out->dest.reg = (uint8_t)VALHALL_GET(word, REG);
        out->dest.mask = (uint8_t)flags;
        if (!flags)
            return util_fail(error, -EBADMSG, "the write mask 0 of %s is reserved", info->text);
        return 0;
    }
    bool atom1 = valhall_has_field(out->op, VALHALL_FIELD_ATOMIC_1);
    out->marked = atom1 && !out->write.count && flags == (FLAG_READ | FLAG_WRITE);
    if (operands != VALHALL_TEXTURE && flags != flags_of(out))
        return util_fail(error, -EBADMSG, "bits 46 and 47 of %s are %" PRIu32 ", and %" PRIu32 " is due",
                         info->text, flags, flags_of(out));
    return 0;
}

static void encode_registers(const struct valhall_insn *insn, uint64_t *word)
{
    uint8_t operands = valhall_info(insn->op)->format->operands;
    if (operands == VALHALL_DEST)
        VALHALL_SET(word, REG, insn->dest.reg);
    if (operands >= VALHALL_READS)
        encode_staging(insn, operands, word);
    if (operands != VALHALL_TEXTURE)
        VALHALL_SET(word, REG_FLAGS, flags_of(insn));
}

/* ---- fields ---- */

static int decode_field(uint64_t word, enum valhall_field f, struct valhall_insn *out,
                        struct util_error *error)
{
    const struct valhall_field_info *field = &valhall_fields[f];
    uint32_t value = (uint32_t)isa_get(&word, field->row.lo, field->row.count);
    uint8_t select = 0;
    bool known = true;
    if (field->kind == VALHALL_KIND_CHOICE)
        known = isa_name_text(&valhall_lists[field->list], value);
    if (field->kind == VALHALL_KIND_INTO)
        known = valhall_pick((enum valhall_picks)field->list, value, &select);
    if (!known)
        return util_fail(error, -EBADMSG, "%s %" PRIu32 " of %s is reserved", field->row.name, value,
                         valhall_info(out->op)->text);
    valhall_field_set(f,
                      field->kind == VALHALL_KIND_INTO     ? select
                      : field->kind == VALHALL_KIND_SIGNED ? (uint32_t)util_sext(value, field->row.count)
                                                           : value,
                      out);
    return 0;
}

static void encode_field(const struct valhall_insn *insn, enum valhall_field f, uint64_t *word)
{
    const struct valhall_field_info *field = &valhall_fields[f];
    uint32_t value = valhall_field_get(f, insn);
    if (field->kind == VALHALL_KIND_INTO)
        value = valhall_pick_value((enum valhall_picks)field->list, (uint8_t)value);
    isa_set(word, field->row.lo, field->row.count, value);
}

/* ---- instructions ---- */

uint64_t valhall_encode(const struct valhall_insn *insn)
{
    const struct valhall_info *info = valhall_info(insn->op);
    const struct valhall_second *second = info->format->second;
    uint64_t word = 0;
    VALHALL_SET(&word, OPCODE, info->opcode);
    VALHALL_SET(&word, PAGE, insn->page);
    VALHALL_SET(&word, FLOW, insn->flow);
    if (second->count[0])
        isa_set(&word, second->lo[0], second->count[0], info->second);
    if (second->count[1])
        isa_set(&word, second->lo[1], second->count[1], info->second >> second->count[0]);
    encode_registers(insn, &word);
    for (unsigned n = 0; n < valhall_sources(info); n++)
        encode_source(insn, n, &word);
    for (unsigned n = 0; n < valhall_fields_of(info); n++)
        encode_field(insn, (enum valhall_field)info->format->field[n], &word);
    return word;
}

/* What no field has is 0 when it is encoded. */
static int check_rest(uint64_t word, const struct valhall_insn *insn, struct util_error *error)
{
    uint64_t rest = word ^ valhall_encode(insn);
    return rest ? util_fail(error, -EBADMSG, "bit %d of %s is reserved", __builtin_ctzll(rest),
                            valhall_info(insn->op)->text)
                : 0;
}

static int no_opcode(uint64_t word, struct util_error *error)
{
    unsigned opcode = VALHALL_GET(word, OPCODE);
    for (unsigned op = 0; op < VALHALL_OP_COUNT; op++)
        if (valhall_info((uint16_t)op)->opcode == opcode)
            return util_fail(error, -EBADMSG, "opcode 0x%03x, that of %s, is reserved with this second one",
                             opcode, valhall_info((uint16_t)op)->text);
    return util_fail(error, -EBADMSG, "opcode 0x%03x is reserved", opcode);
}

int valhall_decode(uint64_t word, struct valhall_insn *out, struct util_error *error)
{
    int err = 0;
    memset(out, 0, sizeof *out);
    out->op = valhall_op_of(word);
    if (out->op == VALHALL_OP_COUNT) {
        out->op = VALHALL_NOP;
        return no_opcode(word, error);
    }
    const struct valhall_info *info = valhall_info(out->op);
    out->page = (uint8_t)VALHALL_GET(word, PAGE);
    out->flow = (uint8_t)VALHALL_GET(word, FLOW);
    if (!isa_name_text(&valhall_lists[VALHALL_LIST_FLOW], out->flow))
        return util_fail(error, -EBADMSG, "flow %u of %s is reserved", out->flow, info->text);
    err = decode_registers(word, out, error);
    for (unsigned n = 0; !err && n < valhall_sources(info); n++)
        err = decode_source(word, out, n, error);
    for (unsigned n = 0; !err && n < valhall_fields_of(info); n++)
        err = decode_field(word, (enum valhall_field)info->format->field[n], out, error);
    return err ? err : check_rest(word, out, error);
}

int64_t valhall_target(const struct valhall_insn *insn, uint32_t at)
{
    return insn->op == VALHALL_BRANCHZ ? (int64_t)at + 1 + insn->offset : -1;
}
