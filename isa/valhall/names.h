/* The tables of fields.inc, values.inc and insns.inc, for decoder, text and whoever asks what an operation is. */
#ifndef VITRAIL_ISA_VALHALL_NAMES_H
#define VITRAIL_ISA_VALHALL_NAMES_H

#include "isa/isa.h"
#include "isa/valhall/insn.h"

#define VALHALL_FIELDS 12 /* of one instruction, at most */

enum valhall_unit {
    VALHALL_UNIT_FMA, /* arithmetic: these three */
    VALHALL_UNIT_CVT,
    VALHALL_UNIT_SFU,
    VALHALL_UNIT_V, /* messages: varyings, memory, textures, varyings with textures, others */
    VALHALL_UNIT_LS,
    VALHALL_UNIT_T,
    VALHALL_UNIT_VT,
    VALHALL_UNIT_NONE
};

enum valhall_class { VALHALL_FLOAT, VALHALL_SIGNED, VALHALL_UNSIGNED, VALHALL_INTEGER };
/* The type that an operation's name says; of conversions the operand's, of loads and stores what is moved. */
enum valhall_type {
#define TYPE(name, bits, elements, class) VALHALL_TYPE_##name,
#include "isa/valhall/values.inc"
    VALHALL_TYPE_COUNT
};
struct valhall_type_info {
    uint8_t bits, elements, class;
};
extern const struct valhall_type_info valhall_types[VALHALL_TYPE_COUNT];

extern const uint32_t valhall_constants[32];

struct valhall_special_info {
    uint8_t page, number;
    const char *text;
};
extern const struct valhall_special_info valhall_specials[VALHALL_SPECIAL_COUNT];

struct valhall_select_info {
    const char *text;
    uint8_t bits, count;
    uint8_t element[4]; /* in units of the bits, lowest first */
};
extern const struct valhall_select_info valhall_selects[VALHALL_SELECT_COUNT];

/* Selections by the bits that say them. */
enum valhall_picks {
#define PICKS(name, preset) VALHALL_PICKS_##name,
#include "isa/valhall/fields.inc"
    VALHALL_PICKS_COUNT
};
/* False: the value is reserved. */
bool valhall_pick(enum valhall_picks list, uint32_t value, uint8_t *select);
/* The bits of a selection that the list has. */
uint32_t valhall_pick_value(enum valhall_picks list, uint8_t select);
/* The selection of a text; false when the list has none of it. An empty text is the one that is not written. */
bool valhall_pick_named(enum valhall_picks list, const char *text, size_t length, uint8_t *select);
/* How a selection is written, without a point: "" when it is not. */
const char *valhall_pick_text(enum valhall_picks list, uint8_t select);

enum valhall_list {
#define LIST(name, preset) VALHALL_LIST_##name,
#include "isa/valhall/values.inc"
    VALHALL_LIST_COUNT
};
extern const struct isa_names valhall_lists[VALHALL_LIST_COUNT];
/* The value that is not written; -1: each is. */
extern const int8_t valhall_presets[VALHALL_LIST_COUNT];

/* ---- operands ---- */

enum valhall_signs { VALHALL_SIGNS_NO, VALHALL_SIGNS_FLOAT, VALHALL_SIGNS_INVERT };
enum valhall_form {
    VALHALL_NO_SOURCE,
#define FORM(name, signs, count, at0, at1, at2) VALHALL_FORM_##name,
#include "isa/valhall/fields.inc"
    VALHALL_FORM_COUNT
};
struct valhall_form_info {
    uint8_t signs;
    uint8_t count, at[VALHALL_SOURCES]; /* the selection's bits, by operand; count 0: none */
};
extern const struct valhall_form_info valhall_forms[VALHALL_FORM_COUNT];
/* The selections of an operand with this form, which has some, of an operation of this type. */
enum valhall_picks valhall_picks_of(enum valhall_form form, enum valhall_type type);

/* ---- fields ---- */

enum valhall_field_kind {
    VALHALL_KIND_CHOICE,
    VALHALL_KIND_FLAG,
    VALHALL_KIND_INTO,
    VALHALL_KIND_PLAIN, /* from here on behind the operands: "name:0x5", "name:-5", "#0x5" */
    VALHALL_KIND_SIGNED,
    VALHALL_KIND_BITS
};
enum valhall_field {
    VALHALL_NO_FIELD,
#define CHOICE(name, member, lo, count, list, text) VALHALL_FIELD_##name,
#define FLAG(name, member, lo, text)                VALHALL_FIELD_##name,
#define INTO(name, member, lo, count, picks, text)  VALHALL_FIELD_##name,
#define NUMBER(name, member, lo, count, kind, text) VALHALL_FIELD_##name,
#include "isa/valhall/fields.inc"
    VALHALL_FIELD_COUNT
};
struct valhall_field_info {
    struct isa_field row; /* its name is the text, or of choices what it is */
    uint8_t kind;
    uint8_t list; /* enum valhall_list; of INTO enum valhall_picks */
};
extern const struct valhall_field_info valhall_fields[VALHALL_FIELD_COUNT];
/* A field's value as the instruction has it: numbers with sign are extended. */
uint32_t valhall_field_get(enum valhall_field field, const struct valhall_insn *insn);
void valhall_field_set(enum valhall_field field, uint32_t value, struct valhall_insn *insn);

/* ---- instructions ---- */

/* VALHALL_OPCODE_AT, VALHALL_OPCODE_BITS, ...: bits that are in no instruction's fields. */
enum {
#define BITS(name, lo, count) VALHALL_##name##_AT = (lo), VALHALL_##name##_BITS = (count),
#include "isa/valhall/fields.inc"
};
#define VALHALL_GET(word, name)        ((uint32_t)isa_get(&(word), VALHALL_##name##_AT, VALHALL_##name##_BITS))
#define VALHALL_SET(word, name, value) isa_set(word, VALHALL_##name##_AT, VALHALL_##name##_BITS, value)

/* What stands in REG, REG_FLAGS and SECOND_REG: a destination, or staging registers. */
enum valhall_operands {
    VALHALL_NOTHING,
    VALHALL_DEST,
    VALHALL_READS,
    VALHALL_WRITES,
    VALHALL_ATOMIC,  /* reads, and writes others */
    VALHALL_TEXTURE, /* the same; its REG_FLAGS mean something else */
    VALHALL_SAMPLED  /* writes 1 to 8 */
};
/* Where the second opcode stands: its lower bits, and those above. */
struct valhall_second {
    uint8_t lo[2], count[2];
};
struct valhall_format {
    const struct valhall_second *second;
    uint8_t operands;              /* enum valhall_operands */
    uint8_t form[VALHALL_SOURCES]; /* enum valhall_form, up to the first 0 */
    uint8_t field[VALHALL_FIELDS]; /* enum valhall_field, up to the first 0, as they are written */
};
struct valhall_info {
    const char *text;
    uint16_t opcode;
    uint8_t second, unit, type; /* enum valhall_unit, valhall_type */
    const struct valhall_format *format;
};
/* `op` is below VALHALL_OP_COUNT. */
const struct valhall_info *valhall_info(uint16_t op);
/* The operation of a word; VALHALL_OP_COUNT when there is none of its opcodes. */
uint16_t valhall_op_of(uint64_t word);
/* By name; VALHALL_OP_COUNT when there is none of it. */
uint16_t valhall_op_named(const char *text, size_t length);

static inline unsigned valhall_sources(const struct valhall_info *info)
{
    unsigned n = 0;
    while (n < VALHALL_SOURCES && info->format->form[n])
        n++;
    return n;
}
static inline unsigned valhall_fields_of(const struct valhall_info *info)
{
    unsigned n = 0;
    while (n < VALHALL_FIELDS && info->format->field[n])
        n++;
    return n;
}
static inline bool valhall_reads_staging(uint8_t operands)
{
    return operands == VALHALL_READS || operands == VALHALL_ATOMIC || operands == VALHALL_TEXTURE;
}
static inline bool valhall_writes_staging(uint8_t operands)
{
    return operands >= VALHALL_WRITES;
}
bool valhall_has_field(uint16_t op, enum valhall_field field);

#endif
