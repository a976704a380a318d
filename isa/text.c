#include "isa/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/bits.h"

void isa_put(struct isa_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->length, t->capacity - t->length, format, args);
    va_end(args);
    if (n > 0)
        t->length = UTIL_MIN(t->length + (size_t)n, t->capacity - 1);
}

void isa_put_part(struct isa_text *t)
{
    isa_put(t, "%s", t->begun ? " ; " : "");
    t->begun = true;
}

void isa_put_name(struct isa_text *t, const struct isa_names *list, uint32_t value, const char *stem)
{
    const char *name = isa_name_text(list, value);
    if (name)
        isa_put(t, "%s", name);
    else
        isa_put(t, "%s%" PRIu32, stem, value);
}
