/* Draws of a frame, prepared once for all its tiles by the first worker that meets them. */
#include "gpu/utgard/frame_internal.h"
#include "gpu/utgard/pp_fault.h"

#define UNIT "tile list"

static bool prepare(struct utgard_run *run, struct utgard_draw *draw, uint32_t rsw, uint32_t samples,
                    bool points)
{
    struct utgard_state state;
    struct gpu_fault fault;
    const struct utgard_pp_frame *frame = run->frame;
    struct utgard_frag_config config = {.samples = samples,
                                        .rgba16f = run->rgba16f,
                                        .points = points,
                                        .fuel = frame->block_fuel,
                                        .y_scale = run->y_scale,
                                        .y_offset = run->y_offset,
                                        .shared = &run->shared,
                                        .numeric = frame->numeric,
                                        .in_order = frame->in_order};

    draw->rsw = rsw;
    draw->samples = (uint8_t)samples;
    draw->points = points;
    if (!utgard_rsw_read(frame->space, rsw, &state, &fault) ||
        utgard_frag_prepare(frame->space, frame->engine, &state, &config, &draw->frag, &fault)) {
        draw->fault = gpu_fault_keep(&fault, run->shared.arena);
        return false;
    }
    draw->state = utgard_frag_state(draw->frag);
    return true;
}

const struct utgard_draw *utgard_draw_get(struct utgard_run *run, uint32_t rsw, uint32_t samples, bool points,
                                          struct gpu_fault *fault)
{
    const uint32_t words[] = {rsw, samples, points};
    const struct util_memo_key key = {.head = words, .head_size = sizeof words};
    enum util_make_status status;
    struct utgard_draw *draw = util_memo_get(&run->draws, &key, sizeof *draw, &status);

    if (status == UTIL_MAKING)
        status = util_memo_end(&run->draws, draw, prepare(run, draw, rsw, samples, points));
    if (status == UTIL_MADE)
        return draw;
    if (draw && draw->fault)
        *fault = *draw->fault;
    else
        utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, rsw, "no host memory");
    return NULL;
}
