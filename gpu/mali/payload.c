/* Payloads of jobs, section by section. */
#include "gpu/mali/payload.h"

#include "util/bits.h"

uint32_t mali_section_at(enum mali_version version, uint32_t job_type, enum mali_section section)
{
    static const uint16_t at[][MALI_SECTION_COUNT][MALI_VERSION_COUNT] = {
#define SECTION(type, section, ...) [MALI_JOB_TYPE_##type][MALI_SECTION_##section] = {__VA_ARGS__},
#include "gpu/mali/sections.inc"
#undef SECTION
    };
    const bool as_compute = job_type == MALI_JOB_TYPE_VERTEX || job_type == MALI_JOB_TYPE_GEOMETRY;
    const uint32_t type = as_compute ? MALI_JOB_TYPE_COMPUTE : job_type;
    return type < UTIL_ARRAY_SIZE(at) ? at[type][section][version] : 0;
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

static bool read_compute(const struct mali_reader *r, uint64_t at, struct util_arena *arena,
                         struct mali_compute_job *p, struct mali_stop *stop)
{
    const struct at a = {r, at, MALI_JOB_TYPE_COMPUTE};
    return read_section(&a, MALI_SECTION_INVOCATION, &mali_desc_invocation, &p->invocation, stop) &&
           read_section(&a, MALI_SECTION_PARAMETERS, &mali_desc_compute, &p->parameters, stop) &&
           read_section(&a, MALI_SECTION_DRAW, &mali_desc_draw, &p->draw, stop) &&
           mali_bindings_read(r, &p->draw, 0, arena, &p->bindings, stop);
}

static bool read_tiler(const struct mali_reader *r, uint64_t at, struct util_arena *arena,
                       struct mali_tiler_job *p, struct mali_stop *stop)
{
    const struct at a = {r, at, MALI_JOB_TYPE_TILER};
    return read_section(&a, MALI_SECTION_INVOCATION, &mali_desc_invocation, &p->invocation, stop) &&
           read_section(&a, MALI_SECTION_PRIMITIVE, &mali_desc_primitive, &p->primitive, stop) &&
           read_section(&a, MALI_SECTION_DRAW, &mali_desc_draw, &p->draw, stop) &&
           read_section(&a, MALI_SECTION_PRIMITIVE_SIZE, &mali_desc_primitive_size, &p->size, stop) &&
           mali_frame_read(r, p->draw.fbd, false, &p->frame, stop) &&
           mali_bindings_read(r, &p->draw, p->frame.target_count, arena, &p->bindings, stop);
}

static bool read_fragment(const struct mali_reader *r, uint64_t at, struct mali_fragment_job *p,
                          struct mali_stop *stop)
{
    return mali_desc_read(r, &mali_desc_fragment, at + MALI_AT_PAYLOAD, &p->bounds, stop) &&
           mali_frame_read(r, p->bounds.framebuffer, true, &p->frame, stop);
}

static bool unknown(const struct mali_reader *reader, uint64_t address, const char *what,
                    struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, reader->unit, address, "%s",
                         what);
}

bool mali_payload_read(const struct mali_reader *reader, uint64_t address,
                       const struct mali_job_header *header, struct util_arena *arena,
                       union mali_payload *out, struct mali_stop *stop)
{
    uint64_t small = address + (header->is_64b ? MALI_AT_PAYLOAD : MALI_AT_NARROW_PAYLOAD);
    switch (header->type) {
    case MALI_JOB_TYPE_NULL: return true;
    case MALI_JOB_TYPE_WRITE_VALUE:
        return mali_desc_read(reader, &mali_desc_write_value, small, &out->write_value, stop);
    case MALI_JOB_TYPE_CACHE_FLUSH:
        return mali_desc_read(reader, &mali_desc_cache_flush, small, &out->cache_flush, stop);
    case MALI_JOB_TYPE_FUSED: return unknown(reader, address, "what a fused job holds is not known", stop);
    default: break;
    }
    if (reader->version > MALI_V5)
        return unknown(reader, address, "jobs of this GPU are not known yet", stop);
    if (!header->is_64b)
        return unknown(reader, address, "descriptors with pointers of 32 bits are not known", stop);
    switch (header->type) {
    case MALI_JOB_TYPE_TILER: return read_tiler(reader, address, arena, &out->tiler, stop);
    case MALI_JOB_TYPE_FRAGMENT: return read_fragment(reader, address, &out->fragment, stop);
    default: return read_compute(reader, address, arena, &out->compute, stop);
    }
}

bool mali_payload_read_brief(const struct mali_reader *reader, uint64_t address,
                             const struct mali_job_header *header, struct util_arena *arena,
                             union mali_payload *out, struct mali_stop *stop)
{
    if (header->type == MALI_JOB_TYPE_TILER && header->is_64b && reader->version <= MALI_V5)
        return read_tiler(reader, address, NULL, &out->tiler, stop);
    return mali_payload_read(reader, address, header, arena, out, stop);
}
