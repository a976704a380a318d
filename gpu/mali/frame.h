/* Framebuffer descriptors: the one of one target (v4), and the one of several with its extension and targets
 * (since v5); contexts of tilers (since v6). Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_FRAME_H
#define VITRAIL_GPU_MALI_FRAME_H

#include "gpu/mali/draw.h"

/* Since v6: what draws are put into lists by, and where those stand. At address 0 there is none. */
struct mali_tiler_context {
    uint64_t address;
    struct mali_tiler_v6 tiler;
    struct mali_tiler_heap heap;
};

struct mali_frame {
    uint64_t address;
    struct mali_storage storage; /* v4 and v5, as the next two */
    struct mali_tiler tiler;
    struct mali_weights weights;
    struct mali_tiler_context context; /* since v6 */
    struct mali_sfb single;            /* v4 */
    struct mali_mfb several;           /* since v5, with those below */
    bool has_zs_crc;
    struct mali_zs_crc zs_crc;
    uint32_t target_count;
    struct mali_target target[MALI_TARGETS];
};

/* Where the parts of a framebuffer stand, from its address on (sections.inc). Since v6 its parameters name a tiler's
 * context, and draws their storage. */
enum mali_frame_part {
    MALI_FRAME_STORAGE,
    MALI_FRAME_PARAMETERS,
    MALI_FRAME_TILER,
    MALI_FRAME_WEIGHTS,
    MALI_FRAME_BEHIND, /* since v5: extension and targets */
    MALI_FRAME_STATE,  /* since v6: words of a tiler's context that are the GPU's own */
    MALI_FRAME_PART_COUNT
};
#define MALI_FRAME_LACKS UINT16_MAX /* the version has no such part */
uint32_t mali_frame_at(enum mali_version version, enum mali_frame_part part);

/* Size of a frame in pixels. */
void mali_frame_size(enum mali_version version, const struct mali_frame *frame, uint32_t *width,
                     uint32_t *height);

/* Draws over the whole frame, before its tiles are drawn or behind them: since v6. */
enum mali_frame_draw { MALI_PRE_FRAME_0, MALI_PRE_FRAME_1, MALI_POST_FRAME, MALI_FRAME_DRAWS };
/* The mode of one: enum MALI_PRE_POST_FRAME_SHADER_MODE_... */
static inline uint32_t mali_frame_draw_mode(const struct mali_mfb *parameters, enum mali_frame_draw n)
{
    return n == MALI_PRE_FRAME_0   ? parameters->pre_frame_0
           : n == MALI_PRE_FRAME_1 ? parameters->pre_frame_1
                                   : parameters->post_frame;
}

/* Where one stands: each as long as a draw, of v9 with its environment. */
uint64_t mali_frame_draw_at(enum mali_version version, const struct mali_mfb *parameters,
                            enum mali_frame_draw n);

/* A tiler's context with its heap. False and *stop: memory, budget, or what means nothing. */
bool mali_tiler_context_read(const struct mali_reader *reader, uint64_t address,
                             struct mali_tiler_context *out, struct mali_stop *stop);

/* What a descriptor names with the lower bits of an address: FBD of a draw, the framebuffer of a fragment
 * job. A tiler job's targets are not read. False and *stop: memory, budget, or what means nothing. */
bool mali_frame_read(const struct mali_reader *reader, uint64_t tagged, bool targets, struct mali_frame *out,
                     struct mali_stop *stop);

#endif
