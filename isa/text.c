#include "isa/text.h"

#include <stdio.h>

#include "util/bits.h"

size_t isa_text_append(char *text, size_t length, size_t capacity, const char *format, va_list args)
{
    int n = vsnprintf(text + length, capacity - length, format, args);
    return n > 0 ? UTIL_MIN(length + (size_t)n, capacity - 1) : length;
}
