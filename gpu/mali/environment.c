/* Draws of v9: an environment for each program, with tables of resources; and what of a draw, its depth and stencil,
 * and its blends is the same as in the renderer states of the versions before. Source: Mesa's genxml and
 * pan_cmdstream.c (panfrost_emit_resources, panfrost_emit_draw) as documentation. */
#include <stddef.h>
#include <string.h>

#include "gpu/mali/draw.h"
#include "util/bits.h"

/* Who reads an environment. */
struct tables {
    const struct mali_reader *reader;
    struct mali_refusals refusals;
    struct mali_stop *stop;
    uint32_t entries, surfaces; /* that may still be read */
};

static void *take(struct tables *t, uint64_t address, size_t count, size_t size)
{
    void *list = mali_list_room(t->reader, t->refusals.arena, address, count, size, t->stop);
    if (list)
        memset(list, 0, count * size);
    return list;
}

/* ---- tables ---- */

/* Fetched so many at a time. */
#define ENTRIES_AT_ONCE 16u
#define TABLES_AT_ONCE  63u /* all that an environment's count can say */

static bool read_view(struct tables *t, uint64_t at, struct mali_resource_of *e)
{
    e->view = take(t, at, 1, sizeof *e->view);
    if (!e->view)
        return false;
    e->view->address = at;
    return mali_view_read(t->reader, t->refusals.arena, e->view, &t->surfaces, t->stop);
}

/* `words`: the descriptor's; NULL: they are still to be fetched. */
static bool read_entry(struct tables *t, uint64_t at, const uint32_t *words, struct mali_resource_of *e)
{
    uint32_t own[MALI_DESC_WORDS];
    struct mali_entry any;
    if (!words) {
        if (!mali_desc_fetch(t->reader, &mali_desc_entry, at, own, t->stop))
            return false;
        words = own;
    }
    mali_desc_unpack(&mali_desc_entry, t->reader->version, words, &any);
    e->type = any.type;
    switch (e->type) {
    case MALI_DESCRIPTOR_TYPE_TEXTURE: return read_view(t, at, e);
    case MALI_DESCRIPTOR_TYPE_SAMPLER:
        return mali_desc_take(t->reader, &mali_desc_sampler, at, words, &e->sampler, t->stop);
    case MALI_DESCRIPTOR_TYPE_ATTRIBUTE:
        return mali_desc_take(t->reader, &mali_desc_attribute_v9, at, words, &e->attribute, t->stop);
    case MALI_DESCRIPTOR_TYPE_BUFFER:
        return mali_desc_take(t->reader, &mali_desc_buffer_v9, at, words, &e->buffer, t->stop);
    default: return true;
    }
}

const struct mali_resource_of *mali_entry_find(const struct mali_bindings *b, uint32_t table, uint32_t number,
                                               uint32_t type, const struct mali_stop **refused)
{
    const struct mali_table *in = table < b->table_count ? &b->table[table] : NULL;
    const struct mali_resource_of *e = in && number < in->count ? &in->entry[number] : NULL;
    *refused = !in ? NULL : in->refused ? in->refused : e ? e->refused : NULL;
    return !*refused && e && e->type == type ? e : NULL;
}

static bool read_entries(struct tables *t, uint32_t count, struct mali_table *table)
{
    const uint32_t bytes = mali_desc_entry.bytes[t->reader->version];
    uint32_t words[ENTRIES_AT_ONCE][MALI_V9_WORDS_entry];
    uint64_t at = table->address;
    bool fetched = false;
    for (; table->count < count; table->count++, at += bytes) {
        struct mali_resource_of *e = &table->entry[table->count];
        const uint32_t k = table->count % ENTRIES_AT_ONCE;
        if (!k)
            fetched = mali_desc_fetch_row(t->reader, &mali_desc_entry, at,
                                          UTIL_MIN(count - table->count, ENTRIES_AT_ONCE), words[0]);
        e->refused = NULL;
        if (!read_entry(t, at, fetched ? words[k] : NULL, e) &&
            !mali_refuse(&t->refusals, t->stop, &e->refused))
            return false;
    }
    return true;
}

/* `words` as above. */
static bool read_table(struct tables *t, uint64_t at, const uint32_t *words, struct mali_table *table)
{
    struct mali_resource resource;
    if (words ? !mali_desc_take(t->reader, &mali_desc_resource, at, words, &resource, t->stop)
              : !mali_desc_read(t->reader, &mali_desc_resource, at, &resource, t->stop))
        return false;
    const uint64_t count = resource.size / mali_desc_entry.bytes[t->reader->version];
    table->address = resource.address;
    if (count > t->entries)
        return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, t->reader->unit, at,
                             "resource table: too many descriptors in one draw");
    t->entries -= (uint32_t)count;
    if (!count)
        return true;
    table->entry = mali_list_room(t->reader, t->refusals.arena, at, count, sizeof *table->entry, t->stop);
    return table->entry && read_entries(t, (uint32_t)count, table);
}

/* Drivers have a dozen of them, of which few have anything. */
static uint32_t used_of(uint32_t count, uint32_t words[][MALI_V9_WORDS_resource])
{
    static const uint32_t nothing[MALI_V9_WORDS_resource];
    while (count && !memcmp(words[count - 1], nothing, sizeof nothing))
        count--;
    return count;
}

static bool read_tables(struct tables *t, const struct mali_environment *e, struct mali_bindings *out)
{
    uint32_t count = e->tables ? e->table_count : 0, words[TABLES_AT_ONCE][MALI_V9_WORDS_resource];
    uint64_t at = e->tables;
    const bool fetched = count && count <= TABLES_AT_ONCE &&
                         mali_desc_fetch_row(t->reader, &mali_desc_resource, at, count, words[0]);
    if (fetched)
        count = used_of(count, words);
    if (!count)
        return true;
    out->table = take(t, at, count, sizeof *out->table);
    if (!out->table)
        return false;
    for (; out->table_count < count; out->table_count++, at += mali_desc_resource.bytes[t->reader->version]) {
        struct mali_table *table = &out->table[out->table_count];
        if (!read_table(t, at, fetched ? words[out->table_count] : NULL, table) &&
            !mali_refuse(&t->refusals, t->stop, &table->refused))
            return false;
    }
    return true;
}

/* ---- environments ---- */

static bool read_program(const struct mali_reader *reader, struct mali_bindings *out, struct mali_stop *stop)
{
    if (!out->environment.shader)
        return true;
    if (!mali_desc_read(reader, &mali_desc_program, out->environment.shader, &out->program, stop))
        return false;
    if (out->program.type != MALI_DESCRIPTOR_TYPE_SHADER)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, reader->unit,
                             out->environment.shader, "shader program: its type is %u, which is no program's",
                             out->program.type);
    out->state.shader = out->program.binary;
    return true;
}

bool mali_environment_read(const struct mali_reader *reader, uint64_t address, struct util_arena *arena,
                           struct mali_bindings *out, struct mali_stop *stop)
{
    struct tables t = {reader, {.arena = arena}, stop, MALI_ENTRIES_MOST, MALI_SURFACES_MOST};
    memset(out, 0, offsetof(struct mali_bindings, blend));
    if (!mali_desc_read(reader, &mali_desc_environment, address, &out->environment, stop) ||
        !read_program(reader, out, stop))
        return false;
    const struct mali_environment *e = &out->environment;
    if (!arena)
        return true;
    return (!e->thread_storage ||
            mali_desc_read(reader, &mali_desc_storage, e->thread_storage, &out->storage, stop)) &&
           read_tables(&t, e, out);
}

/* ---- draws ---- */

static struct mali_draw draw_of(const struct mali_draw_v9 *d, const struct mali_bindings *b)
{
    return (struct mali_draw){.draw_descriptor_is_64b = true,
                              .occlusion_query = d->occlusion_query,
                              .front_face_ccw = d->front_face_ccw,
                              .cull_front_face = d->cull_front_face,
                              .cull_back_face = d->cull_back_face,
                              .primitive_barrier = d->primitive_barrier,
                              .clean_fragment_write = d->clean_fragment_write,
                              .occlusion = d->occlusion,
                              .thread_storage = b->environment.thread_storage};
}

static void take_draw(const struct mali_draw_v9 *d, struct mali_state *s)
{
    s->allow_forward_pixel_to_kill = d->allow_forward_pixel_to_kill;
    s->allow_forward_pixel_to_be_killed = d->allow_forward_pixel_to_be_killed;
    s->pixel_kill_operation = d->pixel_kill_operation;
    s->zs_update_operation = d->zs_update_operation;
    s->overdraw_alpha0 = d->overdraw_alpha0;
    s->overdraw_alpha1 = d->overdraw_alpha1;
    s->evaluate_per_sample = d->evaluate_per_sample;
    s->single_sampled_lines = d->single_sampled_lines;
    s->multisample_enable = d->multisample_enable;
    s->shader_modifies_coverage = d->shader_modifies_coverage;
    s->alpha_to_coverage = d->alpha_to_coverage;
    s->alpha_to_coverage_invert = d->alpha_to_coverage_invert;
    s->sample_mask = d->sample_mask;
}

/* Depth beyond near and far is clipped where it is culled: both or neither. */
static void take_depth(const struct mali_depth_stencil *z, struct mali_state *s)
{
    s->depth_source = z->depth_source;
    s->depth_function = z->depth_function;
    s->depth_write_mask = z->depth_write_enable;
    s->depth_units = z->depth_units;
    s->depth_factor = z->depth_factor;
    s->depth_bias_clamp = z->depth_bias_clamp;
    s->front_facing_depth_bias = s->back_facing_depth_bias = z->depth_bias_enable;
    s->fixed_function_near_discard = s->fixed_function_far_discard = z->depth_cull_enable;
    s->stencil_from_shader = z->stencil_from_shader;
    s->stencil_enable = z->stencil_test_enable;
    s->stencil_mask_front = z->front_write_mask;
    s->stencil_mask_back = z->back_write_mask;
    s->stencil_front_mask = z->front_value_mask;
    s->stencil_front_reference_value = z->front_reference_value;
    s->stencil_front_compare_function = z->front_compare_function;
    s->stencil_front_stencil_fail = z->front_stencil_fail;
    s->stencil_front_depth_fail = z->front_depth_fail;
    s->stencil_front_depth_pass = z->front_depth_pass;
    s->stencil_back_mask = z->back_value_mask;
    s->stencil_back_reference_value = z->back_reference_value;
    s->stencil_back_compare_function = z->back_compare_function;
    s->stencil_back_stencil_fail = z->back_stencil_fail;
    s->stencil_back_depth_fail = z->back_depth_fail;
    s->stencil_back_depth_pass = z->back_depth_pass;
}

/* Those that a draw says it has; with !lists only whether there may be so many. */
static bool read_blends(const struct mali_reader *reader, const struct mali_draw_v9 *d, bool lists,
                        struct mali_bindings *out, struct mali_stop *stop)
{
    const uint32_t count = d->blend ? d->blend_count : 0;
    if (count > MALI_TARGETS)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, reader->unit, d->blend,
                             "draw: %u blends, for eight targets at most", count);
    for (uint64_t at = d->blend; lists && out->blend_count < count;
         out->blend_count++, at += mali_desc_blend.bytes[reader->version])
        if (!mali_desc_read(reader, &mali_desc_blend, at, &out->blend[out->blend_count], stop))
            return false;
    return true;
}

bool mali_draw_v9_read(const struct mali_reader *reader, uint64_t address, struct util_arena *arena,
                       struct mali_draw *draw, struct mali_bindings *out, struct mali_stop *stop)
{
    const struct mali_draw_v9 *d = &out->own;
    if (!mali_environment_read(reader, address + mali_desc_draw_v9.bytes[reader->version], arena, out,
                               stop) ||
        !mali_desc_read(reader, &mali_desc_draw_v9, address, &out->own, stop))
        return false;
    *draw = draw_of(d, out);
    take_draw(d, &out->state);
    out->viewport.minimum_z = d->minimum_z;
    out->viewport.maximum_z = d->maximum_z;
    if (d->depth_stencil) {
        if (!mali_desc_read(reader, &mali_desc_depth_stencil, d->depth_stencil, &out->depth_stencil, stop))
            return false;
        take_depth(&out->depth_stencil, &out->state);
    }
    return read_blends(reader, d, arena, out, stop);
}
