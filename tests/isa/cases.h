/* Assembler cases, one a line, the same for every instruction set:
 *   hex  text         the instruction's bytes as one number, and its text: both directions
 *   hex < text        another way to write it: assembles only
 *   ! text => part    is refused with a message that holds `part`
 * Lines with # are comments. */
#ifndef VITRAIL_TESTS_ISA_CASES_H
#define VITRAIL_TESTS_ISA_CASES_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

#define CASES_BYTES 128 /* of the longest instruction */
#define CASES_TEXT  2048

struct cases_isa {
    const char *path;
    /* *bytes is malloc'ed. */
    int (*assemble)(const char *text, size_t length, uint8_t **bytes, size_t *size, struct util_error *error);
    size_t (*disassemble)(const uint8_t *bytes, size_t size, char *text); /* CASES_TEXT */
};

struct cases {
    uint8_t (*bytes)[CASES_BYTES]; /* of the lines that read in both directions */
    size_t count, refused;
};

static inline unsigned cases_digit(char c)
{
    return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
}

/* The number before the first space as bytes, lowest first; returns how many. */
static inline size_t cases_hex(const char *text, uint8_t out[CASES_BYTES])
{
    size_t digits = strcspn(text, " ");
    assert_true(digits % 2 == 0 && digits / 2 <= CASES_BYTES);
    for (size_t n = 0; n < digits / 2; n++)
        out[n] =
            (uint8_t)(cases_digit(text[digits - 2 - 2 * n]) << 4 | cases_digit(text[digits - 1 - 2 * n]));
    return digits / 2;
}

static inline void cases_both(const struct cases_isa *isa, struct cases *cases, unsigned line,
                              const char *text)
{
    static char out[CASES_TEXT];
    uint8_t expected[CASES_BYTES], *bytes = NULL;
    struct util_error error = {0};
    size_t size = cases_hex(text, expected), got = 0;
    const char *rest = text + size * 2;
    bool both = strncmp(rest, " < ", 3) != 0;
    if (both && strncmp(rest, "  ", 2) != 0)
        fail_msg("line %u: not a case", line);
    rest += both ? 2 : 3;
    if (isa->assemble(rest, strlen(rest), &bytes, &got, &error))
        fail_msg("line %u: %s", line, error.text);
    if (got != size || memcmp(bytes, expected, size) != 0)
        fail_msg("line %u: '%s' assembles to other bytes", line, rest);
    free(bytes);
    size_t length = isa->disassemble(expected, size, out);
    assert_int_equal(length, strlen(out));
    if (both != (strcmp(out, rest) == 0))
        fail_msg("line %u: prints as '%s'%s'%s'", line, out, both ? ", not as " : " and so should ", rest);
    if (both) {
        cases->bytes = realloc(cases->bytes, (cases->count + 1) * sizeof *cases->bytes);
        assert_non_null(cases->bytes);
        memcpy(cases->bytes[cases->count++], expected, size);
    }
}

static inline void cases_refused(const struct cases_isa *isa, struct cases *cases, unsigned line, char *text)
{
    char *message = strstr(text, " => ");
    struct util_error error = {0};
    uint8_t *bytes = NULL;
    size_t size;
    assert_non_null(message);
    *message = 0;
    message += 4;
    if (isa->assemble(text, strlen(text), &bytes, &size, &error) != -EINVAL)
        fail_msg("line %u: '%s' assembles, or fails in another way", line, text);
    if (!*message || !strstr(error.text, message) || strncmp(error.text, "line 1, column ", 15) != 0)
        fail_msg("line %u: the message is '%s', not '%s'", line, error.text, message);
    assert_null(bytes);
    cases->refused++;
}

static inline void cases_read(const struct cases_isa *isa, struct cases *cases)
{
    static char text[CASES_TEXT];
    FILE *file = fopen(isa->path, "r");
    if (!file) {
        fail_msg("%s: %s", isa->path, strerror(errno));
        return;
    }
    for (unsigned line = 1; fgets(text, sizeof text, file); line++) {
        text[strcspn(text, "\n")] = 0;
        if (text[0] == '!')
            cases_refused(isa, cases, line, text + 2);
        else if (text[0] && text[0] != '#')
            cases_both(isa, cases, line, text);
    }
    fclose(file);
}

static inline void cases_free(struct cases *cases)
{
    free(cases->bytes);
    *cases = (struct cases){0};
}

/* Fails unless `condition` holds of one of insns[0..insn_count-1], called i there. */
#define CASES_SEEN(name, condition)                                                                          \
    do {                                                                                                     \
        bool seen = false;                                                                                   \
        for (size_t k = 0; k < insn_count && !seen; k++) {                                                   \
            __typeof__(&insns[0]) i = &insns[k];                                                             \
            seen = (condition);                                                                              \
        }                                                                                                    \
        if (!seen)                                                                                           \
            fail_msg("no case for the row %s", name);                                                        \
    } while (0)

#endif
