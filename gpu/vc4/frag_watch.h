/* Watching fragments: what the reference path tells of the blocks it shades (gpu/vc4/observe.h). Pointers in
 * what is told live during the call only; arrays of 16 are by lane. */
#ifndef VITRAIL_GPU_VC4_FRAG_WATCH_H
#define VITRAIL_GPU_VC4_FRAG_WATCH_H

#include "isa/vc4_qpu/interp.h"
#include "raster/prim.h"
#include "raster/texture.h"
#include "raster/zs.h"

/* A block about to be shaded. */
struct vc4_watched_block {
    const struct vc4_qpu_program *program;
    uint32_t code; /* guest address of the program */
    const struct raster_prim *prim;
    const struct raster_block *block;
    const struct raster_tile *tile;
    int32_t x, y;               /* window pixel of lane 0 */
    const uint32_t *color, *zs; /* the block's first sample in the tile; the others follow, 16 words each */
    const uint32_t *w, *z;      /* the payload: W as floats, Z */
    bool counts; /* false: an early depth test would reject the block, compiled code does not run it */
};

enum vc4_watched_kind {
    VC4_WATCHED_UNIFORM,
    VC4_WATCHED_VARYING,
    VC4_WATCHED_COORDINATES,
    VC4_WATCHED_FLAGS,
    VC4_WATCHED_MS_MASK,
    VC4_WATCHED_REQUEST,
    VC4_WATCHED_RESULT,
    VC4_WATCHED_STENCIL,
    VC4_WATCHED_DEPTH,
    VC4_WATCHED_COLOR_WRITE,
    VC4_WATCHED_COLOR_LOAD,
};

/* What the program did to the world outside its registers, or took from it; after it happened. */
struct vc4_watched_port {
    enum vc4_watched_kind kind;
    uint16_t lanes; /* MS_MASK, STENCIL, DEPTH, COLOR_WRITE: where the write's condition holds */
    union {
        struct {
            uint32_t address, value;
        } uniform;
        struct {
            uint32_t n;
            const uint32_t *vary, *c;
        } varying;
        struct {
            const uint32_t *a, *b; /* x and y; or sample mask and reverse flag */
        } pair;                    /* COORDINATES, FLAGS */
        const uint32_t *value;     /* MS_MASK, STENCIL */
        struct {
            unsigned unit, param_count;
            const uint32_t *s, *t, *r, *b; /* NULL where not written */
            const uint32_t *params;
            const struct raster_texture_key *key; /* NULL: a raw lookup at address s */
            const struct raster_texture *texture;
            const uint32_t *result;
        } request;
        struct {
            unsigned unit;
            const uint32_t *value;
        } result;
        struct {
            const uint32_t *value;                    /* depths */
            const uint32_t *before, *after;           /* depth << 8 | stencil: [sample * 16 + lane] */
            const uint16_t *live_before, *live_after; /* lanes that may be written, by sample */
            const struct raster_zs *test;
        } depth;
        struct {
            bool all;        /* all samples; otherwise `sample` alone */
            unsigned sample; /* also of COLOR_LOAD */
            const uint32_t *value;
            const uint16_t *live;
        } color; /* COLOR_WRITE, COLOR_LOAD */
    };
};

struct vc4_frag_watch {
    void *data;
    /* Returns whether to tell of the block; the others below are called only then. */
    bool (*begin)(void *data, const struct vc4_watched_block *block);
    vc4_qpu_trace_fn trace;
    void (*port)(void *data, const struct vc4_watched_port *port); /* may be NULL, as may `trace` and `end` */
    void (*end)(void *data, const struct vc4_qpu_state *state, const struct vc4_qpu_report *report);
};

#endif
