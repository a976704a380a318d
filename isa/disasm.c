#include "isa/disasm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 1, IS_TARGET = 2 };

static void mark_words(const struct isa_disassembler *set, const void *words, uint32_t count, uint8_t *marks)
{
    for (uint32_t at = 0, length; at < count; at += length ? length : 1) {
        int64_t targets[ISA_TARGETS];
        length = set->targets(words, count, at, targets);
        marks[at] |= STARTS;
        for (unsigned n = 0; n < ISA_TARGETS; n++)
            if (targets[n] >= 0 && targets[n] <= count)
                marks[targets[n]] |= IS_TARGET;
    }
    marks[count] |= STARTS;
}

/* A branch into the midst of an instruction has no label: it prints as a number. */
static void find_labels(const struct isa_disassembler *set, const void *words, uint32_t count, uint32_t at,
                        const uint8_t *marks, isa_label_text labels[ISA_TARGETS])
{
    int64_t targets[ISA_TARGETS];
    set->targets(words, count, at, targets);
    for (unsigned n = 0; n < ISA_TARGETS; n++) {
        labels[n][0] = 0;
        if (targets[n] >= 0 && targets[n] <= count && marks[targets[n]] & STARTS)
            snprintf(labels[n], sizeof labels[n], "L%" PRIu32, (uint32_t)targets[n]);
    }
}

static void put_lines(FILE *out, char *text)
{
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        fprintf(out, "    %s\n", line);
    }
}

int isa_disasm_program(FILE *out, const struct isa_disassembler *set, const void *words, uint32_t count)
{
    uint8_t *marks = calloc((size_t)count + 1, 1);
    isa_label_text labels[ISA_TARGETS];
    char text[ISA_LINE_MAX];

    if (!marks)
        return -ENOMEM;
    mark_words(set, words, count, marks);
    for (uint32_t at = 0; at <= count;) {
        if (marks[at] == (STARTS | IS_TARGET))
            fprintf(out, "L%" PRIu32 ":\n", at);
        if (at == count)
            break;
        find_labels(set, words, count, at, marks, labels);
        at += set->text(words, count, at, labels, text);
        put_lines(out, text);
    }
    free(marks);
    return ferror(out) ? -EIO : 0;
}
