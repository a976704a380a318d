#include <inttypes.h>
#include <string.h>

#include "isa/disasm.h"
#include "isa/text.h"
#include "isa/valhall/asm.h"
#include "isa/valhall/check.h"
#include "isa/valhall/names.h"
#include "util/bits.h"

/* ---- parts ---- */

static void dotted(struct isa_text *t, const char *word)
{
    if (word && *word)
        isa_put(t, ".%s", word);
}

/* A value of a list, unless it is the one that is not written. */
static void choice(struct isa_text *t, enum valhall_list list, uint32_t value)
{
    if ((int32_t)value != valhall_presets[list])
        dotted(t, isa_name_text(&valhall_lists[list], value));
}

/* Begins an operand. */
static void next(struct isa_text *t)
{
    isa_put(t, "%s", t->begun ? ", " : " ");
    t->begun = true;
}

static void field(struct isa_text *t, const struct valhall_insn *insn, enum valhall_field f)
{
    const struct valhall_field_info *info = &valhall_fields[f];
    uint32_t value = valhall_field_get(f, insn);
    if (info->kind == VALHALL_KIND_CHOICE)
        choice(t, (enum valhall_list)info->list, value);
    else if (info->kind == VALHALL_KIND_INTO)
        dotted(t, valhall_pick_text((enum valhall_picks)info->list, (uint8_t)value));
    else if (info->kind == VALHALL_KIND_FLAG && value)
        dotted(t, info->row.name);
}

static void number(struct isa_text *t, const struct valhall_insn *insn, enum valhall_field f,
                   const char *label)
{
    const struct valhall_field_info *info = &valhall_fields[f];
    uint32_t value = valhall_field_get(f, insn);
    if (info->kind < VALHALL_KIND_PLAIN)
        return;
    next(t);
    if (info->kind == VALHALL_KIND_BITS)
        isa_put(t, "#0x%" PRIX32, value);
    else if (info->kind == VALHALL_KIND_PLAIN)
        isa_put(t, "%s:0x%" PRIX32, info->row.name, value);
    else if (f == VALHALL_FIELD_BRANCH_OFFSET && label)
        isa_put(t, "%s:%s", info->row.name, label);
    else
        isa_put(t, "%s:%" PRId32, info->row.name, (int32_t)value);
}

static void staging(struct isa_text *t, const struct valhall_staging *s, bool marked)
{
    next(t);
    isa_put(t, "@%s", marked ? ".read" : "");
    for (unsigned n = 0; n < s->count; n++)
        isa_put(t, "%sr%u", n ? ":" : "", s->reg + n);
}

/* ---- operands ---- */

/* The table has zero twice: a text means the first. */
static void constant(struct isa_text *t, uint8_t index)
{
    uint8_t first = 0;
    while (valhall_constants[first] != valhall_constants[index])
        first++;
    if (first == index)
        isa_put(t, "0x%" PRIX32, valhall_constants[index]);
    else
        isa_put(t, "imm%u", index);
}

static void source(struct isa_text *t, const struct valhall_insn *insn, unsigned n)
{
    const struct valhall_source *s = &insn->source[n];
    const struct valhall_info *info = valhall_info(insn->op);
    enum valhall_form form = (enum valhall_form)info->format->form[n];
    next(t);
    switch (s->kind) {
    case VALHALL_REGISTER: isa_put(t, "%sr%u", s->last ? "^" : "", s->index); break;
    case VALHALL_UNIFORM: isa_put(t, "u%u", s->index); break;
    case VALHALL_CONSTANT: constant(t, s->index); break;
    default: isa_put(t, "%s.w%u", valhall_specials[s->index].text, s->word); break;
    }
    dotted(t, s->negate ? "neg" : "");
    dotted(t, s->absolute ? "abs" : "");
    if (valhall_forms[form].count)
        dotted(t, valhall_pick_text(valhall_picks_of(form, (enum valhall_type)info->type), s->select));
    dotted(t, s->invert ? "not" : "");
}

static void registers(struct isa_text *t, const struct valhall_insn *insn, uint8_t operands)
{
    static const char *const halves[4] = {"none", "h0", "h1", ""};
    if (operands == VALHALL_DEST) {
        next(t);
        isa_put(t, "r%u", insn->dest.reg);
        dotted(t, halves[insn->dest.mask & 3]);
    }
    if (valhall_writes_staging(operands))
        staging(t, &insn->write, insn->marked);
    if (valhall_reads_staging(operands))
        staging(t, &insn->read, false);
}

static void print(struct isa_text *t, const struct valhall_insn *insn, const char *label)
{
    const struct valhall_info *info = valhall_info(insn->op);
    unsigned fields = valhall_fields_of(info);
    isa_put(t, "%s", info->text);
    for (unsigned n = 0; n < fields; n++)
        field(t, insn, (enum valhall_field)info->format->field[n]);
    choice(t, VALHALL_LIST_FLOW, insn->flow);
    registers(t, insn, info->format->operands);
    for (unsigned n = 0; n < valhall_sources(info); n++)
        source(t, insn, n);
    for (unsigned n = 0; n < fields; n++)
        number(t, insn, (enum valhall_field)info->format->field[n], label);
}

/* ---- words ---- */

/* A word whose text does not assemble to it: bits, and what they would be. */
static void raw(struct isa_text *t, uint64_t word, const struct valhall_insn *insn, const char *label)
{
    const char *rule = valhall_broken_text(insn);
    isa_put(t, ".word 0x%016" PRIx64 " # ", word);
    print(t, insn, label);
    isa_put(t, ": %s", rule ? rule : "a page without uniforms, or a register without a count");
}

static uint32_t disassemble(const void *words, uint32_t count, uint32_t at,
                            isa_label_text labels[ISA_TARGETS], char *out)
{
    struct isa_text t = {.at = out, .capacity = VALHALL_TEXT_MAX};
    struct util_error error = {0};
    struct valhall_insn insn;
    uint64_t word;
    out[0] = 0;
    if (at >= count)
        return 0;
    memcpy(&word, (const uint8_t *)words + (size_t)at * VALHALL_WORD_BYTES, sizeof word);
    if (valhall_decode(word, &insn, &error)) {
        isa_put(&t, ".word 0x%016" PRIx64 " # %s", word, error.text);
        return 1;
    }
    print(&t, &insn, NULL);
    bool all = isa_assembles_to(&valhall_syntax, t.at, t.length, &word, 1);
    t = (struct isa_text){.at = out, .capacity = VALHALL_TEXT_MAX};
    if (all)
        print(&t, &insn, labels && labels[0][0] ? labels[0] : NULL);
    else
        raw(&t, word, &insn, NULL);
    return 1;
}

uint32_t valhall_disasm(const void *words, uint32_t count, uint32_t at, char text[VALHALL_TEXT_MAX])
{
    return disassemble(words, count, at, NULL, text);
}

/* ---- programs ---- */

static uint32_t targets_of(const void *words, uint32_t count, uint32_t at, int64_t targets[ISA_TARGETS])
{
    struct valhall_insn insn;
    uint64_t word;
    memcpy(&word, (const uint8_t *)words + (size_t)at * VALHALL_WORD_BYTES, sizeof word);
    int err = valhall_decode(word, &insn, NULL);
    targets[0] = err ? -1 : valhall_target(&insn, at);
    targets[1] = -1;
    return 1;
}

static const struct isa_disassembler disassembler = {targets_of, disassemble};
_Static_assert(VALHALL_TEXT_MAX <= ISA_LINE_MAX, "a line holds any instruction");

int valhall_disasm_program(FILE *out, const void *words, uint32_t count)
{
    return isa_disasm_program(out, &disassembler, words, count);
}
