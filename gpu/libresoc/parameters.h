/* The parameters of a core (scoreboard.h) by name, for people. */
#ifndef VITRAIL_GPU_LIBRESOC_PARAMETERS_H
#define VITRAIL_GPU_LIBRESOC_PARAMETERS_H

#include <stddef.h>

#include "gpu/libresoc/scoreboard.h"

struct libresoc_parameter {
    const char *name; /* "latency.float" */
    const char *text; /* what it is */
    uint32_t min, max, step;
    bool is_switch; /* 0 or 1 */
    size_t at;      /* in struct libresoc_core: a uint32_t, or a bool */
};

/* Number n; NULL past the last. */
const struct libresoc_parameter *libresoc_parameter_at(unsigned n);
/* By the first `length` letters of `name`; NULL: there is none. */
const struct libresoc_parameter *libresoc_parameter_find(const char *name, size_t length);
uint32_t libresoc_parameter_get(const struct libresoc_parameter *parameter, const struct libresoc_core *core);
/* False: it cannot have the value. */
bool libresoc_parameter_set(const struct libresoc_parameter *parameter, uint64_t value,
                            struct libresoc_core *core);

#endif
