/* A program's way through the pixel's lane, as a table for people. */
#include <inttypes.h>
#include <string.h>

#include "tools/explain_internal.h"
#include "util/bits.h"

void explain_label(FILE *out, const char *text)
{
    fprintf(out, "  %-10s ", text);
}

/* ---- values ---- */

#define VALUE_TEXT 40

/* 2^-20 to 2^24. */
static bool looks_like_float(uint32_t value)
{
    uint32_t exponent = value >> 23 & 255;
    return exponent > 106 && exponent < 152;
}

/* A word as hexadecimal, and as a float where it looks like one. */
static void value_text(uint32_t value, char text[VALUE_TEXT])
{
    if (value == 0)
        snprintf(text, VALUE_TEXT, "00000000 (0)");
    else if (looks_like_float(value))
        snprintf(text, VALUE_TEXT, "%08" PRIx32 " (%.6g)", value, (double)util_u2f(value));
    else
        snprintf(text, VALUE_TEXT, "%08" PRIx32, value);
}

void explain_print_value(FILE *out, uint32_t value)
{
    char text[VALUE_TEXT];
    value_text(value, text);
    fputs(text, out);
}

/* ---- the program ---- */

#define COLUMN 256

/* Columns of the trace: each instruction's text, what it writes, what it reads. */
struct row {
    char text[ISA_LINE_MAX], written[COLUMN], read[COLUMN];
};

static void append(char text[COLUMN], const char *first, const char *second)
{
    size_t length = strlen(text);
    snprintf(text + length, COLUMN - length, "%s%s%s", length ? ", " : "", first, second);
}

/* Components as floats: "(0.5, 1, 0, 1)"; of what may be anything hexadecimal where it looks like none. */
static void vector_text(const struct gpu_value *v, char text[4 * VALUE_TEXT])
{
    size_t length = 0;
    for (unsigned c = 0; c < v->count; c++) {
        const uint32_t word = v->value[c];
        char one[VALUE_TEXT];
        if (v->number || !word || looks_like_float(word))
            snprintf(one, sizeof one, "%.6g", (double)util_u2f(word));
        else
            snprintf(one, sizeof one, "0x%08" PRIx32, word);
        length += (size_t)snprintf(text + length, 4 * VALUE_TEXT - length, "%s%s", c ? ", " : "(", one);
    }
    snprintf(text + length, 4 * VALUE_TEXT - length, ")");
}

static void append_values(char text[COLUMN], const struct gpu_value *v, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[32], value[4 * VALUE_TEXT] = "?";
        snprintf(name, sizeof name, "%s ", v[i].name);
        if (v[i].known && v[i].count == 1 && v[i].number)
            snprintf(value, sizeof value, "%.6g", (double)util_u2f(v[i].value[0]));
        else if (v[i].known && v[i].count == 1)
            value_text(v[i].value[0], value);
        else if (v[i].known)
            vector_text(&v[i], value);
        append(text, name, v[i].withheld ? "stays" : value);
    }
}

static void fill_row(const struct explain_result *r, const struct explain_event *e,
                     const struct gpu_step *insn, struct row *row)
{
    row->written[0] = row->read[0] = 0;
    explain_insn_text(r, e, insn, row->text);
    append_values(row->written, insn->write, insn->writes);
    append_values(row->read, insn->read, insn->reads);
    if (insn->flags) {
        char flags[4] = {insn->z ? 'z' : '-', insn->n ? 'n' : '-', insn->c ? 'c' : '-', 0};
        append(row->written, "flags ", flags);
    }
}

#define TEXT_MOST    72
#define WRITTEN_MOST 60
#define PART_INDENT  2 /* of instructions of a word that has several */

/* What stands before the instructions of a word that has several. */
static void print_word(FILE *out, const struct explain_result *r, const struct explain_event *e,
                       const struct gpu_step *step)
{
    char text[ISA_LINE_MAX];
    if (step->enters && explain_word_text(r, e, step, text))
        fprintf(out, "    %5u  %s\n", step->pc, text);
}

static void print_steps(FILE *out, const struct explain_result *r, const struct explain_event *e)
{
    int text = 11, written = 7; /* widths, of most rows */
    struct row row;
    for (uint32_t i = 0; i < e->lane.trace.count; i++) {
        const struct gpu_step *step = &e->lane.trace.at[i];
        fill_row(r, e, step, &row);
        text = UTIL_MIN(UTIL_MAX(text, (int)strlen(row.text) + (step->part ? PART_INDENT : 0)), TEXT_MOST);
        written = UTIL_MIN(UTIL_MAX(written, (int)strlen(row.written)), WRITTEN_MOST);
    }
    fprintf(out, "    %5s  %-*s  %-*s  %s\n", "pc", text, "instruction", written, "written", "read");
    for (uint32_t i = 0; i < e->lane.trace.count; i++) {
        const struct gpu_step *step = &e->lane.trace.at[i];
        fill_row(r, e, step, &row);
        if (i && step[-1].blends && !step->blends)
            fputs("    the program again, for the next sample\n", out);
        if (step->blends && !(i && step[-1].blends))
            fprintf(out, "    blend shader at 0x%08x\n",
                    e->blend != UINT32_MAX ? r->programs.at[e->blend].address : 0);
        print_word(out, r, e, step);
        bool more = row.read[0], some = more || row.written[0];
        if (step->part)
            fprintf(out, "    %5s    %-*s", "", some ? text - PART_INDENT : 0, row.text);
        else
            fprintf(out, "    %5u  %-*s", step->pc, some ? text : 0, row.text);
        if (some)
            fprintf(out, "  %-*s", more ? written : 0, row.written);
        fprintf(out, "%s%s\n", more ? "  " : "", row.read);
    }
    if (e->lane.trace.count < e->lane.executed)
        fprintf(out, "    (the first %u instructions only)\n", e->lane.trace.count);
}

void explain_print_trace(FILE *out, const struct explain_result *r, const struct explain_event *e)
{
    const struct explain_program *p = e->program != UINT32_MAX ? &r->programs.at[e->program] : NULL;
    explain_label(out, "program");
    if (!p) {
        fputs("none\n", out);
        return;
    }
    fprintf(out, "at 0x%08x, %u instruction%s, ", p->address, p->insn_count, p->insn_count == 1 ? "" : "s");
    if (e->lane.executed)
        fprintf(out, "%" PRIu64 " executed; W ", e->lane.executed);
    else
        fputs("not run; W ", out);
    explain_print_value(out, e->lane.w);
    fprintf(out, ", Z 0x%06x\n", e->lane.z);
    if (e->lane.trace.count)
        print_steps(out, r, e);
}
