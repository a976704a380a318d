/* Draws of a frame, prepared once for all its tiles by the first worker that meets them. Readers take no
 * lock: draws are only ever put before the others of a bucket. */
#include "gpu/utgard/frame_internal.h"
#include "gpu/utgard/pp_fault.h"

#define UNIT "tile list"

static struct utgard_draw *find(struct utgard_draw *draw, uint32_t rsw, uint32_t samples, bool points)
{
    while (draw && (draw->rsw != rsw || draw->samples != samples || draw->points != points))
        draw = draw->next;
    return draw;
}

static bool prepare(struct utgard_run *run, struct utgard_draw *draw)
{
    const struct utgard_pp_frame *frame = run->frame;
    struct utgard_frag_config config = {.samples = draw->samples,
                                        .wide = run->wide,
                                        .points = draw->points,
                                        .fuel = frame->block_fuel,
                                        .y_scale = run->y_scale,
                                        .y_offset = run->y_offset,
                                        .shared = &run->shared,
                                        .numeric = frame->numeric,
                                        .in_order = frame->in_order};

    return utgard_rsw_read(frame->space, draw->rsw, &draw->state, &draw->fault) &&
           !utgard_frag_prepare(frame->space, frame->engine, &draw->state, &config, &draw->frag,
                                &draw->fault);
}

/* The draw, where none had met it before: the caller's to prepare, with *fresh. NULL: no host memory. */
static struct utgard_draw *add(struct utgard_run *run, _Atomic(struct utgard_draw *) *bucket, uint32_t rsw,
                               uint32_t samples, bool points, bool *fresh)
{
    struct utgard_draw *draw;

    pthread_mutex_lock(&run->maker.lock);
    draw = find(atomic_load_explicit(bucket, memory_order_relaxed), rsw, samples, points);
    if (!draw && (draw = util_arena_alloc(run->shared.arena, sizeof *draw))) {
        *fresh = true;
        draw->rsw = rsw;
        draw->samples = (uint8_t)samples;
        draw->points = points;
        atomic_init(&draw->status, UTIL_MAKING);
        draw->next = atomic_load_explicit(bucket, memory_order_relaxed);
        atomic_store_explicit(bucket, draw, memory_order_release);
    }
    pthread_mutex_unlock(&run->maker.lock);
    return draw;
}

const struct utgard_draw *utgard_draw_get(struct utgard_run *run, uint32_t rsw, uint32_t samples, bool points,
                                          struct gpu_fault *fault)
{
    _Atomic(struct utgard_draw *) *bucket = &run->draws[(rsw >> 6) % UTGARD_DRAWS];
    struct utgard_draw *draw = find(atomic_load_explicit(bucket, memory_order_acquire), rsw, samples, points);
    bool fresh = false;

    if (!draw)
        draw = add(run, bucket, rsw, samples, points, &fresh);
    if (!draw) {
        utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, rsw, "no host memory");
        return NULL;
    }
    if (fresh)
        util_make_end(&run->maker, &draw->status, prepare(run, draw));
    if (util_make_wait(&run->maker, &draw->status))
        return draw;
    *fault = draw->fault;
    return NULL;
}
