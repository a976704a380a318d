/* Which invocations there are, and where they stand. */
#include <inttypes.h>
#include <string.h>

#include "gpu/mali/threads.h"
#include "util/bits.h"

bool mali_grid_set(struct mali_grid *g, const struct mali_invocation *invocation, uint64_t instance,
                   bool shares, const char *unit, uint64_t address, struct mali_stop *stop)
{
    uint64_t size[3], threads;
    memset(g, 0, sizeof *g);
    mali_invocation_sizes(invocation, size, g->groups);
    threads = size[0] * size[1] * size[2]; /* fields of one word: below 2^33 */
    if (threads > MALI_GROUP_MOST)
        return mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_PACKET, unit, address,
                             "a workgroup of %" PRIu64 " threads: more than %u", threads, MALI_GROUP_MOST);
    for (unsigned n = 0; n < 3; n++)
        g->size[n] = (uint32_t)size[n];
    g->threads = (uint32_t)threads;
    g->groups_of_unit = threads == 1 && !shares ? MIDGARD_LANES : 1;
    uint64_t groups = g->groups[0] * g->groups[1] * g->groups[2];
    g->units = (groups + g->groups_of_unit - 1) / g->groups_of_unit;
    g->row = size[0] * g->groups[0];
    uint64_t layer = g->row * size[1] * g->groups[1];
    g->slice = instance ? instance : layer;
    uint64_t last; /* number of the last invocation, the largest */
    g->own = g->slice >= layer && !__builtin_mul_overflow(size[2] * g->groups[2], g->slice, &last) &&
             last <= UINT32_MAX;
    return true;
}

/* A place along three axes. */
static void part(uint64_t n, const uint64_t along[3], uint32_t out[3])
{
    out[0] = (uint32_t)(n % along[0]);
    out[1] = (uint32_t)(n / along[0] % along[1]);
    out[2] = (uint32_t)(n / along[0] / along[1]);
}

/* The place behind. */
static void next(const uint64_t along[3], uint32_t at[3])
{
    if (++at[0] < along[0])
        return;
    at[0] = 0;
    if (++at[1] < along[1])
        return;
    at[1] = 0;
    at[2]++;
}

uint16_t mali_grid_lanes(const struct mali_grid *g, uint64_t unit, uint32_t first, struct mali_threads *t)
{
    const uint64_t size[3] = {g->size[0], g->size[1], g->size[2]};
    const uint64_t groups = g->groups[0] * g->groups[1] * g->groups[2];
    const bool several = g->groups_of_unit > 1;
    uint64_t group = several ? unit * MIDGARD_LANES : unit;
    uint32_t thread = several ? 0 : first, local[3], at[3];
    uint64_t left = several ? groups - group : g->threads - UTIL_MIN(first, g->threads);
    uint32_t count = (uint32_t)UTIL_MIN(left, MIDGARD_LANES);
    part(group, g->groups, at);
    part(thread, size, local);
    for (uint32_t l = 0; l < MIDGARD_LANES; l++) {
        if (l == count) /* lanes that there are not are like the first of all */
            memset(several ? at : local, 0, sizeof at);
        for (unsigned n = 0; n < 3; n++) {
            t->local[n][l] = local[n];
            t->group[n][l] = at[n];
            t->global[n][l] = (uint32_t)(at[n] * size[n] + local[n]);
        }
        t->number[l] = (uint32_t)(t->global[2][l] * g->slice + t->global[1][l] * g->row + t->global[0][l]);
        if (l < count)
            next(several ? g->groups : size, several ? at : local);
    }
    return (uint16_t)((1u << count) - 1);
}
