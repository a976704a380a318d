/* What the files of the reference fragment path share: frag_ref.c prepares draws and runs blocks,
 * frag_ref_ports.c is what a block's program meets, frag_watch.c looks on. Internal to them. */
#ifndef VITRAIL_GPU_VC4_FRAG_REF_INTERNAL_H
#define VITRAIL_GPU_VC4_FRAG_REF_INTERNAL_H

#include "gpu/memory.h"
#include "gpu/vc4/frag_ref.h"
#include "gpu/vc4/frag_watch.h"
#include "isa/vc4_qpu/interp.h"

/* A texture request whose set-up words stand at known places, decoded once. */
struct vc4_known_texture {
    bool valid; /* false: a raw lookup, or words not known before the program runs */
    bool has_r, has_b;
    uint32_t params[4], param_count;
    struct raster_texture_key key;
    struct raster_texture texture;
};

struct vc4_frag_ref {
    const struct gpu_memory *memory;
    const struct vc4_qpu_program *program;
    struct vc4_frag_config config;
    uint32_t code, uniforms_at, fuel;
    enum isa_numeric numeric;
    uint32_t *uniforms; /* owned: the words that analysis sees being read; NULL when not all in memory */
    struct vc4_known_texture *textures; /* owned, one a sample of the program */
    bool early;                         /* compiled code tests the payload's depth first (frag_internal.h) */
    struct raster_zs early_test;
};

/* One block under way. */
struct vc4_ref_batch {
    const struct vc4_frag_ref *ref;
    const struct raster_prim *prim;
    struct raster_tile *tile;
    uint32_t *color, *zs; /* the block's first sample; the others follow, 16 words each */
    int32_t px, py;       /* window pixel of lane 0 */
    uint16_t live[RASTER_MAX_SAMPLES];
    struct raster_zs test;
    uint32_t color_loads, color_writes;
    struct {
        uint32_t count;
        uint32_t result[VC4_QPU_TMU_SLOTS][VC4_QPU_LANES];
    } tmu[2];
    struct gpu_fault texture_fault;      /* what a set-up decoded on the spot had wrong */
    const struct gpu_watch *watch;       /* NULL: nobody looks on */
    const struct gpu_following *looking; /* frag_watch.c's */
    struct vc4_frag_counts *counts;      /* NULL: nobody counts */
    uint16_t written;                    /* lanes whose colours were written */
};

/* Quads that have any of the lanes. */
static inline uint32_t vc4_ref_quads(uint32_t lanes)
{
    lanes |= lanes >> 1;
    return (uint32_t)__builtin_popcount((lanes | lanes >> 2) & 0x1111);
}

/* The ports of a fragment program; their context is a struct vc4_ref_batch. */
extern const struct vc4_qpu_ports vc4_ref_ports;

/* frag_watch.c: runs the program of a block whose watch wants to be told of it, with *report as by
 * vc4_qpu_interp. False, and nothing is done, when there is no watch or it does not want to. */
bool vc4_ref_watched(struct vc4_ref_batch *batch, const struct raster_block *block,
                     const struct vc4_qpu_start *start, bool counts, struct vc4_qpu_report *report);

#endif
