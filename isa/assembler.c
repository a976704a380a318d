#include "isa/assembler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RAW_MAX = 16, SIZE_MAX_BYTES = 1 << 28 };

int isa_asm_fail(struct isa_assembler *as, struct isa_token where, const char *what)
{
    return isa_scan_fail(&as->scan, where.text, what);
}

static int no_memory(struct isa_assembler *as)
{
    return as->scan.failed = util_fail(as->scan.error, -ENOMEM, "out of memory");
}

static const struct isa_label *find_label(const struct isa_assembler *as, struct isa_token name)
{
    for (size_t i = 0; i < as->label_count; i++)
        if (as->labels[i].name.length == name.length &&
            memcmp(as->labels[i].name.text, name.text, name.length) == 0)
            return &as->labels[i];
    return NULL;
}

int isa_asm_label(struct isa_assembler *as, struct isa_token name, uint32_t *at)
{
    const struct isa_label *label = as->labels_known ? find_label(as, name) : NULL;
    *at = label ? label->at : 0;
    return label || !as->labels_known ? 0 : isa_asm_fail(as, name, "unknown label");
}

int isa_asm_emit(struct isa_assembler *as, const void *bytes, size_t size)
{
    if (as->size + size > as->capacity) {
        size_t capacity = as->capacity ? as->capacity * 2 : 1024;
        uint8_t *grown = as->size + size > SIZE_MAX_BYTES ? NULL : realloc(as->bytes, capacity);
        if (!grown)
            return no_memory(as);
        as->bytes = grown;
        as->capacity = capacity;
    }
    memcpy(as->bytes + as->size, bytes, size);
    as->size += size;
    return 0;
}

static int hex_digit(char c)
{
    char lower = c | 0x20;
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* `.word 0x...`: all bits as they are. */
static int parse_raw(struct isa_assembler *as)
{
    static const char expected[] = "0x and up to 16 hexadecimal digits are expected",
                      expected_2[] = "0x and up to 4 hexadecimal digits are expected",
                      expected_4[] = "0x and up to 8 hexadecimal digits are expected",
                      expected_16[] = "0x and up to 32 hexadecimal digits are expected";
    struct isa_scan *s = &as->scan;
    struct isa_token name = isa_scan_word(s);
    uint32_t bytes = as->syntax->word_bytes;
    const char *complaint = bytes == 2   ? expected_2
                            : bytes == 4 ? expected_4
                            : bytes == 8 ? expected
                                         : expected_16;
    uint8_t raw[RAW_MAX] = {0};
    if (!isa_token_is(name, "word"))
        return isa_asm_fail(as, name, "unknown directive");
    struct isa_token digits = isa_scan_word(s);
    if (digits.length < 3 || digits.length > 2 + 2 * bytes || digits.text[0] != '0' || digits.text[1] != 'x')
        return isa_asm_fail(as, digits, complaint);
    for (size_t i = 2; i < digits.length; i++) {
        size_t place = digits.length - 1 - i;
        int digit = hex_digit(digits.text[i]);
        if (digit < 0)
            return isa_asm_fail(as, digits, complaint);
        raw[place / 2] |= (uint8_t)(digit << 4 * (place % 2));
    }
    if (!isa_scan_line_over(s))
        return isa_scan_fail(s, s->at, "unexpected text");
    return isa_asm_emit(as, raw, bytes);
}

static int add_label(struct isa_assembler *as, struct isa_token name)
{
    if (as->labels_known)
        return 0;
    if (find_label(as, name))
        return isa_asm_fail(as, name, "this label stands twice");
    if (as->label_count == as->label_capacity) {
        size_t capacity = as->label_capacity ? as->label_capacity * 2 : 16;
        struct isa_label *grown = realloc(as->labels, capacity * sizeof *grown);
        if (!grown)
            return no_memory(as);
        as->labels = grown;
        as->label_capacity = capacity;
    }
    as->labels[as->label_count++] = (struct isa_label){name, (uint32_t)as->size};
    return 0;
}

/* Takes the labels at the start of a line; leaves the cursor at the instruction. */
static int take_labels(struct isa_assembler *as)
{
    for (;;) {
        struct isa_scan before = as->scan;
        struct isa_token name = isa_scan_word(&as->scan);
        if (name.length == 0 || !isa_scan_take(&as->scan, ':')) {
            as->scan = before;
            return 0;
        }
        int err = add_label(as, name);
        if (err)
            return err;
    }
}

static int read_lines(struct isa_assembler *as)
{
    int err = 0;
    as->size = 0;
    while (!err && as->scan.at < as->scan.end) {
        err = take_labels(as);
        as->at = (uint32_t)as->size;
        if (!err && !isa_scan_line_over(&as->scan))
            err = isa_scan_take(&as->scan, '.') ? parse_raw(as)
                                                : as->syntax->instruction(as, isa_scan_word(&as->scan));
        if (!err)
            isa_scan_next_line(&as->scan);
    }
    return err;
}

int isa_assemble(const struct isa_syntax *syntax, const char *text, size_t length, void **out,
                 uint32_t *count, struct util_error *error)
{
    struct isa_scan start = {.text = text, .at = text, .end = text + length, .error = error};
    struct isa_assembler as = {.syntax = syntax, .scan = start};
    int err = read_lines(&as);
    if (!err) {
        as.scan = start;
        as.labels_known = true;
        err = read_lines(&as);
    }
    if (!err && !as.bytes && !(as.bytes = calloc(1, 1)))
        err = no_memory(&as);
    free(as.labels);
    if (err) {
        free(as.bytes);
        return err;
    }
    *out = as.bytes;
    *count = (uint32_t)(as.size / syntax->word_bytes);
    return 0;
}

bool isa_assembles_to(const struct isa_syntax *syntax, const char *text, size_t length, const void *words,
                      uint32_t count)
{
    void *again;
    uint32_t size;
    if (isa_assemble(syntax, text, length, &again, &size, NULL))
        return false;
    bool same = size == count && memcmp(again, words, (size_t)count * syntax->word_bytes) == 0;
    free(again);
    return same;
}
