/* Text to words. An instruction is a line: its name, modifiers behind points, operands behind commas. */
#include "isa/valhall/asm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "isa/valhall/asm_internal.h"
#include "isa/valhall/check.h"

/* ---- modifiers ---- */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether `name`, which may have points in it, comes next; its length, else 0. */
static size_t comes(const struct isa_scan *s, const char *name)
{
    size_t length = strlen(name), left = (size_t)(s->end - s->at);
    if (length > left || memcmp(s->at, name, length) != 0)
        return 0;
    return length < left && is_word(s->at[length]) ? 0 : length;
}

/* The longest name of a list that comes next. */
static size_t comes_of(const struct isa_scan *s, const struct isa_names *list, uint32_t *value)
{
    size_t best = 0;
    for (size_t n = 0; n < list->count; n++) {
        size_t length = comes(s, list->names[n].text);
        if (length > best) {
            best = length;
            *value = list->names[n].value;
        }
    }
    return best;
}

/* Whether a field's modifier comes next, and with which value. */
static size_t comes_for(const struct isa_scan *s, enum valhall_field f, uint32_t *value)
{
    const struct valhall_field_info *info = &valhall_fields[f];
    struct isa_scan ahead = *s;
    struct isa_token word;
    uint8_t select = 0;
    *value = 1;
    switch (info->kind) {
    case VALHALL_KIND_CHOICE: return comes_of(s, &valhall_lists[info->list], value);
    case VALHALL_KIND_FLAG: return comes(s, info->row.name);
    case VALHALL_KIND_INTO:
        word = isa_scan_word(&ahead);
        if (!word.length ||
            !valhall_pick_named((enum valhall_picks)info->list, word.text, word.length, &select))
            return 0;
        *value = select;
        return word.length;
    default: return 0;
    }
}

static int modifier(struct isa_assembler *as, struct valhall_draft *d)
{
    const struct valhall_info *info = valhall_info(d->insn.op);
    struct isa_token word = {as->scan.at, 0};
    bool twice = false;
    uint32_t value;
    for (unsigned n = 0; n < valhall_fields_of(info); n++) {
        enum valhall_field f = (enum valhall_field)info->format->field[n];
        size_t length = comes_for(&as->scan, f, &value);
        twice |= length && d->said >> n & 1;
        if (!length || d->said >> n & 1)
            continue;
        d->said |= (uint16_t)(1u << n);
        valhall_field_set(f, value, &d->insn);
        as->scan.at += length;
        return 0;
    }
    size_t length = comes_of(&as->scan, &valhall_lists[VALHALL_LIST_FLOW], &value);
    if (!length)
        return isa_asm_fail(as, word, twice ? "this is said twice" : "the instruction has no such modifier");
    if (d->flow)
        return isa_asm_fail(as, word, "a second flow; one instruction has one");
    d->flow = true;
    d->insn.flow = (uint8_t)value;
    as->scan.at += length;
    return 0;
}

/* Values that are not written; what has none was forgotten. */
static int presets(struct isa_assembler *as, struct valhall_draft *d, struct isa_token name)
{
    const struct valhall_info *info = valhall_info(d->insn.op);
    for (unsigned n = 0; n < valhall_fields_of(info); n++) {
        enum valhall_field f = (enum valhall_field)info->format->field[n];
        const struct valhall_field_info *field = &valhall_fields[f];
        uint8_t select = 0;
        char what[96];
        if (d->said >> n & 1)
            continue;
        if (field->kind == VALHALL_KIND_INTO) {
            valhall_pick_named((enum valhall_picks)field->list, "", 0, &select);
            valhall_field_set(f, select, &d->insn);
        }
        if (field->kind != VALHALL_KIND_CHOICE)
            continue;
        snprintf(what, sizeof what, "the %s is missing", field->row.name);
        if (valhall_presets[field->list] < 0)
            return isa_asm_fail(as, name, what);
        valhall_field_set(f, (uint32_t)valhall_presets[field->list], &d->insn);
    }
    return 0;
}

/* The name, which may have a type: "FADD" and ".f32". */
static int name_of(struct isa_assembler *as, struct valhall_draft *d, struct isa_token name)
{
    struct isa_scan ahead = as->scan;
    if (isa_scan_glued(&ahead, '.')) {
        struct isa_token type = isa_scan_word(&ahead);
        d->insn.op = valhall_op_named(name.text, (size_t)(type.text + type.length - name.text));
        if (d->insn.op != VALHALL_OP_COUNT) {
            as->scan = ahead;
            return 0;
        }
    }
    d->insn.op = valhall_op_named(name.text, name.length);
    return d->insn.op == VALHALL_OP_COUNT ? isa_asm_fail(as, name, "unknown instruction") : 0;
}

/* ---- numbers ---- */

int valhall_asm_next(struct isa_assembler *as, struct valhall_draft *d)
{
    if (d->begun && !isa_scan_take(&as->scan, ','))
        return isa_scan_fail(&as->scan, as->scan.at, "a comma and an operand are expected");
    d->begun = true;
    isa_scan_space(&as->scan);
    return 0;
}

/* A branch's distance from the instruction behind it. */
static int label(struct isa_assembler *as, int64_t *value)
{
    uint32_t at;
    struct isa_token word = isa_scan_word(&as->scan);
    if (!word.length)
        return isa_asm_fail(as, word, "a number or a label is expected");
    int err = isa_asm_label(as, word, &at);
    *value = (int64_t)(at / VALHALL_WORD_BYTES) - (int64_t)(as->at / VALHALL_WORD_BYTES) - 1;
    return err;
}

static int number_bits(struct isa_assembler *as, const struct valhall_field_info *info, int64_t *value)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    bool negative = where < as->scan.end && *where == '-';
    uint32_t bits = 0;
    int err = isa_scan_number(&as->scan, &bits);
    *value = negative ? (int64_t)(int32_t)bits : (int64_t)bits;
    if (!err && memchr(where, '.', (size_t)(as->scan.at - where)))
        err = isa_scan_fail(&as->scan, where, "this number is not whole");
    if (!err && info->kind == VALHALL_KIND_BITS)
        *value = bits;
    return err;
}

static int number(struct isa_assembler *as, struct valhall_draft *d, enum valhall_field f)
{
    const struct valhall_field_info *info = &valhall_fields[f];
    bool is_signed = info->kind == VALHALL_KIND_SIGNED;
    int64_t most = (1ll << (info->row.count - is_signed)) - 1, least = is_signed ? -most - 1 : 0, value = 0;
    char what[64];
    int err = valhall_asm_next(as, d);
    const char *where = as->scan.at;
    if (!err && info->kind == VALHALL_KIND_BITS) {
        if (!isa_scan_take(&as->scan, '#'))
            return isa_scan_fail(&as->scan, where, "# and a number are expected");
    } else if (!err) {
        snprintf(what, sizeof what, "%s: is expected", info->row.name);
        if (!isa_token_is(isa_scan_word(&as->scan), info->row.name) || !isa_scan_glued(&as->scan, ':'))
            return isa_scan_fail(&as->scan, where, what);
    }
    where = as->scan.at;
    if (!err)
        err = f == VALHALL_FIELD_BRANCH_OFFSET && !isa_scan_at_number(&as->scan)
                  ? label(as, &value)
                  : number_bits(as, info, &value);
    if (!err && (value < least || value > most))
        err = isa_scan_fail(&as->scan, where, "this number is too large");
    valhall_field_set(f, (uint32_t)value, &d->insn);
    return err;
}

/* ---- lines ---- */

static int operands(struct isa_assembler *as, struct valhall_draft *d)
{
    const struct valhall_info *info = valhall_info(d->insn.op);
    int err = valhall_asm_registers(as, d);
    for (unsigned n = 0; !err && n < valhall_sources(info); n++)
        err = valhall_asm_source(as, d, n);
    for (unsigned n = 0; !err && n < valhall_fields_of(info); n++)
        if (valhall_fields[info->format->field[n]].kind >= VALHALL_KIND_PLAIN)
            err = number(as, d, (enum valhall_field)info->format->field[n]);
    if (!err && !isa_scan_line_over(&as->scan))
        err = isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
    return err;
}

static int instruction(struct isa_assembler *as, struct isa_token name)
{
    struct valhall_draft d = {0};
    int err = name_of(as, &d, name);
    while (!err && isa_scan_glued(&as->scan, '.'))
        err = modifier(as, &d);
    if (!err)
        err = presets(as, &d, name);
    if (!err)
        err = operands(as, &d);
    if (err)
        return err;
    const char *broken = valhall_broken_text(&d.insn);
    if (broken)
        return isa_asm_fail(as, name, broken);
    uint64_t word = valhall_encode(&d.insn);
    return isa_asm_emit(as, &word, sizeof word);
}

const struct isa_syntax valhall_syntax = {.word_bytes = VALHALL_WORD_BYTES, .instruction = instruction};
