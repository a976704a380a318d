/* A draw's programs compiled at once: while the binner waits for the coordinate program, others begin with
 * the vertex and the fragment program, in the state that the tile lists will have. A guess: a renderer that
 * finds another state asks for other code. */
#include "gpu/vc4/binner_internal.h"
#include "gpu/vc4/frag.h"

/* What a rendering list begins with (renderer_state.c), but for record 96 as it stands here. */
static struct vc4_frag_config config_of(const struct vc4_binner *b)
{
    const struct vc4_bin_state *s = &b->state[VC4_GROUP_CONFIG];
    struct vc4_frag_config config = {.depth_func = RASTER_ALWAYS,
                                     .samples = b->ms ? 4 : 1,
                                     .primitive = b->primitive,
                                     .in_order = b->device->options.in_order || b->device->perf.wanted};
    struct vc4_cl_record r;
    if (!s->size || vc4_cl_decode(s->bytes, s->size, &r) != VC4_CL_OK)
        return config;
    config.depth_func = (uint8_t)r.field[VC4_CONFIG_DEPTH_FUNC];
    config.z_updates = r.field[VC4_CONFIG_Z_UPDATES];
    config.coverage_leave = r.field[VC4_CONFIG_COVERAGE_READ_MODE];
    config.coverage_mask = r.field[VC4_CONFIG_COVERAGE_READ_TYPE];
    return config;
}

void vc4_binner_compile_ahead(struct vc4_binner *b)
{
    const struct vc4_device *d = b->device;
    if (!d->options.engine)
        return;
    const struct vc4_frag_config config = config_of(b);
    vc4_frag_compile_ahead(d->memory, d->options.engine, &b->shader, &config);
    vc4_vertex_compile_ahead(d->memory, d->options.engine, &b->shader);
}
