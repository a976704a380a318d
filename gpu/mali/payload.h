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

/* Where sections stand, from the header on. */
enum {
    MALI_AT_PAYLOAD = 32,
    MALI_AT_NARROW_PAYLOAD = 28, /* behind a header with a Next of 32 bits */
    MALI_AT_INVOCATION = 32,
    MALI_AT_PARAMETERS = 40,
    MALI_AT_PRIMITIVE = 40,
    MALI_AT_DRAW = 64,
    MALI_AT_PRIMITIVE_SIZE = 184
};

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
