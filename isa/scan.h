/* The scanner of assembler texts: words, numbers, punctuation, and where in the text a failure stands.
 * Independent of the locale. The text is borrowed. */
#ifndef VITRAIL_ISA_SCAN_H
#define VITRAIL_ISA_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* A place in the text. The first failure is recorded in `error` and stays in `failed`. */
struct isa_scan {
    const char *text, *at, *end;
    int failed;
    struct util_error *error;
};

/* A run of letters, digits and underscores. */
struct isa_token {
    const char *text;
    size_t length;
};

/* Records "line L, column C: what" for the place `where`, on any line; returns -EINVAL. */
int isa_scan_fail(struct isa_scan *s, const char *where, const char *what);
void isa_scan_space(struct isa_scan *s);
/* Nothing more on this line (a comment does not count). */
bool isa_scan_line_over(struct isa_scan *s);
void isa_scan_next_line(struct isa_scan *s);
/* Takes `c` after spaces when it is next. */
bool isa_scan_take(struct isa_scan *s, char c);
/* Whether `c` is next, after spaces. */
bool isa_scan_comes(struct isa_scan *s, char c);
/* Takes `c` when it is the very next character. */
bool isa_scan_glued(struct isa_scan *s, char c);
/* The next word after spaces; length 0 when there is none. */
struct isa_token isa_scan_word(struct isa_scan *s);
bool isa_token_is(struct isa_token token, const char *text);
/* `prefix` and a decimal number of at most 3 digits without leading zeros: "ra12". */
bool isa_token_numbered(struct isa_token token, const char *prefix, uint32_t *number);
/* Whether a number comes next, after spaces. */
bool isa_scan_at_number(struct isa_scan *s);
/* A number as 32 bits: decimal -2^31 .. 2^32-1, 0x hexadecimal, or with a point a float. 0 or -EINVAL. */
int isa_scan_number(struct isa_scan *s, uint32_t *bits);

#endif
