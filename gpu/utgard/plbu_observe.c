/* What an observer is told of the tile list builder's draws (gpu/observe.h). */
#include "gpu/observe.h"

#include "gpu/utgard/plbu_internal.h"

static struct gpu_observed_binning counts_of(const struct utgard_plbu *p)
{
    const struct gpu_counters *c = p->counters;
    return (struct gpu_observed_binning){.vertices = c->vertices,
                                         .primitives_in = c->primitives_in,
                                         .primitives_binned = c->primitives_binned,
                                         .instructions = c->instructions};
}

/* Which of the VS list's draws wrote the positions, from 1; 0: none. */
static uint32_t shading_of(const struct utgard_plbu *p)
{
    for (uint32_t n = 0; n < p->results->count; n++)
        if (p->results->result[n].positions == p->draw.state.positions)
            return n + 1;
    return 0;
}

void utgard_plbu_observe_draw(const struct utgard_plbu *p)
{
    const struct utgard_plbu_draw *d = &p->draw;
    const struct gpu_observed_binning counts = counts_of(p);
    const struct gpu_observed_bin draw = {
        .address = p->at,
        .mode = d->mode == PLBU_RECTANGLE ? "rectangles" : tiler_mode_name((enum tiler_mode)d->mode),
        .indexed = d->indexed,
        .length = d->count,
        .state = d->state.state,
        .shading = shading_of(p)};
    if (p->observer->bin)
        p->observer->bin(p->observer->data, &draw, &counts);
}

void utgard_plbu_observe_draw_end(const struct utgard_plbu *p)
{
    const struct gpu_observed_binning counts = counts_of(p);
    if (p->observer->bin_end)
        p->observer->bin_end(p->observer->data, NULL, &counts);
}

void utgard_plbu_observe_entry(const struct utgard_plbu *p, uint32_t address, uint64_t primitive)
{
    if (p->observer && p->observer->binned)
        p->observer->binned(p->observer->data, address, primitive);
}

void utgard_plbu_observe_culled(const struct utgard_plbu *p, uint64_t primitive, const int32_t x[3],
                                const int32_t y[3])
{
    if (p->observer && p->observer->culled)
        p->observer->culled(p->observer->data, primitive, x, y);
}
