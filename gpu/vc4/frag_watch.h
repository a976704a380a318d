/* Watching fragments (gpu/watch.h): what the ports of a block's program meet, and a lane that is followed
 * through it. Pointers in what is told live during the call only; arrays of 16 are by lane. Internal to
 * frag_watch.c and frag_follow.c. */
#ifndef VITRAIL_GPU_VC4_FRAG_WATCH_H
#define VITRAIL_GPU_VC4_FRAG_WATCH_H

#include "gpu/follow.h"
#include "isa/vc4_qpu/interp.h"

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

/* A lane on its way. */
struct vc4_follower {
    struct gpu_follower of;
    const struct vc4_qpu_insn *insn;
    uint8_t address[GPU_VALUES]; /* of of.now.write: a register number, 32 and above as in the Guide */
    bool file_b[GPU_VALUES];
    /* Writes to T, R and B whose values show when S is written: places in the lane's trace. */
    struct {
        uint32_t insn, write;
        bool waits;
    } coordinate[2][4];
};

void vc4_follow_insn(struct vc4_follower *follower, uint32_t pc, const struct vc4_qpu_insn *insn,
                     const struct vc4_qpu_state *state);
void vc4_follow_port(struct vc4_follower *follower, const struct vc4_watched_port *port, unsigned samples);
/* The program is over. */
void vc4_follow_end(struct vc4_follower *follower, const struct vc4_qpu_state *state,
                    const struct vc4_qpu_report *report);

#endif
