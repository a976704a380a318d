/* What a job's header is followed by, with all descriptors that it leads to: fetched once, before the job is
 * executed, listed or checked. Internal to gpu/mali and its listings. */
#ifndef VITRAIL_GPU_MALI_PAYLOAD_H
#define VITRAIL_GPU_MALI_PAYLOAD_H

#include "gpu/mali/frame.h"

/* Compute, vertex and geometry jobs are laid out alike. */
struct mali_compute_job {
    struct mali_invocation invocation;
    struct mali_compute parameters;
    struct mali_compute_v9 grid; /* v9: in place of the two, and of `draw` all but its storage */
    struct mali_draw draw;
    struct mali_bindings bindings;
};

struct mali_tiler_job {
    struct mali_invocation invocation;
    struct mali_primitive primitive;
    struct mali_primitive_size size;
    struct mali_draw draw;
    struct mali_frame frame; /* v4 and v5; without targets */
    struct mali_tiler_context
        context; /* since v6, which does not know its frame: one blend is read (v6, v7) */
    struct mali_bindings bindings;
};

/* Vertices shaded as the tiler needs them: indexed vertex jobs of v6 and v7, malloc vertex jobs of v9, whose
 * positions and varyings have programs of their own. v9's tiler jobs, whose vertices are there, are the first of
 * it alone. */
struct mali_vertex_job {
    struct mali_tiler_job tiler;
    struct mali_draw draw;         /* v6 and v7: the vertices' */
    struct mali_bindings vertex;   /* v9: of the positions' program */
    struct mali_bindings varying;  /* v9 */
    uint32_t instances;            /* v9 */
    struct mali_allocation layout; /* v9: of what the programs store */
};

/* What fragments need of a job that draws. */
struct mali_drawn {
    uint32_t draw_mode; /* MALI_DRAW_MODE_.. */
    bool first_provokes;
    uint32_t vertex_bytes; /* of malloc vertex jobs: varyings of a vertex */
    struct mali_draw draw;
    struct mali_bindings bindings;
};

struct mali_fragment_job {
    struct mali_fragment bounds;
    struct mali_frame frame;
    /* Since v6, of those whose mode says that they are drawn. */
    struct {
        struct mali_draw draw;
        struct mali_bindings bindings;
    } whole[MALI_FRAME_DRAWS];
};

union mali_payload {
    struct mali_write_value write_value;
    struct mali_cache_flush cache_flush;
    struct mali_compute_job compute;
    struct mali_tiler_job tiler;
    struct mali_vertex_job vertex; /* `tiler` is its first part */
    struct mali_fragment_job fragment;
};

/* What a header's words leave open: since v9 all are wide; Next has 32 bits in those that are not. */
static inline void mali_job_header_settle(enum mali_version version, struct mali_job_header *header)
{
    header->is_64b |= version >= MALI_V9;
    if (!header->is_64b)
        header->next = (uint32_t)header->next;
}

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
/* Of a job with one alone, behind a header that may have a Next of 32 bits. */
uint32_t mali_payload_at(enum mali_version version, const struct mali_job_header *header);

/* Of the job whose header stands at `address`; lists are in the arena. Null jobs have none. False and *stop:
 * memory, budget, what means nothing, or is not known. */
bool mali_payload_read(const struct mali_reader *reader, uint64_t address,
                       const struct mali_job_header *header, struct util_arena *arena,
                       union mali_payload *out, struct mali_stop *stop);
/* The same without the lists of bindings that its fragments alone use, their blends and storage. */
bool mali_payload_read_brief(const struct mali_reader *reader, uint64_t address,
                             const struct mali_job_header *header, struct util_arena *arena,
                             union mali_payload *out, struct mali_stop *stop);
/* Of a job that draws what its fragments need, and no more; `targets`: of the frame that it draws into (v5). */
bool mali_drawn_read(const struct mali_reader *reader, uint64_t address, const struct mali_job_header *header,
                     uint32_t targets, struct util_arena *arena, struct mali_drawn *out,
                     struct mali_stop *stop);

#endif
