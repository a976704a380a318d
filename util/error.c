#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>

int util_fail(struct util_error *error, int code, const char *format, ...)
{
    if (error && !error->code) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
        error->code = code;
    }
    return code;
}
