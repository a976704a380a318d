/* The table of drivers. */
#include "drm/drivers.h"

#include <string.h>

#include "util/bits.h"

#define DRIVER(number, name) extern const struct drm_driver drm_##name##_driver;
#include "drm/drivers.inc"
#undef DRIVER

static const struct row {
    uint32_t number;
    const struct drm_driver *driver;
} rows[] = {
#define DRIVER(number, name) {number, &drm_##name##_driver},
#include "drm/drivers.inc"
#undef DRIVER
};

const struct drm_driver *drm_driver_find(const char *gpu, const struct drm_driver_gpu **row)
{
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        const struct drm_driver *driver = rows[i].driver;
        for (*row = driver->gpus; (*row)->name; (*row)++)
            if (!strcmp((*row)->name, gpu))
                return driver;
    }
    return NULL;
}

uint32_t drm_driver_number(const struct drm_driver *driver)
{
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        if (rows[i].driver == driver)
            return rows[i].number;
    return 0;
}
