/* Names of what slots and address spaces report. */
#include "drm/panfrost/internal.h"

const char *drm_panfrost_exception(uint32_t code)
{
    static const struct {
        uint8_t first, last;
        const char *name;
    } rows[] = {
#define EXCEPTION(first, last, name) {first, last, name},
#include "drm/panfrost/exceptions.inc"
#undef EXCEPTION
    };
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        if (code >= rows[i].first && code <= rows[i].last)
            return rows[i].name;
    return "unknown exception";
}
