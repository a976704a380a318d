#include "isa/sets.h"

#include <string.h>

#include "util/bits.h"

static const struct isa_set *const sets[] = {&vc4_qpu_set, &utgard_gp_set, &utgard_pp_set,
                                             &midgard_set, &valhall_set,   &bifrost_set};

/* Text only so far: in no list, and so in no test that executes. */
static const struct isa_set *const unfinished[] = {&bifrost_set};

const struct isa_set *isa_set_at(unsigned n)
{
    return n < UTIL_ARRAY_SIZE(sets) ? sets[n] : NULL;
}

const struct isa_set *isa_set_find(const char *name)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(sets); n++)
        if (strcmp(name, sets[n]->name) == 0)
            return sets[n];
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(unfinished); n++)
        if (strcmp(name, unfinished[n]->name) == 0)
            return unfinished[n];
    return NULL;
}
