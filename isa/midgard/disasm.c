#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/disasm.h"
#include "isa/midgard/asm.h"
#include "isa/midgard/disasm_internal.h"
#include "isa/midgard/names.h"
#include "util/half.h"

static void part(struct isa_text *t, const char *word)
{
    isa_put_part(t);
    isa_put(t, "%s", word);
}

void midgard_put_number(struct isa_text *t, double value)
{
    isa_put(t, "%.24f", value);
    while (t->at[t->length - 1] == '0' && t->at[t->length - 2] != '.')
        t->at[--t->length] = 0;
}

/* ---- operands ---- */

void midgard_put_swizzle(struct isa_text *t, uint8_t swizzle)
{
    if (swizzle != 0xe4)
        isa_put(t, ".%c%c%c%c", "xyzw"[swizzle & 3], "xyzw"[swizzle >> 2 & 3], "xyzw"[swizzle >> 4 & 3],
                "xyzw"[swizzle >> 6]);
}

static void component(struct isa_text *t, bool full, uint8_t n)
{
    if (full)
        isa_put(t, ".%c", "xyzw"[n >> 1]);
    else
        isa_put(t, ".h%u", n);
}

static void source(struct isa_text *t, const struct midgard_source *s, bool scalar, bool floats)
{
    static const char *const expand[8] = {"", ".rl", ".rh", ".swap", ".el", ".eh", ".els", ".ehs"};
    static const char *const widen[4] = {"", ".zx", ".rep", ".shl"};
    isa_put(t, ", %s%sr%u", floats && s->mod & MIDGARD_NEG ? "-" : "",
            floats && s->mod & MIDGARD_ABS ? "|" : "", s->reg);
    if (scalar) {
        component(t, s->full, s->component);
    } else {
        midgard_put_swizzle(t, s->swizzle);
        isa_put(t, "%s", expand[s->expand]);
    }
    isa_put(t, "%s", !floats ? widen[s->mod] : s->mod & MIDGARD_ABS ? "|" : "");
}

static void immediate(struct isa_text *t, const struct midgard_alu *u, bool floats)
{
    bool plain = (u->constant & 0x7c00) != 0x7c00;
    isa_put(t, ", %s%s#", u->b.mod & MIDGARD_NEG ? "-" : "", u->b.mod & MIDGARD_ABS ? "|" : "");
    if (!floats)
        isa_put(t, "%d", (int16_t)u->constant);
    else if (plain)
        midgard_put_number(t, (double)util_half_to_float(u->constant));
    else
        isa_put(t, "0x%04x", u->constant);
    isa_put(t, "%s", u->b.mod & MIDGARD_ABS ? "|" : "");
}

/* A letter an element, when the bits of each are the same. */
static void mask(struct isa_text *t, uint8_t bits, uint8_t mode)
{
    static const char letters[] = "xyzwefgh";
    unsigned each = mode == MIDGARD_MODE_64 ? 4 : mode == MIDGARD_MODE_32 ? 2 : 1;
    uint8_t one = (uint8_t)((1u << each) - 1), whole = 0;
    if (bits == 0xff)
        return;
    for (unsigned n = 0; n < 8; n += each)
        whole |= (bits >> n & one) == one ? (uint8_t)(one << n) : 0;
    if (whole != bits || !bits || mode == MIDGARD_MODE_8) {
        isa_put(t, ".m%02x", bits);
        return;
    }
    isa_put(t, ".");
    for (unsigned n = 0; n < 8; n += each)
        if (bits >> n & 1)
            isa_put(t, "%c", letters[n / each]);
}

/* ---- units ---- */

static void unit(struct isa_text *t, enum midgard_unit unit, const struct midgard_alu *u)
{
    static const char *const clamp[4] = {"", ".pos", ".sat1", ".sat"};
    static const char *const narrow[4] = {".ssat", ".usat", "", ".high"};
    static const char *const shrink[4] = {".lo", ".hi", "", ".sh3"};
    static const unsigned widths[4] = {8, 16, 32, 64};
    const struct midgard_alu_info *info = midgard_alu_info(u->op);
    bool scalar = midgard_is_scalar(unit), floats = !info || info->float_in;
    part(t, midgard_unit_names[unit]);
    isa_put(t, ".");
    isa_put_name(t, &midgard_lists[MIDGARD_ALU_OPS], u->op, "op");
    if (scalar)
        isa_put(t, ".%s", u->full ? "full" : "half");
    else
        isa_put(t, ".%u", widths[u->mode]);
    isa_put(t, "%s", !info || info->float_out ? clamp[u->outmod] : narrow[u->outmod]);
    if (!scalar)
        isa_put(t, "%s", shrink[u->shrink]);
    isa_put(t, " r%u", u->dest);
    if (scalar)
        component(t, u->full, u->component);
    else
        mask(t, u->mask, u->mode);
    source(t, &u->a, scalar, floats);
    if (u->immediate)
        immediate(t, u, floats);
    else
        source(t, &u->b, scalar, floats);
}

static void put_tag(struct isa_text *t, uint8_t tag)
{
    if (midgard_tag_names[tag])
        isa_put(t, "%s", midgard_tag_names[tag]);
    else
        isa_put(t, "t%u", tag);
}

static void condition(struct isa_text *t, const struct midgard_jump *j, bool extended)
{
    uint16_t same = (uint16_t)((j->condition & 3) * 0x5555);
    if (extended && j->condition != same)
        isa_put(t, ".lut%04x", j->condition);
    else
        isa_put(t, ".%s", midgard_conditions[j->condition & 3]);
}

static void jump(struct isa_text *t, const struct midgard_jump *j, bool extended, const char *label)
{
    static const char *const names[8] = {NULL, "jump", "br", NULL, "discard", NULL, "tilewait", "write"};
    static const char *const calls[4] = {".c0", "", ".call", ".ret"};
    static const char *const calls_extended[4] = {"", ".c1", ".call", ".ret"};
    bool plain = !extended && j->op == MIDGARD_JUMP;
    isa_put_part(t);
    if (names[j->op])
        isa_put(t, "%s%s", names[j->op], extended ? "x" : "");
    else
        isa_put(t, "op%u%s", j->op, extended ? "x" : "");
    if (!plain)
        condition(t, j, extended);
    if (extended || plain)
        isa_put(t, "%s", (extended ? calls_extended : calls)[j->call]);
    if (label)
        isa_put(t, " %s, ", label);
    else
        isa_put(t, " %s%" PRId32 ", ", j->offset < 0 ? "" : "+", j->offset);
    put_tag(t, j->tag);
}

static void bundle(struct isa_text *t, const struct midgard_insn *i, isa_label_text labels[ISA_TARGETS])
{
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++)
        if (midgard_has(i, (enum midgard_unit)u))
            unit(t, (enum midgard_unit)u, &i->alu[u]);
    for (unsigned n = 0; n < 2; n++)
        if (midgard_has(i, (enum midgard_unit)(MIDGARD_BRANCH + n)))
            jump(t, &i->jump[n], n, labels && labels[n][0] ? labels[n] : NULL);
    if (!i->units)
        part(t, "idle");
    if (i->has_constants) {
        part(t, "const");
        for (unsigned n = 0; n < 4; n++)
            isa_put(t, "%s0x%" PRIx32, n ? ", " : " ", i->constant[n]);
    }
    if (i->tag >= MIDGARD_TAG_ALU_WRITEOUT)
        part(t, "writeout");
}

/* ---- instructions ---- */

static void print(struct isa_text *t, const struct midgard_insn *i, isa_label_text labels[ISA_TARGETS])
{
    switch (midgard_kind_of(i->tag)) {
    case MIDGARD_ALU: bundle(t, i, labels); break;
    case MIDGARD_LOAD_STORE: midgard_put_load_store(t, i); break;
    default: midgard_put_texture(t, i); break;
    }
    isa_put_part(t);
    isa_put(t, "%s", i->next == MIDGARD_TAG_STOP ? "" : "next ");
    put_tag(t, i->next);
}

/* Whether the text says all of the words: it does when it assembles to them. */
static bool says_all(const uint8_t *words, uint32_t quads, const struct isa_text *t)
{
    void *again;
    uint32_t count;
    if (midgard_asm(t->at, t->length, &again, &count, NULL))
        return false;
    bool same = count == quads && memcmp(again, words, quads * 16u) == 0;
    free(again);
    return same;
}

static uint32_t disassemble(const void *words, uint32_t count, uint32_t at,
                            isa_label_text labels[ISA_TARGETS], char *out)
{
    const uint8_t *bytes = (const uint8_t *)words + (size_t)at * 16;
    struct midgard_insn insn;
    struct isa_text t = {.at = out, .capacity = MIDGARD_TEXT_MAX};
    uint32_t length = midgard_decode(words, count, at, &insn);
    out[0] = 0;
    if (at >= count)
        return 0;
    if (length) {
        print(&t, &insn, NULL);
        bool all = says_all(bytes, length, &t);
        t = (struct isa_text){.at = out, .capacity = MIDGARD_TEXT_MAX};
        if (all) {
            print(&t, &insn, labels);
            return length;
        }
    }
    length = length ? length : 1;
    for (uint32_t n = 0; n < length; n++) {
        uint64_t quad[2];
        memcpy(quad, bytes + n * 16u, sizeof quad);
        isa_put(&t, "%s.word 0x%016" PRIx64 "%016" PRIx64, n ? "\n" : "", quad[1], quad[0]);
    }
    return length;
}

uint32_t midgard_disasm(const void *words, uint32_t count, uint32_t at, char text[MIDGARD_TEXT_MAX])
{
    return disassemble(words, count, at, NULL, text);
}

/* ---- programs ---- */

static uint32_t targets_of(const void *words, uint32_t count, uint32_t at, int64_t targets[ISA_TARGETS])
{
    struct midgard_insn insn;
    uint32_t length = midgard_decode(words, count, at, &insn);
    for (unsigned n = 0; n < ISA_TARGETS; n++) {
        bool branches = length && midgard_has(&insn, (enum midgard_unit)(MIDGARD_BRANCH + n)) &&
                        insn.jump[n].op != MIDGARD_DISCARD;
        targets[n] = branches ? (int64_t)at + length + insn.jump[n].offset : -1;
    }
    return length;
}

static const struct isa_disassembler disassembler = {targets_of, disassemble};
_Static_assert(MIDGARD_TEXT_MAX <= ISA_LINE_MAX, "a line holds any instruction");

int midgard_disasm_program(FILE *out, const void *words, uint32_t count)
{
    return isa_disasm_program(out, &disassembler, words, count);
}
