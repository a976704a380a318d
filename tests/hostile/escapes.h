/* What an intruder would do behind the sandbox, a function each: it returns FINE when it was refused, WRONG
 * when not, or dies of it. escapes_*.h have them, test_escapes.c says how each has to end. */
#ifndef VITRAIL_TESTS_HOSTILE_ESCAPES_H
#define VITRAIL_TESTS_HOSTILE_ESCAPES_H

#include "tests/tools/sandbox_entry.h"

static inline int refused(long result)
{
    return result < 0 ? FINE : WRONG;
}

#endif
