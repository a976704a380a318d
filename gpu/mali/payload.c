/* Payloads of jobs, section by section. */
#include "gpu/mali/payload.h"

#include "util/bits.h"

uint32_t mali_section_at(enum mali_version version, uint32_t job_type, enum mali_section section)
{
    static const uint16_t at[][MALI_SECTION_COUNT][MALI_VERSION_COUNT] = {
#define SECTION(type, section, ...) [MALI_JOB_TYPE_##type][MALI_SECTION_##section] = {__VA_ARGS__},
#include "gpu/mali/sections.inc"
    };
    const bool as_compute = job_type == MALI_JOB_TYPE_VERTEX || job_type == MALI_JOB_TYPE_GEOMETRY;
    const uint32_t type = as_compute ? MALI_JOB_TYPE_COMPUTE : job_type;
    return type < UTIL_ARRAY_SIZE(at) ? at[type][section][version] : 0;
}

uint32_t mali_payload_at(enum mali_version version, const struct mali_job_header *header)
{
    return mali_section_at(version, header->type, MALI_SECTION_PAYLOAD) -
           (header->is_64b ? 0 : (uint32_t)sizeof(uint32_t));
}

struct at {
    const struct mali_reader *reader;
    uint64_t address;
    uint32_t type;
};

static bool read_section(const struct at *a, enum mali_section section, const struct mali_desc *desc,
                         void *out, struct mali_stop *stop)
{
    return mali_desc_read(a->reader, desc, a->address + mali_section_at(a->reader->version, a->type, section),
                          out, stop);
}

/* ---- compute, vertex, geometry ---- */

static bool read_compute_v9(const struct at *a, struct util_arena *arena, struct mali_compute_job *p,
                            struct mali_stop *stop)
{
    const struct mali_reader *r = a->reader;
    if (!read_section(a, MALI_SECTION_PAYLOAD, &mali_desc_compute_v9, &p->grid, stop) ||
        !mali_environment_read(r, a->address + mali_section_at(r->version, a->type, MALI_SECTION_ENVIRONMENT),
                               arena, &p->bindings, stop))
        return false;
    p->draw = (struct mali_draw){.thread_storage = p->bindings.environment.thread_storage};
    return true;
}

static bool read_compute(const struct mali_reader *r, uint64_t at, struct util_arena *arena,
                         struct mali_compute_job *p, struct mali_stop *stop)
{
    const struct at a = {r, at, MALI_JOB_TYPE_COMPUTE};
    if (r->version >= MALI_V9)
        return read_compute_v9(&a, arena, p, stop);
    return read_section(&a, MALI_SECTION_INVOCATION, &mali_desc_invocation, &p->invocation, stop) &&
           read_section(&a, MALI_SECTION_PARAMETERS, &mali_desc_compute, &p->parameters, stop) &&
           read_section(&a, MALI_SECTION_DRAW, &mali_desc_draw, &p->draw, stop) &&
           mali_bindings_read(r, &p->draw, 0, arena, &p->bindings, stop);
}

/* ---- tiler ---- */

static bool read_context(const struct at *a, struct mali_tiler_job *p, struct mali_stop *stop)
{
    struct mali_tiler_pointer pointer;
    return read_section(a, MALI_SECTION_TILER, &mali_desc_tiler_pointer, &pointer, stop) &&
           mali_tiler_context_read(a->reader, pointer.address, &p->context, stop);
}

/* Of v4 to v7: the primitives, and what their fragments are drawn by. */
static bool read_primitives(const struct at *a, struct util_arena *arena, struct mali_tiler_job *p,
                            struct mali_stop *stop)
{
    const struct mali_reader *r = a->reader;
    const bool knows_frame = r->version <= MALI_V5;
    if (!read_section(a, MALI_SECTION_INVOCATION, &mali_desc_invocation, &p->invocation, stop) ||
        !read_section(a, MALI_SECTION_PRIMITIVE, &mali_desc_primitive, &p->primitive, stop) ||
        !read_section(a, MALI_SECTION_DRAW, &mali_desc_draw, &p->draw, stop) ||
        !read_section(a, MALI_SECTION_PRIMITIVE_SIZE, &mali_desc_primitive_size, &p->size, stop))
        return false;
    if (knows_frame ? !mali_frame_read(r, p->draw.fbd, false, &p->frame, stop) : !read_context(a, p, stop))
        return false;
    return mali_bindings_read(r, &p->draw, knows_frame ? p->frame.target_count : 1, arena, &p->bindings,
                              stop);
}

/* The same of v9. */
static bool read_primitives_v9(const struct at *a, struct util_arena *arena, struct mali_vertex_job *v,
                               struct mali_stop *stop)
{
    const struct mali_reader *r = a->reader;
    struct mali_tiler_job *p = &v->tiler;
    struct mali_indices indices;
    struct mali_count instances;
    struct mali_scissor scissor;
    if (!read_section(a, MALI_SECTION_PRIMITIVE, &mali_desc_primitive, &p->primitive, stop) ||
        !read_section(a, MALI_SECTION_INSTANCE_COUNT, &mali_desc_count, &instances, stop) ||
        !read_context(a, p, stop) ||
        !read_section(a, MALI_SECTION_SCISSOR, &mali_desc_scissor, &scissor, stop) ||
        !read_section(a, MALI_SECTION_PRIMITIVE_SIZE, &mali_desc_primitive_size, &p->size, stop) ||
        !read_section(a, MALI_SECTION_INDICES, &mali_desc_indices, &indices, stop) ||
        !mali_draw_v9_read(r, a->address + mali_section_at(r->version, a->type, MALI_SECTION_DRAW), arena,
                           &p->draw, &p->bindings, stop))
        return false;
    p->primitive.indices = indices.address;
    v->instances = instances.count;
    p->bindings.has_viewport = true;
    p->bindings.viewport.scissor_minimum_x = scissor.scissor_minimum_x;
    p->bindings.viewport.scissor_minimum_y = scissor.scissor_minimum_y;
    p->bindings.viewport.scissor_maximum_x = scissor.scissor_maximum_x;
    p->bindings.viewport.scissor_maximum_y = scissor.scissor_maximum_y;
    return true;
}

static bool read_tiler(const struct mali_reader *r, uint64_t at, struct util_arena *arena,
                       struct mali_vertex_job *p, struct mali_stop *stop)
{
    const struct at a = {r, at, MALI_JOB_TYPE_TILER};
    return r->version >= MALI_V9 ? read_primitives_v9(&a, arena, p, stop)
                                 : read_primitives(&a, arena, &p->tiler, stop);
}

/* `fragments`: for the lists of these. */
static bool read_indexed_vertex(const struct mali_reader *r, uint64_t at, struct util_arena *arena,
                                struct util_arena *fragments, struct mali_vertex_job *p,
                                struct mali_stop *stop)
{
    const struct at a = {r, at, MALI_JOB_TYPE_INDEXED_VERTEX};
    return read_primitives(&a, fragments, &p->tiler, stop) &&
           read_section(&a, MALI_SECTION_VERTEX_DRAW, &mali_desc_draw, &p->draw, stop) &&
           mali_bindings_read(r, &p->draw, 0, arena, &p->vertex, stop);
}

static bool read_malloc_vertex(const struct mali_reader *r, uint64_t at, struct util_arena *arena,
                               struct util_arena *fragments, struct mali_vertex_job *p,
                               struct mali_stop *stop)
{
    const struct at a = {r, at, MALI_JOB_TYPE_MALLOC_VERTEX};
    return read_primitives_v9(&a, fragments, p, stop) &&
           read_section(&a, MALI_SECTION_ALLOCATION, &mali_desc_allocation, &p->layout, stop) &&
           mali_environment_read(r, at + mali_section_at(r->version, a.type, MALI_SECTION_POSITION), arena,
                                 &p->vertex, stop) &&
           mali_environment_read(r, at + mali_section_at(r->version, a.type, MALI_SECTION_VARYING), arena,
                                 &p->varying, stop);
}

/* ---- fragment ---- */

/* A draw with its bindings. */
static bool read_whole(const struct mali_reader *r, uint64_t at, struct util_arena *arena, uint32_t targets,
                       struct mali_draw *draw, struct mali_bindings *bindings, struct mali_stop *stop)
{
    if (r->version >= MALI_V9)
        return mali_draw_v9_read(r, at, arena, draw, bindings, stop);
    return mali_desc_read(r, &mali_desc_draw, at, draw, stop) &&
           mali_bindings_read(r, draw, targets, arena, bindings, stop);
}

static bool read_fragment(const struct mali_reader *r, uint64_t at, struct util_arena *arena,
                          struct mali_fragment_job *p, struct mali_stop *stop)
{
    const struct at a = {r, at, MALI_JOB_TYPE_FRAGMENT};
    if (!read_section(&a, MALI_SECTION_PAYLOAD, &mali_desc_fragment, &p->bounds, stop) ||
        !mali_frame_read(r, p->bounds.framebuffer, true, &p->frame, stop))
        return false;
    for (enum mali_frame_draw n = 0; r->version >= MALI_V6 && n < MALI_FRAME_DRAWS; n++)
        if (mali_frame_draw_mode(&p->frame.several, n) &&
            !read_whole(r, mali_frame_draw_at(r->version, &p->frame.several, n), arena, p->frame.target_count,
                        &p->whole[n].draw, &p->whole[n].bindings, stop))
            return false;
    return true;
}

/* ---- all of them ---- */

static bool unknown(const struct mali_reader *reader, uint64_t address, const char *what,
                    struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, reader->unit, address, "%s",
                         what);
}

static bool read(const struct mali_reader *reader, uint64_t address, const struct mali_job_header *header,
                 struct util_arena *arena, struct util_arena *fragments, union mali_payload *out,
                 struct mali_stop *stop)
{
    const uint64_t alone = address + mali_payload_at(reader->version, header);
    switch (header->type) {
    case MALI_JOB_TYPE_NULL: return true;
    case MALI_JOB_TYPE_WRITE_VALUE:
        return mali_desc_read(reader, &mali_desc_write_value, alone, &out->write_value, stop);
    case MALI_JOB_TYPE_CACHE_FLUSH:
        return mali_desc_read(reader, &mali_desc_cache_flush, alone, &out->cache_flush, stop);
    case MALI_JOB_TYPE_FUSED: return unknown(reader, address, "what a fused job holds is not known", stop);
    default: break;
    }
    if (!header->is_64b)
        return unknown(reader, address, "descriptors with pointers of 32 bits are not known", stop);
    switch (header->type) {
    case MALI_JOB_TYPE_TILER: return read_tiler(reader, address, fragments, &out->vertex, stop);
    case MALI_JOB_TYPE_FRAGMENT: return read_fragment(reader, address, arena, &out->fragment, stop);
    case MALI_JOB_TYPE_INDEXED_VERTEX:
        if (reader->version >= MALI_V9)
            return unknown(reader, address, "what an indexed vertex job of v9 holds is not known", stop);
        return read_indexed_vertex(reader, address, arena, fragments, &out->vertex, stop);
    case MALI_JOB_TYPE_MALLOC_VERTEX:
        return read_malloc_vertex(reader, address, arena, fragments, &out->vertex, stop);
    default: return read_compute(reader, address, arena, &out->compute, stop);
    }
}

bool mali_payload_read(const struct mali_reader *reader, uint64_t address,
                       const struct mali_job_header *header, struct util_arena *arena,
                       union mali_payload *out, struct mali_stop *stop)
{
    return read(reader, address, header, arena, arena, out, stop);
}

bool mali_payload_read_brief(const struct mali_reader *reader, uint64_t address,
                             const struct mali_job_header *header, struct util_arena *arena,
                             union mali_payload *out, struct mali_stop *stop)
{
    return read(reader, address, header, arena, NULL, out, stop);
}

/* Who draws into a frame reads blends by the modes that they have since v6. */
bool mali_drawn_read(const struct mali_reader *r, uint64_t address, const struct mali_job_header *header,
                     uint32_t targets, struct util_arena *arena, struct mali_drawn *out,
                     struct mali_stop *stop)
{
    const struct at a = {r, address, header->type};
    const uint64_t draw = address + mali_section_at(r->version, a.type, MALI_SECTION_DRAW);
    struct mali_primitive primitive;
    struct mali_allocation layout = {.vertex_attribute_stride = 0};
    if (!read_section(&a, MALI_SECTION_PRIMITIVE, &mali_desc_primitive, &primitive, stop) ||
        !read_whole(r, draw, arena, r->version <= MALI_V5 ? targets : 0, &out->draw, &out->bindings, stop))
        return false;
    if (a.type == MALI_JOB_TYPE_MALLOC_VERTEX &&
        !read_section(&a, MALI_SECTION_ALLOCATION, &mali_desc_allocation, &layout, stop))
        return false;
    out->draw_mode = primitive.draw_mode;
    out->first_provokes = primitive.first_provoking_vertex;
    out->vertex_bytes = layout.vertex_attribute_stride;
    return true;
}
