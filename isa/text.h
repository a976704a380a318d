/* The text that a disassembler writes into its caller's buffer. */
#ifndef VITRAIL_ISA_TEXT_H
#define VITRAIL_ISA_TEXT_H

#include <stdbool.h>

#include "isa/isa.h"

/* Zero but for `at` and `capacity`: the buffer, which has room for as many characters with the final zero.
 * What does not fit is dropped. */
struct isa_text {
    char *at;
    size_t capacity, length;
    bool begun; /* a part stands before */
};

void isa_put(struct isa_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Begins a part of an instruction: " ; " behind another one. */
void isa_put_part(struct isa_text *t);
/* The list's name of a value; of a reserved one `stem` and its number. */
void isa_put_name(struct isa_text *t, const struct isa_names *list, uint32_t value, const char *stem);

#endif
