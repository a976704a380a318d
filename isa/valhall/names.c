#include "isa/valhall/names.h"

#include <string.h>

#include "util/bits.h"

const struct valhall_type_info valhall_types[VALHALL_TYPE_COUNT] = {
#define TYPE(name, bits, elements, class) {bits, elements, VALHALL_##class},
#include "isa/valhall/values.inc"
};

const uint32_t valhall_constants[32] = {
#define CONSTANT(number, value) [number] = (value),
#include "isa/valhall/values.inc"
};

const struct valhall_special_info valhall_specials[VALHALL_SPECIAL_COUNT] = {
#define SPECIAL(name, page, number, text) {page, number, text},
#include "isa/valhall/values.inc"
};

/* ---- lists ---- */

static const struct isa_name names[] = {
#define NAME(list, id, value, text) {value, text},
#include "isa/valhall/values.inc"
};

/* Where each list begins and ends among them. */
enum {
#define LIST(name, preset)          FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define NAME(list, id, value, text) AT_##list##_##id,
#define END(list)                   AFTER_##list, LAST_##list = AFTER_##list - 1,
#include "isa/valhall/values.inc"
};

const struct isa_names valhall_lists[VALHALL_LIST_COUNT] = {
#define LIST(name, preset) {names + FIRST_##name, AFTER_##name - FIRST_##name},
#include "isa/valhall/values.inc"
};

const int8_t valhall_presets[VALHALL_LIST_COUNT] = {
#define LIST(name, preset) preset,
#include "isa/valhall/values.inc"
};

/* ---- selections ---- */

const struct valhall_select_info valhall_selects[VALHALL_SELECT_COUNT] = {
#define SELECT(name, text, bits, elements, a, b, c, d) {text, bits, elements, {a, b, c, d}},
#include "isa/valhall/fields.inc"
};

enum { VALHALL_SELECT_NONE = VALHALL_SELECT_COUNT };

static const uint8_t preset_selects[VALHALL_PICKS_COUNT] = {
#define PICKS(name, preset) VALHALL_SELECT_##preset,
#include "isa/valhall/fields.inc"
};

/* Selections, one higher; 0: reserved. */
static const uint8_t picks[VALHALL_PICKS_COUNT][16] = {
#define PICK(list, value, select) [VALHALL_PICKS_##list][value] = VALHALL_SELECT_##select + 1,
#include "isa/valhall/fields.inc"
};

bool valhall_pick(enum valhall_picks list, uint32_t value, uint8_t *select)
{
    if (value >= 16 || !picks[list][value])
        return false;
    *select = (uint8_t)(picks[list][value] - 1);
    return true;
}

uint32_t valhall_pick_value(enum valhall_picks list, uint8_t select)
{
    uint32_t value = 0;
    while (value < 15 && picks[list][value] != select + 1)
        value++;
    return value;
}

const char *valhall_pick_text(enum valhall_picks list, uint8_t select)
{
    return select == preset_selects[list] ? "" : valhall_selects[select].text;
}

bool valhall_pick_named(enum valhall_picks list, const char *text, size_t length, uint8_t *select)
{
    if (!length && preset_selects[list] != VALHALL_SELECT_NONE) {
        *select = preset_selects[list];
        return true;
    }
    for (uint32_t value = 0; length && value < 16; value++) {
        const char *name = picks[list][value] ? valhall_selects[picks[list][value] - 1].text : "";
        if (strlen(name) == length && memcmp(name, text, length) == 0)
            return valhall_pick(list, value, select);
    }
    return false;
}

/* ---- operands ---- */

const struct valhall_form_info valhall_forms[VALHALL_FORM_COUNT] = {
#define FORM(name, signs, count, at0, at1, at2)                                                              \
    [VALHALL_FORM_##name] = {VALHALL_SIGNS_##signs, count, {at0, at1, at2}},
#include "isa/valhall/fields.inc"
};

enum valhall_picks valhall_picks_of(enum valhall_form form, enum valhall_type type)
{
    uint8_t bits = valhall_types[type].bits;
    switch (form) {
    case VALHALL_FORM_WIDEN:
        return bits == 8    ? VALHALL_PICKS_WIDEN_8
               : bits == 16 ? VALHALL_PICKS_WIDEN_16
               : bits == 32 ? VALHALL_PICKS_WIDEN_32
                            : VALHALL_PICKS_WIDEN_64;
    case VALHALL_FORM_FLOATS:
    case VALHALL_FORM_HALVES: return bits == 16 ? VALHALL_PICKS_HALVES : VALHALL_PICKS_SINGLE;
    case VALHALL_FORM_FLOAT_HALF: return VALHALL_PICKS_HALF;
    case VALHALL_FORM_LANES: return VALHALL_PICKS_LANES;
    case VALHALL_FORM_BYTES: return VALHALL_PICKS_BYTES;
    case VALHALL_FORM_COMBINE: return VALHALL_PICKS_COMBINE;
    default: return VALHALL_PICKS_BYTE;
    }
}

/* ---- fields ---- */

#define ROW(member, lo, count, text)                                                                         \
    {text, lo, count, sizeof(((struct valhall_insn *)0)->member), offsetof(struct valhall_insn, member)}

const struct valhall_field_info valhall_fields[VALHALL_FIELD_COUNT] = {
#define CHOICE(name, member, lo, count, list, text)                                                          \
    [VALHALL_FIELD_##name] = {ROW(member, lo, count, text), VALHALL_KIND_CHOICE, VALHALL_LIST_##list},
#define FLAG(name, member, lo, text)                                                                         \
    [VALHALL_FIELD_##name] = {ROW(member, lo, 1, text), VALHALL_KIND_FLAG, 0},
#define INTO(name, member, lo, count, picks, text)                                                           \
    [VALHALL_FIELD_##name] = {ROW(member, lo, count, text), VALHALL_KIND_INTO, VALHALL_PICKS_##picks},
#define NUMBER(name, member, lo, count, kind, text)                                                          \
    [VALHALL_FIELD_##name] = {ROW(member, lo, count, text), VALHALL_KIND_##kind, 0},
#include "isa/valhall/fields.inc"
};

uint32_t valhall_field_get(enum valhall_field field, const struct valhall_insn *insn)
{
    uint32_t value = 0;
    memcpy(&value, (const char *)insn + valhall_fields[field].row.offset, valhall_fields[field].row.size);
    return value;
}

void valhall_field_set(enum valhall_field field, uint32_t value, struct valhall_insn *insn)
{
    memcpy((char *)insn + valhall_fields[field].row.offset, &value, valhall_fields[field].row.size);
}

/* ---- instructions ---- */

/* What rows are made of, by the names that they have there. */
enum {
#define FORM(name, signs, count, at0, at1, at2)     name = VALHALL_FORM_##name,
#define CHOICE(name, member, lo, count, list, text) name = VALHALL_FIELD_##name,
#define FLAG(name, member, lo, text)                name = VALHALL_FIELD_##name,
#define INTO(name, member, lo, count, picks, text)  name = VALHALL_FIELD_##name,
#define NUMBER(name, member, lo, count, kind, text) name = VALHALL_FIELD_##name,
#include "isa/valhall/fields.inc"
};

enum {
#define SECOND(name, lo, count, lo2, count2) STANDS_##name,
#include "isa/valhall/fields.inc"
};
static const struct valhall_second seconds[] = {
#define SECOND(name, lo, count, lo2, count2) {{lo, lo2}, {count, count2}},
#include "isa/valhall/fields.inc"
};

#define SOURCES(...) {__VA_ARGS__}
#define FIELDS(...)  {__VA_ARGS__}

enum {
#define FORMAT(name, second, operands, sources, fields) FORMAT_##name,
#include "isa/valhall/insns.inc"
};
static const struct valhall_format formats[] = {
#define FORMAT(name, second, operands, sources, fields)                                                      \
    {&seconds[STANDS_##second], VALHALL_##operands, sources, fields},
#include "isa/valhall/insns.inc"
};

static const struct valhall_info insns[VALHALL_OP_COUNT] = {
#define INSN(id, text, opcode, second, unit, type, format)                                                   \
    {text, opcode, second, VALHALL_UNIT_##unit, VALHALL_TYPE_##type, &formats[FORMAT_##format]},
#include "isa/valhall/insns.inc"
};

const struct valhall_info *valhall_info(uint16_t op)
{
    return &insns[op];
}

static uint32_t second_of(const struct valhall_second *at, uint64_t word)
{
    uint32_t low = (uint32_t)isa_get(&word, at->lo[0], at->count[0]);
    return low | (uint32_t)isa_get(&word, at->lo[1], at->count[1]) << at->count[0];
}

uint16_t valhall_op_of(uint64_t word)
{
    uint32_t opcode = VALHALL_GET(word, OPCODE);
    for (unsigned op = 0; op < VALHALL_OP_COUNT; op++)
        if (insns[op].opcode == opcode && second_of(insns[op].format->second, word) == insns[op].second)
            return (uint16_t)op;
    return VALHALL_OP_COUNT;
}

uint16_t valhall_op_named(const char *text, size_t length)
{
    for (unsigned op = 0; op < VALHALL_OP_COUNT; op++)
        if (strlen(insns[op].text) == length && memcmp(insns[op].text, text, length) == 0)
            return (uint16_t)op;
    return VALHALL_OP_COUNT;
}

bool valhall_has_field(uint16_t op, enum valhall_field field)
{
    const uint8_t *fields = insns[op].format->field;
    for (unsigned n = 0; n < VALHALL_FIELDS && fields[n]; n++)
        if (fields[n] == field)
            return true;
    return false;
}
