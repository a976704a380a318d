/* The text that a disassembler writes into its caller's buffer. */
#ifndef VITRAIL_ISA_TEXT_H
#define VITRAIL_ISA_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Appends to the `length` characters at `text`, which has room for `capacity` with the final zero; what does
 * not fit is dropped. Returns the new length. */
size_t isa_text_append(char *text, size_t length, size_t capacity, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

#endif
