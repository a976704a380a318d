/* What a job's header is followed by, with all descriptors that it leads to: fetched once, before the job is
 * executed, listed or checked. Internal to gpu/mali and its listings. */
#ifndef VITRAIL_GPU_MALI_PAYLOAD_H
#define VITRAIL_GPU_MALI_PAYLOAD_H

#include "gpu/mali/frame.h"

/* Compute, vertex and geometry jobs are laid out alike. */
struct mali_compute_job {
    struct mali_invocation invocation;
    struct mali_compute parameters;
    struct mali_draw draw;
    struct mali_bindings bindings;
};

struct mali_tiler_job {
    struct mali_invocation invocation;
    struct mali_primitive primitive;
    struct mali_primitive_size size;
    struct mali_draw draw;
    struct mali_frame frame; /* without targets */
    struct mali_bindings bindings;
};

struct mali_fragment_job {
    struct mali_fragment bounds;
    struct mali_frame frame;
};

union mali_payload {
    struct mali_write_value write_value;
    struct mali_cache_flush cache_flush;
    struct mali_compute_job compute;
    struct mali_tiler_job tiler;
    struct mali_fragment_job fragment;
};

enum {
    MALI_AT_PAYLOAD = 32,
    MALI_AT_NARROW_PAYLOAD = 28 /* behind a header with a Next of 32 bits */
};

/* Sections of jobs, and where they stand (sections.inc). */
enum mali_section {
    MALI_SECTION_PAYLOAD, /* of those with one alone */
    MALI_SECTION_INVOCATION,
    MALI_SECTION_PARAMETERS,
    MALI_SECTION_PRIMITIVE,
    MALI_SECTION_PRIMITIVE_SIZE,
    MALI_SECTION_TILER,
    MALI_SECTION_DRAW, /* of an indexed vertex job: its fragments' */
    MALI_SECTION_VERTEX_DRAW,
    MALI_SECTION_INSTANCE_COUNT,
    MALI_SECTION_VERTEX_COUNT,
    MALI_SECTION_ALLOCATION,
    MALI_SECTION_SCISSOR,
    MALI_SECTION_INDICES,
    MALI_SECTION_ENVIRONMENT, /* of the draw, or of a compute job */
    MALI_SECTION_POSITION,
    MALI_SECTION_VARYING,
    MALI_SECTION_COUNT
};
/* From the header on; 0: jobs of that type have none. The type is one that a header may name. */
uint32_t mali_section_at(enum mali_version version, uint32_t job_type, enum mali_section section);

/* Of the job whose header stands at `address`; lists are in the arena. Null jobs have none. False and *stop:
 * memory, budget, what means nothing, or is not known. */
bool mali_payload_read(const struct mali_reader *reader, uint64_t address,
                       const struct mali_job_header *header, struct util_arena *arena,
                       union mali_payload *out, struct mali_stop *stop);
/* The same without the lists of a tiler job's bindings, which its fragments alone use. */
bool mali_payload_read_brief(const struct mali_reader *reader, uint64_t address,
                             const struct mali_job_header *header, struct util_arena *arena,
                             union mali_payload *out, struct mali_stop *stop);

#endif
