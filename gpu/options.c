#include "gpu/options.h"

#include <stddef.h>

struct gpu_options gpu_options_resolve(const struct gpu_options *options, enum isa_numeric usual)
{
    struct gpu_options o = *options;
    if (!o.fuel)
        o.fuel = GPU_FUEL;
    if (!o.packet_budget)
        o.packet_budget = GPU_UNBOUNDED;
    if (!o.job_fuel)
        o.job_fuel = GPU_UNBOUNDED;
    if (o.numeric == ISA_USUAL)
        o.numeric = usual;
    if (o.reference)
        o.engine = NULL;
    return o;
}
