/* In which order units may run. */
#include "gpu/mali/device_internal.h"
#include "gpu/mali/threads.h"
#include "util/bits.h"

enum { TEXTURES_FEW = 256, CONFLICTS_MANY = 4 };

static bool meets(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* A varying's records meet no other array's: buffers lie apart, or are the same one. */
static bool lies_apart(const struct mali_array *a, const struct mali_array *others, uint32_t count,
                       bool same_is_fine)
{
    for (uint32_t n = 0; n < count; n++) {
        const struct mali_array *o = &others[n];
        bool same = o->pointer == a->pointer && o->stride == a->stride;
        if (o->kind == MALI_ARRAY_1D && !(same && same_is_fine) &&
            meets(a->pointer, a->size, o->pointer, o->size))
            return false;
    }
    return true;
}

/* Whether the varyings of different invocations are different bytes, none of which is an attribute's: parts of
 * records of their own in plain buffers. */
static bool varyings_are_own(const struct mali_bindings *b)
{
    for (uint32_t n = 0; n < b->state.varying_count; n++) {
        const struct mali_attribute_of *v = &b->varying[n];
        const struct mali_array *a = v->refused ? NULL : &b->varying_buffer[v->attribute.buffer_index];
        if (!a || a->refused || a->kind != MALI_ARRAY_1D || v->attribute.format == MALI_FORMAT_CONSTANT)
            continue;
        enum raster_format format = mali_format(v->attribute.format, false);
        uint32_t bytes = format ? raster_format_bytes(format) : 4 * (uint32_t)sizeof(float);
        int64_t offset = v->attribute.offset;
        if (!mali_array_is_linear(a) || offset < 0 || offset + bytes > a->stride ||
            !lies_apart(a, b->varying_buffer, b->varying_buffer_count, true) ||
            !lies_apart(a, b->attribute_buffer, b->attribute_buffer_count, false))
            return false;
    }
    return true;
}

/* Programs that choose textures by registers could ask for more lookups than there may be: which of them is the
 * one too many has an answer in order only. */
static bool textures_are_few(const struct mali_world *w)
{
    const struct mali_bindings *b = w->bindings;
    uint64_t textures = b->state.texture_count, samplers = b->state.sampler_count;
    for (uint32_t n = 0; n < b->table_count; n++) /* v9: any table may have either */
        textures = samplers += b->table[n].count;
    return !w->program->any_texture || textures * samplers <= TEXTURES_FEW;
}

/* ---- programs that store ---- */

/* What has to be done in any case costs as much as so many instructions in order. */
#define SPECULATED_LEAST 20000u

uint64_t mali_grid_work(const struct mali_world *w, const struct mali_grid *grid)
{
    return grid->units * grid->groups_of_unit * grid->threads * w->program->insn_count;
}

/* Atomics mean an order, and varyings are stored without being asked about. */
static bool may_speculate(const struct mali_job *job, const struct mali_world *w,
                          const struct mali_grid *grid)
{
    const struct mali_decoded *p = w->program;
    return util_pool_workers(job->device->options.pool) > 1 && p->shares && !p->atomics &&
           !p->stores_varyings && w->from->conflicts < CONFLICTS_MANY && grid->units > 1 &&
           mali_grid_work(w, grid) >= SPECULATED_LEAST;
}

void mali_speculation_open(const struct mali_job *job, struct mali_world *w, const struct mali_grid *grid)
{
    struct mali_programs *shared = w->shared;
    unsigned workers = util_pool_workers(job->device->options.pool);
    if (!may_speculate(job, w, grid) ||
        (!shared->speculation && gpu_speculation_create(workers, &shared->speculation)))
        return;
    if (!gpu_speculation_open(shared->speculation, w->space))
        w->speculation = shared->speculation;
}

void mali_speculation_close(struct mali_world *w)
{
    if (w->speculation)
        gpu_speculation_close(w->speculation);
    w->speculation = NULL;
}

void mali_speculated(struct mali_world *w, bool good)
{
    w->from->conflicts = good ? 0 : w->from->conflicts + 1;
}

enum mali_order mali_grid_order(const struct mali_world *w, const struct mali_grid *grid)
{
    /* What a vertex has stored is its own to others only where nobody loads it. */
    if (!textures_are_few(w) || (w->shading && w->program->loads && !w->program->shares))
        return MALI_IN_ORDER;
    if (w->program->shares)
        return w->speculation ? MALI_SPECULATED : MALI_IN_ORDER;
    return grid->own && varyings_are_own(w->bindings) ? MALI_PARALLEL : MALI_IN_ORDER;
}
