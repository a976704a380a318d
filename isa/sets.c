#include "isa/sets.h"

#include <string.h>

#include "util/bits.h"

static const struct isa_set *const sets[] = {&vc4_qpu_set, &utgard_gp_set, &utgard_pp_set, &midgard_set,
                                             &valhall_set, &bifrost_set,   &simple_v_set};

const struct isa_set *isa_set_at(unsigned n)
{
    return n < UTIL_ARRAY_SIZE(sets) ? sets[n] : NULL;
}

const struct isa_set *isa_set_find(const char *name)
{
    const struct isa_set *set;
    for (unsigned n = 0; (set = isa_set_at(n)); n++)
        if (strcmp(name, set->name) == 0)
            return set;
    return NULL;
}
