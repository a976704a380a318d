/* A draw's fragments: tiles of 8x8 pixels, one launch of the fragment program each and one of the blend program, between depth tests
 * that are fixed (README.md). A struct raster_shader (raster/shader.h) without code of its own. */
#ifndef VITRAIL_GPU_LIBRESOC_FRAG_H
#define VITRAIL_GPU_LIBRESOC_FRAG_H

#include "gpu/frame.h"
#include "gpu/libresoc/stage.h"
#include "raster/cover.h"
#include "raster/zs_blocks.h"

struct libresoc_frag_test {
    struct raster_zs zs;
    struct jit_function *code; /* NULL: pixel by pixel */
};

struct libresoc_frag {
    struct raster_shader shader;
    struct libresoc_stage fragment, blend;
    bool has_fragment, has_blend;
    bool kills;
    struct libresoc_frag_test early, late; /* before the program; of draws that kill, behind it */
    uint32_t varyings;
    enum raster_cover_level level;
    uint32_t columns; /* tiles of 8x8 pixels in a row of the frame */
    const struct gpu_host *host;
};

/* Of a draw's record, for a frame of `width` pixels; stages' memory, written and fuel are set in `base`. *out is zeroed, and does not
 * move. False and *fault. Thread-safe. */
bool libresoc_frag_init(struct libresoc_frag *out, const struct libresoc_draw_record *draw, uint32_t width,
                        const struct libresoc_stage *base, struct gpu_programs *programs,
                        struct jit_engine *engine, const struct gpu_host *host, struct gpu_fault *fault);
/* raster_shader_shade while `watch` is told. */
uint32_t libresoc_frag_shade_watched(const struct libresoc_frag *frag, const struct gpu_watch *watch,
                                     const struct raster_prim *prim, struct raster_tile *tile,
                                     const struct raster_block *blocks, uint32_t count,
                                     struct raster_shader_work *work);

#endif
