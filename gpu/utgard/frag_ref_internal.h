/* What the files of the reference path of fragments share: frag_ref.c shades blocks, frag_watch.c looks on.
 * Internal to them. */
#ifndef VITRAIL_GPU_UTGARD_FRAG_REF_INTERNAL_H
#define VITRAIL_GPU_UTGARD_FRAG_REF_INTERNAL_H

#include "gpu/utgard/frag_internal.h"
#include "gpu/follow.h"
#include "isa/utgard_pp/interp.h"
#include "raster/stages.h"

/* A block at hand. */
struct utgard_ref_batch {
    const struct utgard_frag *frag;
    const struct raster_prim *prim;
    struct raster_stages stages;
    struct raster_stages_block block;
    int32_t px, py; /* window pixel of lane 0 */
    float w[16];
    uint64_t executed;             /* instructions, of all blocks so far */
    const struct gpu_watch *watch; /* NULL: nobody looks on */
    bool looking;                  /* somebody does, at this block: */
    struct gpu_following following;
    uint64_t began; /* `executed` then */
};

/* The ports of a fragment program; their context is a struct utgard_ref_batch. */
extern const struct utgard_pp_ports utgard_ref_ports;

/* A register's colour in one lane as an 8888 word; 0 of UTGARD_NO_COLOR. */
uint32_t utgard_ref_color(const struct utgard_pp_state *state, uint8_t reg, unsigned lane);
/* The draw's colour in one lane as four halves. */
uint64_t utgard_ref_halves(const struct utgard_pp_state *state, const struct utgard_frag_head *head,
                           unsigned lane);

/* frag_watch.c. The watch is asked for this block: then batch->looking is set, until utgard_ref_look_away.
 * `code` is the block's fault, or 0. */
void utgard_ref_look(struct utgard_ref_batch *batch, const struct raster_block *block);
void utgard_ref_look_away(struct utgard_ref_batch *batch, uint32_t code);
/* Does `test` and tells of it. */
void utgard_ref_look_at_test(struct utgard_ref_batch *batch, const struct utgard_pp_state *state,
                             void (*test)(struct utgard_ref_batch *batch,
                                          const struct utgard_pp_state *state));
/* Runs the program with the reference path's ports, and tells of it. */
void utgard_ref_look_at_program(struct utgard_ref_batch *batch, const struct utgard_pp_ports *ports,
                                struct utgard_pp_state *state, struct utgard_pp_report *report);
/* Colours have met the tile: `source` the words before blending, of sample 0, `passed` lanes that passed the
 * alpha test.
 */
void utgard_ref_look_at_colors(struct utgard_ref_batch *batch, const struct utgard_pp_state *state,
                               const uint32_t source[16], uint16_t passed, const uint16_t *left);

#endif
