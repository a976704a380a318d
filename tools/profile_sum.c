/* Sums of a profile's segments, and its orders. */
#include <stdlib.h>

#include "tools/profile.h"
#include "util/list.h"

uint64_t profile_job_ns(const struct profile_job *job)
{
    uint64_t sum = job->move_ns;
    for (uint32_t i = 0; i < job->segments.count; i++)
        sum += job->segments.at[i].ns + job->segments.at[i].vertex_ns;
    return sum;
}

uint64_t profile_job_instructions(const struct profile_job *job)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < job->segments.count; i++)
        sum += job->segments.at[i].instructions;
    return sum;
}

uint64_t profile_job_pixels(const struct profile_job *job)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < job->segments.count; i++)
        sum += job->segments.at[i].pixels;
    return sum;
}

uint64_t profile_draw_ns(const struct profile_draw *draw)
{
    return draw->bin_ns + draw->vertex_ns + draw->fragment_ns;
}

static int by_count(const void *a, const void *b)
{
    const struct profile_hot *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

struct profile_hot *profile_hottest(const struct profile *p, uint32_t *count)
{
    struct {
        struct profile_hot *at;
        uint32_t count, room;
    } list = {0};
    for (uint32_t i = 0; i < p->programs.count; i++)
        for (uint32_t pc = 0; p->programs.at[i].by_pc && pc < p->programs.at[i].word_count; pc++) {
            const struct profile_hot hot = {.program = i, .pc = pc, .count = p->programs.at[i].count[pc]};
            if (hot.count && !UTIL_LIST_ADD(list, hot)) {
                free(list.at);
                return NULL;
            }
        }
    if (list.count)
        qsort(list.at, list.count, sizeof *list.at, by_count);
    *count = list.count;
    return list.at;
}

static int by_cost(const void *a, const void *b, void *data)
{
    const struct profile *p = data;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    uint64_t x = profile_draw_ns(&p->draws.at[i]), y = profile_draw_ns(&p->draws.at[k]);
    if (x != y)
        return x > y ? -1 : 1;
    return i < k ? -1 : i > k;
}

uint32_t *profile_costliest(const struct profile *p)
{
    uint32_t *order = malloc((p->draws.count + 1ull) * sizeof *order);
    if (!order)
        return NULL;
    for (uint32_t i = 0; i < p->draws.count; i++)
        order[i] = i;
    qsort_r(order, p->draws.count, sizeof *order, by_cost, (void *)p);
    return order;
}
