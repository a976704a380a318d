/* Text to words: lines, labels and raw words; the instructions are asm_insn.c's. */
#include "isa/vc4_qpu/asm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/asm_internal.h"

int vc4_qpu_asm_fail(struct assembler *as, struct token where, const char *what)
{
    return vc4_qpu_scan_fail(&as->scan, where.text, what);
}

int vc4_qpu_asm_label(struct assembler *as, struct token name, uint32_t *pc)
{
    for (size_t i = 0; i < as->label_count; i++)
        if (as->labels[i].name.length == name.length &&
            memcmp(as->labels[i].name.text, name.text, name.length) == 0) {
            *pc = as->labels[i].pc;
            return 0;
        }
    return vc4_qpu_asm_fail(as, name, "unknown label");
}

/* `.word 0x...`: all 64 bits as they are. */
static int parse_raw(struct assembler *as, uint64_t *word)
{
    struct scan *s = &as->scan;
    struct token name = vc4_qpu_scan_word(s);
    if (!vc4_qpu_token_is(name, "word"))
        return vc4_qpu_asm_fail(as, name, "unknown directive");
    struct token digits = vc4_qpu_scan_word(s);
    if (digits.length < 3 || digits.length > 18 || digits.text[0] != '0' || digits.text[1] != 'x')
        return vc4_qpu_asm_fail(as, digits, "0x and up to 16 hexadecimal digits are expected");
    *word = 0;
    for (size_t i = 2; i < digits.length; i++) {
        char c = digits.text[i], lower = c | 0x20;
        bool decimal = c >= '0' && c <= '9', letter = lower >= 'a' && lower <= 'f';
        if (!decimal && !letter)
            return vc4_qpu_asm_fail(as, digits, "0x and up to 16 hexadecimal digits are expected");
        *word = *word << 4 | (uint64_t)(decimal ? c - '0' : lower - 'a' + 10);
    }
    return vc4_qpu_scan_line_over(s) ? 0 : vc4_qpu_scan_fail(s, s->at, "unexpected text");
}

static int add_label(struct assembler *as, struct token name, uint32_t pc)
{
    uint32_t other;
    struct scan quiet = as->scan;
    as->scan.error = NULL;
    bool known = vc4_qpu_asm_label(as, name, &other) == 0;
    as->scan = quiet;
    if (known)
        return vc4_qpu_asm_fail(as, name, "this label stands twice");
    if (as->label_count == as->label_capacity) {
        size_t capacity = as->label_capacity ? as->label_capacity * 2 : 16;
        struct label *grown = realloc(as->labels, capacity * sizeof *grown);
        if (!grown)
            return as->scan.failed = util_fail(as->scan.error, -ENOMEM, "out of memory");
        as->labels = grown;
        as->label_capacity = capacity;
    }
    as->labels[as->label_count++] = (struct label){name, pc};
    return 0;
}

/* Takes the labels at the start of a line; leaves the cursor at the instruction. */
static int take_labels(struct assembler *as, bool record, uint32_t pc)
{
    for (;;) {
        struct scan before = as->scan;
        struct token name = vc4_qpu_scan_word(&as->scan);
        if (name.length == 0 || !vc4_qpu_scan_take(&as->scan, ':')) {
            as->scan = before;
            return 0;
        }
        int err = record ? add_label(as, name, pc) : 0;
        if (err)
            return err;
    }
}

static int collect_labels(struct assembler *as)
{
    size_t pc = 0;
    int err = 0;
    while (!err && as->scan.at < as->scan.end) {
        err = take_labels(as, true, (uint32_t)pc);
        pc += !vc4_qpu_scan_line_over(&as->scan);
        if (!err)
            vc4_qpu_scan_next_line(&as->scan);
    }
    if (!err && pc > UINT32_MAX / 8)
        err = util_fail(as->scan.error, -EINVAL, "too many instructions");
    as->capacity = pc;
    return err;
}

static int parse_lines(struct assembler *as)
{
    int err = 0;
    while (!err && as->scan.at < as->scan.end) {
        err = take_labels(as, false, 0);
        if (!err && !vc4_qpu_scan_line_over(&as->scan)) {
            uint64_t *word = &as->words[as->count];
            if (vc4_qpu_scan_take(&as->scan, '.'))
                err = parse_raw(as, word);
            else
                err = vc4_qpu_asm_instruction(as, vc4_qpu_scan_word(&as->scan), word);
            as->count++;
        }
        if (!err)
            vc4_qpu_scan_next_line(&as->scan);
    }
    return err;
}

int vc4_qpu_asm(const char *text, size_t length, uint64_t **out, uint32_t *count, struct util_error *error)
{
    struct scan start = {.at = text, .end = text + length, .line_start = text, .line = 1, .error = error};
    struct assembler as = {.scan = start};
    int err = collect_labels(&as);
    if (!err) {
        as.words = calloc(as.capacity ? as.capacity : 1, sizeof *as.words);
        err = as.words ? 0 : util_fail(error, -ENOMEM, "out of memory");
    }
    as.scan = start;
    if (!err)
        err = parse_lines(&as);
    free(as.labels);
    if (err) {
        free(as.words);
        return err;
    }
    *out = as.words;
    *count = (uint32_t)as.count;
    return 0;
}
