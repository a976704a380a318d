/* Text to words. An instruction is a line of parts between semicolons; its tag and its length come of them. */
#include "isa/midgard/asm.h"

#include <string.h>

#include "isa/midgard/asm_internal.h"
#include "isa/midgard/names.h"
#include "util/bits.h"

/* ---- scanning ---- */

int midgard_asm_comma(struct isa_assembler *as)
{
    return isa_scan_take(&as->scan, ',') ? 0 : isa_scan_fail(&as->scan, as->scan.at, "a comma is expected");
}

int midgard_asm_point(struct isa_assembler *as)
{
    return isa_scan_glued(&as->scan, '.') ? 0 : isa_scan_fail(&as->scan, as->scan.at, "a point is expected");
}

int midgard_asm_number(struct isa_assembler *as, int64_t least, int64_t most, int64_t *value)
{
    isa_scan_space(&as->scan);
    isa_scan_glued(&as->scan, '+');
    const char *where = as->scan.at;
    bool negative = where < as->scan.end && *where == '-';
    uint32_t bits = 0;
    int err = isa_scan_number(&as->scan, &bits);
    *value = negative ? (int64_t)(int32_t)bits : (int64_t)bits;
    if (!err && (*value < least || *value > most || memchr(where, '.', (size_t)(as->scan.at - where))))
        err = isa_scan_fail(&as->scan, where, "this number is too large, or none");
    return err;
}

int midgard_asm_value(struct isa_assembler *as, float *value, bool *with_point, uint32_t *bits)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    int err = isa_scan_number(&as->scan, bits);
    *with_point = !err && memchr(where, '.', (size_t)(as->scan.at - where));
    *value = *with_point ? util_u2f(*bits) : (float)(int32_t)*bits;
    return err;
}

uint32_t midgard_asm_find(struct isa_token word, const char *const *names, unsigned count)
{
    for (uint32_t n = 0; n < count; n++)
        if (names[n] && *names[n] && isa_token_is(word, names[n]))
            return n;
    return count;
}

int midgard_asm_choice(struct isa_assembler *as, const char *const *names, unsigned count, const char *what,
                       uint32_t *value)
{
    struct isa_token word = isa_scan_word(&as->scan);
    *value = midgard_asm_find(word, names, count);
    return *value < count ? 0 : isa_asm_fail(as, word, what);
}

bool midgard_asm_mask(struct isa_token word, uint8_t *mask)
{
    static const char letters[] = "xyzw";
    *mask = 0;
    if (isa_token_is(word, "0"))
        return true;
    for (size_t n = 0, at = 0; n < word.length; n++) {
        const char *found = memchr(letters + at, word.text[n], 4 - at);
        if (!found)
            return false;
        at = (size_t)(found - letters) + 1;
        *mask |= (uint8_t)(1u << (at - 1));
    }
    return word.length > 0;
}

bool midgard_asm_swizzle(struct isa_token word, uint8_t *swizzle)
{
    static const char letters[] = "xyzw";
    uint8_t out = 0;
    for (size_t n = 0; n < word.length; n++) {
        const char *found = memchr(letters, word.text[n], 4);
        if (!found || word.length != 4)
            return false;
        out |= (uint8_t)((found - letters) << 2 * n);
    }
    *swizzle = out;
    return word.length == 4;
}

int midgard_asm_chosen(struct isa_assembler *as, uint8_t *swizzle)
{
    *swizzle = 0xe4;
    if (!isa_scan_glued(&as->scan, '/'))
        return 0;
    struct isa_token word = isa_scan_word(&as->scan);
    return midgard_asm_swizzle(word, swizzle) ? 0 : isa_asm_fail(as, word, "four of x y z w are expected");
}

bool midgard_asm_operation(struct isa_token word, const struct isa_names *list, const char *stem,
                           uint32_t limit, uint32_t *value)
{
    if (isa_name_value(list, word.text, word.length, value))
        return true;
    return isa_token_numbered(word, stem, value) && *value < limit && !isa_name_text(list, *value);
}

/* ---- lines ---- */

struct draft {
    struct midgard_insn insn;
    enum midgard_kind kind;
    unsigned memory; /* operations said */
    bool writeout, texture, next, has_tag;
    bool label[2]; /* targets are quadwords of the program, not yet distances */
    uint32_t target[2];
};

static int of_kind(struct isa_assembler *as, struct draft *d, enum midgard_kind kind, struct isa_token name)
{
    if (d->kind != MIDGARD_NONE && d->kind != kind)
        return isa_asm_fail(as, name, "this is another pipeline's");
    d->kind = kind;
    return 0;
}

static bool tag_named(struct isa_token word, uint8_t *tag)
{
    uint32_t value = midgard_asm_find(word, midgard_tag_names, 16);
    if (value == 16 && (!isa_token_numbered(word, "t", &value) || value > 15 || midgard_tag_names[value]))
        return false;
    *tag = (uint8_t)value;
    return true;
}

/* ---- branches ---- */

static bool jump_named(struct isa_token name, uint8_t *op, bool *extended)
{
    static const char *const names[8] = {NULL, "jump", "br", NULL, "discard", NULL, "tilewait", "write"};
    struct isa_token stem = name;
    uint32_t value;
    *extended = name.length > 1 && name.text[name.length - 1] == 'x';
    stem.length -= *extended;
    value = midgard_asm_find(stem, names, 8);
    if (value == 8 && (!isa_token_numbered(stem, "op", &value) || value > 7 || names[value]))
        return false;
    *op = (uint8_t)value;
    return true;
}

static bool hex(struct isa_token word, size_t skip, uint32_t *value)
{
    *value = 0;
    for (size_t n = skip; n < word.length; n++) {
        const char *digits = "0123456789abcdef", *at = memchr(digits, word.text[n], 16);
        if (!at)
            return false;
        *value = *value << 4 | (uint32_t)(at - digits);
    }
    return word.length > skip && word.length - skip <= 4;
}

static int condition(struct isa_assembler *as, struct midgard_jump *j, bool extended)
{
    int err = midgard_asm_point(as);
    struct isa_token word = isa_scan_word(&as->scan);
    uint32_t value = midgard_asm_find(word, midgard_conditions, 4);
    if (err)
        return err;
    if (value < 4)
        j->condition = (uint16_t)(extended ? value * 0x5555 : value);
    else if (extended && word.length == 7 && memcmp(word.text, "lut", 3) == 0 && hex(word, 3, &value))
        j->condition = (uint16_t)value;
    else
        return isa_asm_fail(as, word, "a condition is expected");
    return 0;
}

static int call_mode(struct isa_assembler *as, struct midgard_jump *j, bool extended)
{
    static const char *const names[4] = {"c0", "c1", "call", "ret"};
    uint32_t value;
    j->call = extended ? 0 : MIDGARD_CALL_NONE;
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    int err = midgard_asm_choice(as, names, 4, "call or ret is expected", &value);
    j->call = (uint8_t)value;
    return err;
}

static int branch(struct isa_assembler *as, struct draft *d, struct isa_token name, uint8_t op, bool extended)
{
    struct midgard_jump *j = &d->insn.jump[extended];
    bool plain = !extended && op == MIDGARD_JUMP;
    int64_t offset = 0;
    int err = of_kind(as, d, MIDGARD_ALU, name);
    enum midgard_unit unit = extended ? MIDGARD_BRANCHX : MIDGARD_BRANCH;
    if (!err && midgard_has(&d->insn, unit))
        err = isa_asm_fail(as, name, "this is said twice");
    d->insn.units |= (uint8_t)(1u << unit);
    j->op = op;
    if (!err && !plain)
        err = condition(as, j, extended);
    if (!err && (plain || extended))
        err = call_mode(as, j, extended);
    if (err)
        return err;
    d->label[extended] = !isa_scan_comes(&as->scan, '+') && !isa_scan_comes(&as->scan, '-');
    if (d->label[extended])
        err = isa_asm_label(as, isa_scan_word(&as->scan), &d->target[extended]);
    else
        err = midgard_asm_number(as, extended ? -0x400000 : -64, extended ? 0x3fffff : 63, &offset);
    j->offset = (int32_t)offset;
    if (!err)
        err = midgard_asm_comma(as);
    struct isa_token tag = isa_scan_word(&as->scan);
    return err ? err : tag_named(tag, &j->tag) ? 0 : isa_asm_fail(as, tag, "a tag is expected");
}

/* Labels become distances from the instruction behind. */
static int distances(struct isa_assembler *as, struct draft *d, struct isa_token name)
{
    for (unsigned n = 0; n < 2; n++) {
        int64_t end = as->at / MIDGARD_WORD_BYTES + midgard_quads_of(d->insn.tag);
        int64_t offset = (int64_t)(d->target[n] / MIDGARD_WORD_BYTES) - end, most = n ? 0x3fffff : 63;
        if (!d->label[n] || !as->labels_known)
            continue;
        if (offset < -most - 1 || offset > most)
            return isa_asm_fail(as, name, "the label is too far away");
        d->insn.jump[n].offset = (int32_t)offset;
    }
    return 0;
}

/* ---- parts ---- */

static int unit_part(struct isa_assembler *as, struct draft *d, struct isa_token name, enum midgard_unit unit)
{
    int err = of_kind(as, d, MIDGARD_ALU, name);
    if (!err && midgard_has(&d->insn, unit))
        err = isa_asm_fail(as, name, "this unit is said twice");
    d->insn.units |= (uint8_t)(1u << unit);
    return err ? err : midgard_asm_alu(as, unit, &d->insn.alu[unit]);
}

static int constants_part(struct isa_assembler *as, struct draft *d)
{
    int err = 0;
    d->insn.has_constants = true;
    for (unsigned n = 0; !err && n < 4; n++) {
        err = n ? midgard_asm_comma(as) : 0;
        if (!err)
            err = isa_scan_number(&as->scan, &d->insn.constant[n]);
    }
    return err;
}

static int memory_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint8_t op)
{
    int err = of_kind(as, d, MIDGARD_LOAD_STORE, name);
    if (!err && d->memory == 2)
        err = isa_asm_fail(as, name, "there are two of them already");
    return err ? err : midgard_asm_load_store(as, op, &d->insn.memory[d->memory++]);
}

static int texture_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint8_t op)
{
    int err = of_kind(as, d, MIDGARD_TEXTURE, name);
    if (!err && d->texture)
        err = isa_asm_fail(as, name, "there is one already");
    d->texture = true;
    d->insn.tag = op == MIDGARD_TEX_BARRIER ? MIDGARD_TAG_BARRIER : MIDGARD_TAG_TEXTURE;
    return err ? err : midgard_asm_texture(as, op, &d->insn);
}

static int next_part(struct isa_assembler *as, struct draft *d, struct isa_token name)
{
    struct isa_token tag = name;
    if (isa_token_is(name, "next"))
        tag = isa_scan_word(&as->scan);
    if (d->next || !tag_named(tag, &d->insn.next))
        return isa_asm_fail(as, tag, d->next ? "this is said twice" : "a tag is expected");
    d->next = true;
    return 0;
}

static int word_part(struct isa_assembler *as, struct draft *d, struct isa_token name)
{
    int err = of_kind(as, d, MIDGARD_ALU, name);
    if (isa_token_is(name, "const"))
        return err ? err : constants_part(as, d);
    d->writeout |= isa_token_is(name, "writeout");
    return err;
}

static int part(struct isa_assembler *as, struct draft *d, struct isa_token name)
{
    uint32_t value;
    uint8_t op;
    bool extended, known = false;
    if (isa_token_is(name, "next") || isa_token_is(name, "stop"))
        return next_part(as, d, name);
    if (isa_token_is(name, "const") || isa_token_is(name, "writeout") || isa_token_is(name, "idle"))
        return word_part(as, d, name);
    value = midgard_asm_find(name, midgard_unit_names, MIDGARD_ALU_UNITS);
    if (value < MIDGARD_ALU_UNITS)
        return unit_part(as, d, name, (enum midgard_unit)value);
    if (jump_named(name, &op, &extended))
        return branch(as, d, name, op, extended);
    if (midgard_asm_operation(name, &midgard_lists[MIDGARD_MEMORY_OPS], "ldop", 256, &value))
        return memory_part(as, d, name, (uint8_t)value);
    if (midgard_asm_operation(name, &midgard_lists[MIDGARD_TEXTURE_OPS], "texop", 16, &value))
        return texture_part(as, d, name, (uint8_t)value);
    if (d->texture) {
        int err = midgard_asm_texture_part(as, name, &d->insn, &known);
        if (known)
            return err;
    }
    return isa_asm_fail(as, name, "this is no part of an instruction");
}

static int finish(struct isa_assembler *as, struct draft *d, struct isa_token mnemonic)
{
    uint8_t none = 3; /* nop */
    if (d->kind == MIDGARD_NONE)
        return isa_asm_fail(as, mnemonic, "an operation is expected");
    if (d->kind == MIDGARD_LOAD_STORE) {
        d->insn.tag = MIDGARD_TAG_LOAD_STORE;
        if (d->memory < 2)
            d->insn.memory[1] = (struct midgard_memory){.op = none};
    }
    if (d->kind == MIDGARD_ALU) {
        uint32_t quads = midgard_bundle_quads(d->insn.units, d->insn.has_constants);
        d->insn.tag = (uint8_t)((d->writeout ? MIDGARD_TAG_ALU_WRITEOUT : MIDGARD_TAG_ALU) + quads - 1);
    }
    return distances(as, d, mnemonic);
}

static int instruction(struct isa_assembler *as, struct isa_token mnemonic)
{
    struct draft d = {0};
    uint64_t out[MIDGARD_QUADS * 2];
    int err = part(as, &d, mnemonic);
    while (!err && isa_scan_take(&as->scan, ';'))
        err = part(as, &d, isa_scan_word(&as->scan));
    if (!err && !isa_scan_line_over(&as->scan))
        err = isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
    if (!err)
        err = finish(as, &d, mnemonic);
    if (err)
        return err;
    midgard_encode(&d.insn, out);
    return isa_asm_emit(as, out, midgard_quads_of(d.insn.tag) * 16u);
}

const struct isa_syntax midgard_syntax = {.word_bytes = MIDGARD_WORD_BYTES, .instruction = instruction};
