/* Which invocations there are, and where they stand. */
#include <inttypes.h>
#include <string.h>

#include "gpu/mali/threads.h"
#include "util/bits.h"

/* Of g->groups. */
static bool set(struct mali_grid *g, const uint64_t size[3], uint64_t instance, bool shares, const char *unit,
                uint64_t address, struct mali_stop *stop)
{
    uint64_t threads;
    threads = size[0] * size[1] * size[2]; /* fields of one word: below 2^33 */
    if (threads > MALI_GROUP_MOST)
        return mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_PACKET, unit, address,
                             "a workgroup of %" PRIu64 " threads: more than %u", threads, MALI_GROUP_MOST);
    for (unsigned n = 0; n < 3; n++)
        g->size[n] = (uint32_t)size[n];
    g->threads = (uint32_t)threads;
    g->groups_of_unit = threads == 1 && !shares ? ISA_LANES : 1;
    uint64_t groups = g->groups[0] * g->groups[1] * g->groups[2];
    g->units = (groups + g->groups_of_unit - 1) / g->groups_of_unit;
    g->row = size[0] * g->groups[0];
    uint64_t layer = g->row * size[1] * g->groups[1];
    g->slice = instance ? instance : layer;
    const uint64_t layers = size[2] * g->groups[2];
    uint64_t numbers = layer; /* the largest is below. A single layer's slice means nothing: Mesa writes 1 */
    g->own = (layers <= 1 || (g->slice >= layer && !__builtin_mul_overflow(layers, g->slice, &numbers))) &&
             numbers <= UINT32_MAX;
    return true;
}

bool mali_grid_set(struct mali_grid *g, const struct mali_invocation *invocation, uint64_t instance,
                   bool shares, const char *unit, uint64_t address, struct mali_stop *stop)
{
    uint64_t size[3];
    memset(g, 0, sizeof *g);
    mali_invocation_sizes(invocation, size, g->groups);
    return set(g, size, instance, shares, unit, address, stop);
}

#define GROUPS_MOST (UINT64_C(1) << 32) /* of a grid: as many as the versions before can say; ours */

/* Workgroups that there are must be few enough to be counted; of none nothing is done. */
static bool set_groups(struct mali_grid *g, const uint64_t groups[3], const char *unit, uint64_t address,
                       struct mali_stop *stop)
{
    uint64_t all = 1;
    memset(g, 0, sizeof *g);
    memcpy(g->groups, groups, sizeof g->groups);
    for (unsigned n = 0; n < 3; n++)
        if (__builtin_mul_overflow(all, groups[n], &all))
            all = UINT64_MAX;
    if (!groups[0] || !groups[1] || !groups[2])
        all = 0;
    return all <= GROUPS_MOST || mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, unit,
                                               address, "more than 2^32 workgroups are not done");
}

bool mali_grid_set_v9(struct mali_grid *g, const struct mali_compute_v9 *p, bool shares, const char *unit,
                      uint64_t address, struct mali_stop *stop)
{
    const uint64_t size[3] = {p->workgroup_size_x, p->workgroup_size_y, p->workgroup_size_z};
    const uint64_t groups[3] = {p->workgroup_count_x, p->workgroup_count_y, p->workgroup_count_z};
    if (p->offset_x || p->offset_y || p->offset_z)
        return mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, unit, address,
                             "grids that begin elsewhere are not explained");
    return set_groups(g, groups, unit, address, stop) && set(g, size, 0, shares, unit, address, stop);
}

bool mali_grid_set_vertices(struct mali_grid *g, uint32_t count, uint32_t instances, const char *unit,
                            uint64_t address, struct mali_stop *stop)
{
    static const uint64_t one[3] = {1, 1, 1};
    const uint64_t groups[3] = {count, 1, instances};
    return set_groups(g, groups, unit, address, stop) && set(g, one, 0, false, unit, address, stop);
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

/* Four at once: element after element the compiler would store what is loaded as a whole right after. */
typedef uint32_t four __attribute__((vector_size(16)));

static four load(const uint32_t *from)
{
    four v;
    memcpy(&v, from, sizeof v);
    return v;
}

static void number(const struct mali_grid *g, struct mali_threads *t)
{
    const uint32_t row = (uint32_t)g->row, slice = (uint32_t)g->slice; /* numbers have 32 bits */
    for (unsigned l = 0; l < ISA_LANES; l += 4) {
        four v = load(&t->global[2][l]) * slice + load(&t->global[1][l]) * row + load(&t->global[0][l]);
        memcpy(&t->number[l], &v, sizeof v);
    }
}

void mali_grid_begin(const struct mali_grid *g, uint32_t first, struct mali_threads *t)
{
    const uint64_t size[3] = {g->size[0], g->size[1], g->size[2]};
    uint32_t local[3];
    memset(t->local, 0, sizeof t->local);
    part(first, size, local);
    for (uint32_t l = 0; l < ISA_LANES && first + l < g->threads; l++, next(size, local))
        for (unsigned n = 0; n < 3; n++)
            t->local[n][l] = local[n];
    memset(t->placed, 0, sizeof t->placed);
    memset(t->group, 0, sizeof t->group);
    memcpy(t->global, t->local, sizeof t->global);
    number(g, t);
    memcpy(t->number_in_group, t->number, sizeof t->number);
}

/* Sixteen workgroups that follow each other along the first axis that has more than one, as vertices do: without
 * division. False: they do not all. */
static bool in_a_row(const struct mali_grid *g, uint64_t first, struct mali_threads *t)
{
    const unsigned axis = g->groups[0] == 1;
    if (first + ISA_LANES > g->groups[axis])
        return false;
    memset(t->group, 0, sizeof t->group);
    for (uint32_t l = 0; l < ISA_LANES; l++)
        t->group[axis][l] = (uint32_t)first + l;
    memcpy(t->global, t->group, sizeof t->global);
    return true;
}

/* Of sixteen workgroups of a thread. */
static uint32_t several_groups(const struct mali_grid *g, uint64_t unit, struct mali_threads *t)
{
    const uint64_t first = unit * ISA_LANES, left = g->groups[0] * g->groups[1] * g->groups[2] - first;
    const uint32_t count = (uint32_t)UTIL_MIN(left, ISA_LANES);
    uint32_t at[3];
    if (in_a_row(g, first, t)) {
        number(g, t);
        return ISA_LANES;
    }
    part(first, g->groups, at);
    for (uint32_t l = 0; l < ISA_LANES; l++) {
        if (l == count)
            memset(at, 0, sizeof at);
        for (unsigned n = 0; n < 3; n++)
            t->group[n][l] = at[n];
        if (l < count)
            next(g->groups, at);
    }
    memcpy(t->global, t->group, sizeof t->global);
    number(g, t);
    return count;
}

void mali_grid_go(const struct mali_grid *g, uint64_t unit, struct mali_grid_place *place)
{
    bool behind = unit && unit == place->unit + 1;
    place->unit = unit;
    if (g->groups_of_unit > 1) /* several_groups finds all of them */
        return;
    if (behind)
        next(g->groups, place->group);
    else
        part(unit, g->groups, place->group);
}

/* The lanes' places along an axis, and what their numbers grow by: only what the unit before had otherwise. */
static void place_group(const struct mali_grid *g, unsigned axis, uint32_t at, struct mali_threads *t)
{
    if (t->placed[axis] == at)
        return;
    t->placed[axis] = at;
    for (unsigned l = 0; l < ISA_LANES; l += 4) {
        four group = (four){0} + at, global = load(&t->local[axis][l]) + at * g->size[axis];
        memcpy(&t->group[axis][l], &group, sizeof group);
        memcpy(&t->global[axis][l], &global, sizeof global);
    }
}

static uint32_t one_group(const struct mali_grid *g, const uint32_t at[3], uint32_t first,
                          struct mali_threads *t)
{
    const uint32_t along[3] = {1, (uint32_t)g->row, (uint32_t)g->slice}; /* numbers have 32 bits */
    uint32_t before = 0;
    for (unsigned n = 0; n < 3; n++) {
        place_group(g, n, at[n], t);
        before += at[n] * g->size[n] * along[n];
    }
    for (unsigned l = 0; l < ISA_LANES; l += 4) {
        four v = load(&t->number_in_group[l]) + before;
        memcpy(&t->number[l], &v, sizeof v);
    }
    return UTIL_MIN(g->threads - UTIL_MIN(first, g->threads), ISA_LANES);
}

uint16_t mali_grid_lanes(const struct mali_grid *g, const struct mali_grid_place *place, uint32_t first,
                         struct mali_threads *t)
{
    uint32_t count =
        g->groups_of_unit > 1 ? several_groups(g, place->unit, t) : one_group(g, place->group, first, t);
    return (uint16_t)((1u << count) - 1);
}
