/* Draws of a frame, prepared once for all its tiles. Readers take no lock: draws are only ever put before the
 * others of a bucket. */
#include <stdlib.h>

#include "gpu/utgard/frame_internal.h"
#include "gpu/utgard/pp_fault.h"

#define UNIT "tile list"

static struct utgard_draw *find(struct utgard_draw *draw, uint32_t rsw, uint32_t samples, bool points)
{
    while (draw && (draw->rsw != rsw || draw->samples != samples || draw->points != points))
        draw = draw->next;
    return draw;
}

static struct utgard_draw *prepare(struct utgard_run *run, uint32_t rsw, uint32_t samples, bool points,
                                   struct gpu_fault *fault)
{
    const struct utgard_pp_frame *frame = run->frame;
    struct utgard_frag_config config = {.samples = samples,
                                        .wide = run->wide,
                                        .points = points,
                                        .fuel = frame->block_fuel,
                                        .y_scale = run->y_scale,
                                        .y_offset = run->y_offset,
                                        .programs = &run->programs,
                                        .numeric = frame->numeric,
                                        .in_order = frame->in_order};
    struct utgard_draw *draw = calloc(1, sizeof *draw);

    if (!draw) {
        utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, rsw, "no host memory");
        return NULL;
    }
    *draw = (struct utgard_draw){.rsw = rsw, .samples = (uint8_t)samples, .points = points};
    if (!utgard_rsw_read(frame->space, rsw, &draw->state, fault) ||
        utgard_frag_prepare(frame->space, frame->engine, &draw->state, &config, &draw->frag, fault)) {
        free(draw);
        return NULL;
    }
    return draw;
}

const struct utgard_draw *utgard_draw_get(struct utgard_run *run, uint32_t rsw, uint32_t samples, bool points,
                                          struct gpu_fault *fault)
{
    _Atomic(struct utgard_draw *) *bucket = &run->draws[(rsw >> 6) % UTGARD_DRAWS];
    struct utgard_draw *draw = find(atomic_load_explicit(bucket, memory_order_acquire), rsw, samples, points);

    if (draw)
        return draw;
    pthread_mutex_lock(&run->lock);
    draw = find(atomic_load_explicit(bucket, memory_order_relaxed), rsw, samples, points);
    if (!draw) {
        draw = prepare(run, rsw, samples, points, fault);
        if (draw) {
            draw->next = atomic_load_explicit(bucket, memory_order_relaxed);
            atomic_store_explicit(bucket, draw, memory_order_release);
        }
    }
    pthread_mutex_unlock(&run->lock);
    return draw;
}

void utgard_draws_free(struct utgard_run *run)
{
    for (uint32_t n = 0; n < UTGARD_DRAWS; n++)
        for (struct utgard_draw *draw = atomic_load(&run->draws[n]), *next; draw; draw = next) {
            next = draw->next;
            utgard_frag_release(draw->frag);
            free(draw);
        }
    utgard_frag_programs_free(&run->programs);
}
