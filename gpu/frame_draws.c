/* Draws of a frame, prepared once for all its tiles by the first worker that meets them. */
#include "gpu/frame_internal.h"

static bool prepare(struct gpu_frame *frame, struct gpu_frame_draw *draw, const struct gpu_tile_state *state,
                    uint32_t samples, bool points)
{
    struct gpu_fault fault;
    draw->state = state->state;
    draw->varyings_at = state->varyings;
    draw->samples = (uint8_t)samples;
    draw->points = points;
    if (!frame->family->prepare(frame, draw, &fault)) {
        draw->fault = gpu_fault_keep(&fault, frame->arena);
        return false;
    }
    draw->setup.centres_only = samples == 1;
    return true;
}

const struct gpu_frame_draw *gpu_frame_draw_get(struct gpu_frame *frame, const struct gpu_tile_state *state,
                                                uint32_t samples, bool points, struct gpu_fault *fault)
{
    const uint32_t words[] = {state->state, state->varyings, samples, points};
    const struct util_memo_key key = {.head = words, .head_size = sizeof words};
    enum util_make_status status;
    struct gpu_frame_draw *draw = util_memo_get(&frame->draws, &key, sizeof *draw, &status);
    if (status == UTIL_MAKING)
        status = util_memo_end(&frame->draws, draw, prepare(frame, draw, state, samples, points));
    if (status == UTIL_MADE)
        return draw;
    if (draw && draw->fault)
        *fault = *draw->fault;
    else
        gpu_fault_set(fault, GPU_FAULT_SHADER, "tile list", state->state, "no host memory");
    return NULL;
}
