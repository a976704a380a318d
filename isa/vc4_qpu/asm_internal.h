/* The assembler: its scanner (asm_scan.c), instructions (asm_insn.c) and programs (asm.c). */
#ifndef VITRAIL_ISA_VC4_QPU_ASM_INTERNAL_H
#define VITRAIL_ISA_VC4_QPU_ASM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* A place in the text. The first failure is recorded in `error` and stays in `failed`. */
struct scan {
    const char *at, *end, *line_start;
    uint32_t line;
    int failed;
    struct util_error *error;
};

/* A run of letters, digits and underscores. */
struct token {
    const char *text;
    size_t length;
};

/* Records "line L, column C: what" for the place `where`; returns -EINVAL. */
int vc4_qpu_scan_fail(struct scan *s, const char *where, const char *what);
void vc4_qpu_scan_space(struct scan *s);
/* Nothing more on this line (a comment does not count). */
bool vc4_qpu_scan_line_over(struct scan *s);
void vc4_qpu_scan_next_line(struct scan *s);
/* Takes `c` after spaces when it is next. */
bool vc4_qpu_scan_take(struct scan *s, char c);
/* Takes `c` when it is the very next character. */
bool vc4_qpu_scan_glued(struct scan *s, char c);
/* The next word after spaces; length 0 when there is none. */
struct token vc4_qpu_scan_word(struct scan *s);
bool vc4_qpu_token_is(struct token token, const char *text);
/* `prefix` and a decimal number of at most 3 digits without leading zeros: "ra12". */
bool vc4_qpu_token_numbered(struct token token, const char *prefix, uint32_t *number);
/* Whether a number comes next, after spaces. */
bool vc4_qpu_scan_at_number(struct scan *s);
/* A number as 32 bits: decimal -2^31 .. 2^32-1, 0x hexadecimal, or with a point a float. */
int vc4_qpu_scan_number(struct scan *s, uint32_t *bits);

struct label {
    struct token name;
    uint32_t pc;
};

struct assembler {
    struct scan scan;
    struct label *labels;
    size_t label_count, label_capacity;
    uint64_t *words;
    size_t count, capacity;
};

/* Records a failure at a token; returns -EINVAL. */
int vc4_qpu_asm_fail(struct assembler *as, struct token where, const char *what);
/* The instruction a label stands before. 0 or -EINVAL. */
int vc4_qpu_asm_label(struct assembler *as, struct token name, uint32_t *pc);
/* The rest of a line whose mnemonic has been read; as->count is the instruction's own number. 0 or -EINVAL.
 */
int vc4_qpu_asm_instruction(struct assembler *as, struct token mnemonic, uint64_t *word);

#endif
